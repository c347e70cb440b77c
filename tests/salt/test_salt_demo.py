"""The demo on a tiny encoder: every stage, what it leaves behind, and that a second call makes nothing again."""

import json
from pathlib import Path

import pytest
import torch
from support import tiny_salt
from typer.testing import CliRunner

import salt.demo
from alee_mteb.cli.app import app
from alee_mteb.errors import ModelError
from alee_mteb.models.registry import read_registry
from salt.demo import AFTER, BEFORE, run_demo, training_pairs, unseen_texts

#: Both encoders are scored in one new process, which is quicker than one each, once both are registered.
_SCORE_BOTH = f"""
import sys
from alee_mteb.cli import main

for name in ({BEFORE!r}, {AFTER!r}):
    sys.argv[3] = name
    try:
        main()
    except SystemExit as end:
        if end.code:
            raise
"""


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny BERT that takes the sample's paragraphs."""
    from transformers import BertConfig, BertModel

    folder = tmp_path_factory.mktemp("encoder") / "tiny"
    tokenizer = tiny_salt.unigram_tokenizer()
    tokenizer.model_max_length = 1024
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=1024,
        pad_token_id=1,
    )
    BertModel(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def test_unseen_texts_are_not_trained_on():
    pairs = training_pairs()
    seen = {text for pair in pairs for text in (pair.source, pair.target)}
    unseen = [text for sides in unseen_texts().values() for side in sides for text in side]
    assert not seen & set(unseen)
    # 64 sentences, of which every third stays out; 16 paragraphs; 12 translations of each.
    assert len(pairs) == 43 * 12
    assert {len(side) for sides in unseen_texts().values() for side in sides} == {21 + 16}
    assert len({pair.id for pair in pairs}) == len(pairs)


def test_the_whole_way_and_back_again(encoder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    stages: list[str] = []
    score = salt.demo._score
    monkeypatch.setattr(salt.demo, "_SCORE", _SCORE_BOTH)
    monkeypatch.setattr(salt.demo, "_score", lambda name, *rest: score(name, *rest) if name == AFTER else None)
    done = run_demo(tmp_path, stages.append, steps=2, encoder=encoder)
    assert [stage.split()[0] for stage in stages] == [
        "aligned",
        "training,",
        "exporting",
        "registering",
        "registering",
        "scoring",
        "scoring",
        "retrieval",
    ]
    registered = read_registry(done.registry)
    assert set(registered) == set(done.retrieval) == {BEFORE, AFTER}
    assert registered[AFTER].path == str(tmp_path.resolve() / "model")
    assert all(0 <= error <= 1 for error in done.retrieval.values())
    for name in (BEFORE, AFTER):
        folder = next(done.results.rglob(f"{name.replace('/', '__')}/{registered[name].revision}"))
        assert json.loads((folder / "ALEE-Sample.json").read_text())["task_name"] == "ALEE-Sample"
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.safetensors")}

    # Again, from the command line: all is there.
    monkeypatch.setattr(salt.demo, "_encoder", lambda folder, say: encoder)
    monkeypatch.setattr(salt.demo, "_score", lambda *_: pytest.fail("scored again"))
    result = CliRunner().invoke(app, ["salt", "demo", "--output", str(tmp_path), "--steps", "2", "--json"])
    assert result.exit_code == 0, result.output
    assert set(json.loads(result.stdout)["retrieval_error"]) == {BEFORE, AFTER}
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.safetensors")} == before


def test_a_model_that_cannot_be_scored_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(salt.demo, "_SCORE", "import sys; sys.exit('Warning\\nalee: no model ' + sys.argv[3])")
    with pytest.raises(ModelError) as caught:
        salt.demo._score("my-org/nothing", tmp_path / "models.json", tmp_path / "results")
    assert str(caught.value) == "my-org/nothing could not be scored: alee: no model my-org/nothing"
