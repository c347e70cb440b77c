"""BOUQuET test, 854 sentences and 198 paragraphs: the source of ALEE-BQ275. Gated on the Hub.

``data/sentence_level/test/deu_Latn.parquet``, ``data/paragraph_level/test/deu_Latn.parquet``, …: long format, one row
per unit and language, with the columns

    uniq_id src_lang src_text tgt_lang tgt_text level split
    domain register tags par_id par_comment orig_text newline_next

Every language stands on the source side beside English (English too, in ``eng_Latn.parquet``); rows in the other
direction are understood as well. They are turned into one row per ``uniq_id``. Glottocodes stay in the keys
(``por_Latn_braz1246``).

There is one English text per ``uniq_id``: the one in the English file, else the first one met. A translation that
stands beside another English text than that is left out and counted (`BaseCorpus.left_out`).
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pyarrow.compute as pc

from alee_mteb.errors import DataError
from alee_mteb.languages import ENGLISH_CODE, language_of, official_languages
from alee_mteb.sources import expand, readme_configs, split_patterns
from alee_mteb.tables import TableReader
from builders.corpora.base import BaseCorpus, Duplicates, RawRow, TextSource, choose_languages
from builders.corpora.places import Place, card_license, hub_place
from builders.corpora.records import as_label

REPOSITORY = "facebook/bouquet"
LICENSE = "cc-by-sa-4.0"
DATASET = "ALEE-BQ275"
CONFIG = "alee_bq275"

Level = Literal["sentence_level", "paragraph_level"]
LEVELS: tuple[Level, ...] = ("sentence_level", "paragraph_level")

_KEY_COLUMNS = ("uniq_id", "src_lang", "src_text", "tgt_lang", "tgt_text")
_METADATA = ("domain", "register", "tags", "level", "par_id", "par_comment", "orig_text", "newline_next")


class BouquetCorpus(BaseCorpus):
    """BOUQuET, sentences first, then paragraphs."""

    def __init__(
        self,
        place: Place,
        languages: Sequence[str] | None = None,
        *,
        levels: Sequence[Level] = LEVELS,
        duplicates: Duplicates = "refuse",
    ) -> None:
        """Look which languages `place` has at the wanted levels.

        Raises:
            DataError: no files of a level, or a file without the columns of BOUQuET.
            LanguageError: a wanted language is not there.
        """
        self._place = place
        self._files = {level: level_files(place, level) for level in levels}
        for level, files in self._files.items():
            if not files:
                raise DataError(
                    f"{place.name}: no file such as data/{level}/test/eng_Latn.parquet; is this BOUQuET ({REPOSITORY})?"
                )
        self._keys = {path: _languages_in(path) for files in self._files.values() for path in files}
        offered = {key for keys in self._keys.values() for key in keys}
        official = [language.key for language in official_languages(DATASET) if not language.is_english]
        choice = choose_languages(sorted(offered), languages, official, DATASET, place.name)
        super().__init__(
            config=CONFIG,
            english=ENGLISH_CODE,
            languages=choice.chosen,
            sources=[TextSource(place.name, card_license(place, LICENSE), place.revision, REPOSITORY)],
            duplicates=duplicates,
            absent=choice.absent,
        )

    def _raw_rows(self) -> Iterator[RawRow]:
        for level, files in self._files.items():
            wide = _Wide({path: self._keys[path] for path in files}, self.languages)
            self.left_out.update(wide.left_out)
            place = f"{self._place.name} ({level})"
            for number, (unit, text, metadata) in enumerate(wide.units):
                translations = {key: column[number].as_py() for key, column in wide.columns.items()}
                yield RawRow(unit, text, translations, {"level": level, **metadata}, f"{place}, unit {number + 1}")


class _Wide:
    """One level turned from long to wide; translations are kept as Arrow columns, which are compact.

    Attributes:
        units: (uniq_id, English text, metadata), in the order of the English file, then as met.
        columns: language → translations aligned with `units`.
        left_out: reason → translations that could not be used.
    """

    def __init__(self, files: Mapping[Path, Sequence[str]], languages: Sequence[str]) -> None:
        """Read the files; each is given with the languages it has."""
        self.units: list[tuple[str, str | None, dict[str, str | None]]] = []
        self.columns: dict[str, pa.Array] = {}
        self.left_out: dict[str, int] = {}
        self._index: dict[str, int] = {}
        # The English file decides about texts and order, so it is read first.
        for path in sorted(files, key=lambda path: (path.stem != ENGLISH_CODE, path.name)):
            self._collect_english(path)
        for path, keys in files.items():
            wanted = set(keys) & set(languages)
            if wanted:
                self._collect(path, wanted)
        empty = pa.nulls(len(self.units), pa.string())
        self.columns = {key: self.columns.get(key, empty) for key in languages}

    def _collect_english(self, path: Path) -> None:
        if self._index and {str(unit) for unit in _read(path, ["uniq_id"])["uniq_id"].to_pylist()} <= set(self._index):
            return
        table = _read(path, [*_KEY_COLUMNS, *_METADATA])
        names = [name for name in _METADATA if name in table.column_names]
        for row in table.to_pylist():
            unit = str(row["uniq_id"])
            if unit in self._index:
                continue
            text = row["tgt_text"] if row["tgt_lang"] == ENGLISH_CODE else None
            text = row["src_text"] if row["src_lang"] == ENGLISH_CODE else text
            if text is None:
                continue
            self._index[unit] = len(self.units)
            self.units.append((unit, text, {name: as_label(row[name]) for name in names}))

    def _collect(self, path: Path, wanted: set[str]) -> None:
        texts: dict[str, list[str | None]] = {}
        before = self.left_out.get("other_source", 0)
        for row in _read(path, _KEY_COLUMNS).to_pylist():
            key, text, english = _oriented(row)
            if key not in wanted:
                continue
            at = self._index.get(str(row["uniq_id"]))
            if at is None:
                self._leave_out("no_source")
            elif english is not None and english.split() != (self.units[at][1] or "").split():
                self._leave_out("other_source")
            else:
                texts.setdefault(key, [None] * len(self.units))[at] = text
        if not texts and self.left_out.get("other_source", 0) > before:
            raise DataError(
                f"{path}: none of its translations stands beside the English text of the other files; "
                "are they of one version?"
            )
        for key, column in texts.items():
            new = pa.array(column, pa.string())
            self.columns[key] = pc.coalesce(self.columns[key], new) if key in self.columns else new

    def _leave_out(self, reason: str) -> None:
        self.left_out[reason] = self.left_out.get(reason, 0) + 1


def hub_bouquet(
    revision: str | None, languages: Sequence[str] | None, levels: Sequence[Level] = LEVELS, token: str | None = None
) -> Place:
    """The test files of the wanted levels and languages from the Hub."""
    stems = ["*"] if languages is None or list(languages) == ["all"] else sorted({ENGLISH_CODE, *languages})
    patterns = [f"data/{level}/test/{stem}.parquet" for level in levels for stem in stems]
    place = hub_place(REPOSITORY, revision, patterns, token)
    if all(level_files(place, level) for level in levels):
        return place
    # The files have moved: the card says where to.
    declared = [pattern for level in levels for pattern in _declared(place, level)]
    return hub_place(REPOSITORY, revision, [*patterns, *declared], token)


def level_files(place: Place, level: str) -> list[Path]:
    """The test files of a level, in the Hub's layout or one folder less deep, or where the card says."""
    for pattern in (f"data/{level}/test/*.parquet", f"{level}/test/*.parquet", f"{level}/test*.parquet"):
        if found := place.files(pattern):
            return found
    return list(expand(place.folder, _declared(place, level)))


def _declared(place: Place, level: str) -> list[str]:
    return [
        pattern
        for entry in readme_configs(place.folder)
        if entry.get("config_name") == level
        for pattern in split_patterns(entry.get("data_files"), "test")
    ]


def _languages_in(path: Path) -> tuple[str, ...]:
    """Keys of the languages other than English on either side of a file."""
    reader = TableReader([path])
    missing = [name for name in _KEY_COLUMNS if name not in reader.columns]
    if missing:
        raise DataError(f"{path}: no column {missing[0]!r}; expected {', '.join(_KEY_COLUMNS)}")
    table = reader.read(["src_lang", "tgt_lang"])
    keys = dict.fromkeys(key for name in table.column_names for key in pc.unique(table[name]).to_pylist())
    return tuple(key for key in keys if key is not None and key != ENGLISH_CODE and language_of(key) is not None)


def _read(path: Path, columns: Sequence[str]) -> pa.Table:
    """The test rows of a file; of `columns`, those it has."""
    reader = TableReader([path])
    table = reader.read([name for name in (*columns, "split") if name in reader.columns])
    return table.filter(pc.equal(table["split"], "test")) if "split" in table.column_names else table


def _oriented(row: dict[str, Any]) -> tuple[str | None, str | None, str | None]:
    """(language, its text, English text) of a row with English on one side; no language for any other row."""
    if row["tgt_lang"] == ENGLISH_CODE:
        return row["src_lang"], row["src_text"], row["tgt_text"]
    if row["src_lang"] == ENGLISH_CODE:
        return row["tgt_lang"], row["tgt_text"], row["src_text"]
    return None, None, None
