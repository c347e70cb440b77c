"""From a node of a graph to its word in the sentence, by the alignments of the graph.

Graphs number their tokens as their ``::tok`` line (or, without one, the ``::snt`` line) splits them; these tokens are
found again in the sentence one after the other, so that any tokenisation will do.
"""

from penman import Graph
from penman.surface import Alignment

from builders.surface.changes import RefusedError
from builders.surface.quotes import plain
from builders.surface.reading import Reading
from builders.surface.tokens import Token

#: How far below a node its words are looked for: *person* → *name* → its parts.
_DEPTH = 3


def tokens_of(graph: Graph, node: str, reading: Reading) -> list[Token]:
    """The tokens of the sentence that a node is aligned to, left to right.

    Raises:
        RefusedError: the graph says no token, or one that is not in the sentence.
    """
    numbers = _numbers(graph, node, instance=True)
    if not numbers:
        raise RefusedError("the node is not aligned to the text")
    return _tokens(graph, numbers, reading)


def tokens_below(graph: Graph, node: str, reading: Reading, apart_from: str) -> list[Token]:
    """The tokens of a node, or for one without a word of its own (*and*, a name) of the nodes nearest to it.

    Nearest are those below, and those that hang on it by an inverse role (``person :ARG0-of teach-01``: *teacher*).

    Args:
        apart_from: a node that is not looked at, the predicate whose argument the node is.

    Raises:
        RefusedError: none of them is aligned to the text.
    """
    known, level, seen = graph.variables(), [node], {node, apart_from}
    for _ in range(_DEPTH):
        for instance in (True, False):
            if numbers := sorted({n for name in level for n in _numbers(graph, name, instance=instance)}):
                return _tokens(graph, numbers, reading)
        below = [str(target) for source, _, target in graph.triples if source in level and target in known]
        level = [name for name in dict.fromkeys(below) if name not in seen]
        seen.update(level)
    inverse = [source for source, role, target in graph.triples if target == node and role.startswith(":ARG")]
    for name in inverse:
        beside = [str(t) for s, role, t in graph.triples if s == name and role == ":ARG2" and t in known]
        for candidate in (name, *beside):
            if name != apart_from and (numbers := _numbers(graph, candidate, instance=True)):
                return _tokens(graph, numbers, reading)
    raise RefusedError("the node is not aligned to the text")


def _numbers(graph: Graph, node: str, *, instance: bool) -> list[int]:
    """The token numbers at a node's concept, or at its constants (the parts of a name)."""
    known = graph.variables()
    return sorted(
        number
        for (source, role, target), notes in graph.epidata.items()
        if source == node and (role == ":instance") == instance and (instance or target not in known)
        for note in notes
        if isinstance(note, Alignment)
        for number in note.indices
    )


def _tokens(graph: Graph, numbers: list[int], reading: Reading) -> list[Token]:
    spans = _spans(graph, reading.text)
    found: dict[int, Token] = {}
    for number in numbers:
        if number >= len(spans):
            raise RefusedError("the alignment leads out of the text")
        start, end = spans[number]
        for token in reading.doc:
            if reading.start(token) < end and start < reading.end(token):
                found[token.i] = token
    if not found:
        raise RefusedError("the alignment leads out of the text")
    return [found[place] for place in sorted(found)]


def _spans(graph: Graph, text: str) -> list[tuple[int, int]]:
    """Where in the text each token of the graph stands.

    Raises:
        RefusedError: a token is not there.
    """
    line = graph.metadata.get("tok") or graph.metadata.get("snt") or text
    spans, place, where = [], 0, plain(text).lower()
    for token in plain(line).lower().split():
        start = where.find(token, place)
        if start < 0:
            raise RefusedError("the tokens of the graph are not those of the text")
        place = start + len(token)
        spans.append((start, place))
    return spans
