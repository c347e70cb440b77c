"""Models of one's own that mteb knows by name: a small JSON file in the user's data folder.

    alee models add runs/sonar --name my-org/salt-sonar        checks the folder, writes an entry
    mteb run -m my-org/salt-sonar -t ALEE-F200                 any later process: the plug-in reads the entry

An entry holds what mteb wants to know before a model is loaded, so that importing mteb opens no model folder. The
revision is a hash of the weights, and mteb files scores under it; weights that changed since are refused, so that
old scores are never served for new weights.
"""

import json
import logging
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alee_mteb.encoders.folder import weights_revision
from alee_mteb.errors import LanguageError, ModelError
from alee_mteb.files import write_text

if TYPE_CHECKING:
    from mteb.models.model_meta import ModelMeta

    from alee_mteb.models.token_encoder_model import TokenEncoderModel

#: Overrides where the registry is.
REGISTRY_VARIABLE = "ALEE_MODEL_REGISTRY"
_NAME = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*", re.ASCII)
_VERSION = 1

logger = logging.getLogger(__name__)


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
    return {name: _parsed(path, name, entry) for name, entry in sorted(_raw_entries(path).items())}


def registered(name: str) -> RegisteredModel | None:
    """One entry, whatever the others are like; ``None`` if there is none of that name.

    Raises:
        ModelError: the file or this entry cannot be read.
    """
    path = registry_path()
    entries = _raw_entries(path)
    return _parsed(path, name, entries[name]) if name in entries else None


def add_model(folder: str | Path, name: str, *, stand_in: str | None = None) -> RegisteredModel:
    """Load the folder once to see that it is whole, and register it.

    Raises:
        LanguageError: the encoder has no token for `stand_in`, or takes no language.
        ModelError: the name is bad, taken here or in mteb, the folder is no encoder or not whole, or the registry
            cannot be written.
    """
    check_name(name)
    path = Path(folder)
    if not path.is_dir():
        raise ModelError(f"{folder}: no such folder; give the folder of an encoder")
    taken = registered(name)
    if taken is not None:
        raise ModelError(f"{name}: registered already, for {taken.path}; `alee models remove {name}` first")
    _refuse_names_of_mteb(name)
    model = _examined(path.resolve(), name, stand_in)
    with _locked() as file:
        entries = _raw_entries(file)
        if name in entries:
            raise ModelError(f"{name}: registered already; `alee models remove {name}` first")
        _write(file, {**entries, name: asdict(model)})
    return model


def remove_model(name: str) -> None:
    """Forget a model; its folder stays. An entry that cannot be read can be removed too.

    Raises:
        ModelError: there is no such entry, or the registry cannot be written.
    """
    with _locked() as file:
        entries = _raw_entries(file)
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


def registered_metas() -> list["ModelMeta"]:
    """What the plug-in tells mteb: all entries that can be read; one warning for what cannot."""
    path = registry_path()
    metas, broken = [], []
    try:
        entries = _raw_entries(path)
    except ModelError as error:
        logger.warning("%s; the models registered with `alee models add` are not available", error)
        return []
    for name, entry in entries.items():
        try:
            metas.append(as_meta(_parsed(path, name, entry)))
        except Exception as error:  # noqa: BLE001 - one bad entry must not stop the others, nor mteb
            reason = " ".join(str(error).split())[:200]
            broken.append(f"{name} ({reason})" if not isinstance(error, ModelError) else reason)
    if broken:
        logger.warning("registered models left out: %s", "; ".join(broken))
    return metas


def as_meta(model: RegisteredModel) -> "ModelMeta":
    """The entry as mteb describes models."""
    from mteb.models.model_meta import ModelMeta, ScoringFunction

    return ModelMeta(
        loader=load_registered,
        name=model.name,
        revision=model.revision,
        release_date=None,
        languages=None,
        n_parameters=model.n_parameters,
        n_embedding_parameters=model.n_embedding_parameters,
        memory_usage_mb=round(model.n_parameters * 4 / 2**20),
        max_tokens=model.max_tokens,
        embed_dim=model.dimension,
        license=None,
        open_weights=None,
        public_training_code=None,
        public_training_data=None,
        framework=["PyTorch"],
        reference=None,
        similarity_fn_name=ScoringFunction.COSINE,
        use_instructions=model.uses_prompts,
        training_datasets=None,
    )


def load_registered(
    model_name: str, revision: str | None = None, device: str | None = None, **_: Any
) -> "TokenEncoderModel":
    """The loader that mteb calls.

    Raises:
        ModelError: the model is not registered any more, its folder is gone, or its weights or the revision asked for
            are not the registered ones.
    """
    from alee_mteb.models.token_encoder_model import TokenEncoderModel

    model = registered(model_name)
    if model is None:
        raise ModelError(f"{model_name}: not registered (any more); `alee models list` shows what is")
    if revision is not None and revision != model.revision:
        raise ModelError(f"{model_name}: registered with revision {model.revision}, not {revision}")
    folder = Path(model.path)
    again = f"`alee models remove {model_name}`, then `alee models add FOLDER --name {model_name}`"
    if not folder.is_dir():
        raise ModelError(f"{model_name}: its folder {folder} is gone; put it back, or {again}")
    found = weights_revision(folder)
    if found != model.revision:
        raise ModelError(
            f"{model_name}: the weights in {folder} changed since it was registered (revision {found}, registered "
            f"{model.revision}); {again}"
        )
    return TokenEncoderModel.load(folder, as_meta(model), device=device, stand_in=model.stand_in)


def _examined(folder: Path, name: str, stand_in: str | None) -> RegisteredModel:
    """The entry of a folder, from the encoder in it."""
    from alee_mteb.encoders.model import TextEncoder

    revision = weights_revision(folder)
    encoder = TextEncoder.load(folder)
    if stand_in is not None:
        if not encoder.tokenizer.needs_language:
            raise LanguageError(f"{folder}: this encoder takes no language, so it needs no stand-in for one")
        encoder.tokenizer.language_id(stand_in)
    parameters = list(encoder.network.parameters())
    return RegisteredModel(
        name=name,
        path=str(folder),
        revision=revision,
        family=encoder.family,
        dimension=encoder.output_dimension,
        max_tokens=encoder.max_tokens,
        n_parameters=sum(parameter.numel() for parameter in parameters),
        n_embedding_parameters=encoder.network.get_input_embeddings().weight.numel(),
        uses_prompts=any(encoder.recipe.prompts.values()),
        stand_in=stand_in,
    )


def _refuse_names_of_mteb(name: str) -> None:
    import mteb  # noqa: F401 - completes the table of models, ours included
    from mteb.models.model_implementations import MODEL_REGISTRY

    known = MODEL_REGISTRY.get(name)
    if known is not None and known.loader is not load_registered:
        raise ModelError(f"{name}: mteb has a model of that name; choose another")


def _raw_entries(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
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


def _parsed(path: Path, name: str, entry: Any) -> RegisteredModel:
    """
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
