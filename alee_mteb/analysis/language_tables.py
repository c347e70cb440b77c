"""Scores per language (paper, Appendix B)."""

from collections.abc import Sequence

from alee_mteb import tacc
from alee_mteb.analysis import comparison, reference
from alee_mteb.analysis.table import Analysis, Row, without_nan
from alee_mteb.perturbations import CODES
from alee_mteb.report.results import RunScores

KIND = "languages"
TITLE = "Macro-TACC per language"


def from_runs(runs: Sequence[RunScores]) -> Analysis:
    """One row per data set, model and language: TACC per perturbation, macro with its interval, number of sources."""
    rows: list[Row] = []
    for run in runs:
        for one in run.languages:
            scores = comparison.score([one.outcomes])
            row: Row = {"dataset": run.task, "model": run.model, "language": one.key, "code": one.code}
            row |= {code: scores[code].value if code in scores else None for code in CODES}
            macro = scores.get(comparison.MACRO)
            low, high = macro.interval if macro else (float("nan"), float("nan"))
            row |= {
                "macro": macro.value if macro else None,
                "macro_low": without_nan(low),
                "macro_high": without_nan(high),
                "sources": int(tacc.any_along(one.outcomes.valid, axis=0).sum()),
            }
            rows.append(row)
    return Analysis(KIND, TITLE, rows)


def published() -> Analysis:
    """The published means over 14 encoders; single encoders per language were not published."""
    rows: list[Row] = [
        {
            "dataset": one.dataset,
            "model": "mean of 14 encoders",
            "language": one.key,
            "code": one.code,
            "macro": one.tacc,
        }
        for one in reference.languages()
    ]
    return Analysis(KIND, TITLE, rows, published=True)
