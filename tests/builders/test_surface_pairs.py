"""The table of hand-written pairs: what the surface engine makes of each source."""

from collections import Counter

import pytest
from penman import Graph
from surface_pairs import ANTONYMS, HYPERNYMS, PAIRS, Pair

from alee_mteb.perturbations import Perturbation
from builders.edits import frames
from builders.stages import Edit, RealiserInput

pytest.importorskip("spacy", reason="needs spaCy")
pytest.importorskip("lemminflect", reason="needs lemminflect")

from builders.surface import Reader, SurfaceEditor, SurfaceParser, SurfaceRealiser


class TableLexicon:
    """The word pairs of the table."""

    name = "table"

    def antonyms(self, lemma: str, pos: str) -> list[str]:
        return ANTONYMS.get((lemma, pos), [])

    def hypernyms(self, lemma: str, pos: str) -> list[str]:
        return HYPERNYMS.get((lemma, pos), [])


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader()


def edited_lemma(graph: Graph, edit: Edit) -> str:
    concept = next(t for s, role, t in graph.triples if s == edit.node and role == ":instance")
    return frames.split(str(concept))[0]


def foils(reader: Reader, pair: Pair) -> tuple[list[str], list[str]]:
    """The foils of every candidate of the pair's kind at its word, and the reasons of those refused."""
    parsed = SurfaceParser(reader=reader).parse([pair.source])[0]
    assert parsed.graph is not None, parsed.problem
    editor, realiser = SurfaceEditor(0, TableLexicon()), SurfaceRealiser(reader=reader)
    edits = [
        edit
        for edit in editor.propose(parsed.graph, pair.kind, "x")
        if pair.at is None or edited_lemma(parsed.graph, edit) == pair.at
    ]
    made = realiser.realise([RealiserInput(pair.source, parsed.graph, edit) for edit in edits])
    return [m.text for m in made if m.text is not None], [str(m.problem) for m in made if m.text is None]


def test_there_are_at_least_thirty_pairs_of_each_kind() -> None:
    counts = Counter(pair.kind for pair in PAIRS)
    assert sum(counts.values()) >= 120
    assert all(counts[kind] >= 30 for kind in Perturbation)
    assert len(set(PAIRS)) == len(PAIRS)


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair.kind.code}-{pair.source[:48]}-{pair.at or ''}")
def test_the_foil_is_the_one_written_by_hand(reader: Reader, pair: Pair) -> None:
    made, refused = foils(reader, pair)
    if pair.foil is None:
        assert made == []
        assert all(refused)
    else:
        assert made[:1] == [pair.foil], refused
