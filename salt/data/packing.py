"""Packing sentence pairs of like length into batches under a budget of padded tokens (SALT, Appendix C.5)."""

from collections.abc import Sequence
from dataclasses import dataclass

from alee_mteb.errors import DataError

Lengths = tuple[int, int]
"""Tokens of the source and of the target text."""


def cost(lengths: Lengths) -> int:
    """What a pair costs: max(|x|, |y|)."""
    return max(lengths)


@dataclass(frozen=True)
class Packing:
    """Batches of positions in the list that was packed.

    Attributes:
        batches: every pair that fits is in exactly one, shortest pairs first.
        oversized: pairs longer than the whole budget; they are in no batch.
    """

    batches: tuple[tuple[int, ...], ...]
    oversized: tuple[int, ...]


def pack(lengths: Sequence[Lengths], budget: int) -> Packing:
    """Sort pairs by max(|x|, |y|) and cut them into batches whose pairs × longest side stays within the budget.

    Pairs of one cost are put in order of their sides, so that the shorter side is padded little as well; equal ones
    keep their order. The result depends on nothing but the arguments.

    Raises:
        DataError: the budget is below 1.
    """
    if budget < 1:
        raise DataError(f"token budget {budget}: must be at least 1")
    order = sorted(range(len(lengths)), key=lambda at: (cost(lengths[at]), lengths[at], at))
    batches: list[tuple[int, ...]] = []
    current: list[int] = []
    for at in order:
        longest = cost(lengths[at])  # of the batch with this pair in it, since costs ascend
        if longest > budget:
            break
        if (len(current) + 1) * longest > budget:
            batches.append(tuple(current))
            current = []
        current.append(at)
    if current:
        batches.append(tuple(current))
    fitting = sum(map(len, batches))
    return Packing(tuple(batches), tuple(sorted(order[fitting:])))


@dataclass(frozen=True)
class Padding:
    """What padding costs.

    Attributes:
        useful: tokens of both sides.
        padded: tokens of both sides with padding, each side padded to its own longest text.
    """

    useful: int
    padded: int

    @property
    def share(self) -> float:
        """Useful tokens out of padded tokens."""
        return self.useful / self.padded if self.padded else 1.0


def padding(lengths: Sequence[Lengths], packing: Packing) -> Padding:
    """Useful and padded tokens of all batches."""
    useful = padded = 0
    for batch in packing.batches:
        for side in (0, 1):
            sizes = [lengths[at][side] for at in batch]
            useful += sum(sizes)
            padded += max(sizes) * len(sizes)
    return Padding(useful, padded)
