"""Tables 3 and 5 as a picture: models over data sets and perturbations."""

from typing import TYPE_CHECKING

from alee_mteb.analysis.figures import style
from alee_mteb.analysis.figures.heat import heat_table
from alee_mteb.analysis.figures.style import Theme
from alee_mteb.analysis.table import Analysis, number, unique
from alee_mteb.perturbations import CODES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Models in one figure; the data have all.
SHOWN = 60


def draw(analysis: Analysis, theme: Theme) -> "Figure":
    """Best average first; per data set the four perturbations and the macro, then average and rank."""
    datasets = unique(str(row["dataset"]) for row in analysis.rows)
    models = [str(row["model"]) for row in analysis.summary][:SHOWN]
    cells = {(row["dataset"], row["model"]): row for row in analysis.rows}
    averages = {row["model"]: row for row in analysis.summary}
    figure = style.new_figure(3.4 + 0.56 * (5 * len(datasets) + 2), 1.3 + 0.29 * len(models))
    panels = style.panels(figure, 1, len(datasets) + 1, width_ratios=[5] * len(datasets) + [2.2], sharey=True)
    numbers = [number(row[name]) for row in analysis.rows for name in (*CODES, "macro") if row.get(name) is not None]
    limits = min(numbers), max(numbers)
    for axes, dataset in zip(panels, datasets, strict=False):
        found = [cells.get((dataset, model), {}) for model in models]
        values = [[number(row.get(name)) for name in (*CODES, "macro")] for row in found]
        heat_table(axes, values, models, [*CODES, "macro"], theme, limits)
        axes.set_title(f"{dataset}\n")
    last = panels[-1]
    values = [[number(averages[model]["average"]), number(averages[model]["rank"])] for model in models]
    texts = [["" if a != a else f"{a:.3f}", "" if r != r else f"{r:.0f}"] for a, r in values]
    heat_table(last, values, models, ["average", "rank"], theme, limits, texts, [1])
    last.set_title("all\n")
    for axes in panels[1:]:
        axes.tick_params(labelleft=False)
    style.heading(figure, analysis.title, analysis.published)
    return figure
