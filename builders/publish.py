"""Putting a finished build on the Hub, whole or not at all.

    folder ──check──▶ rights ──▶ card ──▶ one commit (tables, manifest, card) ──▶ URL

The manifest decides what goes up: a folder that is not exactly what its manifest says is refused. A repository can hold
several configurations; each brings its own folders and manifest, and its section of the card. What else the card says
is kept: that of the folder on the first publication, from then on that of the repository.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from alee_mteb import hub
from alee_mteb.errors import AleeError, DataError
from builders.card import dataset_card
from builders.licenses import RightsError, check_rehosting
from builders.manifest import MANIFEST, changed_files, read_manifest

if TYPE_CHECKING:
    from huggingface_hub import HfApi

CARD = "README.md"


class PublishError(AleeError):
    """A build that cannot be put on the Hub."""


@dataclass(frozen=True)
class Publication:
    """What was, or would be, published.

    Attributes:
        url: of the data set, or of the pull request.
        commit: ``None`` for a dry run.
        files: path in the repository → size in bytes.
        removed: files of an earlier publication of this configuration that are gone now.
    """

    repository: str
    url: str
    commit: str | None
    files: Mapping[str, int]
    removed: tuple[str, ...] = ()


@dataclass(frozen=True)
class Build:
    """A folder that is what its manifest says."""

    folder: Path
    manifest: Mapping[str, Any]

    @property
    def config(self) -> str:
        """The configuration."""
        return str(self.manifest["config"])

    @property
    def card(self) -> str | None:
        """The card in the folder."""
        path = self.folder / CARD
        return path.read_text(encoding="utf-8") if path.is_file() else None

    @property
    def uploads(self) -> dict[str, Path]:
        """Path in the repository → local file, card excepted. The manifest goes beside its configuration."""
        tables = {name: self.folder / name for name in sorted(self.manifest["files"])}
        return {**tables, f"{self.config}/{MANIFEST}": self.folder / MANIFEST}


def publish(
    folder: Path,
    repo_id: str,
    *,
    dry_run: bool = False,
    private: bool = False,
    create_pr: bool = False,
    i_have_the_right: bool = False,
    revision: str | None = None,
    token: str | None = None,
    say: Callable[[str], None] = print,
) -> Publication:
    """Put a build on the Hub as one commit, so that ``ALEE_DATASET=org/name`` and `load_dataset` find it.

    Args:
        repo_id: ``org/name``; made if it does not exist.
        dry_run: check everything and say what would go up; the Hub is not asked.
        private: make a new repository private.
        create_pr: open a pull request instead of writing to the branch.
        i_have_the_right: the user answers for re-hosting text whose licence or access terms do not allow it.
        revision: branch, made if it does not exist; ``main`` by default.
        token: instead of the one that is logged in.
        say: told what happens, line by line.

    Raises:
        DataError: the folder is no finished build, or not what its manifest says.
        RightsError: the text may not be re-hosted.
        PublishError: the Hub does not take it; nothing was published.
    """
    if problem := hub.name_problem(repo_id):
        raise PublishError(problem)
    if create_pr and revision not in (None, "main"):
        raise PublishError(f"{repo_id}: a pull request goes to main, not to {revision}; drop one of the two options")
    build = check_build(folder)
    corpus = build.manifest["corpus"]
    if not i_have_the_right:
        _check_rights(build, private=private)
    if dry_run:
        card = dataset_card(build.manifest, repo_id, build.card)
        files = {name: path.stat().st_size for name, path in build.uploads.items()} | {CARD: len(card.encode())}
        say(f"would publish {build.config} from {corpus['name']} to {repo_id}, {len(files)} files:")
        for name, size in sorted(files.items()):
            say(f"  {name}  {size:,} bytes")
        return Publication(repo_id, hub.page(repo_id, "dataset"), None, files)
    publication = _upload(build, repo_id, private, create_pr, revision, token)
    say(publication.url)
    return publication


def check_build(folder: Path) -> Build:
    """The build in a folder.

    Raises:
        DataError: no manifest; a table that is missing, differs from its hash or row count, lies elsewhere, or is not
            in the manifest.
    """
    if not folder.is_dir():
        raise DataError(f"{folder}: no such folder; give the --out folder of `alee build`")
    manifest = read_manifest(folder)
    if manifest is None:
        raise DataError(f"{folder}: no {MANIFEST}; only a finished build can be published, run `alee build` to its end")
    _check_shape(folder, manifest)
    changed = changed_files(folder, manifest)
    if changed:
        raise DataError(f"{folder / changed[0]}: missing, or not the file that {MANIFEST} describes; build again")
    for name, entry in manifest["files"].items():
        rows = _count_rows(folder / name)
        if rows != entry.get("rows"):
            raise DataError(f"{folder / name}: {rows} rows where {MANIFEST} says {entry.get('rows')}; build again")
    tables = {path.relative_to(folder).as_posix() for path in folder.rglob("*.parquet") if not _is_hidden(path, folder)}
    stray = sorted(tables - set(manifest["files"]))
    if stray:
        raise DataError(f"{folder / stray[0]}: not in {MANIFEST}; move it out of the folder, or build again")
    return Build(folder, manifest)


def _check_shape(folder: Path, manifest: Mapping[str, Any]) -> None:
    place = folder / MANIFEST
    if not isinstance(manifest.get("corpus"), dict) or not isinstance(manifest.get("files"), dict):
        raise DataError(f"{place}: no entry 'corpus' or 'files'; build again")
    config = manifest.get("config")
    if not isinstance(config, str) or re.fullmatch(r"[\w-]+", config) is None:
        raise DataError(f"{place}: {config!r} is no name for a configuration; build again")
    allowed = {config, f"{config}_provenance"}
    for name in manifest["files"]:
        path = PurePosixPath(name)
        if len(path.parts) != 2 or path.parts[0] not in allowed or not re.fullmatch(r"test-[\w-]+\.parquet", path.name):
            raise DataError(f"{place}: the file {name!r} does not belong to configuration {config!r}; build again")
    if not any(name.startswith(f"{config}/") for name in manifest["files"]):
        raise DataError(f"{place}: lists no table of configuration {config!r}; build again")


def _check_rights(build: Build, *, private: bool) -> None:
    corpus = build.manifest["corpus"]
    sources = corpus.get("sources") or [corpus]
    names = [str(source[field]) for source in sources for field in ("name", "origin") if source.get(field)]
    try:
        check_rehosting(str(corpus.get("license") or ""), names, private=private)
    except RightsError as error:
        way = "" if private else "publish with --private where that is enough, or "
        raise RightsError(
            f"{build.folder}: {error}; {way}with --i-have-the-right if you have permission to share it"
        ) from error


def _upload(
    build: Build,
    repository: str,
    private: bool,
    create_pr: bool,
    revision: str | None,
    token: str | None,
) -> Publication:
    """Everything that talks to the Hub; one commit at its end is the only thing that readers can see."""
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi
    from huggingface_hub.errors import HTTPError

    api = HfApi(token=token)
    try:
        api.create_repo(repository, repo_type="dataset", private=private or None, exist_ok=True)
        if private and not api.dataset_info(repository).private:
            # The option is for new repositories; one that is there already and public would show the text to all.
            raise PublishError(f"{repository}: exists and is public; make it private on its page, or choose another")
        if revision and not create_pr:
            api.create_branch(repository, branch=revision, repo_type="dataset", exist_ok=True)
        head = api.dataset_info(repository, revision=revision)
        present = [entry.rfilename for entry in head.siblings or []]
        existing = _read_card(api, repository, head.sha) if CARD in present else build.card
        card = dataset_card(build.manifest, repository, existing).encode()
        removed = tuple(name for name in present if _is_stale(name, build))
        additions = [CommitOperationAdd(name, str(path)) for name, path in build.uploads.items()]
        commit = api.create_commit(
            repository,
            operations=[
                *additions,
                CommitOperationAdd(CARD, card),
                *(CommitOperationDelete(name) for name in removed),
            ],
            commit_message=f"Publish {build.config}",
            repo_type="dataset",
            revision=revision,
            create_pr=create_pr,
            parent_commit=None if create_pr else head.sha,
        )
    except (HTTPError, OSError, ValueError, RuntimeError) as error:
        raise PublishError(f"{repository}: nothing was published, {hub.refusal(error)}") from error
    sizes = {name: path.stat().st_size for name, path in build.uploads.items()} | {CARD: len(card)}
    return Publication(
        repository, commit.pr_url or hub.page(repository, "dataset", revision), commit.oid, sizes, removed
    )


def _read_card(api: "HfApi", repository: str, commit: str | None) -> str:
    path = api.hf_hub_download(repository, CARD, repo_type="dataset", revision=commit)
    return Path(path).read_text(encoding="utf-8")


def _is_stale(name: str, build: Build) -> bool:
    """Whether a file in the repository is a table of this configuration that the build does not have."""
    folder = name.split("/")[0]
    return folder in (build.config, f"{build.config}_provenance") and name not in build.uploads


def _count_rows(path: Path) -> int:
    try:
        return int(pq.read_metadata(path).num_rows)
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"{path}: not a Parquet file ({error}); build again") from error


def _is_hidden(path: Path, folder: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(folder).parts)
