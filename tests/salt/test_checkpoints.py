"""Checkpoints: whole or not there, without pickle, and everything that was in them comes back."""

import json
import random
import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from salt.training.checkpoints import (
    Checkpoint,
    atomic_folder,
    list_checkpoints,
    load_checkpoint,
    remove_leftovers,
    restore_random,
    save_checkpoint,
)
from salt.training.errors import TrainingError


def stepped() -> tuple[torch.nn.Linear, torch.optim.AdamW]:
    """A layer after one AdamW update with gradients of one."""
    torch.manual_seed(0)
    layer = torch.nn.Linear(3, 2)
    optimizer = torch.optim.AdamW(layer.parameters(), lr=0.1, betas=(0.9, 0.99))
    layer(torch.ones(1, 3)).sum().backward()
    optimizer.step()
    return layer, optimizer


def state(step: int) -> Checkpoint:
    layer, optimizer = stepped()
    return Checkpoint(step, dict(layer.named_parameters()), optimizer.state_dict(), {"stream": {"batch": 7}, "sd": 0.1})


@contextmanager
def files_no_larger_than(n_bytes: int) -> Iterator[None]:
    """Writing more than so many bytes to a file fails as it does on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


def test_what_was_saved_comes_back(tmp_path: Path):
    layer, optimizer = stepped()
    saved = save_checkpoint(tmp_path, state(12), keep=3)
    found = load_checkpoint(saved)
    assert (found.step, found.facts) == (12, {"stream": {"batch": 7}, "sd": 0.1})
    assert all(torch.equal(found.weights[name], tensor) for name, tensor in layer.named_parameters())
    fresh = torch.optim.AdamW(layer.parameters())
    fresh.load_state_dict(dict(found.optimizer))
    assert fresh.param_groups[0]["betas"] == (0.9, 0.99)
    assert fresh.param_groups[0]["lr"] == 0.1
    for parameter in layer.parameters():
        for name in ("step", "exp_avg", "exp_avg_sq"):
            assert torch.equal(fresh.state[parameter][name], optimizer.state[parameter][name])


def test_random_numbers_go_on_where_they_were(tmp_path: Path):
    random.seed(3)
    np.random.seed(4)
    torch.manual_seed(5)
    saved = save_checkpoint(tmp_path, state(1), keep=1)  # torch's generator is seeded anew by `state`
    expected = random.random(), np.random.rand(), torch.rand(3)
    random.seed(0)
    np.random.seed(0)
    torch.manual_seed(99)
    restore_random(saved)
    assert (random.random(), np.random.rand()) == expected[:2]
    assert torch.equal(torch.rand(3), expected[2])


def test_only_the_newest_are_kept(tmp_path: Path):
    for step in (5, 10, 100, 15):
        save_checkpoint(tmp_path, state(step), keep=2)
    assert [path.name for path in list_checkpoints(tmp_path)] == ["step-00000015", "step-00000100"]


def test_files_are_safetensors_and_json(tmp_path: Path):
    saved = save_checkpoint(tmp_path, state(1), keep=1)
    assert sorted(path.name for path in saved.iterdir()) == [
        "model.safetensors",
        "optimizer.safetensors",
        "random.safetensors",
        "state.json",
    ]
    assert set(load_file(saved / "optimizer.safetensors")) == {
        f"{index}.{name}" for index in (0, 1) for name in ("step", "exp_avg", "exp_avg_sq")
    }
    json.loads((saved / "state.json").read_text())


def test_a_full_disk_is_one_line_and_leaves_the_checkpoint_before(tmp_path: Path):
    save_checkpoint(tmp_path, state(1), keep=1)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with files_no_larger_than(100), pytest.raises(TrainingError, match="no space left on the device") as caught:
        save_checkpoint(tmp_path, state(2), keep=1)
    assert "\n" not in str(caught.value)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
    assert [path.name for path in (tmp_path / "checkpoints").iterdir()] == ["step-00000001"]


def test_a_failure_while_writing_leaves_nothing(tmp_path: Path):
    def fail() -> None:
        with atomic_folder(tmp_path / "new") as folder:
            (folder / "half").write_text("x")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_exchanged_whole(tmp_path: Path):
    (tmp_path / "place").mkdir()
    (tmp_path / "place" / "old").write_text("old")
    with atomic_folder(tmp_path / "place") as folder:
        (folder / "new").write_text("new")
        assert [path.name for path in (tmp_path / "place").iterdir()] == ["old"]
    assert [path.name for path in (tmp_path / "place").iterdir()] == ["new"]
    assert [path.name for path in tmp_path.iterdir()] == ["place"]


def test_what_a_killed_process_left_is_no_checkpoint(tmp_path: Path):
    save_checkpoint(tmp_path, state(1), keep=1)
    half = tmp_path / "checkpoints" / ".step-00000002.abc.tmp"
    half.mkdir()
    assert [path.name for path in list_checkpoints(tmp_path)] == ["step-00000001"]
    remove_leftovers(tmp_path)
    assert not half.exists()


@pytest.mark.parametrize("name", ["model.safetensors", "optimizer.safetensors", "state.json"])
def test_a_damaged_checkpoint_is_named(tmp_path: Path, name: str):
    saved = save_checkpoint(tmp_path, state(1), keep=1)
    (saved / name).write_bytes((saved / name).read_bytes()[:20])
    with pytest.raises(TrainingError, match="step-00000001: not a whole checkpoint"):
        load_checkpoint(saved)
