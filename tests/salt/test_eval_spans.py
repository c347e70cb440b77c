"""Similarity of aligned spans by layer, and span translation scored by sacrebleu."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from support import tiny_salt
from support.word_encoder import WordEncoder

from alee_mteb.errors import DataError, LanguageError, ModelError
from salt.encoders.load import load_decoder, load_encoder
from salt.evaluation.spans import (
    SpanSet,
    evaluate_span_similarity,
    is_word,
    other_sentence,
    read_span_sets,
    translate_spans,
    translation_scores,
)
from salt.evaluation.states import StateStore
from salt.pairs import AlignedSpan, ParallelPair, Span

MEANINGS = {
    "die": "the",
    "alte": "old",
    "Katze": "cat",
    "schläft": "sleeps",
    "ein": "a",
    "Hund": "dog",
    "bellt": "barks",
}
ROWS: list[dict[str, Any]] = [
    {"source_language": "eng_Latn", "target_language": "deu_Latn", "source": "the old cat sleeps",
     "target": "die alte Katze schläft", "spans": [[0, 11, 0, 14], [12, 18, 15, 22]]},
    {"source_language": "eng_Latn", "target_language": "deu_Latn", "source": "a dog barks", "target": "ein Hund bellt",
     "spans": [[0, 5, 0, 8], [6, 11, 9, 14]]},
]  # fmt: skip


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def toy(tmp_path: Path) -> SpanSet:
    (found,) = read_span_sets(write(tmp_path / "toy.jsonl", ROWS))
    return found


def test_spans_are_read_by_language_pair(tmp_path: Path) -> None:
    other = {**ROWS[1], "target_language": "fra_Latn"}
    found = read_span_sets(write(tmp_path / "x.jsonl", [*ROWS, other, {**ROWS[0], "spans": []}]))
    assert [(one.language, len(one.pairs)) for one in found] == [("eng_Latn-deu_Latn", 2), ("eng_Latn-fra_Latn", 1)]


def test_words_and_longer_spans_are_told_apart() -> None:
    pair = ParallelPair("1", "eng_Latn", "deu_Latn", "old cat", "alte Katze")
    assert is_word(AlignedSpan(Span(0, 3), Span(0, 4)), pair)
    assert not is_word(AlignedSpan(Span(0, 3), Span(0, 10)), pair)
    chinese = ParallelPair("1", "eng_Latn", "zho_Hans", "old cat", "老猫")
    assert is_word(AlignedSpan(Span(4, 7), Span(1, 2)), chinese)
    assert not is_word(AlignedSpan(Span(4, 7), Span(0, 2)), chinese)


def test_aligned_spans_are_closer_than_random_ones_at_the_layer_of_meaning(tmp_path: Path) -> None:
    store = StateStore(WordEncoder(MEANINGS), tmp_path / "states")
    scores = {(s.layer, s.setting): s for s in evaluate_span_similarity(toy(tmp_path), store, (0, 1))}
    for kind in ("words", "spans"):
        assert scores[1, kind].value == pytest.approx(1.0, abs=1e-3)
        assert scores[0, kind].value < 0.9
        assert scores[1, f"random {kind}"].value < 0.6
        assert scores[1, kind].n == 2


def test_a_random_partner_is_of_another_sentence() -> None:
    sentences = np.array([0, 0, 1, 2, 2])
    partners = other_sentence(sentences, np.random.default_rng(0))
    assert (sentences[partners] != sentences).all()
    assert other_sentence(np.array([0, 0]), np.random.default_rng(0)).tolist() == [-1, -1]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"spans": [[0, 99, 0, 3]]}, r"line 1: span \[0, 99, 0, 3\] is out of range"),
        ({"spans": [[0, 3]]}, "line 1: not a pair with languages, texts and spans of four offsets"),
        ({"spans": [[3, 3, 0, 3]]}, "line 1: span 3–3"),
        ({"spans": []}, "no aligned span in it"),
        ({"source_language": None, "spans": None}, "line 1: not a pair"),
    ],
    ids=["range", "offsets", "empty span", "none", "fields"],
)
def test_bad_span_files_are_named(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_span_sets(write(tmp_path / "x.jsonl", [{**ROWS[0], **change}]))


def test_translation_scores_are_sacrebleu_s(tmp_path: Path) -> None:
    sacrebleu = pytest.importorskip("sacrebleu")
    made = ["die alte Katze", "schläft", "ein Hund da bellt laut", "bellte"]
    references = ["die alte Katze", "schlief", "ein Hund da bellt leise", "bellt"]
    chrf, bleu = translation_scores(toy(tmp_path), made, references)
    assert chrf.value == pytest.approx(sacrebleu.corpus_chrf(made, [references]).score)
    assert bleu.value == pytest.approx(sacrebleu.corpus_bleu(made, [references]).score)
    assert "version:" in chrf.notes["sacrebleu"]
    assert chrf.low is not None
    assert chrf.high is not None
    assert chrf.low <= chrf.value <= chrf.high


def test_a_frozen_decoder_translates_each_span(tmp_path: Path) -> None:
    folders = tiny_salt.tiny_encoders(tiny_salt.default_root())
    encoder, decoder = load_encoder(folders["sonar"]), load_decoder(folders["nllb"])
    store = StateStore(encoder, tmp_path / "states", precision="float32")
    data = toy(tmp_path)
    made, references = translate_spans(data, store, decoder)
    assert references == ["die alte Katze", "schläft", "ein Hund", "bellt"]
    # The second span is the word "sleeps": its tokens' mean state at the last layer, decoded by hand.
    tokens = encoder.tokenize([ROWS[0]["source"]], "eng_Latn")
    with torch.no_grad():
        states = encoder.states(tokens, (-1,))[-1][0]
    pooled = states[tokens.covered(0, Span(12, 18))].mean(dim=0, keepdim=True)
    assert made[1] == decoder.generate(pooled, "deu_Latn")[0]
    assert len(made) == 4


def test_a_decoder_of_another_model_or_without_the_language_is_refused(tmp_path: Path) -> None:
    decoder = load_decoder(tiny_salt.tiny_encoders(tiny_salt.default_root())["nllb"])
    with pytest.raises(ModelError, match="not of the same model"):
        translate_spans(toy(tmp_path), StateStore(WordEncoder(dimension=16), tmp_path / "s"), decoder)
    (icelandic,) = read_span_sets(write(tmp_path / "is.jsonl", [{**ROWS[0], "target_language": "isl_Latn"}]))
    with pytest.raises(LanguageError, match="isl_Latn"):
        translate_spans(icelandic, StateStore(WordEncoder(), tmp_path / "t"), decoder)
