"""FLORES-200 devtest, 1,012 sentences (the source of ALEE-F200), in any of the layouts it is handed round in.

==============================  ==========================================  ========  ===================
`facebook/flores` (gated)       ``deu_Latn/devtest-00000-of-00001.parquet``   sentence  ids from 1
`openlanguagedata/flores_plus`  ``devtest/deu_Latn.jsonl`` (or ``.parquet``)  text      ids from 0 (gated)
``flores200_dataset.tar.gz``    ``devtest/deu_Latn.devtest`` (one a line),    –         –
                                ``metadata_devtest.tsv``
==============================  ==========================================  ========  ===================

`facebook/flores` is the text that the ALEE paper used, under the same 204 keys, so it is the default. FLORES+ is its
maintained successor: about thirty languages were corrected, more were added, and some keys were renamed; those are
turned back into the keys of ALEE-F200, so that results stay comparable. Ids are line numbers from 1 in every layout.
"""

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

from alee_mteb.errors import DataError
from alee_mteb.languages import ENGLISH_CODE, language_of, official_languages
from builders.corpora.base import BaseCorpus, Duplicates, RawRow, TextSource, choose_languages
from builders.corpora.places import Place, card_license, hub_place
from builders.corpora.records import as_label, as_text, records

REPOSITORY = "facebook/flores"
PLUS_REPOSITORY = "openlanguagedata/flores_plus"
REPOSITORIES = (REPOSITORY, PLUS_REPOSITORY)
LICENSE = "cc-by-sa-4.0"
DATASET = "ALEE-F200"
CONFIG = "alee_f200"

#: FLORES+ keys that were renamed since FLORES-200 (its change log, 2.0-rc.1 and 2.0-rc.2) → the keys of ALEE-F200.
RENAMED = {
    "apc_Arab_nort3139": "apc_Arab",
    "apc_Arab_sout3123": "ajp_Arab",
    "cmn_Hans": "zho_Hans",
    "cmn_Hant": "zho_Hant",
    "ekk_Latn": "est_Latn",
    "fil_Latn": "tgl_Latn",
    "gug_Latn": "grn_Latn",
    "ktu_Latn": "kon_Latn",
    "twi_Latn_akua1239": "twi_Latn",
    "twi_Latn_asan1239": "aka_Latn",
    "zgh_Tfng": "tzm_Tfng",
}

_TEXT_COLUMNS = ("sentence", "text")
_METADATA = {name.lower(): name for name in ("URL", "domain", "topic", "has_image", "has_hyperlink")}


class FloresCorpus(BaseCorpus):
    """FLORES-200 devtest: one file per language, joined by id, or line by line where there are none."""

    def __init__(
        self, place: Place, languages: Sequence[str] | None = None, *, duplicates: Duplicates = "refuse"
    ) -> None:
        """Look which languages `place` has.

        Raises:
            DataError: no English file.
            LanguageError: a wanted language is not there.
        """
        self._place = place
        self._files = language_files(place)
        if ENGLISH_CODE not in self._files:
            raise DataError(
                f"{place.name}: no English file ({ENGLISH_CODE}/devtest-*.parquet, devtest/{ENGLISH_CODE}.jsonl or "
                f"devtest/{ENGLISH_CODE}.devtest); is this FLORES-200?"
            )
        official = [language.key for language in official_languages(DATASET) if not language.is_english]
        offered = [key for key in self._files if key != ENGLISH_CODE]
        choice = choose_languages(offered, languages, official, DATASET, place.name)
        super().__init__(
            config=CONFIG,
            english=ENGLISH_CODE,
            languages=choice.chosen,
            sources=[TextSource(place.name, card_license(place, LICENSE), place.revision, self._origin())],
            duplicates=duplicates,
            absent=choice.absent,
        )

    def _origin(self) -> str:
        return PLUS_REPOSITORY if self._files[ENGLISH_CODE].suffix == ".jsonl" else REPOSITORY

    def _raw_rows(self) -> Iterator[RawRow]:
        keys = (ENGLISH_CODE, *self.languages)
        metadata = _tarball_metadata(self._place.folder)
        for number, lines in enumerate(zip_longest(*(_lines(self._files[key]) for key in keys)), start=1):
            if None in lines:
                key = keys[lines.index(None)]
                raise DataError(
                    f"{self._files[key]}: {number - 1} sentences, but another language has more; fetch the file again"
                )
            for key, line in zip(keys, lines, strict=True):
                if line["id"] != lines[0]["id"]:
                    raise DataError(
                        f"{self._files[key]}: row {number} has the id {line['id']!r} where English has "
                        f"{lines[0]['id']!r}; the files are of different versions"
                    )
            found = {name: as_label(lines[0].get(column)) for column, name in _columns(lines[0])}
            yield RawRow(
                id=str(number),
                text=lines[0]["text"],
                translations={key: line["text"] for key, line in zip(keys[1:], lines[1:], strict=True)},
                metadata=found or next(metadata, {}),
                place=f"{self._files[ENGLISH_CODE]}, row {number}",
            )


def hub_flores(
    repository: str, revision: str | None, languages: Sequence[str] | None, token: str | None = None
) -> Place:
    """The devtest files of the wanted languages from a Hub repository in either layout."""
    stems = ["*"]
    if languages is not None and list(languages) != ["all"]:
        wanted = {ENGLISH_CODE, *languages}
        stems = sorted(wanted | {plus for plus, key in RENAMED.items() if key in wanted})
    # facebook/flores also has a folder "all" with one column per language, which is not needed.
    by_folder = [f"{stem}/devtest-*" for stem in (["???_*"] if stems == ["*"] else stems)]
    by_file = [f"devtest/{stem}.{kind}" for stem in stems for kind in ("jsonl", "parquet")]
    return hub_place(repository, revision, by_folder + by_file, token)


def language_files(place: Place) -> dict[str, Path]:
    """ALEE-F200 key → devtest file, in key order; empty if this is no FLORES folder."""
    found: dict[str, Path] = {}
    for path in place.files("devtest/*.devtest", "devtest/*.jsonl", "devtest/*.parquet", "*/devtest-*.parquet"):
        stem = path.stem if path.parent.name == "devtest" else path.parent.name
        key = RENAMED.get(stem, stem)
        if language_of(key) is None:
            continue
        if key in found:
            raise DataError(f"{place.name}: two files for {key}: {found[key].name} and {path.name}; remove one")
        found[key] = path
    return dict(sorted(found.items()))


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    """Rows with at least ``id`` and ``text``."""
    if path.suffix == ".devtest":
        with path.open(encoding="utf-8", newline="\n") as handle:
            for number, line in enumerate(handle):
                yield {"id": number, "text": line.rstrip("\n")}
        return
    for number, row in records(path):
        column = next((name for name in _TEXT_COLUMNS if name in row), None)
        if column is None or "id" not in row:
            raise DataError(f"{path}: row {number}: expected the columns id and {' or '.join(_TEXT_COLUMNS)}")
        yield {**row, "text": as_text(row[column], f"{path}: row {number}, column {column!r}") or ""}


def _columns(row: dict[str, Any]) -> list[tuple[str, str]]:
    return [(column, _METADATA[column.lower()]) for column in row if column.lower() in _METADATA]


def _tarball_metadata(folder: Path) -> Iterator[dict[str, str | None]]:
    path = folder / "metadata_devtest.tsv"
    if path.is_file():
        for _, row in records(path):
            yield {name: as_label(row[column]) for column, name in _columns(row)}
