"""WordNet with care: only the words that are safe without knowing which sense is meant.

WordNet gives an antonym or hypernym for nearly every word, most often of a sense that the text does not mean. Here a
word is given only if the sense it belongs to is the one the word nearly always has, and if the answer, too, is in its
own first sense.
"""

from pathlib import Path
from typing import Any

from builders import wordnet_data

#: Share of a lemma's uses that a sense must have for its antonym to be taken.
_SHARE = 0.5
#: The same for hypernyms, where a wrong sense is harder to see.
_SHARE_HYPERNYM = 0.7
#: Hypernyms nearer to the top of the hierarchy (entity = 0) say too little.
_MIN_DEPTH = 6


class CarefulWordNet:
    """Antonyms and hypernyms of WordNet that may stand in the place of a word in any text.

    Args:
        folder: as for `builders.lexicon.WordNetLexicon`.

    Raises:
        MissingExtraError: NLTK is not installed.
        DataError: WordNet is not there, or NLTK cannot read it.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._reader = wordnet_data.open_reader(folder)
        self.name = f"careful wordnet-{self._reader.get_version()}"
        self._answers: dict[tuple[str, str, str], list[str]] = {}

    def antonyms(self, lemma: str, pos: str) -> list[str]:
        """Direct antonyms of a usual sense, single words that are in a usual sense of their own."""
        key = ("antonyms", lemma, pos)
        if key not in self._answers:
            found: dict[str, None] = {}
            for sense in self._usual(lemma, pos, _SHARE):
                for antonym in sense.antonyms():
                    word = antonym.name()
                    if _is_plain(word) and antonym.synset() in {s.synset() for s in self._usual(word, pos, _SHARE)}:
                        found[word] = None
            self._answers[key] = list(found)
        return list(self._answers[key])

    def hypernyms(self, lemma: str, pos: str) -> list[str]:
        """The direct hypernym of a noun's usual sense, if it is a single word in its own first sense."""
        key = ("hypernyms", lemma, pos)
        if key not in self._answers:
            self._answers[key] = self._hypernyms(lemma) if pos == "n" else []
        return list(self._answers[key])

    def _hypernyms(self, lemma: str) -> list[str]:
        senses = self._usual(lemma, "n", _SHARE_HYPERNYM)
        if not senses:
            return []
        for synset in senses[0].synset().hypernyms():
            if synset.min_depth() < _MIN_DEPTH:
                continue
            for word in sorted(synset.lemmas(), key=lambda word: -word.count()):
                name = word.name()
                first = self._senses(name, "n")[:1]
                if _is_plain(name) and name not in lemma and first and first[0].synset() == synset:
                    return [name]
        return []

    def _usual(self, lemma: str, pos: str, share: float) -> list[Any]:
        """The senses that have at least `share` of the uses of a lemma; the only sense of a word with one."""
        senses = self._senses(lemma, pos)
        total = sum(sense.count() for sense in senses)
        if len(senses) == 1:
            return senses
        return [sense for sense in senses if total >= 4 and sense.count() >= share * total]

    def _senses(self, lemma: str, pos: str) -> list[Any]:
        name = lemma.lower().replace(" ", "_")
        words = (word for synset in self._reader.synsets(name, pos) for word in synset.lemmas())
        return [word for word in words if word.name().lower() == name]


def _is_plain(word: str) -> bool:
    return word.isalpha() and word.islower()
