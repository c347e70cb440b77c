"""Published figures as entries: what the ALEE authors' analysis printed for 14 encoders (see the folder's README)."""

import csv
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from alee_mteb.errors import ResultsError
from alee_mteb.languages import official_languages
from alee_mteb.perturbations import CODES
from leaderboard.entries import Bin, Entry, ModelFacts, Score, SubsetEntry, facts_of
from leaderboard.submission.problems import shown
from leaderboard.submission.schema import model_card

#: The publication does not say which revisions of the models were run.
REVISION = "published"
SOURCE = "ALEE paper, the authors' analysis"
#: Subsets that today's tasks have and the published data lacked: its five-character rule lost Filipino.
WITHOUT = {"ALEE-MT61": ("fil_PH",)}

_LENGTHS = {"lt_115_chars": "<115", "115_to_314": "115-314", "ge_315": ">=315"}
_LEVELS = {"sentence_level": "sentence", "paragraph_level": "paragraph"}
_ROMANSH = ("rumgr", "sursilv", "sutsilv", "surmiran", "puter", "vallader")


def published_entries(folder: Path) -> list[Entry]:
    """One entry per row of ``model_tacc.csv``, with bins and Romansh figures where these were published.

    Raises:
        ResultsError: a table is missing or has a cell that is no share, naming file, row and column.
    """
    models = {row.get("published_name"): row for row in _rows(folder / "models.csv")}
    lengths = {(row["model"], row["dataset"]): row for row in _rows(folder / "length_bins_mt61.csv")}
    levels = {(row["model"], "ALEE-BQ275"): row for row in _rows(folder / "levels_bq275.csv")}
    romansh = {(row["model"], "ALEE-MT61"): row for row in _rows(folder / "romansh_mt61.csv")}
    entries = []
    for row in _rows(folder / "model_tacc.csv"):
        name, task = row["model"], row["dataset"]
        if name not in models:
            raise ResultsError(f"{folder / 'model_tacc.csv'}: model {name!r} is not in models.csv; add it there")
        varieties = romansh.get((name, task))
        without = WITHOUT.get(task, ())
        entries.append(
            Entry(
                kind="published",
                model=_facts(models[name], folder / "models.csv"),
                task=task,
                macro=_share(row, "macro", folder / "model_tacc.csv"),
                perturbations={code: Score(_share(row, code, folder / "model_tacc.csv")) for code in CODES},
                n_languages=len(official_languages(task)) - len(without),
                subsets=tuple(_varieties(varieties, folder / "romansh_mt61.csv")) if varieties else (),
                without=without,
                by_length=_bins(lengths.get((name, task)), _LENGTHS, folder / "length_bins_mt61.csv"),
                by_level=_bins(levels.get((name, task)), _LEVELS, folder / "levels_bq275.csv"),
                romansh_mean=_share(varieties, "mean", folder / "romansh_mt61.csv") if varieties else None,
                source=SOURCE,
            )
        )
    return entries


def _facts(row: dict[str, str], path: Path) -> ModelFacts:
    """The facts in a row of ``models.csv``, held to the same rules as a submitted model card."""
    card = {
        "name": row.get("name"),
        "revision": REVISION,
        "n_parameters": _number(row.get("parameters")),
        "embed_dim": _number(row.get("dimension")),
        "license": row.get("license"),
        "reference": row.get("reference"),
        "languages": (row.get("languages") or "").split(),
    }
    published_name = row.get("published_name") or ""
    if not re.fullmatch(r"\w+", published_name):
        raise ResultsError(f"{path}: column 'published_name': {shown(published_name)!r} is not a plain name")
    facts = facts_of(model_card(json.dumps(card).encode(), f"{path}, row {published_name!r}"))
    return replace(facts, published_name=published_name)


def _number(text: str | None) -> int | str | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 16 else text


def _varieties(row: dict[str, str], path: Path) -> Iterator[SubsetEntry]:
    for variety in _ROMANSH:
        yield SubsetEntry(f"roh_{variety}", "roh_Latn", _share(row, variety, path))


def _bins(row: dict[str, str] | None, labels: dict[str, str], path: Path) -> tuple[Bin, ...]:
    return tuple(Bin(label, _share(row, column, path)) for column, label in labels.items()) if row else ()


def _share(row: dict[str, str], column: str, path: Path) -> float:
    try:
        value = float(row[column])
    except (KeyError, TypeError, ValueError):
        value = -1.0
    if not 0 <= value <= 1:
        raise ResultsError(f"{path}: row {row.get('model')!r}, column {column!r}: {row.get(column)!r} is not a share")
    return value


def _rows(path: Path) -> list[dict[str, str]]:
    try:
        with path.open(encoding="utf-8", newline="") as handle:
            return list(csv.DictReader(handle))
    except (OSError, UnicodeDecodeError) as error:
        raise ResultsError(f"{path}: cannot be read ({error}); it comes with the published figures") from error
