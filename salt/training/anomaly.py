"""What is kept of a batch that led to a loss or gradient that is not a finite number."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from torch import Tensor

from salt.pairs import AlignedPair
from salt.training.checkpoints import atomic_folder
from salt.training.errors import TrainingError, writing


def save_bad_batch(
    run: Path,
    step: int,
    rank: int,
    pairs: Sequence[AlignedPair],
    tensors: Mapping[str, Tensor],
    facts: Mapping[str, Any],
) -> Path:
    """Write the pairs (JSON) and what the network was given (safetensors); returns the folder.

    Raises:
        TrainingError: the disk is full.
    """
    from safetensors.torch import save_file

    place = run / f"not-finite-step-{step:08d}" / f"process-{rank}"
    with writing(place, "the batch"), atomic_folder(place) as folder:
        save_file(
            {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}, folder / "batch.safetensors"
        )
        record = {"step": step, **facts, "pairs": [asdict(pair) for pair in pairs]}
        (folder / "batch.json").write_text(json.dumps(record, ensure_ascii=False, indent=1), encoding="utf-8")
    return place


def not_finite(step: int, what: str, place: Path) -> TrainingError:
    """The one line that ends the run."""
    return TrainingError(
        f"step {step}: {what} is not a finite number; the run stops here, the batch is in {place}; try a lower "
        "learning rate, a higher loss.temperature, or precision: no"
    )
