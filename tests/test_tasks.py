import json
from collections.abc import Callable
from pathlib import Path

import mteb
import numpy as np
import pyarrow.parquet
import pytest
from support import ten_rows
from support.encoders import HashEncoder, TableEncoder

from alee_mteb.errors import DataError, EncoderError, LanguageError
from alee_mteb.languages import official_languages
from alee_mteb.outcomes import Outcomes
from alee_mteb.sample import sample_items, sample_languages
from alee_mteb.tasks import TASKS


def evaluate(model, task, folder: Path, **options):
    result = mteb.evaluate(
        model, task, cache=mteb.ResultCache(folder), co2_tracker=False, show_progress_bar=False, **options
    )
    return {scores["hf_subset"]: scores for scores in result.task_results[0].scores["test"]}


@pytest.fixture
def ten(write_csv: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """The ten-row table as other data for ALEE-F200."""
    path = write_csv(ten_rows.wide_rows(), "ten.csv")
    monkeypatch.setenv("ALEE_DATASET", str(path))
    return path


def test_scores_of_the_ten_rows_are_those_worked_out_by_hand(ten: Path, tmp_path: Path):
    task = mteb.get_task("ALEE-F200", languages=["deu"])
    scores = evaluate(TableEncoder(ten_rows.vectors()), task, tmp_path)["deu_Latn"]
    for code, expected in ten_rows.TACC.items():
        found = scores["perturbations"][code]
        assert found["tacc"] == scores[f"tacc_{code}"] == pytest.approx(expected)
        assert found["n"] == ten_rows.COUNTS[code]
        assert found["ties"] == ten_rows.TIES[code]
        assert found["low"] <= expected <= found["high"]
        assert scores["matched"][code] == pytest.approx(ten_rows.MATCHED[code])
    assert scores["main_score"] == scores["macro_tacc"] == pytest.approx(sum(ten_rows.TACC.values()) / 4)
    assert scores["matched"]["macro_tacc"] == pytest.approx(0.7)
    assert scores["matched"]["n"] == 5
    assert scores["perturbations"]["PN"]["margin"] == pytest.approx(ten_rows.PN_MARGIN)
    for code, expected in ten_rows.CONTROL.items():
        assert scores["perturbations"][code]["unrelated_target"] == pytest.approx(expected)
    assert scores["n_sources"] == 9
    assert scores["n_missing_translations"] == 1
    assert scores["left_out"] == []


def test_outcomes_tell_the_same_as_the_figures(ten: Path, tmp_path: Path):
    task = mteb.get_task("ALEE-F200", languages=["deu"])
    scores = evaluate(TableEncoder(ten_rows.vectors()), task, tmp_path)["deu_Latn"]
    outcomes = Outcomes.from_json(scores["outcomes"], "here")
    assert outcomes.valid.sum(axis=1).tolist() == [9, 8, 6, 6]
    assert outcomes.passed.sum(axis=1).tolist() == [7, 5, 3, 4]
    # Rows in numeric order: row 10 is the last, and of PN it fails.
    assert outcomes.passed[0].tolist() == [True, True, True, False, True, True, False, True, True, False]


def test_english_as_a_target_is_perfect_and_costs_nothing(ten: Path, tmp_path: Path):
    task = mteb.get_task("ALEE-F200", hf_subsets=["eng_Latn"])
    encoder = TableEncoder(ten_rows.vectors())
    scores = evaluate(encoder, task, tmp_path)["eng_Latn"]
    # Sources and foils with equal vectors are ties and fail: rows 4 (PN), 1 (HS), 8 (AR).
    assert scores["tacc_RS"] == 1.0
    assert scores["perturbations"]["PN"]["ties"] == 1
    assert len(encoder.seen) == len(
        {text for row in ten_rows.wide_rows() for k, text in row.items() if text and k not in ("id", "deu_Latn")}
    )


def test_each_text_is_encoded_once_whatever_the_number_of_languages(tmp_path: Path):
    encoder = HashEncoder()
    task = mteb.get_task("ALEE-Sample")
    evaluate(encoder, task, tmp_path)
    english = {item["eng_Latn"] for item in sample_items()} | {
        foil for item in sample_items() for foil in item["foils"].values() if foil
    }
    expected = {("eng_Latn", text) for text in english} | {
        (key, item["translations"][key]) for item in sample_items() for key in sample_languages()[1:]
    }
    assert len(encoder.seen) == len(expected)
    assert set(encoder.seen) == expected


def test_scores_do_not_depend_on_which_languages_run_together(tmp_path: Path):
    alone = evaluate(HashEncoder(), mteb.get_task("ALEE-Sample", languages=["jpn"]), tmp_path / "a")
    together = evaluate(HashEncoder(), mteb.get_task("ALEE-Sample"), tmp_path / "b")
    assert alone["jpn_Jpan"] == together["jpn_Jpan"]


def test_a_second_language_is_added_without_scoring_the_first_again(tmp_path: Path):
    evaluate(HashEncoder(), mteb.get_task("ALEE-Sample", languages=["deu", "jpn"]), tmp_path)
    again = HashEncoder()
    scores = evaluate(again, mteb.get_task("ALEE-Sample", languages=["deu", "jpn", "fra"]), tmp_path)
    assert set(scores) == {"deu_Latn", "jpn_Jpan", "fra_Latn"}
    assert {subset for subset, _ in again.seen} == {"eng_Latn", "fra_Latn"}


def test_a_run_killed_between_languages_keeps_the_finished_ones(tmp_path: Path):
    class DiesAtJapanese(HashEncoder):
        def encode(self, inputs, *, hf_subset, **kwargs):
            if hf_subset == "jpn_Jpan":
                raise KeyboardInterrupt
            return super().encode(inputs, hf_subset=hf_subset, **kwargs)

    languages = ["deu", "fra", "jpn", "kor"]
    with pytest.raises(KeyboardInterrupt):
        evaluate(DiesAtJapanese(), mteb.get_task("ALEE-Sample", languages=languages), tmp_path)
    again = HashEncoder()
    scores = evaluate(again, mteb.get_task("ALEE-Sample", languages=languages), tmp_path)
    assert set(scores) == {"deu_Latn", "fra_Latn", "jpn_Jpan", "kor_Hang"}
    assert {subset for subset, _ in again.seen} == {"eng_Latn", "jpn_Jpan", "kor_Hang"}


@pytest.mark.parametrize("name", ["ALEE-F200", "ALEE-MT61", "ALEE-BQ275"])
def test_a_language_token_encoder_sees_the_right_key_for_every_text(
    name: str, write_csv: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    languages = official_languages(name)
    english = next(language.key for language in languages if language.is_english)
    prefix = english.split("_")[0]
    row = {
        "id": "1",
        english: "source",
        f"{prefix}_PolarityNegation_negative": "foil",
        **{language.key: f"text in {language.key}" for language in languages if not language.is_english},
    }
    monkeypatch.setenv("ALEE_DATASET", str(write_csv([row])))
    encoder = HashEncoder()
    scores = evaluate(encoder, mteb.get_task(name), tmp_path / "results")
    assert set(scores) == {language.key for language in languages}
    assert {language.key: scores[language.key]["language"] for language in languages} == {
        language.key: language.code for language in languages
    }
    assert set(encoder.seen) == {(english, "source"), (english, "foil")} | {
        (language.key, f"text in {language.key}") for language in languages if not language.is_english
    }


def test_other_data_is_filed_under_its_own_name_and_never_mixed(
    write_csv: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    rows = ten_rows.wide_rows()
    results = tmp_path / "results"
    names = []
    for content in (rows, rows[1:]):
        monkeypatch.setenv("ALEE_DATASET", str(write_csv(content, f"{len(content)}.csv")))
        task = mteb.get_task("ALEE-MT61", languages=["deu"])
        names.append(task.metadata.name)
        evaluate(TableEncoder(ten_rows.vectors()), task, results)
    assert names[0] != names[1]
    assert all(name.startswith("ALEE-MT61@") and len(name) == len("ALEE-MT61@") + 8 for name in names)
    counts = {}
    for name in names:
        (path,) = results.rglob(f"{name}.json")
        counts[name] = json.loads(path.read_text())["scores"]["test"][0]["perturbations"]["PN"]["n"]
    assert list(counts.values()) == [9, 8]
    monkeypatch.delenv("ALEE_DATASET")
    assert mteb.get_task("ALEE-MT61").metadata.name == "ALEE-MT61"
    assert mteb.get_task(names[0]).metadata.name == names[0]


def test_scores_carry_where_the_data_came_from_and_the_prompt(ten: Path, tmp_path: Path):
    encoder = TableEncoder(ten_rows.vectors())
    encoder.model_prompts = {"query": "query: "}
    encoder.get_prompt_name = lambda task_metadata, prompt_type: prompt_type.value
    scores = evaluate(encoder, mteb.get_task("ALEE-F200", languages=["deu"]), tmp_path)["deu_Latn"]
    settings = scores["settings"]
    assert settings["data"] == str(ten)
    assert settings["task"].endswith("@" + settings["commit"][:8])
    assert settings["prompt"] == "query: "
    assert settings["versions"]["mteb"]


def test_perturbations_without_foils_are_left_out_and_named(
    write_csv: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    rows = [{k: v for k, v in row.items() if k != "eng_RoleSwap_negative"} for row in ten_rows.wide_rows()]
    monkeypatch.setenv("ALEE_DATASET", str(write_csv(rows)))
    scores = evaluate(TableEncoder(ten_rows.vectors()), mteb.get_task("ALEE-F200", languages=["deu"]), tmp_path)
    assert scores["deu_Latn"]["left_out"] == ["RS"]
    assert scores["deu_Latn"]["macro_tacc"] == pytest.approx((7 / 9 + 3 / 6 + 4 / 6) / 3)
    assert scores["deu_Latn"]["matched"] == {"macro_tacc": None, "n": 0}


def test_the_regeneration_control(write_csv: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    rows = [
        {**row, "eng_Regenerated": f"{row['id']} again {name}"}
        for row, name in zip(ten_rows.wide_rows(), "CBAFDCEFCE", strict=True)
    ]
    # In file order 10 2 1 3 4 7 5 6 8 9; row 7 has no translation. Preferred over the regeneration:
    # 10 (B>C) 2 (A>B) 1 (B<A) 3 (F: E<F) 4 (C>D) 5 (F: D<E) 6 (B>F) 8 (F: F>C) 9 (D>E): 6 of 9.
    monkeypatch.setenv("ALEE_DATASET", str(write_csv(rows)))
    table = {
        **ten_rows.vectors(),
        **{row["eng_Regenerated"]: ten_rows.VECTORS[row["eng_Regenerated"][-1]] for row in rows},
    }
    scores = evaluate(TableEncoder(table), mteb.get_task("ALEE-F200", languages=["deu"]), tmp_path)["deu_Latn"]
    assert scores["regeneration"] == {"tacc": pytest.approx(6 / 9), "n": 9}


def test_predictions_are_one_parquet_file_per_language(tmp_path: Path):
    encoder = HashEncoder(name="org/model")
    task = mteb.get_task("ALEE-Sample", languages=["deu"])
    scores = evaluate(encoder, task, tmp_path / "results", prediction_folder=tmp_path / "predictions")["deu_Latn"]
    path = tmp_path / "predictions" / "ALEE-Sample_predictions" / "org__model" / "deu_Latn.parquet"
    table = pyarrow.parquet.read_table(path)
    assert table.num_rows == sum(kind["n"] for kind in scores["perturbations"].values())
    first = table.slice(0, 1).to_pylist()[0]
    item = next(item for item in sample_items() if item["id"] == first["id"])
    source, foil, target = encoder.vectors(
        [item["eng_Latn"], item["foils"]["PolarityNegation"], item["translations"]["deu_Latn"]]
    )
    assert first["similarity_source"] == pytest.approx(
        source @ target / np.linalg.norm(source) / np.linalg.norm(target), abs=1e-6
    )
    assert first["passed"] == (first["similarity_source"] > first["similarity_foil"])
    assert first["similarity_foil"] == pytest.approx(
        foil @ target / np.linalg.norm(foil) / np.linalg.norm(target), abs=1e-6
    )


@pytest.mark.parametrize(
    ("languages", "message"),
    [
        (["deutsch"], "ALEE-Sample: unknown language 'deutsch'"),
        (["dex"], "ALEE-Sample: unknown language 'dex', did you mean 'deu'?"),
        (["swa"], "ALEE-Sample: no subset matches swa; it has 13 languages, list them with `alee tasks ALEE-Sample`"),
    ],
)
def test_language_filters_that_cannot_be_met(languages: list[str], message: str):
    with pytest.raises(LanguageError) as error:
        mteb.get_task("ALEE-Sample", languages=languages)
    assert str(error.value).startswith(message)
    with pytest.raises(LanguageError):  # mteb swallows a ValueError here and then crashes elsewhere
        mteb.get_tasks(tasks=["ALEE-Sample"], languages=languages)


@pytest.mark.parametrize(
    ("options", "subsets"),
    [
        ({"languages": ["deu"]}, ["de_DE"]),
        ({"languages": ["fra"]}, ["fr_CA", "fr_FR"]),
        ({"languages": ["fr_CA", "roh_sursilv"]}, ["fr_CA", "roh_sursilv"]),
        ({"languages": ["srp-Cyrl"]}, ["sr_RS"]),
        ({"languages": ["eng"]}, ["en_EN"]),
        ({"script": ["Deva"]}, ["hi_IN", "mr_IN"]),
        ({"languages": ["zho"], "script": ["Hant"]}, ["zh_TW"]),
        ({"hf_subsets": ["uk_UA"]}, ["uk_UA"]),
    ],
)
def test_language_filters(options: dict, subsets: list[str]):
    assert mteb.get_task("ALEE-MT61", **options).hf_subsets == subsets


def test_a_bad_encoder_is_refused_with_the_text(ten: Path, tmp_path: Path):
    table = ten_rows.vectors() | {"8 target F": (0.0, 0.0)}
    with pytest.raises(
        EncoderError, match=r"^test/table on ALEE-F200@\w{8}, deu_Latn: the vector of this text is zero: '8 target F'$"
    ):
        evaluate(TableEncoder(table), mteb.get_task("ALEE-F200", languages=["deu"]), tmp_path)
    assert not list(tmp_path.rglob("ALEE*.json"))


def test_surface_data_is_refused_under_an_official_name(
    write_csv: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
):
    path = write_csv(ten_rows.wide_rows(), "alee_mt61.csv")
    (path.parent / "manifest.json").write_text('{"engine": "surface"}')
    monkeypatch.setenv("ALEE_DATASET", str(path.parent))
    with pytest.raises(DataError, match="built by the surface engine, which ALEE-MT61 does not accept"):
        mteb.get_task("ALEE-MT61")


def test_published_data_that_lacks_languages_is_scored_without_them(
    write_csv: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    path = write_csv(ten_rows.wide_rows(), "alee_f200.csv")
    monkeypatch.setattr("alee_mteb.tasks.data.OFFICIAL_REPOSITORY", str(path))
    task = mteb.get_task("ALEE-F200", languages=["deu", "ace"])
    assert set(evaluate(TableEncoder(ten_rows.vectors()), task, tmp_path / "results")) == {"deu_Latn"}
    assert "lacks ace_Arab, ace_Latn; left out" in caplog.text
    with pytest.raises(LanguageError, match="has no text for 'ace_Arab'"):
        evaluate(HashEncoder(), mteb.get_task("ALEE-F200", languages=["ace"]), tmp_path / "other")


def test_a_model_trained_further_is_encoded_afresh(tmp_path: Path):
    """The English vectors of an earlier state must not be compared with translations of a later one."""
    encoder = HashEncoder()
    task = mteb.get_task("ALEE-Sample", languages=["deu"])
    task.load_data()  # so that mteb does not unload it between the evaluations
    for _ in range(2):
        mteb.evaluate(encoder, task, cache=None, co2_tracker=False, show_progress_bar=False)
    assert len(encoder.seen) == 2 * len(set(encoder.seen))


def test_a_language_without_any_translation_is_left_out_before_anything_is_encoded(
    write_csv: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    rows = [{**row, "fra_Latn": ""} for row in ten_rows.wide_rows()]
    monkeypatch.setenv("ALEE_DATASET", str(write_csv(rows)))
    scores = evaluate(TableEncoder(ten_rows.vectors()), mteb.get_task("ALEE-F200"), tmp_path / "results")
    assert set(scores) == {"eng_Latn", "deu_Latn"}
    assert "lacks fra_Latn; left out" in caplog.text


def test_data_that_changes_under_a_task_is_refused(
    write_csv: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("ALEE_DATASET", str(write_csv(ten_rows.wide_rows())))
    task = mteb.get_task("ALEE-F200")
    write_csv(ten_rows.wide_rows()[1:])
    with pytest.raises(DataError, match="the data changed after this task was made"):
        task.load_data()


def test_descriptive_statistics_by_hand(ten: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("platformdirs.user_cache_dir", lambda name: str(tmp_path / name))
    task = mteb.get_task("ALEE-F200", hf_subsets=["deu_Latn"])
    statistics = task.calculate_descriptive_statistics()["test"]["hf_subset_descriptive_stats"]["deu_Latn"]
    assert statistics["triplets"] == ten_rows.COUNTS
    assert statistics["num_samples"] == 29
    assert statistics["n_sources"] == 10
    assert statistics["source_tokens"] == {"median": 3.0, "q1": 3.0, "q3": 3.0}  # "8 source F"
    assert statistics["n_missing_translations"] == 1
    assert task.metadata.descriptive_stats is not None
    assert task.calculate_descriptive_statistics() == task.calculate_descriptive_statistics(overwrite_results=True)


def test_metadata_is_filled_in():
    for name, cls in TASKS.items():
        metadata = cls.metadata
        assert metadata.is_filled() or metadata.reference is None, name
        assert metadata.main_score == "macro_tacc"
        assert metadata.license in {"cc-by-sa-4.0", "apache-2.0", "cc-by-4.0"}
        assert "alee" in metadata.bibtex_citation
        assert metadata.prompt == "Represent every detail of this text to avoid matching to hard negatives."


def test_instruction_models_get_the_authors_instruction():
    from mteb.models.abs_encoder import AbsEncoder
    from mteb.types import PromptType

    from alee_mteb.encoding import prompt_in_use

    class Instructed(AbsEncoder):
        instruction_template = "Instruct: {instruction}\nQuery: "

        def encode(self, *args, **kwargs):
            raise AssertionError

    metadata = TASKS["ALEE-F200"].metadata
    expected = "Instruct: Represent every detail of this text to avoid matching to hard negatives.\nQuery: "
    assert Instructed().get_task_instruction(metadata, PromptType.query) == expected
    assert prompt_in_use(Instructed(), metadata) == expected


def test_the_rows_of_a_language_can_be_looked_at():
    task = mteb.get_task("ALEE-Sample", languages=["deu"])
    task.load_data()
    rows = task.dataset["deu_Latn"]["test"]
    assert rows.column_names == ["id", "source", "PolarityNegation", "RoleSwap", "AntonymRepl", "HypernymSub", "target"]
    assert len(rows) == len(sample_items())
