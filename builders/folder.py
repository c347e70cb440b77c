"""Reading a folder of triplets back: its configurations, wide table, provenance and manifest.

Serves the commands that look at a build. Folders that `alee build` did not make (the published data) have no
provenance; what needs it says so.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from alee_mteb.errors import DataError
from alee_mteb.languages import ENGLISH_KEYS
from alee_mteb.perturbations import Perturbation
from alee_mteb.sources import configurations
from alee_mteb.tables import TableReader
from alee_mteb.triplets import ID_COLUMNS, foil_column
from builders.manifest import read_manifest
from builders.tables import provenance_path


@dataclass(frozen=True)
class Pair:
    """A source and one of its foils."""

    id: str
    perturbation: Perturbation
    source: str
    foil: str


@dataclass(frozen=True)
class Configuration:
    """One configuration of a folder.

    Attributes:
        ids, sources: one per row of the wide table.
        foils: perturbation → foil or ``None``, per row; only perturbations that the table has a column for.
        columns: all columns of the wide table.
        provenance: rows of the provenance table in table order; ``None`` if there is no such table.
        manifest: ``None`` if the folder has none.
    """

    folder: Path
    name: str
    english: str
    ids: tuple[str, ...]
    sources: tuple[str, ...]
    foils: dict[Perturbation, tuple[str | None, ...]]
    columns: tuple[str, ...]
    provenance: list[dict[str, Any]] | None
    manifest: dict[str, Any] | None

    def pairs(self) -> Iterator[Pair]:
        """Every source with every foil it has, perturbation by perturbation, in row order."""
        for kind, texts in self.foils.items():
            for name, source, foil in zip(self.ids, self.sources, texts, strict=True):
                if foil is not None:
                    yield Pair(name, kind, source, foil)


def open_folder(folder: Path) -> list[Configuration]:
    """The configurations of a folder, by name.

    Raises:
        DataError: there is no such folder, or nothing in it that `alee build` or the loader would know.
    """
    if not folder.is_dir():
        raise DataError(f"{folder}: no such folder; give the --out folder of `alee build`")
    found = configurations(folder)
    if not found:
        if (folder / ".work").is_dir():
            raise DataError(f"{folder}: an unfinished build; run its `alee build` command again to go on")
        raise DataError(f"{folder}: no triplet tables found; give the --out folder of `alee build`")
    manifest = read_manifest(folder)
    return [_configuration(folder, name, found[name], manifest) for name in sorted(found)]


def only_configuration(folder: Path, name: str | None) -> Configuration:
    """The configuration of that name, or the only one there is.

    Raises:
        DataError: see `open_folder`; or there is none of that name, or several to choose from.
    """
    found = {configuration.name: configuration for configuration in open_folder(folder)}
    if name is not None and name not in found:
        raise DataError(f"{folder}: no configuration {name!r}; it has {', '.join(found)}")
    if name is None and len(found) > 1:
        raise DataError(f"{folder}: has the configurations {', '.join(found)}; choose one with --config-name")
    return found[name] if name is not None else next(iter(found.values()))


def _configuration(folder: Path, name: str, files: tuple[Path, ...], manifest: dict[str, Any] | None) -> Configuration:
    reader = TableReader(files)
    english = next((key for key in ENGLISH_KEYS if key in reader.columns), None)
    id_column = next((column for column in ID_COLUMNS if column in reader.columns), None)
    if english is None or id_column is None:
        raise DataError(f"{files[0]}: not a triplet table; it needs an id and one of {', '.join(ENGLISH_KEYS)}")
    columns = {
        kind: foil_column(english, kind) for kind in Perturbation if foil_column(english, kind) in reader.columns
    }
    table = reader.read([id_column, english, *columns.values()])
    path = folder / provenance_path(name)
    return Configuration(
        folder=folder,
        name=name,
        english=english,
        ids=tuple(str(value) for value in table.column(id_column).to_pylist()),
        sources=tuple(text or "" for text in table.column(english).to_pylist()),
        foils={
            kind: tuple(text or None for text in table.column(column).to_pylist()) for kind, column in columns.items()
        },
        columns=reader.columns,
        provenance=_rows(path) if path.is_file() else None,
        manifest=manifest,
    )


def _rows(path: Path) -> list[dict[str, Any]]:
    reader = TableReader([path])
    return reader.read(list(reader.columns)).to_pylist()
