"""Geometry of a word space: isotropy, hubness, language identity, retrieval (paper §5.1, Appendix E.2)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from alee_mteb.errors import DataError
from salt.evaluation.linear import LANGUAGE_PROBE, Recipe, split_validation, train_head
from salt.evaluation.scores import MacroF1
from salt.evaluation.search import nearest, normalised
from salt.evaluation.units import Words

#: Pairs sampled for isotropy; their words are those of hubness.
PAIRS = 10_000
HUB_NEIGHBOURS = 10
RECALL_NEIGHBOURS = 5
#: Sentences a language gives to the language probe, and the share of them held out.
PROBE_SENTENCES, PROBE_VALIDATION = 500, 0.1


def mean_cosine(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Cosine of each row pair, shape (n,); its mean over random pairs is the paper's "sim"."""
    return (normalised(left) * normalised(right)).sum(axis=1)


def uniformity(left: np.ndarray, right: np.ndarray, t: float = 2.0) -> float:
    """log mean exp(−t ‖x − y‖²) over row pairs of unit vectors (Wang and Isola, 2020); lower is more uniform."""
    squared = ((normalised(left).astype(np.float64) - normalised(right)) ** 2).sum(axis=1)
    return float(np.log(np.mean(np.exp(-t * squared))))


def k_occurrence(vectors: np.ndarray, k: int = HUB_NEIGHBOURS, faiss: bool | None = None) -> np.ndarray:
    """How often each row is among the k nearest of another row, shape (n,)."""
    _, neighbours = nearest(vectors, vectors, k, exclude_same_row=True, faiss=faiss)
    return np.bincount(neighbours.ravel(), minlength=len(vectors))


def skewness(counts: np.ndarray) -> float:
    """Third standardised moment (population); 0 where all are equal (Radovanović et al., 2010)."""
    centred = counts.astype(np.float64) - counts.mean()
    deviation = np.sqrt((centred**2).mean())
    return float((centred**3).mean() / deviation**3) if deviation > 0 else 0.0


def random_pairs(words: Words, n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Row numbers of n random word pairs from different sentences in different languages.

    Raises:
        DataError: fewer than two languages, or one sentence only.
    """
    if len(np.unique(words.languages)) < 2 or len(np.unique(words.sentences)) < 2:
        raise DataError("isotropy and hubness need words of two sentences in two languages or more")
    generator = np.random.default_rng(seed)
    left, right = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    while len(left) < n:
        one, other = generator.integers(0, len(words.forms), size=(2, 2 * n))
        apart = (words.languages[one] != words.languages[other]) & (words.sentences[one] != words.sentences[other])
        left, right = np.concatenate([left, one[apart]]), np.concatenate([right, other[apart]])
    return left[:n], right[:n]


def recall_hits(
    queries: np.ndarray, base: np.ndarray, gold: Sequence[frozenset[int]], k: int = RECALL_NEIGHBOURS
) -> np.ndarray:
    """For each query, whether one of its gold rows is among its k nearest in `base`, shape (q,), bool."""
    _, neighbours = nearest(queries, base, k)
    return np.array([not gold_rows.isdisjoint(row) for gold_rows, row in zip(gold, neighbours.tolist(), strict=True)])


@dataclass(frozen=True)
class LanguageProbe:
    """What the language probe found: test statistics by sentence, languages by F1, epochs trained."""

    statistic: MacroF1
    epochs: int
    n_train: int
    n_test: int


def language_probe(
    words: Words,
    n_sentences: int = PROBE_SENTENCES,
    validation: float = PROBE_VALIDATION,
    recipe: Recipe = LANGUAGE_PROBE,
    seed: int = 0,
) -> LanguageProbe:
    """Predict a word's language from its state, of length one (Appendix E.2).

    The first `n_sentences` sentences train, a share of them (the same ones in every language) validates, all later
    ones test. A word form that occurs again in the training part of its language is left out there.

    Raises:
        DataError: no sentence is left for the test, or only one language.
    """
    if len(words.names) < 2:
        raise DataError("the language probe needs two languages or more")
    numbers = np.unique(words.sentences)
    first, later = numbers[:n_sentences], numbers[n_sentences:]
    if not len(later) or len(first) < 2:
        raise DataError(
            f"the language probe trains on the first {n_sentences} sentences and tests on later ones; the data has "
            f"{len(numbers)}: give more sentences or a smaller --probe-sentences"
        )
    held = first[split_validation(len(first), validation, seed)]
    training = _first_of_each_form(words, np.flatnonzero(np.isin(words.sentences, np.setdiff1d(first, held))))
    stop = np.flatnonzero(np.isin(words.sentences, held))
    test = np.flatnonzero(np.isin(words.sentences, later))
    vectors = words.states
    head = train_head(
        vectors[training],
        words.languages[training],
        (vectors[stop], words.languages[stop]),
        len(words.names),
        recipe,
        seed,
    )
    items = np.searchsorted(later, words.sentences[test])
    predicted = head.predict(vectors[test])
    statistic = MacroF1.of(words.languages[test], predicted, items, len(later), len(words.names))
    return LanguageProbe(statistic, head.epochs, len(training), len(test))


def _first_of_each_form(words: Words, rows: np.ndarray) -> np.ndarray:
    seen: set[tuple[int, str]] = set()
    kept = []
    for row, language in zip(rows.tolist(), words.languages[rows].tolist(), strict=True):
        form = (language, words.forms[row])
        if form not in seen:
            seen.add(form)
            kept.append(row)
    return np.array(kept, dtype=np.int64)


def principal_components(vectors: np.ndarray, n: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates on the first n principal axes, (rows, n), and the share of variance of each, (n,).

    Axes point so that the largest coordinate is positive, and a figure does not flip between machines.
    """
    centred = vectors.astype(np.float64) - vectors.mean(axis=0)
    u, s, _ = np.linalg.svd(centred, full_matrices=False)
    coordinates = u[:, :n] * s[:n]
    signs = np.sign(coordinates[np.abs(coordinates).argmax(axis=0), np.arange(coordinates.shape[1])])
    total = (s**2).sum()
    return coordinates * np.where(signs == 0, 1, signs), (s[:n] ** 2) / (total if total > 0 else 1)
