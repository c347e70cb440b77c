"""Rows of a Hub data set, label numbers replaced by their names."""

from collections.abc import Iterator
from typing import Any

from alee_mteb.errors import DataError


def hub_rows(name: str, config: str | None, split: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Row numbers (from 1) and rows; integer labels become names where the data set has names for them.

    Raises:
        DataError: the data set, configuration or split cannot be loaded.
    """
    import datasets

    repository, _, revision = name.partition("@")
    try:
        loaded = datasets.load_dataset(repository, config, split=split, revision=revision or None)
    except Exception as error:  # noqa: BLE001 - the library raises a dozen kinds; all mean the data cannot be had
        reason = " ".join(str(error).split())[:200]
        raise DataError(f"{name} ({config or 'default'}, {split}) cannot be loaded from the Hub: {reason}") from None
    names = {column: _names(feature) for column, feature in loaded.features.items()}
    for number, row in enumerate(loaded, 1):
        yield number, {column: _named(value, names[column]) for column, value in row.items()}


def hub_configs(name: str) -> list[str]:
    """The configurations of a data set (its languages, mostly).

    Raises:
        DataError: they cannot be had.
    """
    import datasets

    repository, _, revision = name.partition("@")
    try:
        return list(datasets.get_dataset_config_names(repository, revision=revision or None))
    except Exception as error:  # noqa: BLE001 - see above
        reason = " ".join(str(error).split())[:200]
        raise DataError(
            f"{name} cannot be reached on the Hub: {reason}; give local files with --data KIND=FOLDER"
        ) from None


def _names(feature: Any) -> list[str] | None:
    inner = getattr(feature, "feature", feature)
    return getattr(inner, "names", None)


def _named(value: Any, names: list[str] | None) -> Any:
    if names is None:
        return value
    if isinstance(value, list):
        return [names[item] if isinstance(item, int) and item >= 0 else item for item in value]
    return names[value] if isinstance(value, int) and value >= 0 else value
