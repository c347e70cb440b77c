"""A text encoder: network, tokenizer and recipe of one folder, put together.

ids, mask ──states──▶ {layer: (b, t, d)} ──pool──▶ (b, d) ──finish──▶ (b, d) as the model was trained to be used
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alee_mteb.encoders.folder import encoder_folder, made_folder
from alee_mteb.encoders.recipe import CLS, MEAN, POOLER, POOLINGS, SONAR, Recipe, read_recipe, write_recipe
from alee_mteb.encoders.tokens import TextTokenizer
from alee_mteb.errors import MissingExtraError, ModelError

if TYPE_CHECKING:
    import torch
    from torch import Tensor

_DENSE = "2_Dense"
# What tokenizers say who were never told a length.
_NO_LIMIT = 1_000_000


class TextEncoder:
    """An encoder whose weights all came from its folder.

    Attributes:
        name: hub name or folder it was loaded from.
        family: ``sonar`` for the encoder of an M2M100, else the Transformers ``model_type``.
        network: a Transformers model without pooling layer; layer drop is off.
        head: what the pooled state goes through (LaBSE's dense layer), frozen; mostly ``None``.
        recipe: pooling, prompts, unit length.
        tokenizer: texts to ids, with the recipe's default prompt and, for SONAR, the language token.
        max_tokens: longest text, special tokens and prompt included.
    """

    def __init__(
        self, network: Any, tokenizer: TextTokenizer, recipe: Recipe, *, family: str, name: str, head: Any = None
    ) -> None:
        self.network = network
        self.tokenizer = tokenizer
        self.recipe = recipe
        self.family = family
        self.name = name
        self.head = head
        self.dimension = int(network.config.hidden_size)
        self.n_layers = len(network.layers) if family == SONAR else int(network.config.num_hidden_layers)
        self.max_tokens = _max_tokens(network, tokenizer, recipe)

    @classmethod
    def load(
        cls,
        name: str | Path,
        *,
        revision: str | None = None,
        device: str = "cpu",
        pooling: str | None = None,
        prompt: str | None = None,
        max_tokens: int | None = None,
    ) -> "TextEncoder":
        """
        Args:
            name: a folder, or a Hub repository.
            pooling, prompt, max_tokens: instead of what the folder says.

        Raises:
            MissingExtraError: torch or Transformers is not installed.
            ModelError: as its parts say.
        """
        try:
            import torch
            import transformers  # noqa: F401 - only asked whether it is there
        except ImportError as error:
            raise MissingExtraError(error.name or "transformers", "salt", "loading an encoder") from error
        from alee_mteb.encoders import network as networks

        if pooling is not None and pooling not in POOLINGS:
            raise ModelError(f"pooling {pooling!r}: one of {', '.join(POOLINGS)}")
        _check_device(device)
        folder = encoder_folder(name, revision=revision)
        recipe = _with_settings(read_recipe(folder, str(name)), pooling, prompt, max_tokens)
        kind = networks.model_type(folder)
        is_sonar = kind == networks.M2M100
        tokenizer = TextTokenizer.load(folder, needs_language=is_sonar, prompt=recipe.prompt())
        network: Any = networks.load_network(folder, device)
        _check_vocabulary(network, tokenizer, folder)
        head = None
        if recipe.pooling == POOLER:
            head = networks.load_pooler(folder, int(network.config.hidden_size))
        elif recipe.dense:
            head = networks.load_dense(folder / recipe.dense)
        if head is not None:
            head = head.to(torch.device(device)).eval().requires_grad_(False)
        family = SONAR if is_sonar else kind
        return cls(network, tokenizer, recipe, family=family, name=str(name), head=head)

    @property
    def device(self) -> "torch.device":
        """Where the network is."""
        return next(self.network.parameters()).device

    @property
    def output_dimension(self) -> int:
        """The size of an embedding, which a dense layer on top may change."""
        return self.dimension if self.head is None else int(self.head[0].out_features)

    def states(self, ids: "Tensor", mask: "Tensor", layers: Sequence[int] = (-1,)) -> "Mapping[int, Tensor]":
        """Token states, (b, t, d) each, by the layers asked for: 0 for the embeddings, -1 for the last.

        SONAR's last layer includes the layer norm at its end, the ones before it do not.

        Raises:
            ModelError: there is no such layer.
        """
        for layer in layers:
            if not -self.n_layers - 1 <= layer <= self.n_layers:
                raise ModelError(f"layer {layer}: {self.name} has layers 0 (embeddings) to {self.n_layers}")
        last_only = all(layer in (-1, self.n_layers) for layer in layers)
        output = self.network(input_ids=ids, attention_mask=mask, output_hidden_states=not last_only)
        if last_only:
            return dict.fromkeys(layers, output.last_hidden_state)
        if len(output.hidden_states) != self.n_layers + 1:
            raise ModelError(f"{self.name}: a {self.family} does not show the states of all its layers")
        return {layer: output.hidden_states[layer] for layer in layers}

    def pool(self, states: "Tensor", mask: "Tensor") -> "Tensor":
        """Sentence embeddings (b, d) from states (b, t, d), before any scaling to unit length.

        The mean counts every token, language and end tokens too, and leaves out only padding.
        """
        if self.recipe.pooling == MEAN:
            weights = mask.to(states.dtype).unsqueeze(-1)  # (b, t, 1)
            pooled = (states * weights).sum(dim=1) / weights.sum(dim=1)
        else:
            pooled = states[:, 0]
        return pooled if self.head is None else self.head(pooled)

    def finish(self, pooled: "Tensor") -> "Tensor":
        """Pooled states at unit length where the recipe says so."""
        from torch.nn import functional

        return functional.normalize(pooled, dim=-1) if self.recipe.normalize else pooled

    def save(self, folder: Path) -> None:
        """Write network, tokenizer and recipe; a model folder that is there is exchanged when all is written.

        SONAR gets no sentence-transformers files: that package would open the folder with random weights.

        Raises:
            ModelError: the folder holds something else, or the disk will not take it.
        """
        with made_folder(folder, overwrite=True) as scratch:
            _save_quietly(self.network, scratch)
            self.tokenizer.backend.save_pretrained(scratch)
            if self.family != SONAR:
                recipe = replace(self.recipe, max_tokens=self.max_tokens)
                if self.head is not None:
                    recipe = replace(recipe, pooling=CLS if recipe.pooling == POOLER else recipe.pooling, dense=_DENSE)
                    _save_dense(self.head, scratch / _DENSE)
                write_recipe(scratch, recipe, dimension=self.dimension)


def _with_settings(recipe: Recipe, pooling: str | None, prompt: str | None, max_tokens: int | None) -> Recipe:
    if pooling is not None:
        recipe = replace(recipe, pooling=pooling, dense=None)
    if prompt is not None:
        recipe = replace(recipe, prompts={**recipe.prompts, "query": prompt}, default_prompt="query")
    return recipe if max_tokens is None else replace(recipe, max_tokens=max_tokens)


def _max_tokens(network: Any, tokenizer: TextTokenizer, recipe: Recipe) -> int:
    """The smallest of what network, tokenizer and recipe allow."""
    config = network.config
    limits = [recipe.max_tokens, getattr(tokenizer.backend, "model_max_length", None)]
    positions = getattr(config, "max_position_embeddings", None)
    if positions:
        # RoBERTa and its kin begin counting behind the padding's id.
        is_roberta = type(network).__name__.startswith(("Roberta", "XLMRoberta", "Camembert", "MPNet"))
        limits.append(positions - config.pad_token_id - 1 if is_roberta else positions)
    known = [int(limit) for limit in limits if limit and limit < _NO_LIMIT]
    return min(known, default=_NO_LIMIT)


def _check_vocabulary(network: Any, tokenizer: TextTokenizer, folder: Path) -> None:
    rows = network.get_input_embeddings().weight.shape[0]
    if len(tokenizer.backend) > rows:
        raise ModelError(
            f"{folder}: the tokenizer has {len(tokenizer.backend):,} tokens and the network {rows:,}; "
            "they are not of the same model"
        )


def _check_device(device: str) -> None:
    import torch

    try:
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        raise ModelError(f"device {device!r} cannot be used here ({' '.join(str(error).split())[:120]})") from error


def _save_quietly(network: Any, folder: Path) -> None:
    from alee_mteb.encoders.network import quiet

    with quiet():
        network.save_pretrained(folder)


def _save_dense(head: Any, folder: Path) -> None:
    from safetensors.torch import save_file

    layer, activation = head
    folder.mkdir(parents=True)
    state = {f"linear.{name}": tensor.contiguous() for name, tensor in layer.state_dict().items()}
    save_file(state, folder / "model.safetensors")
    config = {
        "in_features": layer.in_features,
        "out_features": layer.out_features,
        "bias": layer.bias is not None,
        "activation_function": f"torch.nn.modules.{_module_of(activation)}.{type(activation).__name__}",
    }
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")


def _module_of(activation: Any) -> str:
    return type(activation).__module__.rsplit(".", 1)[-1]
