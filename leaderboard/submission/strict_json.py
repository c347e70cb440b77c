"""JSON of strangers: bounded in size and depth, plain finite numbers, no key twice, and no file but a plain one.

Whatever breaks a rule is reported with the field it stands in.
"""

import json
import math
import os
import re
import stat
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from leaderboard.submission.problems import Problem, SubmissionError, shown

#: A file of ALEE-BQ275 with its outcomes takes 1.6 MB.
MAX_BYTES = 20_000_000
#: Our own files reach 6.
MAX_DEPTH = 16
#: Values in a file; ALEE-BQ275 with all its languages has about 50,000.
MAX_VALUES = 500_000
#: Of more problems than these in one file nobody wants to read.
MAX_PROBLEMS = 100

# No link is followed and no pipe waited for, where the system knows of such things.
_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+\\?(?:"|\Z)|[\[\]{},]', re.DOTALL)


@dataclass(frozen=True)
class _Bad:
    """Stands in the parsed tree where something is not allowed, until its field is known."""

    why: str


def read_bytes(root: Path, file: str) -> bytes:
    """The content of ``root/file``, never more than `MAX_BYTES`.

    Raises:
        SubmissionError: not there, too large, or a link (also of a folder on the way to it), device or pipe.
    """
    path = root
    for part in Path(file).parts:
        path = path / part
        if path.is_symlink():
            raise _refused(file, "path", f"{part!r} is a symbolic link; put the file itself there")
    try:
        handle = os.open(path, _FLAGS)
    except OSError as error:
        raise _refused(file, "file", f"cannot be read ({error.strerror})") from error
    with os.fdopen(handle, "rb") as stream:
        status = os.fstat(stream.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise _refused(file, "file", "not a plain file")
        if status.st_size > MAX_BYTES:
            raise _refused(file, "file", f"{status.st_size:,} bytes; a result file has at most {MAX_BYTES:,}")
        data = stream.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise _refused(file, "file", f"more than {MAX_BYTES:,} bytes")
    return data


def parse_object(data: bytes, file: str, *, may_be_infinite: Collection[str] = ()) -> dict[str, Any]:
    """The JSON object in `data`.

    Args:
        file: what messages call it.
        may_be_infinite: fields where ``Infinity`` is let pass and becomes ``None`` (mteb writes it for a model
            without a limit of length).

    Raises:
        SubmissionError: not UTF-8, not JSON, not an object, too deep, a key twice, or a number that is not finite;
            all such fields are named.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _refused(file, "file", f"not UTF-8 (byte {error.start})") from error
    reason = _too_much(text)
    if reason is not None:
        raise _refused(file, "file", f"{reason}; not what mteb writes")
    try:
        value = json.loads(
            text, object_pairs_hook=_unique, parse_constant=_constant, parse_float=_finite, parse_int=_integer
        )
    except json.JSONDecodeError as error:
        raise _refused(file, "file", f"not JSON ({error.msg}, line {error.lineno} column {error.colno})") from error
    if not isinstance(value, dict | _Bad):
        raise _refused(file, "file", f"a JSON object is needed, this is a {type(value).__name__}")
    if isinstance(value, dict):
        value |= {name: None for name in may_be_infinite if value.get(name) == INFINITY}
    problems = [Problem(file, field or "file", bad.why) for field, bad in islice(_bad_fields(value, ""), MAX_PROBLEMS)]
    if problems:
        raise SubmissionError(problems)
    assert isinstance(value, dict)
    return value


def _too_much(text: str) -> str | None:
    """Why a text is not worth parsing, found without building anything of it; ``None`` if it is."""
    depth = values = 0
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token in "]}":
            depth -= 1
        elif token in "[{,":
            values += 1
            depth += token != ","
            if depth > MAX_DEPTH:
                return f"nested deeper than {MAX_DEPTH} levels"
            if values > MAX_VALUES:
                return f"more than {MAX_VALUES:,} values"
    return None


def _unique(pairs: list[tuple[str, Any]]) -> "dict[str, Any] | _Bad":
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = Counter(name for name, _ in pairs).most_common(1)[0][0]
        return _Bad(f"the key {shown(twice)!r} is there twice")
    return found


def _constant(name: str) -> _Bad:
    return _Bad(f"{name} is not a number that JSON has")


INFINITY = _constant("Infinity")


def _finite(text: str) -> "float | _Bad":
    number = float(text)
    return number if math.isfinite(number) else _Bad(f"{shown(text, 20)} is too large for a number")


def _integer(text: str) -> "int | _Bad":
    return int(text) if len(text) <= 18 else _Bad(f"{shown(text, 20)} is too large for a number")


def _bad_fields(value: Any, field: str) -> Iterator[tuple[str, _Bad]]:
    if isinstance(value, _Bad):
        yield field, value
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from _bad_fields(item, f"{field}.{shown(name)}" if field else shown(name))
    elif isinstance(value, list):
        for place, item in enumerate(value):
            label = item.get("hf_subset") if isinstance(item, dict) else None
            yield from _bad_fields(item, f"{field}[{shown(label) if isinstance(label, str) else place}]")


def _refused(file: str, field: str, message: str) -> SubmissionError:
    return SubmissionError([Problem(file, field, message)])
