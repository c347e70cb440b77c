"""What antonym replacement and hypernym substitution share: every usable word, every fitting concept."""

from collections.abc import Callable, Iterator

from penman import Graph

from alee_mteb.perturbations import Perturbation
from builders.edits import frames
from builders.edits.graphs import GraphIndex, index_graph, set_concept, without_duplicates
from builders.edits.vocabulary import is_replaceable
from builders.stages import Edit

#: Words related to a node's concept, most usual first.
Lookup = Callable[[GraphIndex, str], list[str]]


def replacements(graph: Graph, perturbation: Perturbation, lookup: Lookup) -> list[Edit]:
    """One edit per node and related word: nodes in the order in which the graph defines them, words as looked up."""
    graph = without_duplicates(graph)
    index = index_graph(graph)
    return [
        Edit(perturbation, set_concept(graph, node, new), node, index.concepts[node], new)
        for node in index.concepts
        if is_replaceable(index, node)
        for new in _new_concepts(index, node, lookup)
    ]


def _new_concepts(index: GraphIndex, node: str, lookup: Lookup) -> Iterator[str]:
    concepts = (frames.concept_like(index.concepts[node], word) for word in lookup(index, node))
    yield from dict.fromkeys(concept for concept in concepts if concept is not None)


def first_known(ask: Callable[[str, str], list[str]], spellings: list[str], pos: str) -> list[str]:
    """The answer for the first spelling that has one."""
    for lemma in spellings:
        if words := ask(lemma, pos):
            return words
    return []
