"""What one training step hands to a loss, and what it gets back."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

from alee_mteb.errors import DataError
from salt.losses.batch import BatchSize, SpanBatch, SpanLayout, pool_spans
from salt.losses.words import WordBatch, WordLayout, pool_words

Decode = Callable[[Tensor, Tensor, Tensor], Tensor]
"""A frozen decoder: vectors (n, 1, d), decoder inputs (n, t) and their mask (n, t) to logits (n, t, vocabulary)."""


@dataclass(frozen=True)
class DecoderTargets:
    """Decoder inputs and the tokens they should lead to (`salt.losses.translation.decoder_targets`).

    Attributes:
        inputs: prefix (such as the language token) and all tokens but the last, shape (n, t).
        labels: the token that follows each input; -100 where none is asked for, shape (n, t).
        mask: 1 for inputs, 0 for padding, shape (n, t).
    """

    inputs: Tensor
    labels: Tensor
    mask: Tensor


@dataclass(frozen=True)
class MaskedWords:
    """Masked words of WACSE's aligned word prediction: one row per masked word.

    Attributes:
        states: state of the masked word, shape (n, d).
        labels: tokens to predict, padded with -100, shape (n, k).
        head: token-embedding matrix, used as the output layer, shape (vocabulary, d).
    """

    states: Tensor
    labels: Tensor
    head: Tensor


@dataclass(frozen=True)
class LossInputs:
    """One batch of b sentence pairs, as far as the chosen loss needs it (see each loss's ``needs``).

    Attributes:
        source_states: token states, shape (b, t, d).
        target_states: shape (b, u, d).
        source_pooled: sentence embeddings, shape (b, d).
        target_pooled: shape (b, d).
        teacher: average of the frozen encoder's two sentence embeddings, shape (b, d).
        spans: which tokens make up the spans.
        words: which tokens make up the words.
        decode: the frozen decoder.
        span_targets: one row per aligned span, in the order of the layout's positives.
        sentence_targets: the target sentences, one row per pair (SONAR loss).
        source_targets: the source sentences, one row per pair (SONAR's auto-encoding term).
        noisy_pooled: embeddings of the noised source sentences, shape (b, d) (SONAR's denoising term).
        masked: masked words (WACSE).
        size: what means are taken over, if the batch is a process's part of a larger one.
    """

    source_states: Tensor
    target_states: Tensor
    source_pooled: Tensor
    target_pooled: Tensor
    teacher: Tensor | None = None
    spans: SpanLayout | None = None
    words: WordLayout | None = None
    decode: Decode | None = None
    span_targets: DecoderTargets | None = None
    sentence_targets: DecoderTargets | None = None
    source_targets: DecoderTargets | None = None
    noisy_pooled: Tensor | None = None
    masked: MaskedWords | None = None
    size: BatchSize | None = None

    def need(self, loss: str, *names: str) -> None:
        """Check that what a loss reads is there.

        Raises:
            DataError: names the loss and what is missing.
        """
        missing = [name for name in names if getattr(self, name) is None]
        if missing:
            raise DataError(f"loss {loss!r} needs {', '.join(missing)}: give it, or set that term's weight to 0")

    def means(self) -> BatchSize:
        """The counts that means divide by."""
        if self.size is not None:
            return self.size
        return self.spans.size if self.spans is not None else BatchSize(len(self.source_pooled), 0, 0)

    def pooled_spans(self, loss: str) -> SpanBatch:
        """The spans of the batch, pooled."""
        self.need(loss, "spans")
        assert self.spans is not None
        return pool_spans(self.source_states, self.target_states, self.spans)

    def pooled_words(self, loss: str) -> WordBatch:
        """The words of the batch, pooled."""
        self.need(loss, "words")
        assert self.words is not None
        return pool_words(self.source_states, self.target_states, self.words)


@dataclass(frozen=True)
class LossTerms:
    """The number to minimise and what it is made of.

    Attributes:
        total: weighted sum, shape ().
        terms: unweighted terms by name, each of shape ().
    """

    total: Tensor
    terms: Mapping[str, Tensor]

    def values(self) -> dict[str, float]:
        """All as plain numbers, ``loss`` first (for logs; waits for the device)."""
        names = ["loss", *self.terms]
        numbers = torch.stack([self.total.detach(), *(term.detach() for term in self.terms.values())]).tolist()
        return dict(zip(names, numbers, strict=True))


class Loss(Protocol):
    """A training objective with its settings.

    Attributes:
        name: as in configuration files and results tables.
    """

    @property
    def name(self) -> str:
        """As in configuration files and results tables."""
        ...

    @property
    def needs(self) -> frozenset[str]:
        """Fields of `LossInputs`, beyond states and sentence embeddings, that this loss reads with its settings."""
        ...

    def __call__(self, inputs: LossInputs) -> LossTerms:
        """The loss of a batch.

        Raises:
            DataError: the batch lacks something in `needs`.
        """
        ...


def weighted(parts: Mapping[str, tuple[float, Tensor]]) -> LossTerms:
    """Sum of weight · term."""
    total = torch.stack([weight * term for weight, term in parts.values()]).sum()
    return LossTerms(total, {name: term for name, (_, term) in parts.items()})
