"""The commands as a user types them, with rules in place of models (see `test_build_models` for real ones)."""

import json
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from support.doubles import engine, stages

from alee_mteb.cli.app import main
from builders import engines
from builders.stages import Realisation, Status

ROWS = [
    ("s1", "The boy believes the girl.", "Der Junge glaubt dem Mädchen.", "news"),
    ("s2", "The king visits the old queen.", "", "fiction"),
    ("s3", "", "Leer.", "news"),
    ("s4", "This one is unparsable.", "Nicht lesbar.", ""),
    ("s5", "<p>The dog &amp; the cat sleep</p>", "<p>Hund</p>", "web"),
    ("s6", "🙂" * 30, "🙂", "web"),
    ("s7", "שלום עולם, מה שלומך היום ומה נשמע", "Hallo", "web"),
    ("s8", "word " * 5000, "Wort", "web"),
    ("s9", "Le garçon ne croit pas la fille.", "Nein", "web"),
]


@pytest.fixture(autouse=True)
def rules(monkeypatch):
    """The engine made of rules; returns its stages."""
    made = stages(lambda a, b: Status.REJECTED_ENTAILMENT if "king" in a and "pn" in b else Status.SUCCESS)
    monkeypatch.setitem(engines.ENGINES, "amr", lambda config, progress: engine(made))
    return made


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "corpus.tsv"
    lines = ["\t".join(row) for row in [("id", "eng_Latn", "deu_Latn", "domain"), *ROWS]]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def alee(monkeypatch, capsys):
    """Runs a command line; returns exit code, output and errors."""

    def run(*arguments: object):
        monkeypatch.setattr(sys, "argv", ["alee", *map(str, arguments)])
        with pytest.raises(SystemExit) as caught:
            main()
        captured = capsys.readouterr()
        return caught.value.code, captured.out, captured.err

    return run


class TestBuild:
    def test_a_corpus_becomes_a_folder_of_triplets(self, alee, corpus, tmp_path):
        out = tmp_path / "out"
        code, said, errors = alee("build", "--corpus", corpus, "--seed", 1, "--control", "--out", out)
        assert (code, errors) == (0, "")
        assert "alee_corpus, 8 sources" in said
        assert "  PolarityNegation: 4\n" in said
        assert "  left out, empty source: 1\n" in said
        table = pq.read_table(out / "alee_corpus" / "test-00000-of-00001.parquet")
        assert table.column_names == [
            "id",
            "eng_Latn",
            "eng_PolarityNegation_negative",
            "eng_RoleSwap_negative",
            "eng_AntonymRepl_negative",
            "eng_HypernymSub_negative",
            "eng_Regenerated",
            "deu_Latn",
            "domain",
        ]
        foils = dict(
            zip(*(table.column(name).to_pylist() for name in ("id", "eng_PolarityNegation_negative")), strict=True)
        )
        assert {name: foil is not None for name, foil in foils.items()} == {
            "s1": True,
            "s2": False,
            "s4": False,
            "s5": True,
            "s6": False,
            "s7": False,
            "s8": True,
            "s9": True,
        }
        provenance = pq.read_table(out / "alee_corpus_provenance" / "test-00000-of-00001.parquet")
        assert provenance.num_rows == 8 * 5

    def test_the_manifest_says_what_decides_and_nothing_that_varies(self, alee, corpus, tmp_path):
        out = tmp_path / "out"
        alee("build", "--corpus", corpus, "--seed", 1, "--batch-size", 7, "--license", "cc-by-4.0", "--out", out)
        text = (out / "manifest.json").read_text()
        manifest = json.loads(text)
        assert manifest["corpus"] | {"sha256": "", "sources": ""} == {
            "name": "corpus.tsv",
            "license": "cc-by-4.0",
            "revision": None,
            "sha256": "",
            "sources": "",
            "english": "eng_Latn",
            "languages": ["deu_Latn"],
            "rows": 8,
        }
        assert {name: manifest[name] for name in ("format", "engine", "mode", "seed", "config", "lexicon")} == {
            "format": 1,
            "engine": "amr",
            "mode": "paper",
            "seed": 1,
            "config": "alee_corpus",
            "lexicon": None,
        }
        assert manifest["counts"]["left_out"] == {"empty_source": 1}
        assert manifest["counts"]["statuses"]["PolarityNegation"]["rejected_entailment"] == 1
        assert {name: entry["rows"] for name, entry in manifest["files"].items()} == {
            "alee_corpus/test-00000-of-00001.parquet": 8,
            "alee_corpus_provenance/test-00000-of-00001.parquet": 32,
        }
        assert "batch" not in text
        assert str(tmp_path) not in text

    def test_flags_choose_languages_perturbations_and_name(self, alee, corpus, tmp_path):
        out = tmp_path / "out"
        arguments = ["--perturbations", "RS,pn", "--limit", 2, "--config-name", "mine", "--languages", "deu_Latn"]
        assert alee("build", "--corpus", corpus, *arguments, "--out", out)[0] == 0
        table = pq.read_table(out / "mine" / "test-00000-of-00001.parquet")
        assert (table.num_rows, table.column_names[2:5]) == (
            2,
            ["eng_PolarityNegation_negative", "eng_RoleSwap_negative", "deu_Latn"],
        )

    def test_the_released_way_has_one_candidate(self, alee, corpus, tmp_path, rules):
        rules.editor.n = 1
        alee("build", "--corpus", corpus, "--mode", "released", "--out", tmp_path / "out")
        rows = pq.read_table(tmp_path / "out" / "alee_corpus_provenance").to_pylist()
        assert {row["n_tried"] for row in rows} == {0, 1}
        assert {row["nli_level"] for row in rows if row["n_tried"]} == {"text"}

    def test_load_dataset_knows_both_configurations(self, alee, corpus, tmp_path, monkeypatch):
        monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path / "cache"))
        from datasets import get_dataset_config_names, load_dataset

        out = tmp_path / "out"
        alee("build", "--corpus", corpus, "--out", out)
        assert sorted(get_dataset_config_names(str(out))) == ["alee_corpus", "alee_corpus_provenance"]
        assert load_dataset(str(out), "alee_corpus", split="test", cache_dir=str(tmp_path / "cache")).num_rows == 8

    def test_a_second_time_nothing_is_done(self, alee, corpus, tmp_path, rules):
        alee("build", "--corpus", corpus, "--out", tmp_path / "out")
        n_calls = len(rules.parser.calls)
        code, said, _ = alee("build", "--corpus", corpus, "--out", tmp_path / "out", "--batch-size", 3)
        assert (code, len(rules.parser.calls)) == (0, n_calls)
        assert "this build was there already, 8 sources" in said

    def test_no_foil_at_all_is_said_aloud(self, alee, corpus, tmp_path, rules):
        regenerate = rules.realiser._text
        rules.realiser.realise = lambda inputs: [Realisation(None if i.edit else regenerate(i)) for i in inputs]
        code, _, errors = alee("build", "--corpus", corpus, "--control", "--out", tmp_path / "out")
        assert code == 0
        assert errors == f"alee: no foil came out; `alee stats {tmp_path / 'out'}` tells why\n"

    def test_ctrl_c(self, alee, corpus, tmp_path, rules):
        def interrupt(inputs):
            raise KeyboardInterrupt

        rules.realiser.realise = interrupt
        code, _, errors = alee("build", "--corpus", corpus, "--out", tmp_path / "out")
        assert code == 130
        assert errors.strip().endswith("run the same command again to go on")
        assert errors.count("\n") == 1

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["--seed", 1], "no corpus; name one with --corpus, or a recipe with --recipe"),
            (["--corpus", "nowhere.tsv"], "nowhere.tsv: no such file"),
            (["--recipe", "f2000"], "no recipe 'f2000'"),
            (["--corpus", "CORPUS", "--engine", "magic"], "unknown engine 'magic'; choose from amr"),
            (["--corpus", "CORPUS", "--mode", "quick"], "--mode: input should be 'paper' or 'released', got 'quick'"),
            (["--corpus", "CORPUS", "--perturbations", "PN,NP"], "unknown perturbation 'NP'"),
            (["--corpus", "CORPUS", "--perturbations", ""], "--perturbations: expected a list of PN, RS, AR, HS"),
            (["--corpus", "CORPUS", "--languages", "fra_Latn"], "no language 'fra_Latn'; it has deu_Latn"),
            (["--corpus", "CORPUS", "--english-column", "text"], "no column 'text'; the columns are id, eng_Latn"),
            (["--corpus", "CORPUS", "--limit", 0], "--limit: input should be greater than or equal to 1"),
        ],
    )
    def test_what_is_wrong_is_one_line(self, alee, corpus, tmp_path, arguments, message):
        arguments = [corpus if argument == "CORPUS" else argument for argument in arguments]
        code, _, errors = alee("build", *arguments, "--out", tmp_path / "out")
        assert code == 1
        assert message in errors
        assert errors.startswith("alee: ")
        assert errors.count("\n") == 1

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            ("", "the file is empty"),
            ("id\tdeu_Latn\n1\ta\n", "no English column"),
            (
                "id\teng_Latn\n1\tThe boy believes the girl.\n1\tThe king visits the queen.\n",
                "the id '1' has been used before",
            ),
            ("id\teng_Latn\n1\t \n", "no usable rows; a build needs at least one English text"),
        ],
    )
    def test_a_corpus_that_is_not_in_order(self, alee, tmp_path, content, message):
        path = tmp_path / "bad.tsv"
        path.write_text(content, encoding="utf-8")
        code, _, errors = alee("build", "--corpus", path, "--out", tmp_path / "out")
        assert (code, errors.count("\n")) == (1, 1)
        assert message in errors
        assert not (tmp_path / "out" / "manifest.json").exists()


class TestLooking:
    @pytest.fixture
    def out(self, alee, corpus, tmp_path):
        alee("build", "--corpus", corpus, "--out", tmp_path / "out")
        return tmp_path / "out"

    def test_stats(self, alee, out):
        code, said, _ = alee("stats", out, "--examples", 1)
        assert code == 0
        assert said.startswith("alee_corpus: 8 sources, 19 foils\n")
        assert json.loads(alee("stats", out, "--json")[1])[0]["perturbations"][0]["statuses"]["success"] == 4

    def test_explain(self, alee, out):
        code, said, _ = alee("explain", out, "--id", "s2")
        assert code == 0
        assert "PolarityNegation: rejected_entailment" in said
        assert alee("explain", out, "--id", "s99")[0] == 1

    def test_review(self, alee, out, tmp_path):
        code, said, _ = alee("review", "sample", out, "-n", 8, "--seed", 1, "--out", tmp_path / "anna")
        assert code == 0
        assert said.startswith("8 pairs: ")
        sheet = tmp_path / "anna.csv"
        assert (tmp_path / "anna.html").read_text(encoding="utf-8").count("<article>") == 8
        assert alee("review", "summary", sheet)[0] == 1
        # Every row ends in three empty cells; the texts of this corpus hold no commas there.
        sheet.write_text(sheet.read_text(encoding="utf-8").replace(",,,\n", ",yes,no,\n"), encoding="utf-8")
        code, said, _ = alee("review", "summary", sheet)
        assert code == 0
        assert "100.0%" in said
        assert (
            json.loads(alee("review", "summary", sheet, "--json")[1])["sheets"][0]["shares"]["valid"]["all"]["good"]
            == 8
        )

    def test_publish_dry_run_and_refusal(self, alee, out):
        code, _, errors = alee("publish", out, "--repo", "org/data", "--dry-run")
        assert (code, errors.count("\n")) == (1, 1)
        assert "not known to allow re-hosting" in errors
        code, said, _ = alee("publish", out, "--repo", "org/data", "--dry-run", "--i-have-the-right")
        assert code == 0
        assert "would publish alee_corpus" in said

    def test_publish_refuses_a_folder_that_is_not_what_its_manifest_says(self, alee, out):
        table = out / "alee_corpus" / "test-00000-of-00001.parquet"
        table.write_bytes(table.read_bytes() + b"x")
        code, _, errors = alee("publish", out, "--repo", "org/data", "--dry-run", "--i-have-the-right")
        assert code == 1
        assert "not the file that manifest.json describes" in errors


@pytest.mark.parametrize(
    "command",
    [["build"], ["stats"], ["explain"], ["publish"], ["data"], ["review"], ["review", "sample"], ["review", "summary"]],
)
def test_help_has_examples(alee, command):
    code, said, _ = alee(*command, "--help")
    assert code == 0
    assert "Examples" in said or command == ["review"]


def test_the_command_line_starts_without_the_packages_of_the_builders():
    script = (
        "import sys, alee_mteb.cli.app\n"
        "print([n for n in ('builders', 'penman', 'nltk', 'torch', 'pydantic', 'pyarrow') if n in sys.modules])"
    )
    root = Path(__file__).parents[2]
    found = subprocess.run([sys.executable, "-c", script], cwd=root, capture_output=True, text=True, check=True)
    assert found.stdout == "[]\n"
