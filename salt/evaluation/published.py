"""The figures of the SALT paper, to stand beside a run (`published.csv`, each with its table)."""

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True)
class Published:
    """One figure of the paper; error rates as shares, as everywhere here."""

    task: str
    metric: str
    setting: str
    model: str
    value: float
    source: str


@cache
def published() -> tuple[Published, ...]:
    """All figures, in file order."""
    text = files(__package__).joinpath("published.csv").read_text(encoding="utf-8")
    return tuple(
        Published(row["task"], row["metric"], row["setting"], row["model"], float(row["value"]), row["source"])
        for row in csv.DictReader(text.splitlines())
    )


def figure(task: str, metric: str, setting: str, model: str) -> Published | None:
    """The first figure for these names, if the paper has one."""
    return next(
        (
            row
            for row in published()
            if (row.task, row.metric, row.setting, row.model) == (task, metric, setting, model)
        ),
        None,
    )
