"""`alee build`: corpus in, folder of triplets out (DESIGN.md §2 and §4).

    survey ──▶ engine ──▶ chunk, chunk, chunk … ──▶ tables ──▶ card ──▶ manifest
               (once)     (each kept as finished)

Rows are streamed in chunks and the tables are put together from the chunks one at a time, so memory does not grow
with the corpus.
"""

import errno
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa

from alee_mteb.errors import AleeError, DataError
from alee_mteb.files import write_text
from builders.batching import Progress, silent
from builders.card import dataset_card
from builders.engines import Engine, open_engine
from builders.manifest import (
    MANIFEST,
    changed_files,
    difference,
    make_header,
    read_manifest,
    same_build,
    write_manifest,
)
from builders.pipeline import Rules, run
from builders.recipes import BuildConfig, corpus_of
from builders.resume import Workspace
from builders.stages import Corpus
from builders.survey import Selection, Survey, survey
from builders.tables import (
    PROVENANCE_SCHEMA,
    count_statuses,
    provenance_path,
    provenance_table,
    table_path,
    wide_schema,
    wide_table,
    write_table,
)

#: Sources worked on together. Large enough to fill batches, small enough that a kill costs little.
CHUNK_SIZE = 128


class BuildError(AleeError):
    """A build that cannot be written."""


class BuildInterruptedError(AleeError):
    """A build that the user stopped."""

    exit_code = 130


class Watcher(Protocol):
    """Sees how a build goes on; nothing depends on it."""

    def start(self, n_rows: int) -> None:
        """The corpus has been looked through."""

    def stage(self, what: str, total: int) -> AbstractContextManager[Callable[[int], object]]:
        """A stage works on so many items; the function handed out is told how many more are done (`Progress`)."""

    def finished(self, n_rows: int, *, reused: bool) -> None:
        """A chunk is done, or was there from an earlier run."""


@dataclass(frozen=True)
class Built:
    """A finished build.

    Attributes:
        counts: as in the manifest.
        was_there: the folder already held this very build, and nothing was done.
    """

    folder: Path
    config: str
    counts: Mapping[str, Any]
    was_there: bool = False


def build(
    config: BuildConfig,
    out: Path,
    *,
    overwrite: bool = False,
    watcher: Watcher | None = None,
    open_corpus: Callable[[BuildConfig], Corpus] = corpus_of,
    open_stages: Callable[[BuildConfig, Progress], Engine] = open_engine,
    chunk_size: int = CHUNK_SIZE,
) -> Built:
    """Build triplets into a folder; goes on where an earlier run of the same configuration was stopped.

    Args:
        overwrite: replace another build that is there.
        open_corpus, open_stages: what to build from and with; the project's own by default.

    Raises:
        DataError, LanguageError: something is wrong with the corpus, or the folder holds another build.
        BuildError: the folder cannot be written.
        BuildInterruptedError: the user pressed Ctrl-C.
    """
    watcher = watcher or Silent()
    with _mendable(out):
        corpus = open_corpus(config)
        selection = Selection(corpus, config.limit)
        surveyed = survey(selection)
        name = config.config_name or corpus.config
        schema = wide_schema(
            corpus.english, config.perturbations, config.control, surveyed.languages, surveyed.metadata
        )
        engine = open_stages(config, watcher.stage)
        header = make_header(config, name, corpus, surveyed, engine)
        there = read_manifest(out)
        if there is not None:
            if same_build(there, header) and not changed_files(out, there):
                return Built(out, name, there["counts"], was_there=True)
            if not same_build(there, header) and not overwrite:
                raise DataError(
                    f"{out}: holds another build ({difference(there, header)}); choose another --out, or --overwrite it"
                )
        work = Workspace(out, header, chunk_size)
        watcher.start(surveyed.n_rows)
        n_chunks = _make_chunks(selection, schema, engine, config, work, watcher, chunk_size)
        counts = _assemble(out, name, schema, header, work, n_chunks, surveyed)
        work.remove()
        return Built(out, name, counts)


def _make_chunks(
    selection: Selection,
    schema: pa.Schema,
    engine: Engine,
    config: BuildConfig,
    work: Workspace,
    watcher: Watcher,
    chunk_size: int,
) -> int:
    """Make the chunks that are not there yet; returns how many there are."""
    rules = Rules(
        perturbations=config.perturbations,
        check_sentences=config.mode == "paper",
        control=config.control,
        min_text=config.min_text,
        min_sentence=config.min_sentence,
    )
    number = -1
    for number, sources in enumerate(selection.chunks(chunk_size)):
        reused = work.is_finished(number)
        if not reused:
            results = run(sources, engine.stages, rules)
            work.save(number, wide_table(results, schema, selection.corpus.english), provenance_table(results))
        watcher.finished(len(sources), reused=reused)
    return number + 1


def _assemble(
    out: Path,
    name: str,
    schema: pa.Schema,
    header: Mapping[str, Any],
    work: Workspace,
    n_chunks: int,
    surveyed: Survey,
) -> dict[str, Any]:
    """Put the chunks together, write the card and, last of all, the manifest; returns the counts."""
    _sweep(out, name)
    (out / MANIFEST).unlink(missing_ok=True)  # from here on the folder is no finished build until it is one again
    rows = {
        table_path(name): write_table(out / table_path(name), work.wide(n_chunks), schema, header),
        provenance_path(name): write_table(
            out / provenance_path(name), work.provenance(n_chunks), PROVENANCE_SCHEMA, header
        ),
    }
    counts = {
        "sources": surveyed.n_rows,
        "left_out": dict(surveyed.left_out),
        "translations_left_out": dict(surveyed.translations_left_out),
        "statuses": count_statuses(work.provenance(n_chunks)),
    }
    write_text(out / "README.md", dataset_card({**header, "counts": counts}))
    write_manifest(out, header, rows, counts)
    return counts


def _sweep(out: Path, name: str) -> None:
    """Remove what a process that was killed while it wrote has left behind."""
    for path in (out / table_path(name), out / provenance_path(name), out / "README.md", out / MANIFEST):
        for leftover in path.parent.glob(f".{path.name}.*.tmp"):
            leftover.unlink()


@contextmanager
def _mendable(out: Path) -> Iterator[None]:
    """Ctrl-C and a full disk as one line that says what to do."""
    again = "run the same command again to go on"
    try:
        yield
    except KeyboardInterrupt as error:
        raise BuildInterruptedError(f"interrupted; finished chunks are kept in {out}, {again}") from error
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise BuildError(
                f"{out}: the disk is full; finished chunks are kept, free some space and {again}"
            ) from error
        if isinstance(error.filename, str) and Path(error.filename).is_relative_to(out):
            raise BuildError(f"{out}: cannot be written ({error.strerror}); choose another --out") from error
        raise


class Silent:
    """A watcher that shows nothing."""

    stage = staticmethod(silent)

    def start(self, n_rows: int) -> None:
        """Show nothing."""

    def finished(self, n_rows: int, *, reused: bool) -> None:
        """Show nothing."""
