"""The minimal-pair sets in this package: ALEE-Sample, written by hand, and ALEE-S-Sample, made from its sources.

`data/sample.yaml` holds, per item: id, level, domain, syntax tags, the English source, its foils, the translations
and, for most sentences, the AMR graph with the edit behind each foil. `data/surface_sample.tsv` holds the foils that
the surface engine makes of the same sources (`builders.surface_sample` writes it). This module makes wide tables of
them.
"""

import csv
import hashlib
import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import pyarrow as pa
import yaml

from alee_mteb.languages import ENGLISH_CODE
from alee_mteb.perturbations import Perturbation

SAMPLE_FILE = "data/sample.yaml"
SURFACE_FILE = "data/surface_sample.tsv"
#: Configuration of the tables, as in the specs of their tasks.
SAMPLE_CONFIG, SURFACE_CONFIG = "alee_sample", "alee_s_sample"
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
    return _table({item["id"]: item["foils"] for item in sample_items()})


def surface_foils() -> dict[str, dict[str, str]]:
    """Id → perturbation name → foil, as the surface engine made them."""
    lines = [line for line in _text(SURFACE_FILE).splitlines() if not line.startswith("#")]
    rows = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
    return {row.pop("id"): {name: foil for name, foil in row.items() if foil} for row in rows}


@cache
def surface_manifest() -> dict[str, Any]:
    """What made `surface_foils`: engine, parser, realiser, lexicon, validator, settings and library versions."""
    line = next(line for line in _text(SURFACE_FILE).splitlines() if line.startswith("# built: "))
    found: dict[str, Any] = json.loads(line.removeprefix("# built: "))
    return found


def packaged_table(config: str) -> pa.Table:
    """The wide table of one of the packaged configurations."""
    if config == SAMPLE_CONFIG:
        return sample_table()
    table = _table(surface_foils())
    return table.replace_schema_metadata({"alee": json.dumps(surface_manifest(), sort_keys=True)})


@cache
def packaged_revision(config: str) -> str:
    """SHA-256 of the files of a packaged configuration: what its scores are filed under."""
    if config == SAMPLE_CONFIG:
        return sample_revision()
    return hashlib.sha256((_text() + _text(SURFACE_FILE)).encode()).hexdigest()


def _table(foils: Mapping[str, Mapping[str, str]]) -> pa.Table:
    items = sample_items()
    columns: dict[str, list[str | None]] = {
        "id": [item["id"] for item in items],
        ENGLISH_CODE: [item[ENGLISH_CODE] for item in items],
    }
    for kind in Perturbation:
        columns[f"eng_{kind.value}_negative"] = [foils.get(item["id"], {}).get(kind.value) for item in items]
    for key in sample_languages()[1:]:
        columns[key] = [item["translations"][key] for item in items]
    for name in ("domain", "level"):
        columns[name] = [item[name] for item in items]
    return pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()})


@cache
def _text(name: str = SAMPLE_FILE) -> str:
    return files("alee_mteb").joinpath(name).read_text(encoding="utf-8")
