"""What a task gives back: a number with its interval, and per-item counts from which both follow.

Three statistics cover the metrics here, and all are functions of sums over items, so that a bootstrap is a matrix
product:

    Ratio     offset + scale · Σ numerators / Σ denominators      AER, precision, recall, accuracy, xsim, mean cosine
    MacroF1   mean over labels of F1 from summed counts           slot filling, entities, parts of speech
    Corpus    sacrebleu's score of summed segment counts          chrF, BLEU

A number without items (skewness, uniformity, what mteb computes) has no interval.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from alee_mteb import tacc
from alee_mteb.errors import ResultsError

RESAMPLES = 1000
_FIELDS = ("task", "data", "language", "metric", "n", "better", "low", "high")


@dataclass(frozen=True)
class Ratio:
    """offset + scale · Σ numerators / Σ denominators over items; NaN where the denominators sum to nothing."""

    numerators: np.ndarray
    denominators: np.ndarray
    offset: float = 0.0
    scale: float = 1.0

    @property
    def n(self) -> int:
        """Number of items."""
        return len(self.numerators)

    def values(self, weights: np.ndarray) -> np.ndarray:
        """The statistic for each row of item weights, shape (r, n) → (r,)."""
        top, bottom = weights @ self.numerators, weights @ self.denominators
        with np.errstate(invalid="ignore", divide="ignore"):
            return self.offset + self.scale * np.where(bottom > 0, top / np.where(bottom > 0, bottom, 1), np.nan)

    def to_json(self) -> dict[str, Any]:
        """As plain lists."""
        return {
            "kind": "ratio",
            "numerators": _plain(self.numerators),
            "denominators": _plain(self.denominators),
            "offset": self.offset,
            "scale": self.scale,
        }


@dataclass(frozen=True)
class MacroF1:
    """Mean F1 over the labels that occur in gold or predictions (what scikit-learn calls macro).

    Attributes:
        hits, golds, guesses: per item and label, tokens that are right, gold, predicted; shape (n, labels).
    """

    hits: np.ndarray
    golds: np.ndarray
    guesses: np.ndarray

    @property
    def n(self) -> int:
        """Number of items (sentences)."""
        return len(self.hits)

    @classmethod
    def of(cls, gold: np.ndarray, predicted: np.ndarray, items: np.ndarray, n_items: int, n_labels: int) -> "MacroF1":
        """From one gold and one predicted label per token, and the item each token is in."""

        def table(labels: np.ndarray, where: np.ndarray) -> np.ndarray:
            flat = np.bincount(items[where] * n_labels + labels[where], minlength=n_items * n_labels)
            return flat.reshape(n_items, n_labels)

        everywhere = np.ones(len(gold), dtype=bool)
        return cls(table(gold, gold == predicted), table(gold, everywhere), table(predicted, everywhere))

    def per_label(self, weights: np.ndarray) -> np.ndarray:
        """F1 of each label for each row of weights, (r, labels); NaN for labels that do not occur."""
        hits, golds, guesses = (weights @ table for table in (self.hits, self.golds, self.guesses))
        total = golds + guesses
        return np.where(total > 0, 2 * hits / np.where(total > 0, total, 1), np.nan)

    def values(self, weights: np.ndarray) -> np.ndarray:
        """The statistic for each row of item weights, shape (r, n) → (r,)."""
        f1 = self.per_label(weights)
        there = ~np.isnan(f1)
        return np.where(there, f1, 0).sum(axis=1) / np.maximum(there.sum(axis=1), 1)

    def to_json(self) -> dict[str, Any]:
        """As sparse lists: (item, label, hits, golds, guesses) where anything is counted."""
        at = np.argwhere((self.golds > 0) | (self.guesses > 0))
        cells = [[int(i), int(j), int(self.hits[i, j]), int(self.golds[i, j]), int(self.guesses[i, j])] for i, j in at]
        return {"kind": "macro-f1", "shape": list(self.hits.shape), "cells": cells}


@dataclass(frozen=True)
class Corpus:
    """A sacrebleu score from its segment counts, one row per segment."""

    metric: str
    tokenizer: str
    rows: np.ndarray

    @property
    def n(self) -> int:
        """Number of segments."""
        return len(self.rows)

    @classmethod
    def of(cls, metric: str, made: Sequence[str], references: Sequence[str], tokenizer: str) -> tuple["Corpus", str]:
        """The statistic, and sacrebleu's signature of it."""
        scorer = _scorer(metric, tokenizer)
        scorer.corpus_score(list(made), [list(references)])  # the signature wants to know the number of references
        rows = np.array(scorer._extract_corpus_statistics(list(made), [list(references)]), dtype=np.float64)
        return cls(metric, tokenizer, rows), str(scorer.get_signature())

    def values(self, weights: np.ndarray) -> np.ndarray:
        """The statistic for each row of item weights, shape (r, n) → (r,)."""
        scorer = _scorer(self.metric, self.tokenizer)
        # The sums are whole numbers, and BLEU wants them as such.
        sums = np.rint(weights @ self.rows).astype(int)
        return np.array([scorer._aggregate_and_compute([row.tolist()]).score for row in sums])

    def to_json(self) -> dict[str, Any]:
        """As plain lists."""
        rows = self.rows.astype(int).tolist()
        return {"kind": "corpus", "metric": self.metric, "tokenizer": self.tokenizer, "rows": rows}


def _scorer(metric: str, tokenizer: str) -> Any:
    from sacrebleu.metrics import BLEU, CHRF

    return CHRF() if metric == "chrf" else BLEU(tokenize=tokenizer)


Statistic = Ratio | MacroF1 | Corpus


@dataclass(frozen=True)
class Score:
    """One number of a run.

    Attributes:
        task: ``alignment``, ``massive``, ``xsim``, …
        data: name of the data set.
        language: code, or a pair joined by a hyphen.
        metric: ``aer``, ``macro-f1``, …
        value, low, high: the number and its 95 % interval (percentile bootstrap over items), if it has items.
        n: number of items.
        better: ``lower``, ``higher`` or ``none``.
        layer, method, setting: what else tells scores apart, where it applies.
        notes: counts worth knowing, such as sequences left out.
        statistic: per-item counts.
    """

    task: str
    data: str
    language: str
    metric: str
    value: float
    n: int
    better: str
    low: float | None = None
    high: float | None = None
    layer: int | None = None
    method: str | None = None
    setting: str | None = None
    notes: Mapping[str, Any] = field(default_factory=dict)
    statistic: Statistic | None = None

    @property
    def key(self) -> tuple[str, ...]:
        """What identifies the score within a run."""
        parts = (self.task, self.data, self.language, self.metric, self.layer, self.method, self.setting)
        return tuple("" if part is None else str(part) for part in parts)

    def to_json(self, items: bool) -> dict[str, Any]:
        """As a plain record, with or without the per-item counts."""
        record: dict[str, Any] = {
            name: _number(getattr(self, name))
            for name in ("task", "data", "language", "metric", "value", "low", "high", "n", "better")
        }
        for name in ("layer", "method", "setting"):
            if getattr(self, name) is not None:
                record[name] = getattr(self, name)
        if self.notes:
            record["notes"] = dict(self.notes)
        if items and self.statistic is not None:
            record["items"] = self.statistic.to_json()
        return record


def scored(statistic: Statistic, seed: int = 0, **fields: Any) -> Score:
    """A `Score` whose value and interval come from the statistic; one item alone says nothing about its spread."""
    value = float(statistic.values(np.ones((1, statistic.n)))[0])
    low, high = interval(statistic, seed) if statistic.n > 1 else (None, None)
    return Score(value=value, low=low, high=high, n=statistic.n, statistic=statistic, **fields)


def interval(statistic: Statistic, seed: int, resamples: int = RESAMPLES) -> tuple[float, float]:
    """95 % percentile interval over resampled items."""
    values = np.concatenate([statistic.values(weights) for weights in draws(statistic.n, seed, resamples)])
    return tacc.interval(values)


def draws(n: int, seed: int, resamples: int = RESAMPLES, block: int = 100) -> Any:
    """Blocks of bootstrap weights (rows, n): how often each item is drawn; the same for the same n and seed.

    Unlike `tacc.resample_counts`, never all at once: xsim and isotropy have tens of thousands of items.
    """
    generator = np.random.default_rng([seed, n])
    for start in range(0, resamples, block):
        rows = min(block, resamples - start)
        picked = generator.integers(0, n, size=(rows, n))
        flat = np.bincount((picked + np.arange(rows)[:, None] * n).ravel(), minlength=rows * n)
        yield flat.reshape(rows, n).astype(np.float64)


def score_from_json(record: Mapping[str, Any]) -> Score:
    """The score behind a record of `Score.to_json`.

    Raises:
        ResultsError: fields are missing.
    """
    try:
        items = record.get("items")
        return Score(
            **{name: record[name] for name in _FIELDS},
            value=float("nan") if record["value"] is None else record["value"],
            layer=record.get("layer"),
            method=record.get("method"),
            setting=record.get("setting"),
            notes=record.get("notes", {}),
            statistic=None if items is None else _statistic(items),
        )
    except (KeyError, TypeError) as error:
        raise ResultsError(f"not a score of `alee salt evaluate` (field {error}); run it again") from None


def _statistic(items: Mapping[str, Any]) -> Statistic:
    if items["kind"] == "ratio":
        top, bottom = (np.asarray(items[name], dtype=np.float64) for name in ("numerators", "denominators"))
        return Ratio(top, bottom, items["offset"], items["scale"])
    if items["kind"] == "corpus":
        return Corpus(items["metric"], items["tokenizer"], np.asarray(items["rows"], dtype=np.float64))
    tables = np.zeros((3, *items["shape"]), dtype=np.int64)
    cells: Sequence[Sequence[int]] = items["cells"]
    for item, label, *counts in cells:
        tables[:, item, label] = counts
    return MacroF1(*tables)


def _plain(values: np.ndarray) -> list[float]:
    return [int(value) if float(value).is_integer() else round(float(value), 6) for value in values]


def _number(value: Any) -> Any:
    return None if isinstance(value, float) and not np.isfinite(value) else value
