"""Themes, colours, and saving so that the same data gives the same bytes.

Colours are those of Okabe and Ito, which colour-blind readers tell apart; in the dark theme the darker of them are
lightened. Nothing is told by colour alone: series differ in marker or place as well.
"""

import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alee_mteb.errors import MissingExtraError, ResultsError
from alee_mteb.files import atomic_path

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = ("svg", "png")
MARKERS = ("o", "s", "^", "D", "v", "P")


@dataclass(frozen=True)
class Theme:
    """Colours of a figure; `series` in the order of use, `ramp` a matplotlib colour map for shares."""

    name: str
    background: str
    text: str
    muted: str
    grid: str
    series: tuple[str, ...]
    ramp: str


LIGHT = Theme(
    "light",
    "#ffffff",
    "#1a1a1a",
    "#5c5c5c",
    "#e2e2e2",
    ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"),
    "YlGnBu",
)
DARK = Theme(
    "dark",
    "#15181c",
    "#f0f0f0",
    "#a9b0b8",
    "#343a42",
    ("#56b4e9", "#ff8c42", "#2fc79a", "#e7a0c6", "#f0c23b", "#8fb8ff"),
    "cividis",
)
THEMES = {"light": (LIGHT,), "dark": (DARK,), "both": (LIGHT, DARK)}


@contextmanager
def drawing(theme: Theme) -> Iterator[None]:
    """matplotlib's settings for a theme, restored afterwards.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    try:
        import matplotlib
    except ImportError as error:
        raise MissingExtraError("matplotlib", "leaderboard", "drawing figures") from error
    settings: Any = {
        "font.family": ["DejaVu Sans"],
        "font.size": 9,
        "axes.titlesize": 10,
        "axes.titleweight": "bold",
        "axes.titlelocation": "left",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.axisbelow": True,
        "axes.grid": True,
        "grid.color": theme.grid,
        "grid.linewidth": 0.8,
        "axes.edgecolor": theme.muted,
        "axes.facecolor": theme.background,
        "figure.facecolor": theme.background,
        "savefig.facecolor": theme.background,
        "text.color": theme.text,
        "axes.labelcolor": theme.text,
        "axes.titlecolor": theme.text,
        "xtick.color": theme.text,
        "ytick.color": theme.text,
        "xtick.major.size": 3,
        "ytick.major.size": 0,
        "legend.frameon": False,
        "svg.hashsalt": "alee",
        "svg.fonttype": "path",
        "savefig.dpi": 160,
        "axes.unicode_minus": True,
        "text.parse_math": False,  # names are not formulas
    }
    with matplotlib.rc_context(settings):
        yield


def new_figure(width: float, height: float) -> "Figure":
    """An empty figure, in inches, whose parts make room for each other."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)  # measures text
    return figure


def panels(figure: "Figure", rows: int, columns: int, **options: Any) -> list["Axes"]:
    """A grid of axes, row by row."""
    return list(figure.subplots(rows, columns, squeeze=False, **options).ravel())


def save(figure: "Figure", path: Path, format: str) -> None:
    """Write a figure; the same figure gives the same bytes.

    Raises:
        ResultsError: an unknown format, or a place that cannot be written.
    """
    if format not in FORMATS:
        raise ResultsError(f"unknown format {format!r}; choose one of {', '.join(FORMATS)}")
    metadata = {"Date": None, "Creator": None} if format == "svg" else {"Software": None}
    try:
        with atomic_path(path) as temporary:
            figure.savefig(temporary, format=format, metadata=metadata)
    except OSError as error:
        raise ResultsError(f"{path}: the figure cannot be written ({error.strerror or error})") from error


def heading(figure: "Figure", title: str, published: bool) -> None:
    """The title above all panels, to the left, telling published figures from one's own."""
    text = title + (" · published figures" if published else "")
    lines = textwrap.wrap(text, max(20, int(9 * figure.get_figwidth())))
    figure.suptitle("\n".join(lines), x=0.01, ha="left", fontsize=12, fontweight="bold")


def short(name: object, limit: int = 36) -> str:
    """A name that fits beside an axis."""
    text = str(name)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def tight_limits(
    values: Sequence[float], low: float = 0.0, high: float = 1.0, margin: float = 0.06
) -> tuple[float, float]:
    """Axis limits around shares, a little wider than they are, within `low` and `high` where they lie there."""
    least, most = min(values), max(values)
    pad = max(margin * (most - least), 0.01)
    return max(low, least - pad) if least >= low else least - pad, min(high, most + pad) if most <= high else most + pad
