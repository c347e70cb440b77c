"""A result file held against what is known of its data set: commit, place, languages, rows and triplets."""

import re
from collections.abc import Iterator, Sequence

import numpy as np

from alee_mteb import tacc
from alee_mteb.languages import is_known_code, language_of
from alee_mteb.outcomes import Outcomes
from alee_mteb.perturbations import CODES
from alee_mteb.tacc import Bools
from leaderboard.submission.figures import check_bins
from leaderboard.submission.known import Knowledge, KnownCommit, KnownDataset
from leaderboard.submission.problems import shown
from leaderboard.submission.schema import ResultFile, Settings, subset_field


def check_data(result: ResultFile, outcomes: Sequence[Outcomes], known: Knowledge) -> Iterator[tuple[str, str]]:
    """Data set, commit, languages, rows and triplets against what is known of them."""
    settings = result.subsets[0].settings
    dataset = known.datasets.get(result.task_name.split("@")[0])
    commit = known.commits.get((result.task_name, settings.commit))
    field = subset_field(result.subsets[0].hf_subset, "settings", "commit")
    if commit is None and not known.allows(settings.commit):
        yield (
            field,
            f"{settings.commit[:12]}… is no known commit of {result.task_name}; a maintainer who has the data adds it "
            f"with `alee leaderboard known {result.task_name}`, or lets it pass with --allow-commit",
        )
        return
    yield from _origin(result.task_name, settings, dataset, commit)
    yield from _languages(result, commit.languages if commit else dataset.languages if dataset else None)
    yield from _rows_agree(result, outcomes)
    foils = union(outcomes)
    first = subset_field(result.subsets[0].hf_subset, "outcomes")
    if commit is not None:
        yield from _against_commit(result, outcomes, commit)
        foils = commit.foils if commit.foils.shape == foils.shape else foils
    elif dataset is not None:
        n_rows, n_foils = foils.shape[1], int(foils.sum())
        if n_rows > dataset.max_rows:
            yield f"{first}.rows", f"{n_rows} rows; {dataset.task} has {dataset.max_rows}"
        if dataset.max_foils is not None and n_foils > dataset.max_foils:
            yield f"{first}.valid", f"{n_foils} foils; {dataset.task} has {dataset.max_foils}"
    yield from _translations(result, outcomes, foils, commit)


def _origin(
    task: str, settings: Settings, dataset: KnownDataset | None, commit: KnownCommit | None
) -> Iterator[tuple[str, str]]:
    if commit is not None:
        expected = commit.data
    elif dataset is not None and "@" not in task:
        expected = dataset.data
    else:
        if not re.fullmatch(r"[\w.-]+/[\w.-]+", settings.data):
            yield "settings.data", f"{shown(settings.data)!r} is no Hub repository; publish the data and score it there"
        return
    if settings.data != expected:
        yield "settings.data", f"{shown(settings.data)!r}; {task} is read from {expected!r}"


def _languages(result: ResultFile, keys: frozenset[str] | None) -> Iterator[tuple[str, str]]:
    """Keys that the data set has (or, where nothing is known of it, that name a language), with the right codes."""
    for scores in result.subsets:
        key = scores.hf_subset
        if not (is_known_code(key) if keys is None else key in keys):
            yield subset_field(key, "hf_subset"), f"{result.task_name} has no language {shown(key)!r}"
            continue
        language = language_of(key)
        if language is None:
            continue
        if scores.language != language.code:
            yield subset_field(key, "language"), f"{scores.language!r}; behind {key} stands {language.code!r}"
        if scores.languages != [language.mteb_code]:
            yield subset_field(key, "languages"), f"{scores.languages}; behind {key} stands {language.mteb_code!r}"


def _rows_agree(result: ResultFile, outcomes: Sequence[Outcomes]) -> Iterator[tuple[str, str]]:
    first = outcomes[0]
    for scores, found in zip(result.subsets, outcomes, strict=True):
        if found.valid.shape != first.valid.shape:
            yield (
                subset_field(scores.hf_subset, "outcomes", "rows"),
                f"{found.valid.shape[1]} rows; the first language has {first.valid.shape[1]}",
            )
        if found.ids_digest != first.ids_digest:
            yield subset_field(scores.hf_subset, "outcomes", "ids"), "other rows than the first language"


def _against_commit(result: ResultFile, outcomes: Sequence[Outcomes], commit: KnownCommit) -> Iterator[tuple[str, str]]:
    for scores, found in zip(result.subsets, outcomes, strict=True):
        key, n_rows = scores.hf_subset, commit.foils.shape[1]
        if found.valid.shape[1] != n_rows:
            yield subset_field(key, "outcomes", "rows"), f"{found.valid.shape[1]} rows; this commit has {n_rows}"
            continue
        if found.ids_digest != commit.ids:
            yield subset_field(key, "outcomes", "ids"), "not the rows of this commit"
        expected = commit.missing.get(key, 0)
        if scores.n_missing_translations != expected:
            yield (
                subset_field(key, "n_missing_translations"),
                f"says {scores.n_missing_translations}, but in this commit {expected} are missing",
            )
        for field, bins, masks in (
            ("by_length", scores.by_length, commit.length_masks()),
            ("by_level", scores.by_level, commit.level_masks() if commit.levels else {}),
        ):
            for name, message in check_bins(field, bins, found, masks):
                yield subset_field(key, name), message


def _translations(
    result: ResultFile, outcomes: Sequence[Outcomes], foils: Bools, commit: KnownCommit | None
) -> Iterator[tuple[str, str]]:
    """Every translated row has all its triplets, and the others are those counted as missing."""
    for scores, found in zip(result.subsets, outcomes, strict=True):
        if found.valid.shape != foils.shape:
            continue
        translated = tacc.any_along(found.valid, axis=0)
        for kind, code in enumerate(CODES):
            n, expected = int(found.valid[kind].sum()), int(foils[kind, translated].sum())
            if (found.valid[kind, translated] != foils[kind, translated]).any():
                whose = "this commit has" if commit else "other languages of the file have"
                yield (
                    subset_field(scores.hf_subset, "outcomes", "valid", code),
                    f"{n} triplets on its translated rows where {whose} {expected}, or on other rows",
                )
        missing = int((~translated).sum())
        if missing != scores.n_missing_translations:
            yield (
                subset_field(scores.hf_subset, "n_missing_translations"),
                f"says {scores.n_missing_translations}, but {missing} rows have no triplet",
            )


def union(outcomes: Sequence[Outcomes]) -> Bools:
    """Foils that any of the languages shows, shape (P, R) of the first."""
    same = [found.valid for found in outcomes if found.valid.shape == outcomes[0].valid.shape]
    return tacc.any_along(np.stack(same), axis=0)
