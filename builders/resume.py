"""Finished chunks on disk, so that a killed build goes on where it was and gives the same bytes.

    <out>/.work/<hash of the configuration>/chunk-00000.provenance.parquet
                                            chunk-00000.parquet              there = the chunk is finished

A chunk is a fixed number of sources in corpus order. Each file is written beside its place, flushed to disk and
renamed; the wide table comes second and so marks the chunk as whole. Another configuration has another hash and
never sees these files.
"""

import hashlib
import json
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from builders.tables import PROVENANCE_SCHEMA, write_table

WORK = ".work"


class Workspace:
    """The chunks of one configuration under an output folder."""

    def __init__(self, out: Path, header: Mapping[str, Any], chunk_size: int) -> None:
        key = json.dumps({"header": header, "chunk_size": chunk_size}, sort_keys=True, ensure_ascii=False)
        self.root = out / WORK
        self.folder = self.root / hashlib.sha256(key.encode()).hexdigest()[:16]

    def is_finished(self, number: int) -> bool:
        """Whether both tables of a chunk are there and readable; what is not is made again."""
        return _readable(self._wide(number)) and _readable(self._provenance(number))

    def save(self, number: int, wide: pa.Table, provenance: pa.Table) -> None:
        """Keep a finished chunk.

        Raises:
            OSError: it cannot be written; what was there before stays as it was.
        """
        write_table(self._provenance(number), [provenance], PROVENANCE_SCHEMA, {})
        write_table(self._wide(number), [wide], wide.schema, {})

    def wide(self, n_chunks: int) -> Iterator[pa.Table]:
        """The wide tables of all chunks, one at a time."""
        return (pq.read_table(self._wide(number), partitioning=None) for number in range(n_chunks))

    def provenance(self, n_chunks: int) -> Iterator[pa.Table]:
        """The provenance tables of all chunks, one at a time."""
        return (pq.read_table(self._provenance(number), partitioning=None) for number in range(n_chunks))

    def remove(self) -> None:
        """Delete the chunks of this and of every other configuration: the build is whole."""
        shutil.rmtree(self.root, ignore_errors=True)

    def _wide(self, number: int) -> Path:
        return self.folder / f"chunk-{number:05d}.parquet"

    def _provenance(self, number: int) -> Path:
        return self.folder / f"chunk-{number:05d}.provenance.parquet"


def _readable(path: Path) -> bool:
    if not path.is_file():
        return False
    try:
        pq.read_metadata(path)
    except (pa.ArrowException, OSError):
        return False
    return True
