"""Token batches cut at spaces, and random batches of spans, for tests of losses and packing."""

import re
from collections.abc import Sequence

import torch

from salt.encoders.base import Tokens
from salt.pairs import AlignedPair, AlignedSpan, ParallelPair, Span


def cut_at_spaces(texts: Sequence[str]) -> Tokens:
    """One token per word between a begin and an end token, padded on the right."""
    offsets = [(None, *(Span(*found.span()) for found in re.finditer(r"\S+", text)), None) for text in texts]
    width = max(map(len, offsets))
    mask = torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in offsets])
    ids = torch.arange(len(texts) * width).view(len(texts), width) * mask
    return Tokens(ids, mask, tuple(offsets), tuple(texts))


def words_span(text: str, first: int, last: int) -> Span:
    """The characters of words `first` to `last` (inclusive)."""
    found = [match.span() for match in re.finditer(r"\S+", text)]
    return Span(found[first][0], found[last][1])


def aligned(source: str, target: str, *spans: tuple[int, int, int, int]) -> AlignedPair:
    """A pair with spans given as first and last word, source then target."""
    pair = ParallelPair("0", "eng_Latn", "deu_Latn", source, target)
    return AlignedPair(
        pair,
        tuple(AlignedSpan(words_span(source, a, b), words_span(target, c, d)) for a, b, c, d in spans),
    )


def numbered(prefix: str, n: int) -> str:
    """A text of n words."""
    return " ".join(f"{prefix}{number}" for number in range(n))
