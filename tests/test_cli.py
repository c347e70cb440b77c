"""The `alee` command as a user meets it, each case in a process of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from support.ten_rows import wide_rows

from alee_mteb.cli import main

ROOT = Path(__file__).parents[1]
USE = "alee-mteb/use-multilingual-v3"


def spawn(*arguments: str | Path, cwd: Path, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", "from alee_mteb.cli import main; main()", *map(str, arguments)],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1", **(env or {})},
    )


Run = subprocess.CompletedProcess[str]


@pytest.fixture
def alee(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Run]:
    """The command in this process, in a folder of its own; saves importing mteb again for every case."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)

    def run(*arguments: str | Path) -> Run:
        monkeypatch.setattr(sys, "argv", ["alee", *map(str, arguments)])
        with pytest.raises(SystemExit) as stop:
            main()
        captured = capsys.readouterr()
        return Run(arguments, int(stop.value.code or 0), captured.out, captured.err)

    return run


def complaint(run: subprocess.CompletedProcess[str]) -> str:
    """The one line of an error; fails if there is more, or if it went well."""
    assert run.returncode != 0, run.stdout
    lines = run.stderr.strip().splitlines()
    assert len(lines) == 1, run.stderr
    assert lines[0].startswith("alee: ")
    return lines[0].removeprefix("alee: ")


def test_version_and_help(alee: Callable[..., Run], tmp_path: Path):
    assert alee("--version").stdout.startswith("alee-mteb ")
    top = alee("--help").stdout
    for command in ("run", "report", "tasks", "doctor", "demo"):
        assert f"\n  {command}" in top
        shown = alee(command, "--help").stdout
        assert "Examples:\n" in shown
        assert f"alee {command}" in shown


def test_help_and_version_import_nothing_heavy(tmp_path: Path):
    code = (
        "import sys; sys.argv = ['alee', '--help']\n"
        "from alee_mteb.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print([name for name in ('mteb', 'torch', 'numpy', 'datasets', 'builders') if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout.strip().splitlines()[-1] == "[]"


def test_run_and_report(alee: Callable[..., Run], tmp_path: Path):
    run = alee("run", "-m", USE, "-t", "ALEE-Sample", "-l", "deu", "hin", "--prediction-folder", "p")
    assert run.returncode == 0, run.stderr
    assert (tmp_path / "p/ALEE-Sample_predictions/alee-mteb__use-multilingual-v3/hin_Deva.parquet").is_file()
    report = json.loads(alee("report", "results", "-f", "json", "--languages").stdout)
    (score,) = report["datasets"]
    assert score["n_languages"] == 2
    assert score["model"] == USE
    assert {row["language"]: round(row["PN"]["value"], 1) for row in report["languages"]}.keys() == {
        "deu_Latn",
        "hin_Deva",
    }


def test_the_same_command_twice_gives_the_same_scores(tmp_path: Path):
    scores = []
    for name in ("a", "b"):
        assert (
            spawn("run", "-m", USE, "-t", "ALEE-Sample", "-l", "jpn", "--output-folder", name, cwd=tmp_path).returncode
            == 0
        )
        (path,) = (tmp_path / name).rglob("ALEE-Sample.json")
        scores.append(json.dumps(json.loads(path.read_text())["scores"]))
    assert scores[0] == scores[1]


def test_run_on_data_of_ones_own(alee: Callable[..., Run], tmp_path: Path, write_csv: Callable[..., Path]):
    path = write_csv(wide_rows(), "my-triplets/alee_mine.csv")
    run = alee("run", "-m", USE, "--data", path.parent)
    assert run.returncode == 0, run.stderr
    (result,) = (tmp_path / "results").rglob("ALEE-mine@*.json")
    (path.parent / "manifest.json").write_text('{"engine": "surface"}')
    assert alee("run", "-m", USE, "--data", path.parent).returncode == 0
    (surface,) = (tmp_path / "results").rglob("ALEE-S-mine@*.json")
    assert result.stem.split("@")[1] == surface.stem.split("@")[1]


def test_tasks(alee: Callable[..., Run], tmp_path: Path):
    rows = json.loads(alee("tasks", "--json").stdout)
    assert {row["task"]: len(row["languages"]) for row in rows} == {
        "ALEE-F200": 204,
        "ALEE-MT61": 62,
        "ALEE-BQ275": 275,
        "ALEE-Sample": 13,
        "ALEE-S-Sample": 13,
    }
    assert rows[3]["triplets"] == {"PN": 78, "RS": 76, "AR": 80, "HS": 80}
    assert rows[0]["triplets"] is None
    assert "hf download" in rows[0]["note"]
    listing = alee("tasks", "ALEE-MT61").stdout
    assert "roh_vallader  (roh-Latn)" in listing


def test_doctor(alee: Callable[..., Run], tmp_path: Path):
    run = alee("doctor", "--json", "--offline")
    findings = {finding["topic"]: finding for finding in json.loads(run.stdout)}
    assert run.returncode == 0
    assert findings["registration with mteb"]["state"] == "ok"
    assert findings["extra demo"]["state"] == "ok"
    assert findings["published data"]["state"] == "miss"
    assert "ALEE_DATASET=DIR" in findings["published data"]["advice"]


def test_doctor_notices_the_other_salt(tmp_path: Path):
    other = tmp_path / "site" / "salt-3007.dist-info"
    other.mkdir(parents=True)
    (other / "METADATA").write_text("Metadata-Version: 2.1\nName: salt\nVersion: 3007\n")
    (other / "RECORD").write_text("salt/__init__.py,,\n")
    (other / "top_level.txt").write_text("salt\n")
    run = spawn(
        "doctor", "--json", "--offline", cwd=tmp_path, env={"PYTHONPATH": f"{ROOT}{os.pathsep}{tmp_path / 'site'}"}
    )
    findings = {finding["topic"]: finding for finding in json.loads(run.stdout)}
    assert findings["package name salt"]["state"] == "broken"
    assert "salt" in findings["package name salt"]["found"]
    assert run.returncode == 1


def test_the_paper_has_fourteen_encoders_and_mteb_loads_them():
    from mteb.models.model_implementations import MODEL_REGISTRY

    from alee_mteb.cli.run import paper_models

    assert len(set(paper_models())) == 14
    for name in paper_models():
        assert MODEL_REGISTRY[name].loader is not None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "-t", "ALEE-Sample"], "no model: give one with -m NAME, or several with --models"),
        (["run", "-m", USE], "no task: give one with -t (ALEE-Sample, ALEE-F200, …), -b ALEE, or --data"),
        (["run", "-m", USE, "-t", "ALEE-Sampel"], "unknown task 'ALEE-Sampel'; did you mean 'ALEE-Sample'?"),
        (["run", "-m", USE, "-t", "ALEE-Sample", "-l", "xx"], "ALEE-Sample: unknown language 'xx'"),
        (["run", "-m", USE, "-t", "ALEE-Sample", "-l", "swa"], "ALEE-Sample: no subset matches swa"),
        (
            ["run", "-m", USE, "-t", "ALEE-F200", "-l", "deu"],
            "Andrianos/alee_datasets (alee_f200): the Hugging Face Hub cannot be reached",
        ),
        (["run", "-m", USE, "-t", "ALEE-F200", "--data", "none.csv"], "none.csv: no such file or folder"),
        (["run", "-m", USE, "--models", "paper", "-t", "ALEE-Sample"], "give either -m or --models, not both"),
        (["run", "-m", USE, "-t", "ALEE-Sample", "--data-revision", "x"], "--data-revision goes with --data"),
        (["run", "-m", USE, "-b", "ALEE", "--data", "none.csv"], "give either --data or -b, not both"),
        (["run", "-m", USE, "-t", "STS12", "--data", "none.csv"], "STS12 does not take other data"),
        (["run", "-m", "org/none", "-t", "ALEE-Sample"], "org/none: the model cannot be loaded"),
        (
            ["run", "-m", USE, "-t", "ALEE-Sample", "--output-folder", "file/x"],
            "file/x: results cannot be written there",
        ),
        (["report", "none"], "none: no such file or folder"),
        (["tasks", "ALEE-F20"], "unknown task 'ALEE-F20'; did you mean 'ALEE-F200'?"),
    ],
)
def test_bad_input_is_one_clear_line_and_writes_nothing(
    alee: Callable[..., Run], tmp_path: Path, arguments: list[str], message: str
):
    (tmp_path / "file").write_text("")
    assert complaint(alee(*arguments)).startswith(message)
    assert not list(tmp_path.rglob("*.json"))


def test_without_a_network_the_process_itself_prints_one_line(tmp_path: Path):
    run = spawn("run", "-m", USE, "-t", "ALEE-F200", "-l", "deu", cwd=tmp_path)
    assert complaint(run).startswith("Andrianos/alee_datasets (alee_f200): the Hugging Face Hub cannot be reached")


def test_under_mteb_run_our_message_is_the_last_line(tmp_path: Path):
    code = "import alee_mteb, sys; sys.argv = ['mteb', *sys.argv[1:]]; from mteb.cli import main; main()"
    arguments = ["run", "-m", USE, "-t", "ALEE-Sample", "-l", "swa"]
    run = subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=tmp_path, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert run.returncode == 1
    assert (
        run.stderr.strip()
        .splitlines()[-1]
        .startswith("alee_mteb.errors.LanguageError: ALEE-Sample: no subset matches swa")
    )


@pytest.mark.shared
def test_wmt24_text_in_the_authors_layout_scores_as_mt61(
    alee: Callable[..., Run], tmp_path: Path, shared: Path, monkeypatch: pytest.MonkeyPatch
):
    """A folder as the authors publish it: real segments and translations, a few hand-made foils."""
    import pyarrow as pa
    import pyarrow.parquet

    rows = [json.loads(line) for line in (shared / "data" / "wmt24_multiparallel.jsonl").open(encoding="utf-8")][:40]
    foils = {row["segment_id"]: f"It is not the case: {row['eng_Latn']}" for row in rows[::4]}
    table = pa.table(
        {
            "domain": [row["domain"] for row in rows],
            "document_id": [row["document_id"] for row in rows],
            "segment_id": [row["segment_id"] for row in rows],
            "is_bad_source": [False] * len(rows),
            "en_EN": [row["eng_Latn"] for row in rows],
            "en_PolarityNegation_negative": [foils.get(row["segment_id"]) for row in rows],
            "de_DE": [row["deu_Latn"] for row in rows],
            "roh_sursilv": [row.get("roh_Latn_sursilv") or row.get("roh_sursilv") or "buc translatà" for row in rows],
        }
    )
    (tmp_path / "data" / "alee_mt61").mkdir(parents=True)
    pyarrow.parquet.write_table(table, tmp_path / "data" / "alee_mt61" / "test-00000-of-00001.parquet")
    monkeypatch.setenv("ALEE_DATASET", str(tmp_path / "data"))
    run = alee("run", "-m", USE, "-t", "ALEE-MT61", "-l", "deu")
    assert run.returncode == 0, run.stderr
    (path,) = (tmp_path / "results").rglob("ALEE-MT61@*.json")
    (scores,) = json.loads(path.read_text())["scores"]["test"]
    assert scores["hf_subset"] == "de_DE"
    assert scores["perturbations"]["PN"]["n"] == 10
    assert scores["left_out"] == ["RS", "AR", "HS"]


def test_doctor_tells_which_part_of_the_published_data_is_cached(tmp_path: Path) -> None:
    from alee_mteb.cli.doctor import MISS, OK, _cached_part

    folder = tmp_path / "0123456789abcdef"
    for name in ("alee_f200", "alee_mt61"):
        (folder / name).mkdir(parents=True)
        (folder / name / "test-00000-of-00001.parquet").touch()
    found = _cached_part(folder)
    assert (found.state, found.found) == (MISS, "alee_f200, alee_mt61 cached (commit 01234567), not alee_bq275")
    (folder / "alee_bq275.parquet").touch()
    assert _cached_part(folder).state == OK
