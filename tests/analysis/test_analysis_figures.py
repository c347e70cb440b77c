"""Figures: legible, the same bytes for the same data, and every kind drawn in both themes."""

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from support.analysis_results import write_results

from alee_mteb.analysis import inputs, model_pairs
from alee_mteb.analysis.figures import style
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
        for task, n in (("ALEE-MT61", 62), ("ALEE-BQ275", 24)):
            keys = [one.key for one in official_languages(task)][:n]
            write_results(folder, model, task, dict.fromkeys(keys, rate), levels=task == "ALEE-BQ275")
    runs = inputs.load([folder])
    found = [(kind.module, kind.compute(runs, Choices())) for kind in KINDS]
    return [*found, ("model_pairs", model_pairs.from_runs(runs[0::2], runs[1::2]))]


def boxes(texts: Sequence[Any], renderer: Any) -> list[tuple[str, Any]]:
    shown = [text for text in texts if text.get_visible() and text.get_text().strip()]
    return [(text.get_text(), text.get_window_extent(renderer)) for text in shown]


def test_every_kind_is_drawn_without_labels_on_each_other(analyses: list[tuple[str, Analysis]]):
    for module, analysis in analyses:
        with style.drawing(LIGHT):
            figure: Any = draw(analysis, LIGHT, module)
            figure.canvas.draw()
            renderer = figure.canvas.get_renderer()
            for axes in figure.axes:
                ticks = (boxes(axes.get_xticklabels(), renderer), boxes(axes.get_yticklabels(), renderer))
                for labels in (*ticks, boxes(axes.texts, renderer)):
                    for (one, box), (other, second) in combinations(labels, 2):
                        assert not box.shrunk(0.98, 0.9).overlaps(second.shrunk(0.98, 0.9)), (module, one, other)
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


@pytest.mark.parametrize("format", style.FORMATS)
def test_the_same_data_give_the_same_bytes(analyses: list[tuple[str, Analysis]], tmp_path: Path, format: str):
    by_module = dict(analyses)
    for module in ("cc100", "case_study"):
        written = []
        for name in ("one", "two"):
            with style.drawing(DARK):
                style.save(draw(by_module[module], DARK, module), tmp_path / f"{name}.{format}", format)
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
