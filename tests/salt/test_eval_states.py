"""The state store: each text once, the right layers back, bounded files that survive a kill, and clear refusals."""

import json
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
import torch
from support import tiny_salt
from support.word_encoder import WordEncoder, vector_of

from alee_mteb.errors import DataError, EncoderError, ModelError
from salt.encoders.load import FolderEncoder, load_encoder
from salt.evaluation.states import EncodedText, StateStore, weights_revision
from salt.pairs import Span
from salt.words import averaging_matrix, whitespace_words

TEXTS = ["The cat sat on the mat.", "Good morning, doctor.", "She believes that the treatment works."]


@pytest.fixture(scope="module")
def e5() -> FolderEncoder:
    return load_encoder(tiny_salt.tiny_encoders(tiny_salt.default_root())["e5"])


def test_states_are_those_of_the_encoder(e5: FolderEncoder, tmp_path: Path) -> None:
    store = StateStore(e5, tmp_path, precision="float32")
    found = store.get(TEXTS, "eng_Latn", (0, 2, -1))
    for text, encoded in zip(TEXTS, found, strict=True):
        tokens = e5.tokenize([text], "eng_Latn")
        with torch.no_grad():
            states = e5.states(tokens, (0, 2, 3))
            vector = e5.pool(states[3], tokens)[0]
        assert encoded.offsets == tokens.offsets[0]
        np.testing.assert_allclose(encoded.vector, vector.numpy(), atol=1e-5)
        for layer in (0, 2, 3):
            np.testing.assert_allclose(encoded.layer(layer), states[layer][0].numpy(), atol=1e-5)


def test_half_precision_is_within_its_rounding(e5: FolderEncoder, tmp_path: Path) -> None:
    exact = StateStore(e5, tmp_path, precision="float32").get(TEXTS, None, (-1,))
    rounded = StateStore(e5, tmp_path).get(TEXTS, None, (-1,))
    for one, other in zip(exact, rounded, strict=True):
        np.testing.assert_allclose(other.layer(3), one.layer(3), rtol=2**-10, atol=2**-14)


def test_each_distinct_text_is_encoded_once_for_all_layers_that_were_planned(tmp_path: Path) -> None:
    encoder = WordEncoder()
    store = StateStore(encoder, tmp_path)
    store.plan(["a b", "c"], "eng_Latn", (0,))
    store.plan(["a b", "d"], "eng_Latn", (1,))
    store.get(["a b", "c", "a b"], "eng_Latn", (0,))
    store.get(["d", "a b"], "eng_Latn", (1,))
    store.get(["a b", "c", "d"], "eng_Latn", ())
    assert sorted(text for _, text in encoder.asked) == ["a b", "c", "d"]
    assert store.encoded == 3


def test_a_layer_nobody_planned_costs_a_second_encoding_and_keeps_the_first(tmp_path: Path) -> None:
    encoder = WordEncoder()
    store = StateStore(encoder, tmp_path)
    store.get(["a b"], "eng_Latn", (0,))
    store.get(["a b"], "eng_Latn", (1,))
    store.get(["a b"], "eng_Latn", (0, 1))
    assert len(encoder.asked) == 2


def test_a_later_run_reads_what_an_earlier_one_wrote(tmp_path: Path) -> None:
    first = StateStore(WordEncoder(), tmp_path)
    first.get(["a b", "c"], "eng_Latn", (1,))
    first.close()
    encoder = WordEncoder()
    later = StateStore(encoder, tmp_path)
    (encoded,) = later.get(["c"], "eng_Latn", (1,))
    np.testing.assert_allclose(encoded.layer(1)[1], vector_of("c"), rtol=2**-10)
    assert encoder.asked == []


def test_another_language_or_other_weights_are_other_entries(tmp_path: Path) -> None:
    encoder = WordEncoder()
    store = StateStore(encoder, tmp_path)
    store.get(["a"], "eng_Latn", (1,))
    store.get(["a"], "deu_Latn", (1,))
    changed = WordEncoder()
    with torch.no_grad():
        changed.module.weight.fill_(2.0)
    StateStore(changed, tmp_path).get(["a"], "eng_Latn", (1,))
    assert (len(encoder.asked), len(changed.asked)) == (2, 1)
    assert weights_revision(encoder) != weights_revision(changed)


def test_a_killed_run_loses_only_what_it_was_writing(tmp_path: Path) -> None:
    store = StateStore(WordEncoder(), tmp_path)
    store.get(["a b"], "eng_Latn", (1,))
    store.get(["c d"], "eng_Latn", (1,))
    store.close()
    (index,) = tmp_path.glob("*/index.jsonl")
    lines = [line for line in index.read_text().split("\n") if line]
    index.write_text(f"\n{lines[0]}\n{lines[1][:20]}")
    (data,) = tmp_path.glob("*/states.bin")
    with data.open("r+b") as handle:
        handle.truncate(json.loads(lines[1])["at"] + 7)
    encoder = WordEncoder()
    again = StateStore(encoder, tmp_path)
    found = again.get(["a b", "c d"], "eng_Latn", (1,))
    assert [text for _, text in encoder.asked] == ["c d"]
    for encoded, words in zip(found, (("a", "b"), ("c", "d")), strict=True):
        for at, word in enumerate(words, 1):
            np.testing.assert_allclose(encoded.layer(1)[at], vector_of(word), rtol=2**-10)
    again.close()
    assert StateStore(WordEncoder(), tmp_path).get(["c d"], "eng_Latn", (1,))[0].layer(1).shape == (4, 32)


def test_an_index_line_beyond_the_data_does_not_count(tmp_path: Path) -> None:
    store = StateStore(WordEncoder(), tmp_path)
    store.get(["a b"], "eng_Latn", (1,))
    store.close()
    (data,) = tmp_path.glob("*/states.bin")
    with data.open("r+b") as handle:
        handle.truncate(10)
    encoder = WordEncoder()
    StateStore(encoder, tmp_path).get(["a b"], "eng_Latn", (1,))
    assert len(encoder.asked) == 1


def test_words_get_the_same_states_as_in_training(e5: FolderEncoder, tmp_path: Path) -> None:
    text = "She  believes, that the (treatment) works."
    (encoded,) = StateStore(e5, tmp_path, precision="float32").get([text], None, (-1,))
    tokens = e5.tokenize([text])
    words = whitespace_words(text)
    expected = averaging_matrix(torch.zeros(1, tokens.ids.shape[1], 32), tokens, 0, words).numpy() @ encoded.layer(3)
    np.testing.assert_allclose(encoded.pooled(words, 3), expected, atol=1e-6)


def test_a_token_in_two_words_belongs_to_the_larger_share_and_to_both_of_nested_spans() -> None:
    # Tokens "abc" and "de"; words "ab" and "cde".
    states = {0: np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 4.0]], dtype=np.float32)}
    encoded = EncodedText("abcde", (None, Span(0, 3), Span(3, 5)), states, np.zeros(2, dtype=np.float32))
    assert encoded.pooled([Span(0, 2), Span(2, 5)], 0).tolist() == [[2, 0], [0, 4]]
    assert encoded.pooled([Span(0, 5), Span(0, 3)], 0, shared_tokens=True).tolist() == [[1, 2], [2, 0]]
    assert encoded.covered(Span(2, 4)) == [1, 2]


def test_a_tokenizer_without_offsets_is_refused(tmp_path: Path) -> None:
    encoder = WordEncoder()
    encoder.with_offsets = False
    with pytest.raises(DataError, match="tokenizer of tests/words gives no character offsets"):
        StateStore(encoder, tmp_path).get(["a b"], "eng_Latn", (1,))


def test_states_that_overflow_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = WordEncoder()
    original = encoder.states
    monkeypatch.setattr(encoder, "states", lambda *asked: {k: v * 1e6 for k, v in original(*asked).items()})
    with pytest.raises(EncoderError, match=r"not finite in float16 .*use --precision float32"):
        StateStore(encoder, tmp_path).get(["a b"], "eng_Latn", (1,))
    StateStore(encoder, tmp_path, precision="float32").get(["a b"], "eng_Latn", (1,))


@pytest.mark.parametrize("layer", [2, -3], ids=["beyond the last", "before the first"])
def test_a_layer_the_model_has_not_is_refused(tmp_path: Path, layer: int) -> None:
    with pytest.raises(ModelError, match="has layers 0 to 1"):
        StateStore(WordEncoder(), tmp_path).layers((layer,))


def test_batches_change_nothing(e5: FolderEncoder, tmp_path: Path) -> None:
    one = StateStore(e5, tmp_path / "one", batch_tokens=1).get(TEXTS, None, (1, -1))
    many = StateStore(e5, tmp_path / "many", batch_tokens=4096).get(TEXTS, None, (1, -1))
    for a, b in zip(one, many, strict=True):
        np.testing.assert_allclose(a.layer(1), b.layer(1), rtol=2**-9, atol=2**-14)


def test_memory_does_not_grow_with_the_data(tmp_path: Path) -> None:
    store = StateStore(WordEncoder(dimension=256), tmp_path, batch_tokens=512)
    texts = [" ".join(f"w{n % 9}" for n in range(at, at + 40)) + f" {at}" for at in range(400)]
    store.plan(texts, "eng_Latn", (0, 1))
    store.get(texts[:8], "eng_Latn", (0, 1))
    tracemalloc.start()
    for start in range(0, len(texts), 8):
        store.get(texts[start : start + 8], "eng_Latn", (0, 1))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    (data,) = tmp_path.glob("*/states.bin")
    assert data.stat().st_size > 17_000_000
    assert peak < 6_000_000
