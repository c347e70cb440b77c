"""Figure 2: bars per model and perturbation, one panel a data set."""

from typing import TYPE_CHECKING

from alee_mteb.analysis.figures import style
from alee_mteb.analysis.figures.style import Theme
from alee_mteb.analysis.table import Analysis, Row, mean, number, unique
from alee_mteb.perturbations import CODES, Perturbation

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: What an encoder without any knowledge reaches.
CHANCE = 0.5
#: Models in one figure; the data have all.
SHOWN = 30


def draw(analysis: Analysis, theme: Theme) -> "Figure":
    """Bars start at chance; the best models by mean over data sets come first."""
    datasets = unique(str(row["dataset"]) for row in analysis.rows)
    models = best_models(analysis.rows)
    figure = style.new_figure(2.6 + 3.2 * len(datasets), 1.7 + 0.46 * len(models))
    for place, (axes, dataset) in enumerate(
        zip(style.panels(figure, 1, len(datasets), sharey=True), datasets, strict=True)
    ):
        rows = [row for row in analysis.rows if row["dataset"] == dataset]
        _bars(axes, rows, models, theme)
        axes.set_title(dataset)
        axes.set_xlabel("TACC (bars start at chance, 0.5)")
        if place == 0:
            axes.set_yticks(range(len(models)), [style.short(model) for model in models])
            axes.set_ylim(len(models) - 0.45, -0.55)
            handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4)
    style.heading(figure, analysis.title, analysis.published)
    return figure


def best_models(rows: list[Row], value: str = "tacc") -> list[str]:
    """Models by mean value, best first, at most `SHOWN`."""
    means = {
        model: mean(number(row[value]) for row in rows if row["model"] == model)
        for model in unique(str(row["model"]) for row in rows)
    }
    return sorted(means, key=lambda model: (-means[model], model))[:SHOWN]


def _bars(axes: "Axes", rows: list[Row], models: list[str], theme: Theme) -> None:
    place = {model: index for index, model in enumerate(models)}
    height = 0.2
    for kind, code in enumerate(CODES):
        found = [row for row in rows if row["perturbation"] == code and row["model"] in place]
        y = [place[str(row["model"])] + (kind - 1.5) * height for row in found]
        values = [number(row["tacc"]) for row in found]
        label = f"{code} {Perturbation.from_code(code).title}"
        axes.barh(
            y, [value - CHANCE for value in values], height * 0.9, left=CHANCE, color=theme.series[kind], label=label
        )
        for height_at, row in zip(y, found, strict=True):
            if row["low"] is not None and row["high"] is not None:
                axes.plot([number(row["low"]), number(row["high"])], [height_at] * 2, color=theme.text, linewidth=1)
    ends = [number(row[name]) for row in rows for name in ("tacc", "low", "high") if row[name] is not None]
    axes.set_xlim(min(CHANCE, *ends) - 0.01, 1.0)
    axes.axvline(CHANCE, color=theme.muted, linewidth=1)
    axes.grid(visible=False, axis="y")
