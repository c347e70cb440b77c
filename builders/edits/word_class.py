"""Which part of speech a concept has, as far as its form and its place in the graph tell.

A frame with an ARG0 is a verb, then an adjective, then a noun. A frame without one may be an adjective as well
(``long-03``, ``dirty-02``): where the lexicon counts uses, the more frequent of verb and adjective comes first. A plain
concept that fills an argument is a noun first; one that modifies (``:mod``, ``:manner``, …) or is predicated
(``:domain``) is what it is most often; one with an ``:op1`` of its own (``behind :op1 house``) is a preposition, which
WordNet keeps among the adverbs.
"""

from collections.abc import Sequence

from builders.edits import frames
from builders.edits.graphs import GraphIndex
from builders.edits.vocabulary import COORDINATION
from builders.lexicon import CountingLexicon

_MODIFYING = frozenset({":mod", ":manner", ":degree", ":extent", ":frequency", ":duration", ":time", ":quant"})


def parts_of_speech(
    index: GraphIndex, node: str, spellings: Sequence[str], lexicon: CountingLexicon | None
) -> list[str]:
    """The parts of speech (``n v a r``) to look a concept up under, likeliest first.

    Where the lexicon counts, only those under which it has one of the `spellings`.
    """
    order, is_settled = _by_form(index, node)
    if lexicon is None:
        return list(order)
    known = [pos for pos in order if any(lexicon.sense_count(lemma, pos) for lemma in spellings)]
    if is_settled:
        return known
    frequency = {pos: max(lexicon.frequency(lemma, pos) for lemma in spellings) for pos in known}
    if frames.is_frame(index.concepts[node]):
        frequency["n"] = -1  # a frame is an event or a property first, whatever the noun is worth
    return sorted(known, key=lambda pos: -frequency[pos])


def _by_form(index: GraphIndex, node: str) -> tuple[tuple[str, ...], bool]:
    """The order that the graph suggests, and whether that settles it."""
    if frames.is_frame(index.concepts[node]):
        return ("v", "a", "n"), ":ARG0" in index.roles(node)
    if ":op1" in index.roles(node):
        return ("r", "a", "n"), True
    if _is_modifying(index, node):
        return ("a", "n", "r"), False
    return ("n", "a", "r"), True


def _is_modifying(index: GraphIndex, node: str) -> bool:
    if node == index.top or ":domain" in index.roles(node):
        return True
    for source, role, _ in index.incoming[node]:
        concept = index.concepts.get(source, "")
        if role in _MODIFYING or (role.startswith(":op") and concept in COORDINATION):
            return True
        if role == ":ARG2" and concept == "have-degree-91":
            return True
    return False
