"""Published figures as entries: what the ALEE authors' analysis printed for 14 encoders (see the folder's README)."""

import csv
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from alee_mteb.analysis import reference
from alee_mteb.errors import ResultsError
from alee_mteb.languages import official_languages
from leaderboard.entries import Bin, Entry, ModelFacts, Score, SubsetEntry, facts_of
from leaderboard.submission.problems import shown
from leaderboard.submission.schema import model_card

#: The publication does not say which revisions of the models were run.
REVISION = "published"
MODELS = "models.csv"
SOURCE = "ALEE paper, the authors' analysis"
#: Subsets that today's tasks have and the published data lacked: its five-character rule lost Filipino.
WITHOUT = {"ALEE-MT61": ("fil_PH",)}


def published_entries(folder: Path) -> list[Entry]:
    """Every published model of ``models.csv`` on every data set, with bins and Romansh figures where there are any.

    The table says who the models are; the figures come with the package (`alee_mteb.analysis.reference`).

    Raises:
        ResultsError: the table is missing or has a bad cell, naming row and column, or lacks a model.
    """
    models = {row.get("published_name"): row for row in _rows(folder / MODELS)}
    return [_entry(one, models, folder / MODELS) for one in reference.models()]


def _entry(one: reference.PublishedModel, models: Mapping[str | None, dict[str, str]], path: Path) -> Entry:
    if one.model not in models:
        raise ResultsError(f"{path}: there is no row of {one.model!r}, which has published figures; add it")
    without = WITHOUT.get(one.dataset, ())
    has_romansh = one.dataset == "ALEE-MT61"
    varieties = reference.romansh()[one.model] if has_romansh else {}
    return Entry(
        kind="published",
        model=_facts(models[one.model], path),
        task=one.dataset,
        macro=one.macro,
        perturbations={code: Score(share) for code, share in one.perturbations.items()},
        n_languages=len(official_languages(one.dataset)) - len(without),
        subsets=tuple(SubsetEntry(key, "roh_Latn", share) for key, share in varieties.items()),
        without=without,
        by_length=_bins(reference.length_bins(), one),
        by_level=_bins(reference.levels(), one),
        romansh_mean=reference.romansh_means()[one.model] if has_romansh else None,
        source=SOURCE,
    )


def _bins(bins: Sequence[reference.PublishedBin], one: reference.PublishedModel) -> tuple[Bin, ...]:
    return tuple(
        Bin(found.bin.removesuffix("_level"), found.tacc)
        for found in bins
        if (found.model, found.dataset) == (one.model, one.dataset)
    )


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


def _rows(path: Path) -> list[dict[str, str]]:
    try:
        with path.open(encoding="utf-8", newline="") as handle:
            return list(csv.DictReader(handle))
    except (OSError, UnicodeDecodeError) as error:
        raise ResultsError(f"{path}: cannot be read ({error}); it comes with the published figures") from error
