"""Two models: differences per perturbation and language with intervals."""

from typing import TYPE_CHECKING

from alee_mteb.analysis.comparison import MACRO
from alee_mteb.analysis.figures import style
from alee_mteb.analysis.figures.style import Theme
from alee_mteb.analysis.model_pairs import ALL
from alee_mteb.analysis.table import Analysis, Row, number, unique
from alee_mteb.perturbations import CODES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Languages in one panel, those with the largest differences either way; the data have all.
SHOWN = 50


def draw(analysis: Analysis, theme: Theme) -> "Figure":
    """Per data set: all languages together by perturbation, then macro by language. Filled: significant."""
    datasets = unique(str(row["dataset"]) for row in analysis.rows)
    languages = {dataset: _languages(analysis.rows, dataset) for dataset in datasets}
    most = max(len(rows) for rows in languages.values())
    figure = style.new_figure(max(5.8, 4.6 * len(datasets)), 3.6 + 0.2 * most)
    panels = style.panels(figure, 2, len(datasets), height_ratios=[6.5, max(3, most)])
    for column, dataset in enumerate(datasets):
        together = [
            row
            for code in (MACRO, *CODES)
            for row in analysis.rows
            if (row["dataset"], row["language"], row["perturbation"]) == (dataset, ALL, code)
        ]
        _panel(panels[column], together, [str(row["perturbation"]) for row in together], theme)
        panels[column].set_title(f"{dataset}\nall languages")
        lower = panels[len(datasets) + column]
        _panel(lower, languages[dataset], [str(row["language"]) for row in languages[dataset]], theme)
        lower.set_title(_title(analysis.rows, dataset, len(languages[dataset])))
        lower.set_xlabel("TACC of the first minus the second\n(filled: significant after correction)")
    style.heading(figure, analysis.title, analysis.published)
    return figure


def _languages(rows: list[Row], dataset: str) -> list[Row]:
    found = [
        row for row in rows if row["dataset"] == dataset and row["perturbation"] == MACRO and row["language"] != ALL
    ]
    largest = sorted(found, key=lambda row: (-abs(number(row["difference"])), str(row["language"])))[:SHOWN]
    return sorted(largest, key=lambda row: (-number(row["difference"]), str(row["language"])))


def _title(rows: list[Row], dataset: str, shown: int) -> str:
    every = {row["language"] for row in rows if row["dataset"] == dataset} - {ALL}
    return "macro-TACC by language" + (f": {shown} largest of {len(every)}" if shown < len(every) else "")


def _panel(axes: "Axes", rows: list[Row], names: list[str], theme: Theme) -> None:
    for y, row in enumerate(rows):
        value, significant = number(row["difference"]), row["significant"] == "yes"
        color = theme.series[0] if value >= 0 else theme.series[1]
        if row["low"] is not None and row["high"] is not None:
            axes.plot([number(row["low"]), number(row["high"])], [y, y], color=color, linewidth=1.5, zorder=1)
        axes.scatter(
            [value],
            [y],
            s=30,
            marker="o" if value >= 0 else "s",
            facecolor=color if significant else theme.background,
            edgecolor=color,
            linewidths=1.4,
            zorder=2,
        )
    axes.axvline(0, color=theme.muted, linewidth=1)
    axes.set_yticks(range(len(rows)), names)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.grid(visible=False, axis="y")
