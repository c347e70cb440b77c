"""The spans of a packed batch: which tokens make up each, and their pooled states.

    AlignedPair × b, Tokens ──layout.lay_out_spans──▶ SpanLayout (indices) ──pool_spans(states)──▶ SpanBatch (tensors)

Within a pair the aligned spans come first, in the order of the pair, and then the gaps: the maximal runs of tokens
that no aligned span holds (SALT §3.1.2). So span i of the source and span i of the target are a positive, for every
i below the number of aligned spans.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from alee_mteb.errors import DataError
from salt.losses.layout import lay_out_pieces, lay_out_spans
from salt.losses.pieces import BatchSize, Pieces, SpanLayout

__all__ = [
    "BatchSize",
    "Pieces",
    "SpanBatch",
    "SpanLayout",
    "lay_out_pieces",
    "lay_out_spans",
    "mean_over",
    "pool_pieces",
    "pool_spans",
]


@dataclass(frozen=True)
class SpanBatch:
    """Pooled spans: what the span losses read.

    Attributes:
        source: mean state of each source span, shape (Q, d).
        target: mean state of each target span, shape (V, d).
        layout: which span is whose.
    """

    source: Tensor
    target: Tensor
    layout: SpanLayout

    def positives(self) -> tuple[Tensor, Tensor]:
        """The aligned spans, source and target, each of shape (P, d)."""
        layout = self.layout
        return self.source.index_select(0, layout.positive_source), self.target.index_select(0, layout.positive_target)


def pool_pieces(states: Tensor, pieces: Pieces) -> Tensor:
    """Mean token state of each piece, shape (n, d), from states (b, t, d); half precision is summed in 32 bits.

    Raises:
        DataError: the states are not of the batch the pieces were laid out on.
    """
    if states.shape[1] != pieces.width:
        raise DataError(f"states of {states.shape[1]} tokens a row, pieces laid out on {pieces.width}: not one batch")
    flat = states.flatten(0, 1)  # (b·t, d)
    members = flat.index_select(0, pieces.token).to(torch.promote_types(states.dtype, torch.float32))  # (m, d)
    sums = members.new_zeros(len(pieces), states.shape[2]).index_add(0, pieces.owner, members)  # (n, d)
    return sums / pieces.size.unsqueeze(1)


def pool_spans(source_states: Tensor, target_states: Tensor, layout: SpanLayout) -> SpanBatch:
    """Average the token states of every span: (b, t, d) and (b, u, d) to (Q, d) and (V, d)."""
    return SpanBatch(pool_pieces(source_states, layout.source), pool_pieces(target_states, layout.target), layout)


def mean_over(values: Tensor, pair: Tensor, average: str, size: BatchSize) -> Tensor:
    """Mean of one number per aligned span, shape (P,): over ``spans``, or over the means of ``pairs`` that have any.

    A batch without spans gives zero, through which gradients (all zero) flow.

    Raises:
        DataError: another word for `average`.
    """
    if average not in ("spans", "pairs"):
        raise DataError(f"average {average!r}: say 'spans' or 'pairs'")
    if not len(values):
        return values.sum()
    if average == "spans":
        return values.sum() / size.spans
    per_pair = torch.bincount(pair)  # (b,)
    return (values / per_pair[pair]).sum() / size.spanned
