"""Losses and training settings by name."""

import pytest

from alee_mteb.errors import DataError
from salt.losses.contrastive import SpanContrastiveLoss
from salt.losses.presets import LOSSES, PRESETS, ablation, build_loss, preset, settings_of
from salt.losses.salt import SaltLoss


def test_the_papers_settings():
    """SALT §3.1.2 (α = β = 1), §4 (20,000 steps, 1,400 tokens, 10e-5, 1,000 steps of warm-up), C.4 (τ = 5)."""
    paper = preset("paper", has_decoder=True)
    assert (paper.loss.con, paper.loss.alpha, paper.loss.beta) == (1, 1, 1)
    assert paper.loss.contrastive == SpanContrastiveLoss(5.0, "none", False, "pair", True, False, "pairs")
    assert (paper.loss.translation.token_reduction, paper.loss.interpolation.reduction) == ("sum", "mean")
    assert (paper.steps, paper.warmup_steps, paper.max_tokens, paper.learning_rate) == (20_000, 1_000, 1_400, 1e-4)


def test_the_default_settings():
    """DESIGN.md §5: what worked on a real encoder."""
    default = preset("default", has_decoder=False)
    assert (default.loss.contrastive.temperature, default.loss.beta) == (1.0, 0.2)
    assert default.loss.interpolation.reduction == "sum"
    assert (default.learning_rate, default.freeze_embeddings, default.dropout) == (1e-4, True, True)
    assert [default.span_layer_of(n) for n in (12, 24)] == [7, 14]  # as `alee salt spans` chooses it


def test_alpha_follows_the_decoder_in_the_default_preset_alone():
    assert preset("default", has_decoder=False).loss.alpha == 0
    assert preset("default", has_decoder=True).loss.alpha == 1
    assert preset("paper", has_decoder=False).loss.alpha == 1


def test_the_rows_of_table_6():
    rows = ("con", "mt", "int", "con+mt", "mt+int", "con+int", "con+mt+int")
    base = SaltLoss(alpha=0.5, beta=0.2)
    terms = {
        row: tuple(name for name in ("con", "alpha", "beta") if getattr(ablation(base, row), name)) for row in rows
    }
    assert terms == {
        "con": ("con",),
        "mt": ("alpha",),
        "int": ("beta",),
        "con+mt": ("con", "alpha"),
        "mt+int": ("alpha", "beta"),
        "con+int": ("con", "beta"),
        "con+mt+int": ("con", "alpha", "beta"),
    }
    assert ablation(base, "con+int").beta == 0.2


@pytest.mark.parametrize("name", list(LOSSES))
def test_every_loss_is_built_by_its_name(name):
    loss = build_loss(name)
    assert loss.name == name
    assert settings_of(loss)["name"] == name


def test_settings_reach_inner_losses():
    loss = build_loss("salt", {"alpha": 0, "contrastive": {"temperature": 1, "negatives": "batch"}})
    assert loss == SaltLoss(alpha=0.0, contrastive=SpanContrastiveLoss(temperature=1.0, negatives="batch"))
    assert settings_of(loss)["contrastive"]["temperature"] == 1.0
    assert build_loss("salt", {k: v for k, v in settings_of(loss).items() if k != "name"}) == loss


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        pytest.param("sault", {}, "loss 'sault': there are salt, con", id="name"),
        pytest.param("salt", {"gamma": 1}, "loss 'salt': no setting 'gamma'; there are con, alpha, beta", id="setting"),
        pytest.param("salt", {"contrastive": {"tau": 1}}, "loss 'salt', contrastive: no setting 'tau'", id="inner"),
        pytest.param("salt", {"contrastive": 5}, "give a mapping of settings, not 5", id="no mapping"),
        pytest.param("con", {"temperature": "hot"}, "temperature: 'hot' is not a float", id="type"),
        pytest.param("con", {"temperature": True}, "temperature: True is not a float", id="bool for a number"),
        pytest.param("con", {"normalise": 1}, "normalise: 1 is not a bool", id="number for a bool"),
        pytest.param("con", {"temperature": -1.0}, "temperature -1.0", id="value"),
    ],
)
def test_bad_settings_are_named(name, settings, message):
    with pytest.raises(DataError, match=message):
        build_loss(name, settings)


def test_unknown_presets_and_rows():
    with pytest.raises(DataError, match="preset 'best': there are default, paper"):
        preset("best", has_decoder=True)
    with pytest.raises(DataError, match="loss combination 'con-int'"):
        ablation(PRESETS["paper"].loss, "con-int")
