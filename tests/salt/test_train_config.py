"""Training configurations: presets, and what is refused with which words."""

from pathlib import Path
from typing import Any

import pytest

from salt.training.config_file import changed_settings, make_config, read_config
from salt.training.errors import ConfigError
from salt.training.schedule import warmup_cosine

LEAST: dict[str, Any] = {"encoder": "e", "output": "o", "data": {"spans": "s.parquet"}}


def laid(**settings: Any) -> dict[str, Any]:
    return LEAST | settings


def test_the_default_preset_is_what_was_measured():
    config = make_config(LEAST)
    loss = config.make_loss()
    assert (loss.con, loss.alpha, loss.beta) == (1.0, 0.0, 0.2)
    assert (loss.contrastive.temperature, loss.interpolation.reduction) == (1.0, "sum")
    assert (config.optimiser.learning_rate, config.optimiser.dropout) == (1e-4, True)
    assert not config.optimiser.train_embeddings
    assert config.data.token_budget == 1400


def test_the_paper_preset_is_the_papers():
    config = make_config(laid(preset="paper", decoder="d"))
    loss = config.make_loss()
    assert (loss.con, loss.alpha, loss.beta, loss.contrastive.temperature) == (1.0, 1.0, 1.0, 5.0)
    assert (config.steps, config.optimiser.warmup, config.optimiser.learning_rate) == (20_000, 1_000, 1e-4)
    assert (config.data.max_tokens, config.data.token_budget, config.data.max_pairs) == (512, 1_400, 40_000)
    assert config.data.score_filter == 1.0


def test_settings_lie_over_the_preset():
    config = make_config(laid(steps=60, optimiser={"warmup": 6}, loss={"beta": 0.5, "contrastive": {"temperature": 5}}))
    loss = config.make_loss()
    assert (config.steps, config.optimiser.warmup, config.optimiser.learning_rate) == (60, 6, 1e-4)
    assert (loss.beta, loss.contrastive.temperature, loss.interpolation.reduction) == (0.5, 5.0, "sum")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (laid(encodr="x"), "encodr: no such setting; did you mean 'encoder'?"),
        (laid(optimiser={"lr_warmup": 3}), "optimiser.lr_warmup: no such setting; did you mean 'warmup'?"),
        (laid(loss={"bta": 1}), "loss.bta: no such setting; did you mean 'beta'?"),
        (laid(loss={"contrastive": {"temprature": 1}}), "loss.contrastive.temprature: no such setting"),
        (laid(loss={"name": "sallt"}), "loss.name: no loss 'sallt'; did you mean 'salt'?"),
        (laid(loss={"combination": "con+it"}), "no combination 'con+it'; did you mean 'con+int'?"),
        (laid(loss={"name": "so", "combination": "con"}), "only the loss 'salt' has terms to combine"),
        (laid(preset="papper"), "preset: no preset 'papper'; did you mean 'paper'?"),
        (laid(steps="many"), "steps: input should be a valid integer, got 'many'"),
        (laid(steps=5, optimiser={"warmup": 5}), "optimiser.warmup: 5 updates of 5; lower it"),
        (laid(seeds=[1, 1]), "seeds: the same seed twice"),
        ({"encoder": "e", "output": "o"}, "data.spans: missing"),
        (laid(evaluation={"alignment": {"en": "x"}}), "'en' is no language pair"),
        (laid(seeds=[0, -1]), "seeds: -1: a seed is 0 or above"),
        (laid(evaluation={"retrieval": "x"}), "retrieval and retrieval_pairs go together"),
    ],
    ids=lambda value: value[:30].replace(" ", "_") if isinstance(value, str) else "",
)
def test_what_is_wrong_is_one_line(settings: dict[str, Any], message: str):
    with pytest.raises(ConfigError) as caught:
        make_config(settings)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "settings",
    [
        laid(preset="paper"),
        laid(loss={"alpha": 1.0}),
        laid(loss={"combination": "mt+int"}),
        laid(loss={"name": "sonar"}),
    ],
    ids=["paper", "alpha", "combination", "sonar"],
)
def test_a_translation_term_without_a_decoder_is_refused(settings: dict[str, Any]):
    with pytest.raises(ConfigError, match="decoder: none given, but the translation term"):
        make_config(settings)


def test_without_a_decoder_alpha_may_be_zero():
    assert make_config(laid(preset="paper", loss={"alpha": 0})).make_loss().alpha == 0
    assert make_config(laid(decoder="d")).make_loss().alpha == 1.0


def test_a_file_with_numbers_as_people_write_them(tmp_path: Path):
    path = tmp_path / "config.yaml"
    path.write_text(
        "encoder: e\noutput: o\nseeds: [0, 1]\ndata: {spans: [a.parquet, b.parquet]}\n"
        "optimiser: {learning_rate: 5e-5, betas: [0.9, 0.98]}\n"
    )
    config = read_config(path, {"seeds": [3], "steps": None})
    assert (config.optimiser.learning_rate, config.optimiser.betas) == (5e-5, (0.9, 0.98))
    assert (config.seeds, config.data.spans) == ((3,), ("a.parquet", "b.parquet"))


@pytest.mark.parametrize(
    ("text", "message"),
    [("- a\n", "expected settings such as"), ("a: [\n", "not valid YAML"), ("", "expected settings")],
    ids=["list", "broken", "empty"],
)
def test_a_file_that_is_no_configuration(tmp_path: Path, text: str, message: str):
    (tmp_path / "config.yaml").write_text(text)
    with pytest.raises(ConfigError, match=message):
        read_config(tmp_path / "config.yaml")


def test_settings_that_differ_are_named():
    old = {"a": 1, "data": {"x": 1, "y": 2}, "gone": 1}
    assert changed_settings(old, {"a": 1, "data": {"x": 1, "y": 3}, "new": 2}) == ["data.y", "gone", "new"]


def test_the_learning_rate_rises_and_falls():
    # By hand: 4 updates of warm-up, then half a cosine over the other 4.
    factors = [warmup_cosine(step, 4, 8) for step in range(9)]
    half = 2**-0.5
    assert factors == pytest.approx([0.25, 0.5, 0.75, 1.0, 1.0, (1 + half) / 2, 0.5, (1 - half) / 2, 0.0])
    assert warmup_cosine(0, 0, 2) == 1.0
