"""Writing pairs so that `salt.data.readers` reads them back, but for white space around a text."""

import json
from collections.abc import Iterable
from pathlib import Path

from alee_mteb.errors import DataError
from alee_mteb.files import atomic_path
from salt.pairs import ParallelPair


def write_pairs(path: Path, pairs: Iterable[ParallelPair]) -> int:
    """Write pairs as JSONL, one object a line with id, both languages, both texts and the score if any; atomically.

    Returns:
        How many were written.

    Raises:
        DataError: the file cannot be written.
    """
    count = 0
    try:
        with atomic_path(path) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as file:
            for pair in pairs:
                file.write(json.dumps(_row(pair), ensure_ascii=False) + "\n")
                count += 1
    except OSError as error:
        raise DataError(f"{path}: cannot be written ({error.strerror or error})") from None
    return count


def _row(pair: ParallelPair) -> dict[str, str | float]:
    row: dict[str, str | float] = {
        "id": pair.id,
        "source_language": pair.source_language,
        "target_language": pair.target_language,
        "source": pair.source,
        "target": pair.target,
    }
    return row if pair.score is None else {**row, "score": pair.score}
