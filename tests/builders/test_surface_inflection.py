"""Word forms, articles and the case of a replaced word."""

import pytest

pytest.importorskip("lemminflect", reason="needs lemminflect")

from builders.surface.changes import Change, RefusedError, apply, cased_like
from builders.surface.inflection import Inflector, article_for, is_short
from builders.surface.quotes import plain


@pytest.fixture(scope="module")
def inflector() -> Inflector:
    return Inflector()


@pytest.mark.parametrize(
    ("lemma", "tag", "form"),
    [
        ("cheap", "JJR", "cheaper"),
        ("hot", "JJR", "hotter"),
        ("happy", "JJS", "happiest"),
        ("large", "JJR", "larger"),
        ("expensive", "JJR", "more expensive"),
        ("difficult", "JJS", "most difficult"),
        ("good", "JJR", "better"),
        ("quickly", "RBR", "more quickly"),
        ("person", "NNS", "people"),
        ("wolf", "NNS", "wolves"),
        ("human being", "NNS", "human beings"),
        ("lose", "VBD", "lost"),
        ("forget", "VBG", "forgetting"),
        ("forget", "VBN", "forgotten"),
        ("reject", "VBZ", "rejects"),
    ],
)
def test_forms(inflector: Inflector, lemma: str, tag: str, form: str) -> None:
    assert inflector.inflect(lemma, tag) == form


@pytest.mark.parametrize(
    ("word", "lemma", "tag", "base"),
    [
        ("hopes", "hop", "VBZ", "hope"),
        ("found", "find", "VBD", "find"),
        ("left", "leave", "VBD", "leave"),
        ("hotboxed", "hotboxe", "VBD", "hotbox"),
    ],
)
def test_base_forms(inflector: Inflector, word: str, lemma: str, tag: str, base: str | None) -> None:
    assert inflector.base(word, lemma, tag) == base


@pytest.mark.parametrize(
    ("article", "word", "fitting"),
    [
        ("a", "apple", "an"),
        ("an", "dog", "a"),
        ("A", "hour", "An"),
        ("an", "university", "a"),
        ("an", "European", "a"),
        ("an", "one-way", "a"),
        ("a", "unimportant", "an"),
        ("a", "FBI", "an"),
        ("an", "UN", "a"),
        ("an", "UK", "a"),
        ("a", "honest", "an"),
        ("an", "house", "a"),
        ("AN", "DOG", "A"),
    ],
)
def test_articles(article: str, word: str, fitting: str) -> None:
    assert article_for(article, word) == fitting


def test_short_adjectives_are_compared_by_ending() -> None:
    assert [word for word in ("cheap", "early", "simple", "narrow", "modern", "honest") if is_short(word)] == [
        "cheap",
        "early",
        "simple",
        "narrow",
    ]


def test_a_new_word_takes_the_case_of_the_old() -> None:
    assert [cased_like("small", old) for old in ("big", "Big", "BIG", "A")] == ["small", "Small", "SMALL", "Small"]


def test_changes_are_made_at_their_place_and_never_overlap() -> None:
    assert apply("abcdef", [Change(4, 5, "E"), Change(0, 1, ""), Change(6, 6, "!")]) == "bcdEf!"
    with pytest.raises(RefusedError):
        apply("abcdef", [Change(0, 3, "x"), Change(2, 4, "y")])


def test_plain_quotes_have_the_same_length() -> None:
    text = "“It’s” ‘fine’ «there» now"
    assert plain(text) == '"It\'s" \'fine\' "there" now'
    assert len(plain(text)) == len(text)
