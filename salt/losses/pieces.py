"""Indices of what is pooled: which tokens make up each span or word of a batch; no states yet."""

from dataclasses import dataclass, replace

import torch
from torch import Tensor


@dataclass(frozen=True)
class Pieces:
    """Which tokens of one side are averaged into each piece (a span or a word).

    Attributes:
        token: position of each member in the flattened batch, row · t + position, shape (m,).
        owner: the piece each member belongs to, shape (m,).
        size: members of each piece, at least one, shape (n,).
        row: text of each piece, shape (n,).
        slot: number of each piece within its text, from 0, shape (n,).
        width: t, tokens a row of the padded batch holds.
    """

    token: Tensor
    owner: Tensor
    size: Tensor
    row: Tensor
    slot: Tensor
    width: int

    def __len__(self) -> int:
        return len(self.size)

    @property
    def slots(self) -> int:
        """Pieces of the text that has most; at least 1."""
        return int(self.slot.max()) + 1 if len(self) else 1

    def to(self, device: torch.device | str) -> "Pieces":
        """The same indices on another device."""
        moved = {name: getattr(self, name).to(device) for name in ("token", "owner", "size", "row", "slot")}
        return replace(self, **moved)


@dataclass(frozen=True)
class BatchSize:
    """What means are taken over; of the global batch where this one is a process's part of it.

    If every process divides its sums by the counts of the global batch, the sum of the processes' gradients is the
    gradient of the global mean. Where gradients are averaged instead of summed, use ``shared_by(processes)``.

    Attributes:
        pairs: sentence pairs.
        spanned: sentence pairs with at least one aligned span.
        spans: aligned spans.
    """

    pairs: float
    spanned: float
    spans: float

    def shared_by(self, processes: int) -> "BatchSize":
        """The share of one of so many processes."""
        return BatchSize(self.pairs / processes, self.spanned / processes, self.spans / processes)


@dataclass(frozen=True)
class SpanLayout:
    """The spans of b sentence pairs, as indices.

    Attributes:
        n_pairs: b.
        source: the Q source spans, aligned ones before gaps within a pair.
        target: the V target spans, likewise.
        positive_source: index into the Q spans of each of the P aligned spans, shape (P,).
        positive_target: index into the V spans, shape (P,).
        pair: the sentence pair of each aligned span, shape (P,).
        source_gap: whether a source span is a gap, shape (Q,).
        target_gap: likewise, shape (V,).
        nested: whether aligned span i contains, or lies within, another aligned span j of its pair, on either side;
            shape (b, q, v), with q and v the most spans of one pair.
        dropped: aligned spans left out since they hold no token on one side.
    """

    n_pairs: int
    source: Pieces
    target: Pieces
    positive_source: Tensor
    positive_target: Tensor
    pair: Tensor
    source_gap: Tensor
    target_gap: Tensor
    nested: Tensor
    dropped: int = 0

    def __len__(self) -> int:
        return len(self.pair)

    @property
    def size(self) -> BatchSize:
        """What this batch alone takes means over."""
        return BatchSize(self.n_pairs, len(torch.unique(self.pair)), len(self))

    def to(self, device: torch.device | str) -> "SpanLayout":
        """The same indices on another device."""
        names = ("source", "target", "positive_source", "positive_target", "pair", "source_gap", "target_gap", "nested")
        return replace(self, **{name: getattr(self, name).to(device) for name in names})
