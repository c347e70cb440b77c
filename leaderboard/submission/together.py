"""What is kept of a checked result file, and what is wrong between several of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from alee_mteb import tacc
from alee_mteb.tacc import Bools
from leaderboard.submission.problems import Problem
from leaderboard.submission.schema import ModelCard

#: Two models that fail this many triplets, and exactly the same ones, are one model.
FAILED_ALIKE = 20


@dataclass(frozen=True)
class Checked:
    """What is kept of a result file that was read: enough to file it and to hold it against others.

    Attributes:
        file: its path, as it was given.
        card: of the model.
        task: task name.
        commit: of the data set, in full.
        ids: digest of the row ids.
        foils: which foils its languages show the data set to have, shape (P, R).
        passed: subset key → digest of the outcomes.
        failed: subset key → number of triplets failed.
        macro: data-set score.
    """

    file: str
    card: ModelCard
    task: str
    commit: str
    ids: str
    foils: Bools
    passed: Mapping[str, str]
    failed: Mapping[str, int]
    macro: float

    @property
    def place(self) -> str:
        """Where it belongs: ``org__model/revision/TASK.json``."""
        return f"{self.card.folder}/{self.card.revision}/{self.task}.json"


def check_together(entries: Sequence[Checked]) -> Iterator[Problem]:
    """What is wrong between entries: duplicates, and disagreement over what one commit of a data set holds.

    Of two entries that do not go together the later one is reported, so put what is there already first.
    """
    places: dict[str, Checked] = {}
    by_data: dict[tuple[str, str], list[Checked]] = {}
    for entry in entries:
        twin = places.setdefault(entry.place.lower(), entry)
        if twin is not entry:
            yield Problem(entry.file, "name", f"the same model, revision and task as {twin.file}; keep one of them")
            continue
        others = by_data.setdefault((entry.task, entry.commit), [])
        for other in others:
            problem = _disagreement(entry, other)
            if problem is not None:
                yield problem
                break
        others.append(entry)


def _disagreement(entry: Checked, other: Checked) -> Problem | None:
    commit = f"for the same commit {entry.commit[:8]}"
    if entry.ids != other.ids or entry.foils.shape != other.foils.shape:
        return Problem(entry.file, "outcomes.ids", f"other rows than {other.file} has {commit}")
    both = tacc.any_along(entry.foils, axis=0) & tacc.any_along(other.foils, axis=0)
    if (entry.foils[:, both] != other.foils[:, both]).any():
        return Problem(entry.file, "outcomes.valid", f"other foils than {other.file} has {commit}")
    if entry.card.name.lower() != other.card.name.lower() and _same_outcomes(entry, other):
        message = f"the same outcome on every triplet as {other.file}; a copy of an entry that is there already"
        return Problem(entry.file, "outcomes.passed", message)
    return None


def _same_outcomes(entry: Checked, other: Checked) -> bool:
    """Whether two models fail exactly the same triplets; not if they fail only few, where chance suffices."""
    shared = entry.passed.keys() & other.passed.keys()
    failed = sum(entry.failed[key] for key in shared)
    return failed >= FAILED_ALIKE and all(entry.passed[key] == other.passed[key] for key in shared)
