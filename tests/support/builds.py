"""A finished build of three rows, in the layout of `alee build`."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

WMT_SOURCES = [
    {"name": "google/wmt24pp", "license": "apache-2.0", "revision": "aaaa", "origin": "google/wmt24pp"},
    {"name": "ZurichNLP/wmt24pp-rm", "license": "apache-2.0", "revision": "bbbb", "origin": "ZurichNLP/wmt24pp-rm"},
]


def make_build(
    folder: Path,
    *,
    config: str = "alee_mt61",
    english: str = "en_EN",
    languages: tuple[str, ...] = ("de_DE", "roh_puter"),
    corpus: dict[str, Any] | None = None,
    engine: str = "amr",
    seed: int = 7,
) -> Path:
    """Write the tables and the manifest of a small build and return the folder."""
    head = english.split("_")[0]
    table: dict[str, list[str | None]] = {
        "id": ["1", "2", "3"],
        english: ["The cat sleeps.", "She paid him.", "It is warm."],
        f"{head}_PolarityNegation_negative": ["The cat does not sleep.", "She did not pay him.", "It is not warm."],
        f"{head}_RoleSwap_negative": [None, "He paid her.", None],
        f"{head}_AntonymRepl_negative": [None, None, "It is cold."],
        f"{head}_HypernymSub_negative": ["The animal sleeps.", None, None],
        **{key: [f"{key} one", f"{key} two", f"{key} three"] for key in languages},
        "domain": ["news", "news", None],
    }
    provenance = {"id": ["1"], "perturbation": ["PolarityNegation"], "status": ["success"], "foil": ["The cat …"]}
    tables = {f"{config}/test-00000-of-00001.parquet": table}
    tables[f"{config}_provenance/test-00000-of-00001.parquet"] = provenance
    files = {}
    for name, columns in tables.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.table({key: pa.array(values, pa.string()) for key, values in columns.items()}), path)
        rows = len(columns["id"])
        files[name] = {"sha256": hashlib.sha256(path.read_bytes()).hexdigest(), "rows": rows}
    text = corpus or {"name": "google/wmt24pp", "license": "apache-2.0", "revision": "aaaa", "sources": WMT_SOURCES}
    manifest = {
        "format": 1,
        "engine": engine,
        "mode": "paper",
        "seed": seed,
        "parser": "amrlib model_parse_xfm_bart_large-v0_1_0",
        "validator": "nli juliussteen/DeBERTa-v3-FaithAug",
        "config": config,
        "corpus": {**text, "english": english, "languages": list(languages), "rows": 3},
        "settings": {
            "perturbations": ["PolarityNegation", "RoleSwap", "AntonymRepl", "HypernymSub"],
            "control": False,
        },
        "files": files,
        "counts": {
            "sources": 3,
            "left_out": {"bad_source": 180},
            "translations_left_out": {},
            "statuses": {
                "RoleSwap": {"success": 1, "no_candidate": 1, "parse_failed": 0, "rejected_entailment": 1},
                "PolarityNegation": {"success": 3, "no_candidate": 0, "parse_failed": 0, "rejected_entailment": 0},
            },
        },
        "versions": {"alee-mteb": "0.1.0", "penman": "1.3.1"},
    }
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=2), encoding="utf-8")
    return folder
