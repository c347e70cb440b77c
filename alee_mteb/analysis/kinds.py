"""The kinds of analysis that `alee analyse` knows, and how each is computed and drawn."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from alee_mteb.analysis import (
    case_study,
    cc100,
    language_tables,
    lengths,
    model_tables,
    perturbations,
    subtokens,
    training_data,
    web_tiers,
)
from alee_mteb.analysis.figures.style import Theme
from alee_mteb.analysis.table import Analysis
from alee_mteb.report.results import RunScores

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Choices:
    """What the user may set beside the results.

    Attributes:
        languages: of the case study.
        medians: subtokens counted with a tokenizer; the published ones by default.
        amounts: training data of a model; mGTE's by default.
    """

    languages: tuple[str, ...] = case_study.ROMANSH
    medians: subtokens.Medians | None = None
    amounts: training_data.Amounts | None = None


@dataclass(frozen=True)
class Kind:
    """One kind of analysis.

    Attributes:
        name: on the command line.
        says: what it shows, in a line.
        module: the name of its drawing module in `figures`.
        compute: from runs.
        published: from the packaged figures of the paper.
    """

    name: str
    says: str
    module: str
    compute: Callable[[Sequence[RunScores], Choices], Analysis]
    published: Callable[[Choices], Analysis]


KINDS: tuple[Kind, ...] = (
    Kind(
        perturbations.KIND,
        "TACC by model and perturbation (Fig. 2)",
        "perturbations",
        lambda runs, _: perturbations.from_runs(runs),
        lambda _: perturbations.published(),
    ),
    Kind(
        lengths.KIND,
        "macro-TACC by length or level of the text, with relative drops (Fig. 3)",
        "lengths",
        lambda runs, _: lengths.from_runs(runs),
        lambda _: lengths.published(),
    ),
    Kind(
        cc100.KIND,
        "languages by size of their CC-100 corpus, with Spearman's rho (Fig. 4)",
        "cc100",
        lambda runs, _: cc100.from_runs(runs),
        lambda _: cc100.published(),
    ),
    Kind(
        web_tiers.KIND,
        "languages by rank tier in Common Crawl (Fig. 5)",
        "web_tiers",
        lambda runs, _: web_tiers.from_runs(runs),
        lambda _: web_tiers.published(),
    ),
    Kind(
        training_data.KIND,
        "a model's languages by pre-training and contrastive data (Fig. 6)",
        "training_data",
        lambda runs, choices: training_data.from_runs(runs, choices.amounts),
        lambda _: training_data.published(),
    ),
    Kind(
        subtokens.KIND,
        "languages by subtokens per text (Figs. 7, 9, 10)",
        "subtokens",
        lambda runs, choices: subtokens.from_runs(runs, choices.medians),
        lambda _: subtokens.published(),
    ),
    Kind(
        case_study.KIND,
        "all models on chosen languages, by default the six Romansh varieties (Fig. 8)",
        "case_study",
        lambda runs, choices: case_study.from_runs(runs, choices.languages),
        lambda choices: case_study.published(choices.languages),
    ),
    Kind(
        model_tables.KIND,
        "models over data sets and perturbations, with averages and ranks (Tables 3 and 5)",
        "model_tables",
        lambda runs, _: model_tables.from_runs(runs),
        lambda _: model_tables.published(),
    ),
    Kind(
        language_tables.KIND,
        "scores per language (Appendix B)",
        "language_tables",
        lambda runs, _: language_tables.from_runs(runs),
        lambda _: language_tables.published(),
    ),
)


def draw(analysis: Analysis, theme: Theme, module: str) -> "Figure":
    """The figure of an analysis; call it, and save the figure, within `figures.style.drawing`."""
    figure: Figure = import_module(f"alee_mteb.analysis.figures.{module}").draw(analysis, theme)
    return figure
