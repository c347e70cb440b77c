"""The records that flow through SALT: parallel texts, and parallel texts with aligned spans.

    ParallelPair ──spans──▶ AlignedPair ──packing, encoder──▶ tensors of pooled spans ──losses──▶ a number

A span is a pair of character offsets into its text, so that it outlives any tokenizer; which tokens it covers is
worked out by the encoder that reads it (`salt.encoders.base.Tokens.covered`).
"""

from dataclasses import dataclass

from alee_mteb.errors import DataError


@dataclass(frozen=True, order=True)
class Span:
    """Characters ``start`` to ``end`` (exclusive) of a text.

    Raises:
        DataError: the span is empty or starts before the text.
    """

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise DataError(f"span {self.start}–{self.end}: a span holds at least one character")

    def contains(self, other: "Span") -> bool:
        """Whether the other span lies within this one (equal spans contain each other)."""
        return self.start <= other.start and other.end <= self.end

    def overlap(self, other: "Span") -> int:
        """How many characters the two share."""
        return max(0, min(self.end, other.end) - max(self.start, other.start))

    def of(self, text: str) -> str:
        """The characters themselves."""
        return text[self.start : self.end]


@dataclass(frozen=True, order=True)
class AlignedSpan:
    """A span of the source text and the span of the target text that means the same."""

    source: Span
    target: Span

    def nests_with(self, other: "AlignedSpan") -> bool:
        """Whether one contains the other on either side; such spans are not each other's negatives (DESIGN.md §5)."""
        return any(
            mine.contains(theirs) or theirs.contains(mine)
            for mine, theirs in ((self.source, other.source), (self.target, other.target))
        )


@dataclass(frozen=True)
class ParallelPair:
    """A text and its translation.

    Attributes:
        id: unique within its data set.
        source_language: subset-style code, such as ``eng_Latn``.
        target_language: likewise.
        source: text.
        target: its translation.
        score: quality of the pair, where the data has one (any scale, higher is better).
    """

    id: str
    source_language: str
    target_language: str
    source: str
    target: str
    score: float | None = None

    @property
    def languages(self) -> tuple[str, str]:
        """The language pair, source first."""
        return self.source_language, self.target_language


@dataclass(frozen=True)
class AlignedPair:
    """A parallel pair with its aligned spans, in the order of their source offsets."""

    pair: ParallelPair
    spans: tuple[AlignedSpan, ...]
