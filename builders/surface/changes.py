"""Changes to a text: which characters go, what comes in their place; everything else stays byte for byte."""

from collections.abc import Iterable
from dataclasses import dataclass


class RefusedError(Exception):
    """An edit that cannot be put into words well; the message is the reason, in a few words."""


@dataclass(frozen=True, order=True)
class Change:
    """Characters ``start`` to ``end`` of a text become `new`."""

    start: int
    end: int
    new: str


def apply(text: str, changes: Iterable[Change]) -> str:
    """The text with all changes made.

    Raises:
        RefusedError: two changes overlap.
    """
    made, place = [], 0
    for change in sorted(changes):
        if change.start < place:
            raise RefusedError("changes overlap")
        made += [text[place : change.start], change.new]
        place = change.end
    return "".join([*made, text[place:]])


def cased_like(word: str, old: str) -> str:
    """`word` in the case of the word it replaces: ``BIG`` → ``SMALL``, ``Big`` → ``Small``, ``big`` → ``small``."""
    if len(old) > 1 and old.isupper():
        return word.upper()
    return capitalised(word) if old[:1].isupper() else word


def capitalised(text: str) -> str:
    """The text with its first letter in upper case."""
    return text[:1].upper() + text[1:]


def decapitalised(text: str) -> str:
    """The text with its first letter in lower case."""
    return text[:1].lower() + text[1:]
