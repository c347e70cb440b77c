"""Filing a checked submission in a checkout: all of its files or none."""

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from alee_mteb.errors import ResultsError
from alee_mteb.files import atomic_path
from leaderboard.submission.collect import Submission, read_existing, results_folder
from leaderboard.submission.layout import META
from leaderboard.submission.problems import Problem, SubmissionError
from leaderboard.submission.schema import parse_card
from leaderboard.submission.strict_json import read_bytes
from leaderboard.submission.together import check_together

State = Literal["new", "replaced", "unchanged"]


@dataclass(frozen=True)
class Filed:
    """What became, or would become, of one file."""

    path: str
    n_bytes: int
    state: State


def file_in_checkout(
    submission: Submission, checkout: Path, *, replace: bool, dry_run: bool
) -> tuple[Path, list[Filed]]:
    """Copy a submission into a checkout of the results; returns the results folder and what became of each file.

    Raises:
        ResultsError: no such checkout, or it cannot be written.
        SubmissionError: a file is there with other content and `replace` is false, or an entry there is of the same
            model under another spelling, or has the same outcomes. Nothing was written.
    """
    folder = results_folder(checkout)
    present = {place: _present(folder, place) for place in submission.files}
    filed = compare(submission.files, present, replace=replace)
    existing = [
        one for one in read_existing(folder, {entry.task for entry in submission.entries}) if one.place not in present
    ]
    problems = list(check_together([*existing, *submission.entries]))
    if problems:
        raise SubmissionError(problems)
    if not dry_run:
        _write(folder, {one.path: submission.files[one.path] for one in filed if one.state != "unchanged"})
    return folder, filed


def compare(files: Mapping[str, bytes], present: Mapping[str, bytes | None], *, replace: bool) -> list[Filed]:
    """What filing would do, given what is present.

    Raises:
        SubmissionError: a file differs and `replace` is false.
    """
    filed = []
    for place, data in sorted(files.items()):
        there = present.get(place)
        state: State = "new" if there is None else "unchanged" if same_content(place, there, data) else "replaced"
        filed.append(Filed(place, len(data), state))
    if not replace:
        message = "is there with other content; --replace overwrites it"
        problems = [Problem(one.path, "file", message) for one in filed if one.state == "replaced"]
        if problems:
            raise SubmissionError(problems)
    return filed


def same_content(place: str, left: bytes, right: bytes) -> bool:
    """Whether two files say the same: byte for byte, model cards but for the order in lists.

    mteb writes some lists of a card in the order of a set, which changes from run to run.
    """
    if left == right or not place.endswith(f"/{META}"):
        return left == right
    try:
        return _canonical(parse_card(left, place)) == _canonical(parse_card(right, place))
    except SubmissionError:
        return False


def _canonical(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _canonical(item) for name, item in value.items()}
    if isinstance(value, list):
        return sorted((_canonical(item) for item in value), key=repr)
    return value


def _present(folder: Path, place: str) -> bytes | None:
    """What lies at a place; links on the way are refused, so that nothing is written outside the folder."""
    path = folder
    for part in Path(place).parts:
        path = path / part
        if path.is_symlink():
            raise SubmissionError([Problem(place, "path", f"{part!r} is a symbolic link in {folder}; remove it")])
        if not path.exists():
            return None
    return read_bytes(folder, place)


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write all files to temporary ones first; they take their places together once all are written."""
    try:
        with ExitStack() as stack:
            for place, data in files.items():
                stack.enter_context(atomic_path(folder / place)).write_bytes(data)
    except OSError as error:
        raise ResultsError(f"{folder}: cannot be written ({error.strerror or error}); nothing was filed") from error
