"""Where the batches of a run come from: tables of spans, filtered, sampled and packed, from a saved position on.

spans.parquet … ──check tokenizer──▶ score filter ──▶ length filter ──▶ cap ──▶ PackedStream
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, overload

import pyarrow as pa
import pyarrow.parquet as pq

from alee_mteb.errors import DataError
from salt.data.filters import chance, near_mean
from salt.data.stream import PackedStream
from salt.encoders.base import TokenEncoder
from salt.pairs import AlignedPair, AlignedSpan, ParallelPair, Span
from salt.spans.table import check_tokenizer
from salt.training.config import DataSettings

Languages = tuple[str, str]
_CHUNK = 4096


@dataclass(frozen=True)
class Pairs:
    """The pairs of one language pair: an Arrow table in memory, rows made into objects when asked for."""

    table: pa.Table

    def __len__(self) -> int:
        return int(self.table.num_rows)

    @overload
    def __getitem__(self, at: int) -> AlignedPair: ...

    @overload
    def __getitem__(self, at: slice) -> "list[AlignedPair]": ...

    def __getitem__(self, at: int | slice) -> "AlignedPair | list[AlignedPair]":
        if isinstance(at, slice):
            return [self[index] for index in range(*at.indices(len(self)))]
        if not 0 <= at < len(self):
            raise IndexError(at)
        return _aligned(self.table.slice(at, 1).to_pylist()[0])


@dataclass(frozen=True)
class Kept:
    """What is left of the data, and what went where.

    Attributes:
        pairs: by language pair.
        lengths: source and target tokens of each.
        dropped: number of pairs by reason.
    """

    pairs: Mapping[Languages, Pairs]
    lengths: Mapping[Languages, Sequence[tuple[int, int]]]
    dropped: Mapping[str, int]


def open_stream(
    settings: DataSettings, encoder: TokenEncoder, seed: int, position: Mapping[str, Any] | None
) -> tuple[PackedStream[AlignedPair], dict[str, float]]:
    """The stream of a run, from its beginning or from a saved place; and how many pairs were kept and dropped.

    Raises:
        DataError: a table is missing, is from another tokenizer, leaves no pair, or the place is of other data.
    """
    kept = read_pairs(settings, encoder)
    stream: PackedStream[AlignedPair] = PackedStream(
        kept.pairs,  # type: ignore[arg-type]  # a sequence in all but name
        kept.lengths,
        temperature=settings.temperature,
        budget=settings.token_budget,
        buffer=settings.buffer,
        seed=seed,
    )
    if position is not None:
        stream.seek(position)
    counts: dict[str, float] = {"data/pairs": stream.pairs, "data/language_pairs": len(kept.pairs)}
    counts |= {f"data/dropped/{reason}": number for reason, number in kept.dropped.items()}
    return stream, counts | {"data/dropped/over the budget": stream.oversized}


def read_pairs(settings: DataSettings, encoder: TokenEncoder) -> Kept:
    """The pairs that pass the filters. Which ones does not depend on the seed of a run.

    Raises:
        DataError: see `open_stream`.
    """
    paths = [Path(path) for path in settings.spans]
    for path in paths:
        check_tokenizer(path, encoder, retokenize=settings.retokenize)
    columns = ["pair_id", "source_language", "target_language", "source", "target", "score", "spans"]
    table = pa.concat_tables([pq.read_table(path, columns=columns).replace_schema_metadata() for path in paths])
    dropped = {"score": 0, "too long": 0, "over the cap": 0}
    pairs: dict[Languages, Pairs] = {}
    lengths: dict[Languages, Sequence[tuple[int, int]]] = {}
    longest = min(settings.max_tokens, encoder.max_tokens)
    for languages, rows in _by_languages(table).items():
        if settings.score_filter is not None:
            near = near_mean(table["score"].take(rows).to_pylist(), settings.score_filter)
            dropped["score"] += near.count(False)
            rows = rows.filter(pa.array(near, pa.bool_()))
        chosen, sizes = _short(table.take(rows), languages, encoder, longest)
        dropped["too long"] += len(rows) - len(sizes)
        if settings.max_pairs is not None and len(sizes) > settings.max_pairs:
            dropped["over the cap"] += len(sizes) - settings.max_pairs
            picked = _capped(chosen, settings.max_pairs)
            chosen, sizes = chosen.take(pa.array(picked)), [sizes[at] for at in picked]
        if sizes:
            pairs[languages], lengths[languages] = Pairs(chosen.combine_chunks()), sizes
    if not pairs:
        raise DataError(f"{', '.join(settings.spans)}: no pair is left ({dropped}); see data.max_tokens, score_filter")
    return Kept(pairs, lengths, dropped)


def _by_languages(table: pa.Table) -> dict[Languages, pa.Array]:
    """Row numbers of each language pair, in the order of the table."""
    sources, targets = (table[name].to_pylist() for name in ("source_language", "target_language"))
    rows: dict[Languages, list[int]] = {}
    for row, languages in enumerate(zip(sources, targets, strict=True)):
        rows.setdefault(languages, []).append(row)
    return {languages: pa.array(rows[languages], pa.int64()) for languages in sorted(rows)}


def _capped(table: pa.Table, most: int) -> list[int]:
    """The rows that `salt.data.filters.cap_languages` keeps of one language pair, without an object for every row."""
    text = table.drop_columns(["spans"])
    chances = [
        chance(ParallelPair(row.pop("pair_id"), **row), 0)
        for batch in text.to_batches(max_chunksize=_CHUNK)
        for row in batch.to_pylist()
    ]
    return sorted(sorted(range(len(chances)), key=chances.__getitem__)[:most])


def _short(
    table: pa.Table, languages: Languages, encoder: TokenEncoder, longest: int
) -> tuple[pa.Table, list[tuple[int, int]]]:
    """The rows whose texts are both short enough, and their lengths in tokens."""
    sizes: list[tuple[int, int]] = []
    for start in range(0, table.num_rows, _CHUNK):
        part = table.slice(start, _CHUNK)
        sides = (
            encoder.lengths(part[name].to_pylist(), code)
            for name, code in zip(("source", "target"), languages, strict=True)
        )
        sizes += zip(*sides, strict=True)
    fit = [max(size) <= longest for size in sizes]
    return table.filter(pa.array(fit, pa.bool_())), [size for size, fits in zip(sizes, fit, strict=True) if fits]


def _aligned(row: Mapping[str, Any]) -> AlignedPair:
    names = ("source_language", "target_language", "source", "target", "score")
    spans = tuple(
        AlignedSpan(Span(span["source_start"], span["source_end"]), Span(span["target_start"], span["target_end"]))
        for span in row["spans"]
    )
    return AlignedPair(ParallelPair(row["pair_id"], **{name: row[name] for name in names}), spans)
