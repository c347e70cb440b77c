"""Hypernym substitution (HS): put a direct hypernym in the place of a concept (ALEE paper, §3.2).

Nearly every word has a hypernym under some part of speech (``long``: the verb, "desire"), so that from a lexicon that
counts uses only the likeliest part of speech is taken; from others, the first that has hypernyms.
"""

from penman import Graph

from alee_mteb.perturbations import Perturbation
from builders.edits import frames
from builders.edits.graphs import GraphIndex
from builders.edits.lexical import first_known, replacements
from builders.edits.word_class import parts_of_speech
from builders.lexicon import CountingLexicon
from builders.stages import Edit, Lexicon


def candidates(graph: Graph, lexicon: Lexicon) -> list[Edit]:
    """One edit per node and hypernym, nodes in the order in which the graph defines them, most usual hypernym first."""
    counting = lexicon if isinstance(lexicon, CountingLexicon) else None

    def lookup(index: GraphIndex, node: str) -> list[str]:
        spellings = frames.lookups(frames.split(index.concepts[node])[0])
        order = parts_of_speech(index, node, spellings, counting)
        for pos in order if counting is None else order[:1]:
            if words := first_known(lexicon.hypernyms, spellings, pos):
                return words
        return []

    return replacements(graph, Perturbation.HYPERNYM_SUBSTITUTION, lookup)
