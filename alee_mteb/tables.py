"""Reading named columns from the table files that people keep parallel text in.

Parquet, CSV, TSV and JSONL (each also as several files that follow one another) are read through one interface:
the column names first, then only the columns asked for. Nothing here knows what the columns mean.
"""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from alee_mteb.errors import DataError

#: File name endings that hold tables.
SUFFIXES = (".parquet", ".csv", ".tsv", ".jsonl")


class TableReader:
    """One table in one or more files of one kind.

    Parquet is read column by column on demand; the text formats are parsed once, at the first question, and kept.

    Raises:
        DataError: a file is missing, truncated, empty, of an unknown kind, or differs in columns from the first.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        self.paths = tuple(paths)
        if not self.paths:
            raise DataError("no data files were given")
        self._parsed: pa.Table | None = None
        self._stamps = [_stamp(path) for path in self.paths]
        self.columns: tuple[str, ...] = self._column_names()

    @classmethod
    def of(cls, table: pa.Table) -> "TableReader":
        """A reader over a table that is in memory already."""
        reader = cls.__new__(cls)
        reader.paths, reader._parsed, reader.columns = (), table, tuple(table.column_names)
        return reader

    def read(self, columns: Sequence[str]) -> pa.Table:
        """The table with just these columns, in this order."""
        missing = [column for column in columns if column not in self.columns]
        if missing:
            place = self.paths[0] if self.paths else "the table"
            raise DataError(f"{place}: no column {missing[0]!r}; the columns are {_some(self.columns)}")
        if self._parsed is not None:
            return self._parsed.select(list(columns))
        if [_stamp(path) for path in self.paths] != self._stamps:
            raise DataError(f"{self.paths[0]}: the file changed while it was being read; run again")
        return _joined([_read_parquet(path, list(columns)) for path in self.paths], self.paths[0]).select(list(columns))

    def metadata(self) -> dict[str, str]:
        """The key-value metadata of the first Parquet file; empty for other kinds."""
        if not self.paths or self.paths[0].suffix != ".parquet":
            return {}
        raw = _parquet_schema(self.paths[0]).metadata or {}
        return {key.decode(): value.decode(errors="replace") for key, value in raw.items()}

    def _column_names(self) -> tuple[str, ...]:
        kinds = {path.suffix.lower() for path in self.paths}
        if len(kinds) != 1 or not kinds <= set(SUFFIXES):
            raise DataError(f"{self.paths[0]}: expected files of one kind out of {', '.join(SUFFIXES)}")
        if kinds == {".parquet"}:
            names = [tuple(_parquet_schema(path).names) for path in self.paths]
            for path, other in zip(self.paths, names, strict=True):
                if set(other) != set(names[0]):
                    odd = sorted(set(other) ^ set(names[0]))
                    raise DataError(f"{path}: its columns differ from {self.paths[0].name}: {_some(odd)}")
            return names[0]
        parse = _parse_jsonl if kinds == {".jsonl"} else _parse_separated
        self._parsed = _joined([parse(path) for path in self.paths], self.paths[0])
        return tuple(self._parsed.column_names)


def _joined(parts: Sequence[pa.Table], path: Path) -> pa.Table:
    repeated = [name for name, count in Counter(parts[0].column_names).items() if count > 1]
    if repeated:
        raise DataError(f"{path}: the column {repeated[0]!r} is there twice")
    try:
        return pa.concat_tables(parts, promote_options="permissive")
    except pa.ArrowException as error:
        raise DataError(f"{path}: its parts do not fit together ({error})") from error


def _stamp(path: Path) -> tuple[int, int] | None:
    """Size and time of change; ``None`` if there is no such file."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns


def _parquet_schema(path: Path) -> pa.Schema:
    try:
        return pa.parquet.read_schema(path)
    except (pa.ArrowException, OSError) as error:
        raise _unreadable(path, error) from error


def _read_parquet(path: Path, columns: list[str]) -> pa.Table:
    try:
        return pa.parquet.read_table(path, columns=columns, partitioning=None)
    except (pa.ArrowException, OSError) as error:
        raise _unreadable(path, error) from error


def _parse_separated(path: Path) -> pa.Table:
    delimiter = "\t" if path.suffix.lower() == ".tsv" else ","
    try:
        with path.open(encoding="utf-8-sig", newline="") as handle:
            names = handle.readline().rstrip("\r\n")
        if not names:
            raise DataError(f"{path}: the file is empty; expected a header line")
        header = pa.csv.read_csv(
            pa.BufferReader((names + "\n").encode()), parse_options=_dialect(delimiter)
        ).column_names
        return pa.csv.read_csv(
            path,
            parse_options=_dialect(delimiter),
            convert_options=pa.csv.ConvertOptions(
                column_types=dict.fromkeys(header, pa.string()), strings_can_be_null=True, null_values=[""]
            ),
        )
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise _unreadable(path, error) from error


def _dialect(delimiter: str) -> pa.csv.ParseOptions:
    return pa.csv.ParseOptions(delimiter=delimiter, newlines_in_values=True)


def _parse_jsonl(path: Path) -> pa.Table:
    rows = []
    try:
        with path.open(encoding="utf-8") as handle:
            for number, line in enumerate(handle, start=1):
                if line.strip():
                    row = json.loads(line)
                    if not isinstance(row, dict):
                        raise DataError(f"{path}: line {number}: expected a JSON object, got {type(row).__name__}")
                    rows.append(row)
    except json.JSONDecodeError as error:
        raise DataError(f"{path}: line {number}: not valid JSON ({error.msg}, column {error.colno})") from error
    except (OSError, UnicodeDecodeError) as error:
        raise _unreadable(path, error) from error
    if not rows:
        raise DataError(f"{path}: the file is empty; expected one JSON object a line")
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = {}
    for name in names:
        try:
            columns[name] = pa.array([row.get(name) for row in rows])
        except pa.ArrowException as error:
            raise DataError(f"{path}: column {name!r} mixes types ({error})") from error
    return pa.table(columns)


def _unreadable(path: Path, error: Exception) -> DataError:
    if isinstance(error, FileNotFoundError):
        return DataError(f"{path}: no such file")
    return DataError(
        f"{path}: cannot be read, it may be truncated or of another kind ({error}); fetch or write it again"
    )


def _some(names: Sequence[str], limit: int = 12) -> str:
    shown = ", ".join(names[:limit])
    return shown + (f", … ({len(names)} in all)" if len(names) > limit else "")
