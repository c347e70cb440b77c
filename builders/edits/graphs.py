"""Looking at AMR graphs and changing them without breaking them.

A `penman.Graph` is a list of triples plus *epidata*: notes on triples that say where the text opens and closes a node
(`Push`, `POP`) and which tokens a concept is aligned to. The text is only as good as those notes, so every change here
moves them along with the triples:

    (l / like-01                       ('l', ':instance', 'like-01')
       :ARG0 (b / boy)                 ('l', ':ARG0', 'b')            Push(b)
       :ARG1 (g / girl))               ('b', ':instance', 'boy')      POP   ◀─ add `:polarity -` to b: it becomes the
                                       ('l', ':ARG1', 'g')            Push(g)  last triple of b and takes over the POP
                                       ('g', ':instance', 'girl')     POP

Graphs are those that `penman.decode` gives (inverse roles de-inverted). Nothing here changes its argument.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import penman
from penman import Graph
from penman.exceptions import PenmanError
from penman.layout import LayoutMarker, Pop
from penman.surface import Alignment

from builders.edits import frames

INSTANCE = ":instance"
POLARITY = ":polarity"
NEGATIVE = "-"

Triple = tuple[str, str, str | None]


@dataclass(frozen=True)
class GraphIndex:
    """A graph's triples by node.

    Attributes:
        top: the top variable.
        concepts: variable → concept, in the order in which the graph (and its text) defines the nodes. This is the
            order of all candidates.
        outgoing: variable → its triples except the instance.
        incoming: variable → edges that end in it.
    """

    top: str | None
    concepts: dict[str, str]
    outgoing: dict[str, list[Triple]]
    incoming: dict[str, list[Triple]]

    def fillers(self, node: str, role: str) -> list[str]:
        """The variables that fill `role` of `node`."""
        return [target for _, name, target in self.outgoing[node] if name == role and target in self.concepts]

    def roles(self, node: str) -> set[str]:
        """The roles that `node` has."""
        return {role for _, role, _ in self.outgoing[node]}

    def is_attributive(self, node: str) -> bool:
        """Whether `node` hangs on others by inverse roles alone (``boy :ARG0-of (s / sing-01)``: a boy who sings)."""
        return node != self.top and not self.incoming[node]


def index_graph(graph: Graph) -> GraphIndex:
    """The index of a graph; variables without a concept are left out."""
    concepts: dict[str, str] = {}
    for source, role, target in graph.triples:
        if role == INSTANCE and target is not None:
            concepts.setdefault(source, target)
    outgoing: dict[str, list[Triple]] = {variable: [] for variable in concepts}
    incoming: dict[str, list[Triple]] = {variable: [] for variable in concepts}
    for triple in graph.triples:
        source, role, target = triple
        if role == INSTANCE or source not in concepts:
            continue
        outgoing[source].append(triple)
        if target in incoming:
            incoming[target].append(triple)
    return GraphIndex(graph.top, concepts, outgoing, incoming)


def without_duplicates(graph: Graph) -> Graph:
    """The graph itself, or, if a triple stands in it twice, a copy with each triple once.

    Epidata belong to a triple, not to a place in the list, so layout markers of a graph with duplicates cannot be
    trusted; the copy has none and penman lays it out anew.
    """
    if len(set(graph.triples)) == len(graph.triples):
        return graph
    epidata = {
        triple: [note for note in notes if not isinstance(note, LayoutMarker)]
        for triple, notes in graph.epidata.items()
    }
    return _changed(graph, list(dict.fromkeys(graph.triples)), epidata)


def replace_concept(graph: Graph, node: str, word: str) -> Graph:
    """A copy in which `node` has the concept for `word`: a frame if it was a frame (see `frames.concept_like`).

    The node's alignment is dropped: its token does not say the new word.

    Raises:
        ValueError: `node` is not in the graph, or `word` cannot be a concept.
    """
    concept = frames.concept_like(_concept(graph, node), word)
    if concept is None:
        raise ValueError(f"{word!r} cannot stand in place of the concept of node {node!r}")
    return set_concept(graph, node, concept)


def set_concept(graph: Graph, node: str, concept: str) -> Graph:
    """A copy in which `node` has exactly this concept; otherwise as `replace_concept`."""
    old = (node, INSTANCE, _concept(graph, node))
    new = (node, INSTANCE, concept)
    epidata = _copy_epidata(graph)
    epidata[new] = [note for note in epidata.pop(old, []) if not isinstance(note, Alignment)]
    return _changed(graph, [new if triple == old else triple for triple in graph.triples], epidata)


def add_negation(graph: Graph, node: str) -> Graph:
    """A copy in which `node` has ``:polarity -``, written right after its concept.

    Raises:
        ValueError: `node` is not in the graph.
    """
    instance = (node, INSTANCE, _concept(graph, node))
    negation = (node, POLARITY, NEGATIVE)
    epidata = _copy_epidata(graph)
    notes = epidata.get(instance, [])
    epidata[instance] = [note for note in notes if not isinstance(note, Pop)]
    epidata[negation] = [note for note in notes if isinstance(note, Pop)]
    triples = list(graph.triples)
    triples.insert(triples.index(instance) + 1, negation)
    return _changed(graph, triples, epidata)


def toggle_polarity(graph: Graph, node: str) -> Graph:
    """A copy with the polarity of `node` reversed: ``:polarity -`` goes if it was there, and comes if it was not.

    Removing a negation is no edit of the paper (§3.2); the surface engine and hand-written foils use it.

    Raises:
        ValueError: `node` is not in the graph.
    """
    _concept(graph, node)
    graph = without_duplicates(graph)
    marks = [t for t in graph.triples if t[0] == node and t[1] == POLARITY and t[2] in (NEGATIVE, "+")]
    bare = graph
    for mark in marks:
        bare = _without_attribute(bare, mark)
    return bare if any(mark[2] == NEGATIVE for mark in marks) else add_negation(bare, node)


def problem_of(graph: Graph) -> str | None:
    """What is wrong with a graph, in a few words; ``None`` if it is well-formed.

    Well-formed: it has a top, every variable has exactly one concept, it is connected, and decoding its penman text
    gives the same triples and top.
    """
    if not graph.triples or graph.top is None:
        return "no top"
    named: dict[str, int] = dict.fromkeys((triple[0] for triple in graph.triples), 0)
    for source, role, target in graph.triples:
        if role == INSTANCE and target is not None:
            named[source] += 1
    for variable, concepts in named.items():
        if concepts != 1:
            return f"variable {variable!r} has {'no concept' if not concepts else 'several concepts'}"
    if graph.top not in named:
        return f"top {graph.top!r} has no concept"
    if len(_reachable(graph.top, graph.triples, named)) != len(named):
        return "disconnected"
    try:
        again = penman.decode(penman.encode(graph))
    except (PenmanError, RecursionError) as error:
        return f"cannot be written as text and read again ({type(error).__name__})"
    if set(again.triples) != set(graph.triples) or again.top != graph.top:
        return "reads differently once written"
    return None


def _concept(graph: Graph, node: str) -> str:
    for source, role, target in graph.triples:
        if source == node and role == INSTANCE and target is not None:
            return target
    raise ValueError(f"node {node!r} is not in the graph, or has no concept")


def _changed(graph: Graph, triples: list[Triple], epidata: dict[Triple, list[Any]]) -> Graph:
    """A graph like `graph` with other triples and epidata."""
    changed = Graph(top=graph.top, metadata=graph.metadata)
    changed.triples = triples  # set afterwards: the constructor would check every role of a graph already checked
    changed.epidata = epidata
    return changed


def _copy_epidata(graph: Graph) -> dict[Triple, list[Any]]:
    return {triple: notes[:] for triple, notes in graph.epidata.items()}


def _without_attribute(graph: Graph, attribute: Triple) -> Graph:
    """A copy without `attribute`; the triple before it closes the nodes that `attribute` closed."""
    place = graph.triples.index(attribute)
    epidata = _copy_epidata(graph)
    pops = [note for note in epidata.pop(attribute, []) if isinstance(note, Pop)]
    if pops and place:
        epidata.setdefault(graph.triples[place - 1], []).extend(pops)
    return _changed(graph, graph.triples[:place] + graph.triples[place + 1 :], epidata)


def _reachable(top: str, triples: Iterable[Triple], variables: Iterable[str]) -> set[str]:
    neighbours: dict[str, list[str]] = {variable: [] for variable in variables}
    for source, role, target in triples:
        if role != INSTANCE and target in neighbours:
            neighbours[source].append(target)
            neighbours[target].append(source)
    seen, waiting = {top}, [top]
    while waiting:
        for other in neighbours[waiting.pop()]:
            if other not in seen:
                seen.add(other)
                waiting.append(other)
    return seen
