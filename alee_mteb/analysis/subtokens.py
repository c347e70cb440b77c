"""Macro-TACC against the median number of subtokens of a language's texts (paper, Figures 7, 9, 10 and §5.4)."""

from collections.abc import Mapping, Sequence

from alee_mteb.analysis import reference
from alee_mteb.analysis.cc100 import correlations
from alee_mteb.analysis.language_means import (
    LanguageMean,
    language_means,
    left_out_languages,
    published_language_means,
)
from alee_mteb.analysis.table import Analysis, Row
from alee_mteb.errors import ResultsError
from alee_mteb.report.results import RunScores

KIND = "subtokens"
TITLE = "Macro-TACC and subtokens per text"

#: (task, language key) → median subtokens.
Medians = Mapping[tuple[str, str], float]


def from_runs(runs: Sequence[RunScores], medians: Medians | None = None) -> Analysis:
    """One row per language, English left out: mean over models.

    Args:
        runs: results.
        medians: counted with a tokenizer (see `tokenizer.count_subtokens`); the published XLM-R medians by default.

    Raises:
        ResultsError: no language in the results has a median.
    """
    found = medians if medians is not None else reference.published_subtokens()
    rows, notes = points(language_means(runs), found)
    if not rows:
        raise ResultsError(
            f"{', '.join(sorted({run.task for run in runs}))}: no subtokens were published for this data; "
            "count them with --tokenizer"
        )
    if medians is None:
        notes = (*notes, "subtokens are the published medians of XLM-R's tokenizer")
    return Analysis(KIND, TITLE, rows, correlations(rows, "subtokens"), left_out_languages(runs) + notes)


def published() -> Analysis:
    """The published medians and means over 14 encoders."""
    rows, _ = points(published_language_means(), reference.published_subtokens())
    return Analysis(KIND, TITLE, rows, correlations(rows, "subtokens"), published=True)


def points(languages: Sequence[LanguageMean], medians: Medians) -> tuple[list[Row], tuple[str, ...]]:
    """The rows, and a note on languages without a median."""
    rows: list[Row] = [
        {
            "dataset": one.dataset,
            "language": one.key,
            "subtokens": medians[one.dataset, one.key],
            "tacc": one.tacc,
            "models": one.n_models,
        }
        for one in languages
        if (one.dataset, one.key) in medians
    ]
    missing = [one.key for one in languages if (one.dataset, one.key) not in medians]
    return rows, (f"no count of subtokens, left out: {', '.join(missing[:8])}",) if missing else ()
