"""Antonym replacement (AR): put an antonym in the place of a concept (ALEE paper, §3.2).

Words come from the first part of speech that has antonyms (see `word_class`); ``clean-01 :ARG0 …`` gives ``dirty-01``.
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
    """One edit per node and antonym, nodes in the order in which the graph defines them, most usual antonym first."""
    counting = lexicon if isinstance(lexicon, CountingLexicon) else None

    def lookup(index: GraphIndex, node: str) -> list[str]:
        spellings = frames.lookups(frames.split(index.concepts[node])[0])
        for pos in parts_of_speech(index, node, spellings, counting):
            if words := first_known(lexicon.antonyms, spellings, pos):
                return words
        return []

    return replacements(graph, Perturbation.ANTONYM_REPLACEMENT, lookup)
