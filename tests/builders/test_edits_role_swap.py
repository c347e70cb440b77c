import penman
import pytest
from penman import Graph
from penman.surface import alignments, role_alignments

from builders.edits import role_swap


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "(c / chase-01 :ARG0 (p / puppy :mod (b / big)) :ARG1 (c2 / cat) :time (n / now))",
            "(c / chase-01 :ARG0 (c2 / cat) :ARG1 (p / puppy :mod (b / big)) :time (n / now))",
        ),
        (  # the relative clause: the woman who greeted the baker, the woman whom the baker greeted
            "(s / sleep-01 :ARG0 (w / woman :ARG0-of (g / greet-01 :ARG1 (b / baker))))",
            "(s / sleep-01 :ARG0 (w / woman :ARG1-of (g / greet-01 :ARG0 (b / baker))))",
        ),
        (  # the last branch closes more nodes than its own
            "(s / say-01 :ARG1 (c / chase-01 :ARG0 (p / puppy) :ARG1 (c2 / cat :mod (o / old))))",
            "(s / say-01 :ARG1 (c / chase-01 :ARG0 (c2 / cat :mod (o / old)) :ARG1 (p / puppy)))",
        ),
        (  # several fillers
            "(l / light-04 :ARG0 (a / ann) :ARG0 (b / bob) :ARG1 (c / lamp))",
            "(l / light-04 :ARG0 (c / lamp) :ARG1 (a / ann) :ARG1 (b / bob))",
        ),
        (  # one shared filler
            "(l / like-01 :ARG0 (a / ann) :ARG0 (b / bob) :ARG1 a)",
            "(l / like-01 :ARG0 (a / ann) :ARG1 a :ARG1 (b / bob))",
        ),
        (  # both inverse
            "(a / and :op1 (b / boy :ARG0-of (l / like-01)) :op2 (g / girl :ARG1-of l))",
            "(a / and :op1 (b / boy :ARG1-of (l / like-01)) :op2 (g / girl :ARG0-of l))",
        ),
        (  # special frames too
            "(h / have-rel-role-91 :ARG0 (i / i) :ARG1 (y / you) :ARG2 (t / teacher))",
            "(h / have-rel-role-91 :ARG0 (y / you) :ARG1 (i / i) :ARG2 (t / teacher))",
        ),
    ],
)
def test_fillers_change_places_with_all_that_hangs_on_them(before: str, after: str) -> None:
    (edit,) = role_swap.candidates(penman.decode(before))
    assert penman.encode(edit.graph, indent=None) == after


def test_a_node_is_written_out_where_it_is_mentioned_first() -> None:
    graph = penman.decode("(t / try-01 :ARG0 (d / dog :mod (o / old)) :ARG1 (b / bark-01 :ARG0 d :ARG1 (m / man)))")
    first, second = role_swap.candidates(graph)
    assert penman.encode(first.graph, indent=None) == (
        "(t / try-01 :ARG0 (b / bark-01 :ARG0 (d / dog :mod (o / old)) :ARG1 (m / man)) :ARG1 d)"
    )
    assert penman.encode(second.graph, indent=None) == (
        "(t / try-01 :ARG0 (d / dog :mod (o / old)) :ARG1 (b / bark-01 :ARG0 (m / man) :ARG1 d))"
    )
    assert (first.node, first.old, first.new) == ("t", ":ARG0 d :ARG1 b", ":ARG0 b :ARG1 d")


@pytest.mark.parametrize(
    "text",
    [
        "(s / sleep-01 :ARG0 (b / boy))",
        "(w / wash-01 :ARG0 (b / boy) :ARG1 b)",  # washes himself
        '(m / mutate-01 :ARG0 (g / gene) :ARG1 "V600E")',  # a constant fills no role
        "(l / like-01 :ARG0 (b / boy) :ARG1 (b2 / boy))",  # the same graph under other names
    ],
)
def test_no_candidate_where_the_swap_changes_nothing(text: str) -> None:
    assert role_swap.candidates(penman.decode(text)) == []


def test_like_nodes_that_differ_in_what_hangs_on_them_are_swapped() -> None:
    graph = penman.decode("(l / like-01 :ARG0 (b / boy :mod (o / old)) :ARG1 (b2 / boy))")
    assert [edit.node for edit in role_swap.candidates(graph)] == ["l"]


def test_fillers_keep_their_alignments_and_exchanged_edges_lose_theirs() -> None:
    text = "(c / chase-01~e.2 :ARG0~e.1 (p / puppy~e.0) :ARG1~e.3 (c2 / cat~e.4) :time~e.5 (n / now~e.6))"
    (edit,) = role_swap.candidates(penman.decode(text))
    concepts = {triple[2]: marker.indices for triple, marker in alignments(edit.graph).items()}
    assert concepts == {"chase-01": (2,), "puppy": (0,), "cat": (4,), "now": (6,)}
    assert list(role_alignments(edit.graph)) == [("c", ":time", "n")]


def test_a_mention_that_changes_its_role_loses_its_alignment_and_a_constant_keeps_it() -> None:
    text = (
        '(w / want-01 :ARG0 (b / boy) :ARG1 (h / help-01 :ARG0 b~e.3 :ARG1 (d / dog) :ARG1 "Rex"~e.5) :time (n / now))'
    )
    (edit,) = (edit for edit in role_swap.candidates(penman.decode(text)) if edit.node == "h")
    assert penman.encode(edit.graph, indent=None) == (
        '(w / want-01 :ARG0 (b / boy) :ARG1 (h / help-01 :ARG0 (d / dog) :ARG0 "Rex"~e.5 :ARG1 b) :time (n / now))'
    )


def test_a_graph_without_layout_markers_is_laid_out() -> None:
    triples = [
        ("c", ":instance", "chase-01"), ("p", ":instance", "puppy"), ("k", ":instance", "cat"),
        ("c", ":ARG0", "p"), ("c", ":ARG1", "k"),
    ]  # fmt: skip
    (edit,) = role_swap.candidates(Graph(triples, top="c"))
    assert penman.encode(edit.graph, indent=None) == "(c / chase-01 :ARG0 (k / cat) :ARG1 (p / puppy))"
