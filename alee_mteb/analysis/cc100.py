"""Macro-TACC against the size of a language in CC-100 (paper, Figure 4 and §5.3.1)."""

import math
from collections.abc import Sequence

from alee_mteb.analysis import reference
from alee_mteb.analysis.correlation import spearman
from alee_mteb.analysis.language_means import (
    LanguageMean,
    language_means,
    left_out_languages,
    published_language_means,
)
from alee_mteb.analysis.table import Analysis, Row, number, unique, without_nan
from alee_mteb.report.results import RunScores

KIND = "cc100"
TITLE = "Macro-TACC and pre-training data (CC-100)"
#: The paper draws these two; ALEE-MT61 holds hardly any language that CC-100 lacks.
_PAPER = ("ALEE-F200", "ALEE-BQ275")


def from_runs(runs: Sequence[RunScores]) -> Analysis:
    """One row per language that CC-100 has, English left out: mean over models, log10 of million tokens."""
    rows, notes = points(language_means(runs))
    return Analysis(KIND, TITLE, rows, correlations(rows), left_out_languages(runs) + notes)


def published() -> Analysis:
    """The published means over 14 encoders."""
    rows, notes = points([one for one in published_language_means() if one.dataset in _PAPER])
    return Analysis(KIND, TITLE, rows, correlations(rows), notes, published=True)


def points(languages: Sequence[LanguageMean]) -> tuple[list[Row], tuple[str, ...]]:
    """The rows, and a note on languages that CC-100 lacks."""
    rows: list[Row] = []
    for one in languages:
        corpus = reference.cc100_of(one.code)
        if corpus:
            rows.append(
                {
                    "dataset": one.dataset,
                    "language": one.key,
                    "cc100_language": corpus[0],
                    "million_tokens": corpus[1],
                    "log10_million_tokens": math.log10(corpus[1]),
                    "tacc": one.tacc,
                    "models": one.n_models,
                }
            )
    missing = len(languages) - len(rows)
    return rows, (f"{missing} languages are not in CC-100 and are left out",) if missing else ()


def correlations(rows: Sequence[Row], x: str = "log10_million_tokens") -> list[Row]:
    """Spearman's ρ of `x` and TACC per data set; empty where there are fewer than three languages."""
    found: list[Row] = []
    for dataset in unique(row["dataset"] for row in rows):
        pairs = [(number(row[x]), number(row["tacc"])) for row in rows if row["dataset"] == dataset]
        rho = spearman([one for one, _ in pairs], [other for _, other in pairs])
        found.append({"dataset": dataset, "spearman": without_nan(rho), "languages": len(pairs)})
    return found
