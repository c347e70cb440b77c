"""Which encoder to use for some languages, with the evidence."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from alee_mteb.analysis import comparison, reference
from alee_mteb.analysis.comparison import MACRO, Scored, Standing
from alee_mteb.analysis.language_choice import datasets_with, resolve
from alee_mteb.analysis.table import mean
from alee_mteb.errors import LanguageError
from alee_mteb.outcomes import Outcomes
from alee_mteb.report.results import RunScores
from alee_mteb.tacc import RESAMPLES, SEED

#: (task, key)
Cell = tuple[str, str]


@dataclass(frozen=True)
class Evidence:
    """One model on one language of one data set."""

    dataset: str
    language: str
    macro: float
    low: float | None
    high: float | None
    triplets: int | None


@dataclass(frozen=True)
class Candidate:
    """A model's case.

    Attributes:
        mean: macro-TACC, mean over the languages asked for; a language that several data sets have counts once.
        rank: 1 is best; models that tie share a rank.
        ties_with_best: whether the difference to the best is not significant; ``None`` if that cannot be known.
    """

    model: str
    mean: float
    low: float | None
    high: float | None
    rank: int
    ties_with_best: bool | None
    p: float | None
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True)
class Advice:
    """The candidates, best first, and what is missing.

    Attributes:
        languages: what was asked for and is in the results.
        without_results: what was asked for and is in no result.
        incomplete: model → languages it lacks; not ranked.
        notes: on how the figures were come by.
    """

    languages: tuple[str, ...]
    candidates: tuple[Candidate, ...]
    without_results: tuple[str, ...] = ()
    incomplete: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def pick(runs: Sequence[RunScores], languages: Sequence[str]) -> Advice:
    """Rank the models that were scored on all these languages, on the same triplets.

    Raises:
        LanguageError: an unknown language, or no results for any of them.
    """
    cells = {name: _cells(runs, name) for name in dict.fromkeys(languages)}
    missing = [name for name, found in cells.items() if not found]
    wanted = {name: found for name, found in cells.items() if found}
    if not wanted:
        raise LanguageError(f"no results for {', '.join(languages)}; {_how_to_get(languages[0])}")
    have = _outcomes(runs)
    ranked, used = _comparable(have, wanted)
    if not ranked:
        raise LanguageError(f"no model was scored on all of {', '.join(wanted)}; ask for fewer languages")
    scores = {model: _score(have[model], used) for model in ranked}
    places = dict(zip(ranked, comparison.standings([scores[model] for model in ranked]), strict=True))
    candidates = [_candidate(model, scores[model], places[model], have[model], used) for model in ranked]
    return Advice(
        languages=tuple(wanted),
        candidates=tuple(sorted(candidates, key=lambda one: (one.rank, -one.mean, one.model))),
        without_results=tuple(missing),
        incomplete={
            model: tuple(name for name in wanted if not all(cell in have[model] for cell in used[name]))
            for model in have
            if model not in ranked
        },
        notes=(
            "data: " + "; ".join(f"{name}: {', '.join(map('/'.join, found))}" for name, found in used.items()),
            "95 % intervals by bootstrap over sources; a tie is a difference to the best that is not significant "
            "(sign-flip test over sources, Holm over models, 5 %)",
        ),
    )


def pick_published(languages: Sequence[str]) -> Advice:
    """The published encoders on Romansh varieties, the only ones for which single encoders were published.

    Raises:
        LanguageError: an unknown language, or none of them Romansh.
    """
    published = reference.romansh()
    keys = {key: "roh_Latn" for scores in published.values() for key in scores}
    wanted = {name: resolve(name, keys) for name in dict.fromkeys(languages)}
    found = [key for name in wanted.values() for key in name]
    missing = [name for name, matches in wanted.items() if not matches]
    if not found:
        raise LanguageError(
            f"single encoders on {', '.join(missing)} were not published (only Romansh was); {_how_to_get(missing[0])}"
        )
    means = {
        model: mean(mean(scores[key] for key in matches) for matches in wanted.values() if matches)
        for model, scores in published.items()
    }
    candidates = [
        Candidate(
            model=reference.mteb_name(model),
            mean=value,
            low=None,
            high=None,
            rank=1 + sum(other > value for other in means.values()),
            ties_with_best=None,
            p=None,
            evidence=tuple(Evidence("ALEE-MT61", key, published[model][key], None, None, None) for key in found),
        )
        for model, value in means.items()
    ]
    return Advice(
        languages=tuple(name for name, matches in wanted.items() if matches),
        candidates=tuple(sorted(candidates, key=lambda one: (one.rank, one.model))),
        without_results=tuple(missing),
        notes=(
            "figures published with the ALEE paper; without per-triplet outcomes there are no intervals or ties: "
            "small differences may be chance",
        ),
    )


def _cells(runs: Sequence[RunScores], name: str) -> list[Cell]:
    """Where the results have this language, over all models."""
    found: list[Cell] = []
    for run in runs:
        keys = resolve(name, {one.key: one.code for one in run.languages})
        found += [(run.task, key) for key in keys if (run.task, key) not in found]
    return found


def _outcomes(runs: Sequence[RunScores]) -> dict[str, dict[Cell, Outcomes]]:
    found: dict[str, dict[Cell, Outcomes]] = {}
    for run in runs:
        mine = found.setdefault(run.model, {})
        mine |= {(run.task, one.key): one.outcomes for one in run.languages if one.outcomes.valid.any()}
    return found


def _comparable(
    have: Mapping[str, Mapping[Cell, Outcomes]], wanted: Mapping[str, Sequence[Cell]]
) -> tuple[list[str], dict[str, list[Cell]]]:
    """As many models as possible that have every language in common cells, and these cells by language.

    The model with the fewest cells goes until those of the rest cover every language; then all models that have
    these cells are back in.
    """
    everything = {cell for found in wanted.values() for cell in found}
    models = [
        model for model, mine in have.items() if all(any(cell in mine for cell in found) for found in wanted.values())
    ]
    while models:
        common = everything.intersection(*(set(have[model]) for model in models))
        used = {name: [cell for cell in found if cell in common] for name, found in wanted.items()}
        if all(used.values()):
            return [
                model for model in have if all(cell in have[model] for cells in used.values() for cell in cells)
            ], used
        models.remove(min(models, key=lambda model: (len(everything & set(have[model])), model)))
    return [], {}


def _score(mine: Mapping[Cell, Outcomes], used: Mapping[str, Sequence[Cell]]) -> Scored:
    """Macro-TACC, mean over languages, each the mean over its cells.

    Each data set is resampled on its own: its sources are other texts. Cells of one data set share their draws.
    """
    weights: dict[Cell, float] = defaultdict(float)
    for cells in used.values():
        for cell in cells:
            weights[cell] += 1 / (len(used) * len(cells))
    value, n = 0.0, 0
    samples, parts = np.zeros(RESAMPLES), []
    for place, task in enumerate(sorted({task for task, _ in weights})):
        found = {cell: comparison.score([mine[cell]], seed=SEED + place)[MACRO] for cell in weights if cell[0] == task}
        value += sum(weights[cell] * macro.value for cell, macro in found.items())
        n += sum(macro.n for macro in found.values())
        samples = samples + np.sum([weights[cell] * macro.samples for cell, macro in found.items()], axis=0)
        parts.append(np.sum([weights[cell] * macro.parts for cell, macro in found.items()], axis=0))
    return Scored(value, samples, np.concatenate(parts), n)


def _candidate(
    model: str, score: Scored, place: Standing, mine: Mapping[Cell, Outcomes], used: Mapping[str, Sequence[Cell]]
) -> Candidate:
    evidence = []
    for cells in used.values():
        for task, key in cells:
            macro = comparison.score([mine[task, key]])[MACRO]
            evidence.append(Evidence(task, key, macro.value, *macro.interval, macro.n))
    low, high = score.interval
    return Candidate(model, score.value, low, high, place.rank, place.ties_with_best, place.p, tuple(evidence))


def _how_to_get(language: str) -> str:
    datasets = datasets_with(language)
    if not datasets:
        return f"no official data set has {language}; build one with `alee build`"
    return f"score some with `alee run -m MODEL -t {' '.join(datasets)}`"
