"""Writing the site into a folder."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from alee_mteb.errors import ResultsError
from alee_mteb.files import atomic_path
from leaderboard.board.assemble import Progress
from leaderboard.board.site import site_files
from leaderboard.entries import RESULTS, load_entries

MARK = "board.json"


@dataclass(frozen=True)
class BuiltSite:
    """What was written.

    Attributes:
        page: the file to open.
        models, languages: how many rows the board has, and how many languages are named on it.
        files: how many files.
        bytes: their size together.
        page_bytes: size of the page alone.
    """

    page: Path
    models: int
    languages: int
    files: int
    bytes: int
    page_bytes: int


def build_site(out: Path, results: Path = RESULTS, progress: Progress = iter) -> BuiltSite:
    """Build the board of a results folder into `out`; files of an earlier build that no longer belong are removed.

    `progress` is given the entries and passes them on one by one, as a progress bar does.

    Raises:
        ResultsError: no results, or `out` is a file, holds something that is not a board, or cannot be written.
    """
    _refuse_foreign(out)
    entries = load_entries(results)
    if not entries:
        raise ResultsError(f"{results}: no results to show; put some there with `alee submit`")
    site = site_files(entries, progress=progress)
    try:
        _write(out, site)
    except OSError as error:
        raise ResultsError(f"{out}: cannot be written ({error.strerror or error}); give another folder") from error
    languages = {subset.code for entry in entries for subset in entry.subsets}
    models = {(entry.kind, entry.model.name, entry.model.revision) for entry in entries}
    sizes = [len(content) for content in site.values()]
    return BuiltSite(out / "index.html", len(models), len(languages), len(site), sum(sizes), len(site["index.html"]))


def _write(out: Path, site: Mapping[str, bytes]) -> None:
    """The mark first, so that what an interrupted build leaves is known as ours; the page last but for what goes."""
    order = sorted(site, key=lambda name: (name != MARK, name == "index.html", name))
    for name in order:
        with atomic_path(out / name) as temporary:
            temporary.write_bytes(site[name])
    for old in list(_outcome_files(out)):
        if f"outcomes/{old.name}" not in site:
            old.unlink()


def _refuse_foreign(out: Path) -> None:
    if out.is_file():
        raise ResultsError(f"{out}: is a file; give a folder for the site")
    ours = (out / MARK).is_file()
    if not ours and out.is_dir() and any(not one.name.startswith(f".{MARK}.") for one in out.iterdir()):
        raise ResultsError(f"{out}: holds other files; give an empty folder or that of an earlier build")


def _outcome_files(out: Path) -> Iterator[Path]:
    folder = out / "outcomes"
    return folder.glob("*.js") if folder.is_dir() else iter(())
