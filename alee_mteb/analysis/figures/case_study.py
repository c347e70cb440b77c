"""Figure 8: models over a few languages, one panel a data set."""

from typing import TYPE_CHECKING

from alee_mteb.analysis.figures import style
from alee_mteb.analysis.figures.heat import heat_table
from alee_mteb.analysis.figures.perturbations import SHOWN
from alee_mteb.analysis.figures.style import Theme
from alee_mteb.analysis.table import Analysis, number, unique

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw(analysis: Analysis, theme: Theme) -> "Figure":
    """A table in colour: languages, their mean, and how far that is from the model's mean over all languages."""
    datasets = unique(str(row["dataset"]) for row in analysis.rows)
    sizes = {}
    for dataset in datasets:
        rows = [row for row in analysis.rows if row["dataset"] == dataset]
        languages = unique(str(row["language"]) for row in rows)
        ranked = [str(row["model"]) for row in analysis.summary if row["dataset"] == dataset]
        others = [str(row["model"]) for row in rows if row["model"] not in ranked]
        sizes[dataset] = (languages, [*ranked, *unique(others)][:SHOWN])
    width = 3.2 + 0.82 * (max(len(languages) for languages, _ in sizes.values()) + 3)
    heights = [0.9 + 0.3 * len(models) for _, models in sizes.values()]
    figure = style.new_figure(width, 0.6 + sum(heights))
    panels = style.panels(figure, len(datasets), 1, height_ratios=heights)
    for axes, (dataset, (languages, models)) in zip(panels, sizes.items(), strict=True):
        cells = {
            (row["model"], row["language"]): number(row["macro_tacc"])
            for row in analysis.rows
            if row["dataset"] == dataset
        }
        summary = {row["model"]: row for row in analysis.summary if row["dataset"] == dataset}
        nothing = float("nan")
        values, texts = [], []
        for model in models:
            found = summary.get(model)
            line = [cells.get((model, language), nothing) for language in languages]
            line += (
                [number(found["mean"]), number(found["all_languages"]), number(found["relative"])]
                if found
                else [nothing] * 3
            )
            values.append(line)
            written = ["" if value != value else f"{value:.3f}" for value in line[:-1]]
            relative = "" if line[-1] != line[-1] else f"{line[-1]:+.1%}".replace("-", "−")
            texts.append([*written, relative])
        present = [value for line in values for value in line[:-1] if value == value]
        long = any(len(name) > 9 for name in languages)
        heads = [name.replace("_", "_\n", 1) if long else name for name in languages]
        columns = [*heads, "mean", "all its\nlanguages", "relative"]
        heat_table(axes, values, models, columns, theme, (min(present), max(present)), texts, [len(columns) - 1])
        axes.set_title(f"{dataset}\n")
    style.heading(figure, analysis.title, analysis.published)
    return figure
