"""Hypernym substitution in words.

This morning the puppy barked.  ──▶   This morning the dog barked.
She plays a violin.             ──▶   She plays an instrument.
"""

from collections.abc import Callable, Iterable

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
#: Hypernyms that take a noun before them as freely as their hyponyms do (*court verdict*, *court decision*); others
#: make another compound (*kitchen floor*, *kitchen surface*).
_FREE_HEADS = word_set(
    """agreement aircraft attack building ceremony change company competition conflict crime decision discussion doctor
    establishment event facility film group improvement increase injury journalist law loan meal meeting message
    officer official operation organization plan player problem representative rule scientist ship song
    storm test treatment vehicle vessel weapon worker"""
)
_PLURAL_ONLY = word_set("these those few many several both")
_INVARIABLE = word_set("aircraft spacecraft")


def replace_by_hypernym(
    reading: Reading,
    token: Token,
    old: str,
    new: str,
    inflector: Inflector,
    mass: bool | None = None,
    above: Callable[[str, str], Iterable[str]] | None = None,
) -> list[Change]:
    """The changes that put the hypernym `new` in the place of a noun.

    Args:
        old, new: concepts.
        mass: whether the lexicon says that both are mass nouns; ``None``: it does not say.
        above: gives the hypernyms of a lemma and part of speech; with it, a noun is refused beside another that the
            new word would cover as well (*wine and beer*: *alcohol and beer*).

    Raises:
        RefusedError: the word cannot be replaced well.
    """
    if token.pos_ != "NOUN" or token.tag_ not in ("NN", "NNS"):
        raise RefusedError("only nouns have usable hypernyms")
    lemma, word = new_word(old), new_word(new).replace("-", " ")
    if _is_modifier(token) or _is_lexical_compound(token) or not _takes_modifiers(token, word):
        raise RefusedError("a noun in a compound")
    check_word(reading, token, lemma, word)
    _check_reading(token)
    if any(child.lower_ == "other" for member in _coordinated(token) for child in member.children):
        raise RefusedError("one of those that follow (*gulls and other birds*)")
    if above is not None and any(_is_below(other, word, above) for other in _coordinated(token)):
        raise RefusedError(f"{word} covers what is coordinated with it")
    _check_countability(token, word, mass)
    tag = "NN" if word in _INVARIABLE else token.tag_
    change = inflected(reading, token, word, tag, inflector)
    return [*article_before(reading, token, change.new), change]


def _is_modifier(token: Token) -> bool:
    """Whether a noun, or what it is coordinated with, stands before a noun (*gold and red stripes*)."""
    first, members = syntax.conjunction_head(token), syntax.members(token)
    if any(member.dep_ in ("compound", "nmod", "amod", "npadvmod") for member in (token, first)):
        return True
    if any(member.pos_ == "ADJ" for member in (first, *members)):
        return True
    return any(_may_share(member, other) for place, member in enumerate(members) for other in members[place + 1 :])


def _may_share(token: Token, other: Token) -> bool:
    """Whether a noun may belong to the head of what follows (*a visa or passport photo*, *city and rural roads*)."""
    if token.tag_ != "NN" or syntax.children(other, "det", "poss"):
        return False
    if other.tag_ == "NN":
        return bool(syntax.children(other, "compound"))
    bare = not syntax.children(token, "det", "poss") and not syntax.children(other, "nummod")
    return bare and bool(syntax.children(other, "amod"))


def _check_reading(token: Token) -> None:
    """Refuse what the parser took for a noun, or for a singular, and what may be a name.

    Raises:
        RefusedError: it is one of these.
    """
    if syntax.children(token, "nsubj", "nsubjpass"):
        raise RefusedError("a noun with a subject")
    if token.tag_ == "NN" and any(child.lower_ in _PLURAL_ONLY for child in token.children):
        raise RefusedError("a singular after a word for several")
    if token.dep_ == "appos" and token.tag_ == "NN" and not syntax.children(token, *_DETERMINERS):
        raise RefusedError("a bare noun that says what another one is")
    if _may_name(token):
        raise RefusedError("it may begin a name")


def _may_name(token: Token) -> bool:
    """Whether a plural that begins a sentence may be the name of a body (*Farmers of Kent wrote a letter*)."""
    if not token.is_sent_start or token.tag_ != "NNS":
        return False
    return any(
        preposition.lower_ in ("of", "for") and any(part.pos_ == "PROPN" for part in preposition.children)
        for preposition in syntax.children(token, "prep")
    )


def _takes_modifiers(token: Token, word: str) -> bool:
    """Whether the new word can stand behind the nouns that stand before the old one."""
    if not syntax.children(token, "compound", "nmod"):
        return True
    return word.split()[-1] in _FREE_HEADS


def _coordinated(token: Token) -> list[Token]:
    """The other members of the coordination that a noun belongs to."""
    return [member for member in syntax.members(syntax.conjunction_head(token)) if member != token]


def _is_below(token: Token, word: str, above: Callable[[str, str], Iterable[str]]) -> bool:
    """Whether a noun is the new word's hyponym, over one step or several."""
    lemma, seen = token.lemma_.lower(), set[str]()
    while token.pos_ == "NOUN" and lemma not in seen:
        seen.add(lemma)
        found = next(iter(above(lemma, "n")), None)
        if found is None:
            return False
        if found == word:
            return True
        lemma = found
    return False


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
