"""Descriptive statistics of a data set: counts per perturbation and language, token medians and quartiles."""

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import platformdirs

from alee_mteb.files import write_text
from alee_mteb.perturbations import CODES
from alee_mteb.triplets import TripletTable
from alee_mteb.version import __version__

#: Words and single punctuation marks, the token of the paper's length figures (DESIGN.md, issue of statistics).
TOKEN = re.compile(r"\w+|[^\w\s]")


def statistics_of(table: TripletTable, languages: Sequence[str]) -> dict[str, Any]:
    """Counts and lengths over some of a table's languages.

    Returns:
        ``num_samples`` (triplets), ``n_sources``, ``triplets`` per perturbation, ``source_tokens``,
        ``foil_tokens`` and ``target_tokens`` as ``{"median", "q1", "q3"}``, ``n_missing_translations``.
    """
    counts = dict.fromkeys(CODES, 0)
    missing, target_lengths = 0, []
    for key in languages:
        targets = table.targets(key)
        present = np.array([text is not None for text in targets.texts])
        missing += targets.n_missing
        target_lengths += [_tokens(text) for text in targets.texts if text is not None]
        for code, mask in zip(CODES, table.has_foil.values(), strict=True):
            counts[code] += int((mask & present).sum())
    foils = (text for texts in table.foils.values() for text in texts if text is not None)
    return {
        "num_samples": sum(counts.values()),
        "n_sources": len(table),
        "triplets": counts,
        "source_tokens": _quartiles(map(_tokens, table.sources)),
        "foil_tokens": _quartiles(map(_tokens, foils)),
        "target_tokens": _quartiles(target_lengths),
        "n_missing_translations": missing,
    }


def descriptive_statistics(task: Any, path: Path, overwrite: bool) -> dict[str, Any]:
    """Statistics over all languages and per language, read from `path` if they were calculated before."""
    if path.is_file() and not overwrite:
        stored: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return stored
    table = task.table
    overall = statistics_of(table, list(table.languages))
    overall["hf_subset_descriptive_stats"] = {key: statistics_of(table, [key]) for key in table.languages}
    statistics = {"test": overall}
    write_text(path, json.dumps(statistics, indent=2, ensure_ascii=False) + "\n")
    return statistics


def statistics_path(task: str) -> Path:
    """The file in the user's cache folder."""
    folder = Path(platformdirs.user_cache_dir("alee-mteb")) / "descriptive_stats" / __version__
    return folder / f"{task}.json"


def _tokens(text: str) -> int:
    return len(TOKEN.findall(text))


def _quartiles(lengths: Iterable[int]) -> dict[str, float]:
    values = np.fromiter(lengths, dtype=np.int64)
    if not values.size:
        return {}
    q1, median, q3 = np.percentile(values, [25, 50, 75])
    return {"median": float(median), "q1": float(q1), "q3": float(q3)}
