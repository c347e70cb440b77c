"""An entry's figures with intervals, computed from its outcomes. Pure functions on arrays.

Columns are always macro, PN, RS, AR, HS (C = 5). L languages, P = 4 perturbations, R rows, B resamples.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from alee_mteb import tacc
from alee_mteb.analysis.comparison import Scored, scored
from alee_mteb.outcomes import Outcomes
from alee_mteb.perturbations import CODES
from alee_mteb.tacc import Bools, Floats

COLUMNS = ("macro", *CODES)
Samples = Floats | NDArray[np.float32]


@dataclass(frozen=True)
class Figures:
    """What the outcomes of one model on one data set say.

    Attributes:
        score, low, high: over all languages, shape (C,); NaN for a perturbation without triplets.
        language_score, language_low, language_high: shape (L, C).
        matched: macro on sources that have all four foils; NaN if there is none.
        scored: column → what is needed to compare it with another model; lacks perturbations without triplets.
    """

    score: Floats
    low: Floats
    high: Floats
    language_score: Floats
    language_low: Floats
    language_high: Floats
    matched: float
    scored: dict[str, Scored]


def figures(outcomes: Sequence[Outcomes]) -> Figures:
    """Scores and 95 % intervals of languages that were scored on the same rows (DESIGN.md §3)."""
    valid = np.stack([one.valid for one in outcomes])
    passed = np.stack([one.passed for one in outcomes])
    samples = bootstrap(passed, valid)  # (L, P, B)
    shares = tacc.shares(passed, valid)  # (L, P)
    whole, whole_samples = _mean_over_languages(shares), _mean_over_languages(samples)  # (P,), (P, B)
    low, high = _bounds(_with_macro(whole_samples, ~np.isnan(whole)))
    language_low, language_high = _bounds(_with_macro(samples, ~np.isnan(shares)))
    return Figures(
        score=_with_macro(whole[:, None], ~np.isnan(whole))[:, 0],
        low=low,
        high=high,
        language_score=_with_macro(shares[..., None], ~np.isnan(shares))[..., 0],
        language_low=language_low,
        language_high=language_high,
        matched=_matched(passed, valid),
        scored=scored(passed, valid, whole_samples.T),
    )


def bootstrap(passed: Bools, valid: Bools) -> NDArray[np.float32]:
    """TACC of every resample, shape (L, P, B) in single precision; NaN where a resample holds no triplet.

    The same as `tacc.bootstrap_shares`, arranged for hundreds of models: what is drawn of equal masks (languages
    mostly have the same triplets) is counted once.
    """
    n_languages, n_kinds, n_rows = passed.shape
    counts = tacc.resample_counts(n_rows).T  # (R, B)
    masks, place = np.unique(np.packbits(valid.reshape(-1, n_rows), axis=1), axis=0, return_inverse=True)
    totals = np.unpackbits(masks, axis=1, count=n_rows).astype(np.float32) @ counts  # (distinct masks, B)
    totals[totals == 0] = np.nan
    samples = passed.reshape(-1, n_rows).astype(np.float32) @ counts  # (L * P, B)
    samples /= totals[place.reshape(-1)]
    result: NDArray[np.float32] = samples.reshape(n_languages, n_kinds, -1)
    return result


def dataset_mean(datasets: Sequence[dict[str, Scored]]) -> dict[str, Scored]:
    """The mean of a model's data-set scores; data sets are independent, so sources stay what is resampled."""
    columns = [column for column in COLUMNS if all(column in one for one in datasets)]
    share = 1 / len(datasets)
    return {
        column: Scored(
            value=share * sum(one[column].value for one in datasets),
            samples=share * np.sum([one[column].samples for one in datasets], axis=0),
            parts=share * np.concatenate([one[column].parts for one in datasets]),
            n=sum(one[column].n for one in datasets),
        )
        for column in columns
    }


def mean_of_keys(language_score: Floats, rows: Sequence[int]) -> float:
    """Macro over some of the languages: mean over them, then over perturbations."""
    return tacc.macro(_mean_over_languages(language_score[list(rows), 1:]))


def _matched(passed: Bools, valid: Bools) -> float:
    """As the report does it: per language on its own matched rows, then the means."""
    rows = valid.all(axis=1, keepdims=True)  # (L, 1, R)
    return tacc.macro(_mean_over_languages(tacc.shares(passed & rows, valid & rows)))


def _with_macro(samples: Any, present: Bools) -> Any:
    """(…, P, B) → (…, C, B): the mean of the perturbations that are present, in front of them.

    A resample that lacks one of them has no macro (NaN), nor has a language without any. Single precision stays so.
    """
    count = present.sum(axis=-1)[..., None]
    total = np.where(present[..., None], samples, 0).sum(axis=-2)
    macro = np.divide(total, count, out=np.full(total.shape, np.nan, samples.dtype), where=count > 0)
    return np.concatenate([macro[..., None, :], samples], axis=-2)


def _bounds(samples: Samples) -> tuple[Floats, Floats]:
    """2.5 % and 97.5 % percentiles over resamples, (…, B) → (…); NaN resamples are left out."""
    gaps = np.isnan(samples).any(axis=-1)
    low, high = np.percentile(samples, [2.5, 97.5], axis=-1).astype(np.float64)
    for place in zip(*np.nonzero(gaps), strict=True):
        low[place], high[place] = tacc.interval(samples[place].astype(np.float64))
    return low, high


def _mean_over_languages(shares: Samples) -> Floats:
    """Mean over the languages that have triplets, (L, …) → (…); NaN where none has."""
    present = ~np.isnan(shares)
    count = present.sum(axis=0)
    total = np.where(present, shares, 0).sum(axis=0, dtype=np.float64)
    return np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)
