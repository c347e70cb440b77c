"""Analyses of result files and per-triplet files, with values worked out by hand."""

from pathlib import Path

import numpy as np
import pytest
from support.analysis_results import drawn_outcomes, write_per_triplet, write_results

from alee_mteb.analysis import (
    case_study,
    cc100,
    inputs,
    language_tables,
    lengths,
    model_pairs,
    model_tables,
    perturbations,
    subtokens,
    training_data,
    web_tiers,
)
from alee_mteb.analysis.tokenizer import count_subtokens, load_tokenizer
from alee_mteb.analysis.training_file import load_amounts
from alee_mteb.errors import DataError, LanguageError, ModelError, ResultsError
from alee_mteb.outcomes import Outcomes


def passing(*counts: int, rows: int = 30) -> Outcomes:
    """The first so many of all rows are passed, per perturbation."""
    bits = np.zeros((4, rows), dtype=bool)
    for kind, count in enumerate(counts * (4 // len(counts))):
        bits[kind, :count] = True
    return Outcomes("rows", np.ones((4, rows), dtype=bool), bits)


def test_models_are_averaged_over_the_languages_that_all_have(tmp_path: Path):
    write_results(
        tmp_path, "a/one", "ALEE-F200", {"deu_Latn": passing(30), "xho_Latn": passing(15), "eng_Latn": passing(0)}
    )
    write_results(tmp_path, "b/two", "ALEE-F200", {"deu_Latn": passing(24), "zul_Latn": passing(3)})
    found = cc100.from_runs(inputs.load([tmp_path]))
    assert [(row["language"], row["tacc"]) for row in found.rows] == [("deu_Latn", pytest.approx(0.9))]
    assert found.rows[0]["million_tokens"] == 10297
    assert found.rows[0]["log10_million_tokens"] == pytest.approx(4.0127, abs=1e-4)
    assert found.summary == [{"dataset": "ALEE-F200", "spearman": None, "languages": 1}]
    assert "ALEE-F200: 3 languages that not all models have were left out of the means" in found.notes
    tiers = web_tiers.from_runs(inputs.load([tmp_path]))
    assert [(row["tier"], row["mean"]) for row in tiers.summary] == [("2-50", pytest.approx(0.9))]


def test_a_perfect_order_of_languages_correlates_perfectly(tmp_path: Path):
    # CC-100: German 10297, Afrikaans 242, Xhosa 13. mGTE has no Xhosa.
    write_results(
        tmp_path,
        "a/one",
        "ALEE-F200",
        {"deu_Latn": passing(30), "afr_Latn": passing(20), "xho_Latn": passing(10), "fra_Latn": passing(25)},
    )
    runs = inputs.load([tmp_path])
    assert cc100.from_runs(runs).summary[0]["spearman"] == pytest.approx(1.0)
    medians = {("ALEE-F200", key): n for key, n in {"deu_Latn": 9, "afr_Latn": 20, "fra_Latn": 10}.items()}
    found = subtokens.from_runs(runs, medians)
    assert found.summary[0]["spearman"] == pytest.approx(-1.0)
    assert found.notes == ("no count of subtokens, left out: xho_Latn",)
    # Pre-training: fra 136785, deu 18097, afr 1489 against .83, 1, .67: ρ = ½. Contrastive: only two.
    stages = {row["stage"]: row for row in training_data.from_runs(runs).summary}
    assert stages["pretraining"]["spearman"] == pytest.approx(0.5)
    assert stages["pretraining"]["languages"] == 3
    assert (stages["contrastive"]["spearman"], stages["contrastive"]["languages"]) == (None, 2)


def test_training_data_of_ones_own(tmp_path: Path):
    write_results(tmp_path, "a/one", "ALEE-MT61", {"de_DE": passing(30), "fr_FR": passing(20), "fr_CA": passing(10)})
    table = tmp_path / "data.csv"
    table.write_text("language,pretraining,contrastive\ndeu,100,1\nfra_Latn,10,\nfr_CA,1,0\n")
    found = training_data.from_runs(inputs.load([tmp_path]), load_amounts(table))
    assert [(row["stage"], row["language"], row["amount"]) for row in found.rows] == [
        ("pretraining", "de_DE", 100.0),
        ("contrastive", "de_DE", 1.0),
        ("pretraining", "fr_FR", 10.0),
        ("pretraining", "fr_CA", 1.0),
    ]
    assert found.summary[0]["spearman"] == pytest.approx(1.0)
    table.write_text("language,pretraining,contrastive\ndeu,many,1\n")
    with pytest.raises(DataError, match="row 1: 'many' is not an amount of data"):
        load_amounts(table)
    table.write_text("language,pretraining\ndeu,1\n")
    with pytest.raises(DataError, match="no column 'contrastive'"):
        load_amounts(table)


def test_lengths_and_levels_by_hand(tmp_path: Path):
    # Thirds of 30 rows are the bins; 21 passed in order: 10 of 10, 10 of 10, 1 of 10.
    write_results(tmp_path, "a/one", "ALEE-MT61", {"de_DE": passing(21), "fr_FR": passing(21)})
    write_results(tmp_path, "a/one", "ALEE-BQ275", {"deu_Latn": passing(24)}, levels=True)
    found = lengths.from_runs(inputs.load([tmp_path]))
    assert [(row["dataset"], row["bin"], row["macro_tacc"]) for row in found.rows] == [
        ("ALEE-MT61", "<115", 1.0),
        ("ALEE-MT61", "115-314", 1.0),
        ("ALEE-MT61", ">=315", pytest.approx(0.1)),
        ("ALEE-BQ275", "sentence_level", 1.0),
        ("ALEE-BQ275", "paragraph_level", pytest.approx(0.4)),
    ]
    assert [row["relative_drop"] for row in found.summary] == [0, pytest.approx(0.9), pytest.approx(0.6)]


def test_the_case_study_ranks_on_chosen_languages(tmp_path: Path):
    chosen = {"roh_sursilv": passing(15), "roh_puter": passing(9), "de_DE": passing(30)}
    write_results(tmp_path, "a/one", "ALEE-MT61", chosen)
    write_results(
        tmp_path, "b/two", "ALEE-MT61", {"roh_sursilv": passing(18), "roh_puter": passing(12), "de_DE": passing(6)}
    )
    found = case_study.from_runs(inputs.load([tmp_path]), ["roh_sursilv", "roh_puter"])
    assert [(row["model"], row["rank"], row["rank_all_languages"]) for row in found.summary] == [
        ("two", 1, 2),
        ("one", 2, 1),
    ]
    # .4 on the two, .6 on all three.
    assert found.summary[1]["relative"] == pytest.approx(0.4 / 0.6 - 1)
    # A language by its English name means all of its keys.
    named = case_study.from_runs(inputs.load([tmp_path]), ["Romansh", "German"])
    assert {row["language"] for row in named.rows} == set(chosen)
    with pytest.raises(LanguageError, match="unknown language 'roh_surselv'; did you mean 'roh_sursilv'"):
        case_study.from_runs(inputs.load([tmp_path]), ["roh_surselv"])
    with pytest.raises(LanguageError, match="none of Japanese is in these results"):
        case_study.from_runs(inputs.load([tmp_path]), ["Japanese"])


def test_tables_hold_every_model_and_language(tmp_path: Path):
    write_results(tmp_path, "a/one", "ALEE-F200", {"deu_Latn": passing(30, 15, 15, 0)})
    write_results(tmp_path, "b/two", "ALEE-F200", {"deu_Latn": passing(24)})
    write_results(tmp_path, "b/two", "ALEE-MT61", {"de_DE": passing(12)})
    runs = inputs.load([tmp_path])
    models = model_tables.from_runs(runs)
    assert [(row["dataset"], row["model"], row["macro"], row["rank"]) for row in models.rows] == [
        ("ALEE-F200", "two", 0.8, 1),
        ("ALEE-F200", "one", 0.5, 2),
        ("ALEE-MT61", "two", pytest.approx(0.4), 1),
    ]
    assert [(row["model"], row["average"], row["rank"]) for row in models.summary] == [
        ("two", pytest.approx(0.6), 1),
        ("one", None, None),
    ]
    assert [row["PN"] for row in language_tables.from_runs(runs).rows] == [1.0, 0.8, 0.4]
    bars = perturbations.from_runs(runs)
    assert {row["perturbation"]: row["tacc"] for row in bars.rows if row["model"] == "one"} == {
        "PN": 1.0,
        "RS": 0.5,
        "AR": 0.5,
        "HS": 0.0,
    }
    assert bars.summary[0]["PN"] == pytest.approx(0.9)


def test_per_triplet_files_say_the_same_as_result_files(tmp_path: Path):
    outcomes = {key: drawn_outcomes("a/one", "ALEE-F200", key, 0.7) for key in ("deu_Latn", "fra_Latn")}
    other = {key: drawn_outcomes("b/two", "ALEE-F200", key, 0.5) for key in ("deu_Latn", "fra_Latn")}
    write_results(tmp_path / "results", "a/one", "ALEE-F200", outcomes)
    write_results(tmp_path / "results", "b/two", "ALEE-F200", other)
    for model, found in (("a/one", outcomes), ("b/two", other)):
        write_per_triplet(tmp_path / "predictions", model, "ALEE-F200", found)
    one = inputs.load([tmp_path / "results"])
    two = inputs.load([tmp_path / "predictions"])
    assert [row["macro"] for row in language_tables.from_runs(one).rows] == [
        row["macro"] for row in language_tables.from_runs(two).rows
    ]
    left, right = (model_pairs.from_runs([runs[0]], [runs[1]]) for runs in (one, two))
    assert [row["p"] for row in left.rows] == pytest.approx([row["p"] for row in right.rows])
    # Intervals are drawn over rows; the files lack those without a triplet, if any.
    assert [row["difference"] for row in left.rows] == pytest.approx([row["difference"] for row in right.rows])
    with pytest.raises(ResultsError, match="nothing here says how long the texts are"):
        lengths.from_runs(two)


def test_two_encoders_on_the_sample_agree_with_a_bootstrap_of_pairs(tmp_path: Path):
    """Sources drawn with replacement by another generator, differences of paired outcomes, percentiles by sorting."""
    import random

    keys = ("deu_Latn", "jpn_Jpan", "swh_Latn")
    first = {key: drawn_outcomes("a/one", "ALEE-Sample", key, 0.75) for key in keys}
    second = {key: drawn_outcomes("b/two", "ALEE-Sample", key, 0.65) for key in keys}
    write_results(tmp_path, "a/one", "ALEE-Sample", first)
    write_results(tmp_path, "b/two", "ALEE-Sample", second)
    runs = inputs.load([tmp_path])
    found = {(row["language"], row["perturbation"]): row for row in model_pairs.from_runs([runs[0]], [runs[1]]).rows}
    generator = random.Random(42)
    n_rows = first["deu_Latn"].valid.shape[1]
    samples = {name: [] for name in found}
    for _ in range(3000):
        draw = [generator.randrange(n_rows) for _ in range(n_rows)]
        shares = {}
        for key in keys:
            for kind, code in enumerate(("PN", "RS", "AR", "HS")):
                rows = [row for row in draw if first[key].valid[kind, row]]
                wins = sum(int(first[key].passed[kind, r]) - int(second[key].passed[kind, r]) for r in rows)
                shares[key, code] = wins / len(rows)
            shares[key, "macro"] = sum(shares[key, code] for code in ("PN", "RS", "AR", "HS")) / 4
        for code in ("PN", "RS", "AR", "HS", "macro"):
            shares[model_pairs.ALL, code] = sum(shares[key, code] for key in keys) / 3
        for name, value in shares.items():
            samples[name].append(value)
    assert len(samples) == 20
    for name, values in samples.items():
        values.sort()
        assert found[name]["low"] == pytest.approx(values[75], abs=0.025), name
        assert found[name]["high"] == pytest.approx(values[2925], abs=0.025), name


def test_broken_per_triplet_files_are_named(tmp_path: Path):
    import pyarrow as pa
    import pyarrow.parquet

    (path,) = write_per_triplet(tmp_path, "a/one", "ALEE-F200", {"deu_Latn": passing(5)})
    table = pa.parquet.read_table(path)
    pa.parquet.write_table(pa.concat_tables([table, table]), path)
    with pytest.raises(ResultsError, match=r"deu_Latn.parquet: the triplet 0, PN is there twice"):
        inputs.load([path])
    pa.parquet.write_table(table.drop_columns(["passed"]), path)
    with pytest.raises(ResultsError, match="not a per-triplet file of this package"):
        inputs.load([path])


def test_models_on_different_data_are_not_put_together(tmp_path: Path):
    write_results(tmp_path, "a/one", "ALEE-F200", {"deu_Latn": passing(5)})
    write_results(tmp_path, "b/two", "ALEE-F200", {"deu_Latn": passing(5)}, commit="d" * 40)
    with pytest.raises(ResultsError, match=r"was scored on other data than in .* \(dddddddd, cccccccc\); analyse them"):
        inputs.load([tmp_path])


def test_names_are_short_where_that_is_clear(tmp_path: Path):
    for model, revision in (("a/one", "r1"), ("a/one", "r2"), ("b/two", "r1"), ("c/two", "r1"), ("d/three", "r1")):
        write_results(tmp_path, model, "ALEE-F200", {"deu_Latn": passing(5)}, revision=revision)
    assert [run.model for run in inputs.load([tmp_path, tmp_path])] == ["one@r1", "one@r2", "b/two", "c/two", "three"]


def test_no_language_in_common_is_said(tmp_path: Path):
    write_results(tmp_path, "a/one", "ALEE-F200", {"deu_Latn": passing(5)})
    write_results(tmp_path, "b/two", "ALEE-F200", {"fra_Latn": passing(5)})
    runs = inputs.load([tmp_path])
    with pytest.raises(ResultsError, match="its 2 models share no language but English"):
        cc100.from_runs(runs)
    with pytest.raises(ResultsError, match="share no language; one has deu_Latn, the other fra_Latn"):
        model_pairs.from_runs([runs[0]], [runs[1]])


def test_subtokens_are_counted_over_the_texts_of_a_language(tmp_path: Path):
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace

    from alee_mteb.sample import sample_items, sample_table
    from alee_mteb.tables import TableReader
    from alee_mteb.triplets import load_triplets

    tokenizer = Tokenizer(WordLevel({"[UNK]": 0}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    table = load_triplets(TableReader.of(sample_table()), "ALEE-Sample", "here")
    found = count_subtokens(table, "ALEE-Sample", ["deu_Latn"], load_tokenizer(str(tmp_path)))
    import re
    from statistics import median

    texts = [item["translations"]["deu_Latn"] for item in sample_items() if any(item["foils"].values())]
    words = [len(re.findall(r"\w+|[^\w\s]+", text)) for text in texts if text]
    assert found == {("ALEE-Sample", "deu_Latn"): median(words)}
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(ModelError, match=r"tokenizer.json: not a tokenizer"):
        load_tokenizer(str(tmp_path / "tokenizer.json"))
