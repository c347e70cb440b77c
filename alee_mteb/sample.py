"""ALEE-Sample: the hand-written minimal-pair set in this package, from its one readable file.

`data/sample.yaml` holds, per item: id, level, domain, syntax tags, the English source, its foils, the translations
and, for most sentences, the AMR graph with the edit behind each foil. This module makes the wide table of it.
"""

import hashlib
from functools import cache
from importlib.resources import files
from typing import Any

import pyarrow as pa
import yaml

from alee_mteb.languages import ENGLISH_CODE
from alee_mteb.perturbations import Perturbation

SAMPLE_FILE = "data/sample.yaml"
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@cache
def sample_items() -> tuple[dict[str, Any], ...]:
    """The items of the sample, as they stand in the file. Treat them as read-only."""
    return tuple(yaml.load(_text(), Loader=_Loader))  # a safe loader


@cache
def sample_languages() -> tuple[str, ...]:
    """Language keys of the sample, English first."""
    for line in _text().splitlines():
        if line.startswith("# languages:"):
            return (ENGLISH_CODE, *line.removeprefix("# languages:").split())
    raise AssertionError(f"{SAMPLE_FILE} has lost its '# languages:' line")


@cache
def sample_revision() -> str:
    """SHA-256 of the sample file: what its scores are filed under."""
    return hashlib.sha256(_text().encode()).hexdigest()


def sample_table() -> pa.Table:
    """The sample as a wide table (DESIGN.md §2), one row per item."""
    items = sample_items()
    columns: dict[str, list[str | None]] = {
        "id": [item["id"] for item in items],
        ENGLISH_CODE: [item[ENGLISH_CODE] for item in items],
    }
    for kind in Perturbation:
        columns[f"eng_{kind.value}_negative"] = [item["foils"].get(kind.value) for item in items]
    for key in sample_languages()[1:]:
        columns[key] = [item["translations"][key] for item in items]
    for name in ("domain", "level"):
        columns[name] = [item[name] for item in items]
    return pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()})


@cache
def _text() -> str:
    return files("alee_mteb").joinpath(SAMPLE_FILE).read_text(encoding="utf-8")
