"""Finding result files in folders, and checking all that is found."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from alee_mteb.errors import ResultsError
from leaderboard.published import published_entries
from leaderboard.submission.checks import check_card, check_result, read_result
from leaderboard.submission.known import Knowledge
from leaderboard.submission.layout import META, PUBLISHED, all_files, is_result, result_paths
from leaderboard.submission.problems import Problem, SubmissionError
from leaderboard.submission.schema import ModelCard
from leaderboard.submission.strict_json import read_bytes
from leaderboard.submission.together import Checked, check_together

#: Told how many of how many files are done.
Watch = Callable[[int, int], object]


@dataclass(frozen=True)
class Submission:
    """Results that may enter.

    Attributes:
        entries: one per result file, by place.
        files: place in the results folder → content, result files and model cards, exactly as they were sent.
    """

    entries: tuple[Checked, ...]
    files: Mapping[str, bytes]


@dataclass(frozen=True)
class FolderReport:
    """What a check of a whole results folder found."""

    folder: Path
    n_results: int
    problems: tuple[Problem, ...]


def _unwatched(done: int, total: int) -> None:
    """Nobody wants to know."""


def read_submission(results: Path, known: Knowledge, watch: Watch = _unwatched) -> Submission:
    """The ALEE results below a folder (or one file), whatever else lies there.

    Raises:
        ResultsError: nothing there.
        SubmissionError: with everything that is wrong with any of the files.
    """
    results = Path(os.path.abspath(results))
    if not results.exists():
        raise ResultsError(f"{results}: no such file or folder; give the --output-folder of a run")
    paths = [results] if not results.is_dir() else [path for path in all_files(results) if is_result(path.name)]
    problems = [_link(path, results) for path in all_files(results) if path.is_symlink()] if results.is_dir() else []
    if not paths:
        if problems:
            raise SubmissionError(problems)
        raise ResultsError(f"{results}: no ALEE results; make some with `alee run -m MODEL -t ALEE-Sample`")
    entries: list[Checked] = []
    files: dict[str, bytes] = {}
    for number, path in enumerate(paths):
        watch(number, len(paths))
        root, file = _label(path, results)
        try:
            data = read_bytes(root, file)
            card_file = (Path(file).parent / META).as_posix()
            card_data = _card_bytes(root, card_file)
            entry = check_result(file, data, check_card(card_file, card_data), known)
        except SubmissionError as error:
            problems += error.problems
            continue
        entries.append(entry)
        files |= {entry.place: data, f"{Path(entry.place).parent.as_posix()}/{META}": card_data}
    watch(len(paths), len(paths))
    problems += check_together(entries)
    if problems:
        raise SubmissionError(list(dict.fromkeys(problems)))
    return Submission(tuple(sorted(entries, key=lambda one: one.place)), files)


def check_folder(folder: Path, known: Knowledge, watch: Watch = _unwatched) -> FolderReport:
    """Everything that is wrong in a results folder (see `results_folder`), published tables included; for CI.

    Raises:
        ResultsError: no such folder.
    """
    folder = results_folder(folder)
    problems = [problem for path in all_files(folder) if (problem := _misplaced(folder, path)) is not None]
    problems += _published(folder)
    entries: list[Checked] = []
    results = result_paths(folder)
    cards: dict[Path, ModelCard | None] = {}
    for number, path in enumerate(results):
        watch(number, len(results))
        try:
            if path.parent not in cards:
                cards[path.parent] = None
                meta = (path.parent / META).relative_to(folder).as_posix()
                cards[path.parent] = check_card(meta, _card_bytes(folder, meta))
            card = cards[path.parent]
            file = path.relative_to(folder).as_posix()
            data = read_bytes(folder, file)
            if card is not None:
                entries.append(check_result(file, data, card, known))
        except SubmissionError as error:
            problems += error.problems
    watch(len(results), len(results))
    problems += check_together(entries)
    return FolderReport(folder, len(results), tuple(sorted(set(problems))))


def _published(folder: Path) -> list[Problem]:
    if not (folder / PUBLISHED).is_dir():
        return []
    try:
        published_entries(folder / PUBLISHED)
    except ResultsError as error:
        return [Problem(PUBLISHED, "table", str(error))]
    return []


def read_existing(folder: Path, tasks: set[str]) -> list[Checked]:
    """The entries of a results folder for some tasks, to hold a submission against.

    Raises:
        SubmissionError: one of them cannot be read.
    """
    found = []
    for path in result_paths(folder):
        if path.stem in tasks:
            file, meta = (one.relative_to(folder).as_posix() for one in (path, path.with_name(META)))
            card = check_card(meta, _card_bytes(folder, meta))
            found.append(read_result(file, read_bytes(folder, file), card))
    return found


def results_folder(checkout: Path) -> Path:
    """Where results lie in a checkout: ``leaderboard/results``, else ``results``, else the folder itself.

    Raises:
        ResultsError: no such folder.
    """
    for folder in (checkout / "leaderboard" / "results", checkout / "results", checkout):
        if folder.is_dir():
            return folder
    raise ResultsError(f"{checkout}: no such folder; give a checkout of the results, or a results folder")


def _card_bytes(root: Path, file: str) -> bytes:
    if not os.path.lexists(root / file):
        raise SubmissionError([Problem(file, "file", "is missing; mteb writes it beside the results, send it along")])
    return read_bytes(root, file)


def _label(path: Path, results: Path) -> tuple[Path, str]:
    """A root and the path below it that shows ``org__model/revision/file``, if the path has as many parts."""
    if path != results and len(path.relative_to(results).parts) >= 3:
        return results, path.relative_to(results).as_posix()
    root = path.parents[min(2, len(path.parents) - 1)]
    return root, path.relative_to(root).as_posix()


def _misplaced(folder: Path, path: Path) -> Problem | None:
    """Links anywhere, results outside the layout, and files in it that do not belong there."""
    if path.is_symlink():
        return _link(path, folder)
    parts = path.relative_to(folder).parts
    file = path.relative_to(folder).as_posix()
    if len(parts) == 3 and (is_result(path.name) or path.name == META):
        if path.name == META and not any(is_result(other.name) for other in path.parent.iterdir()):
            return Problem(file, "path", "a model card without any result beside it; remove it")
        return None
    if parts[0] == PUBLISHED and path.suffix in (".csv", ".md"):
        return None
    if len(parts) == 1 and not is_result(path.name) and path.name != META:
        return None
    return Problem(file, "path", f"does not belong here; results lie at org__model/revision/ALEE-….json with {META}")


def _link(path: Path, folder: Path) -> Problem:
    return Problem(path.relative_to(folder).as_posix(), "path", "is a symbolic link; put the file itself there")
