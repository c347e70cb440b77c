"""The bundled lexicon: antonyms and hypernyms that are safe without knowing a word's sense.

Two tables written by hand, ``lexicons/antonyms.tsv`` and ``lexicons/hypernyms.tsv``; ``lexicons/README.md`` tells how
and by which criteria. Few words, high precision: a word whose other senses would spoil the replacement is not in them.
What is left of such senses are set phrases (*high school*, *as possible*), which the tables name and
`CuratedLexicon.fixed_phrases` gives.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from alee_mteb.errors import DataError

#: (lemma, part of speech)
Word = tuple[str, str]

ANTONYM_COLUMNS = ("lemma", "antonym", "pos", "direction", "not_in")
HYPERNYM_COLUMNS = ("lemma", "hypernym", "pos", "mass", "not_in")


@dataclass(frozen=True)
class Entry:
    """One replacement.

    Attributes:
        word: what to put in the place of the lemma, itself a lemma of the same part of speech.
        phrases: set phrases in which the lemma is to be left alone.
        mass: whether both are mass nouns (no plural, no indefinite article); ``None`` where it is not recorded.
    """

    word: str
    phrases: tuple[str, ...] = ()
    mass: bool | None = None


class CuratedLexicon:
    """The curated tables as a lexicon (`builders.stages.Lexicon`). A word has one antonym and one hypernym at most.

    Raises:
        DataError: a table of the installation is damaged.
    """

    name = "curated"

    def __init__(self) -> None:
        self._antonyms = antonym_table()
        self._hypernyms = hypernym_table()

    def antonyms(self, lemma: str, pos: str) -> list[str]:
        """The antonym of a lemma; empty if there is none."""
        return _words(self._antonyms, lemma, pos)

    def hypernyms(self, lemma: str, pos: str) -> list[str]:
        """The hypernym of a noun; empty if there is none, and for other parts of speech."""
        return _words(self._hypernyms, lemma, pos)

    def fixed_phrases(self, lemma: str, pos: str) -> tuple[str, ...]:
        """Phrases in which the lemma should not be replaced, by antonym or hypernym.

        Words next to one another, each to be compared with a token's lemma or its lower-cased form.
        """
        entries = (table.get((lemma, pos)) for table in (self._antonyms, self._hypernyms))
        return tuple(dict.fromkeys(phrase for entry in entries if entry for phrase in entry.phrases))

    def is_mass(self, lemma: str) -> bool | None:
        """Whether a noun of the hypernym table is there as a mass noun, and so not in the plural; ``None``: unknown."""
        entry = self._hypernyms.get((lemma, "n"))
        return None if entry is None else entry.mass


@cache
def antonym_table() -> Mapping[Word, Entry]:
    """Lemma and part of speech → antonym; a pair that holds in both directions is there twice."""
    table: dict[Word, Entry] = {}
    for lemma, antonym, pos, direction, not_in in _rows("antonyms.tsv", ANTONYM_COLUMNS):
        table[lemma, pos] = Entry(antonym, _phrases(not_in, lemma))
        if direction == "both":
            table[antonym, pos] = Entry(lemma, _phrases(not_in, antonym))
    return table


@cache
def hypernym_table() -> Mapping[Word, Entry]:
    """Lemma and part of speech → hypernym."""
    return {
        (lemma, pos): Entry(hypernym, _phrases(not_in, lemma), mass == "yes")
        for lemma, hypernym, pos, mass, not_in in _rows("hypernyms.tsv", HYPERNYM_COLUMNS)
    }


def _rows(name: str, columns: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The fields of each line, the heading checked and left out."""
    try:
        text = (files("builders") / "lexicons" / name).read_text(encoding="utf-8")
    except OSError as error:
        raise DataError(f"builders/lexicons/{name} cannot be read ({error}): install alee-mteb again") from error
    for number, line in enumerate(text.splitlines(), start=1):
        fields = tuple(line.split("\t"))
        if len(fields) != len(columns) or (number == 1) != (fields == columns):
            raise DataError(f"builders/lexicons/{name}, line {number}: expected the columns {', '.join(columns)}")
        if number > 1:
            yield fields


def _phrases(not_in: str, lemma: str) -> tuple[str, ...]:
    """Those phrases of a line that have the lemma in them."""
    return tuple(phrase for phrase in not_in.split("; ") if lemma in phrase.split())


def _words(table: Mapping[Word, Entry], lemma: str, pos: str) -> list[str]:
    entry = table.get((lemma, pos))
    return [] if entry is None else [entry.word]
