"""The shallow graphs of the surface engine: who does what, denied or not, and which words say it."""

import penman
import pytest
from penman import Graph
from penman.surface import Alignment
from surface_pairs import PAIRS

pytest.importorskip("spacy", reason="needs spaCy")
pytest.importorskip("lemminflect", reason="needs lemminflect")

from builders.edits import problem_of
from builders.surface import Reader, SurfaceParser


@pytest.fixture(scope="module")
def parser() -> SurfaceParser:
    return SurfaceParser(reader=Reader())


def graph_of(parser: SurfaceParser, sentence: str) -> Graph:
    graph = parser.parse([sentence])[0].graph
    assert graph is not None
    return graph


def facts(graph: Graph) -> set[tuple[str, str, str]]:
    """Triples by concept, names by their first word."""
    concepts = {source: str(target) for source, role, target in graph.triples if role == ":instance"}
    names = {
        source: next(str(t).strip('"') for s, r, t in graph.triples if s == target and r == ":op1")
        for source, role, target in graph.triples
        if role == ":name"
    }
    said = concepts | names
    return {(said[s], role, said.get(str(t), str(t))) for s, role, t in graph.triples if role != ":instance"}


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("The dog chased him.", {("chase-01", ":ARG0", "dog"), ("chase-01", ":ARG1", "he")}),
        ("He was chased by the dog.", {("chase-01", ":ARG0", "dog"), ("chase-01", ":ARG1", "he")}),
        ("The woman who greeted the baker left.", {("greet-01", ":ARG0", "woman"), ("greet-01", ":ARG1", "baker")}),
        (
            "The jockey whom the champion overtook lost the race.",
            {("overtake-01", ":ARG0", "champion"), ("overtake-01", ":ARG1", "jockey")},
        ),
        ("The man chased by the dog shouted.", {("chase-01", ":ARG0", "dog"), ("chase-01", ":ARG1", "man")}),
        ("Omar wants to photograph Lucia.", {("photograph-01", ":ARG0", "Omar"), ("photograph-01", ":ARG1", "Lucia")}),
        ("The hunter saw the bear and shot it.", {("shoot-01", ":ARG0", "hunter"), ("shoot-01", ":ARG1", "it")}),
        ("She did not sleep.", {("sleep-01", ":polarity", "-")}),
        ("Nobody slept.", {("sleep-01", ":polarity", "-")}),
        ("She cannot sleep.", {("possible-01", ":polarity", "-"), ("possible-01", ":ARG1", "sleep-01")}),
        ("The soup is not cold.", {("cold-01", ":polarity", "-"), ("cold-01", ":ARG1", "soup")}),
        ("Did she sleep?", {("sleep-01", ":mode", "interrogative")}),
        ("A tall man fell.", {("man", ":mod", "tall")}),
        ("He listened to her.", {("listen-01", ":ARG0", "he"), ("listen-01", ":ARG1", "she")}),
    ],
)
def test_facts(parser: SurfaceParser, sentence: str, expected: set[tuple[str, str, str]]) -> None:
    assert expected <= facts(graph_of(parser, sentence))


def test_a_coordination_fills_a_role_as_a_whole(parser: SurfaceParser) -> None:
    found = facts(graph_of(parser, "The parrot and the monkey frightened the horse."))
    assert {("frighten-01", ":ARG0", "and"), ("and", ":op1", "parrot"), ("and", ":op2", "monkey")} <= found


def test_nodes_are_aligned_to_the_tokens_that_say_them(parser: SurfaceParser) -> None:
    graph = graph_of(parser, "The  dogs chased him .")
    tokens = graph.metadata["tok"].split()
    assert tokens == ["The", "dogs", "chased", "him", "."]
    said = {
        concept: tokens[note.indices[0]]
        for (_, role, concept), notes in graph.epidata.items()
        for note in notes
        if role == ":instance" and isinstance(note, Alignment)
    }
    assert said == {"chase-01": "chased", "dog": "dogs", "he": "him"}


def test_typographic_quotes_make_no_difference(parser: SurfaceParser) -> None:
    plain = graph_of(parser, '"It doesn\'t work," she said.')
    typographic = graph_of(parser, "“It doesn’t work,” she said.")
    assert plain.triples == typographic.triples


def test_every_graph_is_whole(parser: SurfaceParser) -> None:
    for pair in PAIRS:
        graph = graph_of(parser, pair.source)
        assert problem_of(graph) is None
        assert penman.decode(penman.encode(graph)).triples == graph.triples


@pytest.mark.parametrize("text", ["", "   ", "?!", "🙂 …", "12.5 %"])
def test_a_text_without_words_has_no_graph_but_a_problem(parser: SurfaceParser, text: str) -> None:
    parse = parser.parse([text])[0]
    assert parse.graph is None
    assert parse.problem


@pytest.mark.parametrize("text", ['a"b\\c (d / e) ~e.3 :ARG0 "', "#tag @user_1 https://x.org/?a=b", "I\nleft\tit."])
def test_odd_signs_do_not_break_the_graph(parser: SurfaceParser, text: str) -> None:
    parse = parser.parse([text])[0]
    assert parse.graph is None or problem_of(parse.graph) is None


def test_the_batch_makes_no_difference(parser: SurfaceParser) -> None:
    sentences = [pair.source for pair in PAIRS[:40]]
    together = [str(parse.graph) for parse in SurfaceParser(reader=Reader()).parse(sentences)]
    assert together == [str(parser.parse([sentence])[0].graph) for sentence in reversed(sentences)][::-1]
