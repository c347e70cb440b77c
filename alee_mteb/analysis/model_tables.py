"""Models over perturbations and data sets with ranks (paper, Tables 3 and 5)."""

from collections.abc import Sequence

from alee_mteb.analysis import reference
from alee_mteb.analysis.table import Analysis, Row, mean, number, unique, without_nan
from alee_mteb.datasets import THREE_DATASETS
from alee_mteb.perturbations import CODES
from alee_mteb.report.results import RunScores
from alee_mteb.report.summary import summarise

KIND = "models"
TITLE = "Macro-TACC of models"


def from_runs(runs: Sequence[RunScores]) -> Analysis:
    """Rows as in Table 5: data set, model, TACC per perturbation, macro with its interval, rank within the data set.

    The summary is Table 3: macro per data set, their average and the rank on it. Averages are given to models that
    have every data set of these results (the three official ones, where they are all there).
    """
    rows: list[Row] = []
    for run in runs:
        score = summarise(run)
        row: Row = {"dataset": run.task, "model": run.model}
        row |= {code: score.perturbations[code].value if code in score.perturbations else None for code in CODES}
        row |= {
            "macro": without_nan(score.macro.value),
            "macro_low": without_nan(score.macro.low),
            "macro_high": without_nan(score.macro.high),
            "languages": score.n_languages,
        }
        rows.append(row)
    ranked = ranked_within_datasets(rows)
    return Analysis(KIND, TITLE, ranked, averages(ranked), _uneven(ranked))


def published() -> Analysis:
    """The 14 encoders of the paper."""
    rows: list[Row] = [
        {"dataset": one.dataset, "model": one.model, **one.perturbations, "macro": one.macro}
        for one in reference.models()
    ]
    ranked = ranked_within_datasets(rows)
    return Analysis(KIND, TITLE, ranked, averages(ranked), published=True)


def ranked_within_datasets(rows: Sequence[Row]) -> list[Row]:
    """The rows with a rank by macro, best first within a data set; equal scores share a rank."""
    found: list[Row] = []
    for dataset in unique(row["dataset"] for row in rows):
        together = [row for row in rows if row["dataset"] == dataset and row["macro"] is not None]
        for row in sorted(together, key=lambda row: (-number(row["macro"]), str(row["model"]))):
            better = sum(number(other["macro"]) > number(row["macro"]) for other in together)
            found.append({**row, "rank": better + 1})
    return found


def averages(rows: Sequence[Row]) -> list[Row]:
    """Macro per data set, average over data sets and rank, best first; models that lack a data set come last."""
    present = unique(row["dataset"] for row in rows)
    official = [dataset for dataset in THREE_DATASETS if dataset in present]
    datasets = official if len(official) == len(THREE_DATASETS) else present
    found: list[Row] = []
    for model in unique(row["model"] for row in rows):
        macros = {row["dataset"]: row["macro"] for row in rows if row["model"] == model}
        complete = all(dataset in macros for dataset in datasets)
        row: Row = {"model": model, **{str(dataset): macros.get(dataset) for dataset in datasets}}
        row["average"] = mean(number(macros[dataset]) for dataset in datasets) if complete else None
        found.append(row)
    ranked = sorted(found, key=lambda row: (row["average"] is None, -number(row["average"] or 0.0), str(row["model"])))
    values = [number(row["average"]) for row in ranked if row["average"] is not None]
    for row in ranked:
        average = row["average"]
        row["rank"] = None if average is None else 1 + sum(value > number(average) for value in values)
    return ranked


def _uneven(rows: Sequence[Row]) -> tuple[str, ...]:
    notes = []
    for dataset in unique(row["dataset"] for row in rows):
        counts = {row["languages"] for row in rows if row["dataset"] == dataset}
        if len(counts) > 1:
            shown = ", ".join(str(count) for count in sorted(counts, key=number))
            notes.append(
                f"{dataset}: models were scored on different numbers of languages ({shown}); compare with care"
            )
    return tuple(notes)
