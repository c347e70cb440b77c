"""Pairs as what the network reads: tokens of both sides, and the layouts that the loss asks for.

    AlignedPair × b ──tokenize, lay out──▶ PreparedBatch ──(device, states)──▶ LossInputs

All of it needs no network and no gradients, so it is done ahead, while the batch before is computed.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from salt.encoders.base import TokenEncoder, Tokens
from salt.losses.batch import BatchSize, Pieces, SpanLayout
from salt.losses.inputs import DecoderTargets
from salt.losses.layout import lay_out_spans
from salt.losses.translation import decoder_targets
from salt.losses.words import WordLayout, lay_out_words
from salt.pairs import AlignedPair
from salt.words import words_of


@dataclass(frozen=True)
class PreparedBatch:
    """A packed batch, ready for the network.

    Attributes:
        aligned: the pairs.
        source, target: their tokens; row i is pair i.
        spans: where the loss reads spans.
        words: where it reads words.
        span_targets: what the decoder should say of each aligned span.
        sentence_targets, source_targets: the same of whole sentences.
    """

    aligned: tuple[AlignedPair, ...]
    source: Tokens
    target: Tokens
    spans: SpanLayout | None = None
    words: WordLayout | None = None
    span_targets: DecoderTargets | None = None
    sentence_targets: DecoderTargets | None = None
    source_targets: DecoderTargets | None = None

    @property
    def size(self) -> BatchSize:
        """What means over this batch divide by."""
        return self.spans.size if self.spans is not None else BatchSize(len(self.aligned), 0, 0)

    def to(self, device: torch.device) -> "PreparedBatch":
        """The same on another device."""
        if device.type == "cpu":
            return self
        return replace(
            self,
            source=self.source.to(device),
            target=self.target.to(device),
            spans=None if self.spans is None else self.spans.to(device),
            words=None if self.words is None else self.words.to(device),
            span_targets=_moved(self.span_targets, device),
            sentence_targets=_moved(self.sentence_targets, device),
            source_targets=_moved(self.source_targets, device),
        )


def prepare(
    encoder: TokenEncoder, aligned: Sequence[AlignedPair], needs: Collection[str], decoder: Any = None
) -> PreparedBatch:
    """Tokenize a batch and lay out what a loss needs (`salt.losses.inputs.Loss.needs`).

    Args:
        decoder: tells what a text in a language begins with, where the loss translates.

    Raises:
        DataError: a text is empty or too long.
        LanguageError: the encoder has no token for a language.
    """
    texts = [item.pair.source for item in aligned], [item.pair.target for item in aligned]
    languages = [item.pair.source_language for item in aligned], [item.pair.target_language for item in aligned]
    source, target = (tokenize_mixed(encoder, *side) for side in zip(texts, languages, strict=True))
    spans = lay_out_spans(aligned, source, target) if {"spans", "span_targets"} & set(needs) else None
    words = None
    if {"words", "masked"} & set(needs):
        sides = [
            [words_of(tokens, row, code) for row, code in enumerate(codes)]
            for codes, tokens in zip(languages, (source, target), strict=True)
        ]
        words = lay_out_words(sides[0], sides[1], source, target)
    prefixes = [[decoder.prefix(code) for code in codes] if decoder is not None else [] for codes in languages]
    return PreparedBatch(
        aligned=tuple(aligned),
        source=source,
        target=target,
        spans=spans,
        words=words,
        span_targets=span_targets(target, spans, prefixes[1])
        if spans is not None and "span_targets" in needs
        else None,
        sentence_targets=sentence_targets(target, prefixes[1]) if "sentence_targets" in needs else None,
        source_targets=sentence_targets(source, prefixes[0]) if "source_targets" in needs else None,
    )


def tokenize_mixed(encoder: TokenEncoder, texts: Sequence[str], languages: Sequence[str]) -> Tokens:
    """Tokens of texts in several languages as one batch, rows in the order of the texts."""
    groups: dict[str, list[int]] = {}
    for row, language in enumerate(languages):
        groups.setdefault(language, []).append(row)
    parts = {
        language: encoder.tokenize([texts[row] for row in rows], language).to("cpu")
        for language, rows in groups.items()
    }
    if len(parts) == 1:
        return next(iter(parts.values()))
    width = max(part.ids.shape[1] for part in parts.values())
    ids = torch.full((len(texts), width), _padding_id(encoder), dtype=torch.long)
    mask = torch.zeros(len(texts), width, dtype=next(iter(parts.values())).mask.dtype)
    offsets: list[tuple[object, ...]] = [()] * len(texts)
    for language, rows in groups.items():
        part = parts[language]
        where, here = torch.tensor(rows), part.ids.shape[1]
        ids[where, :here] = torch.where(part.mask.bool(), part.ids, ids[where, :here])
        mask[where, :here] = part.mask
        for row, found in zip(rows, part.offsets, strict=True):
            offsets[row] = found
    return Tokens(ids, mask, tuple(offsets), tuple(texts), None)  # type: ignore[arg-type]


def span_targets(target: Tokens, layout: SpanLayout, prefixes: Sequence[Sequence[int]]) -> DecoderTargets:
    """For each aligned span the prefix of its text, then the tokens of its target side (Eq. 4)."""
    sequences = members(layout.target, target.ids)
    chosen = layout.positive_target.tolist()
    rows = layout.target.row[layout.positive_target].tolist()
    return decoder_targets([sequences[piece] for piece in chosen], [prefixes[row] for row in rows])


def sentence_targets(tokens: Tokens, prefixes: Sequence[Sequence[int]]) -> DecoderTargets:
    """For each text its prefix, then its tokens up to the end token; the language token is in the prefix."""
    lengths = tokens.mask.sum(dim=1).tolist()
    rows = [ids[1:length] for ids, length in zip(tokens.ids.tolist(), lengths, strict=True)]
    return decoder_targets(rows, prefixes)


def members(pieces: Pieces, ids: Tensor) -> list[list[int]]:
    """The token ids of every piece."""
    found: list[list[int]] = [[] for _ in range(len(pieces))]
    for owner, token in zip(pieces.owner.tolist(), ids.flatten()[pieces.token].tolist(), strict=True):
        found[owner].append(token)
    return found


def _padding_id(encoder: TokenEncoder) -> int:
    padding = getattr(getattr(encoder.module, "config", None), "pad_token_id", None)
    return int(padding) if padding is not None else 0


def _moved(targets: DecoderTargets | None, device: torch.device) -> DecoderTargets | None:
    if targets is None:
        return None
    return DecoderTargets(targets.inputs.to(device), targets.labels.to(device), targets.mask.to(device))
