"""Reports as a table for the terminal, JSON, CSV or Markdown."""

import csv
import io
import json
import math
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from alee_mteb.errors import ResultsError
from alee_mteb.perturbations import CODES
from alee_mteb.report.results import RunScores, load_runs
from alee_mteb.report.summary import ROMANSH, DatasetScore, Estimate, ModelComparison, compare_models, summarise

FORMATS = ("table", "json", "csv", "markdown")

Cell = Estimate | float | int | str | None
Row = dict[str, Cell]


def render_report(folder: Path, format: str, by_language: bool) -> str:
    """The report on a results folder as text, ending in a line end.

    Raises:
        ResultsError: unknown format, or see `load_runs`.
    """
    if format not in FORMATS:
        raise ResultsError(f"unknown format {format!r}; choose one of {', '.join(FORMATS)}")
    runs = load_runs(folder)
    scores = [summarise(run) for run in runs]
    comparisons = [row for row in compare_models(runs) if row.average is not None or row.romansh]
    if format == "json":
        return _json(runs, scores, comparisons, by_language)
    if format == "csv":
        return _csv(
            _language_rows(runs) if by_language else [_score_row(score) | _check_row(score) for score in scores]
        )
    lines = _markdown if format == "markdown" else _terminal
    if by_language:
        return lines(_language_rows(runs))
    parts = [lines([_score_row(score) for score in scores]), lines([_check_row(score) for score in scores])]
    for rows in (_average_rows(comparisons), _shared_rows(comparisons), _romansh_rows(comparisons)):
        if rows:
            parts.append(lines(rows))
    parts.append("".join(f"{score.model}: {score.signature}\n" for score in scores))
    return "\n".join(parts)


def _score_row(score: DatasetScore) -> Row:
    row: Row = {"task": score.task, "model": score.model}
    row |= {code: score.perturbations.get(code) for code in CODES}
    return row | {"macro": score.macro}


def _check_row(score: DatasetScore) -> Row:
    """What to hold the score against: see DESIGN.md §3, diagnostics."""
    return {
        "task": score.task,
        "model": score.model,
        "without English": score.without_english,
        "matched": score.matched,
        "unrelated target": score.unrelated_target,
        "word overlap": score.overlap,
        "languages": score.n_languages,
        "triplets": score.n_triplets,
    }


def _language_rows(runs: Sequence[RunScores]) -> list[Row]:
    rows: list[Row] = []
    for run in runs:
        for language in run.languages:
            scores = language.scores
            row: Row = {"task": run.task, "model": run.model, "language": language.key}
            for code in CODES:
                found = scores["perturbations"].get(code)
                row[code] = _estimate(found["tacc"], found["low"], found["high"]) if found else None
            row["macro"] = _estimate(scores["macro_tacc"], scores["macro_tacc_low"], scores["macro_tacc_high"])
            row["matched"] = scores["matched"]["macro_tacc"]
            row["unrelated target"] = scores["macro_unrelated_target"]
            row["word overlap"] = scores["macro_overlap"]
            row["sources"] = scores["n_sources"]
            row["missing"] = scores["n_missing_translations"]
            rows.append(row)
    return rows


def _average_rows(comparisons: Sequence[ModelComparison]) -> list[Row]:
    """The three-data-set average and rank (paper, Table 3)."""
    return [
        {"task": "three data sets", "model": row.model, "rank": row.rank, "average": row.average, **row.scores}
        for row in comparisons
        if row.average is not None
    ]


def _shared_rows(comparisons: Sequence[ModelComparison]) -> list[Row]:
    """Scores on the languages that all three data sets have (paper, §5.1)."""
    return [
        {"task": "shared languages", "model": row.model, "languages": row.n_shared, **row.shared}
        for row in comparisons
        if row.n_shared
    ]


def _romansh_rows(comparisons: Sequence[ModelComparison]) -> list[Row]:
    """Romansh relative to the model's own mean over languages (paper, §5.5)."""
    rows: list[Row] = []
    for row in comparisons:
        if row.romansh:
            rows.append({"task": "Romansh, relative", "model": row.model})
            rows[-1] |= {key.removeprefix(ROMANSH): f"{value:+.1%}" for key, value in row.romansh.items()}
    return rows


def _estimate(value: float, low: float | None, high: float | None) -> Estimate:
    return Estimate(value, math.nan if low is None else low, math.nan if high is None else high)


def _json(
    runs: Sequence[RunScores],
    scores: Sequence[DatasetScore],
    comparisons: Sequence[ModelComparison],
    by_language: bool,
) -> str:
    content: dict[str, Any] = {
        "datasets": [asdict(score) for score in scores],
        "models": [asdict(row) for row in comparisons],
    }
    if by_language:
        content["languages"] = [
            {name: asdict(cell) if isinstance(cell, Estimate) else cell for name, cell in row.items()}
            for row in _language_rows(runs)
        ]
    return json.dumps(_without_nan(content), indent=2, ensure_ascii=False) + "\n"


def _without_nan(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nan(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(item) for item in value]
    return None if isinstance(value, float) and math.isnan(value) else value


def _csv(rows: Sequence[Row]) -> str:
    """One number a cell: an estimate becomes three columns, ``PN``, ``PN_low`` and ``PN_high``."""
    flat = [_spread(row) for row in rows]
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, _columns(flat), lineterminator="\n", restval="")
    writer.writeheader()
    writer.writerows(flat)
    return buffer.getvalue()


def _spread(row: Row) -> Row:
    flat: Row = {}
    for name, cell in row.items():
        name = name.replace(" ", "_")
        if isinstance(cell, Estimate):
            bounds = {"": cell.value, "_low": cell.low, "_high": cell.high}
            flat |= {name + end: None if math.isnan(value) else round(value, 6) for end, value in bounds.items()}
        else:
            flat[name] = round(cell, 6) if isinstance(cell, float) else cell
    return flat


def _markdown(rows: Sequence[Row]) -> str:
    columns = _columns(rows)
    lines = ["| " + " | ".join(columns) + " |", "|" + " --- |" * len(columns)]
    for row in rows:
        lines.append("| " + " | ".join(_text(row.get(name), " ").replace("|", "\\|") for name in columns) + " |")
    return "\n".join(lines) + "\n"


def _terminal(rows: Sequence[Row]) -> str:
    """Aligned columns; an interval stands below its value, so that a data set fits into 100 characters."""
    from rich.console import Console
    from rich.table import Table

    columns = [name for name in _columns(rows) if name != "task"]
    buffer = io.StringIO()
    console = Console(file=buffer, width=400, color_system=None, markup=False)
    for task in dict.fromkeys(row.get("task") for row in rows):
        table = Table(box=None, pad_edge=False)
        for name in columns:
            heading = str(task) if name == "model" and task else name
            table.add_column(heading, justify="left" if name in ("model", "language") else "right", no_wrap=True)
        for row in rows:
            if row.get("task") == task:
                table.add_row(*(_text(row.get(name), "\n") for name in columns))
        console.print(table)
    return "".join(line.rstrip() + "\n" for line in buffer.getvalue().splitlines())


def _text(cell: Cell, between: str) -> str:
    if cell is None:
        return ""
    if isinstance(cell, Estimate):
        interval = "" if math.isnan(cell.low) else f"{between}[{cell.low:.2f}, {cell.high:.2f}]"
        return f"{cell.value:.3f}{interval}"
    return f"{cell:.3f}" if isinstance(cell, float) else str(cell)


def _columns(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row))
