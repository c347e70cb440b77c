"""An endless stream of packed batches, with a position that can be saved and returned to exactly.

    PairSampler ──a buffer of pairs──▶ pack ──batches in random order──▶ next_batch()

Every process of a run draws the same stream and works on its `share` of the batches of a step, so that two
processes together see what one would.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Generic, TypeVar

from alee_mteb.errors import DataError
from salt.data.packing import Lengths, Packing, cost, pack
from salt.data.sampling import LanguagePair, PairSampler, generator

T = TypeVar("T")


class PackedStream(Generic[T]):
    """Batches of items (such as aligned pairs), drawn by temperature and packed by length.

    Args:
        items: the items of each language pair; any sequence, so they need not be in memory.
        lengths: source and target tokens of each item, in the same order.
        temperature: T of p ∝ (n / N)^(1/T) over language pairs.
        budget: padded tokens a batch may cost: pairs × its longest side.
        buffer: items drawn, sorted and packed at a time.
        seed: decides draws and order.

    Attributes:
        oversized: items left out since one alone exceeds the budget.

    Raises:
        DataError: no items, lengths that do not belong to them, no item within the budget, or a bad setting.
    """

    def __init__(
        self,
        items: Mapping[LanguagePair, Sequence[T]],
        lengths: Mapping[LanguagePair, Sequence[Lengths]],
        *,
        temperature: float = 1.0,
        budget: int = 1_400,
        buffer: int = 1_000,
        seed: int = 0,
    ) -> None:
        if buffer < 1:
            raise DataError(f"packing buffer {buffer}: must hold at least 1 pair")
        self._items, self._budget, self._buffer, self._seed = items, budget, buffer, seed
        self._temperature = temperature
        # Positions of the items that fit: oversized ones are never drawn.
        self._fitting: dict[LanguagePair, list[int]] = {}
        self._lengths = lengths
        self.oversized = 0
        for languages in sorted(items):
            if len(items[languages]) != len(lengths.get(languages, ())):
                raise DataError(f"{'–'.join(languages)}: {len(items[languages])} pairs, lengths of another number")
            fitting = [at for at, of_item in enumerate(lengths[languages]) if cost(of_item) <= budget]
            self.oversized += len(items[languages]) - len(fitting)
            if fitting:
                self._fitting[languages] = fitting
        if not self._fitting:
            raise DataError(f"no sentence pair fits into a budget of {budget} tokens ({self.oversized} are longer)")
        self._number = 0
        self._given = 0
        self._sampler = self._sampler_at({})
        self._before: dict[LanguagePair, int] = self._sampler.drawn
        self._batches: list[list[tuple[LanguagePair, int]]] = []
        self._fill()

    @property
    def probabilities(self) -> dict[LanguagePair, float]:
        """How likely each language pair is drawn."""
        return self._sampler.probabilities

    @property
    def pairs(self) -> int:
        """Items that can be drawn; a pass over all, on average, draws so many."""
        return sum(map(len, self._fitting.values()))

    def next_batch(self) -> tuple[T, ...]:
        """The next batch, as items."""
        return tuple(self._items[languages][at] for languages, at in self._next())

    def next_lengths(self) -> tuple[Lengths, ...]:
        """The next batch, as lengths alone (for measuring)."""
        return tuple(self._lengths[languages][at] for languages, at in self._next())

    def __iter__(self) -> Iterator[tuple[T, ...]]:
        while True:
            yield self.next_batch()

    def position(self) -> dict[str, Any]:
        """The place after the batches given so far: plain values that JSON can hold."""
        return {
            "fingerprint": self._fingerprint,
            "buffer": self._number,
            "batch": self._given,
            "drawn": [[*languages, count] for languages, count in self._before.items()],
        }

    def seek(self, position: Mapping[str, Any]) -> None:
        """Go to a place of this very stream: the batches after it are what they were.

        Raises:
            DataError: the position is of other data or settings, or is not a position.
        """
        try:
            fingerprint, number, given = position["fingerprint"], int(position["buffer"]), int(position["batch"])
            drawn = {(source, target): int(count) for source, target, count in position["drawn"]}
        except (KeyError, TypeError, ValueError):
            raise DataError("stream position: not one that this program saved; start the run anew") from None
        if fingerprint != self._fingerprint:
            raise DataError(
                "stream position: the run was saved with other pairs, seed, temperature, budget or buffer; "
                "give the same data and settings, or start anew"
            )
        self._number, self._before = number, drawn
        self._sampler = self._sampler_at(drawn)
        self._fill()
        if not 0 <= given <= len(self._batches):
            raise DataError(f"stream position: batch {given} of a buffer of {len(self._batches)}; start the run anew")
        self._given = given

    def _next(self) -> list[tuple[LanguagePair, int]]:
        if self._given == len(self._batches):
            self._number += 1
            self._before = self._sampler.drawn
            self._fill()
            self._given = 0
        self._given += 1
        return self._batches[self._given - 1]

    def _fill(self) -> None:
        """Draw and pack buffer `_number`; its batches come in random order, or they would grow ever longer."""
        drawn = [(languages, self._fitting[languages][at]) for languages, at in self._draw()]
        packing: Packing = pack([self._lengths[languages][at] for languages, at in drawn], self._budget)
        order = generator(self._seed, "batches", self._number).permutation(len(packing.batches))
        self._batches = [[drawn[at] for at in packing.batches[number]] for number in order.tolist()]

    def _draw(self) -> list[tuple[LanguagePair, int]]:
        return self._sampler.draw(self._buffer, self._number)

    def _sampler_at(self, drawn: Mapping[LanguagePair, int]) -> PairSampler:
        sizes = {languages: len(fitting) for languages, fitting in self._fitting.items()}
        return PairSampler(sizes, self._temperature, self._seed, drawn)

    @cached_property
    def _fingerprint(self) -> str:
        """What a position belongs to: settings and the lengths of all items."""
        settings = (self._seed, self._temperature, self._budget, self._buffer)
        digest = hashlib.sha256(repr(settings).encode())
        for languages in sorted(self._items):
            digest.update(repr((languages, [tuple(one) for one in self._lengths[languages]])).encode())
        return digest.hexdigest()[:16]


def share(batches: Sequence[T], rank: int, processes: int) -> list[T]:
    """The batches of one step that fall to process `rank`: every `processes`-th, all processes together all of them.

    Raises:
        DataError: there is no such process, or there are fewer batches than processes.
    """
    if not 0 <= rank < processes:
        raise DataError(f"process {rank} of {processes}: there is no such process")
    if len(batches) < processes:
        raise DataError(f"{len(batches)} batches a step for {processes} processes: give at least one batch each")
    return list(batches[rank::processes])
