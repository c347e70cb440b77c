"""Model folders: found by path or Hub name, written whole or not at all, and named by a hash of their weights."""

import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from alee_mteb.errors import ModelError

_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+")
_SMALL_FILES = ("*.json", "*.txt", "*.model", "*/config.json")
_WEIGHTS = ("*.safetensors", "*.bin")
#: Digits of a SHA-256 that stand for a set of weights.
REVISION_DIGITS = 16


def encoder_folder(name: str | Path, *, revision: str | None = None, what: str = "encoder") -> Path:
    """The folder of an encoder: the path itself, or the Hub repository ``org/name`` in the cache, fetched if need be.

    Args:
        what: ``tokenizer`` if its weights are of no interest; these are not fetched then, nor is a model asked for.

    Raises:
        ModelError: it is neither, or the Hub does not give it, with what to download and where to put it.
    """
    path = Path(name)
    if path.is_dir():
        if what == "encoder" and not (path / "config.json").is_file():
            raise ModelError(f"{path}: no config.json in it; an encoder is a folder that Transformers wrote")
        return path
    text = str(name)
    if path.exists():
        raise ModelError(f"{path}: a file; give the folder of an encoder, or a Hub repository (org/name)")
    if not _REPOSITORY.fullmatch(text) or text.startswith("."):
        raise ModelError(f"{text}: no such folder, and not the name of a Hub repository (org/name)")
    return _from_hub(text, revision, _WEIGHTS if what == "encoder" else ())


def _from_hub(repository: str, revision: str | None, weights: tuple[str, ...]) -> Path:
    from huggingface_hub import HfApi, snapshot_download
    from huggingface_hub.errors import (
        GatedRepoError,
        HFValidationError,
        HTTPError,
        LocalEntryNotFoundError,
        OfflineModeIsEnabled,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )

    try:
        try:
            # Of the ways to list files this one gives up at once where there is no network.
            siblings = HfApi().model_info(repository, revision=revision, timeout=20).siblings or ()
            files = [sibling.rfilename for sibling in siblings]
        except (GatedRepoError, RepositoryNotFoundError, RevisionNotFoundError):
            raise
        except (OfflineModeIsEnabled, HTTPError, OSError):
            return _cached(repository, revision, weights)
        kinds = [kind for kind in weights if any(Path(file).match(kind) and "/" not in file for file in files)]
        return Path(snapshot_download(repository, revision=revision, **_wanted(*kinds[:1])))
    except GatedRepoError as error:
        raise ModelError(f"{repository} is gated; accept its terms on its Hub page, then `hf auth login`") from error
    except RevisionNotFoundError as error:
        raise ModelError(f"{repository} has no revision {revision!r} on the Hub") from error
    except RepositoryNotFoundError as error:
        raise ModelError(f"{repository}: no such folder, and no such model on the Hub (or no access to it)") from error
    except HFValidationError as error:
        raise ModelError(f"{repository}: no such folder, and not a name the Hub can have ({error})") from error
    except (LocalEntryNotFoundError, HTTPError, OSError) as error:
        raise ModelError(
            f"{repository}: no such folder, the Hugging Face Hub cannot be reached, and it is not cached; where there "
            f"is a network run `hf download {repository} --local-dir DIR`, copy DIR here and give DIR instead"
        ) from error


def _wanted(*weights: str) -> dict[str, Any]:
    """What to take of a repository: no code, weights in one format only, no sub-folders but sentence-transformers'."""
    return {"allow_patterns": [*_SMALL_FILES, *weights], "ignore_patterns": ["[!0-9]*/*"]}


def _cached(repository: str, revision: str | None, weights: tuple[str, ...]) -> Path:
    """A model's snapshot in the Hub's cache, with all that is wanted of it.

    Raises:
        OSError: there is none, or only a part of one.
    """
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import LocalEntryNotFoundError

    choices: list[tuple[str, ...]] = [(kind,) for kind in weights] or [()]
    for kinds in choices:
        try:
            folder = snapshot_download(repository, revision=revision, local_files_only=True, **_wanted(*kinds))
        except LocalEntryNotFoundError:
            continue
        if all(next(Path(folder).glob(kind), None) for kind in kinds):
            return Path(folder)
    raise FileNotFoundError(f"{repository} is not in the cache")


def weights_revision(folder: Path) -> str:
    """The first 16 hexadecimal digits of a SHA-256 over the safetensors files of a folder, by name and content.

    Files of sub-folders (a dense layer on top) count.

    Raises:
        ModelError: there are none, or one cannot be read.
    """
    files = sorted(folder.rglob("*.safetensors"), key=lambda path: path.relative_to(folder).as_posix())
    if not files:
        raise ModelError(f"{folder}: no safetensors weights in it; save the model as safetensors")
    digest = hashlib.sha256()
    try:
        for path in files:
            digest.update(path.relative_to(folder).as_posix().encode() + b"\0")
            with path.open("rb") as handle:
                digest.update(hashlib.file_digest(handle, "sha256").digest())
    except OSError as error:
        raise ModelError(f"{error.filename or folder}: cannot be read ({error.strerror or error})") from error
    return digest.hexdigest()[:REVISION_DIGITS]


@contextmanager
def made_folder(folder: Path, *, overwrite: bool = False) -> Iterator[Path]:
    """A scratch folder beside `folder` that takes its place when all went well, and vanishes otherwise.

    With `overwrite` a folder that is there is exchanged, provided it is a model folder.

    Raises:
        ModelError: `folder` holds something that may not be replaced, or the disk will not take it.
    """
    occupied = folder.exists() and (not folder.is_dir() or any(folder.iterdir()))
    if occupied and not (overwrite and (folder / "config.json").is_file()):
        advice = "--overwrite replaces a model there" if not overwrite else "it holds no model, so it is left alone"
        raise ModelError(f"{folder}: not empty; name another folder ({advice})")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", suffix=".tmp", dir=folder.parent))
    except OSError as error:
        raise ModelError(f"{folder}: cannot be written ({error.strerror or error})") from error
    try:
        yield scratch
        _open_up(scratch)
        _exchange(scratch, folder)
    except OSError as error:
        raise ModelError(f"{folder}: cannot be written ({error.strerror or error})") from error
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _open_up(scratch: Path) -> None:
    """Rights as if the files had been written in the usual way, not by way of private temporary ones."""
    mask = _umask()
    scratch.chmod(0o777 & ~mask)
    for path in scratch.rglob("*"):
        path.chmod((0o777 if path.is_dir() else 0o666) & ~mask)


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current


def _exchange(scratch: Path, folder: Path) -> None:
    """Put `scratch` in the place of `folder`; the old one goes only when the new one is there."""
    if not folder.exists():
        scratch.rename(folder)
        return
    old = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", suffix=".old", dir=folder.parent))
    folder.rename(old / "old")
    try:
        scratch.rename(folder)
    except OSError:
        (old / "old").rename(folder)
        raise
    finally:
        if folder.exists():
            shutil.rmtree(old, ignore_errors=True)
