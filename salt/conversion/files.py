"""Reading and writing SONAR in both layouts; what changes between them is in `salt.conversion.layout`."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alee_mteb.encoders.folder import encoder_folder, made_folder
from alee_mteb.encoders.tokens import TextTokenizer
from alee_mteb.errors import MissingExtraError, ModelError
from alee_mteb.files import atomic_path
from salt.conversion.layout import DECODER, ENCODER, kind_of, to_fairseq2, to_transformers

if TYPE_CHECKING:
    from torch import Tensor

#: What a checkpoint does not tell: SONAR's heads, and its 512 positions, which are counted from 2.
SONAR_HEADS = 16
SONAR_MAX_TOKENS = 514

_NLLB_CONTROLS = {"bos_token_id": 0, "pad_token_id": 1, "eos_token_id": 2, "unk_token_id": 3}


@dataclass(frozen=True)
class Written:
    """What a conversion wrote.

    Attributes:
        path: folder or file.
        kind: ``encoder`` or ``decoder``.
    """

    path: Path
    kind: str
    n_layers: int
    dimension: int


def write_transformers(
    checkpoint: Path,
    folder: Path,
    *,
    tokenizer: str | None,
    n_heads: int = SONAR_HEADS,
    max_tokens: int = SONAR_MAX_TOKENS,
    overwrite: bool = False,
) -> Written:
    """A fairseq2 checkpoint as a Transformers folder: an `M2M100Encoder`, or the whole model around a decoder.

    The whole model's encoder then has no layers, since the checkpoint has none for it.

    Args:
        checkpoint: ``.pt`` (tensors only) or ``.safetensors``; the state itself, or under ``model``.
        tokenizer: folder or Hub repository with NLLB's tokenizer.

    Raises:
        ModelError: the checkpoint or the tokenizer is not SONAR's, or the folder cannot be written.
    """
    if tokenizer is None:
        raise ModelError(
            "a checkpoint has no tokenizer; name a folder or Hub repository with NLLB's (--tokenizer), such as "
            "facebook/nllb-200-distilled-600M"
        )
    state = read_checkpoint(checkpoint)
    try:
        kind = kind_of(state)
        converted = to_transformers(state)
    except ModelError as error:
        raise ModelError(f"{checkpoint}: {error}") from error
    backend = _nllb_tokenizer(tokenizer, state[f"{kind}_frontend.embed.weight"].shape[0])
    config = _config(state, kind, n_heads, max_tokens, checkpoint)
    network = _network(config, converted, kind, checkpoint)
    from alee_mteb.encoders.network import quiet

    with made_folder(folder, overwrite=overwrite) as scratch:
        with quiet():
            network.save_pretrained(scratch)
        backend.save_pretrained(scratch)
    return Written(folder, kind, config.encoder_layers if kind == ENCODER else config.decoder_layers, config.d_model)


def write_fairseq2(folder: Path, target: Path, *, part: str | None = None, overwrite: bool = False) -> Written:
    """A Transformers folder as a fairseq2 checkpoint in float32, ``{"model": state}``.

    Args:
        target: a ``.pt`` or ``.safetensors`` file; the latter holds the state itself.
        part: ``encoder`` or ``decoder``, where the folder has both.

    Raises:
        ModelError: the folder is not an M2M100 or not whole, or the file exists or cannot be written.
    """
    if target.suffix not in (".pt", ".safetensors"):
        raise ModelError(f"{target}: name a file that ends in .pt or .safetensors")
    if target.exists() and not overwrite:
        raise ModelError(f"{target}: exists already; --overwrite replaces it")
    kind, model_state = _transformers_state(folder, part)
    try:
        state = to_fairseq2(model_state, kind)
    except ModelError as error:
        raise ModelError(f"{folder}: {error}") from error
    _save_checkpoint(state, target)
    return Written(target, kind, _n_layers(state, kind), int(state[f"{kind}_frontend.embed.weight"].shape[1]))


def read_checkpoint(path: Path) -> "dict[str, Tensor]":
    """The state in a checkpoint; nothing but tensors and plain containers is ever unpickled.

    Raises:
        ModelError: there is no such file, it cannot be read, or it holds no tensors.
    """
    from pickle import UnpicklingError  # what torch raises for a file that is more than tensors

    try:
        import torch
        from safetensors import SafetensorError
        from safetensors.torch import load_file
    except ImportError as error:
        raise MissingExtraError(error.name or "torch", "salt", "converting a checkpoint") from error

    if not path.is_file():
        raise ModelError(f"{path}: no such file; give a fairseq2 checkpoint (.pt), or a Transformers folder")
    try:
        if path.suffix == ".safetensors":
            return load_file(path)
        content = torch.load(path, map_location="cpu", weights_only=True)
    except UnpicklingError as error:
        raise ModelError(f"{path}: holds more than tensors, and only tensors are read from a checkpoint") from error
    except (OSError, SafetensorError, RuntimeError, ValueError, EOFError, KeyError) as error:
        raise ModelError(f"{path}: cannot be read as a checkpoint ({' '.join(str(error).split())[:160]})") from error
    state = content.get("model", content) if isinstance(content, Mapping) else None
    if not isinstance(state, Mapping) or not state or not all(isinstance(t, torch.Tensor) for t in state.values()):
        raise ModelError(f"{path}: holds no state of a model (names and tensors, or these under 'model')")
    return dict(state)


def _save_checkpoint(state: "dict[str, Tensor]", target: Path) -> None:
    import torch
    from safetensors.torch import save_file

    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in state.items()}
    try:
        with atomic_path(target) as temporary:
            if target.suffix == ".safetensors":
                save_file({name: tensor.clone() for name, tensor in tensors.items()}, temporary)
            else:
                with temporary.open("wb") as handle:  # a handle, as the file's name would be in its bytes
                    torch.save({"model": tensors}, handle)
    except OSError as error:
        raise ModelError(f"{target}: cannot be written ({error.strerror or error})") from error


def _transformers_state(folder: Path, part: str | None) -> "tuple[str, dict[str, Tensor]]":
    """Which part of a folder to convert, and the state that holds it."""
    from alee_mteb.encoders import network as networks

    if networks.model_type(folder) != networks.M2M100:
        raise ModelError(f"{folder}: a {networks.model_type(folder)}; only an M2M100 has SONAR's layout")
    names = networks.weight_names(folder)
    parts = [ENCODER] if any(re.match(r"(model\.encoder\.)?layers\.", name) for name in names) else []
    parts += [DECODER] if any(re.match(r"(model\.)?decoder\.layers\.", name) for name in names) else []
    if part is not None and part not in parts:
        raise ModelError(f"{folder}: no {part} in it, but {' and '.join(parts) or 'nothing'}")
    if part is None and len(parts) != 1:
        raise ModelError(f"{folder}: {' and '.join(parts) or 'no layers'} in it; say --part encoder or --part decoder")
    kind = part or parts[0]
    network: Any = networks.load_network(folder) if kind == ENCODER else networks.load_full_m2m100(folder)
    return kind, dict(network.state_dict())


def _n_layers(state: "Mapping[str, Tensor]", kind: str) -> int:
    numbers = {match[1] for name in state if (match := re.match(rf"{kind}\.layers\.(\d+)\.", name))}
    return len(numbers)


def _config(state: "Mapping[str, Tensor]", kind: str, n_heads: int, max_tokens: int, checkpoint: Path) -> Any:
    """The M2M100 configuration of a fairseq2 state; SONAR's activation, scaling and dropout."""
    from transformers import M2M100Config

    vocabulary, dimension = state[f"{kind}_frontend.embed.weight"].shape
    if n_heads < 1 or dimension % n_heads:
        raise ModelError(f"{checkpoint}: {dimension} dimensions cannot be split among {n_heads} attention heads")
    feed_forward = state.get(f"{kind}.layers.0.ffn.inner_proj.weight")
    if feed_forward is None:
        raise ModelError(f"{checkpoint}: no {kind}.layers.0.ffn.inner_proj.weight in it")
    n_layers = _n_layers(state, kind)
    return M2M100Config(
        vocab_size=vocabulary,
        d_model=dimension,
        encoder_layers=n_layers if kind == ENCODER else 0,
        decoder_layers=n_layers if kind == DECODER else 0,
        encoder_attention_heads=n_heads,
        decoder_attention_heads=n_heads,
        encoder_ffn_dim=feed_forward.shape[0],
        decoder_ffn_dim=feed_forward.shape[0],
        max_position_embeddings=max_tokens,
        activation_function="relu",
        scale_embedding=True,
        dropout=0.1,
        attention_dropout=0.1,
        activation_dropout=0.1,
        encoder_layerdrop=0,
        decoder_layerdrop=0,
        bos_token_id=0,
        pad_token_id=1,
        eos_token_id=2,
        decoder_start_token_id=2,
    )


def _network(config: Any, state: "dict[str, Tensor]", kind: str, checkpoint: Path) -> Any:
    """The network with this state, every weight in its place."""
    import torch
    from transformers.models.m2m_100.modeling_m2m_100 import M2M100Encoder, M2M100ForConditionalGeneration

    state = dict(state)
    if kind == DECODER:
        # The whole model of Transformers has an encoder; without layers it is this norm and nothing else.
        state["model.encoder.layer_norm.weight"] = torch.ones(config.d_model)
        state["model.encoder.layer_norm.bias"] = torch.zeros(config.d_model)
        tied = ("model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight", "lm_head.weight")
        state |= dict.fromkeys(tied, state["model.shared.weight"])
    network: Any = (M2M100Encoder if kind == ENCODER else M2M100ForConditionalGeneration)(config)
    network = network.to(state["embed_tokens.weight" if kind == ENCODER else "model.shared.weight"].dtype)
    try:
        network.load_state_dict(state, strict=True)
    except RuntimeError as error:
        message = " ".join(str(error).split(":", 1)[-1].split())
        raise ModelError(f"{checkpoint}: not all of SONAR's {kind}: {message[:300]}") from error
    return network


def _nllb_tokenizer(name: str, n_rows: int) -> Any:
    """
    Raises:
        ModelError: the tokenizer is not NLLB's, or has more tokens than the model has rows.
    """
    backend = TextTokenizer.load(encoder_folder(name, what="tokenizer"), needs_language=True).backend
    found = {control: getattr(backend, control, None) for control in _NLLB_CONTROLS}
    if found != _NLLB_CONTROLS:
        raise ModelError(
            f"{name}: not NLLB's tokenizer (bos, pad, eos, unk are {list(found.values())}, not 0, 1, 2, 3)"
        )
    if len(backend) > n_rows:
        raise ModelError(f"{name}: a tokenizer of {len(backend):,} tokens, but the checkpoint has {n_rows:,} rows")
    return backend
