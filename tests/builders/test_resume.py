"""A killed build goes on where it was, gives the same bytes, and never mixes two configurations."""

import errno
import hashlib
import json
import os
import signal
import subprocess
import sys
import textwrap
from itertools import pairwise
from pathlib import Path

import pytest
from support.doubles import ListCorpus, engine, source, stages

import builders.resume
from alee_mteb.errors import DataError
from builders.build import BuildError, BuildInterruptedError, build
from builders.recipes import BuildConfig

NAMES = ("boy", "girl", "king", "queen", "dog", "cat", "doctor", "farmer", "pilot", "unparsable")
SOURCES = [source(f"{i}", f"The {name} believes the {other} today.") for i, (name, other) in enumerate(pairwise(NAMES))]
CONFIG = BuildConfig(corpus="unused")


def contents(folder: Path) -> dict[str, str]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def make(out: Path, made=None, *, config=CONFIG, sources=SOURCES, chunk_size=2, **options):
    return build(
        config,
        out,
        open_corpus=lambda _: ListCorpus(sources),
        open_stages=lambda config, progress: engine(made),
        chunk_size=chunk_size,
        **options,
    )


class Failing:
    """Stages that raise at the n-th call of the realiser."""

    def __init__(self, error: BaseException, after: int) -> None:
        self.stages = stages()
        real, calls = self.stages.realiser.realise, [0]

        def realise(inputs):
            calls[0] += 1
            if calls[0] > after:
                raise error
            return real(inputs)

        self.stages.realiser.realise = realise


@pytest.fixture
def whole(tmp_path):
    """An undisturbed build."""
    make(tmp_path / "whole")
    return contents(tmp_path / "whole")


def test_a_finished_build_leaves_nothing_but_its_files(whole):
    assert sorted(whole) == [
        "README.md",
        "alee_test/test-00000-of-00001.parquet",
        "alee_test_provenance/test-00000-of-00001.parquet",
        "manifest.json",
    ]


def test_an_interrupted_build_goes_on_and_gives_the_same_bytes(tmp_path, whole):
    out = tmp_path / "out"
    with pytest.raises(BuildInterruptedError, match="run the same command again") as caught:
        make(out, Failing(KeyboardInterrupt(), after=2).stages)
    assert caught.value.exit_code == 130
    assert not (out / "manifest.json").exists()
    again = stages()
    make(out, again)
    assert sum(len(call) for call in again.parser.calls) == len(SOURCES) - 4
    assert contents(out) == whole


@pytest.mark.parametrize("after", range(1, 5))
def test_wherever_it_is_killed(tmp_path, whole, after):
    """The process ends in the middle of the n-th chunk without a chance to clean up."""
    out = tmp_path / "out"
    script = textwrap.dedent(f"""
        import os, signal, sys
        sys.path[:0] = {sys.path!r}
        from test_resume import Failing, make
        class Kill(BaseException): pass
        failing = Failing(Kill(), {after})
        real = failing.stages.realiser.realise
        def realise(inputs):
            try: return real(inputs)
            except Kill: os.kill(os.getpid(), signal.SIGKILL)
        failing.stages.realiser.realise = realise
        from pathlib import Path
        make(Path({str(out)!r}), failing.stages)
    """)
    killed = subprocess.run([sys.executable, "-c", script], cwd=Path(__file__).parent, env={**os.environ}, check=False)
    assert killed.returncode == (-signal.SIGKILL if after < 4 else 0)
    make(out)
    assert contents(out) == whole


def test_files_that_a_kill_left_half_written_are_swept(tmp_path, whole):
    out = tmp_path / "out"
    for folder, name in ((out / "alee_test", "test-00000-of-00001.parquet"), (out, "manifest.json")):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f".{name}.x1y2.tmp").write_bytes(b"PAR1")
    make(out)
    assert contents(out) == whole


def test_a_half_written_chunk_is_made_again(tmp_path, whole):
    out = tmp_path / "out"
    with pytest.raises(BuildInterruptedError):
        make(out, Failing(KeyboardInterrupt(), after=3).stages)
    chunks = sorted((out / ".work").rglob("chunk-*.parquet"))
    assert len(chunks) == 6
    chunks[0].write_bytes(chunks[0].read_bytes()[:100])
    chunks[3].unlink()
    make(out)
    assert contents(out) == whole


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 1},
        {"mode": "released"},
        {"control": True},
        {"min_text": 1},
        {"config_name": "other"},
        {"perturbations": ["PN"]},
    ],
)
def test_another_configuration_does_not_reuse_chunks(tmp_path, change):
    out = tmp_path / "out"
    with pytest.raises(BuildInterruptedError):
        make(out, Failing(KeyboardInterrupt(), after=3).stages)
    again = stages()
    make(out, again, config=BuildConfig(corpus="unused", **change))
    assert sum(len(call) for call in again.parser.calls) == len(SOURCES)
    assert not (out / ".work").exists()


def test_neither_does_another_corpus(tmp_path):
    out = tmp_path / "out"
    with pytest.raises(BuildInterruptedError):
        make(out, Failing(KeyboardInterrupt(), after=3).stages)
    again = stages()
    changed = [*SOURCES[:-1], source("8", "The pilot believes the doctor today.")]
    make(out, again, sources=changed)
    assert sum(len(call) for call in again.parser.calls) == len(SOURCES)


def test_a_build_that_is_there_is_not_made_again(tmp_path, whole):
    again = stages()
    built = make(tmp_path / "whole", again)
    assert built.was_there
    assert again.parser.calls == []
    assert contents(tmp_path / "whole") == whole


def test_a_damaged_build_is_made_again(tmp_path, whole):
    out = tmp_path / "whole"
    (out / "alee_test" / "test-00000-of-00001.parquet").write_bytes(b"PAR1")
    assert not make(out).was_there
    assert contents(out) == whole


def test_another_build_is_not_overwritten_unasked(tmp_path, whole):
    out = tmp_path / "whole"
    other = BuildConfig(corpus="unused", seed=9)
    with pytest.raises(DataError, match="holds another build \\(it differs in seed\\)"):
        make(out, config=other)
    assert contents(out) == whole
    make(out, config=other, overwrite=True)
    assert json.loads((out / "manifest.json").read_text())["seed"] == 9


class TestFullDisk:
    def test_while_a_chunk_is_written(self, tmp_path, monkeypatch, whole):
        out = tmp_path / "out"
        real, calls = builders.resume.write_table, [0]

        def full(*arguments):
            calls[0] += 1
            if calls[0] == 4:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return real(*arguments)

        monkeypatch.setattr(builders.resume, "write_table", full)
        with pytest.raises(BuildError, match="the disk is full; finished chunks are kept, free some space"):
            make(out)
        monkeypatch.undo()
        assert not list(out.rglob("*.tmp"))
        make(out)
        assert contents(out) == whole

    def test_while_the_tables_are_put_together(self, tmp_path, monkeypatch, whole):
        import builders.build

        out = tmp_path / "out"

        def full(*arguments):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        monkeypatch.setattr(builders.build, "write_table", full)
        with pytest.raises(BuildError, match="the disk is full"):
            make(out)
        monkeypatch.undo()
        again = stages()
        make(out, again)
        assert again.parser.calls == []
        assert contents(out) == whole

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
    def test_arrow_tells_of_a_full_disk_by_its_number(self):
        """The one-line message depends on it."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        table = pa.table({"x": ["y" * 100_000]})
        with pytest.raises(OSError, match="space") as caught, open("/dev/full", "wb", buffering=0) as full:
            pq.write_table(table, full, compression="none")
        assert caught.value.errno == errno.ENOSPC


def test_a_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(BuildError, match=r"file/out: cannot be written \(Not a directory\); choose another --out"):
        make(tmp_path / "file" / "out")


def test_trouble_with_another_file_is_not_blamed_on_the_folder(tmp_path):
    failing = Failing(OSError(errno.EIO, os.strerror(errno.EIO), "/some/model"), after=0)

    def open_stages(config, progress):
        raise OSError(errno.EACCES, os.strerror(errno.EACCES), "/some/model")

    with pytest.raises(PermissionError):
        build(CONFIG, tmp_path / "out", open_corpus=lambda _: ListCorpus(SOURCES), open_stages=open_stages)
    assert make(tmp_path / "out", failing.stages).counts["statuses"]["RoleSwap"]["generation_failed"] == 8
