"""Fixed expressions: words that mean what they mean only together (*high school*, *hot dog*, *as long as*).

The list `expressions.txt` is one expression a line, in lemmas. It was drawn from WordNet's collocations whose parts are
among the words of common antonym pairs, then read and completed by hand.
"""

from functools import lru_cache
from importlib.resources import files

from builders.surface.tokens import Token

_LONGEST = 4


@lru_cache(maxsize=1)
def expressions() -> frozenset[tuple[str, ...]]:
    """All fixed expressions, as tuples of lemmas."""
    text = files("builders.surface").joinpath("expressions.txt").read_text(encoding="utf-8")
    lines = (line.strip() for line in text.splitlines())
    return frozenset(tuple(line.split()) for line in lines if line and not line.startswith("#"))


def is_fixed(token: Token) -> bool:
    """Whether a token is part of a fixed expression."""
    known, doc = expressions(), token.doc
    for size in range(2, _LONGEST + 1):
        for start in range(max(0, token.i - size + 1), min(token.i, len(doc) - size) + 1):
            window = doc[start : start + size]
            if tuple(t.lower_ for t in window) in known or tuple(t.lemma_.lower() for t in window) in known:
                return True
    return False
