"""Fixed expressions: words that mean what they mean only together (*high school*, *hot dog*, *as long as*).

The list `expressions.txt` is one expression a line, in lemmas, written by hand.
"""

from collections.abc import Iterable
from functools import lru_cache
from importlib.resources import files

from builders.surface.changes import RefusedError
from builders.surface.tokens import Token


@lru_cache(maxsize=1)
def expressions() -> frozenset[tuple[str, ...]]:
    """All fixed expressions, as tuples of lemmas."""
    text = files("builders.surface").joinpath("expressions.txt").read_text(encoding="utf-8")
    lines = (line.strip() for line in text.splitlines())
    return frozenset(tuple(line.split()) for line in lines if line and not line.startswith("#"))


def is_fixed(token: Token) -> bool:
    """Whether a token is part of a fixed expression."""
    return any(_stands_in(token, parts) for parts in expressions())


def check_phrases(token: Token, phrases: Iterable[str]) -> None:
    """Refuse a token that stands in one of these phrases.

    Raises:
        RefusedError: it does.
    """
    for phrase in phrases:
        if _stands_in(token, tuple(phrase.split())):
            raise RefusedError(f"part of {phrase!r}")


def _stands_in(token: Token, parts: tuple[str, ...]) -> bool:
    """Whether the words around a token, as they are or as lemmas, are these."""
    doc = token.doc
    for place, part in enumerate(parts):
        start = token.i - place
        if part not in (token.lower_, token.lemma_.lower()) or start < 0 or start + len(parts) > len(doc):
            continue
        window = zip(parts, doc[start : start + len(parts)], strict=True)
        if all(word in (other.lower_, other.lemma_.lower()) for word, other in window):
            return True
    return False
