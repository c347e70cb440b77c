"""The registry of a user's own models: a small JSON file in the user's data folder.

    RegisteredModel ──store_model──▶ models.json ──read_registry, raw_entries──▶ `alee models list`, mteb's plug-in

Only the file is dealt with here, without mteb or torch; what mteb makes of an entry is in `alee_mteb.models.registry`.
"""

import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from alee_mteb.errors import ModelError
from alee_mteb.files import write_text

#: Overrides where the registry is.
REGISTRY_VARIABLE = "ALEE_MODEL_REGISTRY"
_NAME = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*", re.ASCII)
_VERSION = 1


@dataclass(frozen=True)
class RegisteredModel:
    """One entry.

    Attributes:
        name: ``org/name``.
        path: absolute path of the model folder.
        revision: hash of its weights when it was added.
        family: ``sonar``, ``bert``, ….
        dimension: of its embeddings.
        max_tokens: longest text; longer ones are cut.
        n_parameters: of the network.
        n_embedding_parameters: of these, in its word embeddings.
        uses_prompts: whether something is put before a text.
        stand_in: language whose token texts get if the encoder has none for theirs; ``None``: they are refused.
    """

    name: str
    path: str
    revision: str
    family: str
    dimension: int
    max_tokens: int
    n_parameters: int
    n_embedding_parameters: int
    uses_prompts: bool
    stand_in: str | None = None

    @property
    def state(self) -> str:
        """``ok``, or what is wrong with the folder (its weights are not read)."""
        return "ok" if (Path(self.path) / "config.json").is_file() else "folder is gone"


def registry_path() -> Path:
    """The registry file: ``ALEE_MODEL_REGISTRY``, else ``models.json`` in the user's data folder."""
    chosen = os.environ.get(REGISTRY_VARIABLE)
    if chosen:
        return Path(chosen)
    from platformdirs import user_data_path

    return user_data_path("alee-mteb", appauthor=False) / "models.json"


def read_registry(path: Path | None = None) -> dict[str, RegisteredModel]:
    """All entries by name, in alphabetical order; empty if there is no file.

    Raises:
        ModelError: the file or an entry cannot be read.
    """
    path = path or registry_path()
    return {name: parsed(path, name, entry) for name, entry in sorted(raw_entries(path).items())}


def registered(name: str) -> RegisteredModel | None:
    """One entry, whatever the others are like; ``None`` if there is none of that name.

    Raises:
        ModelError: the file or this entry cannot be read.
    """
    path = registry_path()
    entries = raw_entries(path)
    return parsed(path, name, entries[name]) if name in entries else None


def store_model(model: RegisteredModel) -> None:
    """Add an entry.

    Raises:
        ModelError: the name is taken, or the registry cannot be read or written.
    """
    with _locked() as file:
        entries = raw_entries(file)
        if model.name in entries:
            raise ModelError(f"{model.name}: registered already; `alee models remove {model.name}` first")
        _write(file, {**entries, model.name: asdict(model)})


def remove_model(name: str) -> None:
    """Forget a model; its folder stays. An entry that cannot be read can be removed too.

    Raises:
        ModelError: there is no such entry, or the registry cannot be written.
    """
    with _locked() as file:
        entries = raw_entries(file)
        if name not in entries:
            known = ", ".join(sorted(entries)) or "none"
            raise ModelError(f"{name}: not registered; registered are: {known}")
        _write(file, {other: entry for other, entry in entries.items() if other != name})


def check_name(name: str) -> None:
    """
    Raises:
        ModelError: the name is not ``org/name`` in letters, digits, ``-``, ``_`` and ``.``.
    """
    if not _NAME.fullmatch(name) or ".." in name:
        raise ModelError(f"{name!r}: a name is org/name, in letters, digits, '-', '_' and '.', such as my-org/salt-e5")


def raw_entries(path: Path) -> dict[str, Any]:
    """The entries as they stand in the file, unchecked; none if there is no file.

    Raises:
        ModelError: the file is no registry, or cannot be read.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:  # the last for brackets without end
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise ModelError(
            f"{path}: the registry of models cannot be read ({reason}); mend or delete the file"
        ) from error
    models = content.get("models") if isinstance(content, dict) else None
    if not isinstance(models, dict):
        raise ModelError(f"{path}: not a registry of models; mend or delete the file")
    if content.get("version") != _VERSION:
        raise ModelError(f"{path}: version {content.get('version')!r} of the registry, only {_VERSION} is known")
    return models


def parsed(path: Path, name: str, entry: Any) -> RegisteredModel:
    """One entry of `raw_entries`, checked.

    Raises:
        ModelError: fields are missing, unknown or of the wrong kind.
    """
    kinds = {field.name: field.type for field in fields(RegisteredModel)}  # types, as annotations are not postponed
    where = f"{path}: entry {name!r}"
    if not isinstance(entry, dict) or set(entry) != set(kinds):
        raise ModelError(f"{where} is damaged; `alee models remove {name}` takes it out")
    for key, kind in kinds.items():
        value = entry[key]
        if not isinstance(value, kind) or (kind is int and (isinstance(value, bool) or value < 0)):  # type: ignore[arg-type]
            raise ModelError(f"{where}: {key} is {value!r}; `alee models remove {name}` takes it out")
    model = RegisteredModel(**entry)
    if model.name != name:
        raise ModelError(f"{where} calls itself {model.name!r}; `alee models remove {name}` takes it out")
    check_name(name)
    return model


@contextmanager
def _locked() -> Iterator[Path]:
    """The registry file, while no other process changes it."""
    from filelock import FileLock, Timeout

    path = registry_path()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(path.with_name(path.name + ".lock"), timeout=30):
            yield path
    except Timeout as error:
        raise ModelError(f"{path}: another process holds the registry of models; try again") from error
    except OSError as error:
        raise ModelError(f"{path}: the registry of models cannot be written ({error.strerror or error})") from error


def _write(path: Path, entries: Mapping[str, Any]) -> None:
    content = {"version": _VERSION, "models": dict(sorted(entries.items()))}
    write_text(path, json.dumps(content, indent=2, ensure_ascii=False) + "\n")
