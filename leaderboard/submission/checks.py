"""All checks of one result file with the model card beside it.

bytes ──▶ schema ──▶ names ──▶ settings ──▶ data set known? ──▶ figures against outcomes ──▶ problems
"""

import hashlib
from collections.abc import Iterator, Sequence

import numpy as np

from alee_mteb import tacc
from alee_mteb.errors import ResultsError
from alee_mteb.outcomes import Outcomes
from leaderboard.submission.data_set import check_data, union
from leaderboard.submission.figures import check_figures
from leaderboard.submission.known import Knowledge
from leaderboard.submission.problems import Problem, SubmissionError, shown
from leaderboard.submission.schema import (
    ModelCard,
    ResultFile,
    model_card,
    result_file,
    subset_field,
)
from leaderboard.submission.together import Checked

#: Revisions that the tasks on the published data have in mteb (DESIGN.md §2).
_BRANCHES = ("main",)


def check_result(file: str, data: bytes, card: ModelCard, known: Knowledge) -> Checked:
    """A result file that may enter.

    Args:
        file: its path, whose last three parts are to be ``org__model/revision/TASK.json``.
        data: its content.
        card: the card that lies beside it.
        known: what to hold it against.

    Raises:
        SubmissionError: with everything that is wrong.
    """
    result = result_file(data, file)
    outcomes, problems = _all_outcomes(file, result)
    problems = [Problem(file, *found) for found in (*_names(file, result, card), *_settings(result))] + problems
    if problems:
        raise SubmissionError(problems)
    problems = [Problem(file, *found) for found in check_data(result, outcomes, known)]
    for scores, one in zip(result.subsets, outcomes, strict=True):
        problems += [
            Problem(file, subset_field(scores.hf_subset, field), message)
            for field, message in check_figures(scores, one)
        ]
    if problems:
        raise SubmissionError(problems)
    return _checked(file, card, result, outcomes)


def read_result(file: str, data: bytes, card: ModelCard) -> Checked:
    """A result file that entered earlier, read without holding its figures against anything.

    Raises:
        SubmissionError: it breaks the format.
    """
    result = result_file(data, file)
    outcomes, problems = _all_outcomes(file, result)
    if problems:
        raise SubmissionError(problems)
    return _checked(file, card, result, outcomes)


def _all_outcomes(file: str, result: ResultFile) -> tuple[list[Outcomes], list[Problem]]:
    """The outcomes of all languages, and what is wrong with them."""
    outcomes, problems = [], []
    for scores in result.subsets:
        field = subset_field(scores.hf_subset, "outcomes")
        packed = scores.outcomes.model_dump()
        try:
            outcomes.append(Outcomes.from_json(packed, "the packed bits"))
        except ResultsError as error:
            problems.append(Problem(file, field, str(error)))
            continue
        if outcomes[-1].to_json() != packed:
            problems.append(Problem(file, field, "not packed as alee packs it; bits behind the last row must be zero"))
    return outcomes, problems


def _checked(file: str, card: ModelCard, result: ResultFile, outcomes: Sequence[Outcomes]) -> Checked:
    pairs = [(scores.hf_subset, found) for scores, found in zip(result.subsets, outcomes, strict=True)]
    shares = np.stack([tacc.shares(found.passed, found.valid) for found in outcomes])
    means = [column[~np.isnan(column)].mean() for column in shares.T if not np.isnan(column).all()]
    return Checked(
        file=file,
        card=card,
        task=result.task_name,
        commit=result.subsets[0].settings.commit,
        ids=outcomes[0].ids_digest,
        foils=union(outcomes),
        passed={key: hashlib.sha256(np.packbits(found.passed).tobytes()).hexdigest() for key, found in pairs},
        failed={key: int((found.valid & ~found.passed).sum()) for key, found in pairs},
        macro=float(np.mean(means)) if means else float("nan"),
    )


def check_card(file: str, data: bytes) -> ModelCard:
    """A model card that may enter.

    Raises:
        SubmissionError: with everything that is wrong.
    """
    return model_card(data, file)


def _names(file: str, result: ResultFile, card: ModelCard) -> Iterator[tuple[str, str]]:
    place = f"{card.folder}/{card.revision}/{result.task_name}.json"
    if not f"/{file}".endswith(f"/{place}"):
        yield "path", f"its content belongs at {shown(place, 250)}; put it there, beside its model_meta.json"
    seen = set()
    for scores in result.subsets:
        key = scores.hf_subset
        if key in seen:
            yield subset_field(key), "the subset is there twice"
        seen.add(key)


def _settings(result: ResultFile) -> Iterator[tuple[str, str]]:
    """The settings behind the signature: the same for all languages, and those of this file."""
    first = result.subsets[0].settings
    for scores in result.subsets:
        settings = scores.settings
        for name in ("task", "data", "commit", "prompt", "similarity"):
            if getattr(settings, name) != getattr(first, name):
                yield (
                    subset_field(scores.hf_subset, "settings", name),
                    "differs from that of the first language; score again with --overwrite-strategy always",
                )
        for name in ("alee-mteb", "mteb"):
            if name not in settings.versions:
                yield subset_field(scores.hf_subset, "settings", "versions"), f"the version of {name} is missing"
    if first.task != result.task_name:
        yield (
            subset_field(result.subsets[0].hf_subset, "settings", "task"),
            f"{shown(first.task)} in a file of {shown(result.task_name)}",
        )
    name, _, digits = result.task_name.partition("@")
    if digits and not first.commit.startswith(digits):
        yield "task_name", f"@{digits} is not how the data's commit {first.commit[:8]}… begins"
    revision = result.dataset_revision
    if revision not in _BRANCHES and not (len(revision) >= 8 and first.commit.startswith(revision)):
        yield "dataset_revision", f"{shown(revision)} is neither the data's commit {first.commit[:8]}… nor main"
