"""The graphs of ALEE-Sample and the hand-written foils against the edit rules."""

from typing import Any

import penman
import pytest
from penman import Graph
from penman.surface import Alignment, RoleAlignment

from alee_mteb.perturbations import Perturbation
from alee_mteb.sample import sample_items
from builders.edits import candidates, frames, problem_of, replace_concept, toggle_polarity

ITEMS = [item for item in sample_items() if item.get("amr")]
PARTS_OF_SPEECH = ("n", "v", "a", "r")


def pairs(perturbation: Perturbation) -> list[Any]:
    """(graph, edit) of every item that has this foil."""
    return [
        pytest.param(penman.decode(item["amr"]), item["edits"][perturbation.value], id=item["id"])
        for item in ITEMS
        if perturbation.value in item["edits"]
    ]


class GoldLexicon:
    """Exactly the word pairs of the hand-written foils."""

    name = "gold"

    def __init__(self) -> None:
        self._words: dict[tuple[str, str], list[str]] = {}
        for item in ITEMS:
            for kind in ("AntonymRepl", "HypernymSub"):
                edit = item["edits"][kind]
                old, new = (frames.split(edit[side])[0] for side in ("old", "new"))
                known = self._words.setdefault((kind, old), [])
                if new not in known:
                    known.append(new)

    def antonyms(self, lemma: str, pos: str) -> list[str]:
        return list(self._words.get(("AntonymRepl", lemma), []))

    def hypernyms(self, lemma: str, pos: str) -> list[str]:
        return list(self._words.get(("HypernymSub", lemma), []))


def lemma_triples(graph: Graph) -> set[Any]:
    """Triples without sense numbers."""
    return {
        (source, role, frames.split(target)[0] if role == ":instance" else target)
        for source, role, target in graph.triples
    }


def test_48_sentences_have_a_graph_and_each_foil_its_edit() -> None:
    assert len(ITEMS) == 48
    for item in ITEMS:
        assert set(item["edits"]) == {kind for kind, foil in item["foils"].items() if foil is not None}, item["id"]


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item["id"])
def test_graphs_are_whole_and_aligned_to_tokens_of_the_sentence(item: dict[str, Any]) -> None:
    graph = penman.decode(item["amr"])
    assert problem_of(graph) is None
    tokens = graph.metadata["snt"].split()
    assert "".join(tokens) == "".join(item["eng_Latn"].split())
    notes = [note for triple in graph.epidata.values() for note in triple]
    used = [index for note in notes if isinstance(note, Alignment | RoleAlignment) for index in note.indices]
    assert used
    assert all(0 <= index < len(tokens) for index in used)
    assert any(char.isalnum() for index in used for char in tokens[index])


@pytest.mark.parametrize(("graph", "edit"), pairs(Perturbation.POLARITY_NEGATION))
def test_negation(graph: Graph, edit: dict[str, str]) -> None:
    negation = (edit["node"], ":polarity", "-")
    toggled = toggle_polarity(graph, edit["node"])
    assert set(toggled.triples) == set(graph.triples) ^ {negation}
    assert problem_of(toggled) is None
    edits = [found for found in candidates(graph, Perturbation.POLARITY_NEGATION) if found.node == edit["node"]]
    if negation in graph.triples:  # the foil takes a negation away, which is no edit of the paper
        assert edits == []
    else:
        assert [set(found.graph.triples) for found in edits] == [set(toggled.triples)]


@pytest.mark.parametrize(("graph", "edit"), pairs(Perturbation.ROLE_SWAP))
def test_role_swap(graph: Graph, edit: dict[str, str]) -> None:
    (found,) = (found for found in candidates(graph, Perturbation.ROLE_SWAP) if found.node == edit["node"])
    node = edit["node"]
    for role, other in ((":ARG0", ":ARG1"), (":ARG1", ":ARG0")):
        assert {edge.target for edge in found.graph.edges(node, role)} == {e.target for e in graph.edges(node, other)}


@pytest.mark.parametrize("perturbation", [Perturbation.ANTONYM_REPLACEMENT, Perturbation.HYPERNYM_SUBSTITUTION])
@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item["id"])
def test_replacement(item: dict[str, Any], perturbation: Perturbation) -> None:
    graph, edit = penman.decode(item["amr"]), item["edits"][perturbation.value]
    node, old, new = edit["node"], edit["old"], edit["new"]
    expected = replace_concept(graph, node, frames.split(new)[0])
    assert lemma_triples(expected) == (
        lemma_triples(graph) - {(node, ":instance", frames.split(old)[0])} | {(node, ":instance", frames.split(new)[0])}
    )
    assert frames.is_frame(dict(zip(*_concepts(expected), strict=True))[node]) == frames.is_frame(new)
    assert set(replace_concept(graph, node, new).triples) == (
        set(graph.triples) - {(node, ":instance", old)} | {(node, ":instance", new)}
    )
    found = [lemma_triples(each.graph) for each in candidates(graph, perturbation, GoldLexicon()) if each.node == node]
    assert lemma_triples(expected) in found


def _concepts(graph: Graph) -> tuple[list[str], list[str]]:
    instances = graph.instances()
    return [each.source for each in instances], [each.target for each in instances]


def test_yes_no_questions_have_no_negation_foil_and_no_candidate() -> None:
    (item,) = (item for item in ITEMS if item["foils"]["PolarityNegation"] is None)
    assert candidates(penman.decode(item["amr"]), Perturbation.POLARITY_NEGATION) == []
