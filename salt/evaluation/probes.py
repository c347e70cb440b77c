"""Linear probes on frozen token states: sequence labelling and word sense (paper §4.1, Appendices C.3 and D.2).

Each token is a vector of length one and gets the label of the segment it shares most characters with; the first wins
a tie. A word-in-context pair is the two target words' vectors, each of length one, side by side. One linear head is
trained per setting:

    english   on English, tested on every language (zero-shot)
    all       on all languages together
    single    on each language, tested on it
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from alee_mteb.errors import DataError
from salt.evaluation.features import Features, gather_tokens, gather_words
from salt.evaluation.labelled import LabelledSet, LabelledText
from salt.evaluation.linear import PROBE, Head, Recipe, split_validation, train_head
from salt.evaluation.scores import MacroF1, Ratio, Score, scored
from salt.evaluation.states import StateStore
from salt.evaluation.wic import WordInContext, WordInContextSet

SETTINGS = ("english", "all", "single")
ENGLISH = "eng_Latn"
#: Sequences a language may have for training and test; twice as many for word-in-context pairs.
LIMITS = {"train": 10_000, "test": 5_000}
MAX_TOKENS = 514
#: Bytes of vectors kept between settings; the rest is read again from the state store.
CACHE = 2 << 30

Item = LabelledText | WordInContext


@dataclass(frozen=True)
class Probing:
    """What can be set about a probe.

    Attributes:
        settings: some of ``english``, ``all``, ``single``.
        limits: sequences per language and split.
        recipe: how heads are trained.
        validation: share of training sequences to stop by.
        unseen_labels: ``refuse`` a test label that training has not, or count its tokens as ``wrong``.
        seed: of sampling, splits and heads.
        folder: where vectors too many for memory are put.
    """

    settings: tuple[str, ...] = SETTINGS
    limits: Mapping[str, int] = field(default_factory=lambda: LIMITS)
    recipe: Recipe = PROBE
    validation: float = 0.1
    unseen_labels: str = "refuse"
    seed: int = 0
    folder: Path | None = None


@dataclass(frozen=True)
class _Part:
    """One language and split: its sequences, those left out, and how to get their vectors."""

    items: Sequence[Item]
    left_out: int


def evaluate_labelling(
    task: str, data: str, sets: Sequence[LabelledSet], store: StateStore, layer: int, probing: Probing
) -> list[Score]:
    """Scores of a labelling task in every asked setting and language: macro-F1 and accuracy over tokens."""
    return _evaluate(task, data, sets, store, layer, probing, gather_tokens, factor=1)


def evaluate_wic(
    task: str, data: str, sets: Sequence[WordInContextSet], store: StateStore, layer: int, probing: Probing
) -> list[Score]:
    """Scores of a word-in-context task: accuracy (as the benchmark defines it) and macro-F1."""
    return _evaluate(task, data, sets, store, layer, probing, gather_words, factor=2)


def sample(items: Sequence[Item], limit: int, seed: int) -> list[Item]:
    """At most `limit` items, drawn without replacement, in their order."""
    if len(items) <= limit:
        return list(items)
    picked = np.sort(np.random.default_rng([seed, len(items)]).permutation(len(items))[:limit])
    return [items[at] for at in picked]


def planned_texts(
    sets: Sequence[LabelledSet] | Sequence[WordInContextSet], probing: Probing
) -> list[tuple[str, list[str]]]:
    """(language, texts) that the probe will ask states of."""
    wanted = []
    for one in sets:
        factor = 2 if isinstance(one, WordInContextSet) else 1
        for split in ("train", "test"):
            items = sample(one.splits[split], factor * probing.limits[split], probing.seed)
            wanted.append((one.language, [text for item in items for text in _texts(item)]))
    return wanted


def _evaluate(
    task: str,
    data: str,
    sets: Sequence[LabelledSet] | Sequence[WordInContextSet],
    store: StateStore,
    layer: int,
    probing: Probing,
    gather: Callable[..., Features],
    factor: int,
) -> list[Score]:
    (layer,) = store.layers((layer,))
    parts = {
        (one.language, split): _part(one.splits[split], one.language, split, store, probing, factor)
        for one in sets
        for split in ("train", "test")
    }
    scores: list[Score] = []
    cache: dict[tuple[str, str], Features] = {}

    def features(language: str, split: str) -> Features:
        if (language, split) not in cache:
            while sum(found.vectors.nbytes for found in cache.values()) > CACHE:
                cache.pop(next(iter(cache)))
            items = parts[language, split].items
            cache[language, split] = gather(items, store, language, layer, probing.folder)
        return cache[language, split]

    for setting in probing.settings:
        for training, tested in _plan(setting, [one.language for one in sets], parts, task):
            vectors = [features(language, "train") for language in training]
            joint = vectors[0] if len(vectors) == 1 else Features.join(vectors, probing.folder)
            names = sorted(set(joint.labels))
            head = _train(joint, names, probing)
            for language in tested:
                test = features(language, "test")
                part = parts[language, "test"]
                notes = {
                    "epochs": head.epochs,
                    "limit_reached": head.epochs == probing.recipe.max_epochs,
                    "train_sequences": sum(len(parts[name, "train"].items) for name in training),
                    "left_out": part.left_out + sum(parts[name, "train"].left_out for name in training),
                }
                scores += _scores(task, data, language, setting, head, names, test, part, probing, layer, notes)
    return scores


def _plan(
    setting: str, languages: Sequence[str], parts: Mapping[tuple[str, str], _Part], task: str
) -> list[tuple[list[str], list[str]]]:
    """(training languages, test languages) of each head of a setting."""
    if setting not in SETTINGS:
        raise DataError(f"unknown setting {setting!r}: choose some of {', '.join(SETTINGS)}")
    trainable = [language for language in languages if len(parts[language, "train"].items) > 1]
    tested = [language for language in languages if parts[language, "test"].items]
    if not tested:
        raise DataError(f"{task}: no test sequences in any of {', '.join(languages)}")
    if setting == "single":
        return [([language], [language]) for language in trainable if language in tested]
    training = [ENGLISH] if setting == "english" else trainable
    if not set(training) & set(trainable):
        raise DataError(f"{task}: no training sequences in English; add English data or use --settings single")
    return [(training, tested)]


def _train(features: Features, names: Sequence[str], probing: Probing) -> Head:
    """Train on nine tenths of the sequences, stop by the last."""
    number = {name: at for at, name in enumerate(names)}
    labels = np.array([number[label] for label in features.labels], dtype=np.int64)
    held = split_validation(features.n_items, probing.validation, probing.seed)[features.items]
    rows, stop = np.flatnonzero(~held), np.flatnonzero(held)
    return train_head(
        _Rows(features.vectors, rows),  # type: ignore[arg-type]  # indexed and sized as an array is
        labels[rows],
        (features.vectors[stop], labels[stop]),
        len(names),
        probing.recipe,
        probing.seed,
    )


class _Rows:
    """Some rows of an array that may live on disk, without a copy."""

    def __init__(self, vectors: np.ndarray, rows: np.ndarray) -> None:
        self.vectors, self.rows, self.shape = vectors, rows, (len(rows), vectors.shape[1])

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, at: np.ndarray) -> np.ndarray:
        return self.vectors[self.rows[at]]


def _scores(
    task: str,
    data: str,
    language: str,
    setting: str,
    head: Head,
    names: Sequence[str],
    test: Features,
    part: _Part,
    probing: Probing,
    layer: int,
    notes: Mapping[str, Any],
) -> list[Score]:
    number = {name: at for at, name in enumerate(names)}
    unseen = sorted(set(test.labels) - set(names))
    if unseen and probing.unseen_labels == "refuse":
        at = test.labels.index(unseen[0])
        raise DataError(
            f"{part.items[test.items[at]].where}: label {unseen[0]!r} of the {language} test data is not in training "
            f"({test.labels.count(unseen[0])} of {len(test.labels)} tokens); check the label scheme, or count such "
            "tokens as wrong with --unseen-labels wrong"
        )
    everything = [*names, *unseen]
    number = {name: at for at, name in enumerate(everything)}
    gold = np.array([number[label] for label in test.labels], dtype=np.int64)
    predicted = head.predict(test.vectors)
    statistic = MacroF1.of(gold, predicted, test.items, test.n_items, len(everything))
    right = np.bincount(test.items, gold == predicted, minlength=test.n_items)
    counts = np.bincount(test.items, minlength=test.n_items)
    common = {"task": task, "data": data, "language": language, "layer": layer, "setting": setting, "better": "higher"}
    notes = dict(notes) | ({"unseen_labels": unseen} if unseen else {})
    return [
        scored(statistic, probing.seed, metric="macro-f1", notes=notes, **common),
        scored(
            Ratio(right.astype(np.float64), counts.astype(np.float64)),
            probing.seed,
            metric="accuracy",
            notes=notes,
            **common,
        ),
    ]


def _part(items: Sequence[Item], language: str, split: str, store: StateStore, probing: Probing, factor: int) -> _Part:
    chosen = sample(items, factor * probing.limits[split], probing.seed)
    limit = min(MAX_TOKENS, store.encoder.max_tokens)
    texts = [text for item in chosen for text in _texts(item)]
    fits = iter([length <= limit for length in store.lengths(texts, language)] if texts else [])
    kept = [item for item in chosen if all([next(fits) for _ in _texts(item)])]  # noqa: C419 - every one must be taken
    return _Part(kept, len(chosen) - len(kept))


def _texts(item: Item) -> tuple[str, ...]:
    return (item.text,) if isinstance(item, LabelledText) else (item.first, item.second)
