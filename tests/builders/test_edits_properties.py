"""Whatever the graph, an edit changes what it says it changes and nothing else."""

import logging
import re

import penman
import pytest
from hypothesis import assume, given, settings
from penman import Graph, Tree
from strategies import AWKWARD, graphs, snapshot, trees, why_broken

from alee_mteb.perturbations import Perturbation
from builders.edits import Mode, candidates, edits_to_try, problem_of, toggle_polarity

logging.getLogger("penman").setLevel(logging.ERROR)  # it warns of duplicate triples
many = settings(max_examples=250, deadline=None)


def whole(graph: Graph) -> Graph:
    assume(why_broken(graph) is None)
    return graph


@pytest.mark.parametrize("mode", ["paper", "released"])
@pytest.mark.parametrize("perturbation", list(Perturbation))
@given(graph=graphs())
@many
def test_an_edit_leaves_a_whole_graph_and_its_input_alone(perturbation: Perturbation, mode: Mode, graph: Graph) -> None:
    whole(graph)
    before = snapshot(graph)
    for edit in edits_to_try(graph, perturbation, 3, "x", AWKWARD, mode):
        assert edit.perturbation is perturbation
        assert why_broken(edit.graph) is None
        assert set(edit.graph.triples) != set(graph.triples)
        for notes in edit.graph.epidata.values():
            notes.clear()  # shares nothing with the input
        edit.graph.metadata.clear()
    assert snapshot(graph) == before


@given(graph=graphs())
@many
def test_negation_adds_one_triple(graph: Graph) -> None:
    whole(graph)
    for edit in candidates(graph, Perturbation.POLARITY_NEGATION):
        negation = (edit.node, ":polarity", "-")
        assert negation not in graph.triples
        assert set(edit.graph.triples) == {*graph.triples, negation}


@given(graph=graphs())
@many
def test_a_role_swap_renames_two_roles_of_one_node(graph: Graph) -> None:
    whole(graph)
    other = {":ARG0": ":ARG1", ":ARG1": ":ARG0"}
    for edit in candidates(graph, Perturbation.ROLE_SWAP):
        expected = {
            (source, other.get(role, role) if source == edit.node else role, target)
            for source, role, target in graph.triples
        }
        assert set(edit.graph.triples) == expected


@given(graph=graphs())
@many
def test_a_replacement_changes_one_concept(graph: Graph) -> None:
    whole(graph)
    for perturbation in (Perturbation.ANTONYM_REPLACEMENT, Perturbation.HYPERNYM_SUBSTITUTION):
        edits = candidates(graph, perturbation, AWKWARD)
        assert len({(edit.node, edit.new) for edit in edits}) == len(edits)
        for edit in edits:
            expected = {*graph.triples, (edit.node, ":instance", edit.new)} - {(edit.node, ":instance", edit.old)}
            assert set(edit.graph.triples) == expected


@given(graph=graphs())
@many
def test_candidates_follow_the_order_in_which_nodes_are_defined(graph: Graph) -> None:
    whole(graph)
    order = [source for source, role, _ in graph.triples if role == ":instance"]
    for perturbation in Perturbation:
        places = [order.index(edit.node) for edit in candidates(graph, perturbation, AWKWARD)]
        assert places == sorted(places)


def one_line(graph: Graph) -> str:
    return penman.encode(graph, indent=None)


@given(tree=trees())
@many
def test_the_rest_of_the_text_stays_as_it_is(tree: Tree) -> None:
    graph = penman.decode(penman.format(tree))
    assume(len(set(graph.triples)) == len(graph.triples))  # else penman itself lays the graph out anew
    text = one_line(graph)
    for edit in candidates(graph, Perturbation.POLARITY_NEGATION):
        concept = rf"(\({edit.node} / [^ ()]+)"
        assert re.sub(concept + " :polarity -", r"\1", one_line(edit.graph)) == text
        assert one_line(toggle_polarity(edit.graph, edit.node)) == text
    for perturbation in (Perturbation.ANTONYM_REPLACEMENT, Perturbation.HYPERNYM_SUBSTITUTION):
        for edit in candidates(graph, perturbation, AWKWARD):
            concept = rf"\({edit.node} / [^ ()]+"
            assert re.sub(concept, "_", one_line(edit.graph)) == re.sub(concept, "_", text)


@given(graph=graphs())
@many
def test_toggling_any_node_twice_restores_it(graph: Graph) -> None:
    whole(graph)
    before = snapshot(graph)
    for node in graph.variables():
        once = toggle_polarity(graph, node)
        assert why_broken(once) is None
        if (node, ":polarity", "+") not in graph.triples:
            assert set(toggle_polarity(once, node).triples) == set(graph.triples)
    assert snapshot(graph) == before


@given(graph=graphs())
@many
def test_the_check_agrees_with_an_independent_one(graph: Graph) -> None:
    assert (problem_of(graph) is None) == (why_broken(graph) is None)
