"""The stages of building triplets, and what passes between them.

    Corpus ──▶ Parser ──▶ edits ──▶ Realiser ──▶ Validator ──▶ triplets
    (rows)     (graphs)   (edited)   (foil text)   (verdicts)

Every stage is a plain function over a batch behind a protocol, so that an engine can be swapped (AMR models, the
surface engine, a test double). A stage answers for each item of its batch, in order; an item that fails carries its
problem and never stops the others.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from penman import Graph

from alee_mteb.perturbations import Perturbation


class Status(StrEnum):
    """What became of one source × perturbation; the words of the provenance table (DESIGN.md §4)."""

    SUCCESS = "success"
    NO_CANDIDATE = "no_candidate"
    PARSE_FAILED = "parse_failed"
    GENERATION_FAILED = "generation_failed"
    NO_CHANGE = "no_change"
    REJECTED_BIDIRECTIONAL = "rejected_bidirectional"
    REJECTED_ENTAILMENT = "rejected_entailment"
    REJECTED_DIFFERENCE = "rejected_difference"


@dataclass(frozen=True)
class SourceText:
    """One row of a corpus.

    Attributes:
        id: unique within the corpus.
        text: the English source.
        translations: language key → translation, ``None`` where missing.
        metadata: further columns (``domain``, ``level``, ``document_id``, …), ``None`` where empty.
    """

    id: str
    text: str
    translations: Mapping[str, str | None] = field(default_factory=dict)
    metadata: Mapping[str, str | None] = field(default_factory=dict)


class Corpus(Protocol):
    """Parallel text with English on one side."""

    #: Name in manifests and cards, e.g. ``openlanguagedata/flores_plus``.
    name: str
    #: Configuration and task name of the triplets made from it, e.g. ``alee_f200``.
    config: str
    #: The English key of the data set (``eng_Latn``, ``en_EN``).
    english: str
    #: Target language keys, in column order.
    languages: Sequence[str]
    #: SPDX-like licence identifier of the text.
    license: str

    def rows(self) -> Iterator[SourceText]:
        """The usable rows, in a fixed order; rows flagged bad are left out."""
        ...


@dataclass(frozen=True)
class Parse:
    """A sentence's graph, or why there is none.

    Attributes:
        graph: well-formed: has a top, is connected, every variable has a concept.
        problem: what went wrong, or a remark (``"clipped"``) beside a graph.
    """

    graph: Graph | None
    problem: str | None = None


class Parser(Protocol):
    """Sentences to AMR graphs."""

    #: Engine and model, for the manifest.
    name: str

    def parse(self, sentences: Sequence[str]) -> list[Parse]:
        """One `Parse` per sentence, in order. Never raises for a single sentence."""
        ...


@dataclass(frozen=True)
class Edit:
    """One controlled change of a graph.

    Attributes:
        graph: the edited graph, well-formed; decoding its penman text gives the same triples.
        node: the variable that was changed (the predicate for polarity and role swap).
        old, new: what changed, readable: a concept (``good-02`` → ``bad-07``), a polarity (``+`` → ``-``), or the
            pair of fillers (``:ARG0 b :ARG1 g`` → ``:ARG0 g :ARG1 b``).
    """

    perturbation: Perturbation
    graph: Graph
    node: str
    old: str
    new: str


@dataclass(frozen=True)
class RealiserInput:
    """What a realiser may look at.

    Attributes:
        sentence: the source sentence.
        original: its unedited graph.
        edit: the edit to put into words; ``None`` asks for a regeneration of the unedited graph (control).
    """

    sentence: str
    original: Graph
    edit: Edit | None


@dataclass(frozen=True)
class Realisation:
    """The text of a graph, or why there is none."""

    text: str | None
    problem: str | None = None


class Realiser(Protocol):
    """Edited graphs to sentences."""

    name: str

    def realise(self, inputs: Sequence[RealiserInput]) -> list[Realisation]:
        """One `Realisation` per input, in order. Never raises for a single input."""
        ...


@dataclass(frozen=True)
class Verdict:
    """Whether a foil's meaning differs from its source.

    Attributes:
        status: ``SUCCESS``, ``NO_CHANGE``, or one of the ``REJECTED_…``.
        forward, backward: P(entailment) source → foil and foil → source, rounded to four digits; ``None`` where no
            NLI model was asked.
    """

    status: Status
    forward: float | None = None
    backward: float | None = None


class Validator(Protocol):
    """Source and foil to a verdict."""

    name: str

    def validate(self, pairs: Sequence[tuple[str, str]]) -> list[Verdict]:
        """One `Verdict` per (source, foil), in order."""
        ...


class Lexicon(Protocol):
    """Words and their relations. Lemmas are lower case, parts of speech are WordNet's ``n v a r``."""

    name: str

    def antonyms(self, lemma: str, pos: str) -> list[str]:
        """Direct antonyms, most usual first; empty if there are none."""
        ...

    def hypernyms(self, lemma: str, pos: str) -> list[str]:
        """Direct hypernyms, most usual first; empty if there are none."""
        ...
