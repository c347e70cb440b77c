"""A panel of languages with a rank correlation, which Figures 4, 6 and 7 share."""

from typing import TYPE_CHECKING

from alee_mteb.analysis.figures import style
from alee_mteb.analysis.figures.labels import label_points
from alee_mteb.analysis.figures.style import Theme
from alee_mteb.analysis.table import Row, Value, number

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def scatter(axes: "Axes", rows: list[Row], x: str, color: str, marker: str = "o", log: bool = True) -> None:
    """The points and limits; labels come later, when the layout stands."""
    points = [row for row in rows if row["tacc"] is not None]
    axes.scatter(
        [number(row[x]) for row in points],
        [number(row["tacc"]) for row in points],
        s=22,
        alpha=0.8,
        color=color,
        marker=marker,
        linewidths=0,
    )
    if log:
        _logarithmic(axes, [number(row[x]) for row in points])
    axes.set_ylim(*style.tight_limits([number(row["tacc"]) for row in points], margin=0.09))


def _logarithmic(axes: "Axes", amounts: list[float]) -> None:
    """A logarithmic axis with plain numbers: at the powers of ten, and between them where there are hardly any."""
    from matplotlib.ticker import LogLocator, NullFormatter

    axes.set_xscale("log")
    if max(amounts) < 100 * min(amounts):
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter(lambda value, _: f"{value / 1000:g}k" if value >= 10_000 else f"{value:g}")
    axes.xaxis.set_minor_formatter(NullFormatter())  # by default a formula, shown raw as names are not parsed
    axes.margins(x=0.09)


def say_correlation(axes: "Axes", title: str, rho: Value, languages: Value) -> None:
    """Title of a panel: data set, ρ and number of languages."""
    found = "too few languages" if rho is None else f"Spearman ρ = {number(rho):.3f}".replace("-", "−")
    axes.set_title(f"{title}\n{found}, {languages} languages")


def name_points(axes: "Axes", rows: list[Row], x: str, theme: Theme) -> None:
    """Labels beside as many points as have room."""
    points = [row for row in rows if row["tacc"] is not None]
    label_points(
        axes,
        [number(row[x]) for row in points],
        [number(row["tacc"]) for row in points],
        [str(row["language"]) for row in points],
        theme.muted,
    )
