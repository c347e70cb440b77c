"""Where a corpus lies: a folder on this machine, or a Hub data set fetched into the cache."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from alee_mteb.errors import DataError
from alee_mteb.sources import hub_snapshot

_COMMIT = re.compile(r"[0-9a-f]{40}")
_FRONT_MATTER = re.compile(r"\A---\r?\n(.*?)\r?\n---", re.DOTALL)
_HUB_NAME = re.compile(r"[\w.-]+/[\w.-]+")


@dataclass(frozen=True)
class Place:
    """A folder with the files of a corpus.

    Attributes:
        name: Hub repository or local path as the user gave it.
        revision: the resolved Hub commit; ``None`` for local files.
    """

    name: str
    folder: Path
    revision: str | None

    def files(self, *patterns: str) -> list[Path]:
        """Files matching any of the glob patterns, sorted by path."""
        return sorted({path for pattern in patterns for path in self.folder.glob(pattern) if path.is_file()})


def is_hub_name(name: str) -> bool:
    """Whether this can only mean a Hub repository."""
    return _HUB_NAME.fullmatch(name) is not None and not Path(name).exists()


def local_place(path: Path) -> Place:
    """A folder on this machine.

    Raises:
        DataError: there is no such folder.
    """
    if not path.is_dir():
        raise DataError(f"{path}: no such folder; give a folder, a table file, or a corpus by name")
    return Place(str(path), path, None)


def hub_place(repository: str, revision: str | None, patterns: Sequence[str], token: str | None) -> Place:
    """The matching files of a Hub data set and its card, from the cache or the network.

    Raises:
        DataError: one line that says how to get access, or what to download and where to put it.
    """
    folder = hub_snapshot(
        repository,
        revision or "main",
        ["README.md", *patterns],
        setting="--corpus",
        revision_setting="--revision",
        token=token,
    )
    return Place(repository, folder, folder.name if _COMMIT.fullmatch(folder.name) else None)


def card_license(place: Place, default: str) -> str:
    """The licence in the metadata block of the folder's card, in Hub spelling; `default` where there is none."""
    card = place.folder / "README.md"
    match = _FRONT_MATTER.match(card.read_text(encoding="utf-8")) if card.is_file() else None
    if match is None:
        return default
    try:
        block = yaml.safe_load(match[1])
    except yaml.YAMLError:
        return default
    found = block.get("license") if isinstance(block, dict) else None
    names = [found] if isinstance(found, str) else found if isinstance(found, list) else []
    return " AND ".join(str(name).lower() for name in names) or default
