"""Encoders and parsers for span extraction whose answers can be worked out by hand."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import torch

from salt.encoders.base import Tokens
from salt.pairs import Span


class ConceptEncoder:
    """Words that mean the same have the same mean state in layer 1, and arbitrary states elsewhere.

    Texts are cut at spaces, words into pieces of up to three characters; a text without spaces into the given
    segments. Pieces of a word differ, and only their mean is the vector of its concept. A word without a concept is
    unlike everything.

    Args:
        concepts: word → number of its concept.
        segments: pieces of texts without spaces, longest match first.
    """

    family, n_layers, dimension = "concepts", 2, 64

    def __init__(
        self, concepts: Mapping[str, int], segments: Sequence[str] = (), *, max_tokens: int = 64, name: str = "concepts"
    ) -> None:
        self.concepts = concepts
        self.segments = sorted(segments, key=len, reverse=True)
        self.max_tokens = max_tokens
        self.name = name
        self.fingerprint = f"{name:0<16}"[:16]
        self.module = torch.nn.Identity()
        self.seen: list[str] = []

    def tokenize(self, texts: Sequence[str], language: str | None = None) -> Tokens:
        self.seen += texts
        offsets = [(None, *self._pieces(text), None) for text in texts]
        width = max(map(len, offsets))
        mask = torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in offsets])
        return Tokens(mask.clone(), mask, tuple(offsets), tuple(texts), language)

    def lengths(self, texts: Sequence[str], language: str | None = None) -> list[int]:
        return [len(self._pieces(text)) + 2 for text in texts]

    def states(self, tokens: Tokens, layers: Sequence[int] = (-1,)) -> dict[int, torch.Tensor]:
        found = {}
        for layer in layers:
            generator = torch.Generator().manual_seed(layer + 10)
            states = torch.randn((*tokens.ids.shape, self.dimension), generator=generator)
            if layer == 1:
                for row, text in enumerate(tokens.texts):
                    self._fill(states[row], text, tokens.offsets[row])
            found[layer] = states
        return found

    def pool(self, states: torch.Tensor, tokens: Tokens) -> torch.Tensor:
        return states.mean(dim=1)

    def embedding_parameters(self) -> list[torch.nn.Parameter]:
        return []

    def save(self, folder: Path) -> None:
        raise NotImplementedError

    def _fill(self, states: torch.Tensor, text: str, offsets: Sequence[Span | None]) -> None:
        for word in self._words(text):
            pieces = [at for at, piece in enumerate(offsets) if piece is not None and word.overlap(piece)]
            for number, at in enumerate(pieces):
                states[at] = 0
                states[at, -1] = number - (len(pieces) - 1) / 2  # cancels out in the mean
                states[at, self._concept(word.of(text))] = 1

    def _concept(self, word: str) -> int:
        return self.concepts.get(word, 40 + sum(map(ord, word)) % 20)

    def _words(self, text: str) -> list[Span]:
        if not self.segments or " " in text:
            return [Span(*match.span()) for match in re.finditer(r"\S+", text)]
        found, at = [], 0
        while at < len(text):
            size = next((len(each) for each in self.segments if text.startswith(each, at)), 1)
            found.append(Span(at, at + size))
            at += size
        return found

    def _pieces(self, text: str) -> list[Span]:
        return [
            Span(start, min(start + 3, word.end))
            for word in self._words(text)
            for start in range(word.start, word.end, 3)
        ]


class PhraseParser:
    """Finds the given phrases."""

    name = "phrases 1"

    def __init__(self, phrases: Sequence[str], language: str = "eng") -> None:
        self.phrases = phrases
        self.language = language

    def constituents(self, texts: Sequence[str]) -> list[list[Span]]:
        return [
            [Span(*match.span()) for phrase in self.phrases for match in re.finditer(re.escape(phrase), text)]
            for text in texts
        ]
