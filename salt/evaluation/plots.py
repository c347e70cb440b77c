"""Figures of a run: by layer, per language, principal components, training dynamics (paper, Figures 3, 4, 7, 8, 12)."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from alee_mteb.errors import DataError, MissingExtraError
from alee_mteb.files import atomic_path
from salt.evaluation.scores import Score
from salt.evaluation.summary import layer_lines

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_run(out: Path, scores: Sequence[Score], layer: int, extras: Mapping[str, Any], log: Path | None) -> list[Path]:
    """All figures that the scores allow, as PNG in ``OUT/plots``.

    Raises:
        MissingExtraError: matplotlib is not installed.
        DataError: the training log holds no evaluation.
    """
    folder = out / "plots"
    drawn = []
    for title, lines in layer_lines(scores):
        name = "-".join("".join(letter if letter.isalnum() else " " for letter in title.lower()).split())
        drawn.append(_save(_line_figure(lines, "layer", title.split(" by ")[0]), folder / f"{name}.png"))
    for task, metric, setting in per_language_groups(scores, layer):
        values = {
            score.language: score
            for score in scores
            if (score.task, score.metric, score.setting or "") == (task, metric, setting)
            and score.layer in (None, layer)
            and score.method in (None, "itermax")
        }
        name = "-".join(part for part in (task, metric, setting.replace(" ", "-")) if part).replace("@", "-at-")
        drawn.append(
            _save(_bar_figure(values, f"{task}, {metric} {setting}".strip()), folder / f"per-language-{name}.png")
        )
    for part, content in extras.items():
        if "pca" in content:
            drawn.append(_save(_scatter_figure(content["pca"]), folder / f"pca-{part.split('/')[-1]}.png"))
    if log is not None:
        drawn.append(_save(_line_figure(training_lines(log), "step", "value"), folder / "training.png"))
    return drawn


def per_language_groups(scores: Sequence[Score], layer: int) -> list[tuple[str, str, str]]:
    """(task, metric, setting) of headline scores that more than one language has."""
    counts: dict[tuple[str, str, str], set[str]] = {}
    for score in scores:
        if score.layer in (None, layer) and score.method in (None, "itermax") and score.metric in _HEADLINE:
            counts.setdefault((score.task, score.metric, score.setting or ""), set()).add(score.language)
    return [key for key, languages in counts.items() if len(languages) > 1]


_HEADLINE = ("aer", "macro-f1", "accuracy", "xsim", "xsim++", "recall@5", "chrf")


def training_lines(log: Path) -> dict[str, dict[int, float]]:
    """Figure → step → value, from the evaluation lines of a trainer's log (its run folder).

    Raises:
        DataError: no log, or no evaluation in it.
    """
    from salt.training.log import read_log

    lines: dict[str, dict[int, float]] = {}
    for record in read_log(log):
        if record.get("kind") != "evaluation":
            continue
        for name, value in record.items():
            if name not in ("kind", "step", "seconds") and isinstance(value, int | float):
                lines.setdefault(name, {})[int(record["step"])] = float(value)
    if not lines:
        raise DataError(f"{log}: no evaluation in the log; train with evaluation every n steps")
    return lines


def _line_figure(lines: Mapping[str, Mapping[int, float]], x_label: str, y_label: str) -> "Figure":
    figure = _figure(6.4, 4.0)
    axes = figure.subplots()
    for name, points in lines.items():
        axes.plot(list(points), list(points.values()), marker="o", markersize=3, label=name)
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    axes.legend(fontsize=8)
    return figure


def _bar_figure(values: Mapping[str, Score], title: str) -> "Figure":
    figure = _figure(max(6.4, 0.28 * len(values)), 4.0)
    axes = figure.subplots()
    names = sorted(values)
    heights = [values[name].value for name in names]
    errors = [
        (0.0, 0.0) if values[name].low is None else (height - values[name].low, values[name].high - height)  # type: ignore[operator]
        for name, height in zip(names, heights, strict=True)
    ]
    axes.bar(range(len(names)), heights, yerr=np.maximum(np.array(errors, dtype=float).T, 0), capsize=2)
    axes.set_xticks(range(len(names)), names, rotation=90, fontsize=7)
    axes.set_title(title, fontsize=10)
    return figure


def _scatter_figure(content: Mapping[str, Any]) -> "Figure":
    figure = _figure(6.4, 5.2)
    axes = figure.subplots()
    points = np.array(content["points"])
    languages = np.array(content["languages"])
    for language in dict.fromkeys(content["languages"]):
        at = languages == language
        axes.scatter(points[at, 0], points[at, 1], s=10, label=language)
    first, second = content["variance"]
    axes.set_xlabel(f"first component ({first:.0%})")
    axes.set_ylabel(f"second component ({second:.0%})")
    if len(set(content["languages"])) <= 20:
        axes.legend(fontsize=7)
    return figure


def _figure(width: float, height: float) -> "Figure":
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError("matplotlib", "salt", "drawing plots") from error
    return Figure(figsize=(width, height), layout="constrained")


def _save(figure: "Figure", path: Path) -> Path:
    with atomic_path(path) as temporary:
        figure.savefig(temporary, format="png", dpi=150, metadata={"Software": None})
    return path
