"""The tiny models, trained once per state of their sources and libraries and kept for the next run."""

import hashlib
import tempfile
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

from filelock import FileLock

_SOURCES = ("tiny_corpus.py", "tiny_language.py", "tiny_models.py")
_LIBRARIES = ("amrlib", "tokenizers", "torch", "transformers")


def tiny_folders(root: Path) -> dict[str, Path]:
    """``parser``, ``realiser`` and ``nli`` folders under `root`, made if they are not there."""
    from support import tiny_models

    makers: dict[str, tuple[str, Callable[[Path], Path]]] = {
        "parser": (tiny_models.PARSER, tiny_models.make_parser),
        "realiser": (tiny_models.REALISER, tiny_models.make_realiser),
        "nli": (tiny_models.NLI, tiny_models.make_nli),
    }
    place = root / _key()
    place.mkdir(parents=True, exist_ok=True)
    with FileLock(place / ".lock"):  # workers that run tests side by side train each model once
        return _made(place, makers)


def _made(place: Path, makers: dict[str, tuple[str, Callable[[Path], Path]]]) -> dict[str, Path]:
    import torch

    n_threads = torch.get_num_threads()
    torch.set_num_threads(1)  # so small are they that more threads only wait for each other
    try:
        for folder, make in makers.values():
            if not (place / folder).is_dir():
                with tempfile.TemporaryDirectory(dir=place) as scratch:
                    _move(make(Path(scratch) / folder), place / folder)
    finally:
        torch.set_num_threads(n_threads)
    return {name: place / folder for name, (folder, _) in makers.items()}


def _move(made: Path, place: Path) -> None:
    try:
        made.rename(place)
    except OSError:
        if not place.is_dir():  # else another run was faster, and its model is the same
            raise


def _key() -> str:
    digest = hashlib.sha256()
    for name in _SOURCES:
        digest.update((Path(__file__).parent / name).read_bytes())
    digest.update(" ".join(version(name) for name in _LIBRARIES).encode())
    return digest.hexdigest()[:16]
