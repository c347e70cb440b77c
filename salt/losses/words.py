"""The words of a packed batch, for the word-level baselines (SO, WordOT, WACSE).

What a word is (whitespace units, or tokens in scripts without spaces, Appendix A) is the caller's affair: it hands
in the words as spans of characters.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from alee_mteb.errors import DataError
from salt.encoders.base import Tokens
from salt.losses.batch import Pieces, lay_out_pieces, pool_pieces
from salt.pairs import Span


@dataclass(frozen=True)
class WordLayout:
    """The words of b sentence pairs, as indices.

    Attributes:
        n_pairs: b.
        source: tokens of each source word.
        target: likewise.
        links: word links fixed beforehand, shape (b, n, m); ``None``: argmax over the current states.
    """

    n_pairs: int
    source: Pieces
    target: Pieces
    links: Tensor | None = None

    def to(self, device: torch.device | str) -> "WordLayout":
        """The same indices on another device."""
        links = None if self.links is None else self.links.to(device)
        return replace(self, source=self.source.to(device), target=self.target.to(device), links=links)


@dataclass(frozen=True)
class WordBatch:
    """Word states padded per pair.

    Attributes:
        source: shape (b, n, d), zero beyond a pair's words.
        target: shape (b, m, d).
        source_mask: True for words, shape (b, n).
        target_mask: shape (b, m).
        links: given links, shape (b, n, m), or ``None``.
    """

    source: Tensor
    target: Tensor
    source_mask: Tensor
    target_mask: Tensor
    links: Tensor | None = None

    @property
    def both(self) -> Tensor:
        """True where a source and a target word meet, shape (b, n, m)."""
        return self.source_mask.unsqueeze(2) & self.target_mask.unsqueeze(1)


def lay_out_words(
    source_words: Sequence[Sequence[Span]],
    target_words: Sequence[Sequence[Span]],
    source: Tokens,
    target: Tokens,
    links: Sequence[Sequence[tuple[int, int]]] | None = None,
) -> WordLayout:
    """Find the tokens of every word; a word without tokens is left out (and its links with it).

    Args:
        source_words: the words of each source text.
        target_words: likewise.
        source: tokens of the source texts.
        target: tokens of the target texts.
        links: (source word, target word) per pair, if they are not to be taken from the states.

    Raises:
        DataError: the arguments are not of the same number of pairs.
    """
    if len(source_words) != len(target_words) or (links is not None and len(links) != len(source_words)):
        raise DataError(f"words of {len(source_words)} source and {len(target_words)} target texts, or links of others")
    left, left_kept = lay_out_pieces(source_words, source)
    right, right_kept = lay_out_pieces(target_words, target)
    matrix = None
    if links is not None:
        matrix = torch.zeros(len(source_words), left.slots, right.slots, dtype=torch.bool)
        for row, of_pair in enumerate(links):
            at = ({word: slot for slot, word in enumerate(kept[row])} for kept in (left_kept, right_kept))
            rows, columns = at
            for one, other in of_pair:
                if one in rows and other in columns:
                    matrix[row, rows[one], columns[other]] = True
    return WordLayout(len(source_words), left, right, matrix)


def pad_pieces(pooled: Tensor, pieces: Pieces, n_pairs: int) -> tuple[Tensor, Tensor]:
    """Pooled pieces (n, d) as (b, slots, d) with zeros, and the mask (b, slots) of where there is one."""
    at = pieces.row * pieces.slots + pieces.slot  # (n,)
    padded = pooled.new_zeros(n_pairs * pieces.slots, pooled.shape[1]).index_copy(0, at, pooled)
    mask = torch.zeros(n_pairs * pieces.slots, dtype=torch.bool, device=pooled.device).index_fill(0, at, True)
    return padded.view(n_pairs, pieces.slots, -1), mask.view(n_pairs, pieces.slots)


def pool_words(source_states: Tensor, target_states: Tensor, layout: WordLayout) -> WordBatch:
    """Average token states (b, t, d) and (b, u, d) into padded word states."""
    source, source_mask = pad_pieces(pool_pieces(source_states, layout.source), layout.source, layout.n_pairs)
    target, target_mask = pad_pieces(pool_pieces(target_states, layout.target), layout.target, layout.n_pairs)
    return WordBatch(source, target, source_mask, target_mask, layout.links)


def word_similarity(words: WordBatch, similarity: str) -> Tensor:
    """Dot products or cosines of all word pairs, shape (b, n, m).

    Raises:
        DataError: another word for `similarity`.
    """
    if similarity == "dot":
        return words.source @ words.target.transpose(1, 2)
    if similarity == "cosine":
        normalise = torch.nn.functional.normalize
        return normalise(words.source, dim=2) @ normalise(words.target, dim=2).transpose(1, 2)
    raise DataError(f"similarity {similarity!r}: say 'dot' or 'cosine'")


def mutual_argmax(similarity: Tensor, both: Tensor) -> Tensor:
    """Argmax links (Jalili Sabet et al., 2020): words that are each other's most similar, shape (b, n, m).

    The first of equally similar words wins. `both` tells words from padding.
    """
    hidden = similarity.detach().masked_fill(~both, -torch.inf)
    best_target = hidden.argmax(dim=2, keepdim=True)  # (b, n, 1)
    best_source = hidden.argmax(dim=1, keepdim=True)  # (b, 1, m)
    chosen = torch.zeros_like(both).scatter(2, best_target, True)
    return chosen & torch.zeros_like(both).scatter(1, best_source, True) & both


def links_of(words: WordBatch) -> Tensor:
    """The given links, or argmax links of the current states by cosine, without gradient; shape (b, n, m)."""
    return words.links if words.links is not None else mutual_argmax(word_similarity(words, "cosine"), words.both)
