import re
from collections import Counter
from importlib.resources import files
from pathlib import Path

import pytest

from alee_mteb.errors import DataError
from builders import curated
from builders.curated import CuratedLexicon
from builders.lexicon import CountingLexicon
from builders.stages import Lexicon

#: Words so high in the hierarchy that a foil with them says nothing.
NEAR_TOP = {
    *("abstraction", "artifact", "attribute", "being", "creature", "entity", "human", "individual", "item", "matter"),
    *("object", "person", "phenomenon", "quality", "something", "stuff", "substance", "thing", "whole"),
}
WORD = re.compile(r"[a-z]+")


def table(name: str) -> list[list[str]]:
    """The lines of a table below its heading, read without the module under test."""
    text = (files("builders") / "lexicons" / name).read_text(encoding="utf-8")
    assert text.endswith("\n")
    return [line.split("\t") for line in text.splitlines()[1:]]


ANTONYMS = table("antonyms.tsv")
HYPERNYMS = table("hypernyms.tsv")


@pytest.fixture(scope="module")
def lexicon() -> CuratedLexicon:
    return CuratedLexicon()


def test_it_is_a_lexicon_that_does_not_pretend_to_count() -> None:
    lexicon: Lexicon = CuratedLexicon()  # checked by mypy
    assert lexicon.name == "curated"
    assert not isinstance(lexicon, CountingLexicon)


def test_the_tables_are_large_enough() -> None:
    assert len(ANTONYMS) >= 400
    assert len(HYPERNYMS) >= 600
    assert set(Counter(pos for _, _, pos, _, _ in ANTONYMS)) == {"a", "n", "r", "v"}


@pytest.mark.parametrize(
    ("lemma", "pos", "antonyms"),
    [
        ("hot", "a", ["cold"]),
        ("cold", "a", ["hot"]),
        ("increase", "v", ["decrease"]),
        ("increase", "n", ["decrease"]),
        ("big", "a", ["small"]),  # one direction: small amounts are the opposite of large ones
        ("small", "a", ["large"]),
        ("new", "a", ["old"]),
        ("old", "a", []),  # new or young?
        ("light", "a", []),
        ("right", "a", []),
        ("often", "r", ["rarely"]),
        ("hot", "n", []),
        ("Hot", "a", []),
        ("", "a", []),
    ],
)
def test_antonyms(lexicon: CuratedLexicon, lemma: str, pos: str, antonyms: list[str]) -> None:
    assert lexicon.antonyms(lemma, pos) == antonyms


@pytest.mark.parametrize(
    ("lemma", "pos", "hypernyms"),
    [
        ("dog", "n", ["animal"]),
        ("sparrow", "n", ["bird"]),
        ("surgeon", "n", ["doctor"]),
        ("mother", "n", ["parent"]),
        ("beef", "n", ["meat"]),
        ("dog", "v", []),
        ("bank", "n", []),
        ("bat", "n", []),
        ("animal", "n", []),
    ],
)
def test_hypernyms(lexicon: CuratedLexicon, lemma: str, pos: str, hypernyms: list[str]) -> None:
    assert lexicon.hypernyms(lemma, pos) == hypernyms


def test_answers_cannot_be_spoilt_by_whoever_gets_them(lexicon: CuratedLexicon) -> None:
    lexicon.antonyms("hot", "a").append("tepid")
    assert CuratedLexicon().antonyms("hot", "a") == ["cold"]


def test_fixed_phrases_belong_to_the_word_that_is_in_them(lexicon: CuratedLexicon) -> None:
    assert "high school" in lexicon.fixed_phrases("high", "a")
    assert "high school" not in lexicon.fixed_phrases("low", "a")
    assert "as possible" in lexicon.fixed_phrases("possible", "a")
    assert lexicon.fixed_phrases("impossible", "a") == ()
    assert lexicon.fixed_phrases("flood", "n") == ("flood of",)  # in both tables
    assert lexicon.fixed_phrases("no such word", "n") == ()


def test_mass_nouns(lexicon: CuratedLexicon) -> None:
    assert lexicon.is_mass("beef") is True
    assert lexicon.is_mass("dog") is False
    assert lexicon.is_mass("animal") is None


@pytest.mark.parametrize("rows", [ANTONYMS, HYPERNYMS], ids=["antonyms", "hypernyms"])
def test_lines_are_sorted_and_well_formed(rows: list[list[str]]) -> None:
    keys = [(lemma, pos) for lemma, _, pos, _, _ in rows]
    assert keys == sorted(keys)
    assert len(keys) == len(set(keys))
    for lemma, other, _, _, not_in in rows:
        assert WORD.fullmatch(lemma), lemma
        assert WORD.fullmatch(other), other
        assert lemma != other
        assert not not_in or re.fullmatch(r"[a-z']+( [a-z']+)+(; [a-z']+( [a-z']+)+)*", not_in), not_in


@pytest.mark.parametrize("rows", [ANTONYMS, HYPERNYMS], ids=["antonyms", "hypernyms"])
def test_every_fixed_phrase_has_a_replaceable_word_of_its_line(rows: list[list[str]]) -> None:
    for lemma, other, _, setting, not_in in rows:
        replaceable = {lemma, other} if setting == "both" else {lemma}
        for phrase in filter(None, not_in.split("; ")):
            assert replaceable & set(phrase.split()), (lemma, phrase)


def test_no_word_has_two_antonyms() -> None:
    """So that no pair is listed twice either, the other way round included."""
    asked = [(lemma, pos) for lemma, _, pos, _, _ in ANTONYMS]
    asked += [(antonym, pos) for _, antonym, pos, direction, _ in ANTONYMS if direction == "both"]
    assert [word for word, count in Counter(asked).items() if count > 1] == []


def test_directions_do_what_they_say(lexicon: CuratedLexicon) -> None:
    for lemma, antonym, pos, direction, _ in ANTONYMS:
        assert lexicon.antonyms(lemma, pos) == [antonym]
        assert direction in ("both", "one")
        assert (lexicon.antonyms(antonym, pos) == [lemma]) == (direction == "both"), (lemma, antonym)


def test_hypernym_chains_end_below_the_top(lexicon: CuratedLexicon) -> None:
    for lemma, hypernym, pos, mass, _ in HYPERNYMS:
        assert pos == "n"
        assert mass in ("yes", "no")
        assert lexicon.hypernyms(lemma, "n") == [hypernym]
        chain = [lemma]
        while above := lexicon.hypernyms(chain[-1], "n"):
            assert above[0] not in chain, chain
            assert above[0] not in NEAR_TOP, chain
            chain += above


def test_mass_and_countable_nouns_are_not_mixed(lexicon: CuratedLexicon) -> None:
    for lemma, hypernym, _, mass, _ in HYPERNYMS:
        assert lexicon.is_mass(hypernym) in (None, mass == "yes"), lemma


def test_no_hypernym_is_an_antonym(lexicon: CuratedLexicon) -> None:
    for lemma, hypernym, _, _, _ in HYPERNYMS:
        assert lexicon.antonyms(lemma, "n") != [hypernym], lemma


@pytest.mark.parametrize("damage", ["hot\tcold\n", "lemma\tantonym\tpos\tdirection\tnot_in\nhot cold a both\n"])
def test_a_damaged_table_is_named(damage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lexicons").mkdir()
    (tmp_path / "lexicons" / "antonyms.tsv").write_text(damage)
    monkeypatch.setattr(curated, "files", lambda _: tmp_path)
    with pytest.raises(DataError, match=r"builders/lexicons/antonyms\.tsv, line [12]"):
        curated.antonym_table.__wrapped__()


def test_a_missing_table_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(curated, "files", lambda _: tmp_path)
    with pytest.raises(DataError, match="install alee-mteb again"):
        curated.hypernym_table.__wrapped__()
