"""One run: batches in, updates out, until the last step or until something is wrong.

    stream ──draw──▶ pairs ──prepare (a step ahead)──▶ batches of this process
                                                            │ forward, backward: sums over the global counts
                                                            ▼
                             gradients summed over processes ──clip──▶ AdamW ──▶ log, evaluation, checkpoint

Random numbers of a forward pass (dropout) are seeded by run, update and batch. They do not depend on how many
processes share an update, nor on where a run was interrupted.
"""

import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from salt.data.stream import PackedStream
from salt.losses.batch import BatchSize
from salt.pairs import AlignedPair
from salt.training.anomaly import not_finite, save_bad_batch
from salt.training.checkpoints import Checkpoint, save_checkpoint
from salt.training.config import TrainConfig
from salt.training.group import Group
from salt.training.log import RunLog
from salt.training.objective import Objective
from salt.training.prepare import PreparedBatch
from salt.training.schedule import warmup_cosine


@dataclass(frozen=True)
class Drawn:
    """The batches of one update that fall to this process.

    Attributes:
        batches: number within the update → batch.
        position: of the stream after the update was drawn.
    """

    batches: Mapping[int, PreparedBatch]
    position: Mapping[str, Any]


class Ahead:
    """Draws and prepares the next update in a thread while the present one is computed; a context manager."""

    def __init__(
        self,
        stream: PackedStream[AlignedPair],
        prepare: Callable[[tuple[AlignedPair, ...]], PreparedBatch],
        config: TrainConfig,
        group: Group,
    ) -> None:
        self._stream, self._prepare, self._group = stream, prepare, group
        self._per_step = config.optimiser.batches_per_step or group.size
        self._thread = ThreadPoolExecutor(1, "salt-batches")
        self._next: Future[Drawn] | None = None

    def __enter__(self) -> "Ahead":
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.shutdown(cancel_futures=True)

    def take(self, *, more: bool) -> Drawn:
        """The next update; with `more` the one after it is begun."""
        drawn = (self._next or self._thread.submit(self._draw)).result()
        self._next = self._thread.submit(self._draw) if more else None
        return drawn

    def settle(self) -> None:
        """Wait until the thread has done: a tokenizer is not to be used by two at a time."""
        if self._next is not None:
            self._next.result()

    def _draw(self) -> Drawn:
        packed = [self._stream.next_batch() for _ in range(self._per_step)]
        mine = range(self._group.rank, self._per_step, self._group.size)
        return Drawn({number: self._prepare(packed[number]) for number in mine}, self._stream.position())


@dataclass
class Clock:
    """Where the time goes: in the network and the optimiser, or in everything else."""

    busy: float = 0.0
    began: float = field(default_factory=time.perf_counter)
    idle: float = 0.0

    def overhead(self) -> float:
        """Share of the time since the last call that went to neither network nor optimiser (nor evaluation)."""
        now = time.perf_counter()
        total = now - self.began - self.idle
        share = 1.0 - self.busy / total if total > 0 else 0.0
        self.busy, self.idle, self.began = 0.0, 0.0, now
        return max(0.0, share)


@dataclass
class Run:
    """All that one run needs.

    Attributes:
        folder: for log, checkpoints and bad batches.
        step: updates done.
        measure: evaluation figures of the present weights; ``None`` for no evaluation.
        say: told about progress: updates done, and the figures of the last log line.
    """

    folder: Path
    config: TrainConfig
    seed: int
    group: Group
    objective: Objective
    stream: PackedStream[AlignedPair]
    optimizer: torch.optim.Optimizer
    measure: Callable[[], dict[str, float]] | None
    say: Callable[[int, Mapping[str, float]], None]
    step: int = 0

    @property
    def parameters(self) -> dict[str, nn.Parameter]:
        """What is trained, by name."""
        return self.objective.trained


def train(run: Run, log: RunLog | None) -> None:
    """Go from the run's step to its last.

    Raises:
        TrainingError: a loss or gradient is not finite, or the disk is full.
        DataError: a pair cannot be used.
    """
    config, clock = run.config, Clock()
    seen: list[dict[str, float]] = []
    with Ahead(run.stream, run.objective.prepare, config, run.group) as ahead:
        if run.step == 0:
            _evaluate(run, log)
        clock.overhead()
        while run.step < config.steps:
            drawn = ahead.take(more=run.step + 1 < config.steps)
            began = time.perf_counter()
            seen.append(_update(run, drawn))
            clock.busy += time.perf_counter() - began
            run.step += 1
            last = run.step == config.steps
            if last or run.step % config.log_every == 0:
                seen = _tell(run, log, seen, clock)
            pause = time.perf_counter()
            if last or run.step % config.evaluation.every == 0:
                ahead.settle()
                _evaluate(run, log)
            if last or run.step % config.checkpoints.every == 0:
                _save(run, drawn.position)
            clock.idle += time.perf_counter() - pause


def _update(run: Run, drawn: Drawn) -> dict[str, float]:
    """One update; what is in the log about it."""
    settings, group, parameters = run.config.optimiser, run.group, list(run.parameters.values())
    size = _global_size(group, [batch.size for batch in drawn.batches.values()])
    run.optimizer.zero_grad(set_to_none=True)
    figures: dict[int, Tensor] = {}
    names: list[str] = []  # the same on every process: each has at least one batch
    for number, batch in drawn.batches.items():
        seed = _seed(run.seed, run.step, number)
        torch.manual_seed(seed)
        with group.autocast():
            terms = run.objective.terms(batch.to(group.device), size, seed)
        terms.total.backward()
        names = ["loss", *terms.terms]
        figures[number] = torch.stack([terms.total.detach(), *(term.detach() for term in terms.terms.values())])
    total = group.sum(torch.stack(list(figures.values())).sum(dim=0).float())  # each is a share of the global mean
    if not bool(torch.isfinite(total).all()):
        bad = {number for number, values in figures.items() if not bool(torch.isfinite(values).all())}
        raise _abort(run, drawn, bad, "the loss")
    group.sum_gradients(parameters)
    norm = nn.utils.clip_grad_norm_(parameters, settings.clip if settings.clip is not None else float("inf"))
    if not bool(torch.isfinite(norm)):
        raise _abort(run, drawn, set(drawn.batches), "the gradient")
    factor = warmup_cosine(run.step, settings.warmup, run.config.steps)
    for entry in run.optimizer.param_groups:
        entry["lr"] = settings.learning_rate * factor
    run.optimizer.step()
    return dict(zip(names, total.tolist(), strict=True)) | {
        "gradient_norm": float(norm),
        "learning_rate": settings.learning_rate * factor,
        "pairs": size.pairs,
        "spans": size.spans,
    }


def _global_size(group: Group, sizes: list[BatchSize]) -> BatchSize:
    """Counts over all batches of the update, on all processes."""
    counts = torch.tensor([[size.pairs, size.spanned, size.spans] for size in sizes], dtype=torch.float64)
    summed = counts.reshape(-1, 3).sum(dim=0).to(torch.float32)  # exact: counts are far below 2^24
    pairs, spanned, spans = group.sum(summed.to(group.device)).tolist()
    return BatchSize(pairs, spanned, spans)


def _seed(seed: int, step: int, number: int) -> int:
    return int(np.random.SeedSequence([seed, step, number]).generate_state(1, np.uint32)[0])


def _abort(run: Run, drawn: Drawn, bad: set[int], what: str) -> Exception:
    """Keep the batches behind it, on every process that has some, and make the error."""
    place = run.folder
    for number in sorted(bad):
        batch = drawn.batches[number]
        tensors = {
            "source.ids": batch.source.ids,
            "source.mask": batch.source.mask,
            "target.ids": batch.target.ids,
            "target.mask": batch.target.mask,
        }
        facts = {"seed": run.seed, "what": what, "preset": run.config.preset}
        place = save_bad_batch(run.folder, run.step + 1, number, batch.aligned, tensors, facts)
    run.group.wait()
    return not_finite(run.step + 1, what, place)


def _tell(run: Run, log: RunLog | None, seen: list[dict[str, float]], clock: Clock) -> list[dict[str, float]]:
    """Log means since the last line (learning rate: the present one); returns an empty list."""
    figures = {name: float(np.mean([entry[name] for entry in seen])) for name in seen[0]}
    figures["learning_rate"] = seen[-1]["learning_rate"]
    figures["seconds"] = (time.perf_counter() - clock.began - clock.idle) / len(seen)
    figures["overhead"] = clock.overhead()
    if log is not None:
        log.write("train", run.step, figures)
    run.say(run.step, figures)
    return []


def _evaluate(run: Run, log: RunLog | None) -> None:
    if run.measure is not None and run.group.is_main:
        figures = run.measure()
        if log is not None:
            log.write("evaluation", run.step, figures)
        run.say(run.step, figures)
    run.group.wait()


def _save(run: Run, position: Mapping[str, Any]) -> None:
    if run.group.is_main:
        facts = {"stream": dict(position), "seed": run.seed}
        state = Checkpoint(run.step, run.parameters, run.optimizer.state_dict(), facts)
        save_checkpoint(run.folder, state, run.config.checkpoints.keep)
    run.group.wait()
