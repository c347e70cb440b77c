"""Data-set scores and comparisons, all computed from per-triplet outcomes (DESIGN.md §3).

Data-set score: TACC per (language, perturbation) → mean over languages → mean over perturbations.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from alee_mteb import tacc
from alee_mteb.datasets import THREE_DATASETS
from alee_mteb.errors import ResultsError
from alee_mteb.perturbations import CODES
from alee_mteb.report.results import LanguageScores, RunScores
from alee_mteb.signature import signature
from alee_mteb.tacc import Floats

ROMANSH = "roh_"


@dataclass(frozen=True)
class Estimate:
    """A share with its 95 % bootstrap interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class DatasetScore:
    """One model on one data set.

    Attributes:
        macro: data-set score with its joint interval (the same resampled sources for all languages).
        perturbations: mean over languages per perturbation that has triplets.
        without_english: data-set score over the languages that are not English; ``None`` if there is none.
        matched: data-set score over sources that have all four foils; ``None`` if there is none.
        unrelated_target: mean over languages of the control (0.5 means no direction bias).
        overlap: mean over languages of the word-overlap baseline.
        left_out: perturbations without any triplet, which the macro therefore lacks.
    """

    model: str
    revision: str
    task: str
    macro: Estimate
    perturbations: dict[str, Estimate]
    without_english: float | None
    matched: float | None
    unrelated_target: float | None
    overlap: float | None
    n_languages: int
    n_sources: int
    n_triplets: int
    left_out: tuple[str, ...]
    signature: str


def summarise(run: RunScores) -> DatasetScore:
    """The data-set score of a run.

    Raises:
        ResultsError: the languages were scored on different rows, so that they cannot be put together.
    """
    digests = {language.outcomes.ids_digest for language in run.languages}
    if len(digests) > 1:
        raise ResultsError(f"{run.path}: its languages were scored on different rows; score again with one data set")
    valid = np.stack([language.outcomes.valid for language in run.languages])
    passed = np.stack([language.outcomes.passed for language in run.languages])
    present = tacc.any_along(valid, axis=(0, 2))
    samples = _mean_over_languages(tacc.bootstrap_shares(passed, valid))
    values = language_mean(run.languages)
    codes = [code for kind, code in enumerate(CODES) if present[kind]]
    without = [language for language in run.languages if not language.is_english]
    return DatasetScore(
        model=run.model,
        revision=run.revision,
        task=run.task,
        macro=Estimate(tacc.macro(values), *tacc.interval(tacc.macro_samples(samples, present))),
        perturbations={
            code: Estimate(float(values[kind]), *tacc.interval(samples[:, kind]))
            for kind, code in enumerate(CODES)
            if present[kind]
        },
        without_english=dataset_score(without) if without else None,
        matched=_matched(run.languages),
        unrelated_target=_mean_field(run.languages, "macro_unrelated_target"),
        overlap=_mean_field(run.languages, "macro_overlap"),
        n_languages=len(run.languages),
        n_sources=int(valid.any(axis=(0, 1)).sum()),
        n_triplets=int(valid.sum()),
        left_out=tuple(code for code in CODES if code not in codes),
        signature=signature(run.settings, codes, len(run.languages)),
    )


def language_mean(languages: Sequence[LanguageScores]) -> Floats:
    """TACC per perturbation averaged over languages, shape (P,); NaN where no language has triplets."""
    table = np.stack([tacc.shares(one.outcomes.passed, one.outcomes.valid) for one in languages])
    return _mean_over_languages(table[None])[0]


def dataset_score(languages: Sequence[LanguageScores]) -> float:
    """Mean over languages, then over perturbations."""
    return tacc.macro(language_mean(languages))


@dataclass(frozen=True)
class ModelComparison:
    """One model over the three official data sets (paper, Table 3 and §5.1, §5.5).

    Attributes:
        scores: data set → score.
        average: mean of the three; ``None`` unless all three were run.
        rank: 1 is best, among models with all three, on the average; ties share a rank.
        shared: data set → score over the languages that all three data sets have in common for this model.
        n_shared: how many languages that is.
        romansh: variety → macro-TACC relative to the model's own mean over all languages of ALEE-MT61, as a
            fraction (−0.15 is 15 % lower); empty without Romansh results.
    """

    model: str
    revision: str
    scores: dict[str, float]
    average: float | None
    rank: int | None
    shared: dict[str, float] = field(default_factory=dict)
    n_shared: int = 0
    romansh: dict[str, float] = field(default_factory=dict)


def compare_models(runs: Sequence[RunScores]) -> list[ModelComparison]:
    """Every model's three-data-set view, best average first. Runs on data of one's own (``@hash``) are left out."""
    by_model: dict[tuple[str, str], dict[str, RunScores]] = defaultdict(dict)
    for run in runs:
        if run.task in THREE_DATASETS:
            by_model[run.model, run.revision][run.task] = run
    averages = {
        key: float(np.mean([dataset_score(run.languages) for run in found.values()]))
        for key, found in by_model.items()
        if len(found) == len(THREE_DATASETS)
    }
    rows = [
        ModelComparison(
            model=model,
            revision=revision,
            scores={task: dataset_score(run.languages) for task, run in found.items()},
            average=averages.get((model, revision)),
            rank=_rank(averages, (model, revision)),
            **_shared(found),
            romansh=_romansh(found.get("ALEE-MT61")),
        )
        for (model, revision), found in by_model.items()
    ]
    return sorted(rows, key=lambda row: (row.average is None, -(row.average or 0.0), row.model))


def _rank(averages: dict[tuple[str, str], float], key: tuple[str, str]) -> int | None:
    return None if key not in averages else 1 + sum(value > averages[key] for value in averages.values())


def _shared(found: dict[str, RunScores]) -> dict[str, Any]:
    """Scores on the languages that all three data sets share; variants of one language are averaged first."""
    if len(found) < len(THREE_DATASETS):
        return {}
    codes = set.intersection(*({one.code for one in run.languages} for run in found.values()))
    if not codes:
        return {}
    scores = {}
    for task, run in found.items():
        tables = [language_mean([one for one in run.languages if one.code == code]) for code in sorted(codes)]
        scores[task] = tacc.macro(_mean_over_languages(np.stack(tables)[None])[0])
    return {"shared": scores, "n_shared": len(codes)}


def _romansh(run: RunScores | None) -> dict[str, float]:
    if run is None:
        return {}
    overall = dataset_score(run.languages)
    return {
        one.key: dataset_score([one]) / overall - 1 for one in run.languages if one.key.startswith(ROMANSH) and overall
    }


def _matched(languages: Sequence[LanguageScores]) -> float | None:
    tables = []
    for one in languages:
        rows = tacc.matched_rows(one.outcomes.valid)
        if rows.any():
            tables.append(tacc.shares(one.outcomes.passed[:, rows], one.outcomes.valid[:, rows]))
    return tacc.macro(_mean_over_languages(np.stack(tables)[None])[0]) if tables else None


def _mean_field(languages: Sequence[LanguageScores], name: str) -> float | None:
    values = [one.scores.get(name) for one in languages]
    present = [float(value) for value in values if value is not None]
    return float(np.mean(present)) if present else None


def _mean_over_languages(table: Floats) -> Floats:
    """Mean over the languages that have triplets, (…, L, P) → (…, P); NaN where none has."""
    present = ~np.isnan(table)
    total = np.where(present, table, 0.0).sum(axis=-2)
    count = present.sum(axis=-2)
    return np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)
