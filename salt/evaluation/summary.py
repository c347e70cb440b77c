"""Means over languages, with intervals, and the paper's figures beside them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from alee_mteb import tacc
from salt.evaluation.published import Published, figure
from salt.evaluation.scores import Score, Statistic, draws

#: What is shown beside every run.
BESIDE = ("SONAR", "SALT")
#: The data of a mean over several sets.
ALL_SETS = "all sets"
#: Word-in-context sets share the paper's WiC figure.
_ALIASES = {"mcl-wic": "wic", "xl-wic": "wic"}
_ENGLISH = "eng_Latn"


@dataclass(frozen=True)
class Row:
    """One line of the summary.

    Attributes:
        task, data, metric, setting, layer, method: what was averaged over languages.
        languages: how many.
        value, low, high: mean, and its interval where every language has items.
        beside: figures of the paper, in the order of `BESIDE`, ``None`` where it has none.
    """

    task: str
    data: str
    metric: str
    setting: str
    layer: int | None
    method: str | None
    languages: int
    value: float
    low: float | None
    high: float | None
    better: str
    beside: tuple[Published | None, ...]


def summarise(scores: Sequence[Score], layer: int, seen: frozenset[str] = frozenset(), seed: int = 0) -> list[Row]:
    """The mean over languages of every kind of score at the headline layer, in all and apart for seen and not seen.

    Args:
        scores: of one run.
        layer: the headline layer; scores without a layer are always in.
        seen: languages that the model was trained on; no split without.
        seed: of the intervals.
    """
    groups: dict[tuple[str, ...], list[Score]] = {}
    for score in scores:
        if score.layer in (None, layer):
            groups.setdefault(_group(score), []).append(score)
    for key, members in _over_all_sets(groups).items():
        groups[key] = members
    rows = []
    for members in groups.values():
        rows.append(_row(members, "", seed))
        if seen and len({_other(member.language) for member in members}) > 1:
            for name, wanted in (("seen", True), ("not seen", False)):
                part = [member for member in members if (_other(member.language) in seen) is wanted]
                if part and _is_by_language(members):
                    rows.append(_row(part, name, seed))
    return rows


def mean_interval(statistics: Sequence[Statistic], seed: int) -> tuple[float, float]:
    """95 % interval of the mean of several statistics, each resampled on its own."""
    values = [
        np.concatenate([statistic.values(weights) for weights in draws(statistic.n, seed + at)])
        for at, statistic in enumerate(statistics)
    ]
    return tacc.interval(np.mean(values, axis=0))


#: Title, task, metric and method of what is shown by layer.
BY_LAYER = (
    ("AER by layer (Itermax)", "alignment", "aer", "itermax"),
    ("AER by layer (Argmax)", "alignment", "aer", "argmax"),
    ("Mean cosine by layer", "span-similarity", "cosine", None),
)


def layer_lines(scores: Sequence[Score]) -> list[tuple[str, dict[str, dict[int, float]]]]:
    """Title and `by_layer` of everything that has more than one layer."""
    found = [(title, by_layer(scores, task, metric, method)) for title, task, metric, method in BY_LAYER]
    return [(title, lines) for title, lines in found if any(len(layers) > 1 for layers in lines.values())]


def by_layer(scores: Iterable[Score], task: str, metric: str, method: str | None = None) -> dict[str, dict[int, float]]:
    """Mean over languages of a metric at every layer, by data set (and setting)."""
    found: dict[str, dict[int, list[float]]] = {}
    for score in scores:
        if (score.task, score.metric, score.method) == (task, metric, method) and score.layer is not None:
            name = f"{score.data}, {score.setting}" if score.setting else score.data
            found.setdefault(name, {}).setdefault(score.layer, []).append(score.value)
    return {
        name: {layer: float(np.mean(values)) for layer, values in sorted(layers.items())}
        for name, layers in found.items()
    }


def _group(score: Score) -> tuple[str, ...]:
    direction = ""
    if score.task == "xsim":  # into English is what the paper reports
        direction = "into English" if score.language.endswith(f"-{_ENGLISH}") else "from English"
    parts = (score.task, score.data, score.metric, score.layer, score.method, score.setting, direction)
    return tuple("" if part is None else str(part) for part in parts)


def _over_all_sets(groups: dict[tuple[str, ...], list[Score]]) -> dict[tuple[str, ...], list[Score]]:
    """Groups over all data sets of a task, where there are several: the paper's AER is a mean over 18 pairs."""
    joint: dict[tuple[str, ...], list[Score]] = {}
    names: dict[tuple[str, ...], set[str]] = {}
    for key, members in groups.items():
        if key[0] in ("alignment", "word-retrieval"):
            everything = (key[0], ALL_SETS, *key[2:])
            joint.setdefault(everything, []).extend(members)
            names.setdefault(everything, set()).add(key[1])
    return {key: members for key, members in joint.items() if len(names[key]) > 1}


def _row(members: Sequence[Score], seen: str, seed: int) -> Row:
    first = members[0]
    statistics = [member.statistic for member in members if member.statistic is not None and member.n > 1]
    low, high = (None, None)
    if len(statistics) == len(members):
        low, high = (first.low, first.high) if len(members) == 1 else mean_interval(statistics, seed)
    data = {member.data for member in members}
    direction = _group(first)[-1]
    setting = ", ".join(part for part in (first.setting, direction, seen) if part)
    looked_up = "" if direction == "into English" and not seen else setting
    method = first.method
    comparable = method in (None, "itermax") and direction != "from English"
    task = _ALIASES.get(first.task, first.task)
    return Row(
        first.task,
        ALL_SETS if len(data) > 1 else first.data,
        first.metric,
        setting,
        first.layer,
        method,
        len(members),
        float(np.mean([member.value for member in members])),
        low,
        high,
        first.better,
        tuple(figure(task, first.metric, looked_up, model) if comparable else None for model in BESIDE),
    )


def _other(language: str) -> str:
    """The language that is not English of a pair."""
    parts = [part for part in language.split("-") if part != _ENGLISH]
    return parts[0] if parts else _ENGLISH


def _is_by_language(members: Sequence[Score]) -> bool:
    return all(member.language != "all" for member in members)
