"""Which differences between models are real: paired comparisons from per-triplet outcomes.

    Outcomes of one model, one per language ──score──▶ Scored (value, bootstrap samples, share of each source)
    two Scored on the same triplets ──difference──▶ value, 95 % interval, p
    many p ──corrections──▶ adjusted p
    many Scored ──standings──▶ ranks with ties

Intervals are percentile intervals of the paired bootstrap over sources: every model and language is resampled with
the same draws (`tacc.resample_counts`). p is that of a sign-flip test over sources (were the two models' outcomes on
a source exchangeable?): unlike a bootstrap p it is not bounded by the number of resamples, so that it survives a
correction for 275 languages. Everything here is a pure function of its arguments.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from alee_mteb import tacc
from alee_mteb.analysis.corrections import correct, holm
from alee_mteb.analysis.sign_flip import sign_flip_p
from alee_mteb.errors import ResultsError
from alee_mteb.outcomes import Outcomes
from alee_mteb.perturbations import CODES
from alee_mteb.tacc import RESAMPLES, SEED, Bools, Floats

MACRO = "macro"
#: What is compared: the four perturbations and their mean.
COLUMNS = (*CODES, MACRO)
#: Stands for all languages together.
ALL_LANGUAGES = ""
ALPHA = 0.05


@dataclass(frozen=True)
class Scored:
    """A score with what is needed to compare it.

    Attributes:
        value: the score.
        samples: the score in every bootstrap resample of sources, shape (B,).
        parts: what each source adds to the score, shape (R,); `value` is their sum.
        n: number of triplets.
    """

    value: float
    samples: Floats
    parts: Floats
    n: int

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % percentile interval."""
        return tacc.interval(self.samples)


@dataclass(frozen=True)
class Difference:
    """Left minus right: value, bootstrap interval, and the two-sided p of the sign-flip test over sources."""

    value: float
    low: float
    high: float
    p: float


@dataclass(frozen=True)
class Compared:
    """Two models on one language (or `ALL_LANGUAGES`) and one of `COLUMNS`.

    Attributes:
        adjusted: `difference.p` corrected within its family (see `compare`).
        n: triplets both models were scored on.
    """

    language: str
    column: str
    left: float
    right: float
    difference: Difference
    adjusted: float
    n: int

    def is_significant(self, alpha: float = ALPHA) -> bool:
        """Whether the corrected p is below `alpha`."""
        return self.adjusted < alpha


@dataclass(frozen=True)
class Standing:
    """A model's place among others.

    Attributes:
        group: 1 for the best model and all whose difference to it is not significant, then 2 for the best of the
            rest and all that tie with it, and so on.
        rank: 1 + number of models in better groups; shared within a group.
        p: Holm-corrected p of the difference to the best of the group; 1 for that one itself.
    """

    group: int
    rank: int
    p: float

    @property
    def ties_with_best(self) -> bool:
        """Whether the difference to the best model of all is not significant."""
        return self.group == 1


def score(outcomes: Sequence[Outcomes], resamples: int = RESAMPLES, seed: int = SEED) -> dict[str, Scored]:
    """Every one of `COLUMNS` for one model over some languages; perturbations without triplets are left out.

    TACC per (language, perturbation) → mean over languages → mean over perturbations (DESIGN.md §3), the same as
    `report.summary.summarise`. One language alone gives that language's scores. Empty without any triplet.

    Raises:
        ResultsError: no languages, or languages with different rows.
    """
    _require_same_rows(outcomes)
    valid = np.stack([one.valid for one in outcomes])  # (L, P, R)
    passed = np.stack([one.passed for one in outcomes])
    return scored(passed, valid, _mean_over_languages(tacc.bootstrap_shares(passed, valid, resamples, seed)))


def scored(passed: Bools, valid: Bools, samples: Floats) -> dict[str, Scored]:
    """What `score` gives, from bootstrap samples that are there already.

    Args:
        passed, valid: shape (L, P, R).
        samples: mean over languages in every resample, shape (B, P).
    """
    counts = valid.sum(axis=2)  # (L, P)
    n_languages = (counts > 0).sum(axis=0)  # (P,)
    weights = np.divide(1.0, counts * n_languages, out=np.zeros(counts.shape), where=counts > 0)
    parts = np.einsum("lp,lpr->pr", weights, passed)
    kinds = np.flatnonzero(n_languages)
    found = {
        CODES[kind]: Scored(float(parts[kind].sum()), samples[:, kind], parts[kind], int(counts[:, kind].sum()))
        for kind in kinds
    }
    if found:
        mean = parts[kinds].mean(axis=0)
        macro_samples = tacc.macro_samples(samples, n_languages > 0)
        found[MACRO] = Scored(float(mean.sum()), macro_samples, mean, int(counts.sum()))
    return found


def difference(left: Scored, right: Scored, level: float = 0.95) -> Difference:
    """The difference of two scores on the same triplets; see `paired` for how to make them the same."""
    low, high = tacc.interval(left.samples - right.samples, level)
    return Difference(left.value - right.value, low, high, sign_flip_p(left.parts - right.parts))


def paired(left: Outcomes, right: Outcomes, place: str = "") -> tuple[Outcomes, Outcomes]:
    """Both outcomes restricted to the triplets that both have.

    Raises:
        ResultsError: they were scored on different rows; `place` (a language, say) is named.
    """
    if left.ids_digest != right.ids_digest or left.valid.shape != right.valid.shape:
        raise ResultsError(f"{place + ': ' if place else ''}the two models were scored on different rows of data")
    both = left.valid & right.valid
    return Outcomes(left.ids_digest, both, left.passed & both), Outcomes(right.ids_digest, both, right.passed & both)


def compare(
    left: Mapping[str, Outcomes],
    right: Mapping[str, Outcomes],
    correction: str = "holm",
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> list[Compared]:
    """Two models over the languages they share: all languages together first, then each, in the order of `left`.

    Args:
        left: language key → outcomes of the first model.
        right: the same of the second.
        correction: `holm`, `bh` or `none`. A family is one column over all languages; for all languages together
            the four perturbations are a family, and the macro is a question of its own.
        resamples: bootstrap resamples for the intervals.
        seed: what they are drawn with.

    Raises:
        ResultsError: no language in common, different rows, or an unknown correction.
    """
    shared = [key for key in left if key in right]
    if not shared:
        raise ResultsError(f"the two models share no language; one has {_some(left)}, the other {_some(right)}")
    pairs = {key: paired(left[key], right[key], key) for key in shared}
    together = _columns([one for one, _ in pairs.values()], [other for _, other in pairs.values()], resamples, seed)
    rows = _adjusted({(ALL_LANGUAGES, code): together[code] for code in CODES if code in together}, correction)
    if MACRO in together:
        rows += _adjusted({(ALL_LANGUAGES, MACRO): together[MACRO]}, "none")
    single = {key: _columns([one], [other], resamples, seed) for key, (one, other) in pairs.items()}
    families = [
        _adjusted({(key, column): found[column] for key, found in single.items() if column in found}, correction)
        for column in COLUMNS
    ]
    order = {key: place for place, key in enumerate(shared)}
    return rows + sorted((row for family in families for row in family), key=lambda row: order[row.language])


def standings(scores: Sequence[Scored], alpha: float = ALPHA) -> list[Standing]:
    """Ranks with ties, in the order given, of models scored on the same triplets.

    The best model leads a group; all others are compared with it (sign-flip p, Holm over these comparisons), and
    those not significantly worse join the group, wherever their score stands. The rest is grouped likewise. A score
    without triplets (NaN) is no model here: leave it out.
    """
    left = sorted(range(len(scores)), key=lambda index: -scores[index].value)
    found: dict[int, Standing] = {}
    group = 0
    while left:
        group, rank = group + 1, 1 + len(found)
        leader, rest = left[0], left[1:]
        p = holm([sign_flip_p(scores[leader].parts - scores[index].parts) for index in rest])
        ties = {index: value for index, value in zip(rest, p, strict=True) if value >= alpha}
        found[leader] = Standing(group, rank, 1.0)
        found |= {index: Standing(group, rank, value) for index, value in ties.items()}
        left = [index for index in rest if index not in ties]
    return [found[index] for index in range(len(scores))]


def same_triplets(outcomes: Sequence[Sequence[Outcomes]]) -> bool:
    """Whether several models (outer) were scored on the same triplets of the same languages (inner, in one order)."""
    first = outcomes[0]
    return all(
        len(one) == len(first)
        and all(
            a.ids_digest == b.ids_digest and a.valid.shape == b.valid.shape and bool((a.valid == b.valid).all())
            for a, b in zip(one, first, strict=True)
        )
        for one in outcomes
    )


def _columns(
    left: Sequence[Outcomes], right: Sequence[Outcomes], resamples: int, seed: int
) -> dict[str, tuple[Scored, Scored]]:
    one, other = score(left, resamples, seed), score(right, resamples, seed)
    return {column: (one[column], other[column]) for column in one}


def _adjusted(found: Mapping[tuple[str, str], tuple[Scored, Scored]], correction: str) -> list[Compared]:
    differences = {name: difference(*pair) for name, pair in found.items()}
    adjusted = correct([one.p for one in differences.values()], correction)
    return [
        Compared(*name, found[name][0].value, found[name][1].value, differences[name], p, found[name][0].n)
        for name, p in zip(found, adjusted, strict=True)
    ]


def _require_same_rows(outcomes: Sequence[Outcomes]) -> None:
    if not outcomes:
        raise ResultsError("nothing to score: no languages")
    if len({(one.ids_digest, one.valid.shape) for one in outcomes}) > 1:
        raise ResultsError("the languages were scored on different rows of data; score again with one data set")


def _mean_over_languages(shares: Floats) -> Floats:
    """Mean over the languages that have triplets, (B, L, P) → (B, P); NaN where none has."""
    present = ~np.isnan(shares)
    count = present.sum(axis=1)
    total = np.where(present, shares, 0.0).sum(axis=1)
    return np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)


def _some(names: Mapping[str, Outcomes]) -> str:
    shown = list(names)
    return ", ".join(shown[:5]) + (f", … ({len(shown)} in all)" if len(shown) > 5 else "") if shown else "none"
