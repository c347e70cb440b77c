"""The `loss` section of a configuration: which objective, and its settings over those of the preset.

loss: {name: salt, combination: con+int, beta: 0.1, contrastive: {temperature: 5}}
"""

import difflib
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from salt.losses.inputs import Loss
from salt.losses.presets import ABLATIONS, LOSSES, ablation, preset, with_settings
from salt.losses.salt import SaltLoss
from salt.training.errors import ConfigError

_OWN = ("name", "combination")


def make_loss(settings: Mapping[str, Any], preset_name: str, *, has_decoder: bool) -> Loss:
    """The objective of a configuration.

    Raises:
        ConfigError: an unknown name (with the nearest one), or a translation term without a decoder.
        DataError: a value that a loss does not take.
    """
    name = settings.get("name", "salt")
    if name not in LOSSES:
        raise ConfigError(f"loss.name: no loss {name!r}{nearest(str(name), list(LOSSES))}")
    base: Loss = LOSSES[name]()
    own = {key: value for key, value in settings.items() if key not in _OWN}
    if name == "salt":
        base = preset(preset_name, has_decoder=has_decoder).loss
    check_names(base, own, "loss", _OWN)
    loss: Loss = with_settings(base, own, f"loss {name!r}")
    combination = settings.get("combination")
    if combination is not None:
        loss = _combined(loss, str(combination), own, has_decoder=has_decoder)
    _check_decoder(loss, has_decoder=has_decoder)
    return loss


def _combined(loss: Loss, combination: str, own: Mapping[str, Any], *, has_decoder: bool) -> Loss:
    if not isinstance(loss, SaltLoss):
        raise ConfigError(f"loss.combination: only the loss 'salt' has terms to combine, not {loss.name!r}")
    if combination not in ABLATIONS:
        raise ConfigError(f"loss.combination: no combination {combination!r}{nearest(combination, list(ABLATIONS))}")
    if ABLATIONS[combination]["alpha"] and not loss.alpha and "alpha" not in own and not has_decoder:
        # The preset took the term away for want of a decoder, but the combination asks for it.
        loss = replace(loss, alpha=1.0)
    return ablation(loss, combination)


def _check_decoder(loss: Loss, *, has_decoder: bool) -> None:
    if "decode" in loss.needs and not has_decoder:
        raise ConfigError(
            f"decoder: none given, but the translation term of the loss {loss.name!r} needs one; name the folder of a "
            f"decoder, or set {'loss.alpha' if isinstance(loss, SaltLoss) else 'its weight in the loss'} to 0"
        )


def check_names(base: Any, settings: Mapping[str, Any], place: str, more: tuple[str, ...] = ()) -> None:
    """Refuse settings that a frozen dataclass does not have, inner ones too.

    Raises:
        ConfigError: names the setting and the nearest one there is.
    """
    known = [field.name for field in fields(base)]
    for key, value in settings.items():
        if key not in known:
            raise ConfigError(f"{place}.{key}: no such setting{nearest(str(key), [*more, *known])}")
        inner = getattr(base, key)
        if is_dataclass(inner) and isinstance(value, Mapping):
            check_names(inner, value, f"{place}.{key}")


def nearest(name: str, names: list[str]) -> str:
    """What may have been meant by an unknown name, as the end of a message."""
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    return f"; did you mean {close[0]!r}?" if close else f"; there are {', '.join(names)}"
