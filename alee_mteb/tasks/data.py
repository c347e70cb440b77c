"""From a task's spec to its triplets, and how other data is kept apart from the official data.

mteb files results by task name and revision, and serves what it finds there. So data from elsewhere (``ALEE_DATASET``,
``alee run --data``) gets a task class of its own, named ``ALEE-MT61@<first 8 of the content hash>``; the plain name
resolves to it while the variable is set.
"""

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alee_mteb.errors import DataError
from alee_mteb.languages import Language, language_of
from alee_mteb.sample import packaged_revision, packaged_table
from alee_mteb.sources import OFFICIAL_REPOSITORY, DataRequest, DataSource
from alee_mteb.tables import TableReader
from alee_mteb.tasks.metadata import task_metadata
from alee_mteb.tasks.specs import SPECS, TaskSpec
from alee_mteb.triplets import TripletTable, language_columns, load_triplets

if TYPE_CHECKING:
    from alee_mteb.tasks.base import AleeTask

SURFACE = "surface"

_classes: dict[tuple[str, str], type["AleeTask"]] = {}


def load(spec: TaskSpec, request: DataRequest | None) -> tuple[DataSource, TripletTable]:
    """The source and the validated triplets of a task; the published data if there is no request.

    Raises:
        DataError, LanguageError: see `alee_mteb.sources` and `alee_mteb.triplets`.
    """
    if spec.packaged and request is None:
        source = DataSource("packaged", packaged_revision(spec.config), spec.config, (), Path())
        return source, load_triplets(TableReader.of(packaged_table(spec.config)), spec.name, "the packaged sample")
    source = (request or DataRequest(OFFICIAL_REPOSITORY)).resolve(spec.config)
    reader = TableReader(source.files)
    refuse_surface_data(spec, source, reader)
    return source, load_triplets(reader, spec.name, place_of(source))


def class_for_environment(cls: type["AleeTask"]) -> type["AleeTask"]:
    """`cls`, or its variant for the data that ``ALEE_DATASET`` and ``ALEE_REVISION`` name."""
    if cls.spec.packaged or cls.request is not None:
        return cls
    request = DataRequest.from_environment()
    return cls if request is None else variant(cls, cls.spec, request)


def variant(base: type["AleeTask"], spec: TaskSpec, request: DataRequest) -> type["AleeTask"]:
    """The task class for data from elsewhere, known to mteb under a name that carries the data's hash.

    Raises:
        DataError: the data cannot be reached, or was built by the surface engine but goes by an official name.
    """
    source = request.resolve(spec.config)
    if not request.is_local:
        request = DataRequest(request.dataset, source.commit)  # a branch may move before the data is loaded
    name = f"{spec.name}@{source.short_hash}"
    if (name, source.path) not in _classes:
        reader = TableReader(source.files)
        refuse_surface_data(spec, source, reader)
        languages = languages_in(reader, spec, place_of(source))
        members: dict[str, Any] = {
            "__doc__": f"{spec.name} on the data at {source.path}.",
            "__module__": base.__module__,
            "spec": spec,
            "request": request,
            "metadata": task_metadata(spec, name, languages, source.path, source.commit),
        }
        _classes[name, source.path] = type(f"{base.__name__}_{source.short_hash}", (base,), members)
    task = _classes[name, source.path]
    from alee_mteb.plugin import add_task

    add_task(task)
    return task


def own_data_task(request: DataRequest, config: str) -> type["AleeTask"]:
    """A task for any configuration of a data folder (``alee run --data``).

    Official configurations keep their task's name; others are called ``ALEE-<config>``, or ``ALEE-S-<config>`` if
    the surface engine built them.
    """
    from alee_mteb.tasks.base import AleeTask
    from alee_mteb.tasks.official import TASKS

    source = request.resolve(config)
    surface = build_engine(source, TableReader(source.files)) == SURFACE
    if not surface:
        for spec in SPECS.values():
            if spec.config == config:
                return variant(TASKS[spec.name], spec, request)
    stem = re.sub(r"[^\w.-]+", "-", re.sub(r"^alee[-_](s[-_])?", "", config, flags=re.IGNORECASE)) or "data"
    spec = TaskSpec(
        name=f"ALEE-S-{stem}" if surface else f"ALEE-{stem}",
        config=config,
        description=f"Cross-lingual minimal pairs from {source.path}.",
        domains=("Written",),
        license="not specified",
        date=("2000-01-01", "2000-01-01"),
        sample_creation="found",
        annotations_creators="automatic",
        official=False,
    )
    return variant(AleeTask, spec, request)


def build_engine(source: DataSource, reader: TableReader) -> str | None:
    """The engine that made the foils: from ``manifest.json`` beside the data, or the Parquet metadata ``alee``."""
    for path in (source.folder / source.config / "manifest.json", source.folder / "manifest.json"):
        if path.is_file():
            try:
                manifest = json.loads(path.read_text(encoding="utf-8"))
            except (OSError, ValueError) as error:
                raise DataError(f"{path}: not a readable manifest ({error})") from error
            return _engine_in(manifest)
    embedded = reader.metadata().get("alee")
    return _engine_in(json.loads(embedded)) if embedded else None


def refuse_surface_data(spec: TaskSpec, source: DataSource, reader: TableReader) -> None:
    """Surface-built data is another benchmark and never goes by an official name (DESIGN.md §2)."""
    if spec.official and build_engine(source, reader) == SURFACE:
        raise DataError(
            f"{place_of(source)}: built by the surface engine, which {spec.name} does not accept; "
            f"score it under its own name with `alee run --data {source.path}`"
        )


def languages_in(reader: TableReader, spec: TaskSpec, place: str) -> list[Language]:
    """The languages of a table under their subset keys."""
    found = language_columns(reader.columns, spec.name, place)
    return [Language(key, language.code) for key, column in found.items() if (language := language_of(column))]


def place_of(source: DataSource) -> str:
    """How messages name the data: the file if there is one, else path and configuration."""
    return (
        str(source.files[0])
        if len(source.files) == 1 and Path(source.path).exists()
        else f"{source.path} ({source.config})"
    )


def _engine_in(manifest: Any) -> str | None:
    return str(manifest["engine"]) if isinstance(manifest, dict) and manifest.get("engine") else None
