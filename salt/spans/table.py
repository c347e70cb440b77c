"""The Parquet file of spans: one row per sentence pair, settings and counts in its metadata.

    pair_id, source_language, target_language, source, target, score, method, layer, tokenizer,
    spans: list of {source_start, source_end, target_start, target_end,                 characters
                    source_token_start, …_end, target_token_start, …_end, coverage}     tokens

Character offsets count Unicode code points, as Python does; token offsets are positions in the tokenized text with
its special tokens. Ends are exclusive.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from alee_mteb.errors import DataError
from alee_mteb.files import atomic_path
from alee_mteb.version import __version__
from salt.encoders.base import TokenEncoder
from salt.pairs import AlignedPair, AlignedSpan, ParallelPair, Span
from salt.spans.records import FoundPair, FoundSpan

_KEY = b"salt_spans"
_EXPECTED = "expected what `alee salt spans` writes"
#: Raised when the columns change their meaning.
FORMAT = 1
_OFFSETS = (
    "source_start",
    "source_end",
    "target_start",
    "target_end",
    "source_token_start",
    "source_token_end",
    "target_token_start",
    "target_token_end",
)
_SPAN = pa.struct([*(pa.field(name, pa.int32(), nullable=False) for name in _OFFSETS), ("coverage", pa.float64())])
SCHEMA = pa.schema(
    [
        pa.field("pair_id", pa.string(), nullable=False),
        pa.field("source_language", pa.string(), nullable=False),
        pa.field("target_language", pa.string(), nullable=False),
        pa.field("source", pa.string(), nullable=False),
        pa.field("target", pa.string(), nullable=False),
        pa.field("score", pa.float64()),
        pa.field("spans", pa.list_(pa.field("item", _SPAN, nullable=False)), nullable=False),
        pa.field("method", pa.string(), nullable=False),
        pa.field("layer", pa.int32()),
        pa.field("tokenizer", pa.string(), nullable=False),
    ]
)


@dataclass(frozen=True)
class SpanInfo:
    """How the spans of a file were made.

    Attributes:
        method: ``case``, ``llm``, or what a later step adds, such as ``case, rated 4``.
        encoder: name of the encoder whose tokens are counted.
        revision: of that encoder, as far as known.
        tokenizer: its fingerprint.
        layer: whose states were aligned (CASE only).
        settings: everything else that can change the outcome.
        pairs: digest of the pairs that were read.
        dropped: how often something was left out, by reason.
        version: of this package.
        format: of the file.
    """

    method: str
    encoder: str
    tokenizer: str
    revision: str | None = None
    layer: int | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    pairs: str | None = None
    dropped: Mapping[str, int] = field(default_factory=dict)
    version: str = __version__
    format: int = FORMAT

    def made_like(self, other: "SpanInfo") -> bool:
        """Whether the same pairs and settings would give both."""
        return replace(self, dropped={}) == replace(other, dropped={})

    def dumps(self) -> str:
        """As JSON, the same for the same content."""
        return json.dumps(vars(self), sort_keys=True, ensure_ascii=False, default=dict)


def to_table(pairs: Iterable[FoundPair], info: SpanInfo) -> pa.Table:
    """The rows as a table with `info` in its metadata."""
    rows = [_row(found, info) for found in pairs]
    return pa.Table.from_pylist(rows, schema=SCHEMA.with_metadata({_KEY: info.dumps()}))


def write_spans(path: Path, pairs: Iterable[FoundPair], info: SpanInfo) -> None:
    """Write one file, atomically."""
    with atomic_path(path) as temporary:
        pq.write_table(to_table(pairs, info), temporary, compression="zstd")


def write_spans_jsonl(path: Path, pairs: Iterable[FoundPair], info: SpanInfo) -> None:
    """Write one line per span, with its pair, its strings and its offsets, atomically."""
    with atomic_path(path) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as handle:
        for found in pairs:
            row = _row(found, info)
            spans = row.pop("spans")
            for each, offsets in zip(found.spans, spans, strict=True):
                strings = {
                    "source_span": each.span.source.of(found.pair.source),
                    "target_span": each.span.target.of(found.pair.target),
                }
                handle.write(json.dumps(row | strings | offsets, ensure_ascii=False) + "\n")


def join(path: Path, parts: Sequence[Path], info: SpanInfo) -> SpanInfo:
    """Put parts together in order, one row group each, atomically; their counts of what was dropped are added up.

    Returns:
        `info` with the counts.
    """
    dropped: Counter[str] = Counter()
    for part in parts:
        dropped.update(read_info(part).dropped)
    info = replace(info, dropped=dict(sorted(dropped.items())))
    schema = SCHEMA.with_metadata({_KEY: info.dumps()})
    with atomic_path(path) as temporary, pq.ParquetWriter(temporary, schema, compression="zstd") as writer:
        for part in parts:
            table = pq.read_table(part).replace_schema_metadata(schema.metadata)
            if table.num_rows:
                writer.write_table(table)
    return info


def read_info(path: Path) -> SpanInfo:
    """How the spans of a file were made.

    Raises:
        DataError: not a file of spans, or one of a later format.
    """
    schema = _open(path).schema_arrow
    try:
        stored = json.loads((schema.metadata or {})[_KEY])
        later = stored["format"] > FORMAT
        info = None if later else SpanInfo(**stored)
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(f"{path}: not a file of spans; {_EXPECTED}") from error
    if info is None:
        raise DataError(
            f"{path}: format {stored['format']} of spans, this version reads up to {FORMAT}; update alee-mteb"
        )
    if not schema.equals(SCHEMA, check_metadata=False):
        raise DataError(f"{path}: not a file of spans; {_EXPECTED}")
    return info


def read_found(path: Path) -> Iterator[FoundPair]:
    """The rows of a file, in order, read a part at a time.

    Raises:
        DataError: not a file of spans, or a row with offsets outside its texts (named by its id).
    """
    read_info(path)
    with _open(path) as file:
        batches = file.iter_batches(batch_size=1024)
        while rows := _next_rows(path, batches):
            yield from _checked_rows(path, rows)


def _next_rows(path: Path, batches: Iterator[pa.RecordBatch]) -> list[dict[str, Any]]:
    """The next rows; none at the end."""
    try:
        batch = next(batches, None)
        return [] if batch is None else batch.to_pylist()
    except (OSError, pa.ArrowException, ValueError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise DataError(f"{path}: the file is broken ({reason}); extract the spans again") from error


def _checked_rows(path: Path, rows: Sequence[Mapping[str, Any]]) -> Iterator[FoundPair]:
    for row in rows:
        try:
            yield _found(row)
        except DataError as error:
            raise DataError(f"{path}: pair {row['pair_id']!r}: {error}") from error


def read_spans(path: Path, encoder: TokenEncoder | None = None, *, retokenize: bool = False) -> Iterator[AlignedPair]:
    """The pairs of a file with their aligned spans, in order.

    Args:
        path: written by `write_spans` or `join`.
        encoder: will read the spans; its tokenizer must be the one they were found with.
        retokenize: take the character offsets whatever the tokenizer. A span may then begin or end within a token of
            the encoder.

    Raises:
        DataError: see `read_found`; or the spans are from another tokenizer.
    """
    check_tokenizer(path, encoder, retokenize=retokenize)
    return (found.aligned for found in read_found(path))


def check_tokenizer(path: Path, encoder: TokenEncoder | None, *, retokenize: bool = False) -> None:
    """Make sure that the encoder counts tokens as the file does; see `read_spans`."""
    info = read_info(path)
    if encoder is not None and not retokenize and info.tokenizer != encoder.fingerprint:
        raise DataError(
            f"{path}: spans from another tokenizer ({info.encoder}, {info.tokenizer}; {encoder.name} has "
            f"{encoder.fingerprint}); extract them with this encoder, or set retokenize to go by their characters"
        )


def _open(path: Path) -> pq.ParquetFile:
    try:
        return pq.ParquetFile(path)
    except FileNotFoundError as error:
        raise DataError(f"{path}: no such file; `alee salt spans` writes it") from error
    except (OSError, pa.ArrowException) as error:
        raise DataError(f"{path}: cannot be read as Parquet ({error})") from error


def _row(found: FoundPair, info: SpanInfo) -> dict[str, Any]:
    pair = found.pair
    return {
        "pair_id": pair.id,
        "source_language": pair.source_language,
        "target_language": pair.target_language,
        "source": pair.source,
        "target": pair.target,
        "score": pair.score,
        "spans": [_span_row(span) for span in found.spans],
        "method": info.method,
        "layer": info.layer,
        "tokenizer": info.tokenizer,
    }


def _span_row(found: FoundSpan) -> dict[str, Any]:
    source, target = found.span.source, found.span.target
    numbers = (source.start, source.end, target.start, target.end, *found.source_tokens, *found.target_tokens)
    return dict(zip(_OFFSETS, numbers, strict=True)) | {"coverage": found.coverage}


def _found(row: Mapping[str, Any]) -> FoundPair:
    names = ("source_language", "target_language", "source", "target", "score")
    pair = ParallelPair(row["pair_id"], **{name: row[name] for name in names})
    return FoundPair(pair, tuple(_found_span(span, pair) for span in row["spans"]))


def _found_span(row: Mapping[str, Any], pair: ParallelPair) -> FoundSpan:
    numbers = [row[name] for name in _OFFSETS]
    span = AlignedSpan(Span(*numbers[0:2]), Span(*numbers[2:4]))
    if span.source.end > len(pair.source) or span.target.end > len(pair.target):
        raise DataError(f"a span ends after its text ({span.source.end}, {span.target.end})")
    return FoundSpan(span, (numbers[4], numbers[5]), (numbers[6], numbers[7]), row["coverage"])
