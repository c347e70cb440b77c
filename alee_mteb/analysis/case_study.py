"""All models on a few languages, such as the six Romansh varieties (paper, Figure 8 and §5.5)."""

from collections.abc import Sequence

from alee_mteb.analysis import comparison, reference
from alee_mteb.analysis.comparison import MACRO
from alee_mteb.analysis.language_choice import resolve_all
from alee_mteb.analysis.table import Analysis, Row, mean, number, unique, without_nan
from alee_mteb.errors import LanguageError
from alee_mteb.report.results import RunScores
from alee_mteb.report.summary import dataset_score

KIND = "case"
TITLE = "Macro-TACC on chosen languages"
#: In the order of the paper's figure.
ROMANSH = ("roh_rumgr", "roh_sursilv", "roh_vallader", "roh_surmiran", "roh_puter", "roh_sutsilv")


def from_runs(runs: Sequence[RunScores], languages: Sequence[str] = ROMANSH) -> Analysis:
    """One row per data set, model and language with 95 % intervals.

    The summary has, per data set and model, the mean over the chosen languages, the model's own mean over all its
    languages, the relative difference of the two, and the ranks on both.

    Raises:
        LanguageError: an unknown language, or none of them in these results.
    """
    rows: list[Row] = []
    own: dict[tuple[str, str], float] = {}
    missing: set[str] = set()
    for run in runs:
        present = {one.key: one for one in run.languages}
        keys, absent = resolve_all(languages, {key: one.code for key, one in present.items()})
        missing |= {f"{name} ({run.task}, {run.model})" for name in absent} if keys else set()
        for key in keys:
            macro = comparison.score([present[key].outcomes]).get(MACRO)
            if macro:
                low, high = macro.interval
                rows.append(_row(run.task, run.model, key, macro.value, without_nan(low), without_nan(high)))
        own[run.task, run.model] = dataset_score(run.languages)
    if not rows:
        raise LanguageError(f"none of {', '.join(languages)} is in these results; name others with --languages")
    notes = (f"missing: {', '.join(sorted(missing))}",) if missing else ()
    return Analysis(KIND, TITLE, rows, summary(rows, own), notes)


def published(languages: Sequence[str] = ROMANSH) -> Analysis:
    """The published encoders on Romansh, the only languages for which they were published one by one.

    Raises:
        LanguageError: a language other than Romansh.
    """
    keys, missing = resolve_all(languages, dict.fromkeys(ROMANSH, "roh_Latn"))
    if missing:
        raise LanguageError(
            f"scores of single encoders on {', '.join(missing)} were not published, only those on Romansh; "
            "give results of your own"
        )
    rows = [
        _row("ALEE-MT61", model, key, scores[key], None, None)
        for model, scores in reference.romansh().items()
        for key in keys
    ]
    own = {(one.dataset, one.model): one.macro for one in reference.models()}
    return Analysis(KIND, TITLE, rows, summary(rows, own), published=True)


def summary(rows: Sequence[Row], own: dict[tuple[str, str], float]) -> list[Row]:
    """Means and ranks of models, best on the chosen languages first; see `from_runs`.

    Only models that have all the languages of a data set are ranked there.
    """
    found: list[Row] = []
    for dataset in unique(str(row["dataset"]) for row in rows):
        together = [row for row in rows if row["dataset"] == dataset]
        n_languages = len({row["language"] for row in together})
        means = {
            model: mean(number(row["macro_tacc"]) for row in together if row["model"] == model)
            for model in unique(str(row["model"]) for row in together)
            if sum(row["model"] == model for row in together) == n_languages
        }
        overall = {model: own[dataset, model] for model in means}
        found += [
            {
                "dataset": dataset,
                "model": model,
                "mean": value,
                "all_languages": overall[model],
                "relative": value / overall[model] - 1 if overall[model] else None,
                "rank": _rank(means, model),
                "rank_all_languages": _rank(overall, model),
            }
            for model, value in sorted(means.items(), key=lambda item: (-item[1], item[0]))
        ]
    return found


def _rank(values: dict[str, float], model: str) -> int:
    return 1 + sum(value > values[model] for value in values.values())


def _row(dataset: str, model: str, language: str, value: float, low: float | None, high: float | None) -> Row:
    return {
        "dataset": dataset,
        "model": model,
        "language": language,
        "macro_tacc": value,
        "low": low,
        "high": high,
    }
