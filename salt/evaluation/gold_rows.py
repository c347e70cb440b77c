"""Gold word links as one record, checked: none outside its sentences, none counted from the wrong number."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from alee_mteb.errors import DataError

Link = tuple[int, int]
_LINK = re.compile(r"(\d+)([-p])(\d+)")
#: WPT's files number words from 1; so does awesome-align.
FIRST = {"xl-wa": 0, "simalign": 0, "naacl": 1, "awesome-align": 1, "kftt": 0}

#: In so many sentence pairs some first word has a link; where none has, links are counted from 1.
MANY_PAIRS = 50


@dataclass(frozen=True)
class GoldPair:
    """A sentence pair with gold links, counted from 0.

    Attributes:
        source, target: texts, words separated by single spaces.
        sure: links every annotator would draw.
        possible: sure links and those that may or may not be drawn.
    """

    source: str
    target: str
    sure: frozenset[Link]
    possible: frozenset[Link]


@dataclass(frozen=True)
class GoldSet:
    """The pairs of one language pair; languages as codes."""

    name: str
    source_language: str
    target_language: str
    pairs: tuple[GoldPair, ...]

    @property
    def language(self) -> str:
        """The code of the language pair."""
        return f"{self.source_language}-{self.target_language}"


@dataclass(frozen=True)
class Row:
    """A pair as it stands in a file: where, words, and links as counted there."""

    where: str
    source: list[str]
    target: list[str]
    sure: frozenset[Link]
    possible: frozenset[Link]


def make_gold_set(kind: str, source_language: str, target_language: str, rows: Sequence[Row], path: Path) -> GoldSet:
    """Rows of a file of the format `kind` as a set, links counted from 0.

    Raises:
        DataError: no rows or links, links out of range, or counted from another number than the format does.
    """
    first = FIRST[kind]
    _check_base(rows, first, path)
    pairs = tuple(
        GoldPair(" ".join(row.source), " ".join(row.target), _shift(row.sure, first), _shift(row.possible, first))
        for row in rows
    )
    return GoldSet(kind, source_language, target_language, pairs)


def _check_base(rows: Sequence[Row], first: int, path: Path) -> None:
    """Links must lie within their sentences; a file counted from the other end is named as such."""
    if not rows:
        raise DataError(f"{path}: empty; expected sentence pairs with gold links")
    links = [(row, link) for row in rows for link in sorted(row.possible)]
    if not links:
        raise DataError(f"{path}: no gold link at all; expected pairs such as 0-0")
    lowest = min(min(link) for _, link in links)
    outside = [(row, link) for row, link in links if not _within(row, link, first)]
    if not outside and (first or lowest == 0 or len(rows) < MANY_PAIRS):
        return
    if not outside:
        raise DataError(
            f"{path}: no link to a first word in {len(rows)} sentence pairs: links seem to be counted from 1, this "
            "format counts from 0; subtract 1"
        )
    other = 1 - first
    if (other == 1 or lowest == 0) and lowest >= other and all(_within(row, link, other) for row, link in links):
        row, link = outside[0]
        raise DataError(
            f"{path}: links are counted from {other}, this format counts from {first} "
            f"({row.where}: {link[0]}-{link[1]} of {len(row.source)} and {len(row.target)} words); "
            f"{'subtract' if other else 'add'} 1"
        )
    row, link = outside[0]
    raise DataError(
        f"{row.where}: link {link[0]}-{link[1]} is out of range for {len(row.source)} and {len(row.target)} words "
        f"counted from {first}"
    )


def _within(row: Row, link: Link, first: int) -> bool:
    return first <= link[0] < len(row.source) + first and first <= link[1] < len(row.target) + first


def _shift(links: frozenset[Link], first: int) -> frozenset[Link]:
    return frozenset((source - first, target - first) for source, target in links)


def parse_row(where: str, source: str, target: str, links: str) -> Row:
    """A pair from its texts and its links, ``3-4`` for sure ones and ``3p4`` for possible ones.

    Raises:
        DataError: an empty sentence, or something that is not a link.
    """
    sure, possible = set(), set()
    for field in links.split():
        match = _LINK.fullmatch(field)
        if match is None:
            raise DataError(f"{where}: {field!r} is not a link such as 3-4 (sure) or 3p4 (possible)")
        link = int(match[1]), int(match[3])
        possible.add(link)
        if match[2] == "-":
            sure.add(link)
    if not source.split() or not target.split():
        raise DataError(f"{where}: empty {'target' if source.split() else 'source'} sentence")
    return Row(where, source.split(), target.split(), frozenset(sure), frozenset(possible))
