"""Reading ALEE scores out of mteb result folders.

mteb writes ``…/org__model/revision/TASK.json``; nothing here needs mteb itself, so a report takes a moment.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from alee_mteb.errors import ResultsError
from alee_mteb.languages import ENGLISH_CODE, language_of
from alee_mteb.outcomes import Outcomes

PREFIX = "ALEE-"


@dataclass(frozen=True)
class LanguageScores:
    """The scores of one subset.

    Attributes:
        key: subset key.
        code: language code behind it.
        scores: what `alee_mteb.scoring.score` returned, as read from the file.
        outcomes: per-triplet outcomes.
    """

    key: str
    code: str
    scores: Mapping[str, Any]
    outcomes: Outcomes

    @property
    def is_english(self) -> bool:
        """Whether the target is English itself."""
        return self.code == ENGLISH_CODE


@dataclass(frozen=True)
class RunScores:
    """One model on one task: every language its result file holds, in file order."""

    model: str
    revision: str
    task: str
    languages: tuple[LanguageScores, ...]
    settings: Mapping[str, Any]
    path: Path

    @property
    def dataset(self) -> str:
        """The task name without the hash of other data."""
        return self.task.split("@")[0]


def load_runs(folder: Path) -> list[RunScores]:
    """All ALEE results below a folder, or in one file, ordered by task, model and revision.

    Raises:
        ResultsError: nothing there, or a file that is not what mteb and our tasks write.
    """
    if not folder.exists():
        raise ResultsError(f"{folder}: no such file or folder; give the --output-folder of a run")
    paths = [folder] if folder.is_file() else sorted(folder.rglob(f"{PREFIX}*.json"))
    runs = [run for path in paths for run in _runs_in(path)]
    if not runs:
        raise ResultsError(f"{folder}: no ALEE results; make some with `alee run -m MODEL -t ALEE-Sample`")
    return sorted(runs, key=lambda run: (run.task, run.model, run.revision))


def _runs_in(path: Path) -> Iterator[RunScores]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ResultsError(f"{path}: not a readable result file ({error}); delete it and run again") from error
    if not isinstance(content, dict) or not str(content.get("task_name", "")).startswith(PREFIX):
        return
    try:
        subsets = content["scores"]["test"]
        languages = tuple(_language(entry, f"{path}: {entry['hf_subset']}") for entry in subsets)
        settings = _joined_settings([entry["settings"] for entry in subsets])
        commits = sorted({str(entry["settings"]["commit"])[:8] for entry in subsets})
    except (KeyError, TypeError, IndexError, AttributeError) as error:
        raise ResultsError(f"{path}: field {error} is missing or empty; not made by this package?") from error
    if len(commits) > 1:
        raise ResultsError(
            f"{path}: its languages were scored on different data ({', '.join(commits)}); "
            "score again with --overwrite-strategy always"
        )
    model, revision = _model_of(path)
    yield RunScores(model, revision, str(content["task_name"]), languages, settings, path)


def _joined_settings(settings: list[dict[str, Any]]) -> dict[str, Any]:
    """The settings of all languages; where they differ (a library was upgraded between runs), all values are named."""
    prompts = list(dict.fromkeys(one["prompt"] for one in settings))
    versions: dict[str, list[str]] = {}
    for one in settings:
        for name, number in one["versions"].items():
            if number not in versions.setdefault(name, []):
                versions[name].append(number)
    return settings[0] | {
        "prompt": prompts[0] if len(prompts) == 1 else " or ".join(str(prompt) for prompt in prompts),
        "versions": {name: "/".join(numbers) for name, numbers in versions.items()},
    }


def _language(entry: Mapping[str, Any], place: str) -> LanguageScores:
    key = str(entry["hf_subset"])
    known = language_of(key)
    code = str(entry.get("language") or (known.code if known else key))
    return LanguageScores(key, code, entry, Outcomes.from_json(entry["outcomes"], place))


def _model_of(path: Path) -> tuple[str, str]:
    """Model name and revision from ``model_meta.json`` beside the file, else from the folder names."""
    meta = path.parent / "model_meta.json"
    if meta.is_file():
        try:
            content = json.loads(meta.read_text(encoding="utf-8"))
            if content.get("name"):
                return str(content["name"]), str(content.get("revision") or path.parent.name)
        except (OSError, ValueError, AttributeError) as error:
            raise ResultsError(f"{meta}: not a readable model card ({error})") from error
    return path.parent.parent.name.replace("__", "/"), path.parent.name
