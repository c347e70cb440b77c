"""Reading a configuration: YAML over a preset, wrong names with the nearest right one, everything in one line."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ValidationError

from salt.losses.presets import PRESETS
from salt.training.config import TrainConfig, preset_settings
from salt.training.errors import ConfigError
from salt.training.loss_settings import nearest


class _Loader(yaml.SafeLoader):
    """Safe, and reads 1e-4 as the number everyone means by it (YAML 1.1 takes it for text)."""


_Loader.yaml_implicit_resolvers = {
    key: list(entries) for key, entries in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"[-+]?[0-9]+(\.[0-9]*)?[eE][-+]?[0-9]+$"), list("-+0123456789")
)


def read_config(path: Path, flags: Mapping[str, Any] | None = None) -> TrainConfig:
    """The configuration in a YAML file, with flags laid over it.

    Raises:
        ConfigError: the file cannot be read, a name is unknown, or a value is wrong; in one line.
    """
    try:
        text = path.read_text(encoding="utf-8")
        settings = yaml.load(text, Loader=_Loader)
    except FileNotFoundError as error:
        raise ConfigError(f"{path}: no such file; give a YAML file of settings") from error
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read ({error}); a configuration is a YAML file in UTF-8") from error
    except yaml.YAMLError as error:
        raise ConfigError(f"{path}: not valid YAML ({error})") from error
    if not isinstance(settings, dict):
        raise ConfigError(f"{path}: expected settings such as `encoder: my-e5`, got {type(settings).__name__}")
    return make_config(settings | {key: value for key, value in (flags or {}).items() if value is not None}, str(path))


def make_config(settings: Mapping[str, Any], place: str = "configuration") -> TrainConfig:
    """Settings over their preset, checked.

    Args:
        place: what to call them in messages.

    Raises:
        ConfigError: see `read_config`.
    """
    preset = settings.get("preset", "default")
    if preset not in PRESETS:
        raise ConfigError(f"{place}: preset: no preset {preset!r}{nearest(str(preset), list(PRESETS))}")
    try:
        return TrainConfig.model_validate(_over(preset_settings(preset), settings))
    except ValidationError as error:
        raise ConfigError(f"{place}: {_first(error)}") from error


def changed_settings(old: Mapping[str, Any], new: Mapping[str, Any], within: str = "") -> list[str]:
    """Dotted names of the settings in which two dumped configurations differ."""
    names = []
    for key in dict.fromkeys([*old, *new]):
        left, right = old.get(key), new.get(key)
        if isinstance(left, Mapping) and isinstance(right, Mapping):
            names += changed_settings(left, right, f"{within}{key}.")
        elif left != right:
            names.append(f"{within}{key}")
    return names


def _over(base: Mapping[str, Any], top: Mapping[str, Any]) -> dict[str, Any]:
    """`top` laid over `base`, section by section."""
    merged = dict(base)
    for key, value in top.items():
        below = base.get(key)
        merged[key] = _over(below, value) if isinstance(below, Mapping) and isinstance(value, Mapping) else value
    return merged


def _first(error: ValidationError) -> str:
    """The first thing wrong, and how many more there are."""
    problems = error.errors()
    first = problems[0]
    name = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        text = f"{name}: no such setting{_nearest(first['loc'])}"
    elif first["type"] == "missing":
        text = f"{name}: missing"
    else:
        message = first["msg"].removeprefix("Value error, ")
        text = f"{name}: {message[0].lower()}{message[1:]}" if name else message
        if first["type"] != "value_error":
            text += f", got {first['input']!r}"
    return text + (f" (and {len(problems) - 1} more)" if len(problems) > 1 else "")


def _nearest(place: Sequence[int | str]) -> str:
    """What may have been meant by a name that is unknown."""
    kind: type[BaseModel] = TrainConfig
    for part in place[:-1]:
        inner = kind.model_fields[str(part)].annotation
        if not (isinstance(inner, type) and issubclass(inner, BaseModel)):
            return ""
        kind = inner
    return nearest(str(place[-1]), list(kind.model_fields))
