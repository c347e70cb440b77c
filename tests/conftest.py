"""Fixtures that several test modules use."""

import csv
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import hypothesis
import pytest

os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

# The same examples on every run: a new one that fails is found by who looks for it, not by who lands a change.
hypothesis.settings.register_profile("same", derandomize=True)
hypothesis.settings.load_profile("same")

SHARED = Path(__file__).parents[2] / "shared"


@pytest.fixture(autouse=True)
def _no_outside_data(monkeypatch: pytest.MonkeyPatch) -> None:
    """A variable of the person running the tests must not change what they read."""
    for name in ("ALEE_DATASET", "ALEE_REVISION", "ALEE_MTEB_AUTOLOAD", "ALEE_DEBUG", "ALEE_MODEL_REGISTRY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with shared test data; only for tests marked `shared`."""
    if not SHARED.is_dir():
        pytest.skip("../shared is not there")
    return SHARED


@pytest.fixture
def write_csv(tmp_path: Path) -> Callable[..., Path]:
    """Write rows to a CSV file and return its path."""

    def write(rows: Sequence[Mapping[str, str]], name: str = "data.csv") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", encoding="utf-8", newline="") as handle:
            writer = csv.DictWriter(handle, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
        return path

    return write
