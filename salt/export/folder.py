"""A trained encoder as a folder that others load, with a card that says where it came from.

run ──checkpoint──▶ encoder ──save──▶ weights (safetensors), tokenizer, pooling, prompts
                              card ──▶ README.md: data, settings, figures, licence
                             facts ──▶ salt.json: the same for programs, with the hash of the weights
"""

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from alee_mteb.encoders.folder import encoder_folder, weights_revision
from alee_mteb.files import write_text
from alee_mteb.version import __version__
from salt.encoders.base import TokenEncoder
from salt.export.card import model_card
from salt.export.licenses import base_license, data_license
from salt.losses.presets import settings_of
from salt.spans.table import read_info
from salt.training.checkpoints import list_checkpoints
from salt.training.errors import TrainingError, writing
from salt.training.runs import final_figures, load_trained, read_run

FACTS, CARD = "salt.json", "README.md"
_NAME = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*", re.ASCII)


@dataclass(frozen=True)
class Exported:
    """A folder that was written.

    Attributes:
        revision: hash of the weights (`alee_mteb.encoders.folder.weights_revision`).
    """

    folder: Path
    name: str
    revision: str
    license: str


def export_run(
    run: Path,
    folder: Path,
    *,
    name: str,
    step: int | None = None,
    license: str | None = None,
    overwrite: bool = False,
) -> Exported:
    """Write the encoder of a run.

    Args:
        run: folder of one seed, such as ``runs/mine/seed-0``.
        folder: where to; it must be empty or absent, or an earlier export with `overwrite`.
        name: what the model is to be called, ``org/name``.
        step: of which checkpoint; the last by default.
        license: of the model, where the base's own cannot be told or another is right.

    Raises:
        TrainingError: not a run, no such checkpoint, a place that is taken, or a full disk.
        ModelError: the encoder the run began from cannot be loaded.
    """
    if not _NAME.fullmatch(name) or ".." in name:
        raise TrainingError(f"{name}: not a name for a model, use org/name in letters, digits, '-', '_' and '.'")
    _check_place(folder, overwrite=overwrite)
    checkpoint = _checkpoint(run, step)
    config, record = read_run(run)
    encoder, state = load_trained(run, checkpoint)
    facts = {
        "name": name,
        "version": __version__,
        "base": _public(config.encoder),
        "base_revision": record["encoder_revision"],
        "base_license": base_license(encoder_folder(config.encoder), config.encoder, encoder.family),
        "data_license": data_license(config.data.license),
        "family": encoder.family,
        "step": state.step,
        "seed": state.facts["seed"],
        "preset": config.preset,
        "loss": settings_of(config.make_loss()),
        "settings": _public(config.model_dump(mode="json", exclude={"output", "seeds", "loss", "preset"})),
        "data": [_data_facts(Path(path), digest) for path, digest in record["data"].items()],
        "figures": final_figures(run),
    }
    facts["license"] = license or facts["base_license"] or "other"
    return write_export(encoder, folder, facts)


def write_export(encoder: TokenEncoder, folder: Path, facts: Mapping[str, Any]) -> Exported:
    """Write an encoder with its card; the same encoder and facts give the same bytes.

    Raises:
        TrainingError: the disk is full.
    """
    with writing(folder, "the model"):
        encoder.save(folder)
        record = {**facts, "revision": weights_revision(folder)}
        write_text(folder / CARD, model_card(record))
        write_text(folder / FACTS, json.dumps(record, indent=1, ensure_ascii=False, sort_keys=True) + "\n")
    return Exported(folder, str(record["name"]), record["revision"], str(record["license"]))


def read_facts(folder: Path) -> dict[str, Any]:
    """What an export says about itself.

    Raises:
        TrainingError: not an export, or its weights are not those it was written with.
    """
    try:
        facts: dict[str, Any] = json.loads((folder / FACTS).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise TrainingError(f"{folder}: no {FACTS}; give a folder that `alee salt export` wrote") from error
    if weights_revision(folder) != facts.get("revision"):
        raise TrainingError(f"{folder}: its weights are not those that {FACTS} describes; export the run again")
    return facts


def _public(value: Any) -> Any:
    """Settings with the names of local files and folders in place of their paths, which are nobody's business."""
    if isinstance(value, dict):
        return {key: _public(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_public(entry) for entry in value]
    if isinstance(value, str) and (os.path.isabs(value) or value.startswith(".") or Path(value).exists()):
        return Path(value).name
    return value


def _check_place(folder: Path, *, overwrite: bool) -> None:
    taken = folder.exists() and (not folder.is_dir() or any(folder.iterdir()))
    if taken and not (overwrite and (folder / FACTS).is_file()):
        advice = "it is no export, so it is left alone" if overwrite else "--overwrite replaces an earlier export"
        raise TrainingError(f"{folder}: not empty; name another folder ({advice})")


def _checkpoint(run: Path, step: int | None) -> Path | None:
    if step is None:
        return None
    found = {int(path.name.removeprefix("step-")): path for path in list_checkpoints(run)}
    if step not in found:
        there = ", ".join(map(str, found)) or "none"
        raise TrainingError(f"{run}: no checkpoint of step {step}; there are {there}")
    return found[step]


def _data_facts(path: Path, digest: str) -> dict[str, Any]:
    """What is known about a table of spans; its name alone where it has been moved since."""
    facts: dict[str, Any] = {"name": path.name, "hash": digest}
    if path.is_file():
        info = read_info(path)
        facts |= {"method": info.method, "layer": info.layer, "encoder": info.encoder}
    return facts
