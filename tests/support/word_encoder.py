"""A token encoder that needs no network: a token per white-space word, its state a fixed vector of the word.

Layer 0 is noise of the word's own letters, the last layer the vector of its meaning: words that a `meanings` table
maps to one name have the same vector. What it was asked to encode is counted.
"""

import re
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from alee_mteb.errors import DataError
from salt.encoders.base import Tokens
from salt.pairs import Span


class WordEncoder:
    """A `salt.encoders.base.TokenEncoder`; layers 0 (letters) and 1 (meanings)."""

    def __init__(self, meanings: Mapping[str, str] | None = None, dimension: int = 32, max_tokens: int = 512) -> None:
        self.name, self.family, self.fingerprint = "tests/words", "words", "0" * 16
        self.dimension, self.n_layers, self.max_tokens = dimension, 1, max_tokens
        self.module = torch.nn.Linear(1, 1)
        torch.nn.init.constant_(self.module.weight, 1.0)
        torch.nn.init.constant_(self.module.bias, 0.0)
        self.meanings = dict(meanings or {})
        self.asked: list[tuple[str | None, str]] = []
        self.with_offsets = True

    def tokenize(self, texts: Sequence[str], language: str | None = None) -> Tokens:
        rows = [[Span(*match.span()) for match in re.finditer(r"\S+", text)] for text in texts]
        for text, row in zip(texts, rows, strict=True):
            if len(row) + 2 > self.max_tokens:
                raise DataError(f"text {text[:20]!r} has {len(row) + 2} tokens")
        width = max(map(len, rows)) + 2
        mask = torch.tensor([[1] * (len(row) + 2) + [0] * (width - len(row) - 2) for row in rows])
        offsets = tuple((None, *(row if self.with_offsets else [None] * len(row)), None) for row in rows)
        return Tokens(torch.zeros(len(rows), width, dtype=torch.long), mask, offsets, tuple(texts), language)

    def lengths(self, texts: Sequence[str], language: str | None = None) -> list[int]:
        return [len(text.split()) + 2 for text in texts]

    def states(self, tokens: Tokens, layers: Sequence[int] = (-1,)) -> Mapping[int, Tensor]:
        self.asked += [(tokens.language, text) for text in tokens.texts]
        found = {}
        for layer in layers:
            states = torch.zeros(*tokens.ids.shape, self.dimension)
            for row, text in enumerate(tokens.texts):
                for at, word in enumerate(text.split(), 1):
                    name = word if layer == 0 else self.meanings.get(word, word)
                    states[row, at] = torch.from_numpy(vector_of(name, self.dimension))
            found[layer] = states
        return found

    def pool(self, states: Tensor, tokens: Tokens) -> Tensor:
        return states.sum(dim=1) / tokens.mask.sum(dim=1, keepdim=True)

    def embedding_parameters(self) -> list[torch.nn.Parameter]:
        return []

    def save(self, folder: Path) -> None:
        raise NotImplementedError


def vector_of(name: str, dimension: int = 32) -> np.ndarray:
    """A random vector that is the same for the same name."""
    generator = np.random.default_rng(zlib.crc32(name.encode()))
    return generator.normal(size=dimension).astype(np.float32)
