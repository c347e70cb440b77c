"""Drawing pairs: language pairs by temperature, and pairs of one language pair in shuffled passes (SALT §4, C.5).

All randomness follows from the seed and from *how many* pairs were drawn, so a place in the stream is a few numbers.
"""

import hashlib
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from alee_mteb.errors import DataError

LanguagePair = tuple[str, str]


def pair_probabilities(sizes: Sequence[int], temperature: float) -> NDArray[np.float64]:
    """p ∝ (n / N)^(1/T): T = 1 follows the sizes, a higher T evens them out, shape (language pairs,).

    Raises:
        DataError: T is not above 0, there are no language pairs, or one has no pairs.
    """
    if not temperature > 0:
        raise DataError(f"sampling temperature {temperature}: must be above 0")
    if not sizes or min(sizes) < 1:
        raise DataError("sampling needs at least one language pair, and at least one sentence pair of each")
    counts = np.array(sizes, dtype=np.float64)
    logs = np.log(counts / counts.sum()) / temperature
    weights = np.exp(logs - logs.max())  # a very low T would underflow otherwise
    return weights / weights.sum()


def generator(seed: int, *place: int | str) -> np.random.Generator:
    """Random numbers that belong to a seed and a place (a purpose and its numbers), the same on every machine."""
    digest = hashlib.sha256(repr((seed, *place)).encode()).digest()
    return np.random.Generator(np.random.Philox(key=int.from_bytes(digest[:16], "big")))


class PairSampler:
    """Draws (language pair, item) with language pairs by temperature and items in shuffled passes.

    Args:
        sizes: items of each language pair.
        temperature: T of `pair_probabilities`.
        seed: decides all draws.
        drawn: items drawn so far of each language pair, to go on from there.

    Raises:
        DataError: see `pair_probabilities`.
    """

    def __init__(
        self,
        sizes: Mapping[LanguagePair, int],
        temperature: float = 1.0,
        seed: int = 0,
        drawn: Mapping[LanguagePair, int] | None = None,
    ) -> None:
        self._languages = sorted(sizes)  # whatever order they came in
        self._sizes = [sizes[languages] for languages in self._languages]
        self.probabilities = dict(
            zip(self._languages, pair_probabilities(self._sizes, temperature).tolist(), strict=True)
        )
        self._seed = seed
        self._drawn = [(drawn or {}).get(languages, 0) for languages in self._languages]
        self._passes: dict[tuple[int, int], NDArray[np.int64]] = {}

    @property
    def drawn(self) -> dict[LanguagePair, int]:
        """Items drawn so far of each language pair."""
        return dict(zip(self._languages, self._drawn, strict=True))

    def draw(self, n: int, number: int) -> list[tuple[LanguagePair, int]]:
        """The n items of draw `number` (draws are numbered from 0, in order)."""
        chance = generator(self._seed, "languages", number)
        weights = list(self.probabilities.values())
        chosen = chance.choice(len(weights), size=n, p=weights)
        return [(self._languages[at], self._next(at)) for at in chosen.tolist()]

    def _next(self, at: int) -> int:
        number, within = divmod(self._drawn[at], self._sizes[at])
        self._drawn[at] += 1
        return int(self._order(at, number)[within])

    def _order(self, at: int, number: int) -> NDArray[np.int64]:
        """The order of a language pair's items in one pass; the latest pass is remembered."""
        if (at, number) not in self._passes:
            self._passes.pop((at, number - 1), None)
            order = generator(self._seed, "pass", *self._languages[at], number).permutation(self._sizes[at])
            self._passes[at, number] = order
        return self._passes[at, number]
