"""Figure 5: languages by their rank tier on the web, one panel a data set."""

from typing import TYPE_CHECKING

import numpy as np

from alee_mteb.analysis.figures import style
from alee_mteb.analysis.figures.style import Theme
from alee_mteb.analysis.table import Analysis, number, unique
from alee_mteb.analysis.web_tiers import TIERS, UNLISTED

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw(analysis: Analysis, theme: Theme) -> "Figure":
    """A dot per language, spread sideways so that they do not hide each other; a bar at the mean of each tier."""
    datasets = unique(str(row["dataset"]) for row in analysis.rows)
    columns = min(3, len(datasets))
    rows_of_panels = -(-len(datasets) // columns)
    figure = style.new_figure(max(5.0, 4.3 * columns), 0.5 + 4.0 * rows_of_panels)
    panels = style.panels(figure, rows_of_panels, columns, sharey=True)
    for axes, dataset in zip(panels, datasets, strict=False):
        _panel(axes, analysis, dataset, theme)
    for axes in panels[len(datasets) :]:
        axes.remove()
    style.heading(figure, analysis.title, analysis.published)
    return figure


def _panel(axes: "Axes", analysis: Analysis, dataset: str, theme: Theme) -> None:
    tiers = [*TIERS, UNLISTED]
    labels = []
    for place, tier in enumerate(tiers):
        values = sorted(
            number(row["tacc"]) for row in analysis.rows if row["dataset"] == dataset and row["tier"] == tier
        )
        found = [row for row in analysis.summary if row["dataset"] == dataset and row["tier"] == tier]
        means = "".join(f"\nmean {number(row['mean']):.3f}" for row in found)
        labels.append(f"{tier}\nn = {len(values)}{means}".replace("-", "–"))
        axes.scatter(
            place + spread(values), values, s=14, alpha=0.75, color=theme.series[place], linewidths=0, zorder=2
        )
        for row in found:
            middle = number(row["mean"])
            axes.plot([place - 0.36, place + 0.36], [middle, middle], color=theme.text, linewidth=2, zorder=3)
    axes.set_xticks(range(len(tiers)), labels)
    axes.set_xlim(-0.55, len(tiers) - 0.45)
    axes.set_title(dataset)
    axes.set_xlabel("rank in Common Crawl (line: mean)")
    axes.set_ylabel("macro-TACC")
    axes.grid(visible=False, axis="x")


def spread(
    values: list[float], width: float = 0.3, bins: int = 28
) -> "np.ndarray[tuple[int, ...], np.dtype[np.float64]]":
    """Sideways offsets: values that fall into one of so many bins stand side by side about the middle."""
    offsets = np.zeros(len(values))
    if not values:
        return offsets
    low, high = min(values), max(values)
    step = (high - low) / bins or 1.0
    groups: dict[int, list[int]] = {}
    for index, value in enumerate(values):
        groups.setdefault(int((value - low) / step), []).append(index)
    most = max(len(members) for members in groups.values())
    gap = min(0.07, 2 * width / max(1, most - 1))
    for members in groups.values():
        for place, index in enumerate(members):
            offsets[index] = gap * (place - (len(members) - 1) / 2)
    return offsets
