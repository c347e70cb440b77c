"""What is known of the data sets, to hold submissions against: two small tables beside this package's code.

``known_datasets.csv`` has what is published of each data set (languages, upper bounds of its counts);
``known_commits.csv`` has, for every commit that is accepted, which row has which foils, to the bit. A row for it is
made by `alee leaderboard known TASK` out of the data itself.
"""

import base64
import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

import numpy as np

from alee_mteb.languages import official_languages
from alee_mteb.outcomes import digest_ids
from alee_mteb.perturbations import CODES
from alee_mteb.scoring import LENGTH_BINS
from alee_mteb.tacc import Bools
from alee_mteb.triplets import TripletTable

_COLUMNS = (
    "task",
    "data",
    "commit",
    "rows",
    "ids",
    "foils",
    "lengths",
    "levels",
    "level_of_row",
    "languages",
    "missing",
    *CODES,
)
_NONE = "-"


@dataclass(frozen=True)
class KnownDataset:
    """What is published of a data set.

    Attributes:
        task: its name, without ``@hash``.
        data: Hub repository, or ``packaged``.
        languages: its subset keys.
        max_rows: rows with at least one foil that it has at most.
        max_foils: foils it has at most; ``None`` where this was not published.
    """

    task: str
    data: str
    languages: frozenset[str]
    max_rows: int
    max_foils: int | None


@dataclass(frozen=True)
class KnownCommit:
    """One commit of a data set, known row by row.

    Attributes:
        task: task name, with ``@hash`` for data from elsewhere.
        data: Hub repository, or ``packaged``.
        commit: in full.
        ids: digest of the row ids.
        foils: which foils there are, shape (P, R).
        lengths: length bin of each row, a digit per row (index into `alee_mteb.scoring.LENGTH_BINS`).
        levels: labels of the column ``level``; empty if there is no such column.
        level_of_row: index into `levels`, a character per row, ``-`` where a row has none.
        languages: its subset keys.
        missing: key → rows without translation, for the languages that have such.
    """

    task: str
    data: str
    commit: str
    ids: str
    foils: Bools
    lengths: str
    levels: tuple[str, ...] = ()
    level_of_row: str = ""
    languages: frozenset[str] = frozenset()
    missing: Mapping[str, int] = field(default_factory=dict)

    def length_masks(self) -> dict[str, Bools]:
        """Bin label → its rows, shape (R,)."""
        places = np.array(list(self.lengths))
        return {label: places == str(place) for place, (label, _, _) in enumerate(LENGTH_BINS)}

    def level_masks(self) -> dict[str, Bools]:
        """Level → its rows, shape (R,)."""
        places = np.array(list(self.level_of_row))
        return {label: places == str(place) for place, label in enumerate(self.levels)}

    def to_row(self) -> dict[str, str]:
        """As a row of ``known_commits.csv``."""
        counts = {code: str(int(self.foils[kind].sum())) for kind, code in enumerate(CODES)}
        return {
            "task": self.task,
            "data": self.data,
            "commit": self.commit,
            "rows": str(self.foils.shape[1]),
            "ids": self.ids,
            "foils": base64.b64encode(np.packbits(self.foils).tobytes()).decode(),
            "lengths": self.lengths,
            "levels": " ".join(self.levels),
            "level_of_row": self.level_of_row,
            "languages": " ".join(sorted(self.languages)),
            "missing": " ".join(f"{key}:{count}" for key, count in self.missing.items()),
            **counts,
        }

    @classmethod
    def from_row(cls, row: Mapping[str, str]) -> "KnownCommit":
        """The inverse of `to_row`."""
        n_rows = int(row["rows"])
        bits = np.unpackbits(np.frombuffer(base64.b64decode(row["foils"]), np.uint8), count=len(CODES) * n_rows)
        pairs = (entry.rsplit(":", 1) for entry in row["missing"].split())
        return cls(
            task=row["task"],
            data=row["data"],
            commit=row["commit"],
            ids=row["ids"],
            foils=bits.reshape(len(CODES), n_rows).astype(np.bool_),
            lengths=row["lengths"],
            levels=tuple(row["levels"].split()),
            level_of_row=row["level_of_row"],
            languages=frozenset(row["languages"].split()),
            missing={key: int(count) for key, count in pairs},
        )


@dataclass(frozen=True)
class Knowledge:
    """All that is known.

    Attributes:
        datasets: name → data set.
        commits: (task, commit) → what it holds.
        allowed: commits, or their first digits, that a maintainer lets pass without their being known.
    """

    datasets: Mapping[str, KnownDataset]
    commits: Mapping[tuple[str, str], KnownCommit]
    allowed: tuple[str, ...] = ()

    def allows(self, commit: str) -> bool:
        """Whether a maintainer lets this commit pass."""
        return any(commit.startswith(start) for start in self.allowed)


def knowledge(allowed: Iterable[str] = ()) -> Knowledge:
    """What the tables of this package say."""
    datasets = (_dataset(row) for row in _rows("known_datasets.csv"))
    commits = (KnownCommit.from_row(row) for row in _rows("known_commits.csv"))
    return Knowledge(
        {one.task: one for one in datasets}, {(one.task, one.commit): one for one in commits}, tuple(allowed)
    )


def describe(table: TripletTable, task: str, data: str, commit: str) -> KnownCommit:
    """What a data set holds, out of its own table; all its translations are read."""
    labels: Sequence[str | None] = table.metadata.get("level", ())
    levels = tuple(sorted({label for label in labels if label}))
    missing = {key: table.targets(key).n_missing for key in table.languages}
    return KnownCommit(
        task=task,
        data=data,
        commit=commit,
        ids=digest_ids(table.ids),
        foils=np.array([[text is not None for text in texts] for texts in table.foils.values()], np.bool_),
        lengths="".join(_length_bin(len(text)) for text in table.sources),
        levels=levels,
        level_of_row="".join(str(levels.index(label)) if label else _NONE for label in labels) if levels else "",
        languages=frozenset(table.languages),
        missing={key: count for key, count in missing.items() if count},
    )


def commits_csv(commits: Iterable[KnownCommit], *, header: bool = True) -> str:
    """Rows for ``known_commits.csv``."""
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, _COLUMNS, lineterminator="\n")
    if header:
        writer.writeheader()
    writer.writerows(one.to_row() for one in commits)
    return buffer.getvalue()


def _length_bin(length: int) -> str:
    return next(str(place) for place, (_, low, high) in enumerate(LENGTH_BINS) if low <= length < high)


def _dataset(row: Mapping[str, str]) -> KnownDataset:
    listed = row["languages"]
    keys = [one.key for one in official_languages(row["task"])] if listed == "languages.csv" else listed.split()
    return KnownDataset(
        task=row["task"],
        data=row["data"],
        languages=frozenset(keys),
        max_rows=int(row["max_rows"]),
        max_foils=int(row["max_foils"]) if row["max_foils"] else None,
    )


@cache
def _rows(name: str) -> tuple[dict[str, str], ...]:
    text = files("leaderboard").joinpath(name).read_text(encoding="utf-8")
    return tuple(csv.DictReader(text.splitlines()))
