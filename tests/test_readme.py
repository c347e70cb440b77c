"""Every command of the README is run, in the order it stands there."""

import csv
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.ten_rows import wide_rows

from alee_mteb.sample import sample_items

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", README, flags=re.DOTALL)
SHELL = [block.replace("\\\n ", "") for kind, block in BLOCKS if kind == "sh"]  # continued lines in one
LINES = [line.split("  #")[0].strip() for block in SHELL for line in block.splitlines()]
MAKE = [line for line in LINES if line.startswith("make ")]
PIP = [line for line in LINES if line.startswith("pip ")]
CORPUS = """id\teng_Latn\tdeu_Latn
1\tThe doctor believes the treatment works.\tDie Ärztin glaubt, dass die Behandlung wirkt.
2\tThe doctor helps the farmer.\tDie Ärztin hilft dem Bauern.
3\tThe singer admires the old teacher.\tDie Sängerin bewundert die alte Lehrerin.
"""
COMMANDS = [line for line in LINES if line and line not in MAKE + PIP]


#: The settings of the README's training run, cut short: what it trains is tested elsewhere.
STEPS = 2
#: These need the builders' models, WordNet among them.
BUILDING = [line for line in COMMANDS if "triplets" in line.split() or "corpus.tsv" in line.split()]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a reader would work: the commands on the path, a table of triplets."""
    folder = tmp_path_factory.mktemp("reader")
    (folder / "corpus.tsv").write_text(CORPUS, encoding="utf-8")
    for name, module in (("mteb", "mteb.cli"), ("alee", "alee_mteb.cli")):
        script = folder / "bin" / name
        script.parent.mkdir(exist_ok=True)
        load = "import alee_mteb\n" if name == "mteb" else ""  # the checkout's `.pth` may not be installed
        script.write_text(f"#!{sys.executable}\n{load}from {module} import main\nmain()\n")
        script.chmod(0o755)
    (settings,) = (block for kind, block in BLOCKS if kind == "yaml")
    short = re.sub(r"warmup: \d+", "warmup: 1", re.sub(r"steps: \d+", f"steps: {STEPS}", settings))
    (folder / "config.yaml").write_text(short, encoding="utf-8")
    pairs = [f"{item['eng_Latn']}\t{item['translations']['deu_Latn']}" for item in sample_items()[:24]]
    (folder / "parallel.tsv").write_text("\n".join(["eng_Latn\tdeu_Latn", *pairs]) + "\n", encoding="utf-8")
    (folder / "board").mkdir()
    rows = wide_rows()
    with (folder / "my-triplets.csv").open("w", newline="") as handle:
        writer = csv.DictWriter(handle, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return folder


@pytest.fixture(scope="module")
def builder_models(folder: Path, request: pytest.FixtureRequest) -> None:
    """The models that `alee build` is told of, tiny ones in the real formats, and WordNet."""
    from support.tiny_cache import tiny_folders

    from builders import wordnet_data

    if not (wordnet_data.DEBIAN_FOLDER / "data.noun").is_file():
        pytest.skip("Debian's package wordnet-base is not installed")
    wordnet_data.lay_out(wordnet_data.DEBIAN_FOLDER, folder / "nltk_data")
    (folder / "models").mkdir()
    for name, place in tiny_folders(request.config.cache.mkdir("tiny-models")).items():
        (folder / "models" / name).symlink_to(place)


def shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    path = f"{folder / 'bin'}{os.pathsep}{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1"}
    environment["NLTK_DATA"] = str(folder / "nltk_data")
    environment["ALEE_MODEL_REGISTRY"] = str(folder / "models.json")
    return subprocess.run(command, shell=True, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_the_two_commands_come_first_and_ci_runs_them():
    assert MAKE[:2] == ["make demo", "make test"]
    script = (ROOT / ".ci" / "run").read_text()
    for command in MAKE[:2]:
        assert f"\n{command}\n" in script


def test_installations_name_extras_that_exist():
    import tomllib

    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    for command in PIP:
        for extra in re.findall(r"alee-mteb\[(\w+)\]", command):
            assert extra in extras


@pytest.mark.parametrize("command", [line for line in COMMANDS if line not in BUILDING])
def test_command(command: str, folder: Path):
    run = shell(command, folder)
    assert run.returncode == 0, run.stderr


@pytest.mark.wordnet
@pytest.mark.parametrize("command", BUILDING)
def test_building_command(command: str, folder: Path, builder_models: None):
    run = shell(command, folder)
    assert run.returncode == 0, run.stderr


def test_python(folder: Path):
    (code,) = (block for kind, block in BLOCKS if kind == "python")
    # Its three languages include one that the sample has not; mteb keeps the others.
    (folder / "example.py").write_text("import alee_mteb\n" + code)
    run = shell(f"{sys.executable} example.py", folder)
    assert run.returncode == 0, run.stderr
    assert 0.5 < float(run.stdout.strip().splitlines()[-1]) < 1
