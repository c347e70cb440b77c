"""Scores with their intervals, comparison of runs, summaries beside the paper, and what is written to disk."""

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from alee_mteb.errors import DataError, ResultsError
from salt.evaluation import tables
from salt.evaluation.compare import MEAN, compare_runs, headline
from salt.evaluation.plots import draw_run, training_lines
from salt.evaluation.published import figure, published
from salt.evaluation.results import Part, Run, digest, finished_part, read_run, write_part, write_run
from salt.evaluation.scores import Corpus, MacroF1, Ratio, Score, draws, interval, score_from_json, scored
from salt.evaluation.summary import ALL_SETS, by_layer, layer_lines, summarise


def accuracy(right: list[int], language: str = "deu_Latn", **fields: object) -> Score:
    values = {"task": "massive", "data": "toy", "metric": "accuracy", "better": "higher", "setting": "english"} | fields
    return scored(Ratio(np.array(right, float), np.ones(len(right))), language=language, **values)


def test_an_interval_is_that_of_the_binomial_it_resamples() -> None:
    low, high = interval(Ratio(np.array([1.0] * 80 + [0.0] * 20), np.ones(100)), seed=0)
    # 0.8 ± 1.96 · √(0.8 · 0.2 / 100)
    assert (low, high) == pytest.approx((0.72, 0.88), abs=0.015)


def test_the_same_items_are_drawn_for_both_runs() -> None:
    first, again = (np.concatenate(list(draws(7, seed=3, resamples=150))) for _ in range(2))
    assert np.array_equal(first, again)
    assert (first.sum(axis=1) == 7).all()
    assert first.shape == (150, 7)


@pytest.mark.parametrize(
    "statistic",
    [
        Ratio(np.array([1.0, 0.25]), np.array([2.0, 3.0]), 1.0, -1.0),
        MacroF1.of(np.array([0, 1, 1]), np.array([0, 1, 0]), np.array([0, 0, 1]), 2, 3),
    ],
    ids=["ratio", "macro-f1"],
)
def test_scores_survive_json(statistic: Ratio | MacroF1) -> None:
    score = scored(statistic, task="t", data="d", language="x", metric="m", better="lower", layer=3, notes={"a": 1})
    back = score_from_json(json.loads(json.dumps(score.to_json(items=True))))
    assert replace(back, statistic=None) == replace(score, statistic=None)
    weights = np.array([[2.0, 1.0], [0.0, 3.0]])
    assert back.statistic is not None
    np.testing.assert_array_equal(back.statistic.values(weights), statistic.values(weights))
    assert "items" not in score.to_json(items=False)


def test_corpus_scores_survive_json() -> None:
    pytest.importorskip("sacrebleu")
    statistic, _ = Corpus.of("chrf", ["a cat", "dogs"], ["a cat", "dog"], "13a")
    score = scored(statistic, task="t", data="d", language="x", metric="chrf", better="higher")
    back = score_from_json(json.loads(json.dumps(score.to_json(items=True))))
    assert back.statistic is not None
    assert back.statistic.values(np.array([[1.0, 1.0]]))[0] == pytest.approx(score.value)


def run_of(name: str, *scores: Score, data: str = "d1") -> Run:
    by_part: dict[str, list[Score]] = {}
    for score in scores:
        by_part.setdefault(f"{score.task}/{score.language}", []).append(score)
    parts = tuple(Part(id, f"f-{name}", data, tuple(found)) for id, found in by_part.items())
    return Run({"name": name, "revision": "0"}, "signature", {}, parts)


BEFORE, AFTER = [0, 0, 1, 0, 1, 0, 1, 0] * 10, [1, 0, 1, 1, 1, 0, 1, 1] * 10


def test_a_paired_difference_by_hand() -> None:
    found = compare_runs(run_of("a", accuracy(BEFORE)), run_of("b", accuracy(AFTER)))
    (row,) = found.rows
    # 30 of 80 against 60 of 80; every difference is 0 or +1, so its deviation is √(p (1 − p) / n) with p = 3/8.
    assert (row.a, row.b, row.difference) == (0.375, 0.75, 0.375)
    spread = 1.96 * math.sqrt(0.375 * 0.625 / 80)
    assert (row.low, row.high) == pytest.approx((0.375 - spread, 0.375 + spread), abs=0.025)
    assert row.better == "B"
    assert row.p is not None
    assert row.p < 0.01
    assert found.left_out == ()


def test_pairing_is_tighter_than_two_runs_apart() -> None:
    generator = np.random.default_rng(0)
    hard = generator.integers(0, 2, size=200)
    a = accuracy(hard.tolist())
    b = accuracy(np.maximum(hard, generator.random(200) < 0.1).tolist())
    (row,) = compare_runs(run_of("a", a), run_of("b", b)).rows
    assert row.low is not None
    assert row.high is not None
    assert a.high is not None
    assert a.low is not None
    assert row.high - row.low < (a.high - a.low) * 0.7


def test_one_item_has_no_interval_and_decides_nothing() -> None:
    before, after = accuracy([0]), accuracy([1])
    assert (after.low, after.high) == (None, None)
    (row,) = compare_runs(run_of("a", before), run_of("b", after)).rows
    assert (row.difference, row.low, row.high, row.p, row.better) == (1.0, None, None, None, "")


def test_the_same_run_differs_by_nothing() -> None:
    (row,) = compare_runs(run_of("a", accuracy(BEFORE)), run_of("b", accuracy(BEFORE))).rows
    assert (row.difference, row.low, row.high, row.p, row.better) == (0.0, 0.0, 0.0, 1.0, "")


def test_lower_is_better_for_errors_and_the_mean_over_languages_comes_too() -> None:
    a = [accuracy(AFTER, language, metric="xsim", better="lower") for language in ("deu_Latn", "fra_Latn")]
    b = [accuracy(BEFORE, language, metric="xsim", better="lower") for language in ("deu_Latn", "fra_Latn")]
    found = compare_runs(run_of("a", *a), run_of("b", *b))
    assert [row.better for row in found.rows] == ["B"] * 3
    (mean,) = headline(found.rows)
    assert mean.key[2] == MEAN
    assert mean.difference == pytest.approx(-0.375)
    one = found.rows[0]
    assert mean.low is not None
    assert mean.high is not None
    assert one.low is not None
    assert one.high is not None
    # Two languages resampled independently: √½ of the width of one.
    assert (mean.high - mean.low) / (one.high - one.low) == pytest.approx(math.sqrt(0.5), abs=0.12)


def test_what_cannot_be_compared_is_said() -> None:
    a = run_of("a", accuracy(BEFORE), accuracy(BEFORE, "fra_Latn"))
    b = run_of("b", accuracy(AFTER), accuracy(AFTER[:-1], "fra_Latn"), accuracy(AFTER, "ita_Latn"))
    left_out = compare_runs(a, b).left_out
    assert left_out[0] == "massive/ita_Latn: only in B"
    assert left_out[1].endswith("80 items in A, 79 in B")
    with pytest.raises(ResultsError, match=r"share no task on the same data .*the data differ"):
        compare_runs(run_of("a", accuracy(BEFORE)), run_of("b", accuracy(AFTER), data="d2"))


def test_the_paper_s_figures() -> None:
    for task, metric, setting, model, value, source in (
        ("alignment", "aer", "", "SALT", 0.171, "Table 2"),
        ("massive", "macro-f1", "english", "SONAR", 0.402, "Table 2"),
        ("udpos", "macro-f1", "single", "SALT", 0.76, "Table 7"),
        ("pan-x", "macro-f1", "english, not seen", "SALT", 0.598, "Table 8"),
        ("xsim++", "xsim++", "", "SONAR", 0.099, "Table 3"),
        ("hubness", "skewness", "", "MEXMA", 4.0, "Table 4"),
    ):
        found = figure(task, metric, setting, model)
        assert found is not None
        assert (found.value, found.source) == (value, source)
    assert figure("alignment", "aer", "", "nobody") is None
    assert len({(row.task, row.metric, row.setting, row.model) for row in published()}) == len(published())


def test_a_summary_averages_languages_and_splits_seen_from_unseen() -> None:
    scores = [
        accuracy([1] * 10, "spa_Latn", metric="macro-f1"),
        accuracy([0] * 10, "deu_Latn", metric="macro-f1"),
        accuracy([1] * 5 + [0] * 5, "fra_Latn", metric="macro-f1"),
    ]
    rows = {row.setting: row for row in summarise(scores, layer=12, seen=frozenset({"spa_Latn", "fra_Latn"}))}
    assert rows["english"].value == pytest.approx(0.5)
    assert rows["english, seen"].value == pytest.approx(0.75)
    assert rows["english, not seen"].value == 0.0
    beside = [found.value if found else None for found in rows["english"].beside]
    assert beside == [0.402, 0.452]
    assert [found.value if found else None for found in rows["english, not seen"].beside] == [None, 0.442]


def aer(value: int, layer: int, data: str = "xl-wa") -> Score:
    return accuracy(
        [value, value], "eng_Latn-deu_Latn", task="alignment", data=data, metric="aer", better="lower", layer=layer,
        method="itermax", setting=None,
    )  # fmt: skip


def test_layers_are_averaged_apart_and_the_headline_is_one_of_them() -> None:
    scores = [aer(1, 0), aer(0, 12), aer(1, 12, "kftt")]
    assert by_layer(scores, "alignment", "aer", "itermax") == {"xl-wa": {0: 1.0, 12: 0.0}, "kftt": {12: 1.0}}
    assert [title for title, _ in layer_lines(scores)] == ["AER by layer (Itermax)"]
    rows = {row.data: row.value for row in summarise(scores, layer=12)}
    assert rows == {"xl-wa": 0.0, "kftt": 1.0, ALL_SETS: 0.5}


def test_xsim_into_english_is_what_the_paper_reports() -> None:
    scores = [
        accuracy([0, 1], language, task="xsim", metric="xsim", better="lower", setting=None)
        for language in ("deu_Latn-eng_Latn", "eng_Latn-deu_Latn")
    ]
    into, out_of = summarise(scores, layer=1)
    assert (into.setting, out_of.setting) == ("into English", "from English")
    assert into.beside[0] is not None
    assert out_of.beside == (None, None)


def test_a_run_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    run = run_of("a", accuracy(BEFORE), accuracy(AFTER, "fra_Latn"))
    for part in run.parts:
        write_part(tmp_path, part)
    write_run(tmp_path, run)
    back = read_run(tmp_path)
    assert [score.key for score in back.scores] == [score.key for score in run.scores]
    assert compare_runs(back, run).rows[0].difference == 0.0
    assert finished_part(tmp_path, "massive/deu_Latn", "f-a") is not None
    assert finished_part(tmp_path, "massive/deu_Latn", "f-b") is None
    written = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    assert written["signature"] == "signature"
    assert "items" not in written["scores"][0]


@pytest.mark.parametrize("spoil", ["no file", "no part", "not json", "other json"])
def test_a_folder_that_is_no_run_is_refused(tmp_path: Path, spoil: str) -> None:
    if spoil != "no file":
        run = run_of("a", accuracy(BEFORE))
        write_run(tmp_path, run)
    if spoil == "not json":
        (tmp_path / "results.json").write_text("{", encoding="utf-8")
    if spoil == "other json":
        (tmp_path / "results.json").write_text("[]", encoding="utf-8")
    with pytest.raises(ResultsError):
        read_run(tmp_path)


def test_a_broken_part_is_computed_again(tmp_path: Path) -> None:
    part = run_of("a", accuracy(BEFORE)).parts[0]
    write_part(tmp_path, part)
    (path,) = (tmp_path / "parts").iterdir()
    path.write_text(path.read_text(encoding="utf-8")[:-20], encoding="utf-8")
    assert finished_part(tmp_path, part.id, part.fingerprint) is None


def test_digests_do_not_depend_on_the_order_of_keys() -> None:
    assert digest({"a": 1, "b": [2]}) == digest({"b": [2], "a": 1}) != digest({"a": 1, "b": [3]})


def test_tables_in_three_forms() -> None:
    header, cells = tables.summary_cells(summarise([aer(1, 12)], layer=12), "mine")
    assert "| alignment | xl-wa | aer ↓ |" in tables.markdown(header, cells)
    latex = tables.latex(header, cells)
    assert r"aer $\downarrow$" in latex
    assert r"95 \%" in latex
    assert "0.1830" in tables.terminal(header, cells)
    assert tables.latex(["a_b"], [["50 %"]]).count(r"\_") == 1


def test_plots_by_layer_and_language_are_pngs_and_the_same_twice(tmp_path: Path) -> None:
    scores = [aer(1, 0), aer(0, 12), accuracy(BEFORE), accuracy(AFTER, "fra_Latn")]
    extras = {"pca/x/1": {"pca": {"points": [[0, 1], [1, 0]], "languages": ["a", "b"], "variance": [0.9, 0.1]}}}
    log = tmp_path / "run"
    log.mkdir()
    lines = [{"kind": "train", "step": 1, "loss": 2.0}, {"kind": "evaluation", "step": 1, "aer": 0.3}]
    (log / "log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    first = draw_run(tmp_path / "one", scores, 12, extras, log)
    again = draw_run(tmp_path / "two", scores, 12, extras, log)
    assert [path.name for path in first] == [
        "aer-by-layer-itermax.png", "per-language-massive-accuracy-english.png", "pca-1.png", "training.png",
    ]  # fmt: skip
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in again]
    assert first[0].read_bytes().startswith(b"\x89PNG")
    assert training_lines(log) == {"aer": {1: 0.3}}


def test_a_log_without_evaluation_is_named(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text('{"kind": "train", "step": 1, "loss": 2.0}\n', encoding="utf-8")
    with pytest.raises(DataError, match="no evaluation in the log"):
        training_lines(tmp_path)
