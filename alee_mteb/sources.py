"""Where a triplet table comes from: a Hub repository, a local folder or file, or the packaged sample.

Every place is first made into local files (`DataSource`), so that one loader serves them all:

    Hub repository ──snapshot──▶ folder ──README configs / names──▶ data files
"""

import hashlib
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from alee_mteb.errors import DataError
from alee_mteb.tables import SUFFIXES

#: The published data, read until the project publishes its own (DESIGN.md §2).
OFFICIAL_REPOSITORY = "Andrianos/alee_datasets"
OFFICIAL_REVISION = "main"

_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+")
_COMMIT = re.compile(r"[0-9a-f]{40}")


@dataclass(frozen=True)
class DataSource:
    """The files of one configuration, and what to call the place in scores and messages.

    Attributes:
        path: Hub repository or local path as the user gave it.
        commit: the resolved Hub commit, or the content hash (hexadecimal SHA-256) of local files.
        config: the configuration, e.g. ``alee_mt61``.
        files: the data files, in reading order.
        folder: where a build manifest would lie.
    """

    path: str
    commit: str
    config: str
    files: tuple[Path, ...]
    folder: Path

    @property
    def short_hash(self) -> str:
        """First 8 digits of the commit or content hash: the suffix of the task name (``ALEE-MT61@1a2b3c4d``)."""
        return self.commit[:8]


@dataclass(frozen=True)
class DataRequest:
    """What the user asked for, before any file or network was touched."""

    dataset: str
    revision: str | None = None

    @classmethod
    def from_environment(cls) -> "DataRequest | None":
        """The request in ``ALEE_DATASET`` and ``ALEE_REVISION``; ``None`` if neither is set."""
        dataset, revision = os.environ.get("ALEE_DATASET"), os.environ.get("ALEE_REVISION")
        if not dataset and not revision:
            return None
        return cls(dataset or OFFICIAL_REPOSITORY, revision or None)

    @property
    def is_local(self) -> bool:
        """Whether this names something on this machine rather than a Hub repository."""
        return Path(self.dataset).exists() or not _REPOSITORY.fullmatch(self.dataset)

    def resolve(self, config: str) -> DataSource:
        """The files of a configuration, fetched if need be.

        Raises:
            DataError: the place does not exist, cannot be reached, or has no such configuration.
        """
        if not self.is_local:
            return _hub_source(self.dataset, self.revision or OFFICIAL_REVISION, config)
        if self.revision:
            raise DataError(f"{self.dataset}: a revision ({self.revision}) only makes sense for a Hub repository")
        return _local_source(Path(self.dataset), config)


def configurations(folder: Path) -> dict[str, tuple[Path, ...]]:
    """The configurations of a data folder and their files: the README's ``configs:`` block, else by name.

    Without such a block, ``NAME/*.parquet`` and ``NAME.parquet`` (or .csv, .tsv, .jsonl) each make a configuration
    NAME; provenance tables are left out.
    """
    declared = {
        str(entry.get("config_name", "default")): expand(folder, split_patterns(entry.get("data_files")))
        for entry in readme_configs(folder)
    }
    found = {name: files for name, files in declared.items() if files}
    if not found:
        found = _configurations_by_name(folder)
    return {name: files for name, files in found.items() if not name.endswith("_provenance")}


def _configurations_by_name(folder: Path) -> dict[str, tuple[Path, ...]]:
    if shards := expand(folder, ["test*"]):
        return {"default": shards}
    found: dict[str, tuple[Path, ...]] = {}
    for child in sorted(folder.iterdir()):
        if child.is_file() and child.suffix in SUFFIXES:
            found[child.stem] = (child,)
        elif child.is_dir() and (files := expand(child, ["test*"]) or expand(child, ["*"])):
            found[child.name] = files
    return found


def readme_configs(folder: Path) -> list[dict[str, Any]]:
    """The ``configs:`` entries of a dataset card's metadata block; empty if there is no card or block."""
    readme = folder / "README.md"
    if not readme.is_file():
        return []
    text = readme.read_text(encoding="utf-8")
    match = re.match(r"\A---\r?\n(.*?)\r?\n---", text, flags=re.DOTALL)
    if match is None:
        return []
    try:
        block = yaml.safe_load(match[1])
    except yaml.YAMLError as error:
        raise DataError(f"{readme}: its metadata block is not valid YAML ({error})") from error
    configs = block.get("configs") if isinstance(block, dict) else None
    return [entry for entry in configs or [] if isinstance(entry, dict)]


def _local_source(path: Path, config: str) -> DataSource:
    if path.is_file():
        if path.suffix not in SUFFIXES:
            raise DataError(f"{path}: not a table; expected one of {', '.join(SUFFIXES)}")
        return DataSource(str(path), _content_hash((path,), _stamp((path,))), config, (path,), path.parent)
    if not path.is_dir():
        raise DataError(
            f"{path}: no such file or folder, and not a Hub repository (org/name); set ALEE_DATASET or --data to one"
        )
    files = _files_of(path, config, str(path))
    return DataSource(str(path), _content_hash(files, _stamp(files)), config, files, path)


def _files_of(folder: Path, config: str, place: str) -> tuple[Path, ...]:
    found = configurations(folder)
    if config in found:
        return found[config]
    if not found:
        raise DataError(f"{place}: no data files ({', '.join(SUFFIXES)}) found")
    if set(found) == {"default"}:
        return found["default"]
    raise DataError(f"{place}: no configuration {config!r}; it has {', '.join(sorted(found))}")


def _hub_source(repository: str, revision: str, config: str) -> DataSource:
    """Fetch only the files of this configuration; already cached files serve without a network."""
    card = readme_configs(hub_snapshot(repository, revision, ["README.md"], wanted=config))
    declared = [
        p for entry in card if entry.get("config_name") == config for p in split_patterns(entry.get("data_files"))
    ]
    if card and not declared:
        names = ", ".join(str(entry.get("config_name")) for entry in card)
        raise DataError(f"{repository}: no configuration {config!r}; it has {names}")
    by_name = [f"{config}{rest}{suffix}" for suffix in SUFFIXES for rest in ("", "/*")]
    patterns = ["README.md", "manifest.json", f"{config}/manifest.json", *(declared or by_name)]
    folder = hub_snapshot(repository, revision, patterns, wanted=config)
    commit = folder.name if _COMMIT.fullmatch(folder.name) else revision
    return DataSource(repository, commit, config, _files_of(folder, config, repository), folder)


def hub_snapshot(
    repository: str,
    revision: str,
    patterns: Sequence[str],
    *,
    wanted: str = "",
    setting: str = "ALEE_DATASET",
    revision_setting: str = "ALEE_REVISION",
    token: str | None = None,
) -> Path:
    """A folder with those files of a Hub data set that match `patterns`, named by their commit.

    Files in the cache are not fetched again, and serve when the Hub cannot be reached.

    Args:
        wanted: what the files are for, for messages, e.g. a configuration.
        setting, revision_setting: what the user sets to name the place and the revision, for messages.
        token: instead of the one the Hub client finds.

    Raises:
        DataError: one line: gated, no such repository or revision, unreachable and not cached, disk full.
    """
    from huggingface_hub import constants, snapshot_download
    from huggingface_hub.errors import (
        GatedRepoError,
        HFValidationError,
        HTTPError,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )

    try:
        return Path(
            snapshot_download(
                repository, repo_type="dataset", revision=revision, allow_patterns=list(patterns), token=token
            )
        )
    except GatedRepoError as error:
        raise DataError(
            f"{repository}: the data set is gated; accept its terms at {constants.ENDPOINT}/datasets/{repository}, "
            "then `hf auth login`"
        ) from error
    except RevisionNotFoundError as error:
        raise DataError(f"{repository}: no revision {revision!r}; check {revision_setting}") from error
    except RepositoryNotFoundError as error:
        raise DataError(
            f"{repository}: no such data set on the Hub, or no access to it, and no folder or file of this name here; "
            f"check {setting}"
        ) from error
    except HFValidationError as error:
        raise DataError(f"{repository}: not a name the Hub allows ({error}); check {setting}") from error
    except (HTTPError, OSError) as error:
        raise DataError(
            f"{repository}{f' ({wanted})' if wanted else ''}: {_why_not(error, repository, setting)}"
        ) from error


def _why_not(error: Exception, repository: str, setting: str) -> str:
    """What kept files from arriving and what to do: the disk, an answer of the Hub, or no network."""
    if isinstance(error, OSError) and error.errno is not None and error.filename is not None:
        return f"cannot be stored ({error.strerror}: {error.filename}); free some space or set HF_HOME to another disk"
    by_hand = (
        f"where there is a network run `hf download {repository} --repo-type dataset --local-dir DIR`, "
        f"copy DIR here and set {setting}=DIR (there is no folder or file {repository} here)"
    )
    answer = getattr(error, "response", None) or getattr(error.__cause__, "response", None)
    if answer is None:
        return f"the Hugging Face Hub cannot be reached and the data is not cached; {by_hand}"
    if answer.status_code in (401, 403):
        return f"the Hugging Face Hub answers {answer.status_code}, access refused; `hf auth login` with a valid token"
    if answer.status_code == 429:
        return (
            "the Hugging Face Hub answers 429, too many requests; wait a while, or `hf auth login` for a higher limit"
        )
    return (
        f"the Hugging Face Hub answers {answer.status_code} and the data is not cached; try again later, or {by_hand}"
    )


def split_patterns(data_files: Any, split: str = "test") -> list[str]:
    """File patterns of a split in a ``data_files`` entry, in any of the spellings the Hub allows."""
    if isinstance(data_files, str):
        return [data_files]
    if isinstance(data_files, dict):
        return split_patterns(data_files.get(split) or list(data_files.values()), split)
    patterns: list[str] = []
    for entry in data_files or []:
        if isinstance(entry, dict):
            if entry.get("split", split) == split:
                patterns += split_patterns(entry.get("path"), split)
        else:
            patterns += split_patterns(entry, split)
    return patterns


def expand(folder: Path, patterns: Sequence[str]) -> tuple[Path, ...]:
    """Data files under `folder` that match, sorted; patterns cannot lead out of the folder."""
    root = folder.resolve()
    files: dict[Path, None] = {}
    for pattern in patterns:
        if Path(pattern).is_absolute() or ".." in Path(pattern).parts:
            raise DataError(f"{folder / 'README.md'}: the file pattern {pattern!r} leads out of the folder")
        for path in sorted(root.glob(pattern)):
            if path.is_file() and path.suffix in SUFFIXES:
                files[folder / path.relative_to(root)] = None
    return tuple(files)


def _stamp(files: Sequence[Path]) -> tuple[tuple[int, int], ...]:
    return tuple((path.stat().st_size, path.stat().st_mtime_ns) for path in files)


@cache
def _content_hash(files: tuple[Path, ...], stamp: tuple[tuple[int, int], ...]) -> str:
    """SHA-256 over the bytes of the files in order; `stamp` (sizes and times) makes a changed file a new question."""
    digest = hashlib.sha256()
    for path in files:
        with path.open("rb") as handle:
            digest.update(hashlib.file_digest(handle, "sha256").digest())
    return digest.hexdigest()
