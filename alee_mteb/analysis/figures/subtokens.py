"""Figures 7, 9, 10: languages by the median number of subtokens of their texts."""

from typing import TYPE_CHECKING

from alee_mteb.analysis.figures.cc100 import draw_scatter
from alee_mteb.analysis.figures.style import Theme
from alee_mteb.analysis.table import Analysis

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw(analysis: Analysis, theme: Theme) -> "Figure":
    """Subtokens against TACC, one panel a data set."""
    return draw_scatter(analysis, theme, "subtokens", "median subtokens per text", log=False)
