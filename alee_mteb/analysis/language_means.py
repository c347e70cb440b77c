"""Macro-TACC per language, averaged over models: what the correlations are drawn from (paper, §5.3 and §5.4)."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from alee_mteb import tacc
from alee_mteb.analysis import reference
from alee_mteb.analysis.table import mean, unique
from alee_mteb.errors import ResultsError
from alee_mteb.languages import ENGLISH_CODE
from alee_mteb.report.results import LanguageScores, RunScores


@dataclass(frozen=True)
class LanguageMean:
    """One language of one data set (task name), averaged over `n_models` models."""

    dataset: str
    key: str
    code: str
    tacc: float
    n_models: int


def macro_of(language: LanguageScores) -> float:
    """Macro-TACC of one language, computed from its outcomes; NaN without triplets."""
    return tacc.macro(tacc.shares(language.outcomes.passed, language.outcomes.valid))


def language_means(runs: Sequence[RunScores]) -> list[LanguageMean]:
    """Means over the models of a data set, for the languages that all of them have; English is left out.

    Raises:
        ResultsError: the models of a data set share no language but English.
    """
    by_task: dict[str, list[RunScores]] = defaultdict(list)
    for run in runs:
        by_task[run.task].append(run)
    found = []
    for task, together in by_task.items():
        tables = [
            {one.key: (one.code, macro_of(one)) for one in run.languages if one.code != ENGLISH_CODE}
            for run in together
        ]
        shared = [key for key in tables[0] if all(key in table for table in tables)]
        if not shared:
            raise ResultsError(f"{task}: its {len(tables)} models share no language but English")
        found += [
            LanguageMean(task, key, tables[0][key][0], mean(table[key][1] for table in tables), len(tables))
            for key in shared
        ]
    return found


def published_language_means() -> list[LanguageMean]:
    """The published means over 14 encoders."""
    return [LanguageMean(one.dataset, one.key, one.code, one.tacc, 14) for one in reference.languages()]


def left_out_languages(runs: Sequence[RunScores]) -> tuple[str, ...]:
    """A note for every data set in which some models lack languages that others have."""
    notes = []
    for task in unique(run.task for run in runs):
        keys: list[set[str]] = [{one.key for one in run.languages} for run in runs if run.task == task]
        missing = set.union(*keys) - keys[0].intersection(*keys)
        if missing:
            notes.append(f"{task}: {len(missing)} languages that not all models have were left out of the means")
    return tuple(notes)
