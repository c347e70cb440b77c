"""Any parallel text in a table: TSV, CSV, JSONL or Parquet with an English column.

Columns are recognised by name: English (``eng_Latn``, ``en_EN``, ``en``, ``english``, or the one named by
``english_column``); languages (keys of the official data sets such as ``de_DE``, or codes such as ``deu_Latn``, or
those mapped by ``columns``); the row id (``id``, ``segment_id``, ``uniq_id``, or ``id_column``, else the row number).
``is_bad_source`` flags rows to leave out. Everything else becomes metadata.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from alee_mteb.errors import DataError, LanguageError
from alee_mteb.languages import ENGLISH_CODE, language_of
from alee_mteb.tables import SUFFIXES
from alee_mteb.triplets import BAD_SOURCE_COLUMN, language_columns
from builders.corpora.base import BaseCorpus, Duplicates, RawRow, TextSource, choose_languages
from builders.corpora.records import as_label, as_text, column_names, records

#: Names under which English is looked for, first match wins.
ENGLISH_COLUMNS = ("eng_Latn", "en_EN", "en", "english")
ID_COLUMNS = ("id", "segment_id", "uniq_id")
_FOIL = re.compile(r"eng?_(\w+_negative|Regenerated)")
#: What stands in manifests where nobody said what the text may be used for.
UNKNOWN_LICENSE = "unknown"


class FileCorpus(BaseCorpus):
    """Parallel text in one table, which may be several files of one kind that follow one another."""

    def __init__(
        self,
        files: Sequence[Path],
        *,
        config: str,
        languages: Sequence[str] | None = None,
        english_column: str | None = None,
        id_column: str | None = None,
        columns: Mapping[str, str] | None = None,
        source: TextSource | None = None,
        duplicates: Duplicates = "refuse",
    ) -> None:
        """Look at the columns.

        Args:
            config: configuration of the triplets, e.g. ``alee_mycorpus``.
            columns: column → language key, for columns whose names are not keys (``{"German": "deu_Latn"}``).
            source: name and licence; by default the path and ``unknown``.

        Raises:
            DataError: no English column; a named column that is not there; files whose columns differ.
            LanguageError: a key that is no language, a key twice, or a wanted language that is not there.
        """
        self._files = tuple(files)
        if not self._files:
            raise DataError(f"no table files ({', '.join(SUFFIXES)}) were found")
        names = column_names(self._files[0])
        place = str(self._files[0])
        for path in self._files[1:]:
            if set(column_names(path)) != set(names):
                odd = sorted(set(column_names(path)) ^ set(names))
                raise DataError(f"{path}: its columns differ from {self._files[0].name}: {', '.join(odd[:12])}")
        self._english = _english_column(names, english_column, place)
        self._id = _id_column(names, id_column, place)
        self._targets = _target_columns(names, self._english, dict(columns or {}), place)
        used = {self._english, self._id, BAD_SOURCE_COLUMN, *self._targets.values()}
        self._metadata = {name: _metadata_name(name, place) for name in names if name not in used}
        self._has_flag = BAD_SOURCE_COLUMN in names
        choice = choose_languages(list(self._targets), languages, (), "", place)
        super().__init__(
            config=config,
            english=self._english if self._english in ("eng_Latn", "en_EN") else ENGLISH_CODE,
            languages=choice.chosen,
            sources=[source or TextSource(place, UNKNOWN_LICENSE, None)],
            duplicates=duplicates,
        )

    def _raw_rows(self) -> Iterator[RawRow]:
        targets = {key: self._targets[key] for key in self.languages}
        wanted = [self._english, *targets.values(), *self._metadata]
        wanted += [self._id] if self._id else []
        wanted += [BAD_SOURCE_COLUMN] if self._has_flag else []
        total = 0
        for path in self._files:
            for number, row in records(path, wanted):
                total += 1
                place = f"{path}, row {number}"
                flagged = str(as_label(row.get(BAD_SOURCE_COLUMN))).lower() in {"true", "1", "yes"}
                yield RawRow(
                    id=self._row_id(row, total, place),
                    text=as_text(row[self._english], f"{place}, column {self._english!r}"),
                    translations={key: as_text(row[c], f"{place}, column {c!r}") for key, c in targets.items()},
                    metadata={name: as_label(row[column]) for column, name in self._metadata.items()},
                    place=place,
                    flaw="bad_source" if flagged else None,
                )

    def _row_id(self, row: Mapping[str, object], number: int, place: str) -> str:
        if self._id is None:
            return str(number)
        value = row[self._id]
        if value is None or isinstance(value, float | bool | list | dict) or not str(value).strip():
            raise DataError(f"{place}, column {self._id!r}: expected an id (text or whole number), got {value!r}")
        return str(value).strip()


def table_files(path: Path) -> list[Path]:
    """The table files a path means: itself, or the files of one kind in a folder, sorted.

    Raises:
        DataError: nothing there, no tables, or tables of several kinds.
    """
    if not path.exists():
        raise DataError(f"{path}: no such file or folder; give a table file, a folder, or a corpus by name")
    if path.is_file():
        return [path]
    found = sorted(child for child in path.iterdir() if child.is_file() and child.suffix.lower() in SUFFIXES)
    if not found:
        raise DataError(f"{path}: no table files ({', '.join(SUFFIXES)}), and no corpus whose layout is known")
    kinds = {child.suffix.lower() for child in found}
    if len(kinds) > 1:
        raise DataError(f"{path}: tables of several kinds ({', '.join(sorted(kinds))}); name one file")
    return found


def _english_column(names: Sequence[str], asked: str | None, place: str) -> str:
    if asked is not None:
        if asked not in names:
            raise DataError(f"{place}: no column {asked!r}; the columns are {_some(names)}")
        return asked
    for name in ENGLISH_COLUMNS:
        found = [column for column in names if column == name] or [c for c in names if c.lower() == name.lower()]
        if found:
            return found[0]
    raise DataError(
        f"{place}: no English column ({', '.join(ENGLISH_COLUMNS)}); the columns are {_some(names)}; "
        "name it with --english-column"
    )


def _id_column(names: Sequence[str], asked: str | None, place: str) -> str | None:
    if asked is not None and asked not in names:
        raise DataError(f"{place}: no column {asked!r}; the columns are {_some(names)}")
    return asked or next((name for name in ID_COLUMNS if name in names), None)


def _target_columns(names: Sequence[str], english: str, mapped: dict[str, str], place: str) -> dict[str, str]:
    """Language key → column, in the order of the columns."""
    for column, key in mapped.items():
        if column not in names:
            raise DataError(f"{place}: no column {column!r}; the columns are {_some(names)}")
        if language_of(key) is None:
            raise LanguageError(
                f"{place}: column {column!r}: {key!r} is no language key; use ISO 639-3 and script, such as deu_Latn"
            )
    found: dict[str, str] = {}
    for column in names:
        key = mapped.get(column, column)
        if column != english:
            language_columns([key], "", place)  # refuses what looks like a language and is none
        language = language_of(key)
        if column == english or language is None:
            continue
        if language.is_english:
            raise LanguageError(f"{place}: {english!r} and {column!r} are both English; drop one, or rename it")
        if key in found:
            raise LanguageError(f"{place}: the columns {found[key]!r} and {column!r} are the same language, {key}")
        found[key] = column
    return found


def _metadata_name(column: str, place: str) -> str:
    """What a further column is called in the built table, where some names have a meaning."""
    if _FOIL.fullmatch(column):
        raise DataError(f"{place}: column {column!r} holds foils already; drop it, or score the table as it is")
    return f"source_{column}" if column in ID_COLUMNS else column


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:12]) + (f", … ({len(names)} in all)" if len(names) > 12 else "")
