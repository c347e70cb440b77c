"""mteb's metadata for our tasks, made from a spec and the languages at hand."""

from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from mteb.abstasks.task_metadata import TaskMetadata

from alee_mteb.languages import Language
from alee_mteb.tasks.specs import INSTRUCTION, TaskSpec
from alee_mteb.tasks.statistics import statistics_path


class AleeMetadata(TaskMetadata):
    """Task metadata whose descriptive statistics live in the user's cache folder instead of mteb's own package."""

    @property
    def descriptive_stat_path(self) -> Path:
        """See `alee_mteb.tasks.statistics.statistics_path`."""
        return statistics_path(self.name)


def task_metadata(spec: TaskSpec, name: str, languages: Iterable[Language], path: str, revision: str) -> AleeMetadata:
    """The metadata of one task.

    Each subset lists only its target language: with English listed too, ``-l eng`` would keep every subset.
    """
    fields: dict[str, Any] = {
        "name": name,
        "description": spec.description,
        "dataset": {"path": path, "revision": revision},
        "type": "BitextMining",
        "category": "t2t",
        "modalities": ["text"],
        "task_subtypes": ["Cross-Lingual Semantic Discrimination"],
        "eval_splits": ["test"],
        "eval_langs": {language.key: [language.mteb_code] for language in languages},
        "main_score": "macro_tacc",
        "prompt": INSTRUCTION,
        "date": spec.date,
        "domains": list(spec.domains),
        "license": spec.license,
        "annotations_creators": spec.annotations_creators,
        "dialect": list(spec.dialect),
        "sample_creation": spec.sample_creation,
        "bibtex_citation": citation(),
    }
    return AleeMetadata(**fields)


@cache
def citation() -> str:
    """The BibTeX entry of the ALEE paper."""
    text = files("alee_mteb").joinpath("data/citations.bib").read_text(encoding="utf-8")
    return text.split("\n\n")[0].strip()
