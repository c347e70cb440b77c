"""Checkpoints: everything a run needs to go on as if it had never stopped.

    <run>/checkpoints/step-00000100/model.safetensors       what is trained, by parameter name
                                    optimizer.safetensors   AdamW's moments, "<index>.<name>"
                                    random.safetensors      states of torch's generators
                                    state.json              step, optimiser groups, stream position, everything else

A folder is written beside its place, flushed to disk and renamed, so that what bears the name of a checkpoint is
whole. There is no pickle in it.
"""

import json
import os
import random
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from salt.training.errors import TrainingError, writing

FOLDER = "checkpoints"
MODEL, OPTIMIZER, RANDOM, STATE = "model.safetensors", "optimizer.safetensors", "random.safetensors", "state.json"
_NAME = re.compile(r"step-(\d{8})")


@dataclass(frozen=True)
class Checkpoint:
    """A state between two updates.

    Attributes:
        step: updates done.
        weights: trained parameters by name.
        optimizer: its ``state_dict()``.
        facts: anything JSON holds, such as the position of the data stream.
    """

    step: int
    weights: Mapping[str, Tensor]
    optimizer: Mapping[str, Any]
    facts: Mapping[str, Any]


def save_checkpoint(run: Path, checkpoint: Checkpoint, keep: int) -> Path:
    """Write a checkpoint with the present random states, then delete all but the newest `keep`; returns its folder.

    Raises:
        TrainingError: it cannot be written; older ones are still there.
    """
    from safetensors.torch import save_file

    place = run / FOLDER / f"step-{checkpoint.step:08d}"
    with writing(place, "the checkpoint"), atomic_folder(place) as folder:
        weights = {name: tensor.detach().cpu().contiguous() for name, tensor in checkpoint.weights.items()}
        moments, groups = _flat_optimizer(checkpoint.optimizer)
        generators, rest = _random_states()
        save_file(weights, folder / MODEL)
        save_file(moments, folder / OPTIMIZER)
        save_file(generators, folder / RANDOM)
        state = {"step": checkpoint.step, "groups": groups, "random": rest, "facts": dict(checkpoint.facts)}
        (folder / STATE).write_text(json.dumps(state, ensure_ascii=False), encoding="utf-8")
    for old in list_checkpoints(run)[:-keep]:
        shutil.rmtree(old)
    return place


def list_checkpoints(run: Path) -> list[Path]:
    """Folders of whole checkpoints, oldest first."""
    if not (run / FOLDER).is_dir():
        return []
    return sorted(path for path in (run / FOLDER).iterdir() if _NAME.fullmatch(path.name) and path.is_dir())


def load_checkpoint(folder: Path) -> Checkpoint:
    """Read a checkpoint; tensors are on the CPU. Random states are left alone, see `restore_random`.

    Raises:
        TrainingError: a file is missing or damaged.
    """
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        state = json.loads((folder / STATE).read_text(encoding="utf-8"))
        weights = load_file(folder / MODEL)
        moments = load_file(folder / OPTIMIZER)
        return Checkpoint(state["step"], weights, _nested_optimizer(moments, state["groups"]), state["facts"])
    except (OSError, SafetensorError, ValueError, KeyError) as error:
        raise TrainingError(
            f"{folder}: not a whole checkpoint ({error}); delete the folder to go on from the one before"
        ) from error


def restore_random(folder: Path) -> None:
    """Set Python's, NumPy's and torch's global generators to the states in a checkpoint."""
    from safetensors.torch import load_file

    rest = json.loads((folder / STATE).read_text(encoding="utf-8"))["random"]
    version, internal, gauss = rest["python"]
    random.setstate((version, tuple(internal), gauss))
    kind, keys, position, has_gauss, cached = rest["numpy"]
    np.random.set_state((kind, np.array(keys, dtype=np.uint32), position, has_gauss, cached))
    generators = load_file(folder / RANDOM)
    torch.set_rng_state(generators["cpu"])
    if torch.cuda.is_available():
        states = [
            generators[f"cuda.{index}"] for index in range(torch.cuda.device_count()) if f"cuda.{index}" in generators
        ]
        torch.cuda.set_rng_state_all(states)


@contextmanager
def atomic_folder(place: Path) -> Iterator[Path]:
    """A temporary folder beside `place`; on success its files are flushed to disk and it takes the place.

    What stood there is replaced; on failure it stays as it was and nothing else is left.
    """
    place.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=f".{place.name}.", suffix=".tmp", dir=place.parent))
    try:
        yield temporary
        for path in sorted(temporary.rglob("*")):
            _flush(path)
        temporary.chmod(0o755)
        if place.exists():
            _swap(temporary, place)
        else:
            temporary.rename(place)
        _flush(place.parent)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def remove_leftovers(run: Path) -> None:
    """Delete what a killed process had begun to write in the checkpoint folder."""
    if (run / FOLDER).is_dir():
        for path in (run / FOLDER).glob(".*.tmp"):
            shutil.rmtree(path, ignore_errors=True)


def _swap(temporary: Path, place: Path) -> None:
    """Replace a folder: the system has no call that renames over one that holds files."""
    aside = Path(tempfile.mkdtemp(prefix=f".{place.name}.", suffix=".tmp", dir=place.parent))
    place.rename(aside / "old")
    temporary.rename(place)
    shutil.rmtree(aside, ignore_errors=True)


def _flush(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _flat_optimizer(state: Mapping[str, Any]) -> tuple[dict[str, Tensor], list[dict[str, Any]]]:
    moments = {
        f"{index}.{name}": torch.as_tensor(value).detach().cpu().contiguous()
        for index, entry in state["state"].items()
        for name, value in entry.items()
    }
    return moments, [dict(group) for group in state["param_groups"]]


def _nested_optimizer(moments: Mapping[str, Tensor], groups: list[dict[str, Any]]) -> dict[str, Any]:
    state: dict[int, dict[str, Tensor]] = {}
    for key, tensor in moments.items():
        index, name = key.split(".", 1)
        state.setdefault(int(index), {})[name] = tensor
    for group in groups:
        if "betas" in group:
            group["betas"] = tuple(group["betas"])
    return {"state": state, "param_groups": groups}


def _random_states() -> tuple[dict[str, Tensor], dict[str, Any]]:
    """torch's states as tensors; Python's and NumPy's as what JSON holds."""
    generators = {"cpu": torch.get_rng_state()}
    if torch.cuda.is_available():
        generators |= {f"cuda.{index}": state.cpu() for index, state in enumerate(torch.cuda.get_rng_state_all())}
    kind, keys, position, has_gauss, cached = np.random.get_state()
    python = random.getstate()
    return generators, {
        "python": [python[0], list(python[1]), python[2]],
        "numpy": [kind, np.asarray(keys).tolist(), int(position), int(has_gauss), float(cached)],
    }
