"""Graph strings in and out: what a parser wrote, checked; what a realiser is given, bare."""

import re
from collections import defaultdict

import penman
from penman import Graph
from penman.layout import LayoutMarker

from builders.stages import Parse

#: A symbol that looks like a variable (amrlib names nodes by a first letter and a number, ``ii`` for i).
_LOOKS_LIKE_VARIABLE = re.compile(r"(ii|[a-z])\d*")

_QUOTED = re.compile(r'"[^"]*"')


def read_graph(text: str | None) -> Parse:
    """The graph in a parser's answer, or why it is none: nothing, unbalanced, empty, several, broken."""
    if text is None or not text.strip():
        return Parse(None, "the parser gave no graph")
    bare = _QUOTED.sub("", text)
    if bare.count("(") < bare.count(")"):
        return Parse(None, "not a graph: brackets do not match")  # penman reads on past a bracket too many
    try:
        graphs = penman.loads(text)
    except (penman.PenmanError, RecursionError) as error:
        return Parse(None, f"not a graph: {_last_line(error)}")
    if len(graphs) != 1:
        return Parse(None, f"{len(graphs)} graphs instead of one")
    problem = flaw(graphs[0])
    return Parse(graphs[0]) if problem is None else Parse(None, problem)


def flaw(graph: Graph) -> str | None:
    """What keeps a graph from being well-formed (see `Parse`); ``None`` if nothing does."""
    concepts = {source: target for source, role, target in graph.triples if role == ":instance"}
    if not graph.triples or None in concepts:
        return "an empty graph"
    without = [name for name in sorted(graph.variables()) if concepts.get(name) is None]
    if without:
        return f"node {without[0]} has no concept"
    for _, role, target in graph.triples:
        if role != ":instance" and target not in concepts and _LOOKS_LIKE_VARIABLE.fullmatch(str(target)):
            return f"{role} {target}: there is no node {target}"
    top = graph.top
    if top not in concepts:
        return "a graph without a top"
    apart = sorted(set(concepts) - _reachable(graph, top))
    return f"node {apart[0]} is not connected to the rest" if apart else None


def bare_text(graph: Graph) -> str:
    """A graph on one line, without alignments and metadata: what amrlib's generator was trained on.

    The layout (which node is written out where) is kept: it is the parser's, changed by the edit alone.
    """
    layout = {
        triple: [mark for mark in marks if isinstance(mark, LayoutMarker)] for triple, marks in graph.epidata.items()
    }
    return penman.encode(Graph(graph.triples, top=graph.top, epidata=layout), indent=None)


def _reachable(graph: Graph, top: str) -> set[str]:
    neighbours: dict[str, set[str]] = defaultdict(set)
    for source, _, target in graph.edges():
        neighbours[source].add(target)
        neighbours[target].add(source)
    seen, waiting = {top}, [top]
    while waiting:
        new = neighbours[waiting.pop()] - seen
        seen |= new
        waiting.extend(new)
    return seen


def _last_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[-1].strip() if lines else type(error).__name__
