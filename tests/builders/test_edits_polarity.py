import penman
import pytest

from builders.edits import polarity, toggle_polarity


def test_every_predicate_is_a_candidate_in_the_order_of_the_text() -> None:
    graph = penman.decode("(w / want-01 :ARG0 (b / boy) :ARG1 (g / go-02 :ARG0 b :ARG1-of (q / quick-02)))")
    edits = polarity.candidates(graph)
    assert [edit.node for edit in edits] == ["w", "g", "q"]
    assert {(edit.old, edit.new) for edit in edits} == {("+", "-")}


def test_the_negation_stands_right_after_the_concept() -> None:
    graph = penman.decode("(b / believe-01 :ARG0 (d / doctor) :ARG1 (w / work-09 :ARG0 (t / treat-03)))")
    texts = [penman.encode(edit.graph, indent=None) for edit in polarity.candidates(graph)]
    assert texts == [
        "(b / believe-01 :polarity - :ARG0 (d / doctor) :ARG1 (w / work-09 :ARG0 (t / treat-03)))",
        "(b / believe-01 :ARG0 (d / doctor) :ARG1 (w / work-09 :polarity - :ARG0 (t / treat-03)))",
        "(b / believe-01 :ARG0 (d / doctor) :ARG1 (w / work-09 :ARG0 (t / treat-03 :polarity -)))",
    ]


def test_a_negated_leaf_is_closed_before_it_is_mentioned_again() -> None:
    (edit, _) = polarity.candidates(penman.decode("(w / want-01 :ARG1 (g / go-02) :ARG2 g)"))[::-1]
    assert penman.encode(edit.graph, indent=None) == "(w / want-01 :ARG1 (g / go-02 :polarity -) :ARG2 g)"


@pytest.mark.parametrize(
    "text",
    [
        '(p / person :name (n / name :op1 "Amina"))',
        "(d / date-entity :year 2021)",
        "(h / he)",
        "(g / go-02 :polarity -)",
        "(g / go-02 :polarity (a / amr-unknown))",  # "does he go?"
        "(g / go-02 :mode interrogative)",
        "(h / have-polarity-91 :ARG1 (g / go-02) :ARG2 -)",
        "(p / person :ARG0-of (h / have-org-role-91 :ARG2 (m / mayor)))",  # the mayor
        "(i / include-91 :ARG1 (p / person))",
    ],
)
def test_what_is_no_predicate_or_has_its_polarity_already_is_not_negated(text: str) -> None:
    assert polarity.candidates(penman.decode(text)) == []


@pytest.mark.parametrize(
    ("text", "nodes"),
    [
        ("(h / have-degree-91 :ARG1 (b / bicycle) :ARG2 (f / fast) :ARG3 (m / more))", ["h"]),
        ("(s / say-01 :ARG1 (h / have-org-role-91 :ARG0 (i / i) :ARG2 (m / mayor)))", ["s", "h"]),
        ("(g / go-02 :mode imperative :ARG0 (y / you))", ["g"]),
        ("(a / ask-01 :ARG1 (g / go-02 :mode interrogative))", ["a"]),
    ],
)
def test_special_frames_count_where_they_say_something(text: str, nodes: list[str]) -> None:
    assert [edit.node for edit in polarity.candidates(penman.decode(text))] == nodes


def test_toggling_takes_a_negation_away_and_puts_it_back() -> None:
    negative = penman.decode("(s / say-01 :ARG1 (g / go-02 :ARG0 (h / he) :polarity -) :time (n / now))")
    positive = toggle_polarity(negative, "g")
    assert penman.encode(positive, indent=None) == "(s / say-01 :ARG1 (g / go-02 :ARG0 (h / he)) :time (n / now))"
    assert set(toggle_polarity(positive, "g").triples) == set(negative.triples)


def test_toggling_a_marked_positive_makes_it_negative() -> None:
    graph = toggle_polarity(penman.decode("(g / go-02 :polarity +)"), "g")
    assert penman.encode(graph, indent=None) == "(g / go-02 :polarity -)"


def test_toggling_an_unknown_node_is_refused() -> None:
    with pytest.raises(ValueError, match="node 'x' is not in the graph"):
        toggle_polarity(penman.decode("(g / go-02)"), "x")
