"""Runs: one per seed, each in a folder of its own, started, gone on with, or found finished.

<output>/seed-0/config.json        the settings, the weights and the data it began from
                log.jsonl, tensorboard/, checkpoints/
<output>/summary.json              figures of all seeds, mean and standard deviation
"""

import hashlib
import json
import random
import shutil
import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from alee_mteb.encoders.folder import encoder_folder, weights_revision
from alee_mteb.files import write_text
from salt.encoders.load import load_decoder, load_encoder
from salt.training.checkpoints import Checkpoint, list_checkpoints, load_checkpoint, remove_leftovers, restore_random
from salt.training.config import TrainConfig
from salt.training.config_file import changed_settings
from salt.training.errors import ConfigError, TrainingError, writing
from salt.training.evaluation import measure, read_watch
from salt.training.group import Group
from salt.training.log import RunLog, read_log
from salt.training.loop import Run, train
from salt.training.objective import Objective
from salt.training.streaming import open_stream

CONFIG, SUMMARY = "config.json", "summary.json"
#: Settings that can be changed between a run and its continuation.
_FREE = ("output", "seeds", "log_every", "tensorboard", "checkpoints.every", "checkpoints.keep")
#: Told about progress: seed, updates done, figures.
Say = Callable[[int, int, Mapping[str, float]], None]


@dataclass(frozen=True)
class Finished:
    """A run that is done.

    Attributes:
        folder: of the run.
        figures: of its last evaluation, and the last mean of each term.
    """

    seed: int
    folder: Path
    figures: Mapping[str, float]


def run_all(config: TrainConfig, say: Say, *, overwrite: bool = False, group: Group | None = None) -> list[Finished]:
    """Train every seed that is not finished yet, and sum them up.

    Args:
        say: told about progress.
        overwrite: delete runs of other settings.
        group: the processes; made from the configuration by default.

    Raises:
        ConfigError: a run in the folder has other settings.
        TrainingError, DataError, ModelError: see the parts.
    """
    group = group or Group(config.precision)
    output = Path(config.output)
    done = []
    for seed in config.seeds:
        folder = output / f"seed-{seed}"
        if group.is_main:
            _make_folder(folder, config, overwrite=overwrite)
        group.wait()
        _run_one(config, seed, folder, group, partial(say, seed))
        done.append(Finished(seed, folder, final_figures(folder)))
    if group.is_main:
        with writing(output / SUMMARY, "the summary"):
            write_text(output / SUMMARY, json.dumps(summary(done), indent=1) + "\n")
    group.wait()
    return done


def summary(done: list[Finished]) -> dict[str, Any]:
    """Figures of all seeds: each seed's, mean, and standard deviation (of a sample; ``None`` for one seed)."""
    names = [name for name in done[0].figures if all(name in run.figures for run in done)]
    columns = {name: [run.figures[name] for run in done] for name in names}
    return {
        "seeds": [run.seed for run in done],
        "figures": {
            name: {
                "mean": statistics.fmean(values),
                "sd": statistics.stdev(values) if len(values) > 1 else None,
                "values": values,
            }
            for name, values in columns.items()
        },
    }


def final_figures(folder: Path) -> dict[str, float]:
    """The last line of each kind in a run's log, in one; figures from before the first update as ``before/…``."""
    figures: dict[str, float] = {}
    for line in read_log(folder):
        for name, value in line.items():
            if name in ("kind", "step", "seconds", "overhead"):
                continue
            if line["kind"] == "evaluation" and line["step"] == 0:
                figures[f"before/{name}"] = value
            else:
                figures[name] = value
    return figures


def read_run(folder: Path) -> tuple[TrainConfig, dict[str, Any]]:
    """The settings of a run, and what it began from.

    Raises:
        TrainingError: not the folder of a run.
    """
    try:
        record = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise TrainingError(f"{folder}: not the folder of a run; give one such as runs/mine/seed-0") from error
    return TrainConfig.model_validate_json(json.dumps(record["settings"])), record


def load_trained(folder: Path, checkpoint: Path | None = None) -> tuple[Any, Checkpoint]:
    """The encoder of a run with the weights of a checkpoint (the last one by default).

    Raises:
        TrainingError: there is no checkpoint, or the encoder the run began from is no longer the same.
    """
    config, record = read_run(folder)
    found = list_checkpoints(folder)
    if checkpoint is None and not found:
        raise TrainingError(f"{folder}: no checkpoint yet; run `alee salt train` to its end")
    if weights_revision(encoder_folder(config.encoder)) != record["encoder_revision"]:
        raise TrainingError(f"{folder}: {config.encoder} holds other weights than when the run began; put them back")
    encoder = load_encoder(config.encoder)
    state = load_checkpoint(checkpoint or found[-1])
    _put(dict(encoder.module.named_parameters()), state)
    return encoder, state


def _make_folder(folder: Path, config: TrainConfig, *, overwrite: bool) -> None:
    """Make sure the folder belongs to this configuration."""
    settings = config.model_dump(mode="json")
    record = {
        "settings": settings,
        "encoder_revision": weights_revision(encoder_folder(config.encoder)),
        "data": {path: file_hash(Path(path)) for path in config.data.spans},
    }
    if (folder / CONFIG).is_file():
        old = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
        changed = [name for name in changed_settings(old["settings"], settings) if name not in _FREE]
        changed += [name for name in ("encoder_revision", "data") if old[name] != record[name]]
        if changed and not overwrite:
            raise ConfigError(
                f"{folder}: holds a run with other settings ({', '.join(changed)}); choose another output, or delete "
                "it with --overwrite"
            )
        if changed:
            shutil.rmtree(folder)
    elif folder.is_dir() and any(folder.iterdir()):
        raise ConfigError(f"{folder}: not empty, and not the folder of a run; choose another output")
    with writing(folder, "the run"):
        write_text(folder / CONFIG, json.dumps(record, indent=1, ensure_ascii=False) + "\n")
    remove_leftovers(folder)


def _run_one(
    config: TrainConfig, seed: int, folder: Path, group: Group, say: Callable[[int, Mapping[str, float]], None]
) -> None:
    """Train one seed from its last checkpoint, or from the beginning."""
    found = list_checkpoints(folder)
    state = load_checkpoint(found[-1]) if found else None
    step = state.step if state is not None else 0
    if step >= config.steps:
        return
    _seed_all(seed)
    device = str(group.device)
    loss = config.make_loss()
    batches = config.optimiser.batches_per_step or group.size
    if batches < group.size:
        raise ConfigError(f"optimiser.batches_per_step: {batches}, but there are {group.size} processes to share them")
    encoder = load_encoder(config.encoder, device=device, max_tokens=config.data.max_tokens)
    teacher = load_encoder(config.encoder, device=device) if "teacher" in loss.needs else None
    decoder = load_decoder(config.decoder, device=device) if "decode" in loss.needs and config.decoder else None
    objective = Objective(encoder, loss, teacher, decoder, batches)
    objective.freeze(embeddings=config.optimiser.train_embeddings, dropout=config.optimiser.dropout)
    optimizer = make_optimizer(config, objective)
    stream, counts = open_stream(config.data, encoder, seed, state.facts["stream"] if state is not None else None)
    if state is not None:
        _put(objective.trained, state)
        optimizer.load_state_dict(dict(state.optimizer))
        restore_random(found[-1])
    watch = read_watch(config.evaluation) if group.is_main else None
    run = Run(
        folder,
        config,
        seed,
        group,
        objective,
        stream,
        optimizer,
        (lambda: measure(encoder, watch)) if watch else None,
        say,
        step,
    )
    if not group.is_main:
        train(run, None)
        return
    with RunLog(folder, step, board=config.tensorboard) as log:
        if step == 0:
            log.write("data", 0, counts)
        train(run, log)


def _seed_all(seed: int) -> None:
    """Seed every global generator, since the state of every one of them is in the checkpoints."""
    random.seed(seed)
    np.random.seed(seed % 2**32)
    torch.manual_seed(seed)


def make_optimizer(config: TrainConfig, objective: Objective) -> torch.optim.Optimizer:
    """AdamW over what is trained."""
    settings = config.optimiser
    return torch.optim.AdamW(
        list(objective.trained.values()),
        lr=settings.learning_rate,
        betas=settings.betas,
        eps=settings.epsilon,
        weight_decay=settings.weight_decay,
        fused=True,
    )


def _put(parameters: Mapping[str, torch.nn.Parameter], state: Checkpoint) -> None:
    """Copy the weights of a checkpoint into the parameters of their names."""
    unknown = sorted(set(state.weights) - set(parameters))
    if unknown:
        raise TrainingError(f"the checkpoint holds weights that the encoder does not have, such as {unknown[0]}")
    with torch.no_grad():
        for name, tensor in state.weights.items():
            parameters[name].copy_(tensor)


def file_hash(path: Path) -> str:
    """SHA-256 of a file, 16 digits.

    Raises:
        ConfigError: it cannot be read.
    """
    try:
        with path.open("rb") as handle:
            return hashlib.file_digest(handle, "sha256").hexdigest()[:16]
    except OSError as error:
        raise ConfigError(f"data.spans: {path} cannot be read ({error.strerror or error})") from error
