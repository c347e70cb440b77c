"""Span translation loss, L_MT (SALT, Eq. 4)."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from alee_mteb.errors import DataError
from salt.losses.batch import mean_over
from salt.losses.inputs import Decode, DecoderTargets, LossInputs, LossTerms

IGNORED = -100


@dataclass(frozen=True)
class SpanTranslationLoss:
    """L_MT (Eq. 4): the frozen decoder should say the target span, given the pooled source span as all it attends to.

    Attributes:
        token_reduction: cross-entropies of a span's tokens are summed (``sum``, Eq. 4) or averaged (``mean``).
        average: mean over the ``pairs`` of Eq. 4's mean, or over all ``spans`` of the batch.
        spans_at_once: spans decoded together, the rest in turn with recomputation in the backward pass (logits of a
            large vocabulary are big); 0 for all at once.
    """

    token_reduction: str = "sum"
    average: str = "spans"
    spans_at_once: int = 0

    def __post_init__(self) -> None:
        if self.token_reduction not in ("sum", "mean"):
            raise DataError(f"translation loss: token_reduction {self.token_reduction!r}: say 'sum' or 'mean'")
        if self.average not in ("pairs", "spans"):
            raise DataError(f"translation loss: average {self.average!r}: say 'pairs' or 'spans'")
        if self.spans_at_once < 0:
            raise DataError(f"translation loss: spans_at_once {self.spans_at_once}: must not be below 0")

    @property
    def name(self) -> str:
        """As in results tables."""
        return "mt"

    @property
    def needs(self) -> frozenset[str]:
        """Spans, a decoder, and the target spans' tokens."""
        return frozenset({"spans", "decode", "span_targets"})

    def __call__(self, inputs: LossInputs) -> LossTerms:
        """The loss of a batch."""
        inputs.need(self.name, *sorted(self.needs))
        assert inputs.decode is not None
        assert inputs.span_targets is not None
        batch = inputs.pooled_spans(self.name)
        vectors, _ = batch.positives()
        per_span = translation(vectors, inputs.span_targets, inputs.decode, self.token_reduction, self.spans_at_once)
        total = mean_over(per_span, batch.layout.pair, self.average, inputs.means())
        return LossTerms(total, {self.name: total})


def decoder_targets(
    sequences: Sequence[Sequence[int]], prefixes: Sequence[Sequence[int]], padding: int = 1
) -> DecoderTargets:
    """Teacher forcing: each prefix (such as a language token) and sequence of token ids as inputs and labels.

    Only the tokens of the sequence are asked for, never the prefix. Append the end token to the sequence to ask for
    it as well.

    Raises:
        DataError: a sequence or prefix is empty, or their numbers differ.
    """
    if len(sequences) != len(prefixes):
        raise DataError(f"{len(sequences)} sequences to decode but {len(prefixes)} prefixes")
    for number, (sequence, prefix) in enumerate(zip(sequences, prefixes, strict=True)):
        if not sequence or not prefix:
            raise DataError(f"decoder target {number}: the sequence and its prefix hold at least one token each")
    width = max((len(s) + len(p) - 1 for s, p in zip(sequences, prefixes, strict=True)), default=1)
    inputs = torch.full((len(sequences), width), padding, dtype=torch.long)
    labels = torch.full((len(sequences), width), IGNORED, dtype=torch.long)
    mask = torch.zeros(len(sequences), width, dtype=torch.long)
    for row, (sequence, prefix) in enumerate(zip(sequences, prefixes, strict=True)):
        said = [*prefix, *sequence[:-1]]
        inputs[row, : len(said)] = torch.tensor(said)
        labels[row, len(prefix) - 1 : len(said)] = torch.tensor(list(sequence))
        mask[row, : len(said)] = 1
    return DecoderTargets(inputs, labels, mask)


def cross_entropies(logits: Tensor, labels: Tensor, token_reduction: str = "sum") -> Tensor:
    """Cross-entropy of each sequence, shape (n,), from logits (n, t, vocabulary) and labels (n, t)."""
    losses = torch.nn.functional.cross_entropy(
        logits.transpose(1, 2).to(torch.promote_types(logits.dtype, torch.float32)),
        labels,
        ignore_index=IGNORED,
        reduction="none",
    )  # (n, t)
    summed = losses.sum(dim=1)
    return summed if token_reduction == "sum" else summed / (labels != IGNORED).sum(dim=1)


def translation(
    vectors: Tensor, targets: DecoderTargets, decode: Decode, token_reduction: str = "sum", at_once: int = 0
) -> Tensor:
    """Cross-entropy of each target given its vector alone, shape (n,), from vectors (n, d).

    Raises:
        DataError: not one target per vector.
    """
    if len(vectors) != len(targets.labels):
        raise DataError(f"{len(vectors)} vectors to decode but {len(targets.labels)} targets")
    if not len(vectors):
        return vectors.sum(dim=1)

    def said(memory: Tensor, inputs: Tensor, mask: Tensor, labels: Tensor) -> Tensor:
        return cross_entropies(decode(memory.unsqueeze(1), inputs, mask), labels, token_reduction)

    if not at_once or at_once >= len(vectors):
        return said(vectors, targets.inputs, targets.mask, targets.labels)
    lengths = targets.mask.sum(dim=1)
    order = lengths.argsort(stable=True)  # alike lengths together: less padding
    parts = []
    for chosen in order.split(at_once):
        width = int(lengths[chosen].max())
        rows = (tensor[chosen, :width] for tensor in (targets.inputs, targets.mask, targets.labels))
        parts.append(checkpoint(said, vectors.index_select(0, chosen), *rows, use_reentrant=False))
    return torch.cat(parts).index_select(0, order.argsort())
