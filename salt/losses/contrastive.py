"""Span contrastive loss, L_CON (SALT, Eq. 3)."""

from dataclasses import dataclass

import torch
from torch import Tensor

from alee_mteb.errors import DataError
from salt.losses.batch import BatchSize, SpanBatch, SpanLayout, mean_over
from salt.losses.inputs import LossInputs, LossTerms
from salt.losses.words import pad_pieces


@dataclass(frozen=True)
class SpanContrastiveLoss:
    """L_CON (Eq. 3): pull aligned spans together, push the other spans of the pair apart, in both directions.

    Attributes:
        temperature: τ; dot products are divided by it.
        scale: ``none``, or ``sqrt_dimension`` to divide dot products by √d as well.
        normalise: cosines in place of dot products.
        negatives: ``pair``: the other spans of the pair (Eq. 3); ``batch``: all other spans of this process's batch.
        gap_negatives: whether unaligned stretches are negatives (§3.1.2).
        nested_negatives: whether a span is pushed from one that contains it, or that it contains.
        average: mean over the ``pairs`` of Eq. 3's mean, or over all ``spans`` of the batch.
    """

    temperature: float = 5.0
    scale: str = "none"
    normalise: bool = False
    negatives: str = "pair"
    gap_negatives: bool = True
    nested_negatives: bool = False
    average: str = "pairs"

    def __post_init__(self) -> None:
        for field, allowed in (
            ("scale", ("none", "sqrt_dimension")),
            ("negatives", ("pair", "batch")),
            ("average", ("pairs", "spans")),
        ):
            if getattr(self, field) not in allowed:
                raise DataError(f"contrastive loss: {field} {getattr(self, field)!r}: say one of {', '.join(allowed)}")
        if not self.temperature > 0:
            raise DataError(f"contrastive loss: temperature {self.temperature}: must be above 0")

    @property
    def name(self) -> str:
        """As in results tables."""
        return "con"

    @property
    def needs(self) -> frozenset[str]:
        """Spans."""
        return frozenset({"spans"})

    def __call__(self, inputs: LossInputs) -> LossTerms:
        """The loss of a batch."""
        total = span_contrastive(inputs.pooled_spans(self.name), self, inputs.means())
        return LossTerms(total, {self.name: total})


def span_contrastive(
    batch: SpanBatch, settings: SpanContrastiveLoss | None = None, size: BatchSize | None = None
) -> Tensor:
    """L_CON (Eq. 3) of all pairs of a batch at once, shape ()."""
    settings = settings or SpanContrastiveLoss()
    layout = batch.layout
    source, target = batch.source, batch.target
    if not len(layout):
        return (source.sum() + target.sum()) * 0.0
    if settings.normalise:
        source, target = torch.nn.functional.normalize(source), torch.nn.functional.normalize(target)
    factor = 1.0 / settings.temperature
    if settings.scale == "sqrt_dimension":
        factor /= source.shape[1] ** 0.5
    logits = _pair_logits if settings.negatives == "pair" else _batch_logits
    rows, columns, row_mask, column_mask, positive = logits(source * factor, target, layout, settings)
    row_norm = rows.masked_fill(~row_mask, -torch.inf).logsumexp(dim=1)  # (P,)
    column_norm = columns.masked_fill(~column_mask, -torch.inf).logsumexp(dim=1)  # (P,)
    per_span = row_norm + column_norm - 2 * positive  # (P,)
    return mean_over(per_span, layout.pair, settings.average, size or layout.size)


Logits = tuple[Tensor, Tensor, Tensor, Tensor, Tensor]
"""Per aligned span: against targets (P, ·), against sources (P, ·), what counts in each, and the positive (P,)."""


def _pair_logits(source: Tensor, target: Tensor, layout: SpanLayout, settings: SpanContrastiveLoss) -> Logits:
    """Each aligned span against the spans of its own pair, (P, v) and (P, q)."""
    left, left_mask = pad_pieces(source, layout.source, layout.n_pairs)  # (b, q, d)
    right, right_mask = pad_pieces(target, layout.target, layout.n_pairs)  # (b, v, d)
    logits = left @ right.transpose(1, 2)  # (b, q, v)
    counts = _counting(left_mask, right_mask, layout, settings)
    q, v = logits.shape[1:]
    slot = layout.source.slot[layout.positive_source]  # (P,), the same on both sides
    at_row, at_column = layout.pair * q + slot, layout.pair * v + slot
    rows = logits.reshape(-1, v).index_select(0, at_row)
    columns = logits.transpose(1, 2).reshape(-1, q).index_select(0, at_column)
    row_mask = counts[0].reshape(-1, v).index_select(0, at_row)
    column_mask = counts[1].transpose(1, 2).reshape(-1, q).index_select(0, at_column)
    return rows, columns, row_mask, column_mask, rows.gather(1, slot.unsqueeze(1)).squeeze(1)


def _counting(left: Tensor, right: Tensor, layout: SpanLayout, settings: SpanContrastiveLoss) -> tuple[Tensor, Tensor]:
    """Which targets count for a source span, and which sources for a target span; both of shape (b, q, v)."""
    if not settings.gap_negatives:
        left = left & ~_padded_flags(layout.source_gap, layout, "source")
        right = right & ~_padded_flags(layout.target_gap, layout, "target")
    by_row, by_column = right.unsqueeze(1).expand_as(layout.nested), left.unsqueeze(2).expand_as(layout.nested)
    if settings.nested_negatives:
        return by_row, by_column
    return by_row & ~layout.nested, by_column & ~layout.nested


def _padded_flags(flags: Tensor, layout: SpanLayout, side: str) -> Tensor:
    pieces = layout.source if side == "source" else layout.target
    at = pieces.row * pieces.slots + pieces.slot
    padded = torch.zeros(layout.n_pairs * pieces.slots, dtype=torch.bool, device=flags.device)
    return padded.index_copy(0, at, flags).view(layout.n_pairs, pieces.slots)


def _batch_logits(source: Tensor, target: Tensor, layout: SpanLayout, settings: SpanContrastiveLoss) -> Logits:
    """Each aligned span against all spans of the batch, (P, V) and (P, Q)."""
    left = source.index_select(0, layout.positive_source)  # (P, d)
    right = target.index_select(0, layout.positive_target)
    rows, columns = left @ target.T, right @ source.T
    slot = layout.source.slot[layout.positive_source]
    masks = []
    for pieces, gap in ((layout.target, layout.target_gap), (layout.source, layout.source_gap)):
        mask = torch.ones(len(slot), len(pieces), dtype=torch.bool, device=source.device)
        if not settings.gap_negatives:
            mask &= ~gap.unsqueeze(0)
        if not settings.nested_negatives:
            same = layout.pair.unsqueeze(1) == pieces.row.unsqueeze(0)
            # Nesting is symmetric and concerns aligned spans alone, so gaps may be looked up at any slot.
            other = torch.where(gap, 0, pieces.slot)
            nested = layout.nested[layout.pair.unsqueeze(1), slot.unsqueeze(1), other.unsqueeze(0)]
            mask &= ~(same & nested & ~gap.unsqueeze(0))
        masks.append(mask)
    return rows, columns, masks[0], masks[1], (left * right).sum(dim=1)
