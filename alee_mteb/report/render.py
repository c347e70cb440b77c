"""Reports as a table for the terminal, JSON, CSV or Markdown."""

import csv
import io
import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from alee_mteb.errors import ResultsError
from alee_mteb.perturbations import CODES
from alee_mteb.report.results import RunScores, load_runs
from alee_mteb.report.summary import DatasetScore, Estimate, ModelComparison, compare_models, summarise

FORMATS = ("table", "json", "csv", "markdown")

Row = dict[str, str]


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
        content: dict[str, Any] = {
            "datasets": [asdict(score) for score in scores],
            "models": [asdict(row) for row in comparisons],
        }
        if by_language:
            content["languages"] = _language_rows(runs)
        return json.dumps(content, indent=2, ensure_ascii=False) + "\n"
    rows = _language_rows(runs) if by_language else [_dataset_row(score) for score in scores]
    if format == "csv":
        return _csv(rows)
    parts = [_lines(rows, format)]
    if not by_language:
        if comparisons:
            parts.append(_lines([_comparison_row(row) for row in comparisons], format))
        parts.append("\n".join(score.signature for score in scores) + "\n")
    return "\n".join(parts)


def _dataset_row(score: DatasetScore) -> Row:
    row = {"task": score.task, "model": score.model}
    for code in CODES:
        row[code] = _estimate(score.perturbations.get(code))
    row["macro"] = _estimate(score.macro)
    row["w/o English"] = _number(score.without_english)
    row["matched"] = _number(score.matched)
    row["unrelated"] = _number(score.unrelated_target)
    row["overlap"] = _number(score.overlap)
    row["languages"] = str(score.n_languages)
    row["triplets"] = str(score.n_triplets)
    return row


def _language_rows(runs: Sequence[RunScores]) -> list[Row]:
    rows = []
    for run in runs:
        for language in run.languages:
            scores = language.scores
            row = {"task": run.task, "model": run.model, "language": language.key}
            for code in CODES:
                found = scores["perturbations"].get(code)
                row[code] = _estimate(Estimate(found["tacc"], found["low"], found["high"]) if found else None)
            row["macro"] = _estimate(Estimate(scores["macro_tacc"], scores["macro_tacc_low"], scores["macro_tacc_high"]))
            row["matched"] = _number(scores["matched"]["macro_tacc"])
            row["unrelated"] = _number(scores["macro_unrelated_target"])
            row["overlap"] = _number(scores["macro_overlap"])
            row["sources"] = str(scores["n_sources"])
            row["missing"] = str(scores["n_missing_translations"])
            rows.append(row)
    return rows


def _comparison_row(comparison: ModelComparison) -> Row:
    row = {"model": comparison.model, "rank": str(comparison.rank or ""), "average": _number(comparison.average)}
    for task, value in comparison.scores.items():
        row[task] = _number(value)
    for task, value in comparison.shared.items():
        row[f"{task} shared"] = _number(value)
    if comparison.n_shared:
        row["shared languages"] = str(comparison.n_shared)
    for key, value in comparison.romansh.items():
        row[key] = f"{value:+.1%}"
    return row


def _estimate(estimate: Estimate | None) -> str:
    if estimate is None:
        return ""
    if estimate.low is None or estimate.low != estimate.low:  # no interval: too few triplets to resample
        return f"{estimate.value:.3f}"
    return f"{estimate.value:.3f} [{estimate.low:.2f}, {estimate.high:.2f}]"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _columns(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row))


def _csv(rows: Sequence[Row]) -> str:
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, _columns(rows), lineterminator="\n", restval="")
    writer.writeheader()
    writer.writerows(rows)
    return buffer.getvalue()


def _lines(rows: Sequence[Row], format: str) -> str:
    columns = _columns(rows)
    if format == "markdown":
        lines = ["| " + " | ".join(columns) + " |", "|" + " --- |" * len(columns)]
        lines += ["| " + " | ".join(row.get(name, "").replace("|", "\\|") for name in columns) + " |" for row in rows]
        return "\n".join(lines) + "\n"
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, header_style="bold", pad_edge=False)
    for name in columns:
        table.add_column(name, justify="left" if name in ("task", "model", "language") else "right", no_wrap=True)
    for row in rows:
        table.add_row(*(row.get(name, "") for name in columns))
    buffer = io.StringIO()
    Console(file=buffer, width=_width(), color_system=None).print(table)
    return "\n".join(line.rstrip() for line in buffer.getvalue().splitlines()) + "\n"


def _width() -> int:
    """Wide enough for a whole row where nobody looks at a screen; never narrower than the table needs."""
    try:
        return max(os.get_terminal_size().columns, 200)
    except OSError:
        return 240
