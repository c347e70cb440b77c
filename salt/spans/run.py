"""Extraction over a whole corpus, in chunks that outlive the process.

    pairs ──chunks──▶ OUT.parts/000000-<digest>.parquet …  ──joined──▶ OUT

A part is written when its chunk is done, and named by what it was made from (pairs, settings, encoder), so that a
stopped run goes on with the parts that still hold, and the outcome has the same bytes as that of a run in one go.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import astuple, dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

from alee_mteb.errors import DataError, LanguageError
from alee_mteb.languages import is_known_code
from salt.encoders.base import TokenEncoder
from salt.pairs import ParallelPair
from salt.spans.llm import UNANSWERED
from salt.spans.records import Extracted
from salt.spans.table import SpanInfo, join, read_info, write_spans

#: Pairs per part. Fixed, as it decides the row groups of the file.
CHUNK = 256
_PART = re.compile(r"\d{6}-[0-9a-f]{16}\.parquet")


class Extractor(Protocol):
    """Finds the spans of pairs: `CaseExtractor` or `LlmExtractor`."""

    encoder: TokenEncoder
    method: str
    layer: int | None

    @property
    def settings(self) -> Mapping[str, Any]:
        """What the outcome depends on beside encoder and layer."""
        ...

    def extract(self, pairs: Sequence[ParallelPair]) -> Extracted:
        """The pairs that can be read, in order, with their spans."""
        ...


@dataclass(frozen=True)
class Ran:
    """The finished file: how it was made, and whether it was there already."""

    info: SpanInfo
    was_there: bool


def survey(pairs: Iterable[ParallelPair]) -> tuple[int, str]:
    """How many pairs there are, and a digest of them; so the whole input is read once before any work is done.

    Raises:
        DataError: whatever the reader of the pairs finds; an empty side; the same id twice; no pairs.
        LanguageError: an unknown language.
    """
    digest = hashlib.sha256()
    ids: set[str] = set()
    languages: set[str] = set()
    for pair in pairs:
        if pair.id in ids:
            raise DataError(f"pair {pair.id!r} occurs twice; ids must be unique")
        for side, text in (("source", pair.source), ("target", pair.target)):
            if not text.strip():
                raise DataError(f"pair {pair.id!r}: the {side} is empty; remove the pair")
        for language in set(pair.languages) - languages:
            if not is_known_code(language):
                raise LanguageError(
                    f"pair {pair.id!r}: unknown language {language!r}; give ISO 639-3 and script, such as spa_Latn"
                )
            languages.add(language)
        ids.add(pair.id)
        digest.update(_bytes(pair))
    if not ids:
        raise DataError("no pairs in the input")
    return len(ids), digest.hexdigest()[:16]


def run(
    read: Callable[[], Iterable[ParallelPair]],
    extractor: Extractor,
    out: Path,
    *,
    revision: str | None = None,
    overwrite: bool = False,
    start: Callable[[int], object] = lambda total: None,
    advance: Callable[[int], object] = lambda done: None,
) -> Ran:
    """Extract the spans of all pairs into `out`.

    Args:
        read: gives the pairs, the same each time; called twice.
        extractor: does the work.
        out: Parquet file.
        revision: of the encoder's weights.
        overwrite: replace a finished file that was made otherwise, or whose questions were not all answered.
        start: told the number of pairs.
        advance: told the number of pairs done since the last call.

    Raises:
        DataError: see `survey`; a pair that cannot be read; `out` is there and was made otherwise, or
            cannot be written.
        LanguageError: the encoder does not know a language.
        ModelError: the chat model cannot be used.
    """
    total, digest = survey(read())
    info = SpanInfo(
        method=extractor.method,
        encoder=extractor.encoder.name,
        tokenizer=extractor.encoder.fingerprint,
        revision=revision,
        layer=extractor.layer,
        settings=dict(extractor.settings),
        pairs=digest,
    )
    if out.exists() and not overwrite:
        there = read_info(out)
        if not there.made_like(info):
            raise DataError(f"{out}: there already, made from other pairs or settings; --overwrite replaces it")
        return Ran(there, was_there=True)
    start(total)
    try:
        return Ran(_extract(read, extractor, out, info, advance), was_there=False)
    except OSError as error:
        raise DataError(
            f"{error.filename or out}: {error.strerror or error}; finished parts are kept, run the same command again"
        ) from error


def _extract(
    read: Callable[[], Iterable[ParallelPair]],
    extractor: Extractor,
    out: Path,
    info: SpanInfo,
    advance: Callable[[int], object],
) -> SpanInfo:
    folder = out.with_name(f"{out.name}.parts")
    folder.mkdir(parents=True, exist_ok=True)  # a place that cannot be written shows before any work is done
    parts = []
    try:
        for number, chunk in enumerate(_chunks(read(), CHUNK)):
            parts.append(_part(folder, number, chunk, extractor, info))
            advance(len(chunk))
        joined = join(out, parts, info)
        _clear(folder)
        return joined
    finally:
        with suppress(OSError):
            folder.rmdir()  # if nothing is in it


def _part(folder: Path, number: int, chunk: Sequence[ParallelPair], extractor: Extractor, info: SpanInfo) -> Path:
    """The part of one chunk, made if it is not there or if it holds questions without an answer."""
    digest = hashlib.sha256(replace(info, pairs=None).dumps().encode())
    for pair in chunk:
        digest.update(_bytes(pair))
    path = folder / f"{number:06d}-{digest.hexdigest()[:16]}.parquet"
    if path.exists() and not read_info(path).dropped.get(UNANSWERED):
        return path
    extracted = extractor.extract(chunk)
    write_spans(path, extracted.pairs, replace(info, dropped=dict(sorted(extracted.dropped.items()))))
    return path


def _bytes(pair: ParallelPair) -> bytes:
    return json.dumps(astuple(pair)).encode()


def _chunks(pairs: Iterable[ParallelPair], size: int) -> Iterator[list[ParallelPair]]:
    iterator = iter(pairs)
    while chunk := list(islice(iterator, size)):
        yield chunk


def _clear(folder: Path) -> None:
    """Remove the parts, and nothing else."""
    for path in folder.iterdir():
        if _PART.fullmatch(path.name) or re.fullmatch(rf"\.{_PART.pattern}\..*\.tmp", path.name):
            path.unlink()
