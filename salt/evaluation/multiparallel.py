"""The same sentences in many languages (FLORES, WMT24++), and altered English sentences for xsim++.

folder   devtest/deu_Latn.devtest, one sentence a line (FLORES-200); a folder of such files is enough
JSONL    one object a line with a column per language (``eng_Latn``, ``deu_Latn``, …)
altered  TSV ``original ⇥ altered ⇥ kind``; or FLORES' ``eng_Latn_errtype.devtest.json``,
         an object ``{altered: {"src": original, "errtype": kind}}``
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from alee_mteb.errors import DataError, LanguageError
from alee_mteb.languages import language_of
from salt.evaluation.hub import hub_rows
from salt.evaluation.lines import read_json, read_json_lines, read_lines


@dataclass(frozen=True)
class Multiparallel:
    """Sentences by language, in the same order; ``None`` where a translation is missing."""

    name: str
    texts: dict[str, tuple[str | None, ...]]

    @property
    def languages(self) -> list[str]:
        """Keys of the languages, in order."""
        return list(self.texts)

    def code(self, language: str) -> str:
        """The code that a model is told."""
        found = language_of(language)
        return found.code if found is not None else language

    def pair(self, source: str, target: str) -> tuple[list[str], list[str]]:
        """Sentences that both languages have.

        Raises:
            LanguageError: a language is not in the data.
        """
        for language in (source, target):
            if language not in self.texts:
                raise LanguageError(f"{self.name} has no {language}; it has {', '.join(self.texts)}")
        both = [(a, b) for a, b in zip(self.texts[source], self.texts[target], strict=True) if a and b]
        return [a for a, _ in both], [b for _, b in both]

    def select(self, languages: Sequence[str]) -> "Multiparallel":
        """Only some languages.

        Raises:
            LanguageError: one of them is not in the data.
        """
        for language in languages:
            if language not in self.texts:
                raise LanguageError(f"{self.name} has no {language}; it has {', '.join(self.texts)}")
        return Multiparallel(self.name, {language: self.texts[language] for language in languages})


@dataclass(frozen=True)
class Altered:
    """An English sentence, what it was made into, and how (``causality``, ``entity``, ``number``)."""

    original: str
    text: str
    kind: str


@dataclass(frozen=True)
class AlteredSentences:
    """All altered sentences of a file."""

    rows: tuple[Altered, ...]

    @cached_property
    def kinds(self) -> dict[tuple[str, str], str]:
        """(original, altered) → kind."""
        return {(row.original, row.text): row.kind for row in self.rows}


def read_multiparallel(path: Path, languages: Sequence[str] | None = None) -> Multiparallel:
    """A FLORES-200 folder or a JSONL file.

    Raises:
        DataError: nothing to read, no English, numbers of lines that differ.
        LanguageError: an asked language is missing.
    """
    data = _folder(path) if path.is_dir() else _jsonl(path)
    if "eng_Latn" not in data.texts:
        raise DataError(f"{path}: no eng_Latn; languages found: {', '.join(data.texts) or 'none'}")
    return data.select(languages) if languages else data


def _folder(path: Path) -> Multiparallel:
    home = next((path / name for name in ("devtest", "dev") if (path / name).is_dir()), path)
    files = sorted(file for file in home.iterdir() if file.is_file() and language_of(file.stem) is not None)
    texts = {file.stem: tuple(line.strip() or None for _, line in read_lines(file, empty=True)) for file in files}
    if not texts:
        raise DataError(f"{path}: no file such as deu_Latn.devtest in it")
    sizes = {language: len(lines) for language, lines in texts.items()}
    first = next(iter(sizes))
    for language, size in sizes.items():
        if size != sizes[first]:
            raise DataError(
                f"{home}: {first} has {sizes[first]} sentences, {language} has {size}: they must be parallel"
            )
    return Multiparallel(path.name, texts)


def _jsonl(path: Path) -> Multiparallel:
    records = list(read_json_lines(path))
    columns = [name for name in records[0][1] if language_of(name) is not None]
    texts = {}
    for column in columns:
        cells = [record.get(column) for _, record in records]
        odd = next((number for (number, _), cell in zip(records, cells, strict=True) if not _is_text(cell)), None)
        if odd is not None:
            raise DataError(f"{path}, line {odd}: {column} is not text")
        texts[column] = tuple(" ".join(cell.split()) or None if cell else None for cell in cells)
    return Multiparallel(path.stem, texts)


def read_hub_flores(name: str, split: str = "devtest") -> Multiparallel:
    """FLORES+ from the Hub: rows with ``iso_639_3``, ``iso_15924``, ``id`` and ``text``.

    Raises:
        DataError: cannot be loaded, or other columns.
    """
    found: dict[str, dict[int, str]] = {}
    for number, row in hub_rows(name, None, split):
        try:
            key = f"{row['iso_639_3']}_{row['iso_15924']}"
            found.setdefault(key, {})[int(row["id"])] = " ".join(row["text"].split())
        except (KeyError, TypeError, ValueError, AttributeError):
            raise DataError(f"{name}, row {number}: expected iso_639_3, iso_15924, id and text") from None
    numbers = sorted({number for texts in found.values() for number in texts})
    return Multiparallel(
        name.split("/")[-1],
        {key: tuple(texts.get(number) for number in numbers) for key, texts in sorted(found.items())},
    )


def _is_text(cell: object) -> bool:
    return cell is None or isinstance(cell, str)


def read_altered(path: Path) -> AlteredSentences:
    """A TSV or FLORES' JSON of altered sentences.

    Raises:
        DataError: not in either format, or an alteration that changes nothing.
    """
    if path.suffix == ".json":
        record = read_json(path)
        try:
            rows = [Altered(entry["src"].strip(), text.strip(), entry["errtype"]) for text, entry in record.items()]
        except (AttributeError, KeyError, TypeError):
            raise DataError(f"{path}: not of the form {{altered: {{'src': original, 'errtype': kind}}}}") from None
    else:
        rows = []
        for number, line in read_lines(path):
            fields = [field.strip() for field in line.split("\t")]
            if len(fields) != 3 or not all(fields):
                raise DataError(f"{path}, line {number}: expected original, altered, kind")
            rows.append(Altered(*fields))
    for row in rows:
        if row.original == row.text:
            raise DataError(f"{path}: {row.text[:60]!r} is not altered (kind {row.kind})")
    return AlteredSentences(tuple(rows))


def check_altered(altered: AlteredSentences, english: Sequence[str | None], path: Path) -> None:
    """Altered sentences must be of this English text.

    Raises:
        DataError: not one of them is; the files are of different data.
    """
    known = set(english)
    if not any(row.original in known for row in altered.rows):
        try:
            example = altered.rows[0].original[:60]
        except IndexError:
            raise DataError(f"{path}: no altered sentence in it") from None
        raise DataError(f"{path}: none of its originals is in the English text (first: {example!r}); same data set?")
