"""Two runs side by side: paired bootstrap per task and language, and of the means over languages."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from alee_mteb import tacc
from alee_mteb.errors import ResultsError
from salt.evaluation.results import Run
from salt.evaluation.scores import RESAMPLES, Score, draws

#: The name of the mean over languages.
MEAN = "mean"


@dataclass(frozen=True)
class Difference:
    """B − A of one score.

    Attributes:
        key: task, data, language, metric, layer, method, setting as words; language is ``mean`` for the mean.
        a, b: the two scores.
        difference, low, high: B − A with its 95 % interval from paired resampling of items.
        p: two-sided bootstrap p-value of no difference.
        better: which run is better, ``A``, ``B`` or ``""`` where the interval covers zero or no direction is better.
        n: items (languages for a mean).
    """

    key: tuple[str, ...]
    a: float
    b: float
    difference: float
    low: float | None
    high: float | None
    p: float | None
    better: str
    n: int

    def to_json(self) -> dict[str, Any]:
        """As a plain record."""
        names = ("task", "data", "language", "metric", "layer", "method", "setting")
        record = {name: part for name, part in zip(names, self.key, strict=True) if part}
        return record | {name: value for name, value in asdict(self).items() if name != "key"}


@dataclass(frozen=True)
class Comparison:
    """All differences, and what could not be compared, with the reason."""

    rows: tuple[Difference, ...]
    left_out: tuple[str, ...]


def compare_runs(a: Run, b: Run, seed: int = 0, resamples: int = RESAMPLES) -> Comparison:
    """Compare what both runs have, at equal data.

    Layers are compared by number; the last layer of two models of different depth is not the same number.

    Raises:
        ResultsError: nothing in common.
    """
    theirs = {part.id: part for part in b.parts}
    rows: list[Difference] = []
    left_out = [f"{part.id}: only in B" for part in b.parts if part.id not in {mine.id for mine in a.parts}]
    samples: dict[tuple[str, ...], list[tuple[Score, Score, np.ndarray | None]]] = {}
    for part in a.parts:
        other = theirs.get(part.id)
        if other is None:
            left_out.append(f"{part.id}: only in A")
            continue
        if other.data != part.data:
            left_out.append(f"{part.id}: the data differ")
            continue
        scores = {score.key: score for score in other.scores}
        for mine in part.scores:
            found = scores.get(mine.key)
            if found is None or found.n != mine.n:
                reason = "only in A" if found is None else f"{mine.n} items in A, {found.n} in B"
                left_out.append(f"{' '.join(filter(None, mine.key))}: {reason}")
                continue
            drawn = paired(mine, found, seed, resamples)
            rows.append(_difference(mine.key, mine.value, found.value, drawn, mine.better, mine.n))
            group = (*mine.key[:2], MEAN, *mine.key[3:])
            samples.setdefault(group, []).append((mine, found, drawn))
    if not rows:
        raise ResultsError(f"the two runs share no task on the same data ({'; '.join(left_out) or 'both are empty'})")
    return Comparison(tuple(rows + _means(samples)), tuple(left_out))


def paired(a: Score, b: Score, seed: int, resamples: int = RESAMPLES) -> np.ndarray | None:
    """B − A on the same resampled items, (resamples,); ``None`` for scores without items, or with one item only."""
    if a.statistic is None or b.statistic is None or a.n < 2:
        return None
    return np.concatenate(
        [b.statistic.values(weights) - a.statistic.values(weights) for weights in draws(a.n, seed, resamples)]
    )


def _means(samples: dict[tuple[str, ...], list[tuple[Score, Score, np.ndarray | None]]]) -> list[Difference]:
    rows = []
    for key, members in samples.items():
        if len(members) < 2:
            continue
        drawn = [sample for _, _, sample in members if sample is not None]
        # Languages with as many items share their draws; shuffling each keeps them independent.
        shuffled = [np.random.default_rng(at).permutation(sample) for at, sample in enumerate(drawn)]
        together = np.mean(shuffled, axis=0) if len(drawn) == len(members) else None
        a, b = float(np.mean([a.value for a, _, _ in members])), float(np.mean([b.value for _, b, _ in members]))
        rows.append(_difference(key, a, b, together, members[0][0].better, len(members)))
    return rows


def _difference(key: tuple[str, ...], a: float, b: float, drawn: np.ndarray | None, better: str, n: int) -> Difference:
    if drawn is None or np.isnan(drawn).all():
        return Difference(key, a, b, b - a, None, None, None, "", n)
    drawn = drawn[~np.isnan(drawn)]
    low, high = tacc.interval(drawn)
    tail = min((drawn <= 0).sum(), (drawn >= 0).sum())
    p = min(1.0, 2 * (float(tail) + 1) / (len(drawn) + 1))
    return Difference(key, a, b, b - a, low, high, p, _winner(low, high, better), n)


def _winner(low: float, high: float, better: str) -> str:
    if better == "none" or low <= 0 <= high:
        return ""
    return "B" if (low > 0) == (better == "higher") else "A"


def headline(rows: Sequence[Difference]) -> list[Difference]:
    """The means, and scores that have no mean because there is one language only."""
    averaged = {(*row.key[:2], *row.key[3:]) for row in rows if row.key[2] == MEAN}
    return [row for row in rows if row.key[2] == MEAN or (*row.key[:2], *row.key[3:]) not in averaged]
