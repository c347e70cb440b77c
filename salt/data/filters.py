"""Which pairs are kept: score within a standard deviation, length, and a cap per language pair (SALT §4, C.5).

Filters take and give lists, keep the order, and count what they leave out. They work on anything that has a
`ParallelPair`: the pairs themselves, or pairs with spans.
"""

import hashlib
import heapq
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

import numpy as np

from alee_mteb.errors import DataError
from salt.data.packing import Lengths, cost
from salt.data.sampling import LanguagePair
from salt.encoders.base import TokenEncoder
from salt.pairs import AlignedPair, ParallelPair

Item = TypeVar("Item", ParallelPair, AlignedPair)


def pair_of(item: ParallelPair | AlignedPair) -> ParallelPair:
    """The pair itself."""
    return item.pair if isinstance(item, AlignedPair) else item


def by_languages(items: Iterable[Item]) -> dict[LanguagePair, list[Item]]:
    """Items of each language pair, both in order of appearance."""
    grouped: dict[LanguagePair, list[Item]] = defaultdict(list)
    for item in items:
        grouped[pair_of(item).languages].append(item)
    return dict(grouped)


def scores_near_mean(items: Sequence[Item], deviations: float = 1.0) -> list[bool]:
    """Whether each item's score is within so many standard deviations of the mean of its language pair (§4).

    Items without a score are near, and count for neither mean nor deviation. The deviation is that of the population.

    Raises:
        DataError: `deviations` is not above 0.
    """
    near = {
        languages: iter(near_mean([pair_of(item).score for item in of_pair], deviations))
        for languages, of_pair in by_languages(items).items()
    }
    return [next(near[pair_of(item).languages]) for item in items]


def near_mean(scores: Sequence[float | None], deviations: float = 1.0) -> list[bool]:
    """`scores_near_mean` for the scores of one language pair.

    Raises:
        DataError: `deviations` is not above 0.
    """
    if not deviations > 0:
        raise DataError(f"score filter: {deviations} standard deviations: must be above 0")
    known = np.array([score for score in scores if score is not None], dtype=float)
    if not len(known):
        return [True] * len(scores)
    # The mean of equal numbers may be a hair off, which must not drop pairs of one and the same score.
    mean, reach = float(known.mean()), deviations * float(known.std()) + 1e-12 * float(np.abs(known).max())
    return [score is None or abs(score - mean) <= reach for score in scores]


def filter_scores(items: Sequence[Item], deviations: float = 1.0) -> tuple[list[Item], int]:
    """Keep the items of `scores_near_mean`.

    Returns:
        What is kept, and how many were dropped.

    Raises:
        DataError: `deviations` is not above 0.
    """
    kept = [item for item, near in zip(items, scores_near_mean(items, deviations), strict=True) if near]
    return kept, len(items) - len(kept)


def filter_lengths(
    items: Sequence[Item], lengths: Sequence[Lengths], longest: int = 512
) -> tuple[list[Item], list[Lengths], int]:
    """Drop items with more than `longest` tokens on either side (C.5).

    Returns:
        What is kept, its lengths, and how many were dropped.

    Raises:
        DataError: not one length per item.
    """
    if len(items) != len(lengths):
        raise DataError(f"length filter: {len(items)} pairs but {len(lengths)} lengths")
    kept = [at for at, of_item in enumerate(lengths) if cost(of_item) <= longest]
    return [items[at] for at in kept], [lengths[at] for at in kept], len(items) - len(kept)


def cap_languages(items: Iterable[Item], most: int = 40_000, seed: int = 0) -> tuple[list[Item], int]:
    """Keep at most `most` items of each language pair, chosen by seed (§4).

    An item's chance depends on the seed and on its own id and texts alone, so neither the order of files nor other
    language pairs change the choice. The items may come from a stream: no more than `most` per language pair are held.

    Returns:
        What is kept, in its order, and how many were dropped.

    Raises:
        DataError: `most` is below 1.
    """
    if most < 1:
        raise DataError(f"at most {most} pairs a language pair: must be at least 1")
    heaps: dict[LanguagePair, list[tuple[int, int, Item]]] = defaultdict(list)
    dropped = 0
    for number, item in enumerate(items):
        pair = pair_of(item)
        entry = (-chance(pair, seed), -number, item)  # the heap's first is the first to go
        heap = heaps[pair.languages]
        if len(heap) < most:
            heapq.heappush(heap, entry)
        else:
            heapq.heappushpop(heap, entry)
            dropped += 1
    kept = sorted((-number, item) for heap in heaps.values() for _, number, item in heap)
    return [item for _, item in kept], dropped


def chance(pair: ParallelPair, seed: int) -> int:
    """What a cap goes by: the pairs of the lowest numbers stay."""
    key = repr((seed, pair.languages, pair.id, pair.source, pair.target)).encode()
    return int.from_bytes(hashlib.blake2b(key, digest_size=8).digest(), "big")


def measure(
    encoder: TokenEncoder,
    items: Sequence[Item],
    progress: Callable[[int], object] | None = None,
    at_once: int = 1_000,
) -> list[Lengths]:
    """Source and target tokens of each item, special tokens included, as the encoder counts them.

    Args:
        encoder: whose tokenizer counts.
        items: pairs of any languages.
        progress: told how many more texts are done.
        at_once: texts tokenized together.
    """
    found: list[list[int]] = [[0, 0] for _ in items]
    for side in (0, 1):
        of_language: dict[str, list[int]] = defaultdict(list)
        for at, item in enumerate(items):
            of_language[pair_of(item).languages[side]].append(at)
        for language, positions in of_language.items():
            for start in range(0, len(positions), at_once):
                part = positions[start : start + at_once]
                pairs = [pair_of(items[at]) for at in part]
                texts = [pair.target if side else pair.source for pair in pairs]
                for at, length in zip(part, encoder.lengths(texts, language), strict=True):
                    found[at][side] = length
                if progress is not None:
                    progress(len(part))
    return [(source, target) for source, target in found]
