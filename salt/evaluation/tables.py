"""Tables of a run and of a comparison: terminal, Markdown, LaTeX, JSON-ready records."""

import io
import math
from collections.abc import Mapping, Sequence

from salt.evaluation.compare import Difference
from salt.evaluation.neighbours import NeighbourTable
from salt.evaluation.scores import Score
from salt.evaluation.summary import BESIDE, Row

Cells = list[list[str]]
_ARROWS = {"lower": "↓", "higher": "↑", "none": ""}


def summary_cells(rows: Sequence[Row], model: str) -> tuple[list[str], Cells]:
    """Header and cells of the summary, the paper's figures in the last columns."""
    header = ["task", "data", "metric", "setting", "layer", "languages", model, "95 %"]
    header += [f"{name} (paper)" for name in BESIDE] + ["source"]
    cells = []
    for row in rows:
        setting = ", ".join(part for part in (row.setting, row.method) if part)
        sources = {found.source for found in row.beside if found is not None}
        cells.append(
            [
                row.task,
                row.data,
                f"{row.metric} {_ARROWS[row.better]}".strip(),
                setting,
                "" if row.layer is None else str(row.layer),
                str(row.languages),
                number(row.value),
                between(row.low, row.high),
                *("" if found is None else number(found.value) for found in row.beside),
                ", ".join(sorted(sources)),
            ]
        )
    return header, cells


def score_cells(scores: Sequence[Score], layer: int) -> tuple[list[str], Cells]:
    """Header and cells of every score at the headline layer, one row per language."""
    header = ["task", "data", "language", "metric", "setting", "score", "95 %", "items"]
    return header, [
        [
            score.task,
            score.data,
            score.language,
            f"{score.metric} {_ARROWS[score.better]}".strip(),
            ", ".join(part for part in (score.setting, score.method) if part),
            number(score.value),
            between(score.low, score.high),
            str(score.n or ""),
        ]
        for score in scores
        if score.layer in (None, layer)
    ]


def difference_cells(rows: Sequence[Difference]) -> tuple[list[str], Cells]:
    """Header and cells of a comparison."""
    header = ["task", "data", "language", "metric", "layer", "setting", "A", "B", "B − A", "95 %", "p", "better"]
    cells = []
    for row in rows:
        task, data, language, metric, layer, method, setting = row.key
        cells.append(
            [
                task,
                data,
                language,
                metric,
                layer,
                ", ".join(part for part in (setting, method) if part),
                number(row.a),
                number(row.b),
                f"{row.difference:+.4f}",
                between(row.low, row.high),
                "" if row.p is None else f"{row.p:.3f}",
                row.better,
            ]
        )
    return header, cells


def layer_cells(lines: Mapping[str, Mapping[int, float]]) -> tuple[list[str], Cells]:
    """Header and cells of means by layer, a row per data set."""
    layers = sorted({layer for values in lines.values() for layer in values})
    header = ["data", *(str(layer) for layer in layers)]
    return header, [
        [name, *(f"{values[layer]:.3f}" if layer in values else "" for layer in layers)]
        for name, values in lines.items()
    ]


def neighbour_cells(table: NeighbourTable) -> tuple[list[str], Cells]:
    """Header and cells of a neighbour table, as in Tables 9 to 11."""
    header = ["rank", "score", "language", "unit", "sentence"]
    return header, [[str(n.rank), f"{n.score:.3f}", n.language, n.unit, str(n.sentence)] for n in table.neighbours]


def number(value: float) -> str:
    """Four digits after the point; a dash for none."""
    return "–" if not math.isfinite(value) else f"{value:.4f}"


def between(low: float | None, high: float | None) -> str:
    """An interval."""
    return "" if low is None or high is None or not math.isfinite(low) else f"{low:.4f} to {high:.4f}"


def terminal(header: Sequence[str], cells: Cells, title: str | None = None, width: int | None = None) -> str:
    """As plain text in columns."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for at, name in enumerate(header):
        numeric = bool(cells) and all(_is_number(row[at]) for row in cells if row[at]) and any(row[at] for row in cells)
        table.add_column(name, justify="right" if numeric else "left", no_wrap=at < 3)
    for row in cells:
        table.add_row(*row)
    stream = io.StringIO()
    Console(file=stream, width=width or 200, color_system=None, markup=False, highlight=False).print(table)
    lines = [line.rstrip() for line in stream.getvalue().splitlines()]
    return "\n".join([*([title] if title else []), *lines]) + "\n"


def markdown(header: Sequence[str], cells: Cells) -> str:
    """As a Markdown table."""
    lines = [header, ["---"] * len(header), *cells]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines) + "\n"


def latex(header: Sequence[str], cells: Cells) -> str:
    """As a LaTeX table (booktabs)."""
    columns = "l" * len(header)
    body = "\n".join(" & ".join(map(_escaped, row)) + r" \\" for row in cells)
    return (
        f"\\begin{{tabular}}{{{columns}}}\n\\toprule\n{' & '.join(map(_escaped, header))} \\\\\n\\midrule\n"
        f"{body}\n\\bottomrule\n\\end{{tabular}}\n"
    )


_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "↓": r"$\downarrow$", "↑": r"$\uparrow$", "−": "$-$",
    "–": "--",
}  # fmt: skip


def _escaped(text: str) -> str:
    return "".join(_LATEX.get(letter, letter) for letter in text)


def _is_number(text: str) -> bool:
    try:
        float(text.replace("–", "0"))
    except ValueError:
        return False
    return True
