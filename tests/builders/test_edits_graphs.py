import penman
import pytest
from penman import Graph

from alee_mteb.perturbations import Perturbation
from builders.edits import candidates, problem_of


@pytest.mark.parametrize(
    ("graph", "problem"),
    [
        (penman.decode("(b / boy :mod (o / old))"), None),
        (penman.decode("()"), "no top"),
        (Graph([]), "no top"),
        (penman.decode("(b / boy :mod (o))"), "variable 'o' has no concept"),
        (Graph([("b", ":instance", "boy"), ("b", ":instance", "man")]), "variable 'b' has several concepts"),
        (Graph([("b", ":instance", "boy"), ("g", ":instance", "girl")]), "disconnected"),
        (Graph([("b", ":instance", "boy"), ("b", ":mod", "x~1")]), "reads differently once written"),
        (
            Graph([("b", ":instance", "boy"), ("b", ":mod", "a b")]),
            "cannot be written as text and read again (DecodeError)",
        ),
    ],
)
def test_what_makes_a_graph_ill_formed(graph: Graph, problem: str | None) -> None:
    assert problem_of(graph) == problem


def test_a_triple_that_stands_twice_is_edited_once() -> None:
    text = "(c / chase-01 :ARG0 (p / puppy :mod (b / big) :mod b) :ARG0 p :ARG1 (k / cat) :ARG1 k)"
    (edit,) = candidates(penman.decode(text), Perturbation.ROLE_SWAP)
    assert penman.encode(edit.graph, indent=None) == ("(c / chase-01 :ARG0 (k / cat) :ARG1 (p / puppy :mod (b / big)))")


def test_antonyms_and_hypernyms_need_a_lexicon() -> None:
    with pytest.raises(ValueError, match="antonym replacement needs a lexicon"):
        candidates(penman.decode("(b / boy)"), Perturbation.ANTONYM_REPLACEMENT)
