import pytest

from builders.edits import frames


@pytest.mark.parametrize(
    ("concept", "lemma", "sense"),
    [
        ("good-02", "good", "02"),
        ("sit-down-02", "sit-down", "02"),
        ("have-org-role-91", "have-org-role", "91"),
        ("puppy", "puppy", None),
        ("grown-up", "grown-up", None),
        ("wild-type", "wild-type", None),
        ("carbon-14", "carbon", "14"),  # a two-digit number after a hyphen is a sense to AMR
        ("x-1", "x-1", None),
        ("2-01", "2-01", None),
        ("-", "-", None),
    ],
)
def test_the_sense_of_a_frame_is_its_last_two_digits(concept: str, lemma: str, sense: str | None) -> None:
    assert frames.split(concept) == (lemma, sense)
    assert frames.is_frame(concept) == (sense is not None)


def test_special_frames_are_those_with_senses_from_90_up() -> None:
    assert frames.is_special("have-degree-91")
    assert frames.is_special("have-org-role-92")
    assert not frames.is_special("take-31")
    assert not frames.is_special("person")


def test_words_of_several_parts_are_looked_up_with_spaces_first() -> None:
    assert frames.lookups("sit-down") == ["sit down", "sit-down", "sitdown"]
    assert frames.lookups("Look_up") == ["look up", "look-up", "lookup"]
    assert frames.lookups("dog") == ["dog"]


@pytest.mark.parametrize(
    ("old", "word", "new"),
    [
        ("dirty-02", "clean", "clean-01"),  # a frame stays a frame
        ("dirty-02", "clean-04", "clean-04"),  # its own sense is kept
        ("puppy", "dog", "dog"),
        ("sit-down-02", "stand up", "stand-up-01"),
        ("sit-down-02", "stand_up", "stand-up-01"),
        ("grown-up", "Child", "child"),
        ("boy", "witches' broth", "witches'-broth"),
        ("chase-01", "chase", None),  # the same lemma
        ("chase-01", "chase-02", None),
        ("carbon", "carbon 14", None),  # would turn into a frame
        ("want-01", "be", None),  # AMR leaves the copula out
        ("boy", "24/7", None),
        ("boy", "(odd)", None),
        ("boy", "a:b", None),
        ("boy", "", None),
    ],
)
def test_a_word_takes_the_shape_of_the_concept_it_replaces(old: str, word: str, new: str | None) -> None:
    assert frames.concept_like(old, word) == new
