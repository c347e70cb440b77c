"""Alignments for parsed graphs, so that the surface realiser can edit the text they were read from.

amrlib's rule-based aligner (RBW) matches concepts and words by form; it is the one of its aligners that needs no
other program. What it leaves unaligned the realiser refuses, and the next candidate is tried.
"""

import copy
import logging
from collections.abc import Sequence

from penman import Graph

from alee_mteb.errors import MissingExtraError
from builders.batching import say
from builders.stages import Parse, Parser
from builders.surface.parser import note_tokens
from builders.surface.reading import Reader, Reading
from builders.surface.tokens import Token

_NAMED = ("NNP", "NNPS")


class AligningParser:
    """A parser whose graphs come out aligned to the tokens of a `Reader` (``~e.N``, with the line ``::tok``).

    Args:
        parser: where the graphs come from; those that carry alignments already are passed on as they are.
        reader: tokenises; the realiser's own, so that each sentence is read once.

    Raises:
        MissingExtraError: amrlib is not installed.
    """

    def __init__(self, parser: Parser, reader: Reader) -> None:
        try:
            from amrlib.alignments.rbw_aligner import rbw_aligner
        except ImportError as error:
            raise MissingExtraError("amrlib", "builders", "aligning graphs with their text") from error
        logging.getLogger(rbw_aligner.__name__).setLevel(logging.ERROR)
        self._aligner = rbw_aligner.RBWAligner
        self._parser, self._reader = parser, reader
        self.name = f"{parser.name} + RBW alignments"

    def parse(self, sentences: Sequence[str]) -> list[Parse]:
        """One `Parse` per sentence, in order; a graph that cannot be aligned keeps the reason beside it."""
        parses = self._parser.parse(sentences)
        readings = self._reader.read_all(sentences)
        return [self._aligned(parse, reading) for parse, reading in zip(parses, readings, strict=True)]

    def _aligned(self, parse: Parse, reading: Reading) -> Parse:
        if parse.graph is None or is_aligned(parse.graph):
            return parse
        graph = copy.deepcopy(parse.graph)
        try:
            self._aligner(graph, [token.text for token in reading.doc], [_lemma(token) for token in reading.doc])
        except Exception as error:  # noqa: BLE001 - one odd graph must not stop the others; the parse says why
            problem = f"not aligned: {say(error)}"
            return Parse(parse.graph, f"{parse.problem}; {problem}" if parse.problem else problem)
        graph.metadata.pop("alignments", None)
        note_tokens(graph, reading)
        return Parse(graph, parse.problem)


def is_aligned(graph: Graph) -> bool:
    """Whether any concept of a graph says which tokens it stands for."""
    from penman.surface import Alignment

    return any(
        isinstance(note, Alignment)
        for (_, role, _), notes in graph.epidata.items()
        if role == ":instance"
        for note in notes
    )


def _lemma(token: Token) -> str:
    """As amrlib lemmatises for its aligner: names as they stand, other words in lower case."""
    if token.tag_ in _NAMED or token.ent_type_ not in ("", "O"):
        return str(token.text)
    return str(token.lemma_).lower()
