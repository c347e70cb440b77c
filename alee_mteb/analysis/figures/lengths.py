"""Figure 3: how scores fall with the length of the text, one panel a data set."""

from typing import TYPE_CHECKING, Any

from alee_mteb.analysis.figures import style
from alee_mteb.analysis.figures.perturbations import SHOWN
from alee_mteb.analysis.figures.style import MARKERS, Theme
from alee_mteb.analysis.table import Analysis, mean, number, unique

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_NAMES = {
    "<115": "under 115 characters",
    "115-314": "115–314",
    ">=315": "315 or more",
    "sentence_level": "sentence",
    "paragraph_level": "paragraph",
}


def draw(analysis: Analysis, theme: Theme) -> "Figure":
    """A row of dots per model, joined by a line; the mean of the models is on top with its relative drops."""
    datasets = unique(str(row["dataset"]) for row in analysis.rows)
    most = max(len({r["model"] for r in analysis.rows if r["dataset"] == d}) for d in datasets)
    figure = style.new_figure(5.2 * len(datasets), 2.2 + 0.27 * min(most, SHOWN))
    for axes, dataset in zip(style.panels(figure, 1, len(datasets)), datasets, strict=True):
        _panel(axes, analysis, dataset, theme)
    style.heading(figure, analysis.title, analysis.published)
    return figure


def _panel(axes: "Axes", analysis: Analysis, dataset: str, theme: Theme) -> None:
    rows = [row for row in analysis.rows if row["dataset"] == dataset]
    bins = unique(str(row["bin"]) for row in rows)
    table: dict[str, dict[Any, float]] = {}
    for row in rows:
        table.setdefault(str(row["model"]), {})[row["bin"]] = number(row["macro_tacc"])
    models = sorted(table, key=lambda model: (-mean(table[model].values()), model))[:SHOWN]
    lines = {f"mean of {len(table)} models": _means(list(table.values()), bins)} | {m: table[m] for m in models}
    for y, values in enumerate(lines.values()):
        axes.plot(
            list(values.values()), [y] * len(values), color=theme.text if y == 0 else theme.grid, linewidth=2, zorder=1
        )
    for index, name in enumerate(bins):
        points = [(values[name], y) for y, values in enumerate(lines.values()) if name in values]
        axes.scatter(
            [x for x, _ in points],
            [y for _, y in points],
            s=34,
            marker=MARKERS[index % len(MARKERS)],
            color=theme.series[index % len(theme.series)],
            label=_NAMES.get(name, name),
            zorder=2,
        )
    drops = [row for row in analysis.summary if row["dataset"] == dataset]
    said = ", ".join(
        f"{number(row['relative_drop']):.1%} to {_NAMES.get(str(row['to']), row['to'])}"
        for row in drops
        if row["relative_drop"] is not None
    )
    axes.set_title(f"{dataset}\n", fontsize=10)
    said = f"mean drop {said}".replace("-", "−") if said else ""
    note = axes.text(0, 1.015, said, transform=axes.transAxes, color=theme.muted, fontsize=8)
    note.set_in_layout(False)
    axes.set_yticks(range(len(lines)), [style.short(name, 34) for name in lines])
    axes.get_yticklabels()[0].set_fontweight("bold")
    axes.set_ylim(len(lines) - 0.5, -0.5)
    axes.set_xlabel("macro-TACC")
    axes.locator_params(axis="x", nbins=5)
    axes.grid(visible=False, axis="y")
    axes.legend(
        loc="upper center", bbox_to_anchor=(0.3, -0.09 - 0.6 / len(lines)), ncols=len(bins), fontsize=8, columnspacing=1
    )


def _means(tables: list[dict[Any, float]], bins: list[str]) -> dict[Any, float]:
    complete = [table for table in tables if all(name in table for name in bins)]
    return {name: mean(table[name] for table in complete) for name in bins} if complete else {}
