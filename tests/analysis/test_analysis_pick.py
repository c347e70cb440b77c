"""`pick`: which encoder for which languages."""

from pathlib import Path

import numpy as np
import pytest
from support.analysis_results import write_results

from alee_mteb.analysis import inputs
from alee_mteb.analysis.pick import pick, pick_published
from alee_mteb.errors import LanguageError
from alee_mteb.outcomes import Outcomes


def passing(count: int, rows: int = 40, digest: str = "rows") -> Outcomes:
    bits = np.zeros((4, rows), dtype=bool)
    bits[:, :count] = True
    return Outcomes(digest, np.ones((4, rows), dtype=bool), bits)


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Three models on German in two data sets and on Sursilvan; a fourth lacks Sursilvan."""
    for model, german, romansh in (("a/good", 38, 30), ("b/near", 37, 30), ("c/poor", 30, 10)):
        write_results(tmp_path, model, "ALEE-F200", {"deu_Latn": passing(german)})
        write_results(
            tmp_path,
            model,
            "ALEE-MT61",
            {"de_DE": passing(german, digest="mt"), "roh_sursilv": passing(romansh, digest="mt")},
        )
    write_results(tmp_path, "d/partial", "ALEE-F200", {"deu_Latn": passing(40)})
    return tmp_path


def test_every_language_counts_once_and_ties_are_said(results: Path):
    advice = pick(inputs.load([results]), ["roh_sursilv", "deu_Latn"])
    assert [one.model for one in advice.candidates] == ["good", "near", "poor"]
    # German .95 in both data sets, Sursilvan .75; the mean of the two.
    assert advice.candidates[0].mean == pytest.approx(0.85)
    assert advice.candidates[2].mean == pytest.approx((30 / 40 + 10 / 40) / 2)
    # One source a data set tells the first two apart: p = ½, and that twice.
    assert [one.rank for one in advice.candidates] == [1, 1, 3]
    assert [one.ties_with_best for one in advice.candidates] == [True, True, False]
    assert [(cell.dataset, cell.language, cell.triplets) for cell in advice.candidates[0].evidence] == [
        ("ALEE-MT61", "roh_sursilv", 160),
        ("ALEE-F200", "deu_Latn", 160),
        ("ALEE-MT61", "de_DE", 160),
    ]
    assert advice.incomplete == {"partial": ("roh_sursilv", "deu_Latn")}
    low, high = advice.candidates[0].low, advice.candidates[0].high
    assert low is not None
    assert high is not None
    assert low < 0.85 < high


def test_one_language_brings_in_whoever_has_it(results: Path):
    advice = pick(inputs.load([results]), ["deu_Latn"])
    assert [one.model for one in advice.candidates] == ["partial", "good", "near", "poor"]
    assert {cell.dataset for one in advice.candidates for cell in one.evidence} == {"ALEE-F200"}


def test_what_has_no_results_is_said(results: Path):
    runs = inputs.load([results])
    assert pick(runs, ["German", "Japanese"]).without_results == ("Japanese",)
    with pytest.raises(LanguageError, match="no results for jpn_Jpan; score some with `alee run -m MODEL -t ALEE-F200"):
        pick(runs, ["jpn_Jpan"])
    with pytest.raises(LanguageError, match="unknown language 'Sursilvn'"):
        pick(runs, ["Sursilvn"])
    with pytest.raises(LanguageError, match="unknown language 'Germn'; did you mean 'German'"):
        pick(runs, ["Germn"])


def test_the_interval_agrees_with_a_bootstrap_of_the_mean(results: Path):
    """Two data sets, drawn apart: the variance of the mean is that of its parts."""
    advice = pick(inputs.load([results]), ["deu_Latn"])
    (poor,) = (one for one in advice.candidates if one.model == "poor")
    generator = np.random.default_rng(11)
    passed = np.arange(40) < 30
    means = [passed[generator.integers(0, 40, 40)].mean() for _ in range(4000)]
    assert (poor.low, poor.high) == pytest.approx(tuple(np.percentile(means, [2.5, 97.5])), abs=0.03)


def test_published_figures_cover_romansh():
    advice = pick_published(["roh_sursilv", "deu_Latn"])
    # LaBSE .809, mE5-instruct .804 (paper, Figure 8).
    assert [one.model for one in advice.candidates[:2]] == [
        "sentence-transformers/LaBSE",
        "intfloat/multilingual-e5-large-instruct",
    ]
    assert advice.candidates[0].ties_with_best is None
    assert advice.without_results == ("deu_Latn",)
    with pytest.raises(LanguageError, match=r"single encoders on deu_Latn were not published"):
        pick_published(["deu_Latn"])
