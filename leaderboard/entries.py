"""The rows of the leaderboard: one per model, revision and task, verified or published.

    results/org__model/revision/ALEE-….json + model_meta.json ──▶ verified: every figure computed from the outcomes
    results/published/models.csv + the packaged figures       ──▶ published: figures as printed, no outcomes

This module is what the board reads; it knows nothing of pages.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np

from alee_mteb import tacc
from alee_mteb.errors import ResultsError
from alee_mteb.languages import language_of
from alee_mteb.outcomes import Outcomes
from alee_mteb.perturbations import CODES
from alee_mteb.report.results import LanguageScores, RunScores, load_runs
from alee_mteb.report.summary import language_mean
from alee_mteb.signature import signature
from leaderboard.submission.layout import META, PUBLISHED, result_paths
from leaderboard.submission.schema import ModelCard, ResultFile, SubsetScores, model_card, result_file
from leaderboard.submission.strict_json import read_bytes

Kind = Literal["verified", "published"]

#: Where the rows lie that come with this package.
RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True)
class ModelFacts:
    """What is known of a model.

    Attributes:
        name: ``org/name``.
        revision: commit or version of the weights; ``published`` where the publication does not say.
        parameters: number of parameters.
        dimension: of its vectors; the largest where there are several to choose from.
        licence: as its card says, an SPDX-like name or a link.
        languages: codes such as ``deu-Latn`` that its card lists, sorted; empty where it lists none.
        link: ``http(s)`` address of its page.
        published_name: what the ALEE paper calls it; ``None`` for verified rows.
    """

    name: str
    revision: str
    parameters: int | None = None
    dimension: int | None = None
    licence: str | None = None
    languages: tuple[str, ...] = ()
    link: str | None = None
    published_name: str | None = None


@dataclass(frozen=True)
class Score:
    """TACC on one perturbation.

    Attributes:
        tacc: share of triplets passed; over languages, the mean of their shares.
        n: number of triplets, over languages their sum; ``None`` where it was not published.
    """

    tacc: float
    n: int | None = None


@dataclass(frozen=True)
class Bin:
    """TACC on the sources of one length bin or level.

    Attributes:
        label: ``<115``, ``115-314``, ``>=315`` (characters of the source), or ``sentence``, ``paragraph``.
        macro: mean over perturbations; over languages, of the perturbations' means; ``None`` if the bin is empty.
        perturbations: code → TACC; empty where it was not published.
        n: sources; over languages that of the language with most; ``None`` where it was not published.
    """

    label: str
    macro: float | None
    perturbations: Mapping[str, float] = field(default_factory=dict)
    n: int | None = None


@dataclass(frozen=True)
class SubsetEntry:
    """One target language of an entry.

    Attributes:
        key: subset key, e.g. ``de_DE`` or ``roh_sursilv``.
        code: ISO 639-3 and script, e.g. ``deu_Latn``.
        macro: mean over the perturbations that have triplets.
        perturbations: code → score; empty where only the macro was published.
        outcomes: per-triplet outcomes, shapes (P, R) in the order of `CODES`; ``None`` for published figures.
        n_sources: sources with at least one triplet.
        margins: code → mean of cos(source, target) − cos(foil, target).
        by_length, by_level: bins of this language, empty where there are none.
    """

    key: str
    code: str
    macro: float
    perturbations: Mapping[str, Score] = field(default_factory=dict)
    outcomes: Outcomes | None = None
    n_sources: int | None = None
    margins: Mapping[str, float] = field(default_factory=dict)
    by_length: tuple[Bin, ...] = ()
    by_level: tuple[Bin, ...] = ()

    @property
    def is_english(self) -> bool:
        """Whether the target is English itself."""
        return self.code == "eng_Latn"


@dataclass(frozen=True)
class Entry:
    """One model on one task.

    Attributes:
        kind: ``verified`` (figures computed from outcomes that lie with the entry) or ``published`` (as printed).
        model: facts about the model.
        task: task name, e.g. ``ALEE-MT61`` or ``ALEE-MT61@1a2b3c4d``.
        macro: data-set score: TACC → mean over languages → mean over perturbations.
        perturbations: code → mean over languages, and all triplets.
        n_languages: target languages evaluated, English among them.
        subsets: one per language, in file order; for published rows only those languages whose figures were
            published for single models (the six Romansh varieties of ALEE-MT61), see `n_languages` for all.
        commit: of the data set, in full; ``None`` for published rows.
        signature: every setting that can change the number; ``None`` for published rows.
        without: subset keys of the data set that the figures lack although today's task has them.
        by_length, by_level: bins over all languages, empty where there are none.
        romansh_mean: mean of the six Romansh varieties as published; for verified rows ``None`` (see `subsets`).
        source: where published figures are from; the result file's path inside the folder for verified rows.
    """

    kind: Kind
    model: ModelFacts
    task: str
    macro: float
    perturbations: Mapping[str, Score]
    n_languages: int
    subsets: tuple[SubsetEntry, ...] = ()
    commit: str | None = None
    signature: str | None = None
    without: tuple[str, ...] = ()
    by_length: tuple[Bin, ...] = ()
    by_level: tuple[Bin, ...] = ()
    romansh_mean: float | None = None
    source: str = ""

    @property
    def dataset(self) -> str:
        """The task name without the hash of other data."""
        return self.task.split("@")[0]

    @property
    def key(self) -> str:
        """What tells it from every other entry: kind, model, revision and task."""
        return f"{self.kind}:{self.model.name}@{self.model.revision}:{self.task}"


def load_entries(folder: Path = RESULTS) -> list[Entry]:
    """All entries of a results folder, ordered by task, kind (verified first), model and revision.

    Files are read as strictly as submissions are, but not held against what is known of the data sets: that is
    `leaderboard.submission.checks.check_folder`. An empty folder gives an empty list.

    Raises:
        ResultsError: no such folder, or a file that breaks the format; the message names file and field.
    """
    from leaderboard.published import published_entries

    if not folder.is_dir():
        raise ResultsError(
            f"{folder}: no such folder; give a folder with results in mteb's layout (org__model/revision)"
        )
    entries = [_entry(folder, path) for path in result_paths(folder)]
    if (folder / PUBLISHED).is_dir():
        entries += published_entries(folder / PUBLISHED)
    return sorted(entries, key=lambda one: (one.task, one.kind != "verified", one.model.name, one.model.revision))


def _entry(folder: Path, path: Path) -> Entry:
    file, meta = path.relative_to(folder).as_posix(), path.with_name(META).relative_to(folder).as_posix()
    result = result_file(read_bytes(folder, file), file)
    card = model_card(read_bytes(folder, meta), meta)
    (run,) = load_runs(path)
    return verified_entry(run, result, card, file)


def verified_entry(run: RunScores, result: ResultFile, card: ModelCard, source: str) -> Entry:
    """The entry of one result file, its figures computed from the outcomes."""
    subsets = tuple(map(_subset, run.languages, result.subsets))
    means = language_mean(run.languages)
    perturbations = {
        code: Score(
            float(means[kind]), sum(one.perturbations[code].n or 0 for one in subsets if code in one.perturbations)
        )
        for kind, code in enumerate(CODES)
        if not np.isnan(means[kind])
    }
    return Entry(
        kind="verified",
        model=facts_of(card),
        task=result.task_name,
        macro=tacc.macro(means),
        perturbations=perturbations,
        n_languages=len(subsets),
        subsets=subsets,
        commit=result.subsets[0].settings.commit,
        signature=signature(run.settings, list(perturbations), len(subsets)),
        by_length=_over_languages([one.by_length for one in subsets]),
        by_level=_over_languages([one.by_level for one in subsets]),
        source=source,
    )


def facts_of(card: ModelCard) -> ModelFacts:
    """The facts in a model card."""
    return ModelFacts(
        name=card.name,
        revision=card.revision,
        parameters=card.n_parameters,
        dimension=card.dimension,
        licence=card.license,
        languages=tuple(sorted(set(card.languages or ()))),
        link=card.reference,
    )


def _subset(language: LanguageScores, scores: SubsetScores) -> SubsetEntry:
    outcomes = language.outcomes
    shares, counts = tacc.shares(outcomes.passed, outcomes.valid), outcomes.valid.sum(axis=1)
    known = language_of(language.key)
    return SubsetEntry(
        key=language.key,
        code=known.code if known else language.code,
        macro=tacc.macro(shares),
        perturbations={
            code: Score(float(shares[kind]), int(counts[kind])) for kind, code in enumerate(CODES) if counts[kind]
        },
        outcomes=outcomes,
        n_sources=int(tacc.any_along(outcomes.valid, axis=0).sum()),
        margins={code: found.margin for code, found in scores.perturbations.items()},
        by_length=tuple(Bin(k, v.macro_tacc, v.perturbations, v.n) for k, v in scores.by_length.items()),
        by_level=tuple(Bin(k, v.macro_tacc, v.perturbations, v.n) for k, v in (scores.by_level or {}).items()),
    )


def _over_languages(bins: list[tuple[Bin, ...]]) -> tuple[Bin, ...]:
    """Per label: each perturbation's mean over the languages that have it, and the mean of these."""
    merged = []
    for label in dict.fromkeys(one.label for found in bins for one in found):
        same = [one for found in bins for one in found if one.label == label]
        means = {
            code: float(np.mean([one.perturbations[code] for one in same if code in one.perturbations]))
            for code in CODES
            if any(code in one.perturbations for one in same)
        }
        macro = float(np.mean(list(means.values()))) if means else None
        merged.append(Bin(label, macro, means, max(one.n or 0 for one in same)))
    return tuple(merged)
