import csv
from pathlib import Path

import numpy as np
import pytest

from alee_mteb import tacc
from alee_mteb.tacc import Comparison

NAN = float("nan")


def small() -> Comparison:
    """Three rows: the second has no RS foil, the third no translation."""
    positive = np.array([0.9, 0.5, NAN])
    negative = np.array([[0.8, 0.5, NAN], [0.95, NAN, NAN], [NAN, 0.4, NAN], [0.9, 0.6, NAN]])
    return Comparison(positive, negative)


def test_a_tie_fails_and_is_counted():
    comparison = small()
    assert comparison.valid.tolist() == [
        [True, True, False],
        [True, False, False],
        [False, True, False],
        [True, True, False],
    ]
    assert comparison.passed.tolist() == [[True, False, False], [False] * 3, [False, True, False], [False] * 3]
    assert comparison.ties.tolist() == [1, 0, 0, 1]


def test_shares_margins_and_macro_by_hand():
    comparison = small()
    values = tacc.shares(comparison.passed, comparison.valid)
    assert values.tolist() == [0.5, 0.0, 1.0, 0.0]
    assert comparison.margins == pytest.approx([0.05, -0.05, 0.1, -0.05])
    assert tacc.macro(values) == 0.375


def test_macro_leaves_out_a_perturbation_without_triplets():
    assert tacc.macro(np.array([0.5, NAN, 1.0, NAN])) == 0.75
    assert np.isnan(tacc.macro(np.full(4, NAN)))


@pytest.mark.shared
def test_published_macros_follow_from_their_four_columns(shared: Path):
    with (shared / "reference" / "model_tacc.csv").open() as handle:
        rows = list(csv.DictReader(handle))
    assert len(rows) == 42  # 14 models on three data sets
    for row in rows:
        four = np.array([float(row[code]) for code in ("PN", "RS", "AR", "HS")])
        assert tacc.macro(four) == pytest.approx(float(row["macro"]), abs=0.001), row


def test_equal_vectors_give_equal_similarities():
    rng = np.random.default_rng(3)
    vector = rng.normal(size=384).astype(np.float32)
    others = tacc.unit(rng.normal(size=(5, 384)))
    left = tacc.unit(np.stack([rng.normal(size=384), vector, rng.normal(size=384), vector, vector]))
    target = np.repeat(others[:1], 5, axis=0)
    cosines = tacc.row_cosines(left, target)
    assert cosines[1] == cosines[3] == cosines[4]
    assert cosines[0] == pytest.approx(float(np.dot(left[0], target[0])), abs=1e-12)


def naive_bootstrap(passed, valid, resamples=1000, seed=0):
    """Percentile bootstrap written as plainly as possible, independent of the vectorised one."""
    n = passed.shape[1]
    draws = np.random.default_rng(seed).integers(0, n, size=(resamples, n))
    macros, per_kind = [], [[] for _ in passed]
    for rows in draws:
        values = []
        for kind in range(len(passed)):
            hits = sum(bool(passed[kind, row]) for row in rows)
            total = sum(bool(valid[kind, row]) for row in rows)
            values.append(hits / total if total else None)
            if total:
                per_kind[kind].append(hits / total)
        if None not in values:
            macros.append(sum(values) / len(values))
    return [np.percentile(kind, [2.5, 97.5]) for kind in per_kind], np.percentile(macros, [2.5, 97.5])


def test_intervals_agree_with_a_naive_bootstrap():
    rng = np.random.default_rng(7)
    valid = rng.random((4, 30)) < 0.7
    passed = valid & (rng.random((4, 30)) < [[0.9], [0.7], [0.5], [0.3]])
    expected, expected_macro = naive_bootstrap(passed, valid)
    samples = tacc.bootstrap_shares(passed, valid)
    for kind in range(4):
        assert tacc.interval(samples[:, kind]) == pytest.approx(expected[kind], abs=1e-9)
    macros = tacc.macro_samples(samples, valid.any(axis=1))
    assert tacc.interval(macros) == pytest.approx(expected_macro, abs=1e-9)


def test_languages_share_their_resamples():
    valid = np.ones((2, 4, 20), dtype=bool)
    passed = np.random.default_rng(1).random((2, 4, 20)) < 0.5
    together = tacc.bootstrap_shares(passed, valid)
    assert together.shape == (1000, 2, 4)
    assert np.allclose(together[:, 1], tacc.bootstrap_shares(passed[1], valid[1]))


def test_an_interval_of_certain_outcomes_is_a_point():
    ones = np.ones((4, 12), dtype=bool)
    samples = tacc.bootstrap_shares(ones, ones)
    assert tacc.interval(samples[:, 0]) == (1.0, 1.0)


def test_overlap_counts_a_tie_as_one_half():
    words = frozenset
    sources = [words({"a", "b"}), words({"a", "b"}), words({"x"})]
    foils = [[words({"a", "c"}), None, words({"y"})]]
    targets = [words({"a", "b"}), words({"a"}), words({"ж"})]
    # Row 1: 1 against 1/3; row 2 has no foil; row 3: unrelated scripts, 0 against 0.
    assert tacc.overlap_scores(sources, foils, targets).tolist() == [[1.0, 0.0, 0.5]]


def test_matched_rows_have_all_four():
    valid = np.array([[True, True], [True, False], [True, True], [True, True]])
    assert tacc.matched_rows(valid).tolist() == [True, False]
