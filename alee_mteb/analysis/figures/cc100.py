"""Figure 4: languages by the size of their CC-100 corpus, one panel a data set."""

from typing import TYPE_CHECKING

from alee_mteb.analysis.figures import style
from alee_mteb.analysis.figures.labels import lay_out
from alee_mteb.analysis.figures.scatter import name_points, say_correlation, scatter
from alee_mteb.analysis.figures.style import Theme
from alee_mteb.analysis.table import Analysis, Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw(analysis: Analysis, theme: Theme) -> "Figure":
    """Logarithmic size against TACC."""
    return draw_scatter(analysis, theme, "million_tokens", "million tokens in CC-100 (logarithmic)", log=True)


def draw_scatter(analysis: Analysis, theme: Theme, x: str, label: str, log: bool) -> "Figure":
    """One panel a data set, in up to three columns."""
    columns = min(3, len(analysis.summary))
    rows_of_panels = -(-len(analysis.summary) // columns)
    figure = style.new_figure(max(5.2, 4.9 * columns), 0.5 + 4.1 * rows_of_panels)
    panels = style.panels(figure, rows_of_panels, columns)
    drawn = []
    for index, (axes, found) in enumerate(zip(panels, analysis.summary, strict=False)):
        rows: list[Row] = [row for row in analysis.rows if row["dataset"] == found["dataset"]]
        scatter(axes, rows, x, theme.series[index % len(theme.series)], log=log)
        say_correlation(axes, str(found["dataset"]), found["spearman"], found["languages"])
        axes.set_xlabel(label)
        axes.set_ylabel("macro-TACC")
        drawn.append((axes, rows))
    for axes in panels[len(analysis.summary) :]:
        axes.remove()
    style.heading(figure, analysis.title, analysis.published)
    lay_out(figure)
    for axes, rows in drawn:
        name_points(axes, rows, x, theme)
    return figure
