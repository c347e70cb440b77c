"""The wide triplet table: English sources, their foils, and one column per target language (DESIGN.md §2).

Two dialects are read, ours and that of the published data; they differ in how English is called (``eng_Latn`` or
``en_EN``) and in the column that identifies a row. Everything wrong with a table is found here, before any encoder
runs, and named by file, column and row.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from alee_mteb.errors import DataError, LanguageError
from alee_mteb.languages import ENGLISH_KEYS, Language, canonical_key, is_known_code, language_of
from alee_mteb.perturbations import Perturbation
from alee_mteb.tables import TableReader

#: Columns that identify a row, most specific first (BOUQuET, ours, WMT24++).
ID_COLUMNS = ("uniq_id", "id", "segment_id")
#: Rows with a true value here are dropped (WMT24++).
BAD_SOURCE_COLUMN = "is_bad_source"

_LOOKS_LIKE_LANGUAGE = re.compile(r"[a-z]{2,3}_[A-Z][A-Za-z]{1,3}(_[a-z0-9]+)?")
_WORD = re.compile(r"\w+")
_NOT_ALPHANUMERIC = re.compile(r"[\W_]+")


@dataclass(frozen=True)
class Targets:
    """The translations of one language, aligned with the rows of the table.

    Attributes:
        texts: one per row; ``None`` where the translation is missing.
    """

    language: Language
    texts: tuple[str | None, ...]

    @property
    def n_missing(self) -> int:
        """Rows that are left out for this language."""
        return sum(text is None for text in self.texts)


@dataclass(frozen=True)
class TripletTable:
    """Validated triplets without their translations, which are read language by language.

    Rows are those with at least one foil, in id order (numeric if all ids are whole numbers, else by text).

    Attributes:
        place: file or repository, for messages.
        english: the English key of the data set; also the subset under which English is a target.
        ids: one per row.
        sources: English source texts.
        foils: for every perturbation, the foil per row or ``None``.
        regenerated: control texts (§4), or ``None`` if the table has none.
        languages: subset keys, in column order, and the column each is read from.
        n_dropped: rows left out because they are flagged bad, and because they have no foil.
        metadata: values of ``domain``, ``level`` and ``document_id`` where the table has them.
    """

    place: str
    english: str
    ids: tuple[str, ...]
    sources: tuple[str, ...]
    foils: dict[Perturbation, tuple[str | None, ...]]
    regenerated: tuple[str | None, ...] | None
    languages: dict[str, str]
    n_dropped: dict[str, int]
    metadata: dict[str, tuple[str | None, ...]]
    _reader: TableReader = field(repr=False)
    _rows: NDArray[np.int64] = field(repr=False)

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def has_foil(self) -> dict[Perturbation, NDArray[np.bool_]]:
        """Per perturbation, which rows have a foil, shape (rows,)."""
        return {kind: np.array([text is not None for text in texts]) for kind, texts in self.foils.items()}

    @cached_property
    def english_words(self) -> tuple[list[frozenset[str] | None], ...]:
        """Word sets of the sources, then of the foils of each perturbation; the same for every language."""
        columns = (self.sources, *self.foils.values())
        return tuple([None if text is None else words_of(text) for text in column] for column in columns)

    def english_texts(self) -> Iterator[str]:
        """Every source, foil and control text, repeats included, in a fixed order."""
        yield from self.sources
        for texts in (*self.foils.values(), self.regenerated or ()):
            yield from (text for text in texts if text is not None)

    def has_translations(self, key: str) -> bool:
        """Whether any row with a foil is translated into this language.

        Raises:
            DataError: the column does not hold text.
        """
        if key not in self.languages:
            return False
        column = self.languages[key]
        texts = _texts(self._reader.read([column]), column, self.place)
        return any(texts[row] is not None for row in self._rows)

    def targets(self, key: str) -> Targets:
        """The translations into one language.

        Raises:
            LanguageError: the table has no such language.
            DataError: the column does not hold text, or no row has both a translation and a foil.
        """
        if key not in self.languages:
            raise LanguageError(f"{self.place}: no language {key!r}; it has {_some(list(self.languages))}")
        column = self.languages[key]
        texts = _texts(self._reader.read([column]), column, self.place)
        ordered = tuple(texts[row] for row in self._rows)
        if all(text is None for text in ordered):
            raise DataError(f"{self.place}: column {column!r}: zero usable triplets, no row with a foil is translated")
        language = language_of(column) or language_of(key)
        assert language is not None, "languages are recognised by language_of"
        return Targets(Language(key, language.code), ordered)


def foil_column(english: str, kind: Perturbation) -> str:
    """The foil column beside a source column: ``eng_RoleSwap_negative`` for ``eng_Latn``, ``en_…`` for ``en_EN``."""
    return f"{english.split('_')[0]}_{kind.value}_negative"


def regenerated_column(english: str) -> str:
    """The column of sources regenerated from their unedited graphs (DESIGN.md §4, control)."""
    return f"{english.split('_')[0]}_Regenerated"


def language_columns(columns: Iterable[str], dataset: str, place: str) -> dict[str, str]:
    """Subset key → column, for every column that holds a language.

    Raises:
        LanguageError: a column is named like a language but is none, or two columns mean the same subset.
    """
    found: dict[str, str] = {}
    for column in columns:
        if language_of(column) is None:
            if _LOOKS_LIKE_LANGUAGE.fullmatch(column):
                raise LanguageError(
                    f"{place}: unknown language key {column!r}; use ISO 639-3 and script (deu_Latn) "
                    "or a key of the official data sets (de_DE)"
                )
            continue
        if canonical_key(column, dataset) == column and not is_known_code(column):
            raise LanguageError(f"{place}: unknown language key {column!r}: no such ISO 639-3 language or script")
        key = canonical_key(column, dataset)
        if key in found:
            raise LanguageError(f"{place}: the columns {found[key]!r} and {column!r} are the same language, {key}")
        found[key] = column
    return found


def load_triplets(reader: TableReader, dataset: str, place: str) -> TripletTable:
    """Read and validate a wide table.

    Args:
        reader: the data files.
        dataset: the task name without ``@…``; decides the spelling of subset keys.
        place: file or repository, for messages.

    Raises:
        DataError: no source or foil columns; a missing source; a duplicate id; a foil that equals its source; a
            column that does not hold text; no row with a foil.
        LanguageError: see `language_columns`.
    """
    english = next((key for key in ENGLISH_KEYS if key in reader.columns), None)
    if english is None:
        raise DataError(
            f"{place}: no English column (one of {', '.join(ENGLISH_KEYS)}); it has {_some(reader.columns)}"
        )
    foil_columns = {kind: foil_column(english, kind) for kind in Perturbation}
    foil_columns = {kind: column for kind, column in foil_columns.items() if column in reader.columns}
    if not foil_columns:
        expected = foil_column(english, Perturbation.POLARITY_NEGATION)
        raise DataError(f"{place}: no foil columns such as {expected}; build them first with `alee build`")
    id_column = next((name for name in ID_COLUMNS if name in reader.columns), None)
    if id_column is None:
        raise DataError(f"{place}: no column that identifies a row (one of {', '.join(ID_COLUMNS)})")
    control_column = regenerated_column(english)

    wanted = [id_column, english, *foil_columns.values()]
    wanted += [c for c in (control_column, BAD_SOURCE_COLUMN, *_METADATA) if c in reader.columns and c not in wanted]
    table = reader.read(wanted)
    kept = _good_rows(table, place)
    ids = _ids(table, id_column, place)
    sources = _texts(table, english, place)
    foils = {kind: _texts(table, column, place) for kind, column in foil_columns.items()}
    for row in kept:
        if sources[row] is None:
            raise DataError(f"{place}: column {english!r}, row {ids[row]}: the source is missing")
    _refuse_duplicates([ids[row] for row in kept], id_column, place)
    for kind, column in foil_columns.items():
        for row in kept:
            if same_text(sources[row], foils[kind][row]):
                raise DataError(f"{place}: column {column!r}, row {ids[row]}: the foil equals its source")

    usable = [row for row in kept if any(texts[row] is not None for texts in foils.values())]
    if not usable:
        raise DataError(f"{place}: zero usable triplets, no row has a foil")
    order = _in_id_order(usable, ids)
    regenerated = _texts(table, control_column, place) if control_column in table.column_names else None
    return TripletTable(
        place=place,
        english=canonical_key(english, dataset),
        ids=tuple(ids[row] for row in order),
        sources=tuple(str(sources[row]) for row in order),
        foils={
            kind: tuple(foils[kind][row] for row in order) if kind in foils else (None,) * len(order)
            for kind in Perturbation
        },
        regenerated=None if regenerated is None else tuple(regenerated[row] for row in order),
        languages=language_columns(reader.columns, dataset, place),
        n_dropped={"bad_source": table.num_rows - len(kept), "no_foil": len(kept) - len(usable)},
        metadata={name: _labels(table, name, order) for name in _METADATA if name in table.column_names},
        _reader=reader,
        _rows=np.array(order, dtype=np.int64),
    )


_METADATA = ("domain", "level", "document_id")


def words_of(text: str) -> frozenset[str]:
    """The distinct words of a text, lower-cased."""
    return frozenset(_WORD.findall(text.lower()))


def same_text(source: str | None, foil: str | None) -> bool:
    """Whether a foil changes nothing but case, spaces and punctuation (DESIGN.md §4, ``no_change``)."""
    return source is not None and foil is not None and _bare(source) == _bare(foil)


def _bare(text: str) -> str:
    # Texts without any letter or digit are compared as they are, or all of them would be the same.
    return _NOT_ALPHANUMERIC.sub("", text.lower()) or text


def _good_rows(table: pa.Table, place: str) -> list[int]:
    if BAD_SOURCE_COLUMN not in table.column_names:
        return list(range(table.num_rows))
    flags = [str(value).strip().lower() for value in table.column(BAD_SOURCE_COLUMN).to_pylist()]
    odd = next((row for row, flag in enumerate(flags) if flag not in _TRUE | _FALSE), None)
    if odd is not None:
        raise DataError(
            f"{place}: column {BAD_SOURCE_COLUMN!r}, row {odd + 1}: expected true or false, got {flags[odd]!r}"
        )
    return [row for row, flag in enumerate(flags) if flag in _FALSE]


_TRUE = {"true", "1", "1.0", "yes"}
_FALSE = {"false", "0", "0.0", "no", "none", ""}


def _texts(table: pa.Table, column: str, place: str) -> list[str | None]:
    """A text column as stripped-of-nothing strings; blank texts count as missing."""
    values = table.column(column)
    kind = values.type
    if pa.types.is_dictionary(kind):
        values, kind = values.cast(kind.value_type), kind.value_type
    if not (
        pa.types.is_string(kind)
        or pa.types.is_large_string(kind)
        or pa.types.is_string_view(kind)
        or pa.types.is_null(kind)
    ):
        raise DataError(f"{place}: column {column!r}: expected text, got {kind}")
    return [text if text is not None and text.strip() else None for text in values.to_pylist()]


def _ids(table: pa.Table, column: str, place: str) -> list[str]:
    values = table.column(column).to_pylist()
    for row, value in enumerate(values, start=1):
        if value is None or isinstance(value, float | list | dict) or not str(value).strip():
            raise DataError(
                f"{place}: column {column!r}, row {row}: expected an id (text or whole number), got {value!r}"
            )
    return [str(value) for value in values]


def _labels(table: pa.Table, column: str, order: Sequence[int]) -> tuple[str | None, ...]:
    values = table.column(column).to_pylist()
    return tuple(None if values[row] is None else str(values[row]) for row in order)


def _refuse_duplicates(ids: Sequence[str], column: str, place: str) -> None:
    repeated = [name for name, count in Counter(ids).items() if count > 1]
    if repeated:
        raise DataError(
            f"{place}: column {column!r}: duplicate id {repeated[0]!r} ({len(repeated)} ids are not unique)"
        )


def _in_id_order(rows: Sequence[int], ids: Sequence[str]) -> list[int]:
    if all(ids[row].isdecimal() for row in rows):
        return sorted(rows, key=lambda row: int(ids[row]))
    return sorted(rows, key=lambda row: ids[row])


def _some(names: Sequence[str], limit: int = 12) -> str:
    return ", ".join(names[:limit]) + (f", … ({len(names)} in all)" if len(names) > limit else "")
