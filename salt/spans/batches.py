"""Sentence pairs in batches that an encoder can read."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from alee_mteb.errors import DataError
from salt.encoders.base import TokenEncoder
from salt.pairs import ParallelPair

#: Reason for leaving out a pair.
TOO_LONG = "pair too long"


@dataclass(frozen=True)
class Plan:
    """Numbers of the pairs of each batch, all of one pair of languages; and how many pairs are in none, by reason."""

    batches: list[list[int]]
    dropped: Counter[str]


def plan(pairs: Sequence[ParallelPair], encoder: TokenEncoder, budget: int) -> Plan:
    """Batches of pairs of like length.

    Args:
        pairs: of any languages.
        encoder: counts their tokens; pairs with a side longer than its `max_tokens` are left out.
        budget: most tokens in a batch with padding, pairs × longest side; a pair beyond it is a batch of its own.

    Raises:
        DataError: a side of a pair is empty.
        LanguageError: the encoder does not know a language.
    """
    groups: dict[tuple[str, str], list[int]] = defaultdict(list)
    for number, pair in enumerate(pairs):
        for side, text in (("source", pair.source), ("target", pair.target)):
            if not text.strip():
                raise DataError(f"pair {pair.id!r}: the {side} is empty; remove the pair")
        groups[pair.languages].append(number)
    batches: list[list[int]] = []
    dropped: Counter[str] = Counter()
    for (source_language, target_language), numbers in groups.items():
        sources = encoder.lengths([pairs[number].source for number in numbers], source_language)
        targets = encoder.lengths([pairs[number].target for number in numbers], target_language)
        costs = {number: max(lengths) for number, *lengths in zip(numbers, sources, targets, strict=True)}
        fitting = sorted((number for number in numbers if costs[number] <= encoder.max_tokens), key=costs.__getitem__)
        if len(fitting) < len(numbers):
            dropped[TOO_LONG] += len(numbers) - len(fitting)
        batches += _packed(fitting, costs, budget)
    return Plan(batches, dropped)


def _packed(numbers: Sequence[int], costs: dict[int, int], budget: int) -> list[list[int]]:
    """In rising order of cost, as many in a batch as the budget allows."""
    batches: list[list[int]] = []
    for number in numbers:
        if batches and (len(batches[-1]) + 1) * costs[number] <= budget:
            batches[-1].append(number)
        else:
            batches.append([number])
    return batches
