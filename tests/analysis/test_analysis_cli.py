"""`alee analyse` and `alee pick` as a user meets them."""

import csv
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from support.analysis_results import write_results

from alee_mteb.cli import main

Run = CompletedProcess[str]


@pytest.fixture
def alee(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Run]:
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str | Path) -> Run:
        monkeypatch.setattr(sys, "argv", ["alee", *map(str, arguments)])
        with pytest.raises(SystemExit) as stop:
            main()
        captured = capsys.readouterr()
        return Run(arguments, int(stop.value.code or 0), captured.out, captured.err)

    return run


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """The folder `results`, where it is looked for by default."""
    for model, rate in (("a/one", 0.8), ("b/two", 0.6)):
        write_results(
            tmp_path / "results",
            model,
            "ALEE-MT61",
            {"de_DE": rate, "fr_FR": rate, "roh_sursilv": rate - 0.2, "roh_puter": rate - 0.2, "sw_KE": rate - 0.1},
        )
    return tmp_path / "results"


def complaint(run: Run) -> str:
    assert run.returncode == 1, run.stdout
    (line,) = run.stderr.strip().splitlines()
    return line.removeprefix("alee: ")


def test_published_figures_need_no_results(alee: Callable[..., Run]):
    rows = list(csv.DictReader(io.StringIO(alee("analyse", "lengths", "--published", "--csv").stdout)))
    assert len(rows) == 14 * 5
    assert rows[0] == {
        "dataset": "ALEE-MT61",
        "model": "sentence_transformers_LaBSE",
        "bin": "<115",
        "macro_tacc": "0.958789",
    }
    content = json.loads(alee("analyse", "cc100", "--published", "--json").stdout)
    assert content["published"] is True
    assert content["summary"][0] == {"dataset": "ALEE-F200", "spearman": 0.765872, "languages": 102}
    text = alee("analyse", "models", "--published").stdout
    assert "Macro-TACC of models (published figures)" in text
    assert "2 more rows: --csv, --json or -o FOLDER" in text


def test_everything_into_a_folder(alee: Callable[..., Run], results: Path, tmp_path: Path):
    run = alee("analyse", "all", "-o", "out", "--theme", "dark")
    assert run.returncode == 0, run.stderr
    written = {path.name for path in (tmp_path / "out").iterdir()}
    assert written == {Path(line).name for line in run.stdout.splitlines()}
    kinds = ["perturbations", "lengths", "cc100", "tiers", "training", "subtokens", "case", "models", "languages"]
    for kind in kinds:
        assert {f"{kind}.csv", f"{kind}.json", f"{kind}-dark.svg"} <= written
    again = alee("analyse", "case", results, "-l", "roh_puter,French", "-o", "again", "-f", "png", "--theme", "both")
    assert again.returncode == 0
    assert (tmp_path / "again" / "case-light.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "again" / "case-dark.png").exists()
    assert [row["language"] for row in csv.DictReader((tmp_path / "again" / "case.csv").open())] == [
        "roh_puter",
        "fr_FR",
    ] * 2


def test_what_the_results_do_not_allow_is_named(alee: Callable[..., Run], tmp_path: Path):
    write_results(tmp_path / "results", "a/one", "ALEE-F200", {"deu_Latn": 0.8, "shn_Mymr": 0.5})
    run = alee("analyse", "all", "-o", "out")
    assert run.returncode == 0
    assert "left out: case: none of roh_rumgr, " in run.stderr
    assert (tmp_path / "out" / "models.csv").exists()


def test_comparing_two_models(alee: Callable[..., Run], results: Path):
    content = json.loads(alee("analyse", "compare", "one", "b/two", "--json").stdout)
    assert content["title"] == "one against two"
    assert {row["language"] for row in content["rows"]} == {
        "all languages",
        "de_DE",
        "fr_FR",
        "roh_sursilv",
        "roh_puter",
        "sw_KE",
    }
    together = next(row for row in content["rows"] if row["perturbation"] == "macro")
    assert together["difference"] == pytest.approx(together["left"] - together["right"], abs=1e-5)
    assert together["significant"] == "yes"
    assert any("corrected by Holm" in note for note in content["notes"])
    by_place = json.loads(
        alee("analyse", "compare", results / "a__one", results / "b__two", "--json", "--correction", "bh").stdout
    )
    assert [row["p"] for row in by_place["rows"]] == [row["p"] for row in content["rows"]]
    assert any("Benjamini" in note for note in by_place["notes"])


def test_picking(alee: Callable[..., Run], results: Path):
    content = json.loads(alee("pick", "--languages", "roh_sursilv", "German", "--json").stdout)
    assert content["languages"] == ["roh_sursilv", "German"]
    assert [one["model"] for one in content["candidates"]] == ["one", "two"]
    text = alee("pick", "results", "-l", "roh_sursilv,Japanese").stdout
    assert text.startswith("roh_sursilv: one (macro-TACC 0.")
    assert "missing: no results for Japanese" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(("analyse", "models", "none"), "none: no such file or folder", id="no such folder"),
        pytest.param(("analyse", "models", "notes.txt"), "notes.txt: not a result file; expected", id="another file"),
        pytest.param(("analyse", "models", "--theme", "blue"), "unknown theme 'blue'; choose one of light", id="theme"),
        pytest.param(("analyse", "models", "-f", "pdf"), "unknown format 'pdf'; choose one of svg, png", id="format"),
        pytest.param(("analyse", "models", "--json", "--csv"), "--json and --csv exclude each", id="json and csv"),
        pytest.param(("analyse", "models", "results", "--published"), "--published and results exclude", id="both"),
        pytest.param(("analyse", "all"), "`all` writes files only: name a folder with -o", id="all without folder"),
        pytest.param(
            ("analyse", "case", "-l", "roh_sursilvan"),
            "unknown language 'roh_sursilvan'; did you mean 'roh_sursilv'",
            id="unknown language",
        ),
        pytest.param(
            ("analyse", "compare", "one", "tow"), "no results of a model 'tow'; did you mean 'two'?", id="unknown model"
        ),
        pytest.param(("analyse", "compare", "one", "a/one"), "are the same results; name two models", id="same model"),
        pytest.param(
            ("analyse", "compare", "results", "one"), "results: holds 2 models (one, two); name one", id="two models"
        ),
        pytest.param(
            ("analyse", "compare", "one", "two", "--correction", "sidak"), "unknown correction 'sidak'", id="correction"
        ),
        pytest.param(("analyse", "subtokens", "--data", "x"), "--data is for counting subtokens", id="data alone"),
        pytest.param(
            ("analyse", "training", "--training-data", "none.csv"), "none.csv: no such file", id="no training data"
        ),
        pytest.param(("pick",), "no languages asked for; name some", id="no languages"),
        pytest.param(("pick", "-l", "Klingonisch"), "unknown language 'Klingonisch'", id="pick unknown language"),
        pytest.param(("pick", "-l", "jpn_Jpan"), "no results for jpn_Jpan; score some with", id="pick no results"),
    ],
)
def test_a_mistake_is_one_line(alee: Callable[..., Run], results: Path, arguments: tuple[str, ...], message: str):
    Path("notes.txt").write_text("no results")
    assert message in complaint(alee(*arguments))


def test_results_without_outcomes_and_no_results_at_all(alee: Callable[..., Run], tmp_path: Path):
    assert "no results folder here; name one, or take the paper's figures with --published" in complaint(
        alee("analyse", "models")
    )
    assert "no results folder here" in complaint(alee("pick", "-l", "deu"))
    path = write_results(tmp_path / "results", "a/one", "ALEE-F200", {"deu_Latn": 0.8})
    content = json.loads(path.read_text())
    del content["scores"]["test"][0]["outcomes"]
    path.write_text(json.dumps(content))
    assert "field 'outcomes' is missing" in complaint(alee("analyse", "models"))


def test_help_has_examples_and_does_not_load_matplotlib(alee: Callable[..., Run]):
    import subprocess

    assert "alee analyse all results -o figures --theme both" in alee("analyse", "-h").stdout
    code = (
        "import sys, alee_mteb.cli.app, alee_mteb.analysis.kinds; "
        "print('matplotlib' in sys.modules, 'mteb' in sys.modules)"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd="/")
    assert loaded.stdout.split() == ["False", "False"]
