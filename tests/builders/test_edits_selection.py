import os
import subprocess
import sys
from pathlib import Path

import penman
from strategies import AWKWARD, TableLexicon

from alee_mteb.perturbations import Perturbation
from builders.edits import candidates, choose, edits_to_try

GRAPH = penman.decode(
    "(a / and :op1 (s / say-01 :ARG0 (p / puppy) :ARG1 (c / chase-01 :ARG0 p :ARG1 (b / boy)))"
    " :op2 (g / go-02 :ARG0 b) :op3 (r / run-02 :ARG0 p) :op4 (e / eat-01 :ARG0 b :ARG1 (f / fish)))"
)
NEGATION = Perturbation.POLARITY_NEGATION


def test_choosing_permutes() -> None:
    edits = candidates(GRAPH, NEGATION)
    chosen = choose(edits, 1, "x", NEGATION)
    assert [edit.node for edit in edits] == ["s", "c", "g", "r", "e"]
    assert sorted(edit.node for edit in chosen) == sorted(edit.node for edit in edits)


def test_the_order_depends_on_seed_source_and_perturbation_alone() -> None:
    edits = candidates(GRAPH, NEGATION)

    def order(seed: int, source: str, perturbation: Perturbation = NEGATION) -> str:
        return "".join(edit.node for edit in choose(edits, seed, source, perturbation))

    assert order(1, "x") == order(1, "x")
    assert len({order(seed, "x") for seed in range(20)}) > 10
    assert len({order(1, f"x{i}") for i in range(20)}) > 10
    assert len({order(1, "x", perturbation) for perturbation in Perturbation}) > 1
    assert {order(seed, "x")[0] for seed in range(60)} == set("scgre")  # every node comes first at times


def test_the_usual_word_of_every_node_comes_before_the_rarer_words_of_any() -> None:
    lexicon = TableLexicon(
        hypernyms={("puppy", "n"): ["dog", "animal", "thing"], ("boy", "n"): ["child"], ("fish", "n"): ["food", "prey"]}
    )
    kind = Perturbation.HYPERNYM_SUBSTITUTION
    for seed in range(10):
        words = [edit.new for edit in edits_to_try(GRAPH, kind, seed, "x", lexicon)]
        assert (set(words[:3]), set(words[3:5]), words[5]) == ({"dog", "child", "food"}, {"animal", "prey"}, "thing")


SCRIPT = """
import penman
from strategies import AWKWARD
from alee_mteb.perturbations import Perturbation
from builders.edits import edits_to_try
graph = penman.decode({text!r})
for mode in ("paper", "released"):
    for kind in Perturbation:
        for edit in edits_to_try(graph, kind, 7, "doc-1", AWKWARD, mode):
            print(mode, kind.code, edit.node, edit.old, edit.new, penman.encode(edit.graph, indent=None))
"""


def test_the_same_edits_under_every_hash_seed() -> None:
    folder = Path(__file__).resolve().parent
    script = SCRIPT.format(text=penman.encode(GRAPH))
    outputs = set()
    for hash_seed in ("1", "2"):
        path = os.pathsep.join([str(folder), str(folder.parents[1]), os.environ.get("PYTHONPATH", "")])
        env = os.environ | {"PYTHONHASHSEED": hash_seed, "PYTHONPATH": path}
        run = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, check=True)
        outputs.add(run.stdout)
    (output,) = outputs
    here = [edit.node for edit in edits_to_try(GRAPH, NEGATION, 7, "doc-1", AWKWARD)]
    assert [line.split()[2] for line in output.splitlines() if line.startswith("paper PN")] == here
