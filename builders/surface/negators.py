"""Where a clause is denied: every way English has, found once for the parser and for the realiser."""

from dataclasses import dataclass
from enum import Enum

from builders.surface import words
from builders.surface.syntax import SUBJECTS, child, children
from builders.surface.tokens import Token


class How(Enum):
    """How a clause is denied."""

    NOT = "not"
    NEVER = "never"
    #: *nobody came*, *knew nothing*
    PRONOUN = "pronoun"
    #: *no student came*, *has no brothers*
    DETERMINER = "determiner"
    #: *not everyone came*, *not all the students came*
    QUANTIFIER = "quantifier"


@dataclass(frozen=True)
class Negator:
    """A word that denies a clause."""

    how: How
    token: Token


_ARGUMENTS = (*SUBJECTS, "dobj", "attr")


def negators(verb: Token) -> list[Negator]:
    """The words that deny the clause of `verb`, left to right."""
    found = [Negator(_kind(token), token) for token in verb.children if _denies(token)]
    for argument in children(verb, *_ARGUMENTS):
        found += _in_argument(argument)
    return sorted(found, key=lambda negator: negator.token.i)


def _kind(token: Token) -> How:
    return How.NEVER if token.lower_ == "never" else How.NOT


def _denies(token: Token) -> bool:
    if token.lower_ not in ("not", "n't", "never"):
        return False
    if token.dep_ not in ("neg", "advmod") or list(token.children):
        return False
    following = token.doc[token.i + 1] if token.i + 1 < len(token.doc) else None
    return token.lower_ == "n't" or following is None or following.lower_ not in words.NOT_FOCUS


def _in_argument(argument: Token) -> list[Negator]:
    if argument.lower_ in words.NO_TO_SOME or (argument.lower_ == "one" and _is_no(child(argument, "det"))):
        return [Negator(How.PRONOUN, argument)]
    determiner = child(argument, "det")
    if _is_no(determiner):
        return [Negator(How.DETERMINER, determiner)]
    if argument.dep_ in SUBJECTS:
        return [Negator(How.QUANTIFIER, token) for token in _quantified(argument)]
    return []


def _is_no(token: Token | None) -> bool:
    return token is not None and token.lower_ == "no"


def _quantified(argument: Token) -> list[Token]:
    """A ``not`` at the very beginning of a universal subject."""
    first = argument.left_edge
    if first.lower_ != "not" or first.i + 1 >= len(first.doc):
        return []
    following = first.doc[first.i + 1].lower_
    return [first] if following in words.UNIVERSAL_PRONOUNS | words.UNIVERSAL_DETERMINERS else []
