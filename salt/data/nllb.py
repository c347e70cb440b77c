"""The layouts in which NLLB's primary data is found.

    FOLDER/eng_Latn-deu_Latn.gz                    a TSV per direction: source, target, score, …
    FOLDER/CORPUS/eng_Latn-deu_Latn/CORPUS.eng_Latn, CORPUS.deu_Latn       as the published download script leaves it
    FOLDER/eng_Latn-deu_Latn/CORPUS.eng_Latn, …    one corpus of that

Files may be gzipped or not. A language pair may be spread over several corpora.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from alee_mteb.errors import DataError
from salt.data.languages import checked_language
from salt.data.readers import open_text, read_sides
from salt.data.rows import RowReader
from salt.pairs import ParallelPair

_DIRECTION = re.compile(r"([a-z]{3}_[A-Z][a-z]{3})-([a-z]{3}_[A-Z][a-z]{3})")


def read_nllb(rows: RowReader) -> Iterator[ParallelPair]:
    """Pairs of all directions in a folder, or of the one with the given languages, in the order of names.

    In the TSV layout the score is the third column unless `score_column` is another number; rows may lack it.

    Raises:
        DataError: the folder holds no direction (or not the one asked for), or a file is broken.
    """
    folder = rows.file
    found = sorted(_directions(folder), key=lambda entry: (entry[1], entry[0]))
    asked = (rows.source_language, rows.target_language)
    chosen = [entry for entry in found if all(want in (None, code) for want, code in zip(asked, entry[1], strict=True))]
    if not chosen:
        told = ", ".join(sorted({"-".join(codes) for _, codes in found})[:5]) or "none"
        raise DataError(f"{folder}: no direction such as eng_Latn-deu_Latn.gz of the languages asked for; found {told}")
    return _all(rows, folder, chosen)


def _all(rows: RowReader, folder: Path, chosen: list[tuple[Path, tuple[str, str]]]) -> Iterator[ParallelPair]:
    for path, codes in chosen:
        languages = checked_language(codes[0], str(path)), checked_language(codes[1], str(path))
        of_path = replace(rows, file=path, source_language=languages[0], target_language=languages[1])
        of_path.skipped = rows.skipped
        pairs = _sides(of_path, path, codes, languages) if path.is_dir() else _rows(of_path, languages)
        for pair in pairs:
            yield replace(pair, id=f"{path.relative_to(folder)}/{pair.id}" if path.is_dir() else pair.id)


def _directions(folder: Path) -> Iterator[tuple[Path, tuple[str, str]]]:
    """Files and folders named for a direction, at most one level down."""
    for entry in sorted(folder.iterdir()):
        match = _DIRECTION.fullmatch(_bare(entry))
        if match:
            yield entry, (match[1], match[2])
        elif entry.is_dir():
            for inner in sorted(entry.iterdir()):
                match = _DIRECTION.fullmatch(_bare(inner))
                if match:
                    yield inner, (match[1], match[2])


def _bare(path: Path) -> str:
    return path.name.removesuffix(".gz").removesuffix(".tsv")


def _rows(rows: RowReader, languages: tuple[str, str]) -> Iterator[ParallelPair]:
    column = rows.score_column or "3"
    if not column.isdecimal() or int(column) < 3:
        raise DataError(f"{rows.file}: score column {column!r}: give the number of a column after the second")
    with open_text(rows.file) as lines:
        for row, line in enumerate(lines, start=1):
            cells = line.split("\t")
            if len(cells) < 2:
                raise DataError(f"{rows.where(row)}: {len(cells)} cells; a source and a target expected")
            if rows.score_column is not None and len(cells) < int(column):
                raise DataError(f"{rows.where(row)}: {len(cells)} cells; the score should be in cell {column}")
            score = cells[int(column) - 1] if len(cells) >= int(column) else None
            pair = rows.pair(row, (cells[0], cells[1]), languages, score=score)
            if pair is not None:
                yield pair


def _sides(rows: RowReader, folder: Path, codes: tuple[str, str], languages: tuple[str, str]) -> Iterator[ParallelPair]:
    """The corpora of one direction's folder: files that are alike but for their language."""
    corpora: dict[str, dict[str, Path]] = {}
    for file in sorted(folder.iterdir()):
        name, _, code = file.name.removesuffix(".gz").rpartition(".")
        if code in codes:
            corpora.setdefault(name, {})[code] = file
    if not corpora:
        raise DataError(f"{folder}: no files *.{codes[0]} and *.{codes[1]}")
    for name, files in corpora.items():
        for code in codes:
            if code not in files:
                raise DataError(f"{folder}: {next(iter(files.values())).name} has no {name}.{code} beside it")
        rows.file = files[codes[0]]
        for pair in read_sides(rows, files[codes[0]], files[codes[1]], languages):
            yield replace(pair, id=f"{name}:{pair.id.rpartition(':')[2]}")
