"""The two tables of a build (DESIGN.md §2), and the layout of its folder.

    <out>/README.md                                           the card; names the configurations for `load_dataset`
    <out>/manifest.json                                       written last: a folder with one is a finished build
    <out>/<config>/test-00000-of-00001.parquet                the wide table, a row per source
    <out>/<config>_provenance/test-00000-of-00001.parquet     a row per source × perturbation, failures included

Nothing in them changes from run to run: no times, hosts, batch sizes or absolute paths.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import penman
import pyarrow as pa
import pyarrow.parquet as pq
from penman import Graph

from alee_mteb.errors import DataError
from alee_mteb.files import atomic_path
from alee_mteb.perturbations import Perturbation
from alee_mteb.triplets import ID_COLUMNS, foil_column, regenerated_column
from builders.pipeline import Result
from builders.search import Outcome
from builders.stages import Status

#: What the control text is called where perturbations are listed.
CONTROL = "Regenerated"
_TABLE = "test-00000-of-00001.parquet"
#: Key of the Parquet metadata that says how a table was built.
_METADATA_KEY = b"alee"

PROVENANCE_SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("perturbation", pa.string()),
        ("status", pa.string()),
        ("sentence_index", pa.int32()),
        ("sentence", pa.string()),
        ("node", pa.string()),
        ("old", pa.string()),
        ("new", pa.string()),
        ("amr_before", pa.string()),
        ("amr_after", pa.string()),
        ("foil_sentence", pa.string()),
        ("foil", pa.string()),
        ("nli_level", pa.string()),
        ("nli_forward", pa.float64()),
        ("nli_backward", pa.float64()),
        ("n_candidates", pa.int32()),
        ("n_tried", pa.int32()),
        ("problem", pa.string()),
    ]
)


def table_path(config: str) -> str:
    """Where the wide table of a configuration lies, relative to the build's folder."""
    return f"{config}/{_TABLE}"


def provenance_path(config: str) -> str:
    """Where its provenance table lies."""
    return f"{config}_provenance/{_TABLE}"


def wide_schema(
    english: str,
    perturbations: Sequence[Perturbation],
    control: bool,
    languages: Sequence[str],
    metadata: Sequence[str],
) -> pa.Schema:
    """The columns of the wide table, all of them text.

    Raises:
        DataError: two columns would have the same name, or a metadata column would be taken for the row's id.
    """
    columns = ["id", english, *(foil_column(english, kind) for kind in perturbations)]
    columns += [regenerated_column(english)] if control else []
    # English stands once in the table, as the source; it is a target under that name as well.
    columns += [key for key in languages if key != english]
    columns += metadata
    repeated = sorted({name for name in columns if columns.count(name) > 1})
    if repeated:
        raise DataError(f"the corpus has a column {repeated[0]!r}, which the triplet table needs for itself; rename it")
    outranking = [name for name in metadata if name in ID_COLUMNS[: ID_COLUMNS.index("id")]]
    if outranking:
        raise DataError(
            f"the corpus has a column {outranking[0]!r} beside its id, which the tasks would take for the id; rename it"
        )
    return pa.schema([(name, pa.string()) for name in columns])


def wide_table(results: Iterable[Result], schema: pa.Schema, english: str) -> pa.Table:
    """A row per source; sources without text are left out, because a table must have none."""
    rows = [_wide_row(result, english) for result in results if result.source.text.strip()]
    return pa.table(
        {name: pa.array([row.get(name) for row in rows], pa.string()) for name in schema.names}, schema=schema
    )


def _wide_row(result: Result, english: str) -> dict[str, str | None]:
    source = result.source
    row: dict[str, str | None] = {**source.metadata, **source.translations, "id": source.id, english: source.text}
    for outcome in result.outcomes:
        assert outcome.kind is not None, "foils come from perturbations"
        row[foil_column(english, outcome.kind)] = outcome.foil if outcome.status is Status.SUCCESS else None
    if result.control is not None and result.control.status is Status.SUCCESS:
        row[regenerated_column(english)] = result.control.foil
    return row


def provenance_table(results: Iterable[Result]) -> pa.Table:
    """A row per source × perturbation, in that order, and one for the control text where there is one."""
    rows = [
        _provenance_row(outcome)
        for result in results
        for outcome in (*result.outcomes, *([result.control] if result.control else []))
    ]
    return pa.Table.from_pylist(rows, schema=PROVENANCE_SCHEMA)


def _provenance_row(outcome: Outcome) -> dict[str, Any]:
    edit, verdict = outcome.edit, outcome.verdict
    return {
        "id": outcome.id,
        "perturbation": outcome.kind.value if outcome.kind else CONTROL,
        "status": outcome.status.value,
        "sentence_index": outcome.sentence_index,
        "sentence": outcome.sentence,
        "node": edit.node if edit else None,
        "old": edit.old if edit else None,
        "new": edit.new if edit else None,
        "amr_before": encode(outcome.before) if outcome.before else None,
        "amr_after": encode(edit.graph) if edit else None,
        "foil_sentence": outcome.foil_sentence,
        "foil": outcome.foil,
        "nli_level": outcome.level,
        "nli_forward": verdict.forward if verdict else None,
        "nli_backward": verdict.backward if verdict else None,
        "n_candidates": outcome.n_candidates,
        "n_tried": outcome.n_tried,
        "problem": outcome.problem,
    }


def encode(graph: Graph) -> str:
    """Penman text of a graph, without the comment lines that parsers attach to it."""
    return penman.encode(Graph(graph.triples, top=graph.top, epidata=graph.epidata))


def write_table(path: Path, parts: Iterable[pa.Table], schema: pa.Schema, header: Mapping[str, Any]) -> int:
    """Write tables one after the other into one Parquet file, atomically; returns the number of rows.

    Only one part is in memory at a time. The header goes into the file's own metadata, so that a table that lost its
    folder still says how it was built.
    """
    described = schema.with_metadata({_METADATA_KEY: json.dumps(header, sort_keys=True, ensure_ascii=False)})
    n_rows = 0
    with atomic_path(path) as temporary, pq.ParquetWriter(temporary, described, compression="zstd") as writer:
        for part in parts:
            writer.write_table(part.cast(described))
            n_rows += part.num_rows
    return n_rows


def count_statuses(parts: Iterable[pa.Table]) -> dict[str, dict[str, int]]:
    """Perturbation → status → number of sources, over provenance tables; every status is listed."""
    counts: dict[str, dict[str, int]] = {}
    for part in parts:
        for kind, status in _pairs(part):
            row = counts.setdefault(kind, {status.value: 0 for status in Status})
            row[status] += 1
    return counts


def _pairs(part: pa.Table) -> Iterator[tuple[str, str]]:
    return zip(part.column("perturbation").to_pylist(), part.column("status").to_pylist(), strict=True)
