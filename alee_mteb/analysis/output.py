"""Analyses as text, CSV and JSON."""

import csv
import io
import json
from collections.abc import Sequence

from alee_mteb.analysis.table import Analysis, Row, Value

#: Rows of a table that a terminal shows.
SHOWN = 40


def as_json(analysis: Analysis) -> str:
    """Everything an analysis holds; numbers to six digits."""
    content = {
        "kind": analysis.kind,
        "title": analysis.title,
        "published": analysis.published,
        "notes": list(analysis.notes),
        "summary": [_rounded(row) for row in analysis.summary],
        "rows": [_rounded(row) for row in analysis.rows],
    }
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def as_csv(rows: Sequence[Row]) -> str:
    """The rows under one header; numbers to six digits, empty where there is none."""
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, _columns(rows), lineterminator="\n", restval="")
    writer.writeheader()
    writer.writerows(_rounded(row) for row in rows)
    return buffer.getvalue()


def as_text(analysis: Analysis) -> str:
    """For a terminal: title, summary, the first rows, notes."""
    parts = [analysis.title + (" (published figures)" if analysis.published else "")]
    if analysis.summary:
        parts.append(table_text(analysis.summary))
    parts.append(table_text(analysis.rows[:SHOWN]))
    more = len(analysis.rows) - SHOWN
    notes = [*analysis.notes, *([f"{more} more rows: --csv, --json or -o FOLDER"] if more > 0 else [])]
    if notes:
        parts.append("".join(f"{note}\n" for note in notes))
    return "\n".join(part if part.endswith("\n") else part + "\n" for part in parts)


def table_text(rows: Sequence[Row]) -> str:
    """Aligned columns; text to the left, numbers to the right, three decimals."""
    from rich.console import Console
    from rich.table import Table

    buffer = io.StringIO()
    console = Console(file=buffer, width=500, color_system=None, markup=False, highlight=False)
    table = Table(box=None, pad_edge=False)
    for name in _columns(rows):
        numeric = all(not isinstance(row.get(name), str) for row in rows)
        table.add_column(
            name if " " in name else name.replace("_", " "), justify="right" if numeric else "left", no_wrap=True
        )
    for row in rows:
        table.add_row(*(_text(row.get(name)) for name in _columns(rows)))
    console.print(table)
    return "".join(line.rstrip() + "\n" for line in buffer.getvalue().splitlines())


def _text(value: Value) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.2g}" if 0 < abs(value) < 0.0005 else f"{value:.3f}"
    return str(value)


def _rounded(row: Row) -> Row:
    return {name: float(f"{value:.6g}") if isinstance(value, float) else value for name, value in row.items()}


def _columns(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row))
