"""Role swap (RS): exchange the ARG0 and ARG1 fillers of a predicate that has both (ALEE paper, §3.2).

Done on the tree behind the penman text, so that fillers move with all that hangs on them:

    (c / chase-01                (c / chase-01
       :ARG0 (p / puppy)    ▶       :ARG0 (c2 / cat)
       :ARG1 (c2 / cat))            :ARG1 (p / puppy))

    (w / woman                   (w / woman
       :ARG0-of (g / greet-01  ▶    :ARG1-of (g / greet-01
          :ARG1 (b / baker)))          :ARG0 (b / baker)))

A predicate with several fillers of a role exchanges them all. No candidate is a predicate whose roles have the same
fillers, or whose fillers could trade names without a change of the graph (two bare nodes of one concept). Special
frames take part (``have-rel-role-91``: who is whose teacher). Alignments of the exchanged edges are dropped; the
fillers keep theirs.
"""

from collections.abc import Iterator
from typing import Any

from penman import Graph, layout
from penman.exceptions import LayoutError

from alee_mteb.perturbations import Perturbation
from builders.edits.graphs import GraphIndex, index_graph, without_duplicates
from builders.stages import Edit

_FORWARD = {":ARG0": ":ARG1", ":ARG1": ":ARG0"}
_INVERSE = {":ARG0-of": ":ARG1-of", ":ARG1-of": ":ARG0-of"}
_Branches = list[Any]  # of (role, target), target a string or a (variable, branches) pair


def candidates(graph: Graph) -> list[Edit]:
    """One edit per predicate with ARG0 and ARG1, in the order in which the graph defines its nodes."""
    graph = without_duplicates(graph)
    index = index_graph(graph)
    edits = []
    for node in index.concepts:
        agents, patients = index.fillers(node, ":ARG0"), index.fillers(node, ":ARG1")
        if not agents or not patients or set(agents) == set(patients):
            continue
        swapped = exchange_roles(graph, node)
        if swapped is None or _is_same_meaning(graph, swapped, index, agents, patients):
            continue
        old, new = _fillers(agents, patients), _fillers(patients, agents)
        edits.append(Edit(Perturbation.ROLE_SWAP, swapped, node, old, new))
    return edits


def exchange_roles(graph: Graph, node: str) -> Graph | None:
    """A copy in which ARG0 fillers of `node` are ARG1 fillers and the reverse; ``None`` if it has no penman text."""
    try:
        tree = layout.configure(graph)
    except LayoutError:
        return None
    own: _Branches = []
    for variable, branches in _walk(tree.node):
        if variable == node:
            own = branches
        for place, (role, target) in enumerate(branches):
            name = role.partition("~")[0]
            if variable == node and name in _FORWARD:
                branches[place] = (_FORWARD[name], _without_alignment(target))
            elif name in _INVERSE and _variable(target) == node:
                branches[place] = (_INVERSE[name], _without_alignment(target))
    if _restore_order(own):
        _define_at_first_mention(own, _definitions(own), set())
    return layout.interpret(tree)


def _restore_order(branches: _Branches) -> bool:
    """Put exchanged branches back into the order the roles had before (ARG0 first, as a rule); whether any moved."""
    places = [place for place, (role, _) in enumerate(branches) if role in _FORWARD]
    if len(places) < 2:
        return False
    before = [branches[place] for place in places]
    first = _FORWARD[before[0][0]]
    after = sorted(before, key=lambda branch: branch[0] != first)
    for place, branch in zip(places, after, strict=True):
        branches[place] = branch
    return after != before


def _define_at_first_mention(
    branches: _Branches, definitions: dict[str, tuple[_Branches, int]], seen: set[str]
) -> None:
    """Write each node out where it is mentioned first: ``:ARG0 b :ARG1 (b / boy)`` is read left to right."""
    for place, (role, target) in enumerate(branches):
        if role == "/":
            continue
        variable = _variable(target)
        if isinstance(target, str):
            if variable not in definitions or variable in seen:
                continue
            later, position = definitions[variable]
            branches[place] = (role, later[position][1])
            later[position] = (later[position][0], variable)
        seen.add(variable)
        _define_at_first_mention(branches[place][1][1], definitions, seen)


def _definitions(branches: _Branches) -> dict[str, tuple[_Branches, int]]:
    """Where each node below `branches` is written out: the list it stands in, and its place there."""
    found: dict[str, tuple[_Branches, int]] = {}
    waiting = [branches]
    while waiting:
        current = waiting.pop()
        for place, (_, target) in enumerate(current):
            if not isinstance(target, str) and target is not None:
                found[target[0]] = (current, place)
                waiting.append(target[1])
    return found


def _walk(node: Any) -> Iterator[tuple[str, _Branches]]:
    waiting = [node]
    while waiting:
        variable, branches = waiting.pop()
        yield variable, branches
        waiting.extend(target for _, target in branches if isinstance(target, tuple))


def _variable(target: Any) -> str:
    """The variable (or constant) a branch leads to."""
    return target.partition("~")[0] if isinstance(target, str) else target[0]


def _without_alignment(target: Any) -> Any:
    return target if not isinstance(target, str) or target.startswith('"') else _variable(target)


def _fillers(agents: list[str], patients: list[str]) -> str:
    return " ".join([*(f":ARG0 {name}" for name in agents), *(f":ARG1 {name}" for name in patients)])


def _is_same_meaning(graph: Graph, swapped: Graph, index: GraphIndex, agents: list[str], patients: list[str]) -> bool:
    """Whether the swap only trades the names of two nodes."""
    if len(agents) != 1 or len(patients) != 1 or index.concepts[agents[0]] != index.concepts[patients[0]]:
        return False
    trade = {agents[0]: patients[0], patients[0]: agents[0]}
    renamed = {
        (trade.get(source, source), role, trade.get(target, target) if role != ":instance" else target)
        for source, role, target in swapped.triples
    }
    return renamed == set(graph.triples) and trade.get(graph.top, graph.top) == graph.top
