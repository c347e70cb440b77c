"""Scores and intervals of the board, against hand-worked shares, the report and a bootstrap written anew."""

from pathlib import Path

import numpy as np
import pytest

from alee_mteb.analysis import comparison
from alee_mteb.outcomes import Outcomes, digest_ids
from alee_mteb.perturbations import CODES
from alee_mteb.report.results import LanguageScores, RunScores
from alee_mteb.report.summary import summarise
from leaderboard.board.figures import COLUMNS, dataset_mean, figures, mean_of_keys
from leaderboard.board.ties import Contestant, tie_groups
from leaderboard.entries import SubsetEntry

#: Valid and passed per perturbation and row, two languages of four rows.
VALID = ["1111", "1100", "0000", "1110"]
GERMAN = ["1110", "1000", "0000", "1110"]
ROMANSH = ["1000", "1100", "0000", "0010"]


def outcomes(passed: list[str], valid: list[str] = VALID) -> Outcomes:
    def bits(rows: list[str]) -> np.ndarray:
        return np.array([[digit == "1" for digit in row] for row in rows])

    return Outcomes("0" * 16, bits(valid), bits(passed))


def random_outcomes(seed: int, languages: int = 5, rows: int = 40) -> list[Outcomes]:
    generator = np.random.default_rng(seed)
    found = []
    for _ in range(languages):
        valid = generator.random((len(CODES), rows)) < 0.6
        found.append(Outcomes("0" * 16, valid, valid & (generator.random(valid.shape) < 0.7)))
    return found


def test_shares_and_their_means_by_hand() -> None:
    found = figures([outcomes(GERMAN), outcomes(ROMANSH)])
    # German: PN 3/4, RS 1/2, no AR, HS 3/3; Romansh: PN 1/4, RS 2/2, no AR, HS 1/3.
    np.testing.assert_allclose(found.language_score[0], [(0.75 + 0.5 + 1) / 3, 0.75, 0.5, np.nan, 1])
    np.testing.assert_allclose(found.language_score[1], [(0.25 + 1 + 1 / 3) / 3, 0.25, 1, np.nan, 1 / 3])
    np.testing.assert_allclose(found.score, [(0.5 + 0.75 + 2 / 3) / 3, 0.5, 0.75, np.nan, 2 / 3])
    assert np.isnan(found.low[3])
    assert np.isnan(found.matched), "no row has all four foils"
    assert set(found.scored) == {"macro", "PN", "RS", "HS"}


def test_figures_agree_with_the_report() -> None:
    several = random_outcomes(1)
    run = RunScores(
        "org/model",
        "1",
        "ALEE-Sample",
        tuple(LanguageScores(str(at), "deu_Latn", {}, one) for at, one in enumerate(several)),
        {"task": "ALEE-Sample", "data": "made-up", "commit": "0" * 40, "similarity": "cosine", "versions": {}},
        Path("made-up.json"),
    )
    found = figures(several)
    report = summarise(run)
    assert found.score[0] == pytest.approx(report.macro.value)
    assert found.low[0] == pytest.approx(report.macro.low, abs=1e-6)
    assert found.high[0] == pytest.approx(report.macro.high, abs=1e-6)
    assert found.matched == pytest.approx(report.matched)
    for at, code in enumerate(CODES, 1):
        assert found.low[at] == pytest.approx(report.perturbations[code].low, abs=1e-6)


def test_intervals_agree_with_a_bootstrap_row_by_row() -> None:
    several = random_outcomes(2, languages=2, rows=60)
    found = figures(several)
    generator = np.random.default_rng(99)
    samples = []
    for _ in range(4000):
        rows = [int(generator.integers(60)) for _ in range(60)]
        shares = []
        for kind in range(len(CODES)):
            drawn = [row for row in rows if several[0].valid[kind, row]]
            shares.append(sum(several[0].passed[kind, row] for row in drawn) / len(drawn))
        samples.append(sum(shares) / 4)
    low, high = np.percentile(samples, [2.5, 97.5])
    assert found.language_low[0, 0] == pytest.approx(low, abs=0.015)
    assert found.language_high[0, 0] == pytest.approx(high, abs=0.015)


def test_what_is_compared_is_what_the_comparison_makes() -> None:
    several = random_outcomes(3)
    found, expected = figures(several).scored, comparison.score(several)
    assert set(found) == set(expected) == set(COLUMNS)
    for column in COLUMNS:
        assert found[column].value == pytest.approx(expected[column].value)
        np.testing.assert_allclose(found[column].parts, expected[column].parts)
        np.testing.assert_allclose(found[column].samples, expected[column].samples, atol=1e-6)


def test_a_resample_without_triplets_is_left_out_of_an_interval() -> None:
    valid = ["1000", "1111", "1111", "1111"]
    found = figures([outcomes(["1000", "1100", "1110", "0000"], valid)])
    assert (found.language_low[0, 1], found.language_high[0, 1]) == (1.0, 1.0)
    assert not np.isnan(found.language_low[0, 0])


def test_the_mean_of_data_sets_keeps_the_sources_of_each() -> None:
    first, second = (figures(random_outcomes(seed, rows=rows)).scored for seed, rows in ((4, 30), (5, 50)))
    mean = dataset_mean([first, second])["macro"]
    assert mean.value == pytest.approx((first["macro"].value + second["macro"].value) / 2)
    assert mean.parts.shape == (80,)
    assert mean.parts.sum() == pytest.approx(mean.value)


def test_the_mean_of_some_languages_by_hand() -> None:
    table = np.array([[np.nan, 0.2, 0.4, 0.6, 0.8], [np.nan, 0.4, 0.4, np.nan, 1.0], [np.nan, 1, 1, 1, 1]])
    assert mean_of_keys(table, [0, 1]) == pytest.approx((0.3 + 0.4 + 0.6 + 0.9) / 4)


def test_many_partial_entries_do_not_push_complete_ones_out_of_the_ties() -> None:
    subsets = {
        key: SubsetEntry(key, key, 0.5, outcomes=packed(seed)) for seed, key in enumerate(("deu_Latn", "fra_Latn"))
    }

    def contestant(name: str, keys: tuple[str, ...]) -> Contestant:
        found = [subsets[key] for key in keys]
        return Contestant(("verified", name), found, comparison.score([one.outcomes for one in found if one.outcomes]))

    complete = [contestant(name, ("deu_Latn", "fra_Latn")) for name in ("a/1", "b/1")]
    partial = [contestant(f"evil/{number}", ("deu_Latn",)) for number in range(5)]
    assert set(tie_groups([*partial, *complete])) == {("verified", "a/1"), ("verified", "b/1")}


def packed(seed: int) -> Outcomes:
    passed = np.random.default_rng(seed).random((4, 30)) < 0.7
    return Outcomes(digest_ids([str(row) for row in range(30)]), np.ones((4, 30), dtype=bool), passed)
