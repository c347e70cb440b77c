"""The network side of a step: encoder, frozen teacher, frozen decoder, and the loss over what they say."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

from salt.encoders.base import TokenEncoder, Tokens
from salt.losses.batch import BatchSize
from salt.losses.inputs import Loss, LossInputs, LossTerms, MaskedWords
from salt.losses.interpolation import teacher_average
from salt.losses.wacse import mask_one_word
from salt.losses.words import links_of, pool_words
from salt.pairs import AlignedPair
from salt.training.errors import ConfigError
from salt.training.prepare import PreparedBatch, prepare

#: Losses that take means over a batch by themselves, since their negatives are those of the batch.
_OWN_MEANS = ("wacse",)
#: Share of tokens that SONAR's denoising term masks.
_NOISE = 0.3


@dataclass
class Objective:
    """What is minimised.

    Attributes:
        encoder: the network that is trained.
        loss: over its states.
        teacher: the encoder as it was before; needed where the loss reads it.
        decoder: frozen, where the loss translates.
        batches: packed batches per update, over all processes.
        trained: parameters that change, by name; set by `freeze`.

    Raises:
        ConfigError: the decoder has other tokens than the encoder, or there is no mask token where one is needed.
    """

    encoder: TokenEncoder
    loss: Loss
    teacher: TokenEncoder | None = None
    decoder: Any = None
    batches: int = 1
    trained: dict[str, nn.Parameter] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._needs = self.loss.needs
        self._mask_id = self._find_mask() if {"masked", "noisy_pooled"} & self._needs else 0
        if "decode" in self._needs:
            self._check_decoder()

    def freeze(self, *, embeddings: bool, dropout: bool) -> None:
        """Decide what is trained.

        Args:
            embeddings: also train word embeddings.
            dropout: keep the network's dropout on; the teacher's and the decoder's never are.
        """
        module = self.encoder.module.requires_grad_(True)
        if not embeddings:
            for parameter in self.encoder.embedding_parameters():
                parameter.requires_grad_(False)
        module.train(dropout)
        if self.teacher is not None:
            self.teacher.module.requires_grad_(False).eval()
        self.trained = {name: entry for name, entry in module.named_parameters() if entry.requires_grad}

    def prepare(self, aligned: Sequence[AlignedPair]) -> PreparedBatch:
        """A batch as this loss needs it."""
        return prepare(self.encoder, aligned, self._needs, self.decoder)

    def terms(self, batch: PreparedBatch, size: BatchSize, seed: int) -> LossTerms:
        """The share of one batch in the loss of an update.

        Args:
            batch: on the device of the network.
            size: counts over the whole update.
            seed: of what the loss draws by itself (noise, masked words).
        """
        source, target = self.encoder.states(batch.source)[-1], self.encoder.states(batch.target)[-1]
        found = self.loss(
            LossInputs(
                source_states=source,
                target_states=target,
                source_pooled=self.encoder.pool(source, batch.source).float(),
                target_pooled=self.encoder.pool(target, batch.target).float(),
                teacher=self._taught(batch) if "teacher" in self._needs else None,
                spans=batch.spans,
                words=batch.words,
                decode=self.decoder.decode if "decode" in self._needs else None,
                span_targets=batch.span_targets,
                sentence_targets=batch.sentence_targets,
                source_targets=batch.source_targets,
                noisy_pooled=self._noisy(batch, seed) if "noisy_pooled" in self._needs else None,
                masked=self._masked(batch, source, target, seed) if "masked" in self._needs else None,
                size=size,
            )
        )
        if self.loss.name not in _OWN_MEANS:
            return found
        terms = {name: term / self.batches for name, term in found.terms.items()}
        return LossTerms(found.total / self.batches, terms)

    def _taught(self, batch: PreparedBatch) -> Tensor:
        """The teacher's average of the two sentence embeddings, (b, d)."""
        assert self.teacher is not None
        with torch.no_grad():
            source, target = (
                self.teacher.pool(self.teacher.states(tokens)[-1], tokens).float()
                for tokens in (batch.source, batch.target)
            )
        return teacher_average(source, target)

    def _noisy(self, batch: PreparedBatch, seed: int) -> Tensor:
        """Embeddings of the source texts with some of their tokens masked, (b, d)."""
        chance = torch.Generator().manual_seed(seed)
        own = torch.tensor(
            [
                [token is not None for token in row] + [False] * (batch.source.ids.shape[1] - len(row))
                for row in batch.source.offsets
            ]
        )
        chosen = (torch.rand(own.shape, generator=chance) < _NOISE) & own
        noisy = _with_ids(batch.source, batch.source.ids.masked_fill(chosen.to(batch.source.ids.device), self._mask_id))
        return self.encoder.pool(self.encoder.states(noisy)[-1], noisy).float()

    def _masked(self, batch: PreparedBatch, source: Tensor, target: Tensor, seed: int) -> MaskedWords:
        """One masked word per pair, and what the encoder makes of it."""
        assert batch.words is not None
        with torch.no_grad():
            links = links_of(pool_words(source, target, batch.words))
        choice = mask_one_word(batch.source.ids, batch.target.ids, batch.words, links, self._mask_id, seed)
        states = self.encoder.states(_with_ids(batch.source, choice.ids))[-1]
        return choice.masked(states, self.encoder.embedding_parameters()[0])

    def _find_mask(self) -> int:
        backend = getattr(getattr(getattr(self.encoder, "encoder", None), "tokenizer", None), "backend", None)
        found = getattr(backend, "mask_token_id", None)
        if found is None:
            raise ConfigError(
                f"loss.name: the loss {self.loss.name!r} masks words, but the tokenizer of {self.encoder.name} has no "
                "mask token; choose another loss, or set the weight of that term to 0"
            )
        return int(found)

    def _check_decoder(self) -> None:
        if self.decoder is None:
            raise ConfigError(f"decoder: the loss {self.loss.name!r} needs one; name the folder of a decoder")
        if self.decoder.dimension != self.encoder.dimension:
            raise ConfigError(
                f"decoder: {self.decoder.name} reads states of {self.decoder.dimension} dimensions, "
                f"{self.encoder.name} makes {self.encoder.dimension}; they are not of the same model"
            )
        if self.decoder.tokenizer.fingerprint != self.encoder.fingerprint:
            raise ConfigError(
                f"decoder: {self.decoder.name} has another tokenizer than {self.encoder.name}; "
                "they are not of the same model"
            )


def _with_ids(tokens: Tokens, ids: Tensor) -> Tokens:
    return Tokens(ids, tokens.mask, tokens.offsets, tokens.texts, tokens.language)
