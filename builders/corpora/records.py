"""Reading table files row by row, so that memory does not grow with the file.

`alee_mteb.tables` reads whole columns, which is what scoring needs; building goes through a corpus once, in order.
Every value comes out as text or ``None``.
"""

import csv
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from alee_mteb.errors import DataError
from alee_mteb.tables import SUFFIXES

Record = dict[str, Any]

_BATCH = 256
_LONGEST_FIELD = 64 * 1024 * 1024


def column_names(path: Path) -> tuple[str, ...]:
    """The columns of a table file, in file order.

    Raises:
        DataError: the file is missing, empty, repeats a column, or is of an unknown kind.
    """
    kind = _kind(path)
    try:
        if kind == ".parquet":
            names = list(pq.read_schema(path).names)
        elif kind == ".jsonl":
            names = list(dict.fromkeys(name for _, row in _json_lines(path) for name in row))
        else:
            names = next((fields for _, fields in _separated(path)), [])
    except (pa.ArrowException, OSError, UnicodeDecodeError, csv.Error) as error:
        raise _unreadable(path, error) from error
    if not names:
        raise DataError(f"{path}: the file is empty; expected rows with named columns")
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        raise DataError(f"{path}: two columns are called {repeated!r}; rename one")
    return tuple(names)


def records(path: Path, columns: Sequence[str] | None = None) -> Iterator[tuple[int, Record]]:
    """(row number from 1, column → value) for every row, one after the other; only `columns` if given.

    Raises:
        DataError: the file cannot be read, or a row does not fit the header; the message names the line or row.
    """
    kind = _kind(path)
    try:
        if kind == ".parquet":
            yield from _parquet_rows(path, columns)
        elif kind == ".jsonl":
            for number, (_, row) in enumerate(_json_lines(path), start=1):
                yield number, row if columns is None else {name: row.get(name) for name in columns}
        else:
            yield from _separated_rows(path, columns)
    except (pa.ArrowException, OSError, UnicodeDecodeError, csv.Error) as error:
        raise _unreadable(path, error) from error


def as_text(value: Any, what: str) -> str | None:
    """A text value as it is.

    Raises:
        DataError: the value is something else; `what` says where.
    """
    if value is None or isinstance(value, str):
        return value
    raise DataError(f"{what}: expected text, got {type(value).__name__} ({str(value)[:40]})")


def as_label(value: Any) -> str | None:
    """A metadata value in words: ``None`` where empty, ``true``/``false``, numbers as written, structures as JSON."""
    if value is None or value == "":
        return None
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
    return str(value)


def _kind(path: Path) -> str:
    kind = path.suffix.lower()
    if kind not in SUFFIXES:
        raise DataError(f"{path}: not a table; expected one of {', '.join(SUFFIXES)}")
    return kind


def _parquet_rows(path: Path, columns: Sequence[str] | None) -> Iterator[tuple[int, Record]]:
    number = 0
    with pq.ParquetFile(path) as file:
        for batch in file.iter_batches(_BATCH, columns=None if columns is None else list(columns)):
            for row in batch.to_pylist():
                number += 1
                yield number, row


def _json_lines(path: Path) -> Iterator[tuple[int, Record]]:
    with path.open(encoding="utf-8-sig") as handle:
        for number, line in enumerate(handle, start=1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except json.JSONDecodeError as error:
                raise DataError(f"{path}: line {number}: not valid JSON ({error.msg}, column {error.colno})") from error
            if not isinstance(row, dict):
                raise DataError(f"{path}: line {number}: expected a JSON object, got {type(row).__name__}")
            yield number, row


def _separated_rows(path: Path, columns: Sequence[str] | None) -> Iterator[tuple[int, Record]]:
    rows = _separated(path)
    _, header = next(rows, (1, []))
    number = 0
    for line, fields in rows:
        if not fields:
            continue
        number += 1
        if len(fields) != len(header):
            raise DataError(
                f"{path}: line {line}: {len(fields)} fields where the header has {len(header)}; "
                "a separator, a quotation mark or a line break inside a text is not escaped"
            )
        row = dict(zip(header, (field or None for field in fields), strict=True))
        yield number, row if columns is None else {name: row[name] for name in columns}


def _separated(path: Path) -> Iterator[tuple[int, list[str]]]:
    """(last line number, fields) of a CSV or TSV file, the header first."""
    if path.suffix.lower() == ".tsv" and not _is_quoted(path):
        with path.open(encoding="utf-8-sig", newline="\n") as handle:
            for number, line in enumerate(handle, start=1):
                line = line.rstrip("\n").removesuffix("\r")
                yield number, line.split("\t") if line else []
        return
    csv.field_size_limit(_LONGEST_FIELD)
    with path.open(encoding="utf-8-sig", newline="") as handle:
        reader = csv.reader(handle, delimiter="\t" if path.suffix.lower() == ".tsv" else ",", strict=True)
        for fields in reader:
            yield reader.line_num, fields


def _is_quoted(path: Path) -> bool:
    """Whether a TSV file uses quotation marks as CSV does, rather than as part of its texts.

    Most parallel text comes as plain lines in which a text may begin with a quotation mark. A file that fits its
    header line by line counts as quoted only if something in it was written by a program that quotes (a doubled mark
    inside a field, or marks around every field) and all of it can be read so; one that does not fit, if it can be.
    """
    plain, evidence, every, n_tabs = True, False, True, None
    with path.open(encoding="utf-8-sig", newline="\n") as handle:
        for line in handle:
            line = line.rstrip("\n").removesuffix("\r")
            if not line:
                continue
            fields = line.split("\t")
            n_tabs = len(fields) if n_tabs is None else n_tabs
            plain = plain and len(fields) == n_tabs
            in_marks = [field for field in fields if len(field) > 1 and field[0] == field[-1] == '"']
            every = every and len(in_marks) == len(fields)
            evidence = evidence or any('""' in f[1:-1] and '"' not in f[1:-1].replace('""', "") for f in in_marks)
    return (evidence or every or not plain) and _reads_quoted(path)


def _reads_quoted(path: Path) -> bool:
    csv.field_size_limit(_LONGEST_FIELD)
    with path.open(encoding="utf-8-sig", newline="") as handle:
        try:
            return len({len(fields) for fields in csv.reader(handle, delimiter="\t", strict=True) if fields}) == 1
        except csv.Error:
            return False


def _unreadable(path: Path, error: Exception) -> DataError:
    if isinstance(error, FileNotFoundError):
        return DataError(f"{path}: no such file")
    if isinstance(error, UnicodeDecodeError):
        return DataError(f"{path}: not UTF-8 (byte {error.start}: {error.reason}); convert it, e.g. with iconv")
    return DataError(
        f"{path}: cannot be read, it may be truncated or of another kind ({error}); fetch or write it again"
    )
