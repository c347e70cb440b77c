"""Reading parallel text: TSV, JSONL, Parquet, Moses pairs, and the layouts of NLLB's primary data.

    read_pairs(Path("train.tsv"), source_language="eng_Latn", target_language="spa_Latn")
    read_pairs(Path("corpus"))                     # corpus.en + corpus.de, or a folder of language pairs

Texts may be gzipped (``.gz``). Rows are numbered from 1, as in an editor.
"""

import gzip
import json
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import zip_longest
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

from alee_mteb.errors import DataError
from salt.data.languages import checked_language, is_language_name
from salt.data.rows import ENGLISH, Columns, RowReader
from salt.pairs import ParallelPair

if TYPE_CHECKING:
    import pyarrow.parquet as pq

FORMATS = ("tsv", "jsonl", "parquet", "moses", "nllb")
_SUFFIXES = {".tsv": "tsv", ".txt": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet"}


def read_pairs(
    path: Path,
    *,
    source_language: str | None = None,
    target_language: str | None = None,
    target_path: Path | None = None,
    format: str | None = None,
    score_column: str | None = None,
    skip_empty: bool = False,
    skipped: Counter[str] | None = None,
) -> Iterator[ParallelPair]:
    """Pairs of a file or folder, one by one, in its order.

    Args:
        path: a TSV, JSONL or Parquet file; one file of a Moses pair, or what both names begin with; or a folder in a
            layout of NLLB's primary data (`salt.data.nllb`).
        source_language: code, such as ``eng_Latn`` or ``en``; ``None``: the file says.
        target_language: likewise.
        target_path: the other file of a Moses pair.
        format: one of `FORMATS`, if the name does not tell.
        score_column: column with a score; ``None``: ``score`` if there is one.
        skip_empty: pass over pairs with an empty side; otherwise they are errors.
        skipped: counts what is passed over.

    Raises:
        DataError: a file is missing or broken, sides have different numbers of lines, a side is empty, or it is not
            clear what is what; names file and row.
        LanguageError: an unknown language.
    """
    chosen = format or _format(path, target_path)
    if chosen not in FORMATS:
        raise DataError(f"format {chosen!r}: there are {', '.join(FORMATS)}")
    rows = RowReader(
        path, source_language, target_language, score_column, skip_empty, Counter() if skipped is None else skipped
    )
    if chosen == "nllb":
        from salt.data.nllb import read_nllb

        return read_nllb(rows)
    if chosen == "moses":
        return _read_moses(rows, target_path)
    if not path.is_file():
        raise DataError(f"{path}: no such file")
    readers = {"tsv": read_tsv, "jsonl": _read_jsonl, "parquet": _read_parquet}
    return readers[chosen](rows)


def _format(path: Path, target_path: Path | None) -> str:
    if target_path is not None:
        return "moses"
    if path.is_dir():
        return "nllb"
    name = path.with_suffix("") if path.suffix == ".gz" else path
    if name.suffix in _SUFFIXES:
        return _SUFFIXES[name.suffix]
    if path.suffix == ".gz" and "-" in name.name and path.is_file():
        return "tsv"  # eng_Latn-deu_Latn.gz
    return "moses"


@contextmanager
def open_text(path: Path) -> Iterator[Iterator[str]]:
    """The lines of a text file, gzipped or not, without their ends; only line feeds end lines.

    Raises:
        DataError: the file is missing, is not UTF-8, or is broken; names the row.
    """
    try:
        stream = cast(IO[bytes], gzip.open(path) if path.suffix == ".gz" else path.open("rb"))  # noqa: SIM115 - closed below
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror or error})") from None
    with stream:
        yield _lines(path, stream)


def _lines(path: Path, stream: IO[bytes]) -> Iterator[str]:
    row = 0
    try:
        for row, raw in enumerate(stream, start=1):
            text = raw.decode("utf-8")
            yield (text.removeprefix("\ufeff") if row == 1 else text).rstrip("\r\n")
    except UnicodeDecodeError:
        raise DataError(f"{path}, row {row}: not UTF-8; convert the file") from None
    except (EOFError, OSError, zlib.error) as error:
        raise DataError(f"{path}, after row {row}: the file is broken ({error}); fetch it again") from None


def read_tsv(rows: RowReader) -> Iterator[ParallelPair]:
    """Tab-separated rows: a header that names the columns, or source and target first and anything after them.

    A header is a first row of names: ``source`` and ``target``, or two or more languages. Without one, a score can be
    had by the number of its column (from 1) as `score_column`.
    """
    with open_text(rows.file) as lines:
        first = next(lines, None)
        if first is None:
            raise DataError(f"{rows.file}: empty file")
        names = [name.strip() for name in first.split("\t")]
        if _is_header(names):
            columns = rows.columns(names)
            for row, line in enumerate(lines, start=2):
                cells = line.split("\t")
                if len(cells) != len(names):
                    raise DataError(f"{rows.where(row)}: {len(cells)} cells under a header of {len(names)}")
                yield from _one(rows.from_mapping(row, dict(zip(names, cells, strict=True)), columns))
            return
        languages = rows.need_languages()
        score_at = _score_position(rows)
        for row, line in enumerate(_chain(first, lines), start=1):
            cells = line.split("\t")
            if len(cells) < max(2, score_at + 1):
                wanted = "a source and a target" if score_at < 2 else f"{score_at + 1} cells"
                raise DataError(f"{rows.where(row)}: {len(cells)} cells; {wanted} expected, with a tab between")
            score = cells[score_at] if score_at >= 0 else None
            yield from _one(rows.pair(row, (cells[0], cells[1]), languages, score=score))


def _is_header(names: list[str]) -> bool:
    if {"source", "target"} <= set(names):
        return True
    full = [name for name in names if len(name) > 3 and is_language_name(name)]
    short = [name for name in names if len(name) <= 3 and is_language_name(name)]
    # Two short words of a sentence pair may look like languages ("no", "de"): then all cells must be names.
    return len(full) >= 2 or (len(short) >= 2 and len(full) + len(short) + ("score" in names) == len(names))


def _score_position(rows: RowReader) -> int:
    if rows.score_column is None:
        return -1
    if not rows.score_column.isdecimal() or int(rows.score_column) < 3:
        raise DataError(
            f"{rows.file}: no header, so score column {rows.score_column!r} must be the number of a column after the "
            "second"
        )
    return int(rows.score_column) - 1


def _read_jsonl(rows: RowReader) -> Iterator[ParallelPair]:
    known: dict[tuple[str, ...], Columns] = {}
    with open_text(rows.file) as lines:
        for row, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                values = json.loads(line)
            except (ValueError, RecursionError) as error:  # the latter for brackets without end
                raise DataError(f"{rows.where(row)}: not JSON ({error})") from None
            if not isinstance(values, dict):
                raise DataError(f"{rows.where(row)}: a JSON object expected, not {type(values).__name__}")
            names = tuple(values)
            if names not in known:
                try:
                    known[names] = rows.columns(names)
                except DataError as error:
                    raise DataError(f"{rows.where(row)}: {str(error).removeprefix(f'{rows.file}: ')}") from None
            yield from _one(rows.from_mapping(row, values, known[names]))


def _read_parquet(rows: RowReader) -> Iterator[ParallelPair]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.ParquetFile(rows.file)
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"{rows.file}: not a Parquet file ({str(error).splitlines()[0]})") from None
    with table:
        columns = rows.columns(table.schema_arrow.names)
        wanted = [columns.source, columns.target, columns.score, columns.identifier]
        for side, in_row in zip(("source", "target"), columns.languages_by_row, strict=True):
            wanted.append(f"{side}_language" if in_row else None)
        for row, values in enumerate(_parquet_rows(rows.file, table, [name for name in wanted if name]), start=1):
            yield from _one(rows.from_mapping(row, values, columns))


def _parquet_rows(path: Path, table: "pq.ParquetFile", columns: list[str]) -> Iterator[dict[str, Any]]:
    """
    Raises:
        DataError: the file is broken behind its description, which is read first.
    """
    import pyarrow as pa

    batches, done = table.iter_batches(columns=columns), 0
    while True:
        try:
            batch = next(batches, None)
            values = [] if batch is None else batch.to_pylist()
        except (pa.ArrowException, OSError, ValueError) as error:
            reason = (str(error).splitlines() or [type(error).__name__])[0]
            raise DataError(f"{path}, after row {done}: the file is broken ({reason}); fetch it again") from None
        if batch is None:
            return
        done += len(values)
        yield from values


def _read_moses(rows: RowReader, target_path: Path | None) -> Iterator[ParallelPair]:
    source, target = _moses_files(rows, target_path)
    rows.file = source
    return read_sides(rows, source, target, rows.need_languages())


def read_sides(rows: RowReader, source: Path, target: Path, languages: tuple[str, str]) -> Iterator[ParallelPair]:
    """Pairs of two files with one text a line.

    Raises:
        DataError: the files have different numbers of lines.
    """
    with open_text(source) as left, open_text(target) as right:
        for row, (one, other) in enumerate(zip_longest(left, right), start=1):
            if one is None or other is None:
                short, long = (source, target) if one is None else (target, source)
                raise DataError(f"{short}: {row - 1} lines, but {long.name} has more; the two must belong line by line")
            yield from _one(rows.pair(row, (one, other), languages))


def _moses_files(rows: RowReader, target_path: Path | None) -> tuple[Path, Path]:
    """Source and target file; sets the languages of `rows` where only the names tell them."""
    path = rows.file
    if target_path is not None:
        for file, side in ((path, "source_language"), (target_path, "target_language")):
            if not file.is_file():
                raise DataError(f"{file}: no such file")
            if getattr(rows, side) is None and is_language_name(_ending(file)):
                setattr(rows, side, checked_language(_ending(file), str(file)))
        return path, target_path
    stem = path.name
    if path.is_file() and is_language_name(_ending(path)):
        stem = path.name.removesuffix(".gz").rsplit(".", 1)[0]
    found = {
        checked_language(_ending(file), str(file)): file
        for file in sorted(path.parent.glob("*"))
        if file.name.removesuffix(".gz") == f"{stem}.{_ending(file)}" and is_language_name(_ending(file))
    }
    given = [code for code in (rows.source_language, rows.target_language) if code is not None]
    if not found:
        raise DataError(f"{path}: no such file, and no pair of files {stem}.LANGUAGE either")
    missing = [code for code in given if code not in found]
    if missing or (len(found) != 2 and len(given) < 2):
        names = ", ".join(file.name for file in found.values())
        raise DataError(f"{path}: two languages expected, found {names}; give source and target language")
    rest = [code for code in found if code not in given]
    if path.is_file() and is_language_name(_ending(path)):
        rest.sort(key=lambda code: found[code] != path)  # the file that was named is the source
    else:
        rest.sort(key=lambda code: code != ENGLISH)  # English first
    rows.source_language = rows.source_language or rest.pop(0)
    rows.target_language = rows.target_language or rest.pop(0)
    return found[rows.source_language], found[rows.target_language]


def _ending(file: Path) -> str:
    return file.name.removesuffix(".gz").rpartition(".")[2]


def _one(pair: ParallelPair | None) -> Iterator[ParallelPair]:
    if pair is not None:
        yield pair


def _chain(first: str, rest: Iterator[str]) -> Iterator[str]:
    yield first
    yield from rest
