"""Training runs on a tiny encoder: learning, going on after a kill, several processes, and what stops a run."""

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import yaml
from safetensors.torch import load_file
from support import salt_training, tiny_salt
from typer.testing import CliRunner

from alee_mteb.cli.app import app
from alee_mteb.errors import DataError
from salt.data.filters import cap_languages
from salt.encoders.load import load_encoder
from salt.spans.table import read_spans
from salt.training import runs
from salt.training.checkpoints import list_checkpoints
from salt.training.config import DataSettings
from salt.training.config_file import make_config
from salt.training.errors import ConfigError, TrainingError
from salt.training.log import read_log
from salt.training.runs import run_all, summary
from salt.training.streaming import read_pairs

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def models() -> dict[str, Path]:
    return tiny_salt.tiny_encoders(tiny_salt.default_root())


@pytest.fixture(scope="module")
def spans(models: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A table of spans per encoder."""
    folder = tmp_path_factory.mktemp("spans")
    return {
        name: salt_training.write_pairs(folder / f"{name}.parquet", load_encoder(models[name]))
        for name in ("e5", "sonar", "xlmr")
    }


@pytest.fixture
def dev(tmp_path: Path) -> Path:
    path = tmp_path / "dev.tsv"
    path.write_text("The cat sat\tDie Katze saß\t0-0 1-1 2-2\nThe dog\tDer Hund\t0-0 1-1\n", encoding="utf-8")
    return path


def silent(*_: Any) -> None:
    """No progress."""


def run(settings: dict[str, Any], **more: Any) -> Any:
    return run_all(make_config(settings), silent, **more)


def weights(folder: Path) -> dict[str, torch.Tensor]:
    return load_file(list_checkpoints(folder)[-1] / "model.safetensors")


def same(left: dict[str, torch.Tensor], right: dict[str, torch.Tensor]) -> bool:
    return left.keys() == right.keys() and all(torch.equal(left[name], right[name]) for name in left)


def updates(folder: Path) -> list[dict[str, Any]]:
    """What the log says about updates."""
    return [line for line in read_log(folder) if line["kind"] == "train"]


@pytest.fixture(scope="module")
def whole(models: dict[str, Path], spans: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was never interrupted."""
    output = tmp_path_factory.mktemp("whole") / "out"
    [done] = run(salt_training.settings(models["e5"], spans["e5"], output))
    return done.folder


# -- what a run does ------------------------------------------------------------------------------------------------


def test_training_lowers_the_loss_and_leaves_embeddings_alone(
    models: dict[str, Path], spans: dict[str, Path], tmp_path: Path
):
    more = {"steps": 40, "optimiser": {"warmup": 4, "learning_rate": 3e-3}, "loss": {"combination": "con"}}
    [done] = run(salt_training.settings(models["e5"], spans["e5"], tmp_path / "out", **more))
    lines = [line["con"] for line in updates(done.folder)]
    assert sum(lines[-10:]) < 0.8 * sum(lines[:10])
    trained = weights(done.folder)
    assert not any("word_embeddings" in name for name in trained)
    before = load_file(models["e5"] / "model.safetensors")
    assert not torch.equal(
        trained["encoder.layer.0.output.dense.weight"], before["encoder.layer.0.output.dense.weight"]
    )


def test_embeddings_can_be_trained(models: dict[str, Path], spans: dict[str, Path], tmp_path: Path):
    [done] = run(
        salt_training.settings(
            models["e5"], spans["e5"], tmp_path, steps=2, optimiser={"warmup": 0, "train_embeddings": True}
        )
    )
    assert "embeddings.word_embeddings.weight" in weights(done.folder)


def test_the_log_follows_the_schedule(whole: Path):
    lines = updates(whole)
    assert [line["step"] for line in lines] == list(range(1, 9))
    # Two updates of warm-up to 1e-3, then a cosine over six: at its half after three.
    assert [round(line["learning_rate"], 6) for line in lines[:3]] == [0.0005, 0.001, 0.001]
    assert lines[5]["learning_rate"] == pytest.approx(0.0005)
    assert {"loss", "con", "int", "gradient_norm", "seconds", "overhead", "pairs", "spans"} <= set(lines[0])
    assert lines[0]["loss"] == pytest.approx(lines[0]["con"] + 0.2 * lines[0]["int"], rel=1e-5)


def test_with_dropout_off_the_teacher_agrees_at_first(models: dict[str, Path], spans: dict[str, Path], tmp_path: Path):
    settings = salt_training.settings(models["e5"], spans["e5"], tmp_path, steps=1, optimiser={"warmup": 0})
    settings["optimiser"]["dropout"] = False
    [done] = run(settings)
    assert updates(done.folder)[0]["int"] == pytest.approx(0.0, abs=1e-9)


def test_evaluation_before_during_and_after(models: dict[str, Path], spans: dict[str, Path], tmp_path: Path, dev: Path):
    retrieval = tmp_path / "parallel.jsonl"
    rows = [{"eng_Latn": "The cat", "deu_Latn": "Die Katze"}, {"eng_Latn": "the garden", "deu_Latn": "Garten"}]
    retrieval.write_text("".join(json.dumps(row) + "\n" for row in rows))
    watched = {
        "every": 4,
        "alignment": {"eng_Latn-deu_Latn": str(dev)},
        "retrieval": str(retrieval),
        "retrieval_pairs": ["eng_Latn-deu_Latn"],
    }
    [done] = run(salt_training.settings(models["e5"], spans["e5"], tmp_path / "out", steps=6, evaluation=watched))
    lines = [line for line in read_log(done.folder) if line["kind"] == "evaluation"]
    assert [line["step"] for line in lines] == [0, 4, 6]
    assert all(0 <= line["aer"] <= 1 and 0 <= line["retrieval_error"] <= 1 for line in lines)
    assert {"aer", "before/aer", "aer/eng_Latn-deu_Latn", "retrieval_error/deu_Latn-eng_Latn"} <= set(done.figures)


def test_seeds_are_summed_up(models: dict[str, Path], spans: dict[str, Path], tmp_path: Path):
    done = run(salt_training.settings(models["e5"], spans["e5"], tmp_path, steps=3, seeds=[0, 1, 2]))
    found = json.loads((tmp_path / "summary.json").read_text())
    values = [updates(entry.folder)[-1]["loss"] for entry in done]
    mean = sum(values) / 3
    assert found["seeds"] == [0, 1, 2]
    assert len(set(values)) == 3
    assert found["figures"]["loss"]["mean"] == pytest.approx(mean)
    assert found["figures"]["loss"]["sd"] == pytest.approx((sum((value - mean) ** 2 for value in values) / 2) ** 0.5)
    assert summary(done[:1])["figures"]["loss"]["sd"] is None


def test_what_is_left_out_is_counted(models: dict[str, Path], tmp_path: Path):
    # Of six German pairs five score 1 and one 7: mean 2, deviation √5, so that the last is more than one away.
    scores = {str(number): 1.0 for number in range(5)} | {"5": 7.0}
    table = salt_training.write_pairs(tmp_path / "spans.parquet", load_encoder(models["e5"]), scores=scores)
    data = {"score_filter": 1.0, "max_pairs": 4}
    [done] = run(salt_training.settings(models["e5"], table, tmp_path / "out", steps=3, data=data))
    [line] = [line for line in read_log(done.folder) if line["kind"] == "data"]
    assert line["data/dropped/score"] == 1
    assert line["data/dropped/over the cap"] == 1  # five German pairs are left, three of each other language
    assert (line["data/pairs"], line["data/language_pairs"]) == (10, 3)


def test_the_cap_keeps_the_pairs_that_the_pair_reader_would_keep(spans: dict[str, Path], models: dict[str, Path]):
    encoder = load_encoder(models["e5"])
    kept = read_pairs(DataSettings(spans=(str(spans["e5"]),), max_pairs=2), encoder)
    capped, dropped = cap_languages(list(read_spans(spans["e5"])), 2)
    assert {code: list(pairs[:]) for (_, code), pairs in kept.pairs.items()} == {
        code: [item for item in capped if item.pair.target_language == code]
        for code in ("deu_Latn", "fra_Latn", "rus_Cyrl")
    }
    assert kept.dropped["over the cap"] == dropped == 6


def test_pairs_of_one_score_are_kept(models: dict[str, Path], tmp_path: Path):
    encoder = load_encoder(models["e5"])
    # The mean of six times 0.1 is a hair beside 0.1, with a deviation of nothing.
    table = salt_training.write_pairs(tmp_path / "spans.parquet", encoder, scores={str(n): 0.1 for n in range(12)})
    kept = read_pairs(DataSettings(spans=(str(table),), score_filter=1.0), encoder)
    assert kept.dropped["score"] == 0


def test_the_same_command_writes_the_same_bytes(models: dict[str, Path], spans: dict[str, Path], tmp_path: Path):
    files = []
    for name in ("one", "other"):
        np.random.seed(len(name))  # whatever the process did before
        random.seed(len(name))
        settings = salt_training.settings(models["e5"], spans["e5"], tmp_path / name, steps=2, optimiser={"warmup": 1})
        [done] = run(settings)
        files.append({path.name: path.read_bytes() for path in list_checkpoints(done.folder)[-1].iterdir()})
    assert files[0] == files[1]


@pytest.mark.parametrize("name", ["so", "wordot", "wacse", "omnisonar-token"])
def test_baselines_train(models: dict[str, Path], spans: dict[str, Path], tmp_path: Path, name: str):
    settings = salt_training.settings(models["xlmr"], spans["xlmr"], tmp_path, steps=3, loss={"name": name})
    [done] = run(settings)
    assert len(updates(done.folder)) == 3


@pytest.mark.parametrize("loss", [{"combination": "con+mt+int"}, {"name": "sonar"}], ids=["salt", "sonar"])
def test_the_decoder_stays_as_it_is(models: dict[str, Path], spans: dict[str, Path], tmp_path: Path, loss: Any):
    before = load_file(models["nllb"] / "model.safetensors")
    settings = salt_training.settings(
        models["sonar"], spans["sonar"], tmp_path, steps=3, decoder=str(models["nllb"]), loss=loss
    )
    [done] = run(settings)
    assert updates(done.folder)[0]["mt"] > 0
    assert not any("decoder" in name or "lm_head" in name for name in weights(done.folder))
    assert same(before, load_file(models["nllb"] / "model.safetensors"))


def test_span_translation_is_learned_by_the_encoder_alone(
    models: dict[str, Path], spans: dict[str, Path], tmp_path: Path
):
    more = {"steps": 40, "optimiser": {"warmup": 4, "learning_rate": 3e-3}, "loss": {"combination": "mt"}}
    settings = salt_training.settings(models["sonar"], spans["sonar"], tmp_path, decoder=str(models["nllb"]), **more)
    [done] = run(settings)
    lines = [line["mt"] for line in updates(done.folder)]
    assert sum(lines[-10:]) < 0.95 * sum(lines[:10])


def test_bf16(models: dict[str, Path], spans: dict[str, Path], tmp_path: Path):
    from accelerate.state import AcceleratorState

    AcceleratorState._reset_state(reset_partial_state=True)  # Accelerate takes one precision per process
    try:
        [done] = run(salt_training.settings(models["e5"], spans["e5"], tmp_path, steps=3, precision="bf16"))
    finally:
        AcceleratorState._reset_state(reset_partial_state=True)
    assert all(tensor.dtype == torch.float32 for tensor in weights(done.folder).values())
    assert len(updates(done.folder)) == 3


def test_the_loss_of_an_update_is_the_mean_over_all_its_batches(
    models: dict[str, Path], spans: dict[str, Path], tmp_path: Path
):
    """The same pairs in two batches or in one: without dropout the mean over spans is the same number."""
    figures = []
    for budget, batches in ((10_000, 1), (120, 2)):
        settings = salt_training.settings(
            models["e5"],
            spans["e5"],
            tmp_path / str(budget),
            steps=1,
            data={"token_budget": budget, "buffer": 12},
            optimiser={"warmup": 0, "batches_per_step": batches},
        )
        settings["optimiser"]["dropout"] = False
        [done] = run(settings)
        figures.append(updates(done.folder)[0])
    assert figures[0]["pairs"] == figures[1]["pairs"]
    assert figures[1]["con"] == pytest.approx(figures[0]["con"], rel=1e-4)
    assert figures[1]["gradient_norm"] == pytest.approx(figures[0]["gradient_norm"], rel=1e-3)


# -- going on ---------------------------------------------------------------------------------------------------


def test_a_finished_run_is_left_alone(models: dict[str, Path], spans: dict[str, Path], tmp_path: Path):
    settings = salt_training.settings(models["e5"], spans["e5"], tmp_path, steps=2, optimiser={"warmup": 1})
    run(settings)
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "seed-0" / "checkpoints").rglob("*")}
    run(settings)
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "seed-0" / "checkpoints").rglob("*")} == before


def test_a_run_of_other_settings_is_not_gone_on_with(models: dict[str, Path], spans: dict[str, Path], tmp_path: Path):
    settings = salt_training.settings(models["e5"], spans["e5"], tmp_path, steps=2, optimiser={"warmup": 1})
    run(settings)
    other = settings | {"loss": {"beta": 0.5}}
    with pytest.raises(ConfigError, match=r"holds a run with other settings \(loss.beta\)"):
        run(other)
    run(other, overwrite=True)
    run(other | {"log_every": 2, "checkpoints": {"every": 1}})


def test_other_data_is_not_gone_on_with(models: dict[str, Path], tmp_path: Path):
    encoder = load_encoder(models["e5"])
    table = salt_training.write_pairs(tmp_path / "spans.parquet", encoder)
    settings = salt_training.settings(models["e5"], table, tmp_path / "out", steps=2, optimiser={"warmup": 1})
    run(settings)
    salt_training.write_pairs(table, encoder, scores={"0": 1.0})
    with pytest.raises(ConfigError, match=r"other settings \(data\)"):
        run(settings)


def test_a_folder_of_something_else_is_left_alone(models: dict[str, Path], spans: dict[str, Path], tmp_path: Path):
    (tmp_path / "seed-0").mkdir()
    (tmp_path / "seed-0" / "thesis.txt").write_text("mine")
    with pytest.raises(ConfigError, match="not empty, and not the folder of a run"):
        run(salt_training.settings(models["e5"], spans["e5"], tmp_path), overwrite=True)


# -- what stops a run -----------------------------------------------------------------------------------------------


def test_a_loss_that_is_no_number_stops_the_run_and_keeps_the_batch(
    models: dict[str, Path], spans: dict[str, Path], tmp_path: Path
):
    settings = salt_training.settings(
        models["e5"], spans["e5"], tmp_path, optimiser={"learning_rate": 1e30, "clip": None}
    )
    with pytest.raises(TrainingError) as caught:
        run(settings)
    message = str(caught.value)
    assert "is not a finite number; the run stops here, the batch is in" in message
    [place] = tmp_path.glob("seed-0/not-finite-step-*/*")
    assert str(place) in message
    record = json.loads((place / "batch.json").read_text())
    tensors = load_file(place / "batch.safetensors")
    assert len(record["pairs"]) == len(tensors["source.ids"]) == len(tensors["target.mask"]) > 0
    assert record["pairs"][0]["pair"]["source_language"] == "eng_Latn"


def test_spans_from_another_tokenizer_are_refused(models: dict[str, Path], spans: dict[str, Path], tmp_path: Path):
    settings = salt_training.settings(models["bert"], spans["e5"], tmp_path)
    with pytest.raises(DataError, match="spans from another tokenizer"):
        run(settings)
    run(
        salt_training.settings(models["bert"], spans["e5"], tmp_path, steps=3, data={"retokenize": True}),
        overwrite=True,
    )


@pytest.mark.parametrize(
    ("name", "decoder", "message"),
    [("e5", "nllb", "has another tokenizer than"), ("sonar", "sonar", "decoder")],
    ids=["of-another-model", "without-decoder"],
)
def test_a_decoder_that_does_not_fit(
    models: dict[str, Path], spans: dict[str, Path], tmp_path: Path, name: str, decoder: str, message: str
):
    settings = salt_training.settings(models[name], spans[name], tmp_path, decoder=str(models[decoder]))
    with pytest.raises(Exception, match=message) as caught:
        run(settings)
    assert "\n" not in str(caught.value)


def test_fewer_batches_than_processes(models: dict[str, Path], spans: dict[str, Path], tmp_path: Path):
    class Three:
        size, rank, is_main, device = 3, 0, True, torch.device("cpu")

        def wait(self) -> None:
            """Nobody else is there."""

    settings = salt_training.settings(models["e5"], spans["e5"], tmp_path, optimiser={"batches_per_step": 2})
    with pytest.raises(ConfigError, match="2, but there are 3 processes"):
        run(settings, group=Three())


def test_weights_that_changed_since(models: dict[str, Path], spans: dict[str, Path], tmp_path: Path):
    encoder = load_encoder(models["e5"])
    encoder.save(tmp_path / "mine")
    settings = salt_training.settings(tmp_path / "mine", spans["e5"], tmp_path / "out", steps=3)
    [done] = run(settings)
    with torch.no_grad():
        next(encoder.module.parameters()).add_(1.0)
    encoder.save(tmp_path / "mine")
    with pytest.raises(TrainingError, match="holds other weights than when the run began"):
        runs.load_trained(done.folder)
    with pytest.raises(ConfigError, match=r"other settings \(encoder_revision\)"):
        run(settings)


@pytest.mark.parametrize(
    "evaluation",
    [
        {"alignment": {"eng_Latn-deu_Latn": "FILE"}},
        {"retrieval": "FILE", "retrieval_pairs": ["eng_Latn-deu_Latn"]},
    ],
    ids=["alignment", "retrieval"],
)
def test_an_empty_evaluation_file_is_named(
    models: dict[str, Path], spans: dict[str, Path], tmp_path: Path, evaluation: dict[str, Any]
):
    path = tmp_path / "dev"
    path.write_text("\n")
    given = json.loads(json.dumps(evaluation).replace("FILE", str(path)))
    with pytest.raises(DataError, match=rf"^{path}: (empty|no word link)"):
        run(salt_training.settings(models["e5"], spans["e5"], tmp_path / "out", evaluation=given))


# -- the command ----------------------------------------------------------------------------------------------------


def test_the_command(models: dict[str, Path], spans: dict[str, Path], tmp_path: Path):
    path = tmp_path / "config.yaml"
    path.write_text(yaml.safe_dump(salt_training.settings(models["e5"], spans["e5"], tmp_path / "unused", steps=3)))
    command = ["salt", "train", str(path), "--seeds", "0", "1", "--output", str(tmp_path / "out")]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    assert "3 updates, seeds 0, 1" in result.output
    assert " ± " in result.output
    assert f"alee salt export {tmp_path / 'out' / 'seed-0'}" in result.output
    result = CliRunner().invoke(app, [*command[:2], "--seeds", "0", "1", str(path), *command[6:], "--json"])
    found = json.loads(result.stdout)
    assert found["seeds"] == [0, 1]
    assert not (tmp_path / "unused").exists()


def test_the_command_without_a_file():
    result = CliRunner().invoke(app, ["salt", "train", "0", "1"])
    assert isinstance(result.exception, ConfigError)
    assert "no configuration file" in str(result.exception)
    result = CliRunner().invoke(app, ["salt", "train", "config.yaml", "--seeds", "x"])
    assert "unexpected 'x'; the command is" in str(result.exception)
