"""Macro-TACC by length of the text (paper, Figure 3 and §5.2).

By level (sentence, paragraph) where a data set has levels, else by characters of the English source. Drops are
relative drops of the model means.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from alee_mteb.analysis import reference
from alee_mteb.analysis.table import Analysis, Row, mean, number, unique
from alee_mteb.errors import ResultsError
from alee_mteb.perturbations import CODES
from alee_mteb.report.results import RunScores
from alee_mteb.scoring import LENGTH_BINS

KIND = "lengths"
TITLE = "Macro-TACC by length of the text"

_ORDER = [name for name, _, _ in LENGTH_BINS] + ["sentence", "sentence_level", "paragraph", "paragraph_level"]


def from_runs(runs: Sequence[RunScores]) -> Analysis:
    """One row per data set, model and bin: TACC → mean over languages → mean over perturbations.

    Raises:
        ResultsError: no result says how long its texts are.
    """
    rows: list[Row] = []
    for run in runs:
        bins = _bins_of(run)
        for name in sorted(bins, key=_place):
            rows.append({"dataset": run.task, "model": run.model, "bin": name, "macro_tacc": bins[name]})
    if not rows:
        raise ResultsError(
            f"{runs[0].path}: nothing here says how long the texts are; give mteb result files, "
            "on data with texts of more than one length"
        )
    return Analysis(KIND, TITLE, rows, drops(rows), _without_bins(runs, rows))


def published() -> Analysis:
    """ALEE-MT61 by characters and ALEE-BQ275 by level, the 14 encoders of the paper."""
    rows: list[Row] = [
        {"dataset": one.dataset, "model": one.model, "bin": one.bin, "macro_tacc": one.tacc}
        for one in (*reference.length_bins(), *reference.levels())
    ]
    return Analysis(KIND, TITLE, rows, drops(rows), published=True)


def drops(rows: Sequence[Row]) -> list[Row]:
    """Per data set, from its shortest bin to each longer one: means over the models that have both, relative drop."""
    found: list[Row] = []
    for dataset in unique(row["dataset"] for row in rows):
        table: dict[Any, dict[Any, float]] = {}
        for row in rows:
            if row["dataset"] == dataset:
                table.setdefault(row["bin"], {})[row["model"]] = number(row["macro_tacc"])
        first, *longer = sorted(table, key=_place)
        for name in longer:
            models = [model for model in table[first] if model in table[name]]
            short, long = (mean(table[one][model] for model in models) for one in (first, name))
            found.append(
                {
                    "dataset": dataset,
                    "from": first,
                    "to": name,
                    "models": len(models),
                    "mean_from": short,
                    "mean_to": long,
                    "relative_drop": 1 - long / short if short else None,
                }
            )
    return found


def _bins_of(run: RunScores) -> dict[str, float]:
    """The finest division into more than one bin: levels, else lengths; empty if there is none."""
    for name in ("by_level", "by_length"):
        tables = [one.scores[name] for one in run.languages if isinstance(one.scores.get(name), dict)]
        bins = {key: _dataset_score([table[key] for table in tables if key in table]) for key in _keys(tables)}
        found = {key: value for key, value in bins.items() if value is not None}
        if len(found) > 1:
            return found
    return {}


def _keys(tables: Sequence[Mapping[str, Any]]) -> list[str]:
    return unique(key for table in tables for key in table)


def _dataset_score(cells: Sequence[Mapping[str, Any]]) -> float | None:
    values = [mean(float(cell[code]) for cell in cells if cell.get(code) is not None) for code in CODES]
    present = [value for value in values if value == value]  # not NaN
    return mean(present) if present else None


def _place(name: Any) -> tuple[int, str]:
    return (_ORDER.index(name) if name in _ORDER else len(_ORDER), str(name))


def _without_bins(runs: Sequence[RunScores], rows: Sequence[Row]) -> tuple[str, ...]:
    present = {(row["dataset"], row["model"]) for row in rows}
    missing = [f"{run.model} on {run.task}" for run in runs if (run.task, run.model) not in present]
    return (f"all texts of one length, or lengths unknown: {', '.join(missing)}",) if missing else ()
