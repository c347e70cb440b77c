import penman
import pytest
from penman.surface import alignments
from strategies import CountedLexicon, TableLexicon

from builders.edits import antonym, hypernym, replace_concept

LEXICON = TableLexicon(
    antonyms={
        ("dirty", "v"): ["clean"],
        ("dirty", "a"): ["spotless"],
        ("morning", "n"): ["evening"],
        ("young", "a"): ["old"],
        ("sit down", "v"): ["stand up"],
        ("person", "n"): ["nobody"],
        ("monday", "n"): ["friday"],
        ("day", "n"): ["night"],
        ("two", "n"): ["three"],
        ("he", "n"): ["she"],
        ("and", "n"): ["or"],
        ("name", "n"): ["nickname"],
        ("have org role", "v"): ["lack"],
        ("country", "n"): ["sea"],
    },
    hypernyms={("puppy", "n"): ["dog", "animal"], ("garden", "n"): ["plot of land"], ("chase", "v"): ["follow"]},
)


def test_every_word_and_antonym_in_the_order_of_the_text() -> None:
    graph = penman.decode("(s / sit-down-02 :ARG1 (b / boy :mod (y / young)) :time (m / morning))")
    edits = antonym.candidates(graph, LEXICON)
    assert [(edit.node, edit.old, edit.new) for edit in edits] == [
        ("s", "sit-down-02", "stand-up-01"),
        ("y", "young", "old"),
        ("m", "morning", "evening"),
    ]
    assert penman.encode(edits[1].graph, indent=None) == (
        "(s / sit-down-02 :ARG1 (b / boy :mod (y / old)) :time (m / morning))"
    )


def test_hypernyms_keep_the_order_of_the_lexicon() -> None:
    graph = penman.decode("(c / chase-01 :ARG0 (p / puppy) :location (g / garden))")
    edits = hypernym.candidates(graph, LEXICON)
    assert [(edit.node, edit.new) for edit in edits] == [
        ("c", "follow-01"), ("p", "dog"), ("p", "animal"), ("g", "plot-of-land"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        '(c / country :name (n / name :op1 "Peru"))',  # what carries a name, and the name
        "(d / date-entity :weekday (m / monday))",
        "(t / temporal-quantity :quant 2 :unit (d / day))",
        "(t / two)",
        "(h / he)",
        "(a / and :op1 (i / i) :op2 (y / you))",
        "(p / person :ARG0-of (t / teach-01))",  # "teacher"
        "(h / have-org-role-91 :ARG0 (i / i))",
    ],
)
def test_what_is_no_word_of_the_sentence_is_left_alone(text: str) -> None:
    assert antonym.candidates(penman.decode(text), LEXICON) == []


def test_parts_of_the_day_are_words_although_they_stand_in_a_date() -> None:
    graph = penman.decode("(d / date-entity :dayperiod (m / morning) :mod (t / this))")
    assert [edit.new for edit in antonym.candidates(graph, LEXICON)] == ["evening"]


def test_a_person_who_is_a_word_can_be_replaced() -> None:
    graph = penman.decode("(s / sleep-01 :ARG0 (p / person :quant 5))")
    assert [edit.new for edit in antonym.candidates(graph, LEXICON)] == ["nobody"]


def test_a_frame_with_an_agent_is_a_verb_and_one_without_is_what_it_mostly_is() -> None:
    counted = CountedLexicon(
        counts={("dirty", "v"): (1, 0), ("dirty", "a"): (12, 15)},
        antonyms={("dirty", "v"): ["clean"], ("dirty", "a"): ["spotless"]},
        hypernyms={("dirty", "v"): ["change"]},
    )
    verb = penman.decode("(d / dirty-01 :ARG0 (b / boy) :ARG1 (f / floor))")
    adjective = penman.decode("(f / floor :ARG1-of (d / dirty-02))")
    assert [edit.new for edit in antonym.candidates(verb, counted)] == ["clean-01"]
    assert [edit.new for edit in antonym.candidates(adjective, counted)] == ["spotless-01"]
    assert [edit.new for edit in hypernym.candidates(verb, counted)] == ["change-01"]
    assert hypernym.candidates(adjective, counted) == []
    assert [edit.new for edit in antonym.candidates(adjective, LEXICON)] == ["clean-01"]  # without counts: verb first


def test_a_frame_is_a_noun_only_if_it_is_nothing_else() -> None:
    counted = CountedLexicon(
        counts={("attack", "v"): (6, 1), ("attack", "n"): (9, 99), ("fraud", "n"): (3, 4)},
        hypernyms={("attack", "v"): ["fight"], ("attack", "n"): ["operation"], ("fraud", "n"): ["crime"]},
    )
    graph = penman.decode("(a / attack-01 :ARG1 (f / fraud-01))")
    assert [edit.new for edit in hypernym.candidates(graph, counted)] == ["fight-01", "crime-01"]


def test_a_modifier_is_what_it_mostly_is_and_an_argument_a_noun() -> None:
    counted = CountedLexicon(
        counts={("general", "n"): (3, 40), ("general", "a"): (6, 91)}, hypernyms={("general", "n"): ["officer"]}
    )
    modifier = penman.decode("(r / rule :mod (g / general))")
    argument = penman.decode("(s / sleep-01 :ARG0 (g / general))")
    assert hypernym.candidates(modifier, counted) == []
    assert [edit.new for edit in hypernym.candidates(argument, counted)] == ["officer"]


def test_a_preposition_is_no_noun() -> None:
    counted = CountedLexicon(
        counts={("behind", "n"): (1, 0), ("behind", "r"): (5, 9)}, hypernyms={("behind", "n"): ["body part"]}
    )
    assert hypernym.candidates(penman.decode("(b / behind :op1 (h / house))"), counted) == []


def test_a_replaced_concept_loses_its_alignment_alone() -> None:
    graph = penman.decode("(c / chase-01~e.2 :ARG0 (p / puppy~e.1) :ARG1 (k / cat~e.4))")
    (edit, _) = (edit for edit in hypernym.candidates(graph, LEXICON) if edit.node == "p")
    assert {triple[2] for triple in alignments(edit.graph)} == {"chase-01", "cat"}
    assert {triple[2] for triple in alignments(graph)} == {"chase-01", "puppy", "cat"}


def test_replacing_by_hand() -> None:
    graph = penman.decode("(f / floor :ARG1-of (d / dirty-02))")
    assert penman.encode(replace_concept(graph, "d", "clean"), indent=None) == "(f / floor :ARG1-of (d / clean-01))"
    with pytest.raises(ValueError, match="cannot stand"):
        replace_concept(graph, "d", "a/b")
    with pytest.raises(ValueError, match="node 'x' is not in the graph"):
        replace_concept(graph, "x", "clean")
