"""Word forms: lemminflect where it knows, a short list where it does not, and the articles ``a`` and ``an``."""

import re
from functools import lru_cache
from typing import Any

from alee_mteb.errors import MissingExtraError

#: Forms that lemminflect has in an unusual order, or not at all.
_FORMS = {
    ("person", "NNS"): "people",
    ("fish", "NNS"): "fish",
    ("be", "VBN"): "been",
    ("get", "VBN"): "gotten",
    ("forget", "VBN"): "forgotten",
    ("good", "JJR"): "better",
    ("good", "JJS"): "best",
    ("bad", "JJR"): "worse",
    ("bad", "JJS"): "worst",
    ("far", "JJR"): "farther",
    ("far", "JJS"): "farthest",
    ("little", "JJR"): "less",
    ("little", "JJS"): "least",
    ("well", "RBR"): "better",
    ("well", "RBS"): "best",
    ("badly", "RBR"): "worse",
    ("badly", "RBS"): "worst",
    ("late", "JJS"): "latest",
    ("hang", "VBD"): "hung",
    ("hang", "VBN"): "hung",
    ("hit", "VBD"): "hit",
    ("quit", "VBD"): "quit",
    ("prove", "VBN"): "proven",
}
_IRREGULAR_DEGREES = {
    "better": "good",
    "best": "good",
    "worse": "bad",
    "worst": "bad",
    "farther": "far",
    "further": "far",
    "farthest": "far",
}
_AN = re.compile(r"(?:hono|honest|hour|heir|[aefhilmnorsx]\b|8|11\b|18\b)", re.IGNORECASE)
_A = re.compile(
    r"(?:one\b|once\b|one-|on-?e-way|eu|ewe|uni(?:on|q|t|v|f|c|s)|use|usu|uti|ubiq|uk\b|us\b|ufo|ura|uro|u\b|u-|ukr|unanim)",
    re.IGNORECASE,
)
_INITIALS = re.compile(r"[AEFHILMNORSX][A-Z0-9]+\b|[AEFHILMNORSX]\b")
_OTHER_INITIALS = re.compile(r"[BCDGJKPQTUVWYZ][A-Z0-9]*\b")


class Inflector:
    """English word forms.

    Raises:
        MissingExtraError: lemminflect is not installed.
    """

    def __init__(self) -> None:
        try:
            import lemminflect
        except ImportError as error:
            raise MissingExtraError("lemminflect", "builders", "the surface engine") from error
        self._library: Any = lemminflect
        self.inflect = lru_cache(maxsize=1 << 14)(self._inflect)
        self.base = lru_cache(maxsize=1 << 14)(self._base)

    def is_word(self, word: str) -> bool:
        """Whether lemminflect knows a word in lower case."""
        return bool(self._library.getAllLemmas(word))

    def _inflect(self, lemma: str, tag: str) -> str | None:
        """The form of a lemma for a Penn tag (``NNS``, ``VBD``, ``JJR``, …); ``None`` if there is none.

        Of words of several parts the last is inflected. Comparatives without a form of their own get ``more`` and
        ``most``.
        """
        head, _, last = lemma.rpartition(" ")
        if head:
            form = self._inflect(last, tag)
            return f"{head} {form}" if form else None
        if lemma in ("more", "less", "most", "least"):
            return lemma
        if tag in ("NN", "VB", "VBP", "JJ", "RB", "IN"):
            return lemma
        if (lemma, tag) in _FORMS:
            return _FORMS[lemma, tag]
        if tag in ("JJR", "JJS", "RBR", "RBS"):
            return self._degree(lemma, tag)
        found = self._library.getInflection(lemma, tag=tag)
        return str(found[0]) if found else None

    def forms(self, lemma: str, tag: str) -> set[str]:
        """All forms a known lemma may have for a tag; empty for words that lemminflect does not know."""
        found = {str(form) for form in self._library.getInflection(lemma, tag=tag, inflect_oov=False)}
        return found | {form for form in [_FORMS.get((lemma, tag))] if form}

    def _base(self, word: str, lemma: str, tag: str) -> str | None:
        """The base form of a verb form: `lemma` if it has this form, else a lemma that has; ``None`` if none has."""
        word, lemma = word.lower(), lemma.lower()
        others = [str(found) for found in self._library.getLemma(word, upos="VERB", lemmatize_oov=False)]
        for candidate in [lemma, *others]:
            plain = tag in ("VB", "VBP") and word == candidate
            if word in self.forms(candidate, tag) or (plain and self.forms(candidate, "VBZ")):
                return candidate
        return self._unknown_base(word) if word.endswith("ed") and tag in ("VBD", "VBN") else None

    def _unknown_base(self, word: str) -> str | None:
        """The base, by rule, of a regular past form of a verb that is in no dictionary (*facepalmed*)."""
        if self._library.getAllLemmas(word):
            return None
        found = self._library.getAllLemmasOOV(word, upos="VERB").get("VERB", ())
        return str(found[0]) if found and found[0] != word else None

    def _degree(self, lemma: str, tag: str) -> str:
        ending, more = ("er", "more") if tag[-1] == "R" else ("est", "most")
        if tag[:2] == "RB" and lemma.endswith("ly") and lemma not in ("early", "likely"):
            return f"{more} {lemma}"
        if not is_short(lemma):
            return f"{more} {lemma}"
        known = self._library.getInflection(lemma, tag=tag)
        if known:
            return str(known[0])
        if lemma.endswith("e"):
            return lemma + ending[1:]
        if lemma.endswith("y") and lemma[-2:-1] not in "aeiou":
            return lemma[:-1] + "i" + ending
        if re.fullmatch(r"[^aeiou]*[aeiou][bdgmnpt]", lemma):
            return lemma + lemma[-1] + ending
        return lemma + ending


def is_short(adjective: str) -> bool:
    """Whether an adjective is compared with ``-er``: one syllable, or two that end in y, le, ow."""
    groups = re.findall(r"[aeiouy]+", re.sub(r"(?<=[^aeiouyl])e$", "", adjective))
    return len(groups) <= 1 or adjective == "quiet" or (len(groups) == 2 and adjective.endswith(("y", "le", "ow")))


def degree_lemma(word: str, lemma: str) -> str:
    """The positive of a compared form: ``better`` → ``good``."""
    return _IRREGULAR_DEGREES.get(word.lower(), lemma)


def takes_an(word: str) -> bool:
    """Whether ``an`` stands before a word: by sound as far as spelling tells."""
    if _INITIALS.match(word) and word.isupper():
        return True
    if _OTHER_INITIALS.fullmatch(word):
        return False
    if _A.match(word):
        return False
    return word[:1].lower() in "aeiou" or _AN.match(word) is not None


def article_for(article: str, word: str) -> str:
    """``a`` or ``an`` for the word that follows, in the case of the article it replaces."""
    fitting = "an" if takes_an(word) else "a"
    return fitting.upper() if len(article) > 1 and article.isupper() else article[:1] + fitting[1:]
