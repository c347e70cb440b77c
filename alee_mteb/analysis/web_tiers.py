"""Macro-TACC by how common a language is on the web: rank tiers in Common Crawl (paper, Figure 5)."""

from collections.abc import Sequence

import numpy as np

from alee_mteb.analysis import reference
from alee_mteb.analysis.language_means import (
    LanguageMean,
    language_means,
    left_out_languages,
    published_language_means,
)
from alee_mteb.analysis.table import Analysis, Row, mean, number, unique
from alee_mteb.report.results import RunScores

KIND = "tiers"
TITLE = "Macro-TACC by rank of the language in Common Crawl"
TIERS = ("2-50", "51-100", "101-161")
#: Languages that the crawl's statistics do not list at all.
UNLISTED = "not listed"


def from_runs(runs: Sequence[RunScores]) -> Analysis:
    """One row per language, English left out; the summary has the means and quartiles of every tier."""
    rows = points(language_means(runs))
    return Analysis(KIND, TITLE, rows, tier_means(rows), left_out_languages(runs))


def published() -> Analysis:
    """The published means over 14 encoders."""
    rows = points(published_language_means())
    return Analysis(KIND, TITLE, rows, tier_means(rows), published=True)


def points(languages: Sequence[LanguageMean]) -> list[Row]:
    """Every language with its tier."""
    return [
        {
            "dataset": one.dataset,
            "language": one.key,
            "tier": reference.common_crawl_tier(one.code) or UNLISTED,
            "tacc": one.tacc,
            "models": one.n_models,
        }
        for one in languages
    ]


def tier_means(rows: Sequence[Row]) -> list[Row]:
    """Number of languages, mean, median and quartiles per data set and tier."""
    found: list[Row] = []
    for dataset in unique(row["dataset"] for row in rows):
        for tier in (*TIERS, UNLISTED):
            values = [number(r["tacc"]) for r in rows if r["dataset"] == dataset and r["tier"] == tier]
            if values:
                low, middle, high = (float(value) for value in np.percentile(values, [25, 50, 75]))
                found.append(
                    {
                        "dataset": dataset,
                        "tier": tier,
                        "languages": len(values),
                        "mean": mean(values),
                        "median": middle,
                        "lower_quartile": low,
                        "upper_quartile": high,
                    }
                )
    return found
