"""The edits as the released scripts make them, for comparison (DESIGN.md §4, `released` mode).

One candidate per sentence, or none:

* PN: a random node, whatever it is, gets ``:polarity -``;
* RS: two random leaves, whatever their roles, trade places;
* AR, HS: a random node that has one gets a random antonym or hypernym, from the part of speech with the most senses
  and from all of its senses together; the sense suffix of the old concept is appended to the new word
  (``good-02`` → ``bad-02``).

Even here a graph is never broken, and a node that already is negative is not negated again.
"""

import random
from collections.abc import Callable

from penman import Graph

from alee_mteb.perturbations import Perturbation
from builders.edits import frames
from builders.edits.graphs import (
    NEGATIVE,
    POLARITY,
    GraphIndex,
    add_negation,
    index_graph,
    set_concept,
    without_duplicates,
)
from builders.edits.lexical import first_known
from builders.edits.selection import generator
from builders.lexicon import CountingLexicon
from builders.stages import Edit

_PARTS_OF_SPEECH = ("n", "v", "a", "r")


def candidates(
    graph: Graph, perturbation: Perturbation, seed: int, source_id: str, lexicon: CountingLexicon | None = None
) -> list[Edit]:
    """The one edit that the released scripts would try, drawn for (seed, source, perturbation); empty if none exists.

    Raises:
        ValueError: AR or HS without a lexicon.
    """
    graph = without_duplicates(graph)
    index = index_graph(graph)
    chance = generator(seed, source_id, perturbation)
    if perturbation is Perturbation.POLARITY_NEGATION:
        return _negate(graph, index, chance)
    if perturbation is Perturbation.ROLE_SWAP:
        return _swap_leaves(graph, index, chance)
    if lexicon is None:
        raise ValueError(f"{perturbation.title} needs a lexicon")
    ask = lexicon.antonyms if perturbation is Perturbation.ANTONYM_REPLACEMENT else lexicon.hypernyms
    return _replace(graph, index, chance, perturbation, lexicon, ask)


def _negate(graph: Graph, index: GraphIndex, chance: random.Random) -> list[Edit]:
    nodes = [node for node in index.concepts if (node, POLARITY, NEGATIVE) not in index.outgoing[node]]
    if not nodes:
        return []
    node = chance.choice(nodes)
    return [Edit(Perturbation.POLARITY_NEGATION, add_negation(graph, node), node, "+", "-")]


def _swap_leaves(graph: Graph, index: GraphIndex, chance: random.Random) -> list[Edit]:
    """Leaves are nodes without triples of their own; to trade places is to trade concepts."""
    leaves = [node for node in index.concepts if not index.outgoing[node] and node != index.top]
    pairs = [
        (left, right)
        for place, left in enumerate(leaves)
        for right in leaves[place + 1 :]
        if index.concepts[left] != index.concepts[right]
    ]
    if not pairs:
        return []
    left, right = chance.choice(pairs)
    one, other = index.concepts[left], index.concepts[right]
    swapped = set_concept(set_concept(graph, left, other), right, one)
    return [
        Edit(Perturbation.ROLE_SWAP, swapped, left, f"{left} {one} {right} {other}", f"{left} {other} {right} {one}")
    ]


def _replace(
    graph: Graph,
    index: GraphIndex,
    chance: random.Random,
    perturbation: Perturbation,
    lexicon: CountingLexicon,
    ask: Callable[[str, str], list[str]],
) -> list[Edit]:
    words = {node: _related(index.concepts[node], lexicon, ask) for node in index.concepts}
    nodes = [node for node, found in words.items() if found]
    if not nodes:
        return []
    node = chance.choice(nodes)
    new = chance.choice(words[node])
    return [Edit(perturbation, set_concept(graph, node, new), node, index.concepts[node], new)]


def _related(concept: str, lexicon: CountingLexicon, ask: Callable[[str, str], list[str]]) -> list[str]:
    lemma, sense = frames.split(concept)
    spellings = frames.lookups(lemma)
    senses = {pos: max(lexicon.sense_count(spelling, pos) for spelling in spellings) for pos in _PARTS_OF_SPEECH}
    pos = max(_PARTS_OF_SPEECH, key=lambda name: senses[name])
    if not senses[pos]:
        return []
    suffix = "" if sense is None else f"-{sense}"
    concepts = (frames.concept_like(concept, word + suffix) for word in sorted(first_known(ask, spellings, pos)))
    return [new for new in concepts if new is not None]
