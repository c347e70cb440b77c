"""The built wheel in new virtual environments, on the newest and the oldest mteb we support.

The environments borrow the heavy dependencies of the one that runs the tests through a path file; our package, its
`.pth` and mteb itself are installed in them.
"""

import json
import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
OLDEST_MTEB = "2.15.0"


def call(*command: str | Path, cwd: Path, check: bool = True, **env: str) -> subprocess.CompletedProcess[str]:
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("ALEE_", "PYTHON"))}
    run = subprocess.run(
        [str(part) for part in command], cwd=cwd, capture_output=True, text=True, env={**clean, **env}, check=False
    )
    if check:
        assert run.returncode == 0, run.stdout + run.stderr
    return run


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    call(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", out, ROOT, cwd=out)
    (path,) = out.glob("alee_mteb-*.whl")
    return path


@pytest.fixture(scope="session", params=["newest", OLDEST_MTEB])
def installed(request: pytest.FixtureRequest, wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bin folder of an environment with the wheel in it."""
    folder = tmp_path_factory.mktemp("env")
    venv.create(folder, with_pip=False)
    site = next(folder.glob("lib/python*/site-packages"))
    packages = [wheel] if request.param == "newest" else [wheel, f"mteb=={request.param}"]
    call(sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", site, *packages, cwd=folder)
    # Only a path is added, so that the `.pth` files of the environment running the tests stay out.
    (site / "zz_dependencies.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    for name, module in (("mteb", "mteb.cli"), ("alee", "alee_mteb.cli")):
        # What an installer makes of the packages' entry points.
        script = folder / "bin" / name
        script.write_text(f"#!{folder}/bin/python\nfrom {module} import main\nmain()\n")
        script.chmod(0o755)
    return folder / "bin"


def test_the_wheel_carries_the_start_up_file_and_data(wheel: Path):
    import zipfile

    names = zipfile.ZipFile(wheel).namelist()
    assert "alee_mteb.pth" in names
    for name in ("sample.yaml", "languages.csv", "models.csv", "SAMPLE_CARD.md"):
        assert f"alee_mteb/data/{name}" in names
    assert not [name for name in names if name.startswith(("tests/", "benchmarks/"))]


def test_mteb_run_in_a_new_environment(installed: Path, tmp_path: Path):
    model = ("-m", "alee-mteb/multilingual-e5-small-q4", "-t", "ALEE-Sample")
    call(installed / "mteb", "run", *model, "-l", "deu", "jpn", cwd=tmp_path)
    (path,) = tmp_path.glob("results/**/ALEE-Sample.json")
    first = json.loads(path.read_text())
    subsets = [scores["hf_subset"] for scores in first["scores"]["test"]]
    assert subsets == ["deu_Latn", "jpn_Jpan"]
    call(installed / "python", "-m", "mteb", "run", *model, "-l", "fra", cwd=tmp_path)
    second = json.loads(path.read_text())
    assert [scores["hf_subset"] for scores in second["scores"]["test"]] == [*subsets, "fra_Latn"]
    assert second["scores"]["test"][:2] == first["scores"]["test"]
    # mteb's command finds the task and the benchmark by name; the card it writes holds no scores, of any task.
    card = ("create-model-results", "--model-name", model[1], "--results-folder", "results", "--overwrite")
    for what in (("--tasks", "ALEE-Sample"), ("--benchmarks", "ALEE")):
        call(installed / "mteb", *card, *what, cwd=tmp_path)
        assert "mteb" in (tmp_path / "model_card.md").read_text()


def test_other_commands_in_a_new_environment(installed: Path, tmp_path: Path):
    shown = call(installed / "mteb", "available-benchmarks", "-b", "ALEE", cwd=tmp_path).stdout
    assert "ALEE-F200" in shown
    assert "275 / 275 Subsets" in shown
    code = (
        "import multiprocessing as m\n"
        "def name(task):\n    import mteb\n    return mteb.get_task(task).metadata.name\n"
        "if __name__ == '__main__':\n"
        "    with m.get_context('spawn').Pool(1) as pool:\n"
        "        print(pool.map(name, ['ALEE-Sample', 'ALEE-MT61']))\n"
    )
    (tmp_path / "spawn.py").write_text(code)
    assert call(installed / "python", "spawn.py", cwd=tmp_path).stdout.strip() == "['ALEE-Sample', 'ALEE-MT61']"
    assert call(installed / "alee", "--version", cwd=tmp_path).stdout.startswith("alee-mteb ")
    off = call(
        installed / "python",
        "-c",
        "import mteb; mteb.get_task('ALEE-Sample')",
        cwd=tmp_path,
        check=False,
        ALEE_MTEB_AUTOLOAD="0",
    )
    assert off.returncode == 1
    assert "not found" in off.stderr


def test_a_plain_sentence_transformer_object(installed: Path, tmp_path: Path):
    code = """
import mteb, torch
from sentence_transformers import SentenceTransformer, models
from tokenizers import Tokenizer, models as kinds, pre_tokenizers
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast
torch.manual_seed(0)
words = {"[PAD]": 0, "[UNK]": 1, "the": 2, "not": 3, "die": 4}
tokenizer = Tokenizer(kinds.WordLevel(words, unk_token="[UNK]"))
tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]", model_max_length=64)
fast.save_pretrained("tiny")
sizes = dict(vocab_size=5, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16)
BertModel(BertConfig(**sizes)).save_pretrained("tiny")
model = SentenceTransformer(modules=[models.Transformer("tiny"), models.Pooling(16)])
result = mteb.evaluate(model, mteb.get_task("ALEE-Sample", languages=["deu"]), cache=None)
print(result.task_results[0].scores["test"][0]["hf_subset"])
"""
    run = call(installed / "python", "-c", code, cwd=tmp_path)
    assert run.stdout.strip().splitlines()[-1] == "deu_Latn"
