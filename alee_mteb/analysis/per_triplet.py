"""Reading the per-triplet Parquet files of ``--prediction-folder`` back as results.

They hold no rows without triplets and no texts; so lengths and levels are not known from them, and two sets of rows
are the same if the ids in all files of a data set are.
"""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from alee_mteb import tacc
from alee_mteb.errors import ResultsError
from alee_mteb.languages import language_of
from alee_mteb.outcomes import Outcomes, digest_ids
from alee_mteb.perturbations import CODES
from alee_mteb.report.results import LanguageScores, RunScores

_COLUMNS = ["id", "perturbation", "passed"]


@dataclass(frozen=True)
class _File:
    path: Path
    model: str
    subset: str
    settings: Mapping[str, Any]
    ids: tuple[str, ...]
    kinds: tuple[str, ...]
    passed: tuple[bool, ...]

    @property
    def data(self) -> tuple[str, str]:
        return str(self.settings["task"]), str(self.settings["commit"])


def load_per_triplet(paths: Sequence[Path]) -> list[RunScores]:
    """The runs behind these files, ordered by task and model.

    Raises:
        ResultsError: a file that is not ours, a triplet that is there twice, or one model's languages scored on
            different data.
    """
    files = [_read(path) for path in paths]
    universe: dict[tuple[str, str], set[str]] = defaultdict(set)
    grouped: dict[tuple[str, str], list[_File]] = defaultdict(list)
    for file in files:
        universe[file.data] |= set(file.ids)
        grouped[str(file.settings["task"]), file.model].append(file)
    rows = {data: sorted(ids, key=_id_order) for data, ids in universe.items()}
    return [_run(found, rows) for _, found in sorted(grouped.items())]


def is_per_triplet(path: Path) -> bool:
    """Whether a Parquet file carries our metadata."""
    try:
        return b"alee" in (pa.parquet.read_schema(path).metadata or {})
    except (pa.ArrowException, OSError):
        return False


def _run(files: Sequence[_File], rows: Mapping[tuple[str, str], list[str]]) -> RunScores:
    first = files[0]
    seen: dict[str, Path] = {}
    for file in files:
        if file.data != first.data:
            raise ResultsError(
                f"{file.path}: scored on other data than {first.path.name} "
                f"({file.data[1][:8]}, {first.data[1][:8]}); give one of them at a time"
            )
        if file.subset in seen:
            raise ResultsError(f"{file.path}: {file.model} on {file.subset} is also in {seen[file.subset]}")
        seen[file.subset] = file.path
    languages = tuple(_language(file, rows[file.data]) for file in files)
    return RunScores(first.model, "", first.data[0], languages, first.settings, first.path.parent)


def _language(file: _File, rows: list[str]) -> LanguageScores:
    place = {name: row for row, name in enumerate(rows)}
    valid = np.zeros((len(CODES), len(rows)), dtype=np.bool_)
    passed = np.zeros_like(valid)
    for name, kind, success in zip(file.ids, file.kinds, file.passed, strict=True):
        if kind not in CODES:
            raise ResultsError(f"{file.path}: unknown perturbation {kind!r}; expected one of {', '.join(CODES)}")
        cell = CODES.index(kind), place[name]
        if valid[cell]:
            raise ResultsError(f"{file.path}: the triplet {name}, {kind} is there twice")
        valid[cell], passed[cell] = True, success
    language = language_of(file.subset)
    scores = {"macro_tacc": tacc.macro(tacc.shares(passed, valid)), "n_sources": int(valid.any(axis=0).sum())}
    outcomes = Outcomes(digest_ids(rows), valid, passed)
    return LanguageScores(file.subset, language.code if language else file.subset, scores, outcomes)


def _read(path: Path) -> _File:
    try:
        table = pa.parquet.read_table(path, columns=_COLUMNS, partitioning=None)
        about = json.loads((table.schema.metadata or {})[b"alee"])
        model, subset = str(about["model"]), str(about["subset"])
        settings = {name: value for name, value in about.items() if name not in ("model", "subset")}
        _ = settings["task"], settings["commit"]
    except (pa.ArrowException, OSError, ValueError, KeyError, TypeError) as error:
        raise ResultsError(f"{path}: not a per-triplet file of this package ({error})") from error
    columns = [tuple(table.column(name).to_pylist()) for name in _COLUMNS]
    return _File(path, model, subset, settings, tuple(map(str, columns[0])), tuple(map(str, columns[1])), columns[2])


def _id_order(name: str) -> tuple[bool, int, str]:
    """Whole numbers first, by value; the rest by text."""
    return (False, int(name), name) if name.isascii() and name.isdigit() else (True, 0, name)
