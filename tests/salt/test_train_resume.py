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


_FORKED = """
import json, os, signal, sys

from salt.training import checkpoints, runs
from salt.training.config_file import make_config
from salt.training.group import Group

def die():
    os.kill(os.getpid(), signal.SIGKILL)

def killed(settings, kind, number):
    flush, count = checkpoints._flush, [0]

    def say(seed, step, figures):
        if kind == "step" and step == number:
            die()

    def flushing(path):
        count[0] += 1
        if kind == "flush" and count[0] == number:
            die()
        flush(path)

    checkpoints._flush = flushing
    runs.run_all(make_config(settings), say)

def one_of_two(settings, rank, port):
    world = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "RANK": rank, "LOCAL_RANK": rank}
    os.environ |= world
    group = Group(cpu=True)
    assert group.size == 2
    runs.run_all(make_config(settings), lambda *_: None, group=group)
    group.close()

# One interpreter and one import of everything, then a process per job; their exit codes in one line.
children = []
for work, *arguments in json.loads(sys.argv[1]):
    child = os.fork()
    if not child:
        try:
            {"killed": killed, "one_of_two": one_of_two}[work](*arguments)
        except BaseException as error:
            print(repr(error), file=sys.stderr, flush=True)
            os._exit(1)
        os._exit(0)
    children.append(child)
print([os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children])
"""

#: Where a run dies, and the checkpoints it leaves.
_DEATHS = {
    "before-a-checkpoint": ("step", 2, []),
    "between-checkpoints": ("step", 5, [3]),
    "while-one-is-saved": ("flush", 8, [3]),
}
_SHARED = {"steps": 4, "optimiser": {"warmup": 1, "batches_per_step": 2}, "checkpoints": {"every": 4}}


@pytest.fixture(scope="module")
def elsewhere(encoder: Path, spans: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """Settings of runs in other processes: those that were killed, by the moment, and ``two`` that shared one."""
    root = tmp_path_factory.mktemp("elsewhere")
    settings = {name: salt_training.settings(encoder, spans, root / name) for name in _DEATHS}
    settings["two"] = salt_training.settings(encoder, spans, root / "two", **_SHARED)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    jobs: list[tuple[Any, ...]] = [("killed", settings[name], *death[:2]) for name, death in _DEATHS.items()]
    jobs += [("one_of_two", settings["two"], rank, port) for rank in ("0", "1")]
    done = subprocess.run(
        [sys.executable, "-c", _FORKED, json.dumps(jobs)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == [-9, -9, -9, 0, 0], done.stderr
    return settings


@pytest.mark.parametrize("name", _DEATHS)
def test_a_killed_run_goes_on_to_the_same_weights(elsewhere: dict[str, dict[str, Any]], whole: Path, name: str):
    folder = Path(elsewhere[name]["output"]) / "seed-0"
    assert [int(path.name[5:]) for path in list_checkpoints(folder)] == _DEATHS[name][2]
    run(elsewhere[name])
    assert same(weights(folder), weights(whole))
    assert same(weights(folder, "optimizer.safetensors"), weights(whole, "optimizer.safetensors"))
    assert losses(folder) == losses(whole)
    assert not list((folder / "checkpoints").glob(".*"))


def test_two_processes_make_the_updates_of_one(
    elsewhere: dict[str, dict[str, Any]], encoder: Path, spans: Path, tmp_path: Path
):
    one, two = run(salt_training.settings(encoder, spans, tmp_path, **_SHARED)), Path(elsewhere["two"]["output"])
    left, right = losses(one), losses(two / "seed-0")
    assert len({line["spans"] for line in left[1:]}) > 1  # batches differ in spans, so a mean of means would differ
    for ours, theirs in zip(left, right, strict=True):
        assert theirs == pytest.approx(ours, rel=1e-5)
    ours, theirs = weights(one), weights(two / "seed-0")
    for name, tensor in ours.items():
        torch.testing.assert_close(theirs[name], tensor, rtol=1e-5, atol=1e-6)
