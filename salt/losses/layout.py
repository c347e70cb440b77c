"""Finding the tokens of spans, gaps and words: the part of packing that reads character offsets."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from alee_mteb.errors import DataError
from salt.encoders.base import Tokens
from salt.losses.pieces import Pieces, SpanLayout
from salt.pairs import AlignedPair, Span

Indices = NDArray[np.int64]
Flags = NDArray[Any]


def lay_out_spans(
    aligned: Sequence[AlignedPair],
    source: Tokens,
    target: Tokens,
    *,
    gaps: bool = True,
    special_tokens_in_gaps: bool = False,
) -> SpanLayout:
    """Find the tokens of every span and gap of a batch; row i of both token batches is pair i.

    Args:
        aligned: pairs with their spans.
        source: tokens of the source texts.
        target: tokens of the target texts.
        gaps: whether runs of unaligned tokens are spans too (§3.1.2).
        special_tokens_in_gaps: whether language, begin and end tokens belong to gaps.

    Raises:
        DataError: the batches are not of the same pairs.
    """
    if not len(aligned) == len(source.texts) == len(target.texts):
        raise DataError(f"{len(aligned)} pairs, {len(source.texts)} source and {len(target.texts)} target texts")
    sides: tuple[_Side, _Side] = (_Side(source), _Side(target))
    pairs: list[int] = []
    nesting: list[Flags] = []
    dropped = 0
    for row, item in enumerate(aligned):
        covers = (
            _covered(source, row, [span.source for span in item.spans]),
            _covered(target, row, [span.target for span in item.spans]),
        )
        kept = covers[0].any(axis=1) & covers[1].any(axis=1)
        dropped += int((~kept).sum())
        covers = (covers[0][kept], covers[1][kept])
        for side, cover in zip(sides, covers, strict=True):
            side.add_aligned(row, cover)
            if gaps:
                side.add_gaps(row, cover, special_tokens_in_gaps)
        pairs += [row] * int(kept.sum())
        nesting.append(_nested(covers[0]) | _nested(covers[1]))
    pieces = (sides[0].pieces(), sides[1].pieces())
    nested = np.zeros((len(aligned), pieces[0].slots, pieces[1].slots), dtype=bool)
    for row, flags in enumerate(nesting):
        nested[row, : len(flags), : len(flags)] = flags
    gap = [torch.tensor(side.gap, dtype=torch.bool) for side in sides]
    return SpanLayout(
        n_pairs=len(aligned),
        source=pieces[0],
        target=pieces[1],
        positive_source=torch.nonzero(~gap[0]).squeeze(1),
        positive_target=torch.nonzero(~gap[1]).squeeze(1),
        pair=torch.tensor(pairs, dtype=torch.long),
        source_gap=gap[0],
        target_gap=gap[1],
        nested=torch.from_numpy(nested),
        dropped=dropped,
    )


def lay_out_pieces(spans: Sequence[Sequence[Span]], tokens: Tokens) -> tuple[Pieces, list[list[int]]]:
    """The tokens of any spans (such as words) of each text, and which of the given spans have tokens at all.

    Raises:
        DataError: not one sequence of spans per text.
    """
    if len(spans) != len(tokens.texts):
        raise DataError(f"spans of {len(spans)} texts for a batch of {len(tokens.texts)}")
    side = _Side(tokens)
    kept = []
    for row, of_text in enumerate(spans):
        cover = _covered(tokens, row, of_text)
        found = cover.any(axis=1)
        side.add_aligned(row, cover[found])
        kept.append(np.flatnonzero(found).tolist())
    return side.pieces(), kept


class _Side:
    """Collects the pieces of one side, text by text."""

    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self.width = int(tokens.ids.shape[1])
        self.members: list[Indices] = []
        self.row: list[int] = []
        self.slot: list[int] = []
        self.gap: list[bool] = []

    def add_aligned(self, row: int, cover: Flags) -> None:
        """Add spans that hold the tokens marked in `cover`, shape (spans, tokens)."""
        for slot, flags in enumerate(cover):
            self._add(row, slot, np.flatnonzero(flags), gap=False)

    def add_gaps(self, row: int, cover: Flags, specials: bool) -> None:
        """Add the runs of tokens that no span holds. A token without characters does not break a run."""
        offsets = self.tokens.offsets[row]
        candidates = np.array([specials or token is not None for token in offsets], dtype=bool)
        positions = np.flatnonzero(candidates)
        free: Flags = np.atleast_1d(~cover.any(axis=0))[positions]
        edges = np.flatnonzero(np.diff(np.concatenate(([False], free, [False])).astype(np.int8)))
        for number, (start, end) in enumerate(zip(edges[::2], edges[1::2], strict=True)):
            self._add(row, len(cover) + number, positions[start:end], gap=True)

    def _add(self, row: int, slot: int, positions: Indices, *, gap: bool) -> None:
        self.members.append(row * self.width + positions)
        self.row.append(row)
        self.slot.append(slot)
        self.gap.append(gap)

    def pieces(self) -> Pieces:
        sizes = np.array([len(members) for members in self.members], dtype=np.int64)
        token = np.concatenate([*self.members, np.empty(0, dtype=np.int64)])
        return Pieces(
            token=torch.from_numpy(token.astype(np.int64)),
            owner=torch.from_numpy(np.repeat(np.arange(len(sizes)), sizes)),
            size=torch.from_numpy(sizes),
            row=torch.tensor(self.row, dtype=torch.long),
            slot=torch.tensor(self.slot, dtype=torch.long),
            width=self.width,
        )


def _covered(tokens: Tokens, row: int, spans: Sequence[Span]) -> Flags:
    """Which tokens share a character with each span, shape (spans, tokens): `Tokens.covered` for many spans at once."""
    offsets = tokens.offsets[row]
    start = np.array([np.iinfo(np.int64).max if token is None else token.start for token in offsets], dtype=np.int64)
    end = np.array([-1 if token is None else token.end for token in offsets], dtype=np.int64)
    spans_start = np.array([span.start for span in spans], dtype=np.int64)[:, None]
    spans_end = np.array([span.end for span in spans], dtype=np.int64)[:, None]
    return (start[None, :] < spans_end) & (end[None, :] > spans_start)


def _nested(cover: Flags) -> Flags:
    """Which two different spans lie one within the other, by their tokens, shape (spans, spans)."""
    if not len(cover):
        return np.zeros((0, 0), dtype=bool)
    first = cover.argmax(axis=1)
    last = cover.shape[1] - 1 - cover[:, ::-1].argmax(axis=1)
    contains = (first[:, None] <= first[None, :]) & (last[None, :] <= last[:, None])
    return (contains | contains.T) & ~np.eye(len(cover), dtype=bool)
