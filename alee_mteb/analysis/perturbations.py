"""TACC per model and perturbation, mean over languages (paper, Figure 2 and §5.1)."""

from collections.abc import Sequence

from alee_mteb.analysis import reference
from alee_mteb.analysis.table import Analysis, Row, mean, number, unique, without_nan
from alee_mteb.perturbations import CODES
from alee_mteb.report.results import RunScores
from alee_mteb.report.summary import summarise

KIND = "perturbations"
TITLE = "TACC by perturbation"


def from_runs(runs: Sequence[RunScores]) -> Analysis:
    """One row per data set, model and perturbation, with 95 % intervals; the summary has the means over models."""
    rows: list[Row] = []
    for run in runs:
        score = summarise(run)
        for code, estimate in score.perturbations.items():
            rows.append(
                {
                    "dataset": run.task,
                    "model": run.model,
                    "perturbation": code,
                    "tacc": estimate.value,
                    "low": without_nan(estimate.low),
                    "high": without_nan(estimate.high),
                    "languages": score.n_languages,
                }
            )
    return Analysis(KIND, TITLE, rows, _means(rows))


def published() -> Analysis:
    """The 14 encoders of the paper; no intervals were published."""
    rows: list[Row] = [
        {"dataset": one.dataset, "model": one.model, "perturbation": code, "tacc": value, "low": None, "high": None}
        for one in reference.models()
        for code, value in one.perturbations.items()
    ]
    return Analysis(KIND, TITLE, rows, _means(rows), published=True)


def _means(rows: Sequence[Row]) -> list[Row]:
    found: list[Row] = []
    for dataset in unique(row["dataset"] for row in rows):
        row: Row = {"dataset": dataset, "models": len({r["model"] for r in rows if r["dataset"] == dataset})}
        for code in CODES:
            values = [number(r["tacc"]) for r in rows if r["dataset"] == dataset and r["perturbation"] == code]
            row[code] = without_nan(mean(values))
        found.append(row)
    return found
