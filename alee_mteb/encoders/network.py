"""The network of an encoder folder, with the assurance that every weight of it came from the folder.

Transformers fills a weight that a file lacks with random numbers and says so in a log line. An encoder-only M2M100
(SONAR) opened with its ``AutoModel`` is random altogether: the names of an encoder are not those of the whole model.
Here the class is chosen by what the folder holds, and anything missing is an error.
"""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alee_mteb.encoders.recipe import read_json
from alee_mteb.errors import MissingExtraError, ModelError

if TYPE_CHECKING:
    from torch import nn

M2M100 = "m2m_100"
# Weights that token states do not depend on: heads for other purposes, and position indices that old files hold.
_HARMLESS = re.compile(
    r"(^|\.)(pooler\.|lm_head\.|cls\.|vocab_(projector|transform|layer_norm)\.|lm_predictions\.|mask_predictions\.|"
    r"discriminator_predictions\.|generator_predictions\.|classifier\.|embeddings\.(position_ids|token_type_ids)$|"
    r"embed_positions\.weights$)"
)
# What a whole M2M100 adds to its encoder.
_DECODER = re.compile(r"^(model\.)?(decoder\.|shared\.)|^lm_head\.|(^|\.)embed_positions\.weights$")


def model_type(folder: Path) -> str:
    """The kind of network, as ``config.json`` has it: ``bert``, ``xlm-roberta``, ``m2m_100``, …

    Raises:
        ModelError: there is no configuration, or it does not say.
    """
    config = read_json(folder / "config.json", dict)
    if config is None:
        raise ModelError(f"{folder}: no config.json in it; an encoder is a folder that Transformers wrote")
    kind = config.get("model_type")
    if not isinstance(kind, str) or not kind:
        raise ModelError(f"{folder / 'config.json'}: no model_type in it")
    return kind


def load_network(folder: Path, device: str = "cpu") -> "nn.Module":
    """The encoder in evaluation mode, float32, without a pooling layer of its own; every weight from the folder.

    Raises:
        ModelError: the network is of a kind that is not supported, weights are missing, not finite, of another shape,
            or not of this network, or the files cannot be read.
    """
    kind = model_type(folder)
    if kind == M2M100:
        return _m2m100_encoder(folder).to(device).eval()
    network = _plain_encoder(folder, kind)
    refuse_not_finite(network, folder)
    return network.to(device).eval()


def load_full_m2m100(folder: Path, device: str = "cpu") -> Any:
    """The whole ``M2M100ForConditionalGeneration``: encoder, decoder and output layer.

    Raises:
        ModelError: the folder holds another network, or an encoder alone.
    """
    from transformers.models.m2m_100.modeling_m2m_100 import M2M100ForConditionalGeneration

    kind = model_type(folder)
    if kind != M2M100:
        raise ModelError(f"{folder}: a {kind} has no decoder; give the folder of an M2M100 (SONAR, NLLB) with one")
    if not any(_is_decoder_weight(name) for name in weight_names(folder)):
        raise ModelError(
            f"{folder}: an encoder without a decoder; give the folder of an M2M100ForConditionalGeneration "
            "(for SONAR, that of its decoder)"
        )
    model, problems = _from_pretrained(M2M100ForConditionalGeneration, folder, decoder_layerdrop=0, encoder_layerdrop=0)
    refuse_incomplete(problems, folder, harmless=_HARMLESS)
    refuse_not_finite(model, folder)
    return model.to(device).eval()


def load_pooler(folder: Path, dimension: int) -> "nn.Module":
    """BERT's pooling layer as a dense layer followed by tanh.

    Raises:
        ModelError: the folder has no such weights.
    """
    import torch
    from torch import nn

    found = {}
    for name, tensor in _tensors(folder, re.compile(r"(^|\.)pooler\.dense\.(weight|bias)$")):
        found[name.rsplit(".", 1)[-1]] = tensor
    if set(found) != {"weight", "bias"}:
        raise ModelError(f"{folder}: no pooler.dense weights in it, and its pooling needs them")
    if found["weight"].shape != (dimension, dimension) or found["bias"].shape != (dimension,):
        raise ModelError(f"{folder}: pooler.dense has the wrong shape {tuple(found['weight'].shape)}")
    layer = nn.Linear(dimension, dimension)
    with torch.no_grad():
        layer.weight.copy_(found["weight"])
        layer.bias.copy_(found["bias"])
    refuse_not_finite(layer, folder)
    return nn.Sequential(layer, nn.Tanh())


def load_dense(folder: Path) -> "nn.Module":
    """A dense layer as sentence-transformers writes it: a linear map and an activation.

    Raises:
        ModelError: it is not complete, or its activation is neither tanh nor none.
    """
    from torch import nn

    config = read_json(folder / "config.json", dict)
    if config is None:
        raise ModelError(f"{folder}: no config.json in it, but modules.json names it")
    activations = {"Tanh": nn.Tanh, "Identity": nn.Identity}
    activation = str(config.get("activation_function", "torch.nn.modules.activation.Tanh")).rsplit(".", 1)[-1]
    if activation not in activations:
        raise ModelError(f"{folder}: activation {activation!r}; Tanh and Identity are supported")
    try:
        has_bias = bool(config.get("bias", True))
        layer = nn.Linear(int(config["in_features"]), int(config["out_features"]), bias=has_bias)
    except (KeyError, TypeError, ValueError) as error:
        raise ModelError(f"{folder / 'config.json'}: in_features and out_features are not both given") from error
    state = {name.removeprefix("linear."): tensor for name, tensor in _tensors(folder, re.compile("."))}
    try:
        layer.load_state_dict(state, strict=True)
    except RuntimeError as error:
        raise ModelError(f"{folder}: {' '.join(str(error).split())}") from error
    refuse_not_finite(layer, folder)
    return nn.Sequential(layer, activations[activation]())


def refuse_incomplete(problems: dict[str, Any], folder: Path, *, harmless: "re.Pattern[str]") -> None:
    """Stop where the weights in the files and those of the network are not the same ones.

    Args:
        problems: ``output_loading_info`` of ``from_pretrained``.
        harmless: names that may be in the files without being in the network.

    Raises:
        ModelError: names the weights.
    """
    told = {
        "missing_keys": "missing from its files",
        "mismatched_keys": "of another shape than config.json says",
        "unexpected_keys": "not of the network that config.json describes",
    }
    for kind, reason in told.items():
        names = sorted(str(key[0] if isinstance(key, tuple) else key) for key in problems.get(kind) or ())
        if kind == "unexpected_keys":
            names = [name for name in names if not harmless.search(name)]
        if names:
            more = f" and {len(names) - 3} more" if len(names) > 3 else ""
            raise ModelError(f"{folder}: weights {reason}: {', '.join(names[:3])}{more}")


def refuse_not_finite(network: "nn.Module", folder: Path) -> None:
    """Stop where a weight is NaN or infinite: its states would be alike for all texts, and scores made of them.

    Raises:
        ModelError: names the weight.
    """
    import torch

    for name, parameter in network.named_parameters():
        # Both ends are NaN if anything is; unlike `isfinite` this makes no copy of a large vocabulary.
        if parameter.numel() and not torch.stack(torch.aminmax(parameter.detach())).isfinite().all():
            raise ModelError(f"{folder}: weight {name} holds NaN or infinite numbers; its training went wrong")


def weight_names(folder: Path) -> list[str]:
    """The names of all weights in the files of a folder (not of its sub-folders)."""
    return [name for name, _ in _tensors(folder, None)]


def _is_decoder_weight(name: str) -> bool:
    return re.match(r"(model\.)?decoder\.layers\.", name) is not None


def _m2m100_encoder(folder: Path) -> "nn.Module":
    """The encoder of an M2M100 folder, which holds it alone (SONAR) or with a decoder (NLLB)."""
    from transformers.models.m2m_100.modeling_m2m_100 import M2M100Encoder

    if any(_is_decoder_weight(name) for name in weight_names(folder)):
        network: Any = load_full_m2m100(folder).model.encoder
    else:
        network, problems = _from_pretrained(M2M100Encoder, folder, encoder_layerdrop=0)
        refuse_incomplete(problems, folder, harmless=_DECODER)
        refuse_not_finite(network, folder)
    if not len(network.layers):
        raise ModelError(f"{folder}: a decoder without an encoder; give the folder of an encoder")
    network.config.architectures = ["M2M100Encoder"]
    return network


def _plain_encoder(folder: Path, kind: str) -> "nn.Module":
    """A BERT, XLM-R or any other encoder that Transformers has for this kind of network."""
    import inspect

    from transformers import AutoConfig, AutoModel
    from transformers.models.auto.modeling_auto import MODEL_MAPPING

    try:
        config = AutoConfig.from_pretrained(folder, local_files_only=True)
    except Exception as error:  # each kind of network has checks of its own
        raise ModelError(f"{folder}: its config.json cannot be read ({_one_line(error)})") from error
    if getattr(config, "is_encoder_decoder", False):
        raise ModelError(f"{folder}: a {kind} is an encoder with a decoder; of these only M2M100 is supported")
    if getattr(config, "is_decoder", False) or type(config) not in MODEL_MAPPING:
        raise ModelError(f"{folder}: a {kind} is no text encoder that Transformers knows")
    network_class: Any = MODEL_MAPPING[type(config)]
    network_class = network_class[0] if isinstance(network_class, tuple) else network_class
    has_pooler = "add_pooling_layer" in inspect.signature(network_class).parameters
    network, problems = _from_pretrained(AutoModel, folder, **({"add_pooling_layer": False} if has_pooler else {}))
    refuse_incomplete(problems, folder, harmless=_HARMLESS)
    return network


def _from_pretrained(network_class: Any, folder: Path, **settings: Any) -> tuple[Any, dict[str, Any]]:
    import torch

    try:
        with quiet():
            return network_class.from_pretrained(
                folder,
                local_files_only=True,
                dtype=torch.float32,
                weights_only=True,
                output_loading_info=True,
                ignore_mismatched_sizes=True,  # reported like the other problems, with their names
                **settings,
            )
    except MemoryError:
        raise
    except Exception as error:  # damaged files surface as anything from KeyError to SafetensorError
        raise ModelError(f"{folder}: the model cannot be loaded ({_one_line(error)})") from error


class quiet:  # noqa: N801 - used as a function
    """Without Transformers' report on missing weights, which becomes an error or is harmless, and its progress bar."""

    def __enter__(self) -> None:
        from transformers.utils import logging

        self.level, self.bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
        logging.set_verbosity_error()
        logging.disable_progress_bar()

    def __exit__(self, *_: object) -> None:
        from transformers.utils import logging

        logging.set_verbosity(self.level)
        if self.bars:
            logging.enable_progress_bar()


def _tensors(folder: Path, wanted: "re.Pattern[str] | None") -> "Iterable[tuple[str, Any]]":
    """Name and tensor of the weights in a folder whose names match; without a pattern all names, and ``None``."""
    from pickle import UnpicklingError  # what torch raises for a file that is more than tensors

    try:
        import torch
        from safetensors import SafetensorError, safe_open
    except ImportError as error:
        raise MissingExtraError(error.name or "torch", "salt", "loading an encoder") from error

    files = sorted(folder.glob("*.safetensors"))
    found: list[tuple[str, Any]] = []
    try:
        for path in files:
            with safe_open(path, framework="pt") as handle:
                for name in handle.keys():  # noqa: SIM118 - not a mapping
                    if wanted is None:
                        found.append((name, None))
                    elif wanted.search(name):
                        found.append((name, handle.get_tensor(name)))
        if files:
            return found
        for path in sorted(folder.glob("pytorch_model*.bin")):
            state = torch.load(path, map_location="cpu", weights_only=True)
            found += [(name, tensor) for name, tensor in state.items() if wanted is None or wanted.search(name)]
    except (OSError, SafetensorError, RuntimeError, ValueError, AttributeError, EOFError, UnpicklingError) as error:
        raise ModelError(f"{folder}: its weights cannot be read ({_one_line(error)})") from error
    return found


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__
