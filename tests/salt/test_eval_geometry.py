"""Isotropy, hubness, recall, the language probe, neighbours and projections on cases worked by hand."""

import math

import numpy as np
import pytest

from alee_mteb.errors import DataError
from salt.evaluation.geometry import (
    k_occurrence,
    language_probe,
    mean_cosine,
    principal_components,
    random_pairs,
    recall_hits,
    skewness,
    uniformity,
)
from salt.evaluation.neighbours import find_word, neighbour_table
from salt.evaluation.units import Words


def words(n_languages: int, n_sentences: int, per_sentence: int, centres: np.ndarray, noise: float = 0.3) -> Words:
    """Words around a centre per language, of length one; forms are unique within a language."""
    generator = np.random.default_rng(0)
    languages, sentences = np.divmod(np.arange(n_languages * n_sentences * per_sentence), n_sentences * per_sentence)
    states = centres[languages] + noise * generator.normal(size=(len(languages), centres.shape[1]))
    return Words(
        (states / np.linalg.norm(states, axis=1, keepdims=True)).astype(np.float16),
        sentences // per_sentence,
        languages,
        tuple(f"l{at}" for at in range(n_languages)),
        tuple(f"w{at}" for at in range(len(languages))),
    )


def test_mean_cosine_and_uniformity_by_hand() -> None:
    left = np.array([[1.0, 0.0], [2.0, 0.0]])
    right = np.array([[0.0, 3.0], [5.0, 0.0]])
    # Cosines 0 and 1; squared distances of unit vectors 2 and 0, so log((e^-4 + e^0) / 2).
    assert mean_cosine(left, right).tolist() == [0.0, 1.0]
    assert uniformity(left, right) == pytest.approx(math.log((math.exp(-4) + 1) / 2))


def test_one_direction_for_all_is_the_least_uniform_space() -> None:
    same = np.ones((10, 3))
    assert mean_cosine(same, same).mean() == pytest.approx(1.0)
    assert uniformity(same, same) == pytest.approx(0.0, abs=1e-6)


def test_k_occurrence_of_a_star_by_hand() -> None:
    # Three points around a hub: the hub is everyone's nearest; it takes the first of the three itself.
    hub = np.array([1.0, 0.0, 0.0, 0.0])
    rays = [hub + step for step in (np.eye(4)[1] * 0.5, np.eye(4)[2] * 0.6, np.eye(4)[3] * 0.7)]
    assert k_occurrence(np.stack([hub, *rays]), k=1, faiss=False).tolist() == [3, 1, 0, 0]


def test_skewness_by_hand() -> None:
    # 0, 0, 0, 4: mean 1, deviation √3, third moment (3·(−1) + 27) / 4 = 6, so 6 / (3√3).
    assert skewness(np.array([0, 0, 0, 4])) == pytest.approx(6 / (3 * math.sqrt(3)))
    assert skewness(np.array([2, 2, 2])) == 0.0
    assert skewness(np.array([1, 2, 3])) == pytest.approx(0.0)


def test_skewness_is_scipy_s() -> None:
    stats = pytest.importorskip("scipy.stats")
    counts = np.random.default_rng(0).poisson(3, size=200)
    assert skewness(counts) == pytest.approx(stats.skew(counts))


def test_a_hub_shows_as_skewness() -> None:
    # 50 rays around a hub: cosine √½ with it and ½ with each other, so that it is nearest to all.
    hub = np.eye(51)[:1]
    counts = k_occurrence(np.vstack([hub, hub + np.eye(51)[1:]]), k=1, faiss=False)
    assert counts[0] == 50
    assert sorted(counts[1:]) == [0] * 49 + [1]
    assert skewness(counts) > 6


def test_recall_by_hand() -> None:
    base = np.eye(4)
    queries = np.array([[1.0, 0.9, 0.0, 0.0], [0.0, 0.1, 1.0, 0.9]])
    gold = [frozenset({1}), frozenset({0, 1})]
    assert recall_hits(queries, base, gold, k=1).tolist() == [False, False]
    assert recall_hits(queries, base, gold, k=2).tolist() == [True, False]
    assert recall_hits(queries, base, gold, k=3).tolist() == [True, True]


def test_random_pairs_are_of_other_languages_and_other_sentences() -> None:
    many = words(3, 5, 4, np.eye(3))
    left, right = random_pairs(many, 500, seed=1)
    assert len(left) == len(right) == 500
    assert (many.languages[left] != many.languages[right]).all()
    assert (many.sentences[left] != many.sentences[right]).all()
    assert np.array_equal(left, random_pairs(many, 500, seed=1)[0])


def test_one_language_has_no_pairs() -> None:
    with pytest.raises(DataError, match="two sentences in two languages"):
        random_pairs(words(1, 5, 4, np.eye(1, 3)), 10, seed=0)


def test_languages_apart_are_told_and_mixed_ones_are_not() -> None:
    apart = language_probe(words(3, 30, 6, np.eye(3, 8) * 3), n_sentences=20)
    mixed = language_probe(words(3, 30, 6, np.zeros((3, 8)), noise=1.0), n_sentences=20)
    assert apart.statistic.values(np.ones((1, apart.statistic.n)))[0] > 0.95
    assert mixed.statistic.values(np.ones((1, mixed.statistic.n)))[0] < 0.5
    # 20 sentences, 2 of them validate: 18 · 6 words train in each of 3 languages; 10 sentences test.
    assert (apart.n_train, apart.n_test, apart.statistic.n) == (18 * 6 * 3, 10 * 6 * 3, 10)


def test_a_word_form_trains_once_per_language() -> None:
    many = words(2, 10, 3, np.eye(2, 4))
    same = Words(many.states, many.sentences, many.languages, many.names, ("the",) * 60)
    assert language_probe(same, n_sentences=6).n_train == 2


def test_too_few_sentences_for_the_language_probe_are_named() -> None:
    with pytest.raises(DataError, match=r"the first 500 sentences .*the data has 10: .*smaller --probe-sentences"):
        language_probe(words(2, 10, 3, np.eye(2, 4)))


def small() -> Words:
    states = np.array([[1, 0], [0.6, 0.8], [0.8, 0.6], [0, 1], [0.96, 0.28]], dtype=np.float16)
    forms = ("Fold,", "falten", "plier", "fold", "other")
    return Words(
        states, np.array([0, 0, 0, 1, 0]), np.array([0, 1, 2, 0, 0]), ("eng_Latn", "deu_Latn", "fra_Latn"), forms
    )


def test_neighbours_by_hand() -> None:
    table = neighbour_table(small(), 0, k=2)
    # "other" is nearer, but in the query's own sentence.
    found = [(n.rank, round(n.score, 2), n.language, n.unit, n.sentence) for n in table.neighbours]
    assert found == [(1, 0.8, "fra_Latn", "plier", 0), (2, 0.6, "deu_Latn", "falten", 0)]
    assert (table.query, table.language, table.sentence) == ("Fold,", "eng_Latn", 0)


def test_a_word_is_found_without_case_and_punctuation() -> None:
    assert find_word(small(), "fold", "eng_Latn") == 0
    assert find_word(small(), "fold", "eng_Latn", sentence=1) == 3
    with pytest.raises(DataError, match="word 'wing' does not occur"):
        find_word(small(), "wing", "eng_Latn")


def test_principal_components_of_a_line_by_hand() -> None:
    points = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]])
    coordinates, variance = principal_components(points)
    assert np.abs(coordinates[:, 0]).tolist() == pytest.approx([math.sqrt(2), 0.0, math.sqrt(2)])
    assert variance.tolist() == pytest.approx([1.0, 0.0])
