"""Model folders: given by path, by Hub name, or found where `alee data` puts them.

Weights are read as safetensors, or as tensors only (``weights_only``) from older files; no code that comes with a
model is ever run.
"""

import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from alee_mteb.errors import MissingExtraError, ModelError

#: Overrides where `alee data` puts models and the builders look for them.
FOLDER_VARIABLE = "ALEE_MODELS"

_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+")
_WEIGHTS = ("*.safetensors", "*.bin")
#: What a model consists of, as far as it is read here.
_PARTS = ("*.json", "*.txt", "*.model", *_WEIGHTS)


@dataclass(frozen=True)
class ModelFolder:
    """A model on this machine.

    Attributes:
        name: for manifests: folder or repository name and a hash of its files, no path of this machine.
    """

    path: Path
    name: str


def models_folder() -> Path:
    """Where `alee data` puts models: ``ALEE_MODELS``, else a folder of the user."""
    chosen = os.environ.get(FOLDER_VARIABLE)
    if chosen:
        return Path(chosen)
    from platformdirs import user_data_path

    return user_data_path("alee-mteb", appauthor=False) / "models"


def model_folder(name: str | Path, what: str, *, revision: str | None = None, hint: str | None = None) -> ModelFolder:
    """The folder of a model, fetched from the Hub if `name` is no folder but ``org/name``.

    Args:
        what: what the model is for, for messages: ``"the NLI model"``.
        hint: how to get it, for messages, if not from the Hub.

    Raises:
        ModelError: there is no such folder, or the Hub does not give it, with what to download and where to put it.
    """
    path = Path(name)
    if path.is_dir():
        return ModelFolder(path, f"{path.resolve().name}@{fingerprint(path)}")
    text = str(name)
    if path.exists() or not _REPOSITORY.fullmatch(text) or text.startswith("."):
        raise ModelError(
            f"{what}: {text} is not a folder and not a Hub repository (org/name)" + (f"; {hint}" if hint else "")
        )
    fetched = fetch_repository(text, what, revision)
    return ModelFolder(fetched, f"{text}@{fingerprint(fetched)}")


def fetch_repository(repository: str, what: str, revision: str | None = None) -> Path:
    """A model repository's folder in the Hub's cache; a complete cached copy serves without a network.

    Raises:
        ModelError: it cannot be had.
    """
    try:
        from huggingface_hub import HfApi, snapshot_download
        from huggingface_hub.errors import (
            GatedRepoError,
            HTTPError,
            LocalEntryNotFoundError,
            OfflineModeIsEnabled,
            RepositoryNotFoundError,
            RevisionNotFoundError,
        )
    except ImportError as error:
        raise MissingExtraError("huggingface-hub", "builders", what) from error
    try:
        try:
            files = HfApi().list_repo_files(repository, revision=revision)
        except (GatedRepoError, RepositoryNotFoundError, RevisionNotFoundError):
            raise
        except (OfflineModeIsEnabled, HTTPError, OSError):
            return _cached(repository, revision)
        kinds = [kind for kind in _WEIGHTS if any(Path(name).match(kind) and "/" not in name for name in files)]
        return Path(snapshot_download(repository, revision=revision, **_wanted(*kinds[:1])))
    except GatedRepoError as error:
        raise ModelError(
            f"{what}: {repository} is gated; accept its terms on its Hub page, then `hf auth login`"
        ) from error
    except RevisionNotFoundError as error:
        raise ModelError(f"{what}: {repository} has no revision {revision!r}") from error
    except RepositoryNotFoundError as error:
        raise ModelError(f"{what}: no model {repository} on the Hub, or no access to it; check its name") from error
    except (LocalEntryNotFoundError, HTTPError, OSError) as error:
        raise ModelError(
            f"{what}: the Hugging Face Hub cannot be reached and {repository} is not cached; where there is a network "
            f"run `hf download {repository} --local-dir DIR`, copy DIR here and give DIR instead of the name"
        ) from error


def _wanted(*weights: str) -> dict[str, Any]:
    """What to take of a repository: no code, no sub-folders, and its weights in one format only."""
    others = [part for part in _PARTS if part not in _WEIGHTS]
    return {"allow_patterns": [*others, *weights], "ignore_patterns": ["*/*"]}


def _cached(repository: str, revision: str | None) -> Path:
    """A model's snapshot in the Hub's cache, with its weights.

    Raises:
        OSError: there is none, or only a part of one.
    """
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import LocalEntryNotFoundError

    for weights in _WEIGHTS:
        try:
            folder = snapshot_download(repository, revision=revision, local_files_only=True, **_wanted(weights))
        except LocalEntryNotFoundError:
            continue
        if next(Path(folder).glob(weights), None):
            return Path(folder)
    raise FileNotFoundError(f"{repository} is not in the cache")


def fingerprint(folder: Path) -> str:
    """First 8 digits of a SHA-256 over the names and bytes of the files that make the model."""
    digest = hashlib.sha256()
    for path in sorted({path for pattern in _PARTS for path in folder.glob(pattern)}):
        digest.update(path.name.encode() + b"\0")
        with path.open("rb") as handle:
            digest.update(hashlib.file_digest(handle, "sha256").digest())
    return digest.hexdigest()[:8]


def choose_device(device: str | None) -> str:
    """The device asked for, else the first GPU, else the CPU.

    Raises:
        ModelError: torch does not have that device.
    """
    import torch

    if device is None:
        return "cuda:0" if torch.cuda.is_available() else "cpu"
    try:
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        raise ModelError(f"device {device!r} cannot be used here ({' '.join(str(error).split())[:120]})") from error
    return device


def refuse_unloaded(problems: dict[str, Any], folder: Path, what: str) -> None:
    """Stop where weights are missing from a folder: they would be random numbers, with no more than a log line.

    Args:
        problems: ``output_loading_info`` of ``from_pretrained``.

    Raises:
        ModelError: some weights are missing or have another shape.
    """
    for kind in ("missing_keys", "mismatched_keys"):
        keys = sorted(str(key) for key in problems.get(kind) or ())
        if keys:
            raise ModelError(
                f"{what}: {folder}: {len(keys)} weights are not in its files or have another shape "
                f"({keys[0]}); fetch the model again"
            )
