"""Nearest neighbours of a word in its sentence across languages (paper, Appendix E.3, Tables 9 to 11)."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from alee_mteb.errors import DataError
from salt.evaluation.units import Words

#: Words whose cosines are computed at once.
_BLOCK = 65536


@dataclass(frozen=True)
class Neighbour:
    """A word near another.

    Attributes:
        rank: from 1.
        score: cosine.
        language, unit: key of its language and the word as written.
        sentence: number of its sentence, from 0.
    """

    rank: int
    score: float
    language: str
    unit: str
    sentence: int


@dataclass(frozen=True)
class NeighbourTable:
    """The neighbours of one word."""

    query: str
    language: str
    sentence: int
    neighbours: tuple[Neighbour, ...]

    def to_json(self) -> dict[str, Any]:
        """As a plain record."""
        return asdict(self)


def find_word(words: Words, form: str, language: str, sentence: int | None = None) -> int:
    """The row of a word, by its letters without case and punctuation around it: the first one, or that of a sentence.

    Raises:
        DataError: it does not occur.
    """
    wanted = _bare(form)
    for row, (one, at, number) in enumerate(
        zip(words.forms, words.languages.tolist(), words.sentences.tolist(), strict=True)
    ):
        if words.names[at] == language and _bare(one) == wanted and sentence in (None, number):
            return row
    place = "" if sentence is None else f" in sentence {sentence}"
    raise DataError(f"word {form!r} does not occur{place} ({language}); choose a word of the {language} text")


def neighbour_table(words: Words, row: int, k: int = 5) -> NeighbourTable:
    """The k nearest words of all languages by cosine, without those of the word's own sentence in its language."""
    query = words.states[row].astype(np.float32)
    cosines = np.empty(len(words.forms), dtype=np.float32)
    for start in range(0, len(cosines), _BLOCK):
        cosines[start : start + _BLOCK] = words.states[start : start + _BLOCK].astype(np.float32) @ query
    own = (words.languages == words.languages[row]) & (words.sentences == words.sentences[row])
    cosines[own] = -np.inf
    rows = np.argsort(-cosines, kind="stable")[: min(k, int((~own).sum()))]
    return NeighbourTable(
        words.forms[row],
        words.names[int(words.languages[row])],
        int(words.sentences[row]),
        tuple(
            Neighbour(
                rank,
                round(float(cosines[at]), 6),
                words.names[int(words.languages[at])],
                words.forms[at],
                int(words.sentences[at]),
            )
            for rank, at in enumerate(rows.tolist(), 1)
        ),
    )


def _bare(form: str) -> str:
    return form.casefold().strip("\"'.,;:!?()[]«»“”‘’…")
