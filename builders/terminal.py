"""Putting texts of a data set on a terminal."""

import re
from collections.abc import Sequence

# Escape sequences, other control characters and direction overrides of a text must not reach the terminal.
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_LINE_BREAK = re.compile(r"\r\n|[\n\r\x0b\x0c\x85\u2028\u2029]")


def printable(text: str) -> str:
    """The text with control characters, line breaks aside, shown as �."""
    return _UNPRINTABLE.sub("�", text)


def on_one_line(text: str, limit: int | None = None) -> str:
    """The text with line breaks shown as ⏎, control characters as �, and cut after `limit` characters."""
    flat = printable(_LINE_BREAK.sub(" ⏎ ", text.strip()).replace("\t", " "))
    return flat if limit is None or len(flat) <= limit else flat[: limit - 1] + "…"


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows as lines with columns under each other: the first to the left, the others to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        lines.append("  ".join(cells).rstrip())
    return lines
