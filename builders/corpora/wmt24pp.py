"""WMT24++ in 55 languages and dialects, joined with the six Romansh varieties: the source of ALEE-MT61.

``google/wmt24pp``        ``en-de_DE.jsonl`` …            lp domain document_id segment_id is_bad_source source target
                                                          original_target
``ZurichNLP/wmt24pp-rm``  ``de_DE-rm-sursilv.jsonl`` …    its source is German, so English is taken by segment_id

Rows that the providers flag as bad sources are left out, 818 of 998 remain (paper §3.5). A Romansh segment that was
not translated carries the English text as its target and is left out for that variety. Post-edited references
(``target``) are used. Canary text stays out, being flagged.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import pyarrow as pa

from alee_mteb.errors import DataError
from alee_mteb.languages import official_languages
from builders.corpora.base import BaseCorpus, Duplicates, RawRow, TextSource, choose_languages
from builders.corpora.cleaning import is_blank, same_words
from builders.corpora.places import Place, card_license, hub_place
from builders.corpora.records import as_label, as_text, records

REPOSITORY = "google/wmt24pp"
ROMANSH_REPOSITORY = "ZurichNLP/wmt24pp-rm"
LICENSE = "apache-2.0"
DATASET = "ALEE-MT61"
CONFIG = "alee_mt61"
ENGLISH = "en_EN"

_MAIN = re.compile(r"en-([a-z]{2,3}_[A-Z]{2})")
_ROMANSH = re.compile(r"de_DE-rm-([a-z]+)")
_PATTERNS = ("*.jsonl", "*.parquet")


class Wmt24ppCorpus(BaseCorpus):
    """WMT24++: one file per language, joined by ``segment_id``. The first language's file gives order and metadata."""

    def __init__(
        self,
        place: Place,
        romansh: Place | None,
        languages: Sequence[str] | None = None,
        *,
        duplicates: Duplicates = "refuse",
    ) -> None:
        """Look which languages the places have; `romansh` may be the same place as the rest.

        Raises:
            DataError: there is no file of WMT24++.
            LanguageError: a wanted language is not there.
        """
        self._main = _by_key(place, _MAIN, "")
        self._romansh = _by_key(romansh, _ROMANSH, "roh_") if romansh else {}
        if not self._main:
            raise DataError(f"{place.name}: no file such as en-de_DE.jsonl; is this WMT24++ ({REPOSITORY})?")
        official = [language.key for language in official_languages(DATASET) if not language.is_english]
        choice = choose_languages([*self._main, *self._romansh], languages, official, DATASET, place.name)
        sources = [TextSource(place.name, card_license(place, LICENSE), place.revision, REPOSITORY)]
        if romansh and romansh.folder != place.folder and any(key in self._romansh for key in choice.chosen):
            license = card_license(romansh, LICENSE)
            sources.append(TextSource(romansh.name, license, romansh.revision, ROMANSH_REPOSITORY))
        super().__init__(
            config=CONFIG,
            english=ENGLISH,
            languages=choice.chosen,
            sources=sources,
            duplicates=duplicates,
            absent=choice.absent,
        )

    def _raw_rows(self) -> Iterator[RawRow]:
        chosen = [key for key in self.languages if key in self._main]
        first = self._main[chosen[0] if chosen else next(iter(self._main))]
        rows = [row for _, row in records(first)]
        order = {str(row.get("segment_id")): number for number, row in reversed(list(enumerate(rows)))}
        english = [as_text(row.get("source"), f"{first}: column 'source'") for row in rows]
        columns = {key: self._column(key, order, english) for key in self.languages}
        for number, row in enumerate(rows):
            if row.get("segment_id") is None or "source" not in row:
                raise DataError(f"{first}: row {number + 1}: expected the columns segment_id and source")
            yield RawRow(
                id=str(row["segment_id"]),
                text=english[number],
                translations={key: column[number].as_py() for key, column in columns.items()},
                metadata={name: as_label(row.get(name)) for name in ("domain", "document_id")},
                place=f"{first}, row {number + 1}",
                flaw="bad_source" if _is_true(row.get("is_bad_source")) else None,
            )

    def _column(self, key: str, order: dict[str, int], english: Sequence[str | None]) -> pa.Array:
        """The translations of one language in the order of the rows, compactly; ``None`` where left out."""
        is_romansh = key in self._romansh
        path = (self._romansh if is_romansh else self._main)[key]
        targets: list[str | None] = [None] * len(english)
        for number, row in records(path):
            at = order.get(str(row.get("segment_id")))
            if at is None:
                self.left_out["no_source"] += 1
                continue
            target = as_text(row.get("target"), f"{path}: row {number}, column 'target'")
            if is_romansh and not is_blank(target) and same_words(target or "", english[at] or ""):
                self.left_out["untranslated"] += 1
            elif not is_romansh and not same_words(row.get("source") or "", english[at] or ""):
                self.left_out["other_source"] += 1
            else:
                targets[at] = target
        if not is_romansh and targets and all(target is None for target in targets):
            raise DataError(
                f"{path}: none of its translations stands beside the English text of the other files; "
                "are they of one version?"
            )
        return pa.array(targets, pa.string())


def hub_wmt24pp(revision: str | None, languages: Sequence[str] | None, token: str | None = None) -> Place:
    """The files of the wanted languages from the Hub."""
    official = {language.key: language.code for language in official_languages(DATASET) if not language.is_english}
    if languages is None or list(languages) == ["all"]:
        patterns = ["en-*.jsonl"]
    else:
        wanted = [key for key, code in official.items() if key in languages or code in languages]
        main = [key for key in wanted if not key.startswith("roh_")]
        # Where only Romansh is wanted, German (its pivot) gives the English text.
        patterns = [f"en-{key}.jsonl" for key in main or ["de_DE"]]
    return hub_place(REPOSITORY, revision, patterns, token)


def hub_romansh(revision: str | None, token: str | None = None) -> Place:
    """The six varieties from the Hub."""
    return hub_place(ROMANSH_REPOSITORY, revision, ["de_DE-rm-*.jsonl"], token)


def romansh_beside(place: Place) -> Place | None:
    """Where a local copy keeps the Romansh files: in the same folder, or in ``wmt24pp-rm`` in or beside it."""
    for folder in (place.folder, place.folder / "wmt24pp-rm", place.folder.parent / "wmt24pp-rm"):
        found = Place(place.name if folder == place.folder else str(folder), folder, None)
        if folder.is_dir() and _by_key(found, _ROMANSH, "roh_"):
            return found
    return None


def looks_like_wmt24pp(place: Place) -> bool:
    """Whether a folder has files of WMT24++."""
    return bool(_by_key(place, _MAIN, ""))


def _by_key(place: Place, pattern: re.Pattern[str], prefix: str) -> dict[str, Path]:
    found: dict[str, Path] = {}
    paths = sorted(place.files(*_PATTERNS), key=lambda path: path.stem)
    for one, other in pairwise(paths):
        if one.stem == other.stem:
            raise DataError(f"{place.name}: both {one.name} and {other.name}; remove one")
    for path in paths:
        match = pattern.fullmatch(path.stem)
        if match is not None:
            found[prefix + match[1]] = path
    return found


def _is_true(value: object) -> bool:
    return value is True or str(value).lower() in {"true", "1"}
