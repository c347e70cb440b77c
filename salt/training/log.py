"""The log of a run: one JSON object a line, and the same figures for TensorBoard.

    {"kind": "train", "step": 20, "loss": 3.1, "con": 2.2, "int": 4.6, "lr": 4e-05, "seconds": 25.1, ...}
    {"kind": "evaluation", "step": 50, "aer": 0.21, "retrieval_error": 0.02}

A run that goes on from a checkpoint first cuts off the lines of later steps, which it is about to write again.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from alee_mteb.files import write_text
from salt.training.errors import TrainingError, writing

LOG = "log.jsonl"
BOARD = "tensorboard"


class RunLog:
    """Appends to the log of a run folder; a context manager.

    Args:
        step: of the checkpoint the run goes on from; 0 for a new run.
        board: also write TensorBoard's event files.
    """

    def __init__(self, run: Path, step: int, *, board: bool) -> None:
        self.path = run / LOG
        with writing(self.path, "the log"):
            run.mkdir(parents=True, exist_ok=True)
            write_text(self.path, "".join(f"{line}\n" for line in _lines_until(self.path, step)))
            self._file = self.path.open("a", encoding="utf-8")
        self._board: Any = None
        if board:
            from torch.utils.tensorboard import SummaryWriter

            self._board = SummaryWriter(str(run / BOARD), purge_step=step + 1 if step else None)

    def __enter__(self) -> "RunLog":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
        if self._board is not None:
            self._board.close()

    def write(self, kind: str, step: int, figures: Mapping[str, float]) -> None:
        """Append one line and flush it.

        Raises:
            TrainingError: the disk is full.
        """
        with writing(self.path, "the log"):
            self._file.write(json.dumps({"kind": kind, "step": step, **figures}) + "\n")
            self._file.flush()
            if self._board is not None:
                for name, value in figures.items():
                    self._board.add_scalar(f"{kind}/{name}", value, step)


def read_log(run: Path) -> list[dict[str, Any]]:
    """The lines of a run's log.

    Raises:
        TrainingError: there is none.
    """
    path = run / LOG
    if not path.is_file():
        raise TrainingError(f"{path}: no such file; give the folder of a run, such as runs/mine/seed-0")
    return [json.loads(line) for line in _whole_lines(path)]


def _lines_until(path: Path, step: int) -> list[str]:
    if not path.is_file() or not step:
        return []
    return [line for line in _whole_lines(path) if json.loads(line)["step"] <= step]


def _whole_lines(path: Path) -> list[str]:
    """All lines but a last one that a killed process left without its end."""
    return [line.rstrip("\n") for line in path.open(encoding="utf-8") if line.endswith("\n")]
