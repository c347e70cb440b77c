"""mteb result folders and per-triplet files with outcomes that were drawn, for tests of the analysis."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from alee_mteb import tacc
from alee_mteb.languages import language_of
from alee_mteb.outcomes import Outcomes, digest_ids
from alee_mteb.perturbations import CODES

ROWS = 80


def settings(task: str, commit: str = "c" * 40) -> dict[str, Any]:
    return {
        "task": task,
        "data": "org/data",
        "commit": commit,
        "prompt": "",
        "similarity": "cosine",
        "versions": {"mteb": "2.0"},
    }


def drawn_outcomes(model: str, task: str, key: str, rate: float, rows: int = ROWS) -> Outcomes:
    """Foils depend on the task alone; how hard a source is on task and row; what is passed on the model as well."""
    valid = _generator("foils", task).random((4, rows)) < 0.75
    hard = _generator("hard", task).random((4, rows))
    noise = _generator(model, task, key).random((4, rows))
    passed = valid & (0.6 * hard + 0.4 * noise < 0.1 + 0.8 * rate)
    return Outcomes(digest_ids([str(row) for row in range(rows)]), valid, passed)


def subset(key: str, outcomes: Outcomes, about: Mapping[str, Any], levels: bool = False) -> dict[str, Any]:
    """What a result file holds of one language: the fields that reports and analyses read."""
    shares = tacc.shares(outcomes.passed, outcomes.valid)
    present = {code: float(value) for code, value in zip(CODES, shares, strict=True) if not np.isnan(value)}
    language = language_of(key)
    assert language is not None
    third = outcomes.valid.shape[1] // 3
    bins = {
        name: _part(outcomes, slice(start * third, (start + 1) * third))
        for start, name in enumerate(("<115", "115-314", ">=315"))
    }
    entry = {
        "hf_subset": key,
        "language": language.code,
        "languages": [language.mteb_code],
        "main_score": tacc.macro(shares),
        "macro_tacc": tacc.macro(shares),
        "macro_tacc_low": None,
        "macro_tacc_high": None,
        "macro_unrelated_target": 0.5,
        "macro_overlap": 0.6,
        "matched": {"macro_tacc": tacc.macro(shares), "n": 1},
        "perturbations": {code: {"tacc": value, "low": None, "high": None} for code, value in present.items()},
        "n_sources": int(outcomes.valid.any(axis=0).sum()),
        "n_missing_translations": 0,
        "by_length": bins,
        "settings": dict(about),
        "outcomes": outcomes.to_json(),
    }
    if levels:
        entry["by_level"] = {"sentence_level": bins["<115"], "paragraph_level": bins[">=315"]}
    return entry


def write_results(
    folder: Path,
    model: str,
    task: str,
    languages: Mapping[str, float] | Mapping[str, Outcomes],
    commit: str = "c" * 40,
    revision: str = "1",
    levels: bool = False,
) -> Path:
    """One result file with its model card; a language is given by its outcomes, or by how often it is passed."""
    entries = [
        subset(
            key,
            value if isinstance(value, Outcomes) else drawn_outcomes(model, task, key, value),
            settings(task, commit),
            levels,
        )
        for key, value in languages.items()
    ]
    path = folder / model.replace("/", "__") / revision / f"{task}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"task_name": task, "scores": {"test": entries}}))
    (path.parent / "model_meta.json").write_text(json.dumps({"name": model, "revision": revision}))
    return path


def write_per_triplet(
    folder: Path, model: str, task: str, languages: Mapping[str, Outcomes], commit: str = "c" * 40
) -> list[Path]:
    """The Parquet files that scoring writes for ``--prediction-folder``, by its own writer."""
    from types import SimpleNamespace

    from alee_mteb.predictions import write_predictions
    from alee_mteb.tacc import Comparison

    paths = []
    for key, outcomes in languages.items():
        negative = np.where(outcomes.valid, np.where(outcomes.passed, 0.2, 0.9), np.nan)
        comparison = Comparison(np.full(outcomes.valid.shape[1], 0.5), negative)
        table: Any = SimpleNamespace(ids=[str(row) for row in range(outcomes.valid.shape[1])])
        paths.append(write_predictions(folder, key, table, comparison, model, settings(task, commit)))
    return paths


def _part(outcomes: Outcomes, rows: slice) -> dict[str, Any]:
    shares = tacc.shares(outcomes.passed[:, rows], outcomes.valid[:, rows])
    values = {code: float(value) for code, value in zip(CODES, shares, strict=True) if not np.isnan(value)}
    return {"macro_tacc": tacc.macro(shares), **values, "n": int(outcomes.valid[:, rows].any(axis=0).sum())}


def _generator(*names: str) -> np.random.Generator:
    import hashlib

    digest = hashlib.sha256("\n".join(names).encode()).digest()
    return np.random.default_rng(int.from_bytes(digest[:8], "big"))
