"""Losses by name, and whole training settings by name: ``paper`` and ``default``."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, is_dataclass, replace
from types import MappingProxyType
from typing import Any, TypeVar

from alee_mteb.errors import DataError
from salt.alignment import middle_layer
from salt.losses.contrastive import SpanContrastiveLoss
from salt.losses.inputs import Loss
from salt.losses.interpolation import InterpolationLoss
from salt.losses.omnisonar import OmniSonarTokenLoss
from salt.losses.salt import SaltLoss
from salt.losses.self_objective import SelfObjectiveLoss
from salt.losses.sonar import SonarLoss
from salt.losses.translation import SpanTranslationLoss
from salt.losses.wacse import WacseLoss
from salt.losses.word_ot import WordOTLoss

T = TypeVar("T")

LOSSES: Mapping[str, type] = MappingProxyType(
    {
        "salt": SaltLoss,
        "con": SpanContrastiveLoss,
        "mt": SpanTranslationLoss,
        "int": InterpolationLoss,
        "sonar": SonarLoss,
        "so": SelfObjectiveLoss,
        "wordot": WordOTLoss,
        "wacse": WacseLoss,
        "omnisonar-token": OmniSonarTokenLoss,
    }
)

ABLATIONS: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        "con": {"con": 1, "alpha": 0, "beta": 0},
        "mt": {"con": 0, "alpha": 1, "beta": 0},
        "int": {"con": 0, "alpha": 0, "beta": 1},
        "con+mt": {"con": 1, "alpha": 1, "beta": 0},
        "mt+int": {"con": 0, "alpha": 1, "beta": 1},
        "con+int": {"con": 1, "alpha": 0, "beta": 1},
        "con+mt+int": {"con": 1, "alpha": 1, "beta": 1},
    }
)
"""Which terms each row of Table 6 has; multiply with a preset's own weights (`ablation`)."""


@dataclass(frozen=True)
class Preset:
    """Settings of a whole training run (DESIGN.md §5).

    Attributes:
        name: ``paper`` or ``default``.
        loss: the objective.
        span_layer: layer whose states CASE aligns words with: a number, -1 for the last, or ``middle``
            (`salt.alignment.middle_layer`: 7 of 12).
        learning_rate: of AdamW, at its highest.
        steps: optimiser steps.
        warmup_steps: of the linear warm-up; cosine to zero thereafter.
        max_tokens: padded tokens per batch, of the longest side.
        freeze_embeddings: word embeddings are not trained.
        dropout: the encoder trains with its dropout on (the frozen teacher never).
    """

    name: str
    loss: SaltLoss
    span_layer: int | str
    learning_rate: float = 1e-4
    steps: int = 20_000
    warmup_steps: int = 1_000
    max_tokens: int = 1_400
    freeze_embeddings: bool = True
    dropout: bool = True

    def span_layer_of(self, n_layers: int) -> int:
        """The layer as a number, for an encoder of so many layers."""
        return middle_layer(n_layers) if self.span_layer == "middle" else int(self.span_layer)


PAPER = Preset(
    name="paper",
    loss=SaltLoss(
        con=1.0,
        alpha=1.0,
        beta=1.0,
        contrastive=SpanContrastiveLoss(temperature=5.0, average="pairs"),
        translation=SpanTranslationLoss(token_reduction="sum", average="pairs"),
        interpolation=InterpolationLoss(reduction="mean"),
    ),
    span_layer=-1,
    freeze_embeddings=False,
)

DEFAULT = Preset(
    name="default",
    loss=SaltLoss(
        con=1.0,
        alpha=1.0,
        beta=0.2,
        contrastive=SpanContrastiveLoss(temperature=1.0, average="spans"),
        translation=SpanTranslationLoss(token_reduction="sum", average="spans"),
        interpolation=InterpolationLoss(reduction="sum"),
    ),
    span_layer="middle",
    steps=150,
    warmup_steps=15,
)

PRESETS: Mapping[str, Preset] = MappingProxyType({"paper": PAPER, "default": DEFAULT})


def preset(name: str, *, has_decoder: bool) -> Preset:
    """A preset by name. ``default`` has α = 0 where there is no decoder; ``paper`` keeps α = 1 and so needs one.

    Raises:
        DataError: there is no such preset.
    """
    if name not in PRESETS:
        raise DataError(f"preset {name!r}: there are {', '.join(sorted(PRESETS))}")
    chosen = PRESETS[name]
    if name == "default" and not has_decoder:
        return replace(chosen, loss=replace(chosen.loss, alpha=0.0))
    return chosen


def ablation(loss: SaltLoss, name: str) -> SaltLoss:
    """A row of Table 6: the loss with the weights of the terms that row lacks set to 0.

    Raises:
        DataError: there is no such row.
    """
    if name not in ABLATIONS:
        raise DataError(f"loss combination {name!r}: there are {', '.join(ABLATIONS)}")
    kept = ABLATIONS[name]
    return replace(loss, con=loss.con * kept["con"], alpha=loss.alpha * kept["alpha"], beta=loss.beta * kept["beta"])


def build_loss(name: str, settings: Mapping[str, Any] | None = None) -> Loss:
    """A loss by name, with settings by name; settings of inner losses are mappings themselves.

        build_loss("salt", {"alpha": 0, "beta": 0.2, "contrastive": {"temperature": 1.0}})

    Raises:
        DataError: no such loss or setting, or a value of the wrong type.
    """
    if name not in LOSSES:
        raise DataError(f"loss {name!r}: there are {', '.join(LOSSES)}")
    loss: Loss = with_settings(LOSSES[name](), settings or {}, f"loss {name!r}")
    return loss


def with_settings(base: T, settings: Mapping[str, Any], where: str) -> T:
    """A frozen dataclass with some fields replaced, checked by name and type; mappings go into inner dataclasses.

    Raises:
        DataError: names the unknown or ill-typed setting.
    """
    known = {one.name: getattr(base, one.name) for one in fields(base)}  # type: ignore[arg-type]
    changes: dict[str, Any] = {}
    for key, value in settings.items():
        if key not in known:
            raise DataError(f"{where}: no setting {key!r}; there are {', '.join(known)}")
        changes[key] = _checked(known[key], value, f"{where}, {key}")
    return replace(base, **changes)  # type: ignore[type-var]


def _checked(old: Any, value: Any, where: str) -> Any:
    if is_dataclass(old):
        if not isinstance(value, Mapping):
            raise DataError(f"{where}: give a mapping of settings, not {value!r}")
        return with_settings(old, value, where)
    if isinstance(old, bool) or isinstance(value, bool):
        fits = isinstance(old, bool) and isinstance(value, bool)
    elif isinstance(old, float):
        fits = isinstance(value, int | float)
        value = float(value) if fits else value
    else:
        fits = isinstance(value, type(old))
    if not fits:
        raise DataError(f"{where}: {value!r} is not a {type(old).__name__}")
    return value


def settings_of(loss: Loss) -> dict[str, Any]:
    """Name and all settings of a loss, as plain values (for signatures, logs and model cards)."""
    return {"name": loss.name, **asdict(loss)}  # type: ignore[call-overload]
