"""What can go wrong in a training run."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from alee_mteb.errors import AleeError

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class ConfigError(AleeError):
    """A training configuration that is wrong; the message names the setting."""


class TrainingError(AleeError):
    """A training run that cannot start or go on."""


@contextmanager
def writing(place: Path, what: str) -> Iterator[None]:
    """Turn whatever goes wrong while a file is written into one line.

    Raises:
        TrainingError: the disk is full, or the place cannot be written; what stood there before is as it was.
    """
    from safetensors import SafetensorError

    try:
        yield
    except (OSError, SafetensorError) as error:
        raise TrainingError(
            f"{place}: {what} cannot be written, {_why(error)}; nothing half-written was left, and the same command "
            "goes on from the last whole checkpoint"
        ) from error


def _why(error: Exception) -> str:
    full = isinstance(error, OSError) and error.errno in _FULL
    # safetensors reports what the system said as text alone.
    full = full or any(f"(os error {number})" in str(error) for number in _FULL)
    return "no space left on the device" if full else str(error)
