"""Words of a text and their states: averages worked out by hand."""

import pytest
import torch

from alee_mteb.errors import DataError, LanguageError
from salt.encoders.base import Tokens
from salt.pairs import Span
from salt.words import (
    averaging_matrix,
    has_spaces,
    token_words,
    tokens_of_words,
    whitespace_words,
    word_states,
    words_of,
)


def tokens_of(text: str, *offsets: tuple[int, int] | None, padding: int = 0) -> Tokens:
    n = len(offsets)
    spans = tuple(None if offset is None else Span(*offset) for offset in offsets)
    mask = torch.tensor([[1] * n + [0] * padding])
    return Tokens(torch.zeros(1, n + padding, dtype=torch.long), mask, (spans,), (text,))


def test_words_are_units_between_white_space() -> None:
    text = "  The cat\u3000sat,\n\tthen—left. "
    assert [word.of(text) for word in whitespace_words(text)] == ["The", "cat", "sat,", "then—left."]
    assert whitespace_words(" \n") == []


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("eng_Latn", True),
        ("de_DE", True),
        ("kor_Hang", True),
        ("rus-Cyrl", True),
        *((code, False) for code in ("zho_Hans", "zho_Hant", "jpn_Jpan", "tha_Thai", "lao_Laoo", "khm_Khmr")),
        *((code, False) for code in ("mya_Mymr", "bod_Tibt", "yue_Hant", "zh_CN", "ja_JP", "th_TH", "jpn-Jpan")),
    ],
)
def test_scripts_without_spaces(language: str, expected: bool) -> None:
    assert has_spaces(language) is expected


def test_an_unknown_language_is_an_error() -> None:
    with pytest.raises(LanguageError, match="language 'Klingon'"):
        has_spaces("Klingon")


def test_in_scripts_without_spaces_each_token_is_a_word() -> None:
    tokens = tokens_of("猫坐下了", None, (0, 1), (1, 3), (3, 4), None)
    assert words_of(tokens, 0, "zho_Hans") == [Span(0, 1), Span(1, 3), Span(3, 4)]
    assert words_of(tokens, 0, "eng_Latn") == [Span(0, 4)]


def test_tokens_of_one_character_are_one_word() -> None:
    """Byte pieces of a rare character, or the four words that ﷺ is normalised to."""
    assert token_words(tokens_of("a㎏b", (0, 1), (1, 2), (1, 2), (2, 3)), 0) == [Span(0, 1), Span(1, 2), Span(2, 3)]


def test_a_word_state_is_the_mean_of_its_tokens() -> None:
    #               <s>   un     happy  cats    .        </s>
    text = "unhappy cats."
    tokens = tokens_of(text, None, (0, 2), (2, 7), (8, 12), (12, 13), None, padding=2)
    states = torch.tensor(
        [[9.0, 0.0], [1.0, 2.0], [3.0, 6.0], [5.0, 5.0], [7.0, -1.0], [9.0, 9.0], [8.0, 8.0], [8.0, 8.0]]
    )
    words = words_of(tokens, 0, "eng_Latn")
    assert words == [Span(0, 7), Span(8, 13)]
    expected = torch.tensor([[2.0, 4.0], [6.0, 2.0]])
    assert torch.equal(word_states(states, tokens, 0, words), expected)
    assert torch.equal(word_states(states[None], tokens, 0, words), expected)
    assert torch.equal(
        averaging_matrix(states, tokens, 0, words),
        torch.tensor([[0, 0.5, 0.5, 0, 0, 0, 0, 0], [0, 0, 0, 0.5, 0.5, 0, 0, 0]]),
    )


def test_a_token_in_two_words_goes_to_the_larger_overlap_and_to_the_first_if_equal() -> None:
    words = [Span(0, 2), Span(2, 6)]
    assert tokens_of_words(tokens_of("abcdef", (0, 1), (1, 4), (4, 6)), 0, words) == [[0], [1, 2]]
    assert tokens_of_words(tokens_of("abcdef", (0, 1), (1, 3), (3, 6)), 0, words) == [[0, 1], [2]]


def test_a_word_that_lost_its_only_token_shares_it() -> None:
    words = [Span(0, 1), Span(1, 4)]
    assert tokens_of_words(tokens_of("abcd", (0, 4)), 0, words) == [[0], [0]]


def test_words_that_no_token_covers() -> None:
    text = "a \u200b b"
    tokens = tokens_of(text, None, (0, 1), (4, 5), None)
    assert words_of(tokens, 0, "eng_Latn") == [Span(0, 1), Span(4, 5)]
    with pytest.raises(DataError, match=r"\(characters 2–3\): no token of text 0 covers it"):
        word_states(torch.zeros(4, 2), tokens, 0, whitespace_words(text))


def test_no_words_no_states() -> None:
    assert word_states(torch.zeros(1, 3, 2), tokens_of("a", None, (0, 1), None), 0, []).shape == (0, 2)


def test_gradients_reach_the_tokens_in_equal_shares() -> None:
    states = torch.zeros(1, 3, 1, requires_grad=True)
    word_states(states, tokens_of("ab c", (0, 1), (1, 2), (3, 4)), 0, [Span(0, 2), Span(3, 4)]).sum().backward()
    assert states.grad is not None
    assert states.grad.flatten().tolist() == [0.5, 0.5, 1.0]
