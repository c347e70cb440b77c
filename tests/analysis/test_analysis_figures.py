"""Figures: legible, the same bytes for the same data, and every kind drawn in both themes."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.analysis_results import write_results

from alee_mteb.analysis import inputs, model_pairs
from alee_mteb.analysis.figures import style
from alee_mteb.analysis.figures.scatter import scatter
from alee_mteb.analysis.figures.style import DARK, LIGHT
from alee_mteb.analysis.kinds import KINDS, Choices, draw
from alee_mteb.analysis.table import Analysis
from alee_mteb.languages import official_languages

pytest.importorskip("matplotlib", reason="the extra `leaderboard` is not installed")


@pytest.fixture(scope="module")
def analyses(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, Analysis]]:
    """Module of `figures` and analysis of every kind, of two models on two data sets."""
    folder = tmp_path_factory.mktemp("results")
    for model, rate in (("org/a$strange_{name}", 0.8), ("org/a-name-that-is-much-too-long-for-the-margin-of-it", 0.6)):
        for task, n in (("ALEE-MT61", 62), ("ALEE-BQ275", 12)):
            keys = [one.key for one in official_languages(task)][:n]
            write_results(folder, model, task, dict.fromkeys(keys, rate), levels=task == "ALEE-BQ275")
    runs = inputs.load([folder])
    found = [(kind.module, kind.compute(runs, Choices())) for kind in KINDS]
    return [*found, ("model_pairs", model_pairs.from_runs(runs[0::2], runs[1::2]))]


def boxes(texts: Sequence[Any], renderer: Any) -> list[tuple[str, Any]]:
    shown = [text for text in texts if text.get_visible() and text.get_text().strip()]
    return [(text.get_text(), text.get_window_extent(renderer)) for text in shown]


def overlapping(labels: list[tuple[str, Any]]) -> list[tuple[str, str]]:
    """Pairs of labels that lie on each other, but for a hair."""
    if not labels:
        return []
    corners = np.array([box.shrunk(0.98, 0.9).extents for _, box in labels])  # left, bottom, right, top
    low, high = corners[:, :2], corners[:, 2:]
    over = ((low[:, None] < high[None]) & (high[:, None] > low[None])).all(axis=2)
    return [(labels[one][0], labels[other][0]) for one, other in np.argwhere(np.triu(over, 1))]


def test_every_kind_is_drawn_without_labels_on_each_other(analyses: list[tuple[str, Analysis]]):
    for module, analysis in analyses:
        with style.drawing(LIGHT):
            figure: Any = draw(analysis, LIGHT, module)
            figure.draw_without_rendering()
            renderer = figure.canvas.get_renderer()
            for axes in figure.axes:
                ticks = [axis.get_ticklabels(minor) for axis in (axes.xaxis, axes.yaxis) for minor in (False, True)]
                for labels in (ticks[0] + ticks[1], ticks[2] + ticks[3], axes.texts):
                    assert overlapping(boxes(labels, renderer)) == [], module
            width, height = figure.canvas.get_width_height()
            outer = [
                text
                for axes in figure.axes
                for text in (axes._left_title, axes.xaxis.label, axes.yaxis.label, *axes.get_yticklabels())
            ]
            for text, box in boxes([*outer, figure._suptitle], renderer):
                assert box.x0 >= -1, (module, text)
                assert box.x1 <= width + 1, (module, text)
                assert box.y0 >= -1, (module, text)
                assert box.y1 <= height + 1, (module, text)


@pytest.mark.parametrize(
    ("amounts", "shown"),
    [((3.5, 9.0, 55.0), ["5", "10", "20", "50"]), ((20.0, 300.0, 40_000.0), ["100", "1000", "10k"])],
    ids=["less-than-two-decades", "more"],
)
def test_a_logarithmic_axis_has_plain_numbers(amounts: tuple[float, ...], shown: list[str]):
    rows = [{"amount": amount, "tacc": 0.5 + place / 10} for place, amount in enumerate(amounts)]
    with style.drawing(LIGHT):
        (axes,) = style.panels(style.new_figure(5, 4), 1, 1)
        scatter(axes, rows, "amount", "#000000")
        axes.figure.draw_without_rendering()
        low, high = axes.get_xlim()
        ticks = zip(axes.get_xticks(), axes.get_xticklabels(), strict=True)
        assert [label.get_text() for place, label in ticks if low <= place <= high] == shown
        assert not any(label.get_text() for label in axes.get_xticklabels(minor=True))


@pytest.mark.parametrize("format", style.FORMATS)
def test_the_same_data_give_the_same_bytes(analyses: list[tuple[str, Analysis]], tmp_path: Path, format: str):
    analysis, written = dict(analyses)["cc100"], []
    for name in ("one", "two"):
        with style.drawing(DARK):
            style.save(draw(analysis, DARK, "cc100"), tmp_path / f"{name}.{format}", format)
        written.append((tmp_path / f"{name}.{format}").read_bytes())
    assert written[0] == written[1]
    if format == "svg":
        assert b"<dc:date>" not in written[0]
        assert DARK.background.encode() in written[0]


def contrast(one: str, other: str) -> float:
    """WCAG 2 contrast of two colours."""

    def luminance(color: str) -> float:
        parts = [int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_text_and_first_colours_stand_out(theme: style.Theme):
    assert contrast(theme.text, theme.background) >= 7
    assert contrast(theme.muted, theme.background) >= 4.5
    for color in theme.series[:3]:
        assert contrast(color, theme.background) >= 3


def test_settings_of_matplotlib_are_put_back():
    import matplotlib

    before = dict(matplotlib.rcParams)
    with style.drawing(DARK):
        assert matplotlib.rcParams["text.color"] == DARK.text
    assert dict(matplotlib.rcParams) == before
