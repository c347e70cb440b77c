"""Names and control tokens of SONAR's text encoder and decoder, in fairseq2 and in Transformers' M2M100.

    encoder_frontend.embed                        embed_tokens
    encoder.layers.N.self_attn.q_proj             layers.N.self_attn.q_proj            (k, v likewise)
    encoder.layers.N.self_attn.output_proj        layers.N.self_attn.out_proj
    encoder.layers.N.self_attn_layer_norm         layers.N.self_attn_layer_norm
    encoder.layers.N.ffn.inner_proj, output_proj  layers.N.fc1, fc2
    encoder.layers.N.ffn_layer_norm               layers.N.final_layer_norm
    layer_norm                                    layer_norm

    decoder… as above under model.decoder, and    encoder_decoder_attn ⇄ encoder_attn,
    decoder.layer_norm, final_proj                model.decoder.layer_norm, lm_head

Both put the layer norm before each part and one at the end, scale word embeddings by √d, and add the same sinusoidal
positions, counted from 2; no weight but the embeddings changes. Of these the first four rows change places: fairseq2
has pad, unk, bos, eos and NLLB's tokenizer bos, pad, eos, unk. All other rows are in the same order: 256,000 pieces,
202 languages, three markers of data sources (of which the tokenizer knows the first as ``<mask>``).
"""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from alee_mteb.errors import ModelError

if TYPE_CHECKING:
    from torch import Tensor

State = Mapping[str, "Tensor"]

ENCODER, DECODER = "encoder", "decoder"
#: Where NLLB's control tokens (bos, pad, eos, unk) are among fairseq2's (pad, unk, bos, eos).
CONTROL_ROWS = (2, 0, 3, 1)
_SHARED = "model.shared.weight"
# The same matrix under the names of where it is used.
_TIED = ("model.decoder.embed_tokens.weight", "lm_head.weight")

# Below a layer: fairseq2, Transformers.
_PARTS = (
    ("self_attn.output_proj", "self_attn.out_proj"),
    ("encoder_decoder_attn.output_proj", "encoder_attn.out_proj"),
    ("encoder_decoder_attn_layer_norm", "encoder_attn_layer_norm"),
    *((f"encoder_decoder_attn.{part}_proj", f"encoder_attn.{part}_proj") for part in "qkv"),
    *((f"self_attn.{part}_proj", f"self_attn.{part}_proj") for part in "qkv"),
    ("self_attn_layer_norm", "self_attn_layer_norm"),
    ("ffn.inner_proj", "fc1"),
    ("ffn.output_proj", "fc2"),
    ("ffn_layer_norm", "final_layer_norm"),
)
_TO_TRANSFORMERS = dict(_PARTS)
_TO_FAIRSEQ2 = {theirs: ours for ours, theirs in _PARTS}
_LAYER = re.compile(r"layers\.(\d+)\.(.+)\.(weight|bias)")
_NORM = re.compile(r"layer_norm\.(weight|bias)")


def kind_of(state: State) -> str:
    """``encoder`` or ``decoder``, from the names of a fairseq2 state.

    Raises:
        ModelError: it is neither.
    """
    kinds = [kind for kind in (ENCODER, DECODER) if f"{kind}_frontend.embed.weight" in state]
    if len(kinds) != 1:
        raise ModelError("not a SONAR text encoder or decoder in fairseq2's layout (no encoder_frontend.embed.weight)")
    return kinds[0]


def to_transformers(state: State) -> dict[str, "Tensor"]:
    """A fairseq2 state with the names and rows of an `M2M100Encoder`, or of the decoder within the whole model.

    The decoder's embeddings become ``model.shared.weight``, which Transformers ties to its output layer, as fairseq2
    ties ``final_proj``.

    Raises:
        ModelError: a weight is not one of SONAR's, the embeddings of a decoder are not tied, or a name would be taken
            twice.
    """
    kind = kind_of(state)
    prefix = "" if kind == ENCODER else "model.decoder."
    embedding = "embed_tokens.weight" if kind == ENCODER else _SHARED
    converted: dict[str, Tensor] = {}
    for name, tensor in state.items():
        if name == f"{kind}_frontend.embed.weight":
            converted[embedding] = with_rows(tensor, CONTROL_ROWS)
        elif name == "final_proj.weight" and kind == DECODER:
            _check_tied(tensor, state[f"{kind}_frontend.embed.weight"])
        else:
            below = name.removeprefix(f"{kind}.")
            converted[prefix + _renamed(below, _TO_TRANSFORMERS, name, kind)] = tensor
    if len(converted) != len(state) - ("final_proj.weight" in state):
        raise ModelError("two weights of the checkpoint have the same place in Transformers")
    return converted


def to_fairseq2(state: State, kind: str) -> dict[str, "Tensor"]:
    """The state of an `M2M100Encoder`, or the decoder's part of a whole model's, in fairseq2's layout.

    Raises:
        ModelError: a weight is not one of SONAR's.
    """
    rows = tuple(CONTROL_ROWS.index(row) for row in range(len(CONTROL_ROWS)))
    converted: dict[str, Tensor] = {}
    for name, tensor in state.items():
        if kind == ENCODER and name == "embed_tokens.weight":
            converted["encoder_frontend.embed.weight"] = with_rows(tensor, rows)
        elif kind == DECODER and name == _SHARED:
            converted["decoder_frontend.embed.weight"] = with_rows(tensor, rows)
        elif kind == DECODER and (name in _TIED or name.startswith("model.encoder.")):
            continue
        elif kind == ENCODER or name.startswith("model.decoder."):
            below = _renamed(name.removeprefix("model.decoder."), _TO_FAIRSEQ2, name, kind)
            # SONAR's encoder keeps its last norm outside of the stack of layers, its decoder inside.
            is_outside = kind == ENCODER and _NORM.fullmatch(below)
            converted[below if is_outside else f"{kind}.{below}"] = tensor
        else:
            raise ModelError(f"weight {name}: SONAR has no such weight")
    if f"{kind}_frontend.embed.weight" not in converted:
        raise ModelError(f"no word embeddings among the weights of the {kind}")
    if kind == DECODER:
        converted["final_proj.weight"] = converted["decoder_frontend.embed.weight"]
    return converted


def with_rows(embeddings: "Tensor", rows: tuple[int, ...]) -> "Tensor":
    """A copy of the embeddings whose first rows are those named, in that order."""
    changed = embeddings.clone()
    changed[: len(rows)] = embeddings[list(rows)]
    return changed


def _check_tied(projection: "Tensor", embeddings: "Tensor") -> None:
    import torch

    if not torch.equal(projection, embeddings):
        raise ModelError("final_proj and decoder_frontend.embed differ; in SONAR they are one matrix")


def _renamed(below: str, parts: Mapping[str, str], name: str, kind: str) -> str:
    """A name below encoder or decoder in the other layout."""
    if _NORM.fullmatch(below):
        return below
    match = _LAYER.fullmatch(below)
    if match is None or match[2] not in parts or (kind == ENCODER and match[2].startswith("encoder_")):
        raise ModelError(f"weight {name}: SONAR's text {kind} has no such weight")
    return f"layers.{match[1]}.{parts[match[2]]}.{match[3]}"
