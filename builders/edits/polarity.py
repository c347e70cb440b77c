"""Polarity negation (PN): add ``:polarity -`` to a predicate (ALEE paper, §3.2).

A predicate is a PropBank frame. Not negated are

* a frame whose polarity is already given or asked for (``:polarity -``, ``:polarity amr-unknown``, or the reified
  ``have-polarity-91``): taking a negation away is no edit of the paper, see `graphs.toggle_polarity`;
* the frame of a yes-no question (``:mode interrogative``): with or without "not", it asks the same thing;
* special frames, unless they say something of their own: ``have-…-91`` and ``be-…-91`` at the top or as an argument
  (``have-degree-91``: "is not faster"), but not inside a noun phrase (``person :ARG0-of have-org-role-91``: "mayor").
"""

from penman import Graph

from alee_mteb.perturbations import Perturbation
from builders.edits import frames
from builders.edits.graphs import POLARITY, GraphIndex, add_negation, index_graph, without_duplicates
from builders.stages import Edit

_REIFIED_POLARITY = "have-polarity-91"


def candidates(graph: Graph) -> list[Edit]:
    """One edit per predicate that can be negated, in the order in which the graph defines its nodes."""
    graph = without_duplicates(graph)
    index = index_graph(graph)
    return [
        Edit(Perturbation.POLARITY_NEGATION, add_negation(graph, node), node, "+", "-")
        for node in index.concepts
        if is_negatable(index, node)
    ]


def is_negatable(index: GraphIndex, node: str) -> bool:
    """Whether `node` is a predicate without negation, by the rules above."""
    return _is_predicate(index, node) and not _has_polarity(index, node) and not _is_polar_question(index, node)


def _is_predicate(index: GraphIndex, node: str) -> bool:
    concept = index.concepts[node]
    if not frames.is_special(concept):
        return frames.is_frame(concept)
    if concept == _REIFIED_POLARITY or not concept.startswith(("have-", "be-")):
        return False
    return not index.is_attributive(node)


def _has_polarity(index: GraphIndex, node: str) -> bool:
    return POLARITY in index.roles(node) or any(
        role == ":ARG1" and index.concepts.get(source) == _REIFIED_POLARITY for source, role, _ in index.incoming[node]
    )


def _is_polar_question(index: GraphIndex, node: str) -> bool:
    return (node, ":mode", "interrogative") in index.outgoing[node]
