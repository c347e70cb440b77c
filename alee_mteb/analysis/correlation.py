"""Rank correlation (DESIGN.md §3)."""

import math
from collections.abc import Sequence

import numpy as np

from alee_mteb.tacc import Floats


def spearman(left: Sequence[float], right: Sequence[float]) -> float:
    """Spearman's ρ: Pearson's correlation of the ranks, ties sharing their mean rank.

    NaN for fewer than three pairs, or where one side never varies.
    """
    if len(left) != len(right):
        raise ValueError(f"{len(left)} values against {len(right)}")
    if len(left) < 3:
        return math.nan
    one, other = ranks(left), ranks(right)
    one, other = one - one.mean(), other - other.mean()
    scale = math.sqrt(float(one @ one) * float(other @ other))
    return float(one @ other) / scale if scale > 0 else math.nan


def ranks(values: Sequence[float]) -> Floats:
    """Ranks from 1, the mean rank for equal values, shape (n,)."""
    array = np.asarray(values, dtype=np.float64)
    _, inverse, counts = np.unique(array, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[inverse]
