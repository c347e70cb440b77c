"""Paired comparisons against hand-worked values, scipy, and a bootstrap written here."""

import math

import numpy as np
import pytest
from scipy import stats

from alee_mteb.analysis.comparison import (
    ALL_LANGUAGES,
    COLUMNS,
    compare,
    difference,
    paired,
    same_triplets,
    score,
    standings,
)
from alee_mteb.analysis.corrections import benjamini_hochberg, correct, holm
from alee_mteb.analysis.sign_flip import sign_flip_p
from alee_mteb.errors import ResultsError
from alee_mteb.outcomes import Outcomes
from alee_mteb.perturbations import CODES


def drawn(seed: int, rate: float, rows: int = 60, foils: float = 0.7) -> Outcomes:
    """Outcomes of one language: the foils that exist are the same for every model, what is passed is drawn."""
    valid = np.random.default_rng(99).random((4, rows)) < foils
    return Outcomes("same", valid, valid & (np.random.default_rng(seed).random((4, rows)) < rate))


def outcomes(passed: list[list[int]], valid: list[list[int]] | None = None) -> Outcomes:
    bits = np.array(passed, dtype=bool)
    return Outcomes("same", np.ones_like(bits) if valid is None else np.array(valid, dtype=bool), bits)


def test_a_score_is_the_mean_over_languages_then_perturbations_by_hand():
    # PN: de 3 of 4, fr 1 of 2 → .625. RS: only German has it, 1 of 4 → .25. AR, HS: none.
    german = outcomes([[1, 1, 1, 0], [1, 0, 0, 0], [0] * 4, [0] * 4], [[1, 1, 1, 1], [1, 1, 1, 1], [0] * 4, [0] * 4])
    french = outcomes([[1, 0, 0, 0], [0] * 4, [0] * 4, [0] * 4], [[1, 1, 0, 0], [0] * 4, [0] * 4, [0] * 4])
    found = score([german, french])
    assert {name: one.value for name, one in found.items()} == {
        "PN": pytest.approx(0.625),
        "RS": pytest.approx(0.25),
        "macro": pytest.approx(0.4375),
    }
    assert {name: one.n for name, one in found.items()} == {"PN": 6, "RS": 4, "macro": 10}
    # Source 0 passes PN in both languages: (1/4 + 1/2) / 2, and RS in German: 1/4; the macro is the mean of the two.
    assert found["macro"].parts[0] == pytest.approx((0.375 + 0.25) / 2)


def test_scores_and_intervals_are_those_of_the_report():
    from pathlib import Path

    from alee_mteb.report.results import LanguageScores, RunScores
    from alee_mteb.report.summary import summarise

    languages = {"deu_Latn": drawn(1, 0.8), "fra_Latn": drawn(2, 0.6), "ace_Latn": drawn(3, 0.5)}
    settings = {"task": "T", "data": "d", "commit": "c", "prompt": "", "similarity": "cosine", "versions": {}}
    run = RunScores(
        "m", "1", "T", tuple(LanguageScores(key, key, {}, one) for key, one in languages.items()), settings, Path()
    )
    found, report = score(list(languages.values())), summarise(run)
    assert found["macro"].value == pytest.approx(report.macro.value)
    assert found["macro"].interval == pytest.approx((report.macro.low, report.macro.high))
    for code in CODES:
        assert found[code].interval == pytest.approx((report.perturbations[code].low, report.perturbations[code].high))


def test_the_interval_agrees_with_a_bootstrap_written_with_loops():
    left, right = drawn(1, 0.8), drawn(2, 0.6)
    rows = left.valid.shape[1]
    generator = np.random.default_rng(0)
    draws = generator.integers(0, rows, size=(1000, rows))
    samples = []
    for draw in draws:
        means = []
        for kind in range(4):
            pairs = [(left.passed[kind, r], right.passed[kind, r]) for r in draw if left.valid[kind, r]]
            means.append(sum(float(a) - float(b) for a, b in pairs) / len(pairs))
        samples.append(sum(means) / 4)
    samples.sort()
    found = difference(score([left])["macro"], score([right])["macro"])
    assert (found.low, found.high) == pytest.approx(tuple(np.percentile(samples, [2.5, 97.5])))


def test_the_interval_is_stable_under_other_draws():
    left, right = score([drawn(1, 0.8)]), score([drawn(2, 0.6)])
    other = difference(score([drawn(1, 0.8)], seed=7)["macro"], score([drawn(2, 0.6)], seed=7)["macro"])
    found = difference(left["macro"], right["macro"])
    assert found.low == pytest.approx(other.low, abs=0.02)
    assert found.high == pytest.approx(other.high, abs=0.02)


@pytest.mark.parametrize(
    ("wins", "losses"),
    [(0, 0), (1, 0), (5, 0), (6, 2), (3, 8), (12, 0), (11, 2), (20, 10), (60, 30), (150, 149), (300, 180), (3000, 10)],
)
def test_differences_of_one_size_give_the_exact_mcnemar_test(wins: int, losses: int):
    differences = np.array([0.1] * wins + [-0.1] * losses + [0.0] * 20)
    expected = stats.binomtest(wins, wins + losses).pvalue if wins + losses else 1.0
    assert sign_flip_p(differences) == pytest.approx(expected, rel=1e-8)


def test_unequal_differences_agree_with_scipys_sign_permutation():
    differences = np.random.default_rng(5).normal(0.3, 1.0, size=40)
    expected = stats.permutation_test(
        (differences,), np.sum, permutation_type="samples", n_resamples=20_000, rng=np.random.default_rng(0)
    ).pvalue
    assert sign_flip_p(differences) == pytest.approx(expected, abs=0.01)


def test_rounding_dust_is_no_difference():
    assert sign_flip_p(np.array([1e-17, 2e-17, 3e-17])) == 1.0
    assert sign_flip_p(np.zeros(0)) == 1.0


def test_holm_by_hand():
    # Sorted .01 .02 .03 .04 → ×4, ×3, ×2, ×1 = .04 .06 .06 .04, never falling.
    assert holm([0.04, 0.01, 0.03, 0.02]) == pytest.approx([0.06, 0.04, 0.06, 0.06])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


def test_benjamini_hochberg_agrees_with_scipy():
    p = np.random.default_rng(1).random(40) ** 3
    assert benjamini_hochberg(list(p)) == pytest.approx(list(stats.false_discovery_control(p)))


def test_an_unknown_correction_is_named():
    with pytest.raises(ResultsError, match="unknown correction 'bonferoni'; choose one of holm, bh, none"):
        correct([0.1], "bonferoni")


def test_comparing_goes_over_shared_languages_and_corrects_within_a_column():
    left = {"deu_Latn": drawn(1, 0.9), "fra_Latn": drawn(2, 0.9), "ace_Latn": drawn(3, 0.9)}
    right = {"fra_Latn": drawn(4, 0.5), "deu_Latn": drawn(5, 0.5), "jpn_Jpan": drawn(6, 0.5)}
    rows = compare(left, right)
    assert [(row.language, row.column) for row in rows] == [
        (key, column) for key in (ALL_LANGUAGES, "deu_Latn", "fra_Latn") for column in COLUMNS
    ]
    by_name = {(row.language, row.column): row for row in rows}
    # Two languages: the smaller p is doubled.
    first, second = by_name["deu_Latn", "RS"], by_name["fra_Latn", "RS"]
    assert [first.adjusted, second.adjusted] == pytest.approx(holm([first.difference.p, second.difference.p]))
    assert by_name[ALL_LANGUAGES, "macro"].adjusted == by_name[ALL_LANGUAGES, "macro"].difference.p
    assert by_name[ALL_LANGUAGES, "macro"].is_significant()
    assert by_name[ALL_LANGUAGES, "macro"].left == pytest.approx(
        score([left["deu_Latn"], left["fra_Latn"]])["macro"].value
    )
    mirrored = {(row.language, row.column): row for row in compare(right, left)}
    for name, row in by_name.items():
        assert mirrored[name].difference.value == pytest.approx(-row.difference.value)
        assert mirrored[name].difference.p == pytest.approx(row.difference.p)


def test_only_triplets_that_both_have_are_compared():
    left = outcomes([[1, 1, 1, 0]] * 4)
    right = outcomes([[1, 0, 0, 0]] * 4, [[1, 1, 0, 0]] * 4)
    one, _ = paired(left, right)
    assert one.valid.sum() == 8
    (overall, *_) = compare({"x": left}, {"x": right})
    assert (overall.left, overall.right, overall.n) == (1.0, 0.5, 2)
    assert not same_triplets([[left], [right]])
    assert same_triplets([[left], [left]])


def test_other_rows_and_no_shared_language_are_refused():
    other = Outcomes("other", drawn(1, 0.5).valid, drawn(1, 0.5).passed)
    with pytest.raises(ResultsError, match="deu_Latn: the two models were scored on different rows of data"):
        compare({"deu_Latn": drawn(1, 0.5)}, {"deu_Latn": other})
    with pytest.raises(ResultsError, match="share no language; one has deu_Latn, the other jpn_Jpan"):
        compare({"deu_Latn": drawn(1, 0.5)}, {"jpn_Jpan": drawn(1, 0.5)})
    with pytest.raises(ResultsError, match="different rows of data"):
        score([drawn(1, 0.5), other])


def test_standings_by_hand():
    """Eleven sources, one perturbation. 11 against 9: two differ (p .5); against 3: eight (1/128), against 2: nine."""

    def passing(n: int) -> Outcomes:
        bits = np.zeros((4, 11), dtype=bool)
        bits[0, :n] = True
        valid = np.zeros((4, 11), dtype=bool)
        valid[0] = True
        return Outcomes("same", valid, bits)

    scores = [score([passing(n)])["macro"] for n in (3, 11, 2, 9)]
    found = standings(scores)
    assert [one.group for one in found] == [2, 1, 2, 1]
    assert [one.rank for one in found] == [3, 1, 3, 1]
    assert [one.ties_with_best for one in found] == [False, True, False, True]
    assert found[3].p == pytest.approx(0.5)
    # 2 of 11 loses one source to its leader, 3 of 11: nothing can be said from one source.
    assert found[2].p == 1.0
    assert found[0].p == 1.0


def test_equal_models_tie_and_one_model_stands_alone():
    one = score([drawn(1, 0.8)])["macro"]
    assert [found.rank for found in standings([one, one, one])] == [1, 1, 1]
    assert standings([one])[0].ties_with_best
    assert math.isclose(one.value, one.parts.sum())
