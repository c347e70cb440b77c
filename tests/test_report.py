import json
import re
from pathlib import Path

import numpy as np
import pytest

from alee_mteb.errors import ResultsError
from alee_mteb.outcomes import Outcomes
from alee_mteb.perturbations import CODES
from alee_mteb.report.render import render_report
from alee_mteb.report.results import LanguageScores, RunScores, load_runs
from alee_mteb.report.summary import compare_models, dataset_score, summarise

SETTINGS = {
    "task": "T",
    "data": "d",
    "commit": "c" * 40,
    "prompt": "",
    "similarity": "cosine",
    "versions": {"mteb": "2"},
}


def language(key: str, code: str, passed: list[int], rows: int = 10, digest: str = "x") -> LanguageScores:
    """A language in which each perturbation passes the first so many of ten rows."""
    valid = np.ones((4, rows), dtype=bool)
    bits = np.zeros((4, rows), dtype=bool)
    for kind, count in enumerate(passed):
        bits[kind, :count] = True
    outcomes = Outcomes(digest, valid, bits)
    shares = {name: count / rows for name, count in zip(CODES, passed, strict=True)}
    scores = {
        "hf_subset": key,
        "language": code,
        "outcomes": outcomes.to_json(),
        "settings": SETTINGS,
        "macro_tacc": sum(shares.values()) / 4,
        "macro_tacc_low": None,
        "macro_tacc_high": None,
        "macro_unrelated_target": 0.5,
        "macro_overlap": 0.6,
        "matched": {"macro_tacc": 0.5, "n": rows},
        "perturbations": {name: {"tacc": share, "low": 0.1, "high": 0.9} for name, share in shares.items()},
        "n_sources": rows,
        "n_missing_translations": 0,
    }
    return LanguageScores(key, code, scores, outcomes)


def run(task: str, *languages: LanguageScores, model: str = "org/model") -> RunScores:
    return RunScores(model, "1", task, languages, SETTINGS, Path("file.json"))


def test_the_dataset_score_is_the_mean_over_languages_then_over_perturbations():
    english = language("eng_Latn", "eng_Latn", [10, 10, 10, 10])
    german = language("deu_Latn", "deu_Latn", [8, 6, 4, 2])
    french = language("fra_Latn", "fra_Latn", [6, 4, 2, 0])
    score = summarise(run("ALEE-F200", english, german, french))
    assert {code: estimate.value for code, estimate in score.perturbations.items()} == {
        "PN": pytest.approx(0.8),
        "RS": pytest.approx(20 / 30),
        "AR": pytest.approx(16 / 30),
        "HS": pytest.approx(0.4),
    }
    assert score.macro.value == pytest.approx((24 + 20 + 16 + 12) / 120)
    assert score.without_english == pytest.approx((14 + 10 + 6 + 2) / 80)
    assert score.matched == pytest.approx(score.macro.value)
    assert (score.n_languages, score.n_sources, score.n_triplets) == (3, 10, 120)
    assert score.macro.low < score.macro.value < score.macro.high
    assert (
        score.signature == 'T|data:d@cccccccc|perturbations:PN+RS+AR+HS|languages:3|prompt:""|similarity:cosine|mteb:2'
    )


def test_the_joint_interval_resamples_sources_not_triplets():
    """Two languages with the same outcomes carry no more information than one."""
    german = language("deu_Latn", "deu_Latn", [8, 6, 4, 2])
    twin = language("fra_Latn", "fra_Latn", [8, 6, 4, 2])
    one, two = summarise(run("T", german)), summarise(run("T", german, twin))
    assert (one.macro.low, one.macro.high) == (two.macro.low, two.macro.high)


def test_languages_on_different_rows_are_not_put_together():
    with pytest.raises(ResultsError, match="different rows"):
        summarise(run("T", language("a", "a", [1] * 4), language("b", "b", [1] * 4, digest="y")))


def three(model: str, f200: int, mt61: int, bq275: int) -> list[RunScores]:
    return [
        run(
            "ALEE-F200",
            language("deu_Latn", "deu_Latn", [f200] * 4),
            language("ace_Latn", "ace_Latn", [0] * 4),
            model=model,
        ),
        run(
            "ALEE-MT61",
            language("de_DE", "deu_Latn", [mt61] * 4),
            language("roh_sursilv", "roh_Latn", [2] * 4),
            language("roh_puter", "roh_Latn", [4] * 4),
            model=model,
        ),
        run("ALEE-BQ275", language("deu_Latn", "deu_Latn", [bq275] * 4), model=model),
    ]


def test_averages_ranks_shared_languages_and_romansh_by_hand():
    runs = [
        *three("b/second", 6, 6, 6),
        *three("a/first", 10, 9, 8),
        run("ALEE-F200", language("deu_Latn", "deu_Latn", [9] * 4), model="c/partial"),
    ]
    first, second, partial = compare_models(runs)
    # a/first: F200 (1 + 0)/2, MT61 (.9 + .2 + .4)/3, BQ275 .8
    assert first.scores == {"ALEE-F200": 0.5, "ALEE-MT61": pytest.approx(0.5), "ALEE-BQ275": 0.8}
    assert first.average == pytest.approx(0.6)
    assert [row.rank for row in (first, second, partial)] == [1, 2, None]
    # German alone is in all three.
    assert first.n_shared == 1
    assert first.shared == {"ALEE-F200": 1.0, "ALEE-MT61": 0.9, "ALEE-BQ275": 0.8}
    # Relative to the model's own mean over all MT61 languages, .5.
    assert first.romansh == {"roh_sursilv": pytest.approx(0.2 / 0.5 - 1), "roh_puter": pytest.approx(0.4 / 0.5 - 1)}
    assert partial.average is None
    assert partial.shared == {}


def test_data_of_ones_own_takes_no_part_in_the_ranking():
    assert compare_models([run("ALEE-F200@1a2b3c4d", language("deu_Latn", "deu_Latn", [5] * 4))]) == []


@pytest.mark.shared
def test_ranking_of_the_published_encoders(shared: Path):
    """The order of the paper's Table 5 follows from its own three macro columns."""
    import csv

    with (shared / "reference" / "model_tacc.csv").open() as handle:
        rows = list(csv.DictReader(handle))
    models = list(dict.fromkeys(row["model"] for row in rows))
    runs = []
    for row in rows:
        passed = [round(1000 * float(row[code])) for code in CODES]
        runs.append(run(row["dataset"], language("deu_Latn", "deu_Latn", passed, rows=1000), model=row["model"]))
    found = compare_models(runs)
    averages = {m: np.mean([float(r["macro"]) for r in rows if r["model"] == m]) for m in models}
    assert [row.model for row in found] == sorted(models, key=lambda m: -averages[m])
    assert found[0].average == pytest.approx(averages[found[0].model], abs=0.001)
    assert found[0].model == "multilingual_e5_large_instruct"


def write(folder: Path, result: RunScores) -> Path:
    path = folder / "results" / result.model.replace("/", "__") / "1" / f"{result.task}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    content = {"task_name": result.task, "scores": {"test": [one.scores for one in result.languages]}}
    path.write_text(json.dumps(content))
    (path.parent / "model_meta.json").write_text(json.dumps({"name": result.model, "revision": "1"}))
    return path


def test_results_are_found_wherever_mteb_puts_them(tmp_path: Path):
    for result in three("a/first", 10, 9, 8):
        write(tmp_path, result)
    (tmp_path / "results" / "a__first" / "1" / "STS12.json").write_text('{"task_name": "STS12", "scores": {}}')
    runs = load_runs(tmp_path)
    assert [(r.model, r.revision, r.task) for r in runs] == [
        ("a/first", "1", "ALEE-BQ275"),
        ("a/first", "1", "ALEE-F200"),
        ("a/first", "1", "ALEE-MT61"),
    ]
    assert dataset_score(runs[1].languages) == 0.5


def test_every_format_carries_the_same_numbers(tmp_path: Path):
    for result in three("a/first", 10, 9, 8):
        write(tmp_path, result)
    content = json.loads(render_report(tmp_path, "json", by_language=True))
    assert content["datasets"][2]["macro"]["value"] == pytest.approx(0.5)
    assert content["models"][0]["rank"] == 1
    assert content["languages"][0]["PN"]["value"] == pytest.approx(0.8)
    lines = render_report(tmp_path, "csv", by_language=False).splitlines()
    assert lines[0].startswith("task,model,PN,PN_low,PN_high,RS,")
    assert lines[3].startswith("ALEE-MT61,a/first,0.5,")
    assert "| ALEE-MT61 | a/first | 0.500 [" in render_report(tmp_path, "markdown", by_language=False)
    table = render_report(tmp_path, "table", by_language=False)
    assert re.search(r"Romansh, relative +sursilv +puter\na/first +-60.0% +-20.0%", table)
    assert "-60.0%" in table
    assert max(len(line) for line in table.splitlines() if "|" not in line) <= 130


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text[: len(text) // 2], "not a readable result file"),
        (lambda text: text.replace('"outcomes"', '"other"'), "field 'outcomes' is missing"),
        (lambda text: text.replace('"test"', '"train"'), "field 'test' is missing"),
        (lambda text: text.replace("c" * 40, "d" * 40, 1), "scored on different data (cccccccc, dddddddd)"),
    ],
)
def test_broken_files_are_named(tmp_path: Path, change, message: str):
    path = write(tmp_path, three("a/first", 10, 9, 8)[1])
    path.write_text(change(path.read_text()))
    with pytest.raises(ResultsError) as error:
        load_runs(tmp_path)
    assert str(path) in str(error.value)
    assert message in str(error.value)


def test_nothing_to_report(tmp_path: Path):
    with pytest.raises(ResultsError, match="no ALEE results; make some with"):
        load_runs(tmp_path)
    with pytest.raises(ResultsError, match="no such file or folder"):
        load_runs(tmp_path / "none")
    with pytest.raises(ResultsError, match="unknown format 'xml'; choose one of"):
        render_report(tmp_path, "xml", by_language=False)
