"""Concepts as words and words as concepts: the sense suffix of PropBank frames.

    good-02  ──split──▶  good + 02  ──look up──▶  bad  ──concept_like──▶  bad-01
    puppy    ──split──▶  puppy      ──look up──▶  dog  ──concept_like──▶  dog

A concept that ends in a hyphen and two digits is a frame; senses from 90 up mark the special frames of AMR
(``have-org-role-91``), which are no words. A frame stays a frame: the replacement takes sense 01, the only sense that
nearly every frame has, since neither WordNet nor the graph says which of its senses is meant. Words of several parts
are joined by hyphens in AMR (``sit-down-02``) and by spaces here (``sit down``).
"""

import re
from functools import lru_cache

#: Sense given to a frame whose true sense is unknown.
DEFAULT_SENSE = "01"
#: Words that AMR has no concept for: it leaves the copula out.
_NO_CONCEPT = frozenset({"be"})
_FRAME = re.compile(r"(?P<lemma>[^\W\d_].*)-(?P<sense>\d\d)")
_CONCEPT = re.compile(r"[^\W\d_][\w'.-]*")


@lru_cache(maxsize=1 << 14)
def split(concept: str) -> tuple[str, str | None]:
    """Lemma and sense of a concept: ``good-02`` → ``("good", "02")``, ``puppy`` → ``("puppy", None)``."""
    match = _FRAME.fullmatch(concept)
    return (match["lemma"], match["sense"]) if match else (concept, None)


def is_frame(concept: str) -> bool:
    """Whether a concept is a PropBank frame, special ones included."""
    return _FRAME.fullmatch(concept) is not None


def is_special(concept: str) -> bool:
    """Whether a concept is one of AMR's own frames (``have-org-role-91``, ``include-91``)."""
    sense = split(concept)[1]
    return sense is not None and sense.startswith("9")


def lookups(lemma: str) -> list[str]:
    """The spellings under which a lexicon may have an AMR lemma, likeliest first.

    ``sit-down`` → ``sit down``, ``sit-down``, ``sitdown``.
    """
    lemma = lemma.lower().replace("_", "-")
    if "-" not in lemma:
        return [lemma]
    return [lemma.replace("-", " "), lemma, lemma.replace("-", "")]


@lru_cache(maxsize=1 << 14)
def concept_like(old: str, word: str) -> str | None:
    """The concept for `word` in the place of `old`: a frame if `old` is a frame, else a plain concept.

    A `word` that brings its own sense (``clean-04``) keeps it. ``None`` if `word` has no letter to begin with or has
    characters that penman gives a meaning, if it would look like a frame in the place of a plain concept
    (``carbon-14``), if AMR has no such concept (``be``), or if it is the lemma of `old` itself.
    """
    lemma, sense = split("-".join(word.lower().replace("_", " ").split()))
    old_lemma, old_sense = split(old)
    if not _CONCEPT.fullmatch(lemma) or lemma == old_lemma or lemma in _NO_CONCEPT:
        return None
    if old_sense is None:
        return lemma if sense is None else None
    return f"{lemma}-{sense or DEFAULT_SENSE}"
