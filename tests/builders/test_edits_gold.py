"""Negation and role swap on every gold graph of The Little Prince and Bio AMR."""

import pytest
from penman import Graph
from strategies import GOLD, GOLD_FOLDER, gold, snapshot, why_broken

from alee_mteb.perturbations import Perturbation
from builders.edits import candidates, edits_to_try

pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not GOLD_FOLDER.is_dir(), reason="needs the gold graphs in ../shared/data/amr"),
]


def with_both_roles(graph: Graph) -> bool:
    def owners(role: str) -> set[str]:
        variables = graph.variables()
        return {source for source, name, target in graph.triples if name == role and target in variables}

    return bool(owners(":ARG0") & owners(":ARG1"))


@pytest.mark.parametrize("name", GOLD)
def test_all_graphs_are_read(name: str) -> None:
    assert len(gold(name)) == GOLD[name]


def test_role_swap_finds_835_of_the_844_little_prince_graphs_with_both_roles() -> None:
    with_roles = [graph for graph in gold("little-prince-training.txt") if with_both_roles(graph)]
    without = [graph for graph in with_roles if not candidates(graph, Perturbation.ROLE_SWAP)]
    assert (len(with_roles), len(without)) == (844, 9)
    for graph in without:  # the same node fills both roles
        pairs = {(source, target) for source, role, target in graph.triples if role == ":ARG0"}
        assert any((source, target) in pairs for source, role, target in graph.triples if role == ":ARG1")


@pytest.mark.parametrize("name", GOLD)
def test_every_negation_and_role_swap_keeps_its_graph_whole(name: str) -> None:
    for graph in gold(name):
        before = snapshot(graph)
        for perturbation in (Perturbation.POLARITY_NEGATION, Perturbation.ROLE_SWAP):
            for edit in candidates(graph, perturbation):
                assert why_broken(edit.graph) is None, graph.metadata["id"]
        assert snapshot(graph) == before


@pytest.mark.parametrize("name", GOLD)
def test_the_draws_of_released_mode_keep_their_graphs_whole(name: str) -> None:
    for graph in gold(name):
        for perturbation in (Perturbation.POLARITY_NEGATION, Perturbation.ROLE_SWAP):
            for edit in edits_to_try(graph, perturbation, 1, graph.metadata["id"], mode="released"):
                assert why_broken(edit.graph) is None, graph.metadata["id"]
