"""A table of shares in colour with the numbers in it, which the case study and the tables share."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from alee_mteb.analysis.figures import style
from alee_mteb.analysis.figures.style import Theme

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def heat_table(
    axes: "Axes",
    values: Sequence[Sequence[float]],
    rows: Sequence[str],
    columns: Sequence[str],
    theme: Theme,
    limits: tuple[float, float],
    texts: Sequence[Sequence[str]] | None = None,
    plain: Sequence[int] = (),
    font: float = 8.0,
) -> None:
    """Cells coloured between the limits; NaN is an empty cell.

    Args:
        axes: where to draw.
        values: one list per row.
        rows: their names.
        columns: names of the columns.
        theme: colours.
        limits: values of the ends of the colour map.
        texts: what to print instead of three decimals.
        plain: columns without colour (ranks, say).
        font: size of the numbers.
    """
    import matplotlib

    colors = matplotlib.colormaps[theme.ramp]
    table = np.array(values, dtype=np.float64)
    low, high = limits
    scaled = np.clip((table - low) / (high - low if high > low else 1.0), 0, 1) * 0.9
    image = np.zeros((*table.shape, 4))
    background = matplotlib.colors.to_rgba(theme.background)
    for row, column in np.ndindex(table.shape):
        empty = np.isnan(table[row, column]) or column in plain
        image[row, column] = background if empty else colors(scaled[row, column])
        text = texts[row][column] if texts else "" if np.isnan(table[row, column]) else f"{table[row, column]:.3f}"
        ink = _ink(image[row, column], theme)
        cell = axes.text(column, row, text, ha="center", va="center", fontsize=font, color=ink)
        cell.set_in_layout(False)
    axes.imshow(image, aspect="auto", interpolation="nearest")
    axes.set_xticks(range(len(columns)), columns)
    axes.xaxis.tick_top()
    axes.set_yticks(range(len(rows)), [style.short(name) for name in rows])
    axes.tick_params(length=0)
    axes.grid(visible=False)
    axes.set_xticks(np.arange(1, len(columns)) - 0.5, minor=True)
    axes.set_yticks(np.arange(1, len(rows)) - 0.5, minor=True)
    axes.grid(which="minor", color=theme.background, linewidth=1.5)
    axes.tick_params(which="minor", length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)


def _ink(cell: "np.ndarray[tuple[int, ...], np.dtype[np.float64]]", theme: Theme) -> str:
    """Black or white, whichever stands out (relative luminance, WCAG 2)."""
    linear = np.where(cell[:3] <= 0.03928, cell[:3] / 12.92, ((cell[:3] + 0.055) / 1.055) ** 2.4)
    luminance = float(linear @ (0.2126, 0.7152, 0.0722))
    return "#111111" if luminance > 0.179 else "#f7f7f7"
