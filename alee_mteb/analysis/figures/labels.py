"""Labels of points that never lie on each other or on points, and leave out what does not fit."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from alee_mteb.tacc import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Where a label may stand beside its point: offset in points (1/72 inch) and alignment.
_PLACES = (
    (5, 0, "left", "center"),
    (-5, 0, "right", "center"),
    (0, 5, "center", "bottom"),
    (0, -5, "center", "top"),
    (4, 4, "left", "bottom"),
    (-4, 4, "right", "bottom"),
    (4, -4, "left", "top"),
    (-4, -4, "right", "top"),
)


#: How much of a text's size lies left of, or below, the place it is aligned to.
_SHIFT = {"left": 0.0, "right": 1.0, "bottom": 0.0, "top": 1.0, "center": 0.5}

_Box = tuple[float, float, float, float]


def lay_out(figure: "Figure") -> None:
    """Give every part of a finished figure its place, so that room for labels can be measured."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")  # what is found now is kept


def label_points(
    axes: "Axes", x: Sequence[float], y: Sequence[float], names: Sequence[str], color: str, limit: int = 40
) -> None:
    """Name as many points as fit, the ones furthest from the crowd first. Call it once `lay_out` has been."""
    canvas: Any = axes.figure.canvas
    renderer = canvas.get_renderer()
    extent = axes.get_window_extent(renderer)
    inside = (extent.x0, extent.y0, extent.x1, extent.y1)
    pixels = axes.transData.transform(np.column_stack([x, y]))
    scale = axes.figure.dpi / 72
    taken = np.concatenate([pixels - 3.2 * scale, pixels + 3.2 * scale], axis=1)  # (n, 4): left, bottom, right, top
    for index in _loneliest_first(pixels)[:limit]:
        text = axes.annotate(
            names[index], (x[index], y[index]), (0, 0), textcoords="offset points", fontsize=7, color=color
        )
        text.set_in_layout(False)
        size = text.get_window_extent(renderer)
        others = np.delete(taken, index, axis=0)
        for dx, dy, horizontal, vertical in _PLACES:
            left = pixels[index, 0] + dx * scale - size.width * _SHIFT[horizontal]
            bottom = pixels[index, 1] + dy * scale - size.height * _SHIFT[vertical]
            box = (left, bottom, left + size.width, bottom + size.height)
            if _lies_in(box, inside) and not _overlaps(box, others):
                text.set(position=(dx, dy), ha=horizontal, va=vertical)
                taken = np.concatenate([taken, [box]])
                break
        else:
            text.remove()


def _loneliest_first(pixels: Floats) -> list[int]:
    """Indices by distance to the third nearest neighbour, largest first."""
    if len(pixels) < 2:
        return list(range(len(pixels)))
    distances = np.sqrt(((pixels[:, None] - pixels[None]) ** 2).sum(axis=2))
    distances.sort(axis=1)
    nearby = distances[:, min(3, len(pixels) - 1)]
    return [int(index) for index in np.argsort(-nearby, kind="stable")]


def _lies_in(box: _Box, around: _Box) -> bool:
    return around[0] <= box[0] and box[2] <= around[2] and around[1] <= box[1] and box[3] <= around[3]


def _overlaps(box: _Box, others: Floats) -> bool:
    """Whether a box touches any of the others, shape (n, 4)."""
    apart = (others[:, 0] >= box[2]) | (others[:, 2] <= box[0]) | (others[:, 1] >= box[3]) | (others[:, 3] <= box[1])
    return not apart.all()
