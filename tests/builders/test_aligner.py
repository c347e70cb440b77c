"""AMR graphs without alignments, aligned by amrlib's rules and edited in the text."""

import penman
import pytest

from alee_mteb.perturbations import Perturbation
from builders.amr.aligner import AligningParser, is_aligned
from builders.curated import CuratedLexicon
from builders.stages import Parse, RealiserInput
from builders.surface import Reader, SurfaceEditor, SurfaceRealiser

SENTENCE = "The old captain praised the young sailors."
#: As an AMR annotator would write it (AMR guidelines: praise-01, person :ARG0-of sail).
GRAPH = """(p / praise-01 :ARG0 (c / captain :mod (o / old))
   :ARG1 (s / sailor :mod (y / young)))"""


class Given:
    """A parser that knows one graph."""

    name = "given"

    def __init__(self, text: str | None) -> None:
        self.text = text

    def parse(self, sentences: list[str]) -> list[Parse]:
        return [Parse(penman.decode(self.text) if self.text else None, "no graph") for _ in sentences]


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader()


@pytest.mark.parametrize(
    ("kind", "foil"),
    [
        (Perturbation.POLARITY_NEGATION, "The old captain did not praise the young sailors."),
        (Perturbation.ROLE_SWAP, "The young sailors praised the old captain."),
        (Perturbation.ANTONYM_REPLACEMENT, "The old captain criticized the young sailors."),
    ],
    ids=["PN", "RS", "AR"],
)
def test_the_text_is_edited_where_the_graph_is(kind: Perturbation, foil: str, reader: Reader) -> None:
    graph = AligningParser(Given(GRAPH), reader).parse([SENTENCE])[0].graph
    assert graph is not None
    lexicon = CuratedLexicon()
    realiser = SurfaceRealiser(reader=reader, lexicon=lexicon)
    edits = SurfaceEditor(0, lexicon).propose(graph, kind, "1")
    texts = {realiser.realise([RealiserInput(SENTENCE, graph, edit)])[0].text for edit in edits}
    assert foil in texts


def test_words_keep_their_numbers(reader: Reader) -> None:
    graph = AligningParser(Given(GRAPH), reader).parse([SENTENCE])[0].graph
    assert graph is not None
    assert graph.metadata["tok"] == "The old captain praised the young sailors ."
    assert "praise-01~e.3" in penman.encode(graph)
    assert "captain~e.2" in penman.encode(graph)


def test_a_graph_that_is_aligned_stays_as_it_is(reader: Reader) -> None:
    given = GRAPH.replace("praise-01", "praise-01~e.3")
    parse = AligningParser(Given(given), reader).parse([SENTENCE])[0]
    assert parse.graph is not None
    assert is_aligned(parse.graph)
    assert "captain~e" not in penman.encode(parse.graph)


def test_a_sentence_without_graph_keeps_its_reason(reader: Reader) -> None:
    assert AligningParser(Given(None), reader).parse([SENTENCE]) == [Parse(None, "no graph")]
