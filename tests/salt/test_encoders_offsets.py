"""Which characters of the raw text each token stands for, whatever the tokenizer's normaliser made of them."""

import unicodedata
from itertools import pairwise

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from support import tiny_salt

from salt.encoders.load import FolderEncoder, load_encoder
from salt.pairs import Span

FAMILIES = ("sonar", "xlmr", "bert", "e5")
LETTERS = "aeinst ABÉüß①ﬁ½ﷺ㎏Ａ\u0301\u0323\u200b\u00ad\t　猫座す。กำ🙂👩\u200d🇩🇪ा한글"


@pytest.fixture(scope="module")
def encoders() -> dict[str, FolderEncoder]:
    folders = tiny_salt.tiny_encoders(tiny_salt.default_root())
    return {name: load_encoder(folders[name]) for name in FAMILIES}


def pieces(encoder: FolderEncoder, text: str) -> list[str]:
    """What each token with characters of its own stands for."""
    tokens = encoder.tokenize([text], "eng_Latn")
    return [span.of(text) for span in tokens.offsets[0] if span is not None]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The cat sat", ["The", "cat", "sat"]),
        ("  The   cat  sat ", ["The", "cat", "sat"]),
        ("The\tcat\n sat", ["The", "cat", "sat"]),
        ("Ｔｈｅ ｃａｔ", ["Ｔｈｅ", "ｃａｔ"]),
        ("猫 cat", ["猫", "cat"]),
        ("東京タワーです", ["東京", "タ", "ワー", "です"]),
        ("Ｔｈｅ ① cat", ["Ｔｈｅ", "①", "cat"]),
    ],
    ids=["plain", "spaces", "tabs", "full-width", "mixed", "japanese", "circled"],
)
def test_unigram_pieces_of_the_raw_text(text: str, expected: list[str], encoders: dict[str, FolderEncoder]) -> None:
    for name in ("xlmr", "e5"):
        assert pieces(encoders[name], text) == expected, name


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The cat sat", ["The", "cat", "sat"]),
        ("  The   cat  sat ", ["The", "cat", "sat"]),
        ("Ｔｈｅ ｃａｔ", ["Ｔｈｅ", "ｃａｔ"]),
        ("Die Katze", ["Die", "Katze"]),
    ],
    ids=["plain", "spaces", "full-width", "german"],
)
def test_nllb_pieces_of_the_raw_text(text: str, expected: list[str], encoders: dict[str, FolderEncoder]) -> None:
    assert pieces(encoders["sonar"], text) == expected


def test_one_character_for_many_is_shared_by_their_tokens(encoders: dict[str, FolderEncoder]) -> None:
    """``ﬃ`` is normalised to three letters; each of their tokens stands for the one character."""
    tokens = encoders["xlmr"].tokenize(["The ﬃ cat"])
    spans = [span for span in tokens.offsets[0] if span is not None]
    assert spans[0] == Span(0, 3)
    assert set(spans[1:-1]) == {Span(4, 5)}
    assert spans[-1] == Span(6, 9)
    assert len(tokens.covered(0, Span(4, 5))) == len(spans) - 2 >= 1


def test_many_characters_for_one_belong_to_its_token(encoders: dict[str, FolderEncoder]) -> None:
    """A letter and its combining mark are composed; their token covers both, and what follows is not shifted."""
    text = "e\u0301 The cat"
    tokens = encoders["xlmr"].tokenize([text])
    spans = [span for span in tokens.offsets[0] if span is not None]
    assert spans[0] == Span(0, 2)
    assert [span.of(text) for span in spans[1:]] == ["The", "cat"]


def test_emoji_are_single_code_points_in_python(encoders: dict[str, FolderEncoder]) -> None:
    text = "🙂 The 👩\u200d👩\u200d👧 cat"
    for name in FAMILIES:
        tokens = encoders[name].tokenize([text], "eng_Latn")
        at = text.index("cat")
        covered = tokens.covered(0, Span(at, at + 3))
        assert covered == [len(tokens.offsets[0]) - 2], name
        assert tokens.offsets[0][covered[0]] == Span(at, at + 3), name


def test_special_tokens_and_the_prompt_have_no_characters(encoders: dict[str, FolderEncoder]) -> None:
    e5 = encoders["e5"].tokenize(["The cat"])
    assert e5.offsets[0] == (None, None, Span(0, 3), Span(4, 7), None)  # <s>, ▁query:, The, cat, </s>
    sonar = encoders["sonar"].tokenize(["The cat"], "eng_Latn")
    assert sonar.offsets[0] == (None, Span(0, 3), Span(4, 7), None)  # language, The, cat, </s>


def test_a_text_that_begins_like_the_prompt(encoders: dict[str, FolderEncoder]) -> None:
    assert pieces(encoders["e5"], "query: The cat") == ["query:", "The", "cat"]


def test_a_text_that_spells_a_special_token_is_text(encoders: dict[str, FolderEncoder]) -> None:
    text = "The </s> cat"
    tokens = encoders["xlmr"].tokenize([text, "The old dog chased the cat ."])
    assert "cat" in [span.of(text) for span in tokens.offsets[0] if span is not None]
    assert int(tokens.mask[0].sum()) == len(tokens.offsets[0])


@pytest.mark.parametrize("name", FAMILIES)
@settings(max_examples=150, deadline=None)
@example(text="a\u0301\u0323b ﬁ½ﷺ")
@example(text="　猫\u200b 座")
@given(text=st.text(alphabet=LETTERS, min_size=1, max_size=20).filter(lambda text: not text.isspace()))
def test_offsets_lie_in_the_text_in_order_and_cover_it(
    name: str, text: str, encoders: dict[str, FolderEncoder]
) -> None:
    assume(encoders[name].lengths([text], "eng_Latn")[0] <= encoders[name].max_tokens)  # one \ufdfa is 18 letters
    tokens = encoders[name].tokenize([text], "eng_Latn")
    spans = [span for span in tokens.offsets[0] if span is not None]
    assert len(tokens.offsets[0]) == int(tokens.mask.sum())
    for span in spans:
        assert span.end <= len(text)
        assert span.of(text) == span.of(text).strip()
    assert all(one.start <= other.start for one, other in pairwise(spans))
    covered = {at for span in spans for at in range(span.start, span.end)}
    letters = {at for at, letter in enumerate(text) if unicodedata.category(letter)[0] in "LNS"}
    assert letters <= covered
