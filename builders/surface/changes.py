"""Changes to a text: which characters go, what comes in their place; everything else stays byte for byte."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

#: How many words on either side tell whether a text is written in capitals there.
_AROUND = 3
#: Words of so many letters, articles and prepositions, may be small in a headline.
_SHORT = 3
#: A small letter at the beginning of a word, but for what follows an apostrophe.
_INITIAL = re.compile(r"(?<![\w'\u2019])[a-z]")


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
        new = change.new.upper() if _is_shouted_around(text, change) else change.new
        made += [text[place : change.start], new]
        place = change.end
    return "".join([*made, text[place:]])


def _is_shouted_around(text: str, change: Change) -> bool:
    """Whether the words next to a place, two at least, are all in capitals."""
    before, after = text[: change.start].split()[-_AROUND:], text[change.end :].split()[:_AROUND]
    letters = ["".join(char for char in word if char.isalpha()) for word in (*before, *after)]
    longer = [word for word in letters if len(word) > 1]
    return len(longer) > 1 and all(word.isupper() for word in longer)


def titled(text: str, change: Change) -> Change:
    """The change as a headline spells it, where all longer words of the text have capitals: *Is Not Letting*."""
    longer = [word for word in text.split() if len(word) > _SHORT and word[0].isalpha()]
    if len(longer) <= _AROUND or not all(word[0].isupper() for word in longer):
        return change
    return Change(change.start, change.end, _INITIAL.sub(lambda found: found[0].upper(), change.new))


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
