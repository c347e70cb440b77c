"""From one row of a file to a `ParallelPair`, with errors that say which row."""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from alee_mteb.errors import DataError
from salt.data.languages import checked_language, is_language_name
from salt.pairs import ParallelPair

ENGLISH = "eng_Latn"
# What JSON can escape and no text can hold.
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_NO_TEXT = {"id", "score", "source_language", "target_language"}


@dataclass
class RowReader:
    """Makes pairs of rows, and counts what is passed over.

    Attributes:
        file: where the rows are from, for errors and ids.
        source_language: code of the sources; ``None``: the file says.
        target_language: likewise.
        score_column: which column holds a score; ``None``: ``score`` if there is one.
        skip_empty: pass over pairs with an empty side, and count them; otherwise they are errors.
        skipped: how many pairs were passed over, by reason.
    """

    file: Path
    source_language: str | None = None
    target_language: str | None = None
    score_column: str | None = None
    skip_empty: bool = False
    skipped: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        for name in ("source_language", "target_language"):
            given = getattr(self, name)
            if given is not None:
                setattr(self, name, checked_language(given, f"{self.file}, {name}"))

    def where(self, row: int) -> str:
        """How errors name a row (numbered from 1)."""
        return f"{self.file}, row {row}"

    def need_languages(self) -> tuple[str, str]:
        """Both languages, where the file cannot say.

        Raises:
            DataError: one is missing.
        """
        if self.source_language is None or self.target_language is None:
            raise DataError(f"{self.file}: the file does not name its languages; give source and target language")
        return self.source_language, self.target_language

    def pair(
        self,
        row: int,
        texts: tuple[Any, Any],
        languages: tuple[str, str],
        *,
        identifier: Any = None,
        score: Any = None,
    ) -> ParallelPair | None:
        """The pair of a row; ``None`` if it has an empty side and such rows are passed over.

        Raises:
            DataError: an empty side, text that is no text, or a score that is no number.
        """
        for side, text, language in zip(("source", "target"), texts, languages, strict=True):
            if text is not None and not isinstance(text, str):
                raise DataError(f"{self.where(row)}, {side} ({language}): text expected, not {type(text).__name__}")
            if text is None or not text.strip():
                if self.skip_empty:
                    self.skipped["empty"] += 1
                    return None
                raise DataError(f"{self.where(row)}, {side} ({language}): empty; mend or remove the row")
            if _LONE_SURROGATE.search(text):
                raise DataError(
                    f"{self.where(row)}, {side} ({language}): half a character (a lone surrogate, such as "
                    "\\ud800), which UTF-8 cannot hold; mend or remove the row"
                )
        name = f"{self.file.name}:{row}" if identifier in (None, "") else str(identifier)
        return ParallelPair(name, *languages, texts[0].strip(), texts[1].strip(), self._score(row, score))

    def _score(self, row: int, score: Any) -> float | None:
        if score is None or score == "":
            return None
        try:
            number = float(score)
        except (TypeError, ValueError):
            number = math.nan
        if not math.isfinite(number):
            raise DataError(f"{self.where(row)}, {self.score_column or 'score'}: {score!r} is not a number")
        return number

    def columns(self, names: Sequence[str]) -> "Columns":
        """Which of the named columns hold texts, languages and scores.

        Texts are in ``source`` and ``target``, or in columns named by their languages; with more than two of those,
        both languages must be given.

        Raises:
            DataError: the columns do not say, or one that is read occurs twice.
            LanguageError: a language that does not exist.
        """
        score = self._score_column(names)
        for name, times in Counter(names).items():
            if times > 1 and (name in {"source", "target", score, *_NO_TEXT} or is_language_name(name)):
                raise DataError(f"{self.file}: {times} columns {name!r}; which one is meant? Rename the others")
        identifier = "id" if "id" in names else None
        if "source" in names and "target" in names:
            by_row = ("source_language" in names, "target_language" in names)
            return Columns("source", "target", score, identifier, by_row)
        found = {
            checked_language(name, f"{self.file}, column {name!r}"): name
            for name in names
            if name not in _NO_TEXT and name != score and is_language_name(name)
        }
        wanted = (self.source_language, self.target_language)
        if None in wanted:
            if len(found) != 2:
                raise DataError(
                    f"{self.file}: columns {', '.join(names)}: source and target expected, or two languages; "
                    "give source and target language"
                )
            codes = list(found)
            known = self.source_language or (self.target_language and _other(codes, self.target_language)) or codes[0]
            wanted = (known, _other(codes, known))
        for code in wanted:
            if code not in found:
                raise DataError(f"{self.file}: no column for language {code}; there are {', '.join(names)}")
        self.source_language, self.target_language = wanted
        return Columns(found[str(wanted[0])], found[str(wanted[1])], score, identifier)

    def _score_column(self, names: Sequence[str]) -> str | None:
        if self.score_column is None:
            return "score" if "score" in names else None
        if self.score_column not in names:
            raise DataError(f"{self.file}: no score column {self.score_column!r}; there are {', '.join(names)}")
        return self.score_column

    def from_mapping(self, row: int, values: Mapping[str, Any], columns: "Columns") -> ParallelPair | None:
        """The pair of a row with named values.

        Raises:
            DataError: see `pair`; also a language that is nowhere.
        """
        codes: list[str] = []
        for side, in_row in zip(("source", "target"), columns.languages_by_row, strict=True):
            given = getattr(self, f"{side}_language")
            if given is None and in_row:
                named = values.get(f"{side}_language")
                if not isinstance(named, str):
                    raise DataError(f"{self.where(row)}, {side}_language: a language code expected, not {named!r}")
                given = checked_language(named, f"{self.where(row)}, {side}_language")
            if given is None:
                self.need_languages()
            codes.append(str(given))
        texts = values.get(columns.source), values.get(columns.target)
        score = values.get(columns.score) if columns.score else None
        identifier = values.get(columns.identifier) if columns.identifier else None
        return self.pair(row, texts, (codes[0], codes[1]), identifier=identifier, score=score)


@dataclass(frozen=True)
class Columns:
    """Where a table has what.

    Attributes:
        source: column of the source text.
        target: column of the target text.
        score: column of the score, if any.
        identifier: column of the id, if any.
        languages_by_row: whether rows name their own source language, and target language.
    """

    source: str
    target: str
    score: str | None = None
    identifier: str | None = None
    languages_by_row: tuple[bool, bool] = (False, False)


def _other(codes: Sequence[str], code: str) -> str:
    return next((one for one in codes if one != code), code)
