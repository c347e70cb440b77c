"""Where result files lie: mteb's own layout, ``org__model/revision/ALEE-….json`` beside ``model_meta.json``."""

import os
from pathlib import Path
from typing import NoReturn

from alee_mteb.errors import ResultsError
from alee_mteb.report.results import PREFIX

META = "model_meta.json"
PUBLISHED = "published"


def result_paths(folder: Path) -> list[Path]:
    """ALEE result files exactly two folders down, sorted; links are not followed."""
    return [path for path in all_files(folder) if len(path.relative_to(folder).parts) == 3 and is_result(path.name)]


def all_files(folder: Path) -> list[Path]:
    """Every file below a folder, and every link, which is not followed; hidden files and folders left out; sorted.

    Raises:
        ResultsError: a folder cannot be read.
    """
    found: list[Path] = []
    for place, folders, names in os.walk(folder, onerror=_unreadable, followlinks=False):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        links = [name for name in folders if (Path(place) / name).is_symlink()]
        found += [Path(place) / name for name in (*names, *links) if not name.startswith(".")]
    return sorted(found)


def _unreadable(error: OSError) -> NoReturn:
    raise ResultsError(f"{error.filename}: cannot be read ({error.strerror})") from error


def is_result(name: str) -> bool:
    """Whether a file name is that of an ALEE result."""
    return name.startswith(PREFIX) and name.endswith(".json")
