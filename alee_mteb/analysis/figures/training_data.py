"""Figure 6: languages by training data, two panels (the stages) for every data set and model."""

from typing import TYPE_CHECKING

from alee_mteb.analysis.figures import style
from alee_mteb.analysis.figures.labels import lay_out
from alee_mteb.analysis.figures.scatter import name_points, say_correlation, scatter
from alee_mteb.analysis.figures.style import MARKERS, Theme
from alee_mteb.analysis.table import Analysis, Row, Value, unique
from alee_mteb.analysis.training_data import STAGES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Data sets times models in one figure; the data have all.
SHOWN = 6


def draw(analysis: Analysis, theme: Theme) -> "Figure":
    """Logarithmic amounts against macro-TACC."""
    every = unique((row["dataset"], row["model"]) for row in analysis.summary)
    pairs = every[:SHOWN]
    side_by_side = 2 if len(pairs) > 3 else 1
    lines = -(-len(pairs) // side_by_side)
    figure = style.new_figure(9.6 * side_by_side, 0.5 + 3.7 * lines)
    panels = style.panels(figure, lines, 2 * side_by_side)
    drawn = []
    for place, pair in enumerate(pairs):
        for column, stage in enumerate(STAGES):
            axes = panels[2 * place + column]
            rows = [row for row in analysis.rows if _series(row) == (*pair, stage)]
            found = [row for row in analysis.summary if _series(row) == (*pair, stage)]
            if not found:
                axes.remove()
                continue
            scatter(axes, rows, "amount", theme.series[column], MARKERS[column])
            say_correlation(axes, f"{pair[0]}, {style.short(pair[1], 28)}", found[0]["spearman"], found[0]["languages"])
            axes.set_xlabel(f"{stage} data (logarithmic)")
            axes.set_ylabel("macro-TACC")
            drawn.append((axes, rows))
    for axes in panels[2 * len(pairs) :]:
        axes.remove()
    more = len(every) - len(pairs)
    style.heading(figure, analysis.title + (f" ({more} more in the data)" if more else ""), analysis.published)
    lay_out(figure)
    for axes, rows in drawn:
        name_points(axes, rows, "amount", theme)
    return figure


def _series(row: Row) -> tuple[Value, Value, Value]:
    return row["dataset"], row["model"], row["stage"]
