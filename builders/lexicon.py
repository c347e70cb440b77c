"""WordNet as a lexicon of antonyms and hypernyms.

Lemmas are lower case, words of several parts have spaces (``sit down``); parts of speech are ``n v a r``. Answers are
cached for the lifetime of the lexicon.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from alee_mteb.errors import DataError
from builders import wordnet_data
from builders.stages import Lexicon


@runtime_checkable
class CountingLexicon(Lexicon, Protocol):
    """A lexicon that also knows how many senses a word has and how often it is used."""

    def sense_count(self, lemma: str, pos: str) -> int:
        """Number of senses of a lemma as this part of speech; 0 if it has none."""
        ...

    def frequency(self, lemma: str, pos: str) -> int:
        """Uses of a lemma as this part of speech in the lexicon's tagged texts; 0 if none or unknown."""
        ...


class WordNetLexicon:
    """WordNet through NLTK, from a data folder of NLTK's layout.

    Answers come in the order of the asking lemma's senses, most frequent first; within a sense, by how often the answer
    is used in that sense, then alphabetically. Of synonyms only the most used is given. Proper names (capitalised
    lemmas, mostly taxonomic: *Canis familiaris*) are left out. A lemma is looked up as it is, without undoing
    inflection: AMR concepts are lemmas.

    Args:
        folder: the ``nltk_data`` folder; by default the first of the user's data folder of this package, ``NLTK_DATA``
            and NLTK's own search path that has WordNet.

    Raises:
        MissingExtraError: NLTK is not installed.
        DataError: WordNet is not there, or NLTK cannot read it.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._reader = wordnet_data.open_reader(folder)
        self.name = f"wordnet-{self._reader.get_version()}"
        self._senses: dict[tuple[str, str], list[Any]] = {}
        self._answers: dict[tuple[str, str, str], list[str]] = {}
        self._frequencies: dict[tuple[str, str], int] = {}

    def antonyms(self, lemma: str, pos: str) -> list[str]:
        """Direct antonyms of a lemma, over all its senses."""
        return self._answer("antonyms", lemma, pos, lambda sense: [[word] for word in sense.antonyms()])

    def hypernyms(self, lemma: str, pos: str) -> list[str]:
        """The most used word of each direct hypernym of a lemma, over all its senses (instances have none)."""
        return self._answer(
            "hypernyms", lemma, pos, lambda sense: [synset.lemmas() for synset in sense.synset().hypernyms()]
        )

    def sense_count(self, lemma: str, pos: str) -> int:
        """Number of WordNet senses."""
        return len(self._senses_of(lemma, pos))

    def frequency(self, lemma: str, pos: str) -> int:
        """Uses in WordNet's sense-tagged texts."""
        key = (lemma, pos)
        if key not in self._frequencies:
            self._frequencies[key] = sum(sense.count() for sense in self._senses_of(lemma, pos))
        return self._frequencies[key]

    def _answer(self, relation: str, lemma: str, pos: str, related: Callable[[Any], list[list[Any]]]) -> list[str]:
        """One word per list of synonyms; within a sense by frequency, then alphabetically."""
        key = (relation, lemma, pos)
        if key not in self._answers:
            found: dict[str, None] = {}
            for sense in self._senses_of(lemma, pos):
                words = (_most_used(synonyms, sense.name()) for synonyms in related(sense))
                ranked = sorted((-word.count(), _spaced(word.name())) for word in words if word is not None)
                found.update(dict.fromkeys(name for _, name in ranked))
            self._answers[key] = list(found)
        return list(self._answers[key])

    def _senses_of(self, lemma: str, pos: str) -> list[Any]:
        """NLTK's lemma objects of a lemma, one per sense, most frequent sense first."""
        key = (lemma, pos)
        if key not in self._senses:
            name = lemma.lower().replace(" ", "_")
            try:
                synsets = self._reader.synsets(name, pos)
            except (OSError, ValueError) as error:
                raise DataError(f"WordNet cannot be read ({error}): run `alee data wordnet` again") from error
            self._senses[key] = [word for synset in synsets for word in synset.lemmas() if word.name().lower() == name]
        return self._senses[key]


def _most_used(synonyms: list[Any], asked: str) -> Any | None:
    """The synonym most used in this sense, of equals the one WordNet lists first; no names, not the word asked."""
    common = [word for word in synonyms if word.name().islower() and word.name() != asked.lower()]
    return max(common, key=lambda word: word.count(), default=None)


def _spaced(name: str) -> str:
    return name.replace("_", " ")
