"""CASE with models: an encoder's states become word links, a parser's constituents candidates (SALT, §3.1.1)."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from alee_mteb.errors import DataError, ModelError
from salt.alignment import Links, mutual_argmax, similarity
from salt.encoders.base import TokenEncoder, Tokens
from salt.pairs import AlignedSpan, ParallelPair, Span
from salt.spans.batches import plan
from salt.spans.case import CaseSettings, Range, candidates, extract
from salt.spans.constituents import ConstituentParser
from salt.spans.records import Extracted, FoundPair, FoundSpan, covered_ranges, in_source_order
from salt.words import averaging_matrix, words_of

if TYPE_CHECKING:
    from torch import Tensor


class CaseExtractor:
    """Aligned spans of sentence pairs of which one side is in the parser's language.

    Args:
        encoder: whose token states are compared.
        parser: of one side.
        layer: whose states; negative ones count from the last.
        settings: what is kept.
        budget: most padded tokens that the encoder is given at once.

    Raises:
        ModelError: the encoder has no such layer.
    """

    method = "case"

    def __init__(
        self,
        encoder: TokenEncoder,
        parser: ConstituentParser,
        *,
        layer: int = -1,
        settings: CaseSettings | None = None,
        budget: int = 4096,
    ) -> None:
        if not -encoder.n_layers - 1 <= layer <= encoder.n_layers:
            raise ModelError(f"{encoder.name}: no layer {layer}; it has layers 0 (embeddings) to {encoder.n_layers}")
        self.encoder = encoder
        self._layer = layer if layer >= 0 else encoder.n_layers + 1 + layer
        self.layer: int | None = self._layer
        self._parser = parser
        self._settings = settings or CaseSettings()
        self._budget = budget

    @property
    def settings(self) -> Mapping[str, Any]:
        """What the outcome depends on beside encoder and layer."""
        return {
            "coverage": self._settings.coverage,
            "nested": self._settings.nested.value,
            "whole": self._settings.whole,
            "min_words": self._settings.min_words,
            "max_words": self._settings.max_words,
            "constituents": self._parser.name,
        }

    def extract(self, pairs: Sequence[ParallelPair]) -> Extracted:
        """The pairs with their spans, in order; those that are too long for the encoder are left out and counted.

        Raises:
            DataError: a side is empty, or no side is in the parser's language.
            LanguageError: the encoder does not know a language.
        """
        planned = plan(pairs, self.encoder, self._budget)
        kept = sorted(number for batch in planned.batches for number in batch)
        parsed_is_source = {number: self._parsed_side(pairs[number]) for number in kept}
        texts = [pairs[n].source if parsed_is_source[n] else pairs[n].target for n in kept]
        constituents = dict(zip(kept, self._parser.constituents(texts), strict=True))
        found: dict[int, FoundPair] = {}
        for batch in planned.batches:
            chosen = [pairs[number] for number in batch]
            source = self.encoder.tokenize([pair.source for pair in chosen], chosen[0].source_language)
            target = self.encoder.tokenize([pair.target for pair in chosen], chosen[0].target_language)
            source_words = _words(source, chosen[0].source_language)
            target_words = _words(target, chosen[0].target_language)
            states = self._word_states(source, source_words), self._word_states(target, target_words)
            links = mutual_argmax(similarity(*states))  # (b, source words, target words)
            for row, number in enumerate(batch):
                spans = pair_spans(
                    pairs[number],
                    (source_words[row], target_words[row]),
                    links[row, : len(source_words[row]), : len(target_words[row])],
                    constituents[number],
                    parsed_is_source=parsed_is_source[number],
                    settings=self._settings,
                )
                found[number] = FoundPair(pairs[number], with_tokens(spans, source, target, row))
        return Extracted([found[number] for number in kept], planned.dropped)

    def _parsed_side(self, pair: ParallelPair) -> bool:
        """Whether the source is what the parser reads."""
        sides = [language.split("_")[0] for language in pair.languages]
        if self._parser.language not in sides:
            raise DataError(
                f"pair {pair.id!r}: neither {pair.source_language} nor {pair.target_language} is what "
                f"{self._parser.name} reads ({self._parser.language}); --constituents-model names one for either"
            )
        return sides[0] == self._parser.language

    def _word_states(self, tokens: Tokens, words: Sequence[Sequence[Span]]) -> NDArray[np.float32]:
        """Shape (b, most words, d)."""
        import torch

        with torch.inference_mode():
            states = self.encoder.states(tokens, (self._layer,))[self._layer]
            found: NDArray[np.float32] = batch_word_states(states, tokens, words).float().cpu().numpy()
        return found


def pair_spans(
    pair: ParallelPair,
    words: tuple[Sequence[Span], Sequence[Span]],
    links: Links,
    constituents: Sequence[Span],
    *,
    parsed_is_source: bool,
    settings: CaseSettings,
) -> list[tuple[AlignedSpan, float]]:
    """CASE on one pair, after encoding and parsing: character spans and their coverage.

    Args:
        pair: the sentences.
        words: of the source and of the target.
        links: shape (source words, target words).
        constituents: of the side that was parsed.
        parsed_is_source: which that is.
        settings: what is kept.
    """
    source_words, target_words = words
    if parsed_is_source:
        found = extract(links, candidates(pair.source, source_words, constituents, settings), settings)
        ranges = [(span.source, span.target, span.coverage) for span in found]
    else:
        found = extract(links.T, candidates(pair.target, target_words, constituents, settings), settings)
        ranges = [(span.target, span.source, span.coverage) for span in found]
    return [
        (AlignedSpan(_characters(source_words, left), _characters(target_words, right)), coverage)
        for left, right, coverage in ranges
    ]


def batch_word_states(states: "Tensor", tokens: Tokens, words: Sequence[Sequence[Span]]) -> "Tensor":
    """Mean state of the tokens of each word, shape (b, most words, d); zeros beyond a text's words."""
    shares = states.new_zeros(len(words), max(map(len, words), default=0), states.shape[1])  # (b, w, t)
    for row, spans in enumerate(words):
        if spans:
            shares[row, : len(spans)] = averaging_matrix(states, tokens, row, spans)
    return shares @ states  # (b, w, d)


def _words(tokens: Tokens, language: str) -> list[list[Span]]:
    return [words_of(tokens, row, language) for row in range(len(tokens.texts))]


def _characters(words: Sequence[Span], chosen: Range) -> Span:
    return Span(words[chosen[0]].start, words[chosen[1] - 1].end)


def with_tokens(
    spans: Sequence[tuple[AlignedSpan, float]], source: Tokens, target: Tokens, row: int
) -> tuple[FoundSpan, ...]:
    """Character spans of one row of two batches, with the tokens they cover."""
    lefts = covered_ranges(source.offsets[row], [span.source for span, _ in spans])
    rights = covered_ranges(target.offsets[row], [span.target for span, _ in spans])
    return in_source_order(
        FoundSpan(span, left, right, coverage)
        for (span, coverage), left, right in zip(spans, lefts, rights, strict=True)
        if left and right  # always so: there is a link, and all words have tokens
    )
