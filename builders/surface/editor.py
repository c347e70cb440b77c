"""The edits the surface engine tries, and in which order.

The candidates are those of `builders.edits` on the shallow graph, drawn in the order of the seed. Three things the
text knows and the graph does not are added: a negation that is there may be taken away, words are looked up under the
part of speech they have, and what reads best is tried first.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from penman import Graph
from penman.surface import Alignment

from alee_mteb.perturbations import Perturbation
from builders.edits import candidates, choose, frames, toggle_polarity
from builders.edits.graphs import NEGATIVE, POLARITY, GraphIndex, index_graph, without_duplicates
from builders.stages import Edit, Lexicon
from builders.surface import words
from builders.surface.wordsets import word_set

_ASSERTING = frozenset({":ARG1", ":ARG2"})
_LATER = 3
_PERSONS = word_set("person organization ethnic-group country-region i you he she we they")


@dataclass(frozen=True)
class SurfaceEditor:
    """The edits of `builders.edits` in the order of a seed, what reads best first."""

    seed: int
    lexicon: Lexicon | None

    def propose(self, graph: Graph, kind: Perturbation, source_id: str) -> list[Edit]:
        """The edits to try, depending on nothing but the arguments, seed and lexicon.

        Raises:
            ValueError: AR or HS without a lexicon.
        """
        chosen = choose(self._candidates(graph, kind), self.seed, source_id, kind)
        if kind is Perturbation.POLARITY_NEGATION:
            return sorted(chosen, key=lambda edit: _negation_rank(index_graph(graph), edit))
        if kind is Perturbation.ROLE_SWAP:
            return sorted(chosen, key=lambda edit: _swap_rank(index_graph(graph), edit))
        if kind is Perturbation.HYPERNYM_SUBSTITUTION:
            return sorted(chosen, key=lambda edit: _is_compound_head(graph, edit))
        return chosen

    def _candidates(self, graph: Graph, kind: Perturbation) -> list[Edit]:
        if kind is Perturbation.POLARITY_NEGATION:
            return [*candidates(graph, kind), *removals(graph)]
        if kind is Perturbation.ROLE_SWAP or self.lexicon is None:
            return candidates(graph, kind)
        if "pos" not in graph.metadata:
            return candidates(graph, kind, self.lexicon)
        return candidates(graph, kind, PartOfSpeechLexicon(self.lexicon, parts_of_speech(graph)))


def removals(graph: Graph) -> list[Edit]:
    """One edit per predicate whose negation can be taken away, in the order in which the graph defines its nodes."""
    graph = without_duplicates(graph)
    index = index_graph(graph)
    return [
        Edit(Perturbation.POLARITY_NEGATION, toggle_polarity(graph, node), node, NEGATIVE, "+")
        for node in index.concepts
        if (node, POLARITY, NEGATIVE) in index.outgoing[node]
        and (node, ":mode", "interrogative") not in index.outgoing[node]
        and frames.is_frame(index.concepts[node])
    ]


@dataclass
class PartOfSpeechLexicon:
    """A lexicon that answers only for the parts of speech that a lemma has in one sentence.

    It hides whether the lexicon behind it counts senses: what a word is, the text says better than a count.
    """

    lexicon: Lexicon
    found: Mapping[str, frozenset[str]]
    name: str = "by part of speech"

    def antonyms(self, lemma: str, pos: str) -> list[str]:
        """Antonyms of a word that has this part of speech in the sentence."""
        return self.lexicon.antonyms(lemma, pos) if pos in self.found.get(lemma, ()) else []

    def hypernyms(self, lemma: str, pos: str) -> list[str]:
        """Hypernyms of a noun of the sentence; other words have none that could stand in their place."""
        return self.lexicon.hypernyms(lemma, pos) if pos == "n" and pos in self.found.get(lemma, ()) else []


def parts_of_speech(graph: Graph) -> dict[str, frozenset[str]]:
    """Lemma → WordNet's letters for the parts of speech its tokens have, by the graph's ``::pos`` line."""
    tags = graph.metadata.get("pos", "").split()
    found: dict[str, set[str]] = {}
    for (_, role, concept), notes in graph.epidata.items():
        if role != ":instance" or concept is None:
            continue
        for number in _numbers(notes):
            if number < len(tags):
                for lemma in frames.lookups(frames.split(concept)[0]):
                    found.setdefault(lemma, set()).add(tags[number])
    return {lemma: frozenset(letters) for lemma, letters in found.items()}


def _numbers(notes: Iterable[object]) -> list[int]:
    return [number for note in notes if isinstance(note, Alignment) for number in note.indices]


def _is_compound_head(graph: Graph, edit: Edit) -> bool:
    """Whether another noun stands before the noun: nouns that stand alone are replaced more safely."""
    tags = graph.metadata.get("pos", "").split()
    places = [
        number
        for (source, role, _), notes in graph.epidata.items()
        if source == edit.node and role == ":instance"
        for number in _numbers(notes)
    ]
    return any(0 < place <= len(tags) - 1 and tags[place - 1] == "n" for place in places)


def _negation_rank(index: GraphIndex, edit: Edit) -> int:
    """Main and complement clauses before relative and adverbial ones, statements before commands and questions."""
    roles = index.roles(edit.node)
    targets = {index.concepts.get(str(target)) for _, _, target in index.outgoing[edit.node]}
    if ":mode" in roles or "amr-unknown" in targets:
        return 2
    if not roles & {":ARG0", ":ARG1"}:
        return 3
    return 0 if _is_asserted(index, edit.node) else 1


def _is_asserted(index: GraphIndex, node: str) -> bool:
    """Whether nothing but arguments and coordination stands between a node and the top."""
    seen = set()
    while node != index.top and node not in seen:
        seen.add(node)
        above = [source for source, role, _ in index.incoming[node] if role in _ASSERTING or role[:3] in (":op", ":sn")]
        if not above:
            return False
        node = above[0]
    return True


def _swap_rank(index: GraphIndex, edit: Edit) -> int:
    """Two persons or groups before a person and a thing before two things: either could have done it.

    Verbs that are light with some objects come later, those whose agent no word says (*you* in a command) last.
    """
    fillers = [*index.fillers(edit.node, ":ARG0"), *index.fillers(edit.node, ":ARG1")]
    rank = -sum(index.concepts[filler] in _PERSONS for filler in fillers)
    lemma = frames.split(index.concepts[edit.node])[0].partition("-")[0]
    if lemma in words.PARTLY_LIGHT | words.MONOTRANSITIVE | words.LIGHT | words.DITRANSITIVE:
        rank += _LATER
    return rank + _LATER * any(_is_implied(edit.graph, filler) for filler in fillers)


def _is_implied(graph: Graph, node: str) -> bool:
    """Whether no word is aligned to a pronoun."""
    instance = next((triple for triple in graph.triples if triple[0] == node and triple[1] == ":instance"), None)
    if instance is None or instance[2] not in ("you", "i"):
        return False
    return not any(isinstance(note, Alignment) for note in graph.epidata.get(instance, ()))
