"""What a file of spans holds: counts, lengths and parts of speech (SALT paper, Tables 14 and 15)."""

import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from salt.pairs import Span
from salt.spans.constituents import Tagged
from salt.spans.records import FoundPair, TokenRange
from salt.words import has_spaces, whitespace_words

#: What the row over all pairs of languages is called.
ALL = "all"
#: Pairs whose sentences are tagged at once.
_BATCH = 512


class Tagger(Protocol):
    """Tells parts of speech of one language: `salt.spans.constituents.SpacyTagger`."""

    language: str

    def tags(self, texts: Iterable[str]) -> Iterator[list[Tagged]]:
        """Per text, its words."""
        ...


@dataclass(frozen=True)
class Lengths:
    """Words per span; for scripts without spaces, tokens per span (SALT, Appendix A)."""

    mean: float
    median: float


@dataclass(frozen=True)
class LanguageStats:
    """The spans of one pair of languages.

    Attributes:
        languages: such as ``eng_Latn-spa_Latn``, or ``all``.
        pairs: sentence pairs, with and without spans.
        without_spans: those without.
        spans: in all.
        per_sentence: spans per sentence pair.
        source: length of the source spans; ``None`` if there are no spans.
        target: length of the target spans.
        parts_of_speech: part of speech → share of the spans that hold such a word, most frequent first. Empty if no
            side was tagged.
        characters: share of the characters of the source, and of the target, that lie in a span.
    """

    languages: str
    pairs: int
    without_spans: int
    spans: int
    per_sentence: float
    source: Lengths | None
    target: Lengths | None
    parts_of_speech: dict[str, float]
    characters: tuple[float, float]


class _Counts:
    """What is added up for one pair of languages."""

    def __init__(self) -> None:
        self.pairs = self.without_spans = self.tagged_spans = 0
        self.lengths: tuple[list[int], list[int]] = ([], [])
        self.tags: Counter[str] = Counter()
        self.characters, self.covered = [0, 0], [0, 0]

    def add(self, found: FoundPair, tags: Sequence[Sequence[str]] | None) -> None:
        pair = found.pair
        self.pairs += 1
        self.without_spans += not found.spans
        sides = (
            (pair.source, pair.source_language, [(each.span.source, each.source_tokens) for each in found.spans]),
            (pair.target, pair.target_language, [(each.span.target, each.target_tokens) for each in found.spans]),
        )
        for side, (text, language, spans) in enumerate(sides):
            self.lengths[side].extend(_length(text, language, span, tokens) for span, tokens in spans)
            self.characters[side] += len(text)
            self.covered[side] += len({at for span, _ in spans for at in range(span.start, span.end)})
        if tags is not None:
            self.tagged_spans += len(tags)
            for of_span in tags:
                self.tags.update(set(of_span))

    def summed_up(self, languages: str) -> LanguageStats:
        spans = len(self.lengths[0])
        ranked = sorted(self.tags.items(), key=lambda entry: (-entry[1], entry[0]))
        return LanguageStats(
            languages=languages,
            pairs=self.pairs,
            without_spans=self.without_spans,
            spans=spans,
            per_sentence=spans / self.pairs if self.pairs else 0.0,
            source=_summary(self.lengths[0]),
            target=_summary(self.lengths[1]),
            parts_of_speech={tag: count / self.tagged_spans for tag, count in ranked},
            characters=(self.covered[0] / max(1, self.characters[0]), self.covered[1] / max(1, self.characters[1])),
        )


def span_stats(pairs: Iterable[FoundPair], tagger: Tagger | None = None) -> list[LanguageStats]:
    """One entry per pair of languages, in alphabetical order, and one over all if there are several.

    Args:
        pairs: with their spans.
        tagger: of one side's language; pairs without such a side have no parts of speech.
    """
    counts: dict[str, _Counts] = defaultdict(_Counts)
    together = _Counts()
    for batch in _batches(pairs):
        for found, tags in zip(batch, _tags(batch, tagger), strict=True):
            counts["-".join(found.pair.languages)].add(found, tags)
            together.add(found, tags)
    entries = [counts[languages].summed_up(languages) for languages in sorted(counts)]
    return entries if len(entries) == 1 else [*entries, together.summed_up(ALL)]


def _tags(batch: Sequence[FoundPair], tagger: Tagger | None) -> list[list[list[str]] | None]:
    """Per pair, per span, the parts of speech on the tagged side; ``None`` if it has no such side."""
    found: list[list[list[str]] | None] = [None] * len(batch)
    if tagger is None:
        return found
    sides = [[language.split("_")[0] for language in each.pair.languages] for each in batch]
    tagged = [number for number, codes in enumerate(sides) if tagger.language in codes]
    from_source = {number: sides[number][0] == tagger.language for number in tagged}
    texts = [batch[n].pair.source if from_source[n] else batch[n].pair.target for n in tagged]
    for number, words in zip(tagged, tagger.tags(texts), strict=True):
        spans = [each.span.source if from_source[number] else each.span.target for each in batch[number].spans]
        found[number] = [[word.tag for word in words if word.span.overlap(span)] for span in spans]
    return found


def _length(text: str, language: str, span: Span, tokens: TokenRange) -> int:
    return len(whitespace_words(span.of(text))) if has_spaces(language) else tokens[1] - tokens[0]


def _summary(lengths: Sequence[int]) -> Lengths | None:
    return Lengths(statistics.fmean(lengths), float(statistics.median(lengths))) if lengths else None


def _batches(pairs: Iterable[FoundPair]) -> Iterator[list[FoundPair]]:
    batch: list[FoundPair] = []
    for found in pairs:
        batch.append(found)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def as_rows(entries: Sequence[LanguageStats]) -> list[list[str]]:
    """The entries as rows of a table, the heading first."""
    heading = ["languages", "pairs", "spans", "per pair", "source words", "median", "target words", "median", "share"]
    rows = [[*heading, "parts of speech"]]
    for entry in entries:
        lengths = [
            text
            for side in (entry.source, entry.target)
            for text in (("–", "–") if side is None else (f"{side.mean:.2f}", f"{side.median:.1f}"))
        ]
        tags = ", ".join(f"{tag} {share:.1%}" for tag, share in list(entry.parts_of_speech.items())[:3])
        share = "/".join(f"{part:.0%}" for part in entry.characters)
        rows.append(
            [
                entry.languages,
                str(entry.pairs),
                str(entry.spans),
                f"{entry.per_sentence:.2f}",
                *lengths,
                share,
                tags or "–",
            ]
        )
    return rows
