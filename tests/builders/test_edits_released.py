import penman
import pytest
from strategies import CountedLexicon, TableLexicon

from alee_mteb.perturbations import Perturbation
from builders.edits import edits_to_try

SEEDS = range(80)
LEXICON = CountedLexicon(
    counts={("good", "n"): (4, 26), ("good", "a"): (21, 256), ("light", "n"): (15, 1), ("light", "v"): (6, 99)},
    antonyms={("good", "a"): ["bad", "evil"], ("good", "n"): ["badness"], ("light", "v"): ["extinguish"]},
    hypernyms={("light", "n"): ["visible radiation", "device"], ("person", "n"): ["organism"]},
)


def drawn(text: str, perturbation: Perturbation, lexicon: CountedLexicon | None = None) -> set[str]:
    graph = penman.decode(text)
    found = set()
    for seed in SEEDS:
        edits = edits_to_try(graph, perturbation, seed, "x", lexicon, "released")
        assert len(edits) <= 1
        found |= {penman.encode(edit.graph, indent=None) for edit in edits}
    return found


def test_polarity_goes_to_any_node() -> None:
    assert drawn('(s / sleep-01 :ARG0 (p / person :name (n / name :op1 "Kenji")))', Perturbation.POLARITY_NEGATION) == {
        '(s / sleep-01 :polarity - :ARG0 (p / person :name (n / name :op1 "Kenji")))',
        '(s / sleep-01 :ARG0 (p / person :polarity - :name (n / name :op1 "Kenji")))',
        '(s / sleep-01 :ARG0 (p / person :name (n / name :polarity - :op1 "Kenji")))',
    }


def test_any_two_leaves_trade_places() -> None:
    assert drawn("(c / chase-01 :ARG1 (k / cat) :location (g / garden :mod (o / old)))", Perturbation.ROLE_SWAP) == {
        "(c / chase-01 :ARG1 (k / old) :location (g / garden :mod (o / cat)))",
    }
    three = drawn("(c / chase-01 :ARG0 (p / puppy) :ARG1 (k / cat) :time (n / now))", Perturbation.ROLE_SWAP)
    assert len(three) == 3
    assert drawn("(c / chase-01 :ARG0 (p / puppy))", Perturbation.ROLE_SWAP) == set()


def test_all_senses_of_the_part_of_speech_with_most_senses_and_the_old_suffix() -> None:
    assert drawn("(g / good-02 :ARG0 (h / he))", Perturbation.ANTONYM_REPLACEMENT, LEXICON) == {
        "(g / bad-02 :ARG0 (h / he))",
        "(g / evil-02 :ARG0 (h / he))",
    }
    # "light" has most senses as a noun: the frame's verb is passed over
    assert drawn("(l / light-04 :ARG0 (h / he))", Perturbation.ANTONYM_REPLACEMENT, LEXICON) == set()
    assert drawn("(l / light-04 :ARG0 (h / he))", Perturbation.HYPERNYM_SUBSTITUTION, LEXICON) == {
        "(l / visible-radiation-04 :ARG0 (h / he))",
        "(l / device-04 :ARG0 (h / he))",
    }


def test_the_draw_is_seeded() -> None:
    graph = penman.decode("(c / chase-01 :ARG0 (p / puppy) :ARG1 (k / cat) :time (n / now))")
    for kind in (Perturbation.POLARITY_NEGATION, Perturbation.ROLE_SWAP):
        first, second = (edits_to_try(graph, kind, 5, "x", None, "released") for _ in range(2))
        assert [edit.graph.triples for edit in first] == [edit.graph.triples for edit in second]


def test_a_lexicon_that_counts_no_senses_is_refused() -> None:
    with pytest.raises(ValueError, match="'table' does not"):
        edits_to_try(penman.decode("(b / boy)"), Perturbation.ANTONYM_REPLACEMENT, 1, "x", TableLexicon(), "released")
    with pytest.raises(ValueError, match="needs a lexicon"):
        edits_to_try(penman.decode("(b / boy)"), Perturbation.HYPERNYM_SUBSTITUTION, 1, "x", None, "released")
