"""What every analysis gives: plain rows, ready for a file, a terminal or a figure."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeVar

from alee_mteb.datasets import THREE_DATASETS

Value = str | int | float | None
Row = dict[str, Value]

_Key = TypeVar("_Key")
_Item = TypeVar("_Item")


@dataclass(frozen=True)
class Analysis:
    """One figure or table as data.

    Attributes:
        kind: its name on the command line, and the stem of its files.
        title: a heading.
        rows: the data points, every row with the same columns.
        summary: what is read off them (correlations, drops, means); may be empty.
        notes: what a reader has to know: what was left out, and why.
        published: whether these are the figures of the paper rather than somebody's own results.
    """

    kind: str
    title: str
    rows: list[Row]
    summary: list[Row] = field(default_factory=list)
    notes: tuple[str, ...] = ()
    published: bool = False


def number(value: Value) -> float:
    """A cell as a number; NaN where it is empty.

    Raises:
        TypeError: the cell holds text.
    """
    if value is None:
        return math.nan
    if isinstance(value, str):
        raise TypeError(f"expected a number, got {value!r}")
    return float(value)


def mean(values: Iterable[float]) -> float:
    """The mean, exactly rounded and thus independent of the order; NaN of nothing."""
    found = list(values)
    return math.fsum(found) / len(found) if found else math.nan


def unique(values: Iterable[_Item]) -> list[_Item]:
    """Each value once, in order of appearance."""
    return list(dict.fromkeys(values))


def without_nan(value: float) -> float | None:
    """The value, or ``None`` for NaN: files have empty cells instead."""
    return None if math.isnan(value) else value


def dataset_order(name: str) -> tuple[int, str]:
    """Sorts data sets: the official ones in the order of the paper, then the rest by name."""
    official = THREE_DATASETS.index(name) if name in THREE_DATASETS else len(THREE_DATASETS)
    return official, name
