"""The parser of the surface engine: spaCy's dependencies as shallow AMR graphs, aligned to tokens."""

from collections.abc import Sequence

import penman
from penman import Graph
from penman.exceptions import PenmanError

from builders.batching import say
from builders.edits import problem_of
from builders.stages import Parse
from builders.surface.drawing import draw
from builders.surface.reading import Reader, Reading
from builders.surface.shallow import to_penman

#: spaCy's coarse part of speech → WordNet's.
_POS = {"NOUN": "n", "VERB": "v", "ADJ": "a", "ADV": "r", "ADP": "r", "SCONJ": "r"}


class SurfaceParser:
    """English sentences to shallow AMR graphs.

    Each graph carries its tokens (``::tok``), their parts of speech (``::pos``, WordNet's letters, ``-`` for others)
    and alignments (``~e.N``: token N).

    Args:
        model: the package name of a spaCy model, ``en_core_web_…``; by default the first that is installed.
        reader: one that is open already; shared with the realiser, so that each sentence is read once.

    Raises:
        MissingExtraError: spaCy or the model is not installed.
        ModelError: the model cannot be opened.
    """

    def __init__(self, model: str | None = None, *, reader: Reader | None = None) -> None:
        self.reader = reader or Reader(model)
        self.name = f"surface {self.reader.name}"

    def parse(self, sentences: Sequence[str]) -> list[Parse]:
        """One `Parse` per sentence, in order; a text without words has no graph."""
        return [_parse(reading) for reading in self.reader.read_all(sentences)]


def _parse(reading: Reading) -> Parse:
    try:
        return Parse(graph_of(reading))
    except (PenmanError, ValueError, RecursionError) as error:
        return Parse(None, f"no graph: {say(error)}")


def graph_of(reading: Reading) -> Graph:
    """The shallow graph of a sentence.

    Raises:
        ValueError: the text has no words, or its graph is broken.
        PenmanError: a concept cannot be written down.
    """
    top = draw(reading)
    if top is None:
        raise ValueError("the text has no words")
    graph = penman.decode(to_penman(top))
    if problem := problem_of(graph):
        raise ValueError(problem)
    note_tokens(graph, reading)
    return graph


def note_tokens(graph: Graph, reading: Reading) -> None:
    """Write the tokens that a graph's alignments count, and their parts of speech, into its metadata."""
    graph.metadata["tok"] = " ".join(token.text for token in reading.doc)
    graph.metadata["pos"] = " ".join(_POS.get(token.pos_, "-") for token in reading.doc)
