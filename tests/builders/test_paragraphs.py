"""Sentences at exact offsets."""

import importlib.util
from functools import cache
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders.paragraphs import editable, punkt, replace, split
from builders.pipeline import Rules

needs_nltk = pytest.mark.skipif(importlib.util.find_spec("nltk") is None, reason="NLTK is not installed")


@cache
def english():
    return punkt()


@pytest.fixture
def splitter():
    return english()


@needs_nltk
class TestPunkt:
    def test_abbreviations_do_not_end_a_sentence(self, splitter):
        # Worked out by the trained English parameters: "Dr." and "U.S." are abbreviations, "home." is not.
        text = "Dr. Smith went home.  He was in the U.S. Army!\n\nWas he tired?"
        assert [s.text for s in split(text, splitter)] == [
            "Dr. Smith went home.",
            "He was in the U.S. Army!",
            "Was he tired?",
        ]

    def test_untrained_punkt_would_split_there(self):
        # Guards against an empty parameter set slipping in unnoticed.
        from nltk.tokenize.punkt import PunktSentenceTokenizer

        assert len(PunktSentenceTokenizer().tokenize("Dr. Smith went home.")) == 2

    @pytest.mark.parametrize(
        "text", ["", "  \n\t ", "🙂🙂🙂", "שלום עולם. מה שלומך?", "<p>One.</p> <p>Two.</p>", "word " * 5000]
    )
    def test_odd_texts_have_sentences_at_their_offsets(self, splitter, text):
        sentences = split(text, splitter)
        assert all(text[s.start : s.end] == s.text for s in sentences)
        assert bool(sentences) == bool(text.strip())

    @settings(deadline=None)
    @given(
        st.lists(
            st.sampled_from(
                ["He left. ", "Mr. A said no! ", "Why?\r\n", "  \n\n", "e.g. 3.5 ", "ünï. ", '"Yes." ', "🙂 "]
            )
        )
    )
    def test_only_white_space_lies_between_sentences(self, parts):
        text = "".join(parts)
        sentences = split(text, english())
        assert all(text[s.start : s.end] == s.text for s in sentences)
        assert all(s.end <= t.start for s, t in pairwise(sentences))
        rebuilt = text
        for s in reversed(sentences):
            rebuilt = replace(rebuilt, s, "")
        assert not rebuilt.strip()


class TestReplace:
    def test_a_repeated_sentence_is_replaced_at_its_own_place(self):
        text = "Go on.\nGo on.\r\n  Go on."
        spans = [(0, 6), (7, 13), (17, 23)]
        second = split(text, lambda _: spans)[1]
        assert replace(text, second, "Stop.") == "Go on.\nStop.\r\n  Go on."


class TestEditable:
    RULES = Rules(min_text=25, min_sentence=20)

    def test_short_sentences_are_skipped(self):
        text = "Short one here.\nThis sentence is long enough."
        assert editable(text, split(text, lambda _: [(0, 15), (16, 45)]), self.RULES) == (1,)

    @pytest.mark.parametrize(("length", "expected"), [(24, ()), (25, (0,))])
    def test_a_text_needs_25_characters(self, length, expected):
        text = "x" * length
        assert editable(text, split(text, lambda _: [(0, length)]), self.RULES) == expected

    @pytest.mark.parametrize(("length", "expected"), [(19, ()), (20, (0,))])
    def test_a_sentence_needs_20_characters(self, length, expected):
        text = "x" * length + "\n" + "y" * 10
        assert editable(text, split(text, lambda _: [(0, length), (length + 1, length + 11)]), self.RULES) == expected
