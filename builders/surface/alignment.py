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


def tokens_of(graph: Graph, node: str, reading: Reading) -> list[Token]:
    """The tokens of the sentence that a node is aligned to, left to right.

    Raises:
        RefusedError: the graph says no token, or one that is not in the sentence.
    """
    numbers = sorted(
        number
        for triple, notes in graph.epidata.items()
        if triple[0] == node and triple[1] == ":instance"
        for note in notes
        if isinstance(note, Alignment)
        for number in note.indices
    )
    if not numbers:
        raise RefusedError("the node is not aligned to the text")
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
