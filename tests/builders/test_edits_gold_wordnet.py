"""WordNet antonyms and hypernyms on every gold graph of The Little Prince and Bio AMR."""

import penman
import pytest
from strategies import GOLD, GOLD_FOLDER, gold, snapshot, why_broken

from alee_mteb.perturbations import Perturbation
from builders.edits import candidates, edits_to_try
from builders.lexicon import WordNetLexicon

pytestmark = [
    pytest.mark.shared,
    pytest.mark.wordnet,
    pytest.mark.skipif(not GOLD_FOLDER.is_dir(), reason="needs the gold graphs in ../shared/data/amr"),
]


@pytest.mark.parametrize("name", GOLD)
def test_every_antonym_keeps_its_graph_whole(name: str, wordnet: WordNetLexicon) -> None:
    for graph in gold(name):
        before = snapshot(graph)
        for edit in candidates(graph, Perturbation.ANTONYM_REPLACEMENT, wordnet):
            assert why_broken(edit.graph) is None, graph.metadata["id"]
        assert snapshot(graph) == before


@pytest.mark.parametrize("name", GOLD)
def test_every_hypernym_changes_one_word_of_the_text(name: str, wordnet: WordNetLexicon) -> None:
    """The text of one edit per node is read back; reading all 40,000 would take minutes."""
    for graph in gold(name):
        before, seen = snapshot(graph), set()
        for edit in candidates(graph, Perturbation.HYPERNYM_SUBSTITUTION, wordnet):
            changed = {(edit.node, ":instance", edit.old), (edit.node, ":instance", edit.new)}
            assert set(edit.graph.triples) ^ set(graph.triples) == changed
            if edit.node not in seen:
                seen.add(edit.node)
                assert set(penman.decode(penman.encode(edit.graph)).triples) == set(edit.graph.triples)
        assert snapshot(graph) == before


@pytest.mark.parametrize("name", GOLD)
def test_the_draws_of_released_mode_keep_their_graphs_whole(name: str, wordnet: WordNetLexicon) -> None:
    for graph in gold(name):
        for perturbation in (Perturbation.ANTONYM_REPLACEMENT, Perturbation.HYPERNYM_SUBSTITUTION):
            for edit in edits_to_try(graph, perturbation, 1, graph.metadata["id"], wordnet, "released"):
                assert why_broken(edit.graph) is None, graph.metadata["id"]
