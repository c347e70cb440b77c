"""Vectors and labels for a probe: one row per token, or per pair of words in context."""

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TypeVar

import numpy as np

from alee_mteb.errors import DataError
from salt.evaluation.labelled import LabelledText
from salt.evaluation.search import normalised
from salt.evaluation.states import EncodedText, StateStore
from salt.evaluation.wic import WordInContext
from salt.pairs import Span

#: Texts whose states are held at once.
_BLOCK = 512
#: Bytes of vectors above which they live on disk.
IN_MEMORY = 1 << 30
SAME, DIFFERENT = "same", "different"

T = TypeVar("T")


@dataclass(frozen=True)
class Features:
    """Rows for a linear head.

    Attributes:
        vectors: shape (n, d), float16; in memory or a file that is gone when the process ends.
        labels: n names.
        items: which sequence each row is of, shape (n,).
        n_items: number of sequences.
    """

    vectors: np.ndarray
    labels: list[str]
    items: np.ndarray
    n_items: int

    @classmethod
    def join(cls, parts: Sequence["Features"], folder: Path | None = None) -> "Features":
        """All rows after one another; sequences are numbered on."""
        n = sum(len(part.labels) for part in parts)
        vectors = _room((n, parts[0].vectors.shape[1]), folder)
        at, first, items = 0, 0, []
        for part in parts:
            vectors[at : at + len(part.labels)] = part.vectors
            items.append(part.items + first)
            at, first = at + len(part.labels), first + part.n_items
        return cls(vectors, [label for part in parts for label in part.labels], np.concatenate(items), first)


def token_labels(offsets: Sequence[Span | None], segments: Sequence[tuple[Span, str]]) -> list[str | None]:
    """The label of each token, of the segment it shares most characters with (the first of equals); or ``None``."""
    found: list[str | None] = []
    at = 0
    for token in offsets:
        if token is None:
            found.append(None)
            continue
        # Segments and tokens both go left to right; segments that end before this token are done with.
        while at < len(segments) and segments[at][0].end <= token.start:
            at += 1
        best, label = 0, None
        for span, name in segments[at:]:
            if span.start >= token.end:
                break
            if (shared := span.overlap(token)) > best:
                best, label = shared, name
        found.append(label)
    return found


def gather_tokens(
    items: Sequence[LabelledText], store: StateStore, language: str, layer: int, folder: Path | None = None
) -> Features:
    """One row per labelled token."""
    labels: list[str] = []
    where: list[int] = []
    blocks = _Rows(store.encoder.dimension, folder)
    for number, item, (encoded,) in _encoded([(item, (item.text,)) for item in items], store, language, layer):
        found = token_labels(encoded.offsets, item.segments)
        rows = [at for at, label in enumerate(found) if label is not None]
        blocks.add(normalised(encoded.layer(layer)[rows]))
        labels += [label for label in found if label is not None]
        where += [number] * len(rows)
    return Features(blocks.finish(), labels, np.array(where, dtype=np.int64), len(items))


def gather_words(
    items: Sequence[WordInContext], store: StateStore, language: str, layer: int, folder: Path | None = None
) -> Features:
    """One row per pair: the mean states of the two target words, each of length one, side by side.

    Raises:
        DataError: a target word that no token covers.
    """
    blocks = _Rows(2 * store.encoder.dimension, folder)
    for _, item, pair in _encoded([(item, (item.first, item.second)) for item in items], store, language, layer):
        halves = []
        for encoded, span in zip(pair, (item.first_word, item.second_word), strict=True):
            if not encoded.covered(span):
                raise DataError(f"{item.where}: no token covers the target word {span.of(encoded.text)!r}")
            halves.append(normalised(encoded.pooled([span], layer)))
        blocks.add(np.concatenate(halves, axis=1))
    labels = [SAME if item.same else DIFFERENT for item in items]
    return Features(blocks.finish(), labels, np.arange(len(items)), len(items))


def _encoded(
    items: Sequence[tuple[T, tuple[str, ...]]], store: StateStore, language: str, layer: int
) -> Iterator[tuple[int, T, list[EncodedText]]]:
    for start in range(0, len(items), _BLOCK):
        block = items[start : start + _BLOCK]
        states = iter(store.get([text for _, texts in block for text in texts], language, (layer,)))
        for number, (item, texts) in enumerate(block, start):
            yield number, item, [next(states) for _ in texts]


class _Rows:
    """Rows that are collected in memory and move to a file once they are too many."""

    def __init__(self, d: int, folder: Path | None) -> None:
        self.d, self.folder, self.n = d, folder, 0
        self.blocks = [np.zeros((0, d), dtype=np.float16)]
        self.file: IO[bytes] | None = None

    def add(self, rows: np.ndarray) -> None:
        self.blocks.append(rows.astype(np.float16))
        self.n += len(rows)
        if self.n * self.d * 2 > IN_MEMORY:
            self._flush()

    def finish(self) -> np.ndarray:
        if self.file is None:
            return np.concatenate(self.blocks)
        self._flush()
        return np.memmap(self.file, dtype=np.float16, mode="r+", shape=(self.n, self.d))

    def _flush(self) -> None:
        if self.file is None:
            self.file = tempfile.TemporaryFile(dir=self.folder)  # noqa: SIM115 - gone when the array is
        for block in self.blocks:
            self.file.write(block.tobytes())
        self.file.flush()
        self.blocks = []


def _room(shape: tuple[int, int], folder: Path | None) -> np.ndarray:
    if shape[0] * shape[1] * 2 <= IN_MEMORY:
        return np.empty(shape, dtype=np.float16)
    handle = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - gone when the array is
    return np.memmap(handle, dtype=np.float16, mode="w+", shape=shape)
