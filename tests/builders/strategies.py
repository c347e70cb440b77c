"""Graphs for the tests of the edits, random and gold, and an independent judge of whether a graph is whole."""

from collections import defaultdict, deque
from functools import cache
from pathlib import Path
from typing import Any

import penman
from hypothesis import strategies as st
from penman import Graph, Tree

FRAMES = ["chase-01", "want-01", "sit-down-02", "good-02", "dirty-02", "lead-up-05", "possible-01", "teach-01"]
SPECIAL = ["have-org-role-91", "have-degree-91", "be-located-at-91", "have-polarity-91", "include-91"]
WORDS = ["boy", "girl", "puppy", "morning", "grown-up", "young", "carbon", "water", "behind", "thing", "person"]
CLOSED = ["and", "multi-sentence", "i", "he", "name", "date-entity", "temporal-quantity", "amr-unknown", "monday"]
EDGES = [":ARG0", ":ARG1", ":ARG2", ":mod", ":op1", ":op2", ":time", ":poss", ":domain", ":unit", ":name", ":polarity"]
CONSTANTS = [(":polarity", "-"), (":polarity", "+"), (":mode", "interrogative"), (":quant", "3"), (":ARG1", '"V600E"')]
STRINGS = ['"Kenji"', '"a b"', '"x~e.1"', '"(odd) :ARG0 / one"', '"say \\"hi\\""']

#: Gold graphs: file → number of graphs.
GOLD = {"little-prince-training.txt": 1274, "bio-dev.txt": 500}
GOLD_FOLDER = Path(__file__).resolve().parents[3] / "shared" / "data" / "amr"


@cache
def gold(name: str) -> list[Graph]:
    """The gold graphs of a file; only for tests marked `shared`."""
    with (GOLD_FOLDER / name).open(encoding="utf-8") as file:
        return list(penman.iterdecode(file))


@st.composite
def trees(draw: st.DrawFn, max_nodes: int = 9) -> Tree:
    """The tree of a connected graph with inverse roles, reentrancies, constants, duplicates and alignments."""
    size = draw(st.integers(1, max_nodes))
    concepts = [draw(st.sampled_from(FRAMES + FRAMES + WORDS + WORDS + SPECIAL + CLOSED)) for _ in range(size)]
    nodes: list[Any] = [(f"x{i}", [("/", concepts[i] + draw(_alignment()))]) for i in range(size)]
    for i in range(1, size):
        parent = draw(st.integers(0, i - 1))
        nodes[parent][1].append((draw(_role()), nodes[i]))
    for _ in range(draw(st.integers(0, 4))):  # reentrancies, before or after the node is written out
        source, target = draw(st.integers(0, size - 1)), draw(st.integers(0, size - 1))
        branches = nodes[source][1]
        place = draw(st.integers(1, len(branches)))
        branches.insert(place, (draw(_role()), nodes[target][0] + draw(_alignment())))
    for _ in range(draw(st.integers(0, 3))):
        branches = nodes[draw(st.integers(0, size - 1))][1]
        branches.insert(draw(st.integers(1, len(branches))), draw(_constant()))
    return Tree(nodes[0], metadata={"snt": "some words"})


@st.composite
def graphs(draw: st.DrawFn, max_nodes: int = 9) -> Graph:
    """A graph as `penman.decode` gives it, or, now and then, one built from bare triples without layout markers."""
    graph = penman.decode(penman.format(draw(trees(max_nodes))))
    if draw(st.booleans()):
        return graph
    return Graph(graph.triples, top=graph.top)


def _alignment() -> st.SearchStrategy[str]:
    return st.sampled_from(["", "", "~e.1", "~e.2,3"])


@st.composite
def _role(draw: st.DrawFn) -> str:
    return draw(st.sampled_from(EDGES)) + draw(st.sampled_from(["", "", "-of"])) + draw(_alignment())


@st.composite
def _constant(draw: st.DrawFn) -> tuple[str, str]:
    if draw(st.booleans()):
        return draw(st.sampled_from(CONSTANTS))
    return f":op{draw(st.integers(1, 3))}", draw(st.sampled_from(STRINGS)) + draw(_alignment())


def why_broken(graph: Graph) -> str | None:
    """What is wrong with a graph, found without the package's own code; ``None`` if nothing."""
    variables = {source for source, _, _ in graph.triples}
    for variable in variables:
        concepts = [target for source, role, target in graph.triples if source == variable and role == ":instance"]
        if len(concepts) != 1 or not concepts[0]:
            return f"{variable} has concepts {concepts}"
    links = defaultdict(set)
    for source, role, target in graph.triples:
        if role != ":instance" and target in variables:
            links[source].add(target)
            links[target].add(source)
    seen, queue = {graph.top}, deque([graph.top])
    while queue:
        fresh = links[queue.popleft()] - seen
        seen |= fresh
        queue.extend(fresh)
    if seen != variables:
        return f"{variables - seen} cannot be reached"
    text = penman.encode(graph)
    again = penman.decode(text)
    if again.top != graph.top or set(again.triples) != set(graph.triples):
        return f"text reads differently:\n{text}"
    return None


def snapshot(graph: Graph) -> tuple[Any, ...]:
    """Everything in a graph, copied, to see later whether it was changed."""
    epidata = {triple: [repr(note) for note in notes] for triple, notes in graph.epidata.items()}
    return list(graph.triples), graph.top, epidata, dict(graph.metadata)


class TableLexicon:
    """A lexicon from two tables, (lemma, part of speech) → words; without counts."""

    name = "table"

    def __init__(
        self,
        antonyms: dict[tuple[str, str], list[str]] | None = None,
        hypernyms: dict[tuple[str, str], list[str]] | None = None,
    ) -> None:
        self._antonyms, self._hypernyms = antonyms or {}, hypernyms or {}

    def antonyms(self, lemma: str, pos: str) -> list[str]:
        return list(self._antonyms.get((lemma, pos), []))

    def hypernyms(self, lemma: str, pos: str) -> list[str]:
        return list(self._hypernyms.get((lemma, pos), []))


class CountedLexicon(TableLexicon):
    """The same with senses and uses, (lemma, part of speech) → (senses, uses)."""

    def __init__(self, counts: dict[tuple[str, str], tuple[int, int]], **tables: Any) -> None:
        super().__init__(**tables)
        self._counts = counts

    def sense_count(self, lemma: str, pos: str) -> int:
        return self._counts.get((lemma, pos), (0, 0))[0]

    def frequency(self, lemma: str, pos: str) -> int:
        return self._counts.get((lemma, pos), (0, 0))[1]


#: Words of the strategies above, with replacements that are awkward on purpose.
AWKWARD = CountedLexicon(
    counts={
        ("chase", "v"): (2, 9), ("good", "a"): (3, 9), ("good", "n"): (4, 2), ("dirty", "v"): (1, 0),
        ("dirty", "a"): (2, 5), ("boy", "n"): (2, 8), ("puppy", "n"): (1, 1), ("young", "a"): (1, 9),
        ("young", "n"): (2, 1), ("sit down", "v"): (1, 4), ("carbon", "n"): (2, 1), ("grown-up", "n"): (1, 2),
    },
    antonyms={
        ("good", "a"): ["bad", "evil"], ("good", "n"): ["evil"], ("boy", "n"): ["girl"], ("young", "a"): ["old"],
        ("sit down", "v"): ["stand up"], ("dirty", "a"): ["clean", "unsoiled by dirt"], ("dirty", "v"): ["clean"],
        ("grown-up", "n"): ["child"],
    },
    hypernyms={
        ("chase", "v"): ["follow", "be", "chase"], ("boy", "n"): ["male", "24/7", "witches' broth", "(odd)"],
        ("puppy", "n"): ["dog", "domestic_dog"], ("carbon", "n"): ["carbon 14", "element"], ("good", "n"): ["quality"],
        ("grown-up", "n"): ["person"],
    },
)  # fmt: skip
