"""Makes the foils of ALEE-S-Sample: a build of the surface engine on the sources of ALEE-Sample.

    python -m builders.surface_sample        writes alee_mteb/data/surface_sample.tsv again

The file is part of the wheel, so that the task needs neither spaCy nor a build. Its header says what made it.
"""

import json
import tempfile
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

import alee_mteb
from alee_mteb.files import write_text
from alee_mteb.perturbations import Perturbation
from alee_mteb.sample import SURFACE_CONFIG, SURFACE_FILE, sample_table
from builders.build import build
from builders.manifest import read_manifest
from builders.recipes import make_config
from builders.tables import table_path

_SAID = ("engine", "parser", "realiser", "lexicon", "validator", "seed", "settings", "versions")


def surface_sample() -> str:
    """The text of the file: two lines of header, then id and foils, tab-separated."""
    with tempfile.TemporaryDirectory() as folder:
        corpus, out = Path(folder) / "sample.parquet", Path(folder) / "built"
        given = sample_table()
        foils = [name for name in given.column_names if name.endswith("_negative")]
        pq.write_table(given.drop_columns([*foils, "domain", "level"]), corpus)
        config = make_config(
            None,
            {"corpus": str(corpus), "config_name": SURFACE_CONFIG, "engine": "surface", "license": "cc-by-4.0"},
        )
        build(config, out)
        table = pq.read_table(out / table_path(SURFACE_CONFIG)).to_pylist()
        manifest: dict[str, Any] = read_manifest(out) or {}
    said = {name: manifest[name] for name in _SAID}
    lines = [
        "# Foils of ALEE-S-Sample, one row per source of ALEE-Sample; written by builders/surface_sample.py.",
        f"# built: {json.dumps(said, sort_keys=True)}",
        "\t".join(["id", *(kind.value for kind in Perturbation)]),
    ]
    found = {row["id"]: row for row in table}
    for name in given["id"].to_pylist():
        row = found.get(name, {})
        lines.append("\t".join([name, *(row.get(f"eng_{kind.value}_negative") or "" for kind in Perturbation)]))
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write the file into the package of this checkout."""
    write_text(Path(alee_mteb.__file__).parent / SURFACE_FILE, surface_sample())


if __name__ == "__main__":
    main()
