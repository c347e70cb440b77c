"""From entries to the board: the one dictionary that the page reads, written as ``board.json``.

format         2, raised when a field changes its meaning
generator      name and version of this package
digest         first 12 digits of the SHA-256 of the rest
perturbations  [{code, title}], in the order of all lists below
official       names of the official data sets that are there; "all" below is their mean
datasets       [{name, label, size, keys, names, language, bins, binTitle}]: subset keys, what to call them ("" if
               the language's name does), index into languages per key; size = languages of the whole data set
languages      [{code, name, script, tier, search}]
scripts        script → name;  tiers: [{id, label}], best-resourced first
entries        [{id, name, label, revision, kind, size, facts: [[label, value]], link, outcomes, all, data}]
  outcomes     name of the file outcomes/….js with the per-triplet outcomes, or null
  all          {score, low, high, group}: mean of the three data sets, or null
  data         data set → {score, low, high, group, languages, total, without, matched, romansh, bins, signature,
               tacc, minus, plus, macro}
    score, low, high   [macro, PN, RS, AR, HS] as shares, null where undefined
    group              [..5] number of the tie group within verified rows, 1 = best, null where unknown
    tacc               4 lists, per key, in thousandths, −1 = none (steps of one triplet are larger than that)
    minus, plus        5 lists, per key, distance from the score to the interval's ends in thousandths, −1 = none
    macro              per key in thousandths where only macros were published, else null
"""

import hashlib
import json
import math
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from alee_mteb.datasets import THREE_DATASETS
from alee_mteb.languages import language_of, official_languages
from alee_mteb.perturbations import CODES, Perturbation
from alee_mteb.tacc import Floats
from alee_mteb.version import __version__
from leaderboard.board import names
from leaderboard.board.figures import COLUMNS, Figures, dataset_mean, figures, mean_of_keys
from leaderboard.board.ties import Contestant, tie_groups
from leaderboard.entries import Entry

FORMAT = 1
Progress = Callable[[Sequence[Entry]], Iterable[Entry]]
_LINK = re.compile(r"https://[A-Za-z0-9.-]+(/[\w.~:/?#@!$&'()*+,;=%-]*)?", re.ASCII)
_ROMANSH_DATA = "ALEE-MT61"


def assemble(entries: Sequence[Entry], progress: Progress = iter) -> dict[str, Any]:
    """The board of these entries, in the form described above. The same entries in any order give the same board.

    `progress` is given the entries and passes them on one by one, as a progress bar does.
    """
    ordered = sorted(entries, key=lambda one: (one.kind, one.model.name, one.model.revision, one.task))
    datasets = [_dataset(task, [one for one in ordered if one.task == task]) for task in _tasks(ordered)]
    languages = _languages(datasets)
    position = {language["code"]: place for place, language in enumerate(languages)}
    for dataset in datasets:
        dataset["language"] = [position[code] for code in dataset.pop("codes")]
    board: dict[str, Any] = {
        "format": FORMAT,
        "generator": f"alee-mteb {__version__}",
        "perturbations": [{"code": kind.code, "title": kind.title} for kind in Perturbation],
        "official": [dataset["name"] for dataset in datasets if dataset["name"] in THREE_DATASETS],
        "datasets": datasets,
        "languages": languages,
        "scripts": {one["script"]: names.script_name(one["code"]) for one in languages},
        "tiers": [
            {"id": tier, "label": label}
            for tier, label in names.TIERS.items()
            if any(one["tier"] == tier for one in languages)
        ],
        "entries": _rows(progress(ordered), {dataset["name"]: dataset for dataset in datasets}),
    }
    text = json.dumps(board, sort_keys=True, allow_nan=False)
    return board | {"digest": hashlib.sha256(text.encode()).hexdigest()[:12]}


def entry_id(entry: Entry) -> str:
    """What a model's permanent link and its outcomes file are named after."""
    return names.printable(f"{entry.model.name}@{entry.model.revision}")


def outcomes_name(entry: Entry) -> str:
    """Name of the file with a model's outcomes: safe whatever the model is called."""
    return hashlib.sha256(f"{entry.model.name}@{entry.model.revision}".encode()).hexdigest()[:16]


def dataset_keys(task: str, entries: Iterable[Entry]) -> list[str]:
    """Subset keys of a data set: the official ones in their order, then any others, sorted."""
    official = [language.key for language in official_languages(task)]
    return official + sorted({subset.key for entry in entries for subset in entry.subsets} - set(official))


def _tasks(entries: Sequence[Entry]) -> list[str]:
    found = {entry.task for entry in entries}
    return [task for task in THREE_DATASETS if task in found] + sorted(found - set(THREE_DATASETS))


def _dataset(task: str, entries: Sequence[Entry]) -> dict[str, Any]:
    keys = dataset_keys(task, entries)
    listed = {subset.key: subset.code for entry in entries for subset in entry.subsets}
    codes = [known.code if (known := language_of(key)) else listed.get(key, key) for key in keys]
    by_level = any(entry.by_level for entry in entries)
    labels = dict.fromkeys(one.label for entry in entries for one in (entry.by_level if by_level else entry.by_length))
    return {
        "name": task,
        "label": names.printable(task.removeprefix("ALEE-")),
        "size": len(official_languages(task)) or len(keys),
        "keys": keys,
        "names": [
            names.variety_name(key, names.language_name(code)) if codes.count(code) > 1 and key != code else ""
            for key, code in zip(keys, codes, strict=True)
        ],
        "codes": codes,
        "binLabels": list(labels),
        "bins": [names.bin_name(label) for label in labels],
        "binTitle": "level" if by_level else "characters of the source",
        "byLevel": by_level,
    }


def _languages(datasets: Sequence[dict[str, Any]]) -> list[dict[str, str]]:
    keys: dict[str, set[str]] = {}
    for dataset in datasets:
        for key, name, code in zip(dataset["keys"], dataset["names"], dataset["codes"], strict=True):
            keys.setdefault(code, set()).update({key, name, code})
    spelt = [names.language_name(code) for code in keys]
    found = []
    for code, plain in zip(keys, spelt, strict=True):
        name = f"{plain} ({names.script_name(code)})" if spelt.count(plain) > 1 else plain
        words = sorted(keys[code] | {name, names.script_name(code)})
        found.append(
            {
                "code": code,
                "name": name,
                "script": names.script_of(code),
                "tier": names.tier_of(code),
                "search": " ".join(words).strip().lower(),
            }
        )
    return sorted(found, key=lambda one: (one["name"], one["code"]))


def _rows(entries: Iterable[Entry], datasets: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    contestants: dict[str, list[Contestant]] = {}
    for entry in entries:
        identity = (entry.kind, entry_id(entry))
        row = rows.setdefault(identity, _row(entry))
        dataset = datasets[entry.task]
        computed = None
        if entry.kind == "verified":
            computed = figures([subset.outcomes for subset in entry.subsets if subset.outcomes is not None])
            row["outcomes"] = outcomes_name(entry)
            if entry.n_languages >= dataset["size"]:
                contestants.setdefault(entry.task, []).append(Contestant(identity, entry.subsets, computed.scored))
        row["data"][entry.task] = _block(entry, dataset, computed)
    for dataset in datasets.values():
        del dataset["binLabels"], dataset["byLevel"]
    _add_ties(rows, contestants)
    for row in rows.values():
        _add_published_mean(row)
    _label(list(rows.values()))
    return list(rows.values())


def _row(entry: Entry) -> dict[str, Any]:
    model = entry.model
    size = [f"{model.parameters / 1e6:,.0f}\N{NO-BREAK SPACE}M"] if model.parameters else []
    size += [f"{model.dimension}\N{NO-BREAK SPACE}d"] if model.dimension else []
    facts = [("Revision", model.revision)] if entry.kind == "verified" else []
    facts += [("Parameters", f"{model.parameters:,}")] if model.parameters else []
    facts += [("Dimension", str(model.dimension))] if model.dimension else []
    facts += [("Licence", model.licence)] if model.licence else []
    facts += [("Languages on its card", str(len(model.languages)))] if model.languages else []
    facts += [("In the paper", model.published_name)] if model.published_name else []
    return {
        "id": entry_id(entry),
        "name": names.printable(model.name),
        "revision": names.printable(model.revision),
        "kind": entry.kind,
        "size": " · ".join(size),
        "facts": [[label, names.printable(value)] for label, value in facts],
        "link": model.link if model.link and _LINK.fullmatch(model.link) else None,
        "outcomes": None,
        "all": None,
        "data": {},
    }


def _block(entry: Entry, dataset: dict[str, Any], computed: Figures | None) -> dict[str, Any]:
    bins = {one.label: one.macro for one in (entry.by_level if dataset["byLevel"] else entry.by_length)}
    block: dict[str, Any] = {
        "languages": entry.n_languages,
        "total": dataset["size"],
        "without": list(entry.without),
        "group": None,
        "bins": [_share(bins.get(label)) for label in dataset["binLabels"]],
        "signature": None if entry.signature is None else names.printable(entry.signature),
    }
    if computed is None:
        score = [
            entry.macro,
            *(entry.perturbations[code].tacc if code in entry.perturbations else None for code in CODES),
        ]
        macros = {subset.key: subset.macro for subset in entry.subsets}
        return block | {
            "score": [_share(value) for value in score],
            "low": None,
            "high": None,
            "matched": None,
            "romansh": _share(entry.romansh_mean),
            "tacc": None,
            "minus": None,
            "plus": None,
            "macro": [_thousandths(macros.get(key)) for key in dataset["keys"]] if macros else None,
        }
    place = {subset.key: at for at, subset in enumerate(entry.subsets)}
    rows = [place.get(key, -1) for key in dataset["keys"]]
    romansh = [place[key] for key in place if key.startswith("roh_")]
    has_romansh = entry.task == _ROMANSH_DATA and len(romansh) == 6
    return block | {
        "score": _shares(computed.score),
        "low": _shares(computed.low),
        "high": _shares(computed.high),
        "matched": _share(computed.matched),
        "romansh": _share(mean_of_keys(computed.language_score, romansh)) if has_romansh else None,
        "tacc": _columns(computed.language_score[:, 1:], rows),
        "minus": _columns(computed.language_score - computed.language_low, rows),
        "plus": _columns(computed.language_high - computed.language_score, rows),
        "macro": None,
    }


def _add_ties(rows: dict[tuple[str, str], dict[str, Any]], contestants: dict[str, list[Contestant]]) -> None:
    for task, found in contestants.items():
        for identity, group in tie_groups(found).items():
            rows[identity]["data"][task]["group"] = group
    if not all(task in contestants for task in THREE_DATASETS):
        return
    by_task = [{one.identity: one for one in contestants[task]} for task in THREE_DATASETS]
    everywhere = [identity for identity in by_task[0] if all(identity in one for one in by_task)]
    means = []
    for identity in everywhere:
        parts = [one[identity] for one in by_task]
        mean = Contestant(
            identity, [subset for one in parts for subset in one.subsets], dataset_mean([one.scored for one in parts])
        )
        means.append(mean)
        values = [mean.scored.get(column) for column in COLUMNS]
        bounds = [(math.nan, math.nan) if one is None else one.interval for one in values]
        rows[identity]["all"] = {
            "score": [None if one is None else _share(one.value) for one in values],
            "low": [_share(low) for low, _ in bounds],
            "high": [_share(high) for _, high in bounds],
            "group": None,
        }
    for identity, group in tie_groups(means).items():
        rows[identity]["all"]["group"] = group


def _add_published_mean(row: dict[str, Any]) -> None:
    """The mean of the three data sets where a row has them all but nothing to compute an interval from."""
    if row["all"] is not None or not all(task in row["data"] for task in THREE_DATASETS):
        return
    if row["kind"] == "published":
        table = zip(*(row["data"][task]["score"] for task in THREE_DATASETS), strict=True)
        score = [None if None in column else _share(sum(column) / len(column)) for column in table]
        row["all"] = {"score": score, "low": None, "high": None, "group": None}


def _label(rows: list[dict[str, Any]]) -> None:
    """A name for lists: with the revision where the same model is there more than once."""
    seen = [(row["kind"], row["name"]) for row in rows]
    for row, name in zip(rows, seen, strict=True):
        row["label"] = f"{row['name']} @ {row['revision'][:8]}" if seen.count(name) > 1 else row["name"]


def _columns(table: Floats, rows: Sequence[int]) -> list[list[int]]:
    """(L, C) → C lists per key of the data set, thousandths; −1 where the entry lacks the key."""
    whole = np.where(np.isnan(table), -1.0, np.rint(np.maximum(table, 0.0) * 1000)).astype(int)
    padded = np.vstack([whole, np.full((1, whole.shape[1]), -1)])
    result: list[list[int]] = padded[list(rows)].T.tolist()
    return result


def _thousandths(value: float | None) -> int:
    return -1 if value is None else round(value * 1000)


def _share(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else round(float(value), 5)


def _shares(values: Floats) -> list[float | None]:
    return [_share(value) for value in values.tolist()]
