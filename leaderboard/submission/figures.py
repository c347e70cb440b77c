"""Every figure of a language held against the outcomes that come with it: recomputed, not believed (DESIGN.md §3).

What outcomes cannot give (margins, the unrelated-target control, the overlap baseline) is only held to its range and
to its own mean. Bins are recomputed where the rows of the data set are known, and otherwise held to what any division
of the rows must obey.
"""

from collections.abc import Iterator, Mapping
from math import isnan

import numpy as np

from alee_mteb import tacc
from alee_mteb.outcomes import Outcomes
from alee_mteb.perturbations import CODES
from alee_mteb.tacc import Bools
from leaderboard.submission.schema import RowScores, SubsetScores

#: mteb rounds scores to six digits; a mean of rounded numbers may be off by as much again.
TOLERANCE = 1.1e-6

#: A field inside one language's scores, and what is wrong with it.
Finding = tuple[str, str]


def check_figures(scores: SubsetScores, outcomes: Outcomes) -> Iterator[Finding]:
    """Everything in the scores of one language that does not follow from its outcomes."""
    valid, passed = outcomes.valid, outcomes.passed
    shares, counts = tacc.shares(passed, valid), valid.sum(axis=1)
    present = counts > 0
    if not present.any():
        yield "outcomes.valid", "there is no triplet at all"
        return
    samples = tacc.bootstrap_shares(passed, valid)
    for kind, code in enumerate(CODES):
        yield from _perturbation(scores, code, float(shares[kind]), int(counts[kind]), samples[:, kind])
        if present[kind] and scores.perturbations.get(code) is not None:
            ties, failed = scores.perturbations[code].ties, int(counts[kind] - passed[kind].sum())
            if ties > failed:
                yield f"perturbations.{code}.ties", f"{ties} ties, but only {failed} triplets were failed"
    macro = tacc.macro(shares)
    yield from _compare("macro_tacc", scores.macro_tacc, macro)
    yield from _compare("main_score", scores.main_score, macro)
    low, high = tacc.interval(tacc.macro_samples(samples, present))
    yield from _compare("macro_tacc_low", scores.macro_tacc_low, low)
    yield from _compare("macro_tacc_high", scores.macro_tacc_high, high)
    left_out = [code for kind, code in enumerate(CODES) if not present[kind]]
    if scores.left_out != left_out:
        yield "left_out", f"{scores.left_out}, but the outcomes leave out {left_out}"
    yield from _count("n_sources", scores.n_sources, int(tacc.any_along(valid, axis=0).sum()))
    for name, field in (("unrelated_target", "macro_unrelated_target"), ("overlap", "macro_overlap")):
        values = [value for one in scores.perturbations.values() if (value := getattr(one, name)) is not None]
        yield from _compare(field, getattr(scores, field), float(np.mean(values)) if values else float("nan"))
    yield from check_rows("matched", scores.matched, outcomes, tacc.matched_rows(valid))
    yield from _division(scores, shares)


def check_rows(field: str, scores: RowScores, outcomes: Outcomes, rows: Bools) -> Iterator[Finding]:
    """Everything in the scores of some of the rows that does not follow from the outcomes on these rows."""
    shares = tacc.shares(outcomes.passed[:, rows], outcomes.valid[:, rows])
    yield from _compare(f"{field}.macro_tacc", scores.macro_tacc, tacc.macro(shares))
    for kind, code in enumerate(CODES):
        yield from _compare(f"{field}.{code}", getattr(scores, code), float(shares[kind]))
    yield from _count(f"{field}.n", scores.n, int(tacc.any_along(outcomes.valid[:, rows], axis=0).sum()))


def check_bins(
    field: str, scores: Mapping[str, RowScores] | None, outcomes: Outcomes, masks: Mapping[str, Bools]
) -> Iterator[Finding]:
    """The same for bins whose rows are known."""
    found = scores or {}
    for label in dict.fromkeys((*masks, *found)):
        if label not in found:
            yield field, f"the bin {label!r} is missing"
        elif label not in masks:
            yield f"{field}.{label}", "the data set has no such bin"
        else:
            yield from check_rows(f"{field}.{label}", found[label], outcomes, masks[label])


def _perturbation(scores: SubsetScores, code: str, share: float, count: int, samples: tacc.Floats) -> Iterator[Finding]:
    found = scores.perturbations.get(code)
    field = f"perturbations.{code}"
    yield from _compare(f"tacc_{code}", getattr(scores, f"tacc_{code}"), share)
    if found is None:
        if count:
            yield field, f"is missing, but the outcomes have {count} such triplets"
        return
    if not count:
        yield field, "has scores, but the outcomes have no such triplet"
        return
    low, high = tacc.interval(samples)
    yield from _count(f"{field}.n", found.n, count)
    yield from _compare(f"{field}.tacc", found.tacc, share)
    yield from _compare(f"{field}.low", found.low, low)
    yield from _compare(f"{field}.high", found.high, high)


def _division(scores: SubsetScores, shares: tacc.Floats) -> Iterator[Finding]:
    """What holds for any division of the rows: bins add up, and the whole lies between its parts."""
    total = sum(one.n for one in scores.by_length.values())
    if total != scores.n_sources:
        yield "by_length", f"the bins hold {total} sources, the language has {scores.n_sources}"
    total = sum(one.n for one in (scores.by_level or {}).values())
    if total > scores.n_sources:
        yield "by_level", f"the levels hold {total} sources, the language has {scores.n_sources}"
    for kind, code in enumerate(CODES):
        parts = [value for one in scores.by_length.values() if (value := getattr(one, code)) is not None]
        if not isnan(shares[kind]) and parts:
            lowest, highest = min(parts) - TOLERANCE, max(parts) + TOLERANCE
            if not lowest <= shares[kind] <= highest:
                yield "by_length", f"{code} of all rows, {shares[kind]:.6f}, does not lie between that of the bins"
    for name, bins in (("by_length", scores.by_length), ("by_level", scores.by_level or {})):
        for label, one in bins.items():
            values = list(one.perturbations.values())
            mean = float(np.mean(values)) if values else float("nan")
            yield from _compare(f"{name}.{label}.macro_tacc", one.macro_tacc, mean)


def _compare(field: str, claimed: float | None, computed: float) -> Iterator[Finding]:
    if claimed is None or isnan(computed):
        if claimed is not None or not isnan(computed):
            shown = "nothing" if isnan(computed) else f"{computed:.6f}"
            yield field, f"says {claimed}, but the outcomes give {shown}"
    elif abs(claimed - computed) > TOLERANCE:
        yield field, f"says {claimed}, but the outcomes give {computed:.6f}"


def _count(field: str, claimed: int, computed: int) -> Iterator[Finding]:
    if claimed != computed:
        yield field, f"says {claimed}, but the outcomes give {computed}"
