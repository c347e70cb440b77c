"""What span extraction hands on: a pair with its spans as characters and as tokens, and what was dropped and why."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from salt.pairs import AlignedPair, AlignedSpan, ParallelPair, Span

#: First token and the one after the last, counted in the tokenized text with its special tokens.
TokenRange = tuple[int, int]
_EDGES = ("start", "end")


@dataclass(frozen=True)
class FoundSpan:
    """An aligned span and the tokens it covers.

    Attributes:
        span: character offsets.
        source_tokens: positions in `Tokens.ids` of the source text.
        target_tokens: likewise of the target text.
        coverage: share of its words that have a link (CASE only).
    """

    span: AlignedSpan
    source_tokens: TokenRange
    target_tokens: TokenRange
    coverage: float | None = None


@dataclass(frozen=True)
class FoundPair:
    """A parallel pair and the spans found in it, in the order of their source offsets; there may be none."""

    pair: ParallelPair
    spans: tuple[FoundSpan, ...]

    @property
    def aligned(self) -> AlignedPair:
        """The same without tokens."""
        return AlignedPair(self.pair, tuple(found.span for found in self.spans))


@dataclass
class Extracted:
    """What came of some pairs: those that were read, and how often something was dropped, by reason."""

    pairs: list[FoundPair] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)


def covered(offsets: Sequence[Span | None], spans: Sequence[Span]) -> NDArray[np.bool_]:
    """Which tokens share a character with which span, as `Tokens.covered` has it, shape (spans, tokens)."""
    starts, ends = (np.array([getattr(token, edge, 0) for token in offsets], dtype=np.int64) for edge in _EDGES)
    first, last = (np.array([getattr(span, edge) for span in spans], dtype=np.int64)[:, None] for edge in _EDGES)
    # A token without characters is 0–0, which overlaps nothing: it ends before anything begins, or where it begins.
    return (starts < last) & (ends > first)


def covered_ranges(offsets: Sequence[Span | None], spans: Sequence[Span]) -> list[TokenRange | None]:
    """Per span, the tokens that share a character with it; ``None`` if there are none."""
    if not spans:
        return []
    found = covered(offsets, spans)
    first = found.argmax(axis=1).tolist()
    end = (found.shape[1] - found[:, ::-1].argmax(axis=1)).tolist()
    some = found.sum(axis=1).tolist()
    return [(begin, stop) if count else None for begin, stop, count in zip(first, end, some, strict=True)]


def settle(spans: Sequence[Span], offsets: Sequence[Span | None], text: str) -> list[tuple[Span, TokenRange] | None]:
    """Spans that do not overlap as tokens: one that is split between two goes to the larger part (SALT, Appendix B.1).

    What a token that went elsewhere takes with it is cut from the span, so that its characters and its tokens say the
    same. Ties go to the first span.

    Args:
        spans: disjoint, in any order.
        offsets: `Tokens.offsets` of the text.
        text: the text.

    Returns:
        Per span, what is left of it and its tokens; ``None`` where no token is left.
    """
    owned: list[list[int]] = [[] for _ in spans]
    edges = [(span.start, span.end) for span in spans]
    for at, token in enumerate(offsets):
        claims = [] if token is None else [n for n, span in enumerate(spans) if token.overlap(span)]
        if token is None or not claims:
            continue
        winner = max(claims, key=lambda n: (token.overlap(spans[n]), -spans[n].start))
        owned[winner].append(at)
        for loser in claims:
            if loser != winner:
                edges[loser] = _without(edges[loser], token)
    settled: list[tuple[Span, TokenRange] | None] = []
    for (start, end), positions in zip(edges, owned, strict=True):
        kept = _stripped(text, start, end)
        settled.append((kept, (positions[0], positions[-1] + 1)) if kept and positions else None)
    return settled


def _without(edges: tuple[int, int], token: Span) -> tuple[int, int]:
    """A stretch of text less a token at one of its ends."""
    start, end = edges
    return (max(start, token.end), end) if token.start <= start else (start, min(end, token.start))


def _stripped(text: str, start: int, end: int) -> Span | None:
    """The stretch without space at its ends; ``None`` if nothing is left."""
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    return Span(start, end) if start < end else None


def in_source_order(spans: Iterable[FoundSpan]) -> tuple[FoundSpan, ...]:
    """By source offset, outer before inner."""
    return tuple(sorted(spans, key=lambda found: (found.span.source.start, -found.span.source.end, found.span.target)))
