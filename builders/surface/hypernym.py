"""Hypernym substitution in words.

This morning the puppy barked.  ──▶   This morning the dog barked.
She plays a violin.             ──▶   She plays an instrument.
"""

from builders.surface import syntax, words
from builders.surface.changes import Change, RefusedError
from builders.surface.inflection import Inflector
from builders.surface.lexical import article_before, check_word, inflected, new_word
from builders.surface.reading import Reading
from builders.surface.tokens import Token
from builders.surface.wordsets import word_set

_DETERMINERS = ("det", "poss", "nummod", "predet")
_QUANTIFIERS = word_set("many much several few little more less most other own no some any such")
_COUNTING = word_set("a an each every one another either neither")


def replace_by_hypernym(
    reading: Reading, token: Token, old: str, new: str, inflector: Inflector, mass: bool | None = None
) -> list[Change]:
    """The changes that put the hypernym `new` in the place of a noun.

    Args:
        old, new: concepts.
        mass: whether the lexicon says that both are mass nouns; ``None``: it does not say.

    Raises:
        RefusedError: the word cannot be replaced well.
    """
    if token.pos_ != "NOUN" or token.tag_ not in ("NN", "NNS"):
        raise RefusedError("only nouns have usable hypernyms")
    lemma, word = new_word(old), new_word(new).replace("-", " ")
    if token.dep_ in ("compound", "nmod", "npadvmod") or _is_lexical_compound(token):
        raise RefusedError("a noun in a compound")
    check_word(reading, token, lemma, word)
    _check_countability(token, word, mass)
    change = inflected(reading, token, word, token.tag_, inflector)
    return [*article_before(reading, token, change.new), change]


def _is_lexical_compound(token: Token) -> bool:
    """Whether the noun has a name or a letter before it that makes a name of both (*Pi camera*)."""
    before = syntax.children(token, "compound", "nmod")
    return any(
        part.pos_ not in ("NOUN", "ADJ") or not part.is_alpha or len(part.text) < 3 or part.i > token.i
        for part in before
    )


def _check_countability(token: Token, word: str, mass: bool | None) -> None:
    known = mass is not None
    if mass is None:
        mass = word.split()[-1] in words.MASS
    if mass and (known or word.split()[-1] not in words.COUNTABLE_TOO):
        if token.tag_ == "NNS" or _counts(token):
            raise RefusedError(f"{word} cannot be counted")
        return
    if token.tag_ == "NN" and not mass and not _is_determined(token):
        raise RefusedError(f"{word} needs a determiner")


def _counts(token: Token) -> bool:
    return any(child.lower_ in _COUNTING or child.dep_ == "nummod" for child in token.children)


def _is_determined(token: Token) -> bool:
    head = syntax.conjunction_head(token)
    return any(
        child.dep_ in _DETERMINERS or child.lower_ in _QUANTIFIERS for noun in (token, head) for child in noun.children
    )
