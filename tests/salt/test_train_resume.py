"""A run that is killed and started again, and one that is shared by two processes, against one that was neither."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from support import salt_training, tiny_salt

from salt.encoders.load import load_encoder
from salt.training.checkpoints import list_checkpoints
from salt.training.config_file import make_config
from salt.training.log import read_log
from salt.training.runs import run_all

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def encoder() -> Path:
    return tiny_salt.tiny_encoders(tiny_salt.default_root())["e5"]


@pytest.fixture(scope="module")
def spans(encoder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return salt_training.write_pairs(tmp_path_factory.mktemp("spans") / "spans.parquet", load_encoder(encoder))


@pytest.fixture(scope="module")
def whole(encoder: Path, spans: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was never interrupted."""
    return run(salt_training.settings(encoder, spans, tmp_path_factory.mktemp("whole") / "out"))


def run(settings: dict[str, Any]) -> Path:
    [done] = run_all(make_config(settings), lambda *_: None)
    return done.folder


def weights(folder: Path, file: str = "model.safetensors") -> dict[str, torch.Tensor]:
    return load_file(list_checkpoints(folder)[-1] / file)


def same(left: dict[str, torch.Tensor], right: dict[str, torch.Tensor]) -> bool:
    return left.keys() == right.keys() and all(torch.equal(left[name], right[name]) for name in left)


def losses(folder: Path) -> list[dict[str, float]]:
    """The numbers of the log, without what depends on the clock."""
    return [{k: v for k, v in line.items() if k not in ("kind", "seconds", "overhead")} for line in read_log(folder)]


_KILLED = """
import json, os, signal, sys
from salt.training import checkpoints, runs
from salt.training.config_file import make_config

kind, number = sys.argv[2], int(sys.argv[3])

def die():
    os.kill(os.getpid(), signal.SIGKILL)

def say(seed, step, figures):
    if kind == "step" and step == number:
        die()

flush, count = checkpoints._flush, [0]

def flushing(path):
    count[0] += 1
    if kind == "flush" and count[0] == number:
        die()
    flush(path)

checkpoints._flush = flushing
runs.run_all(make_config(json.loads(sys.argv[1])), say)
"""


@pytest.mark.parametrize(
    ("kind", "number", "left"),
    [("step", 2, []), ("step", 5, [3]), ("flush", 8, [3])],
    ids=["before-a-checkpoint", "between-checkpoints", "while-one-is-saved"],
)
def test_a_killed_run_goes_on_to_the_same_weights(
    encoder: Path, spans: Path, whole: Path, tmp_path: Path, kind: str, number: int, left: list[int]
):
    settings = salt_training.settings(encoder, spans, tmp_path / "out")
    command = [sys.executable, "-c", _KILLED, json.dumps(settings), kind, str(number)]
    died = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=os.environ | {"PYTHONPATH": str(ROOT)})
    assert died.returncode == -9, died.stderr
    folder = tmp_path / "out" / "seed-0"
    assert [int(path.name[5:]) for path in list_checkpoints(folder)] == left
    run(settings)
    assert same(weights(folder), weights(whole))
    assert same(weights(folder, "optimizer.safetensors"), weights(whole, "optimizer.safetensors"))
    assert losses(folder) == losses(whole)
    assert not list((folder / "checkpoints").glob(".*"))


_ONE_OF_TWO = """
import json, sys
from salt.training import runs
from salt.training.config_file import make_config
from salt.training.group import Group

group = Group(cpu=True)
assert group.size == 2
runs.run_all(make_config(json.loads(sys.argv[1])), lambda *_: None, group=group)
group.close()
"""


def test_two_processes_make_the_updates_of_one(encoder: Path, spans: Path, tmp_path: Path):
    more = {"steps": 4, "optimiser": {"warmup": 1, "batches_per_step": 2}, "checkpoints": {"every": 4}}
    one = salt_training.settings(encoder, spans, tmp_path / "one", **more)
    two = salt_training.settings(encoder, spans, tmp_path / "two", **more)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    world = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "PYTHONPATH": str(ROOT)}
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", _ONE_OF_TWO, json.dumps(two)],
            cwd=ROOT,
            env=os.environ | world | {"RANK": rank, "LOCAL_RANK": rank},
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in ("0", "1")
    ]
    run(one)
    ends = [process.communicate() for process in processes]
    assert [process.returncode for process in processes] == [0, 0], ends
    left, right = losses(tmp_path / "one" / "seed-0"), losses(tmp_path / "two" / "seed-0")
    assert len({line["spans"] for line in left[1:]}) > 1  # batches differ in spans, so a mean of means would differ
    for ours, theirs in zip(left, right, strict=True):
        assert theirs == pytest.approx(ours, rel=1e-5)
    ours, theirs = weights(tmp_path / "one" / "seed-0"), weights(tmp_path / "two" / "seed-0")
    for name, tensor in ours.items():
        torch.testing.assert_close(theirs[name], tensor, rtol=1e-5, atol=1e-6)
