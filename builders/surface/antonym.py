"""Antonym replacement in words.

An early train left.           ──▶   A late train left.
The cheaper hotel was closed.  ──▶   The more expensive hotel was closed.
He won the race.               ──▶   He lost the race.
"""

from builders.surface import syntax
from builders.surface.changes import Change, RefusedError, cased_like
from builders.surface.inflection import Inflector
from builders.surface.lexical import article_before, check_word, inflected, new_word
from builders.surface.opposites import check_opposite
from builders.surface.reading import Reading
from builders.surface.tokens import Token

#: Degrees that a word has and its opposite has not: *how old*, *less cheap*.
_DEGREES_OF_ONE = frozenset({"how", "however", "less", "least", "that", "half", "enough", "about"})
#: Words that are comparatives by themselves.
_COMPARED = frozenset({"earlier", "later", "more", "less"})
_TAGS = {"NOUN": ("NN", "NNS"), "VERB": ("VB", "VBD", "VBG", "VBN", "VBP", "VBZ"), "ADJ": ("JJ", "JJR", "JJS")}


def replace_by_antonym(reading: Reading, token: Token, old: str, new: str, inflector: Inflector) -> list[Change]:
    """The changes that put the antonym `new` in the place of a token.

    Args:
        old, new: concepts.

    Raises:
        RefusedError: the word cannot be replaced well.
    """
    lemma, word = new_word(old), new_word(new)
    if " " in word or ("-" in word and "-" not in lemma):
        raise RefusedError("a word of several parts")
    check_word(reading, token, lemma, word)
    check_opposite(reading, token, lemma, word)
    if token.pos_ in ("ADJ", "ADV"):
        return _degree(reading, token, word, inflector)
    if token.pos_ in ("ADP", "SCONJ"):
        return [inflected(reading, token, word, "IN", inflector)]
    if token.pos_ == "NOUN":
        return _noun(reading, token, word, inflector)
    if token.pos_ in ("VERB", "AUX"):
        return _verb(reading, token, word, inflector)
    raise RefusedError("a word of another kind")


def _noun(reading: Reading, token: Token, word: str, inflector: Inflector) -> list[Change]:
    if token.dep_ in ("compound", "nmod") or syntax.children(token, "compound", "nmod"):
        raise RefusedError("a noun in a compound")
    change = inflected(reading, token, word, token.tag_, inflector)
    return [*article_before(reading, token, change.new), change]


def _verb(reading: Reading, token: Token, word: str, inflector: Inflector) -> list[Change]:
    if syntax.children(token, "prt") or token.dep_ in ("aux", "auxpass"):
        raise RefusedError("a particle verb or an auxiliary")
    if token.tag_ not in _TAGS["VERB"]:
        raise RefusedError("a word of another kind")
    change = inflected(reading, token, word, token.tag_, inflector)
    return [*article_before(reading, token, change.new), change]


def _degree(reading: Reading, token: Token, word: str, inflector: Inflector) -> list[Change]:
    """An adjective or adverb in its degree: *cheaper* ↔ *more expensive*."""
    before = token.doc[token.i - 1] if token.i else None
    lower = before.lower_ if before is not None else ""
    if any(child.dep_ in ("npadvmod", "nummod") for child in token.children):
        raise RefusedError("a measure before the adjective")
    if any(child.lower_ in _DEGREES_OF_ONE for child in token.children):
        raise RefusedError("a degree that does not hold for the opposite")
    if lower in ("less", "least", "how"):
        raise RefusedError("a degree that does not hold for the opposite")
    if before is not None and lower in ("more", "most") and before.head == token:
        return _analytic(reading, token, before, word, inflector)
    tag = "RB" if word in _COMPARED else token.tag_
    change = inflected(reading, token, word, tag, inflector)
    return [*article_before(reading, token, change.new), change]


def _analytic(reading: Reading, token: Token, more: Token, word: str, inflector: Inflector) -> list[Change]:
    """*more expensive* → *cheaper*, *most expensive* → *cheapest*, *more difficult* → *more easy* never."""
    if more.lower_ == "most" and not any(part.dep_ in ("det", "poss") for part in token.head.children):
        raise RefusedError("most may be a number here")
    tag = ("RB" if token.pos_ == "ADV" else "JJ") + ("R" if more.lower_ == "more" else "S")
    form = inflector.inflect(word, tag)
    if form is None:
        raise RefusedError(f"no form {tag} of {word!r}")
    form = cased_like(form, reading.word(more))
    return [
        *article_before(reading, more, form),
        Change(reading.start(more), reading.end(token), form),
    ]
