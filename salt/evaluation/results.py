"""What a run leaves on disk, and reading it back.

OUT/results.json       the run: model, signature, settings, every score with its interval
OUT/parts/*.json       one file per task and data set, written when it is done, with per-item counts
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from alee_mteb.errors import ResultsError
from alee_mteb.files import write_text
from salt.evaluation.scores import Score, score_from_json

#: Raised when the meaning of a field changes.
FORMAT = 1


@dataclass(frozen=True)
class Part:
    """What one unit of work gave.

    Attributes:
        id: ``alignment/xl-wa/eng_Latn-spa_Latn`` and the like; unique in a run.
        fingerprint: hash of everything the scores depend on; a part with the same one is not computed again.
        data: hash of the data alone; two runs can be compared where it is equal.
        scores: with their per-item counts.
        extras: tables and coordinates for reports.
    """

    id: str
    fingerprint: str
    data: str
    scores: tuple[Score, ...]
    extras: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Run:
    """A finished run."""

    model: Mapping[str, Any]
    signature: str
    settings: Mapping[str, Any]
    parts: tuple[Part, ...]

    @property
    def scores(self) -> list[Score]:
        """Scores of all parts."""
        return [score for part in self.parts for score in part.scores]


def digest(content: Any) -> str:
    """SHA-256 over the content as canonical JSON, 16 digits."""
    dumped = json.dumps(content, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(dumped.encode()).hexdigest()[:16]


def part_path(out: Path, id: str) -> Path:
    """Where a part is kept."""
    return out / "parts" / f"{re.sub(r'[^A-Za-z0-9+_-]+', '.', id)}.json"


def write_part(out: Path, part: Part) -> None:
    """Keep a finished part, atomically."""
    record = {
        "format": FORMAT,
        "id": part.id,
        "fingerprint": part.fingerprint,
        "data": part.data,
        "scores": [score.to_json(items=True) for score in part.scores],
        "extras": dict(part.extras),
    }
    write_text(part_path(out, part.id), json.dumps(record, ensure_ascii=False) + "\n")


def read_part(path: Path) -> Part:
    """A part as `write_part` left it.

    Raises:
        ResultsError: not such a file.
    """
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        if record["format"] != FORMAT:
            raise ResultsError(f"{path}: format {record['format']}, this version reads {FORMAT}; run it again")
        scores = tuple(score_from_json(score) for score in record["scores"])
        return Part(record["id"], record["fingerprint"], record["data"], scores, record["extras"])
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise ResultsError(f"{path}: not a part of `alee salt evaluate` ({error}); delete it and run again") from None


def finished_part(out: Path, id: str, fingerprint: str) -> Part | None:
    """The part of an earlier run with the same fingerprint; ``None`` if there is none that can be used."""
    path = part_path(out, id)
    if not path.exists():
        return None
    try:
        part = read_part(path)
    except ResultsError:
        return None
    return part if part.fingerprint == fingerprint else None


def write_run(out: Path, run: Run) -> Path:
    """Write ``results.json``: everything but per-item counts."""
    path = out / "results.json"
    record = {
        "format": FORMAT,
        "model": dict(run.model),
        "signature": run.signature,
        "settings": dict(run.settings),
        "parts": [part.id for part in run.parts],
        "scores": [score.to_json(items=False) for score in run.scores],
        "extras": {part.id: dict(part.extras) for part in run.parts if part.extras},
    }
    write_text(path, json.dumps(record, ensure_ascii=False, indent=1) + "\n")
    return path


def read_run(out: Path) -> Run:
    """A run with its per-item counts.

    Raises:
        ResultsError: no run there, or parts of it are missing.
    """
    path = out / "results.json"
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        parts = tuple(read_part(part_path(out, id)) for id in record["parts"])
        return Run(record["model"], record["signature"], record["settings"], parts)
    except FileNotFoundError:
        raise ResultsError(f"{out}: no results.json in it; give a folder that `alee salt evaluate -o` wrote") from None
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise ResultsError(f"{path}: not a run of `alee salt evaluate` ({error}); run it again") from None


def make_signature(model: Mapping[str, Any], settings: Mapping[str, Any], parts: Iterable[Part]) -> str:
    """One line out of everything that can change a number."""
    from alee_mteb.version import __version__

    done: Sequence[Part] = list(parts)
    fields = {
        "model": f"{model['name']}@{model['revision']}",
        "tasks": "+".join(dict.fromkeys(part.id.split("/")[0] for part in done)),
        "data": digest([part.data for part in done]),
        **settings,
        "alee-mteb": __version__,
    }
    return "|".join(f"{name}:{str(value).replace('|', '/')}" for name, value in fields.items())
