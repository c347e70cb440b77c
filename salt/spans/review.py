"""Rating spans by hand on the four-point scale (SALT paper, §3.1.1 and Appendix G): drawing, and what is kept.

    spans.parquet … ──draw──▶ items ──sheet──▶ CSV, HTML ──people──▶ ratings ──▶ Table 13, CrossSpan

A sheet does not tell which method found a span. An item is known by a key made of texts and offsets, so that the files
of spans tell later.
"""

import hashlib
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from alee_mteb.errors import DataError
from salt.pairs import ParallelPair, Span
from salt.spans.records import FoundPair, FoundSpan, in_source_order
from salt.spans.table import SpanInfo, read_found, read_info

#: Rating → what it means (Appendix G.2).
RATINGS: Mapping[int, str] = {
    1: "unrelated: no meaning in common",
    2: "partial overlap: something in common, but not the main meaning",
    3: "nearly equivalent: same role and meaning, with small differences",
    4: "equivalent: could be exchanged without a change of meaning",
}


@dataclass(frozen=True)
class Item:
    """A span to rate."""

    pair: ParallelPair
    span: FoundSpan

    @property
    def key(self) -> str:
        """Of texts, languages and offsets: the same span found in two ways has the same key."""
        return span_key(self.pair, self.span)


def span_key(pair: ParallelPair, found: FoundSpan) -> str:
    """See `Item.key`; 16 hexadecimal digits."""
    span = found.span
    offsets = [span.source.start, span.source.end, span.target.start, span.target.end]
    content = json.dumps([*pair.languages, pair.source, pair.target, offsets])
    return hashlib.sha256(content.encode()).hexdigest()[:16]


def draw(paths: Sequence[Path], n: int, seed: int, *, min_words: int = 1) -> list[Item]:
    """`n` spans, as evenly over files and pairs of languages as they allow, in mixed order; all if there are fewer.

    A span that several files hold is drawn once.

    Args:
        paths: files of spans, such as one of each method.
        n: how many.
        seed: of the draw and the order.
        min_words: shortest source span, in words between spaces.

    Raises:
        DataError: a file that cannot be read, or there are no such spans.
    """
    strata: dict[tuple[int, tuple[str, str]], list[str]] = {}
    for number, path in enumerate(paths):
        for item in _items(path, min_words):
            strata.setdefault((number, item.pair.languages), []).append(item.key)
    if not strata:
        raise DataError(f"{', '.join(map(str, paths))}: no spans to review")
    chosen = _choose(strata, n, seed)
    found: dict[str, Item] = {}
    for path in paths:
        found |= {item.key: item for item in _items(path, min_words) if item.key in chosen}
    order = sorted(found)
    random.Random(f"{seed} order").shuffle(order)
    return [found[key] for key in order]


def _items(path: Path, min_words: int) -> Iterator[Item]:
    for found in read_found(path):
        for span in found.spans:
            if len(span.span.source.of(found.pair.source).split()) >= min_words:
                yield Item(found.pair, span)


def _choose(strata: Mapping[tuple[int, tuple[str, str]], list[str]], n: int, seed: int) -> set[str]:
    """One key of each stratum in turn, until there are enough; each stratum in an order of its own."""
    orders = []
    for name in sorted(strata):
        keys = sorted(set(strata[name]))
        # A generator per stratum: its part of the sheet does not depend on the others.
        random.Random(f"{seed} {name}").shuffle(keys)
        orders.append(keys)
    chosen: set[str] = set()
    while len(chosen) < n and any(orders):
        for keys in orders:
            while keys and keys[-1] in chosen:
                keys.pop()
            if keys and len(chosen) < n:
                chosen.add(keys.pop())
    return chosen


def marked(text: str, span: Span) -> tuple[str, str, str]:
    """The text before, in and after a span."""
    return text[: span.start], span.of(text), text[span.end :]


def methods(paths: Sequence[Path]) -> dict[str, list[str]]:
    """Key of each span → the methods that found it, as ``case (encoder, layer 7)``.

    Raises:
        DataError: a file that cannot be read.
    """
    found: dict[str, list[str]] = {}
    for path in paths:
        name = method_name(read_info(path))
        for item in _items(path, 1):
            names = found.setdefault(item.key, [])
            if name not in names:
                names.append(name)
    return found


def method_name(info: SpanInfo) -> str:
    """What found the spans of a file: CASE with its encoder and layer, or the chat model."""
    if info.method.startswith("case"):
        layer = "" if info.layer is None else f", layer {info.layer}"
        return f"{info.method} ({info.encoder}{layer})"
    return f"{info.method} ({info.settings.get('model', '?')})"


def keep(paths: Sequence[Path], ratings: Mapping[str, int], least: int = 4) -> tuple[list[FoundPair], SpanInfo]:
    """The pairs with the spans that are rated well enough, once each: a CrossSpan set.

    Args:
        paths: files of spans.
        ratings: key → rating.
        least: rating.

    Returns:
        Pairs with at least one such span, and how they came about, for `write_spans`.

    Raises:
        DataError: a file that cannot be read; files of different tokenizers; no span is rated so well.
    """
    infos = [read_info(path) for path in paths]
    for path, info in zip(paths, infos, strict=True):
        if info.tokenizer != infos[0].tokenizer:
            raise DataError(f"{path}: spans from another tokenizer than {paths[0]}; keep their spans one by one")
    kept: dict[str, tuple[ParallelPair, dict[str, FoundSpan]]] = {}
    for path in paths:
        for item in _items(path, 1):
            if ratings.get(item.key, 0) >= least:
                name = json.dumps([*item.pair.languages, item.pair.source, item.pair.target])
                kept.setdefault(name, (item.pair, {}))[1].setdefault(item.key, item.span)
    if not kept:
        raise DataError(f"no span of {', '.join(map(str, paths))} is rated {least} or better in these sheets")
    names = list(dict.fromkeys(method_name(info) for info in infos))
    info = replace(
        infos[0],
        method=f"{' + '.join(dict.fromkeys(info.method for info in infos))}, rated {least} or better",
        layer=infos[0].layer if len(infos) == 1 else None,
        settings={"found by": names, "least rating": least},
        pairs=None,
        dropped={},
    )
    return [FoundPair(pair, in_source_order(spans.values())) for pair, spans in kept.values()], info
