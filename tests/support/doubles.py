"""Stand-ins for the stages of building triplets: small rules instead of models, and what they were asked.

The parser knows sentences of the form "The boy believes Mary ." (any words): the second word is the predicate, what
follows the last agent. Their graphs are real penman graphs, and the edits on them are the project's own.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import penman
from penman import Graph

from alee_mteb.perturbations import Perturbation
from builders.engines import Engine
from builders.paragraphs import Splitter
from builders.pipeline import Stages
from builders.stages import Edit, Parse, Realisation, RealiserInput, SourceText, Status, Verdict


def source(id: str, text: str, **metadata: str | None) -> SourceText:
    return SourceText(id, text, {"deu_Latn": f"Deutsch {id}"}, metadata)


def lines(text: str) -> list[tuple[int, int]]:
    """A splitter: one sentence per line."""
    spans, start = [], 0
    for line in text.split("\n"):
        if line.strip():
            spans.append((start, start + len(line)))
        start += len(line) + 1
    return spans


@dataclass
class ListCorpus:
    """A corpus in memory."""

    sources: Sequence[SourceText]
    name: str = "test/corpus"
    config: str = "alee_test"
    english: str = "eng_Latn"
    languages: Sequence[str] = ("deu_Latn",)
    license: str = "cc0-1.0"

    def rows(self) -> Iterator[SourceText]:
        return iter(self.sources)


@dataclass
class RuleParser:
    """ "… VERB …" → ``(v / verb-01 :ARG0 (a / first-word) :ARG1 (b / last-word))``; ``unparsable`` in it: no graph."""

    name: str = "rules"
    calls: list[list[str]] = field(default_factory=list)

    def parse(self, sentences: Sequence[str]) -> list[Parse]:
        self.calls.append(list(sentences))
        return [self._parse(sentence) for sentence in sentences]

    @staticmethod
    def _parse(sentence: str) -> Parse:
        words = [
            word for word in "".join(c if c.isalnum() else " " for c in sentence.lower()).split() if word.isascii()
        ]
        if "unparsable" in words or len(words) < 3:
            return Parse(None, "the parser gave no graph")
        first, verb, last = words[0], words[1], words[-1]
        return Parse(penman.decode(f"(v / {verb}-01 :ARG0 (a / {first}) :ARG1 (b / {last}))"))


@dataclass
class NumberedEditor:
    """As many candidates as asked for; the n-th replaces the concept of the predicate by ``verb-n``."""

    n: int = 3

    def propose(self, graph: Graph, kind: Perturbation, source_id: str) -> list[Edit]:
        old = next(triple for triple in graph.triples if triple == (graph.top, ":instance", triple[2]))
        edits = []
        for number in range(1, self.n + 1):
            new = f"{kind.code.lower()}-{number:02d}"
            triples = [(graph.top, ":instance", new) if triple == old else triple for triple in graph.triples]
            edits.append(Edit(kind, Graph(triples, top=graph.top), graph.top, old[2], new))
        return edits


@dataclass
class RuleRealiser:
    """Says the concepts of the graph in order, after the sentence it came from: "<sentence> pn 01 boy mary"."""

    name: str = "rules"
    calls: list[list[RealiserInput]] = field(default_factory=list)

    def realise(self, inputs: Sequence[RealiserInput]) -> list[Realisation]:
        self.calls.append(list(inputs))
        return [Realisation(self._text(item)) for item in inputs]

    @staticmethod
    def _text(item: RealiserInput) -> str:
        graph = item.edit.graph if item.edit else item.original
        return f"{item.sentence} {' '.join(target.replace('-', ' ') for _, _, target in graph.instances())}"


@dataclass
class RuleValidator:
    """Decides by a function of (source, foil); everything is valid by default."""

    rule: Callable[[str, str], Status] = lambda source, foil: Status.SUCCESS
    name: str = "rules"
    calls: list[list[tuple[str, str]]] = field(default_factory=list)

    def validate(self, pairs: Sequence[tuple[str, str]]) -> list[Verdict]:
        self.calls.append(list(pairs))
        return [Verdict(self.rule(*pair), 0.25, 0.5) for pair in pairs]


def stages(
    rule: Callable[[str, str], Status] | None = None, *, n_candidates: int = 3, split: Splitter = lines
) -> Stages:
    """Fresh stages of rules."""
    validator = RuleValidator(rule) if rule else RuleValidator()
    return Stages(RuleParser(), NumberedEditor(n_candidates), RuleRealiser(), validator, split)


def engine(made: Stages | None = None) -> Engine:
    """An engine of rules, under names that a manifest can hold."""
    names: dict[str, str | None] = {"parser": "rules", "realiser": "rules", "validator": "rules", "lexicon": None}
    return Engine(made or stages(), names, ("penman",))
