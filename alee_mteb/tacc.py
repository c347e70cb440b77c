"""Triplet accuracy and what belongs to it, as pure functions on arrays.

Shapes: R rows (sources, in id order), P = 4 perturbations in the order PN, RS, AR, HS, B bootstrap resamples.

    vectors ──▶ Comparison (similarities) ──▶ passed, valid (P, R) ──▶ shares (P,) ──▶ macro
                                                     └──▶ bootstrap (B, P + 1) ──▶ intervals
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

#: Resamples of sources for intervals, and the seed they are drawn with (DESIGN.md §3).
RESAMPLES = 1000
SEED = 0


@dataclass(frozen=True)
class Comparison:
    """Similarities of one target language: source and foils, each to the translation.

    Attributes:
        positive: cos(source, target), shape (R,); NaN where the row has no translation.
        negative: cos(foil, target), shape (P, R); NaN where the row has no such foil or no translation.
    """

    positive: Floats
    negative: Floats

    @cached_property
    def valid(self) -> Bools:
        """Where there is a triplet, shape (P, R)."""
        return ~np.isnan(self.negative) & ~np.isnan(self.positive)

    @cached_property
    def passed(self) -> Bools:
        """Where the source is strictly closer than the foil (paper §4; a tie fails), shape (P, R)."""
        return self.valid & (self.positive > self.negative)

    @cached_property
    def ties(self) -> NDArray[np.int64]:
        """Triplets with equal similarities, shape (P,)."""
        return (self.valid & (self.positive == self.negative)).sum(axis=1)

    @cached_property
    def margins(self) -> Floats:
        """Mean of cos(source, target) − cos(foil, target) per perturbation, shape (P,); NaN without triplets."""
        differences = np.where(self.valid, self.positive - self.negative, 0.0)
        return _divide(differences.sum(axis=1), self.valid.sum(axis=1))


def any_along(mask: Bools, axis: int | tuple[int, ...]) -> Bools:
    """Where anything is true along the axes."""
    result: Bools = np.asarray(np.any(mask, axis=axis), dtype=np.bool_)
    return result


def unit(vectors: NDArray[np.floating]) -> Floats:
    """Rows scaled to length one, in double precision, shape (n, d). The caller has refused zero rows."""
    precise = np.asarray(vectors, dtype=np.float64)
    return precise / np.linalg.norm(precise, axis=1, keepdims=True)


def row_cosines(left: Floats, right: Floats) -> Floats:
    """Dot products of corresponding rows of unit vectors, shape (n,); equal rows give equal results."""
    return np.einsum("nd,nd->n", left, right)


def shares(passed: NDArray[np.floating] | Bools, valid: Bools) -> Floats:
    """Share of triplets passed per perturbation, shape (P,); NaN where a perturbation has none.

    `passed` may hold halves (a tie that counts ½).
    """
    return _divide(np.where(valid, passed, 0).sum(axis=-1), valid.sum(axis=-1))


def macro(values: Floats) -> float:
    """Mean over the perturbations that have triplets; NaN if none has."""
    present = values[~np.isnan(values)]
    return float(present.mean()) if present.size else float("nan")


def matched_rows(valid: Bools) -> Bools:
    """Rows with a triplet of all four kinds, shape (R,): on these the perturbations are comparable (DESIGN.md §3)."""
    return ~any_along(~valid, axis=0)


@lru_cache(maxsize=4)
def resample_counts(n_rows: int, resamples: int = RESAMPLES, seed: int = SEED) -> NDArray[np.float32]:
    """How often each row is drawn in each bootstrap resample, shape (B, R).

    Resample b draws ``default_rng(seed).integers(0, R, size=(B, R))[b]``. The same for every language and model,
    so that differences are paired.
    """
    drawn = np.random.default_rng(seed).integers(0, n_rows, size=(resamples, n_rows))
    offsets = np.arange(resamples)[:, None] * n_rows
    counts = np.bincount((drawn + offsets).ravel(), minlength=resamples * n_rows)
    return counts.reshape(resamples, n_rows).astype(np.float32)


def bootstrap_shares(passed: Bools, valid: Bools, resamples: int = RESAMPLES, seed: int = SEED) -> Floats:
    """TACC of every resample, shape (B, …, P) for input of shape (…, P, R).

    NaN where a resample holds no triplet of a perturbation.
    """
    counts = resample_counts(passed.shape[-1], resamples, seed)
    hits = np.tensordot(counts, passed.astype(np.float32), axes=([1], [passed.ndim - 1]))
    totals = np.tensordot(counts, valid.astype(np.float32), axes=([1], [valid.ndim - 1]))
    return _divide(hits.astype(np.float64), totals.astype(np.float64))


def interval(samples: Floats, level: float = 0.95) -> tuple[float, float]:
    """Percentile interval of bootstrap samples, shape (B,); NaN samples are left out."""
    present = samples[~np.isnan(samples)]
    if not present.size:
        return float("nan"), float("nan")
    low, high = np.percentile(present, [50 * (1 - level), 50 * (1 + level)])
    return float(low), float(high)


def macro_samples(samples: Floats, has_triplets: Bools) -> Floats:
    """Macro-TACC of every resample, shape (B,), from shares of shape (B, P).

    Perturbations without any triplet are left out; a resample that misses one of the others is NaN.
    """
    if not has_triplets.any():
        return np.full(samples.shape[0], np.nan)
    return samples[:, has_triplets].mean(axis=1)


def jaccard(left: frozenset[str], right: frozenset[str]) -> float:
    """Shared words over all words; 0 for two empty sets."""
    union = len(left | right)
    return len(left & right) / union if union else 0.0


def overlap_scores(
    sources: Sequence[frozenset[str] | None],
    foils: Sequence[Sequence[frozenset[str] | None]],
    targets: Sequence[frozenset[str] | None],
) -> Floats:
    """The overlap baseline: word Jaccard in place of cosine; a tie counts ½ (DESIGN.md §3). Shape (P, R).

    Args:
        sources: word sets per row.
        foils: word sets per perturbation and row, ``None`` without foil.
        targets: word sets per row, ``None`` without translation.
    """
    scores = np.zeros((len(foils), len(sources)))
    for row, (source, target) in enumerate(zip(sources, targets, strict=True)):
        if target is None or source is None:
            continue
        positive = jaccard(source, target)
        for kind, column in enumerate(foils):
            foil = column[row]
            if foil is not None:
                negative = jaccard(foil, target)
                scores[kind, row] = 0.5 if positive == negative else float(positive > negative)
    return scores


def _divide(numerator: NDArray[np.generic], denominator: NDArray[np.generic]) -> Floats:
    result = np.full(np.shape(numerator), np.nan)
    np.divide(numerator, denominator, out=result, where=np.asarray(denominator) > 0)
    return result
