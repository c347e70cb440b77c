"""CASE: aligned spans from constituents and word links (SALT paper, §3.1.1), without any model.

    constituents ──candidates──▶ word ranges ──extract (with links)──▶ pairs of word ranges ──▶ `Nesting`

A range is a half-open pair of word numbers. The side that was parsed is called the source here, whichever side of
the sentence pair it is.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from alee_mteb.errors import DataError
from salt.alignment import Links
from salt.pairs import Span

#: First word and the one after the last.
Range = tuple[int, int]


class Nesting(StrEnum):
    """Which of several spans, one within the other, are kept: all, or the outermost."""

    ALL = "all"
    MAXIMAL = "maximal"


def nesting(name: str) -> Nesting:
    """The setting of that name.

    Raises:
        DataError: there is none.
    """
    try:
        return Nesting(name)
    except ValueError:
        raise DataError(f"unknown kind of nesting {name!r}; expected {' or '.join(Nesting)}") from None


@dataclass(frozen=True)
class CaseSettings:
    """What CASE keeps.

    Attributes:
        coverage: least share of the words of both spans that have a link.
        nested: all spans, or only the outermost.
        whole: keep a span that is the whole sentence; in training it has nothing to be told apart from.
        min_words: shortest source span.
        max_words: longest source span; ``None`` for any.

    Raises:
        DataError: no length is left.
    """

    coverage: float = 0.7
    nested: Nesting = Nesting.ALL
    whole: bool = False
    min_words: int = 1
    max_words: int | None = None

    def __post_init__(self) -> None:
        if self.max_words is not None and self.max_words < self.min_words:
            raise DataError(
                f"spans of at least {self.min_words} and at most {self.max_words} words: no span is both; "
                "change --min-words or --max-words"
            )


@dataclass(frozen=True)
class WordSpanPair:
    """Two ranges of words that mean the same, and the share of their words that have a link."""

    source: Range
    target: Range
    coverage: float


def candidates(
    text: str, words: Sequence[Span], constituents: Sequence[Span], settings: CaseSettings | None = None
) -> list[Range]:
    """The constituents as ranges of words, in text order (outer before inner), each once.

    A constituent that begins or ends within a word counts with the whole word where only punctuation is added to it
    (*the dog* in *the dog,*), and not at all otherwise. One without letters or digits is no candidate.

    Args:
        text: the sentence.
        words: its words in order.
        constituents: from a `ConstituentParser`.
        settings: `whole`, `min_words` and `max_words` are heeded.
    """
    settings = settings or CaseSettings()
    starts, ends = [word.start for word in words], [word.end for word in words]
    lettered = [at for at, word in enumerate(words) if _has_letters(word.of(text))]
    found = set()
    for constituent in constituents if lettered else ():
        # The words that share a character with it: both edges rise from word to word.
        first, end = bisect_right(ends, constituent.start), bisect_left(starts, constituent.end)
        if first >= end or not _has_letters(constituent.of(text)):
            continue
        if _has_letters(text[starts[first] : constituent.start]) or _has_letters(text[constituent.end : ends[end - 1]]):
            continue
        if end - first < settings.min_words or (settings.max_words is not None and end - first > settings.max_words):
            continue
        if settings.whole or not first <= lettered[0] <= lettered[-1] < end:
            found.add((first, end))
    return sorted(found, key=_text_order)


def extract(links: Links, ranges: Sequence[Range], settings: CaseSettings | None = None) -> list[WordSpanPair]:
    """The source ranges that have a counterpart, with it, in text order, outer before inner.

    The counterpart is the tightest range that covers all words linked to the source range. Both are dropped if a
    link leads out of the pair in either direction, or if coverage = (linked source words + linked target words) /
    (source words + target words) is too low. (Equation 1 as printed has another factor ½, which would cap it at
    0.5; the paper's threshold of 0.7 shows what is meant.)

    Args:
        links: shape (n, m).
        ranges: within 0 … n.
        settings: `coverage` and `nested` are heeded.
    """
    settings = settings or CaseSettings()
    first_target, end_target, source_count = _reach(links)
    first_source, end_source, target_count = _reach(links.T)
    found = []
    for start, end in ranges:
        low, high = min(first_target[start:end]), max(end_target[start:end])
        if not high:
            continue  # no links
        # Every link from the source range ends in its cover; what is left to check is the way back.
        if min(first_source[low:high]) < start or max(end_source[low:high]) > end:
            continue
        linked = source_count[end] - source_count[start] + target_count[high] - target_count[low]
        coverage = linked / (end - start + high - low)
        if coverage >= settings.coverage:
            found.append(WordSpanPair((start, end), (low, high), coverage))
    return _disjoint(found) if settings.nested is Nesting.MAXIMAL else _nested(found)


def _reach(links: Links) -> tuple[list[int], list[int], list[int]]:
    """Per row its first linked column, the one after its last (0 without links), and the linked rows before it."""
    some = np.asarray(links.any(axis=1))
    width = links.shape[1]
    if not width:
        return [0] * len(links), [0] * len(links), [0] * (len(links) + 1)
    first = np.where(some, links.argmax(axis=1), width)
    end = np.where(some, width - links[:, ::-1].argmax(axis=1), 0)
    return first.tolist(), end.tolist(), [0, *np.cumsum(some).tolist()]


def _text_order(chosen: Range) -> Range:
    return chosen[0], -chosen[1]


def _nested(pairs: Sequence[WordSpanPair]) -> list[WordSpanPair]:
    """Without those that overlap an earlier one and neither contains the other (a noun chunk can cross a subtree)."""
    kept: list[WordSpanPair] = []
    around: list[int] = []  # ends of the kept ranges that are still open, innermost last
    for pair in sorted(pairs, key=lambda pair: _text_order(pair.source)):
        start, end = pair.source
        while around and around[-1] <= start:
            around.pop()
        if not around or end <= around[-1]:
            around.append(end)
            kept.append(pair)
    return kept


def _disjoint(pairs: Sequence[WordSpanPair]) -> list[WordSpanPair]:
    """The longest, then the longest of those that do not overlap it, and so on; in text order.

    Source ranges that do not overlap have targets that do not: the first word of a target has a link, which would
    leave the other pair.
    """
    kept: list[WordSpanPair] = []
    for pair in sorted(pairs, key=lambda pair: (pair.source[0] - pair.source[1], pair.source[0])):
        if not any(pair.source[0] < b and a < pair.source[1] for a, b in (other.source for other in kept)):
            kept.append(pair)
    return sorted(kept, key=lambda pair: pair.source)


def _has_letters(text: str) -> bool:
    return any(map(str.isalnum, text))
