"""Models of one's own that mteb knows by name: a small JSON file in the user's data folder.

    alee models add runs/sonar --name my-org/salt-sonar        checks the folder, writes an entry
    mteb run -m my-org/salt-sonar -t ALEE-F200                 any later process: the plug-in reads the entry

An entry holds what mteb wants to know before a model is loaded, so that importing mteb opens no model folder. The
revision is a hash of the weights, and mteb files scores under it; weights that changed since are refused, so that
old scores are never served for new weights.
"""

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alee_mteb.encoders.folder import weights_revision
from alee_mteb.encoders.registered import (
    REGISTRY_VARIABLE,
    RegisteredModel,
    check_name,
    parsed,
    raw_entries,
    read_registry,
    registered,
    registry_path,
    remove_model,
    store_model,
)
from alee_mteb.errors import LanguageError, ModelError

if TYPE_CHECKING:
    from mteb.models.model_meta import ModelMeta

    from alee_mteb.models.token_encoder_model import TokenEncoderModel

__all__ = [
    "REGISTRY_VARIABLE",
    "RegisteredModel",
    "add_model",
    "as_meta",
    "load_registered",
    "read_registry",
    "registered_metas",
    "registry_path",
    "remove_model",
]

logger = logging.getLogger(__name__)


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
    store_model(model)
    return model


def registered_metas() -> list["ModelMeta"]:
    """What the plug-in tells mteb: all entries that can be read; one warning for what cannot."""
    path = registry_path()
    metas, broken = [], []
    try:
        entries = raw_entries(path)
    except ModelError as error:
        logger.warning("%s; the models registered with `alee models add` are not available", error)
        return []
    for name, entry in entries.items():
        try:
            metas.append(as_meta(parsed(path, name, entry)))
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
