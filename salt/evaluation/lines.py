"""Reading text files line by line, with one clear line where that fails."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from alee_mteb.errors import DataError


def read_lines(path: Path, empty: bool = False) -> Iterator[tuple[int, str]]:
    """Line numbers (from 1) and lines without their ends; blank lines only where `empty` allows them.

    Raises:
        DataError: the file is missing, not UTF-8, or empty.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise DataError(f"{path}: no such file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path}: cannot be read as UTF-8 text ({error})") from None
    if not text.strip():
        raise DataError(f"{path}: empty file")
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    for number, line in enumerate(lines, 1):
        line = line.removesuffix("\r")
        if line.strip() or empty:
            yield number, line


def read_blocks(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Runs of lines between blank ones, with the number of their first line (the CoNLL layout).

    Raises:
        DataError: see `read_lines`.
    """
    block: list[str] = []
    start = 1
    for number, line in read_lines(path, empty=True):
        if line.strip():
            if not block:
                start = number
            block.append(line)
        elif block:
            yield start, block
            block = []
    if block:
        yield start, block


def read_json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Line numbers and objects of a JSONL file.

    Raises:
        DataError: see `read_lines`; a line that is not an object.
    """
    for number, line in read_lines(path):
        try:
            record = json.loads(line)
        except json.JSONDecodeError as error:
            raise DataError(f"{path}, line {number}: not JSON ({error})") from None
        if not isinstance(record, dict):
            raise DataError(f"{path}, line {number}: not a JSON object")
        yield number, record


def read_json(path: Path) -> Any:
    """A JSON file.

    Raises:
        DataError: missing, empty, or not JSON.
    """
    text = "\n".join(line for _, line in read_lines(path))
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise DataError(f"{path}: not JSON ({error})") from None


def same_length(one: Path, n_one: int, other: Path, n_other: int) -> None:
    """Parallel files must have as many sentences.

    Raises:
        DataError: they have not.
    """
    if n_one != n_other:
        raise DataError(f"{one} has {n_one} sentences, {other} has {n_other}: they must be parallel")
