"""Which models cannot be told apart, per column."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from alee_mteb.analysis.comparison import Scored, standings
from leaderboard.board.figures import COLUMNS
from leaderboard.entries import SubsetEntry


@dataclass(frozen=True)
class Contestant:
    """A model with all languages of a data set (or of several).

    Attributes:
        identity: kind and id of the row it belongs to.
        subsets: its languages, with outcomes.
        scored: column → what is compared.
    """

    identity: tuple[str, str]
    subsets: Sequence[SubsetEntry]
    scored: dict[str, Scored]


def tie_groups(contestants: Sequence[Contestant]) -> dict[tuple[str, str], list[int | None]]:
    """Tie groups per column (macro, PN, RS, AR, HS), 1 for the best, as `comparison.standings` has them.

    Only models scored on the same triplets can be compared. Where there are several such sets of models, the one with
    the most languages is ranked, so that partial entries, however many, push nobody out; among equals the largest, then
    the first by its triplets' digest. The others are left out of the result.
    """
    sets: dict[str, list[Contestant]] = {}
    for one in contestants:
        sets.setdefault(_triplets(one.subsets), []).append(one)
    if not sets:
        return {}
    chosen = max(sorted(sets), key=lambda digest: (len(sets[digest][0].subsets), len(sets[digest])))
    members = sets[chosen]
    found: dict[tuple[str, str], list[int | None]] = {one.identity: [] for one in members}
    for column in COLUMNS:
        present = [one for one in members if column in one.scored]
        ranked = standings([one.scored[column] for one in present])
        groups = {one.identity: place.group for one, place in zip(present, ranked, strict=True)}
        for identity, row in found.items():
            row.append(groups.get(identity))
    return found


def _triplets(subsets: Sequence[SubsetEntry]) -> str:
    """A digest of which triplets there are, equal for models that can be compared."""
    digest = hashlib.sha256()
    for subset in sorted(subsets, key=lambda one: one.key):
        if subset.outcomes is not None:
            digest.update(f"{subset.key} {subset.outcomes.ids_digest} {subset.outcomes.valid.shape}\n".encode())
            digest.update(subset.outcomes.valid.tobytes())
    return digest.hexdigest()
