"""Macro-TACC of every language and model as a picture, languages from best to worst."""

import textwrap
from typing import TYPE_CHECKING

from alee_mteb.analysis.figures import style
from alee_mteb.analysis.figures.heat import heat_table
from alee_mteb.analysis.figures.style import Theme
from alee_mteb.analysis.table import Analysis, Row, mean, number, unique

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Languages that stand below each other before a new block begins.
_BLOCK = 46
#: Models in one figure; the data have all.
SHOWN = 20


def draw(analysis: Analysis, theme: Theme) -> "Figure":
    """Data sets below each other, each in blocks of languages side by side; several models are numbered."""
    names = unique(str(row["model"]) for row in analysis.rows)[:SHOWN]
    tables = {
        dataset: _table(analysis.rows, dataset, names)
        for dataset in unique(str(row["dataset"]) for row in analysis.rows)
    }
    columns = max(-(-len(table) // _BLOCK) for table in tables.values())
    lengths = [-(-len(table) // columns) for table in tables.values()]
    width = max(6.0, columns * (1.25 + 0.52 * len(names)))
    figure = style.new_figure(width, 1.2 + sum(0.75 + 0.2 * length for length in lengths))
    panels = style.panels(figure, len(tables), columns, height_ratios=[3 + length for length in lengths])
    numbers = [number(row["macro"]) for row in analysis.rows if row["macro"] is not None]
    heads = ["macro"] if len(names) == 1 else [str(place + 1) for place in range(len(names))]
    for place, ((dataset, table), length) in enumerate(zip(tables.items(), lengths, strict=True)):
        order = sorted(table, key=lambda key: (-mean(v for v in table[key].values() if v == v), key))
        for column in range(columns):
            axes = panels[place * columns + column]
            block = order[column * length : (column + 1) * length]
            if not block:
                axes.remove()
                continue
            values = [[table[key].get(name, float("nan")) for name in names] for key in block]
            heat_table(axes, values, block, heads, theme, (min(numbers), max(numbers)), font=7)
            axes.set_ylim(length - 0.5, -0.5)
            if column == 0:
                axes.set_title(f"{dataset}\n")
    style.heading(figure, analysis.title, analysis.published)
    _say_models(figure, names, width, theme)
    return figure


def _table(rows: list[Row], dataset: str, names: list[str]) -> dict[str, dict[str, float]]:
    """Language → model → macro."""
    table: dict[str, dict[str, float]] = {}
    for row in rows:
        if row["dataset"] == dataset and row["model"] in names:
            table.setdefault(str(row["language"]), {})[str(row["model"])] = number(row["macro"])
    return table


def _say_models(figure: "Figure", names: list[str], width: float, theme: Theme) -> None:
    """Which number stands for which model, below everything."""
    listed = names if len(names) == 1 else [f"{place + 1} {style.short(name)}" for place, name in enumerate(names)]
    lines = textwrap.wrap("    ".join(listed), int(width * 14))
    figure.supxlabel("\n".join(lines), x=0.01, ha="left", fontsize=8, color=theme.muted)
