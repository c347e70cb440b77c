"""The seeded order in which candidates are tried."""

import hashlib
import json
import random
from collections.abc import Sequence

from alee_mteb.perturbations import Perturbation
from builders.stages import Edit


def generator(seed: int, source_id: str, perturbation: Perturbation) -> random.Random:
    """A random generator that depends on nothing but its arguments (not on hash order, batch or process)."""
    key = json.dumps([seed, source_id, perturbation.value])
    return random.Random(int.from_bytes(hashlib.sha256(key.encode()).digest(), "big"))


def choose(candidates: Sequence[Edit], seed: int, source_id: str, perturbation: Perturbation) -> list[Edit]:
    """The candidates in the order in which to try them.

    Nodes come in random order; of each node the first candidate comes before the second of any, so that the rarer
    senses of a word are tried only after the usual sense of every word.
    """
    chance = generator(seed, source_id, perturbation)
    place: dict[str, float] = {}
    rank: dict[str, int] = {}
    keyed = []
    for edit in candidates:
        if edit.node not in place:
            place[edit.node] = chance.random()
        rank[edit.node] = rank.get(edit.node, -1) + 1
        keyed.append(((rank[edit.node], place[edit.node]), edit))
    return [edit for _, edit in sorted(keyed, key=lambda pair: pair[0])]
