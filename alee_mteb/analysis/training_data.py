"""Macro-TACC of single models against their pre-training and contrastive data (paper, Figure 6 and §5.3.2).

The amounts are those of mGTE, packaged, or of a file of one's own with the columns language, pretraining and
contrastive. Per-language scores of single models were not published.
"""

import math
from collections.abc import Callable, Sequence

from alee_mteb.analysis import reference
from alee_mteb.analysis.correlation import spearman
from alee_mteb.analysis.language_means import macro_of
from alee_mteb.analysis.table import Analysis, Row, number, unique, without_nan
from alee_mteb.errors import ResultsError
from alee_mteb.languages import ENGLISH_CODE
from alee_mteb.report.results import RunScores

KIND = "training"
TITLE = "Macro-TACC and training data by stage"
STAGES = ("pretraining", "contrastive")

#: Language key and code → amounts of data in the two stages.
Amounts = Callable[[str, str], tuple[float | None, float | None]]


def from_runs(runs: Sequence[RunScores], amounts: Amounts | None = None) -> Analysis:
    """One row per data set, model, language and stage with data; English left out.

    Args:
        runs: results.
        amounts: training data of the model; mGTE's by default.

    Raises:
        ResultsError: no language in the results has training data.
    """
    find = amounts or (lambda key, code: reference.gte_amounts(code))
    rows: list[Row] = []
    for run in runs:
        for one in run.languages:
            if one.code == ENGLISH_CODE:
                continue
            for stage, amount in zip(STAGES, find(one.key, one.code), strict=True):
                if amount is not None and amount > 0:
                    rows.append(
                        {
                            "dataset": run.task,
                            "model": run.model,
                            "stage": stage,
                            "language": one.key,
                            "amount": amount,
                            "log10_amount": math.log10(amount),
                            "tacc": without_nan(macro_of(one)),
                        }
                    )
    if not rows:
        raise ResultsError("none of the languages in these results has known amounts of training data")
    note = () if amounts else ("amounts of data are those of mGTE; --training-data takes another model's",)
    return Analysis(KIND, TITLE, rows, _correlations(rows), note)


def published() -> Analysis:
    """Not to be had.

    Raises:
        ResultsError: always; the paper shows only the correlations.
    """
    raise ResultsError(
        "scores of single models per language were not published; give results of your own, "
        "e.g. of Alibaba-NLP/gte-multilingual-base"
    )


def _correlations(rows: Sequence[Row]) -> list[Row]:
    found: list[Row] = []
    for dataset, model, stage in unique((r["dataset"], r["model"], r["stage"]) for r in rows):
        pairs = [
            (number(r["amount"]), number(r["tacc"]))
            for r in rows
            if (r["dataset"], r["model"], r["stage"]) == (dataset, model, stage) and r["tacc"] is not None
        ]
        rho = spearman([one for one, _ in pairs], [other for _, other in pairs])
        found.append(
            {
                "dataset": dataset,
                "model": model,
                "stage": stage,
                "spearman": without_nan(rho),
                "languages": len(pairs),
            }
        )
    return found
