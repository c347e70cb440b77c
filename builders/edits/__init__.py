"""The four controlled edits of AMR graphs (ALEE paper, §3.2; DESIGN.md §4).

    graph ──candidates──▶ every possible edit, in a fixed order ──choose──▶ the order in which to try them

An edit never changes its input and never breaks the graph: decoding the penman text of the edited graph gives the
edited graph. Candidates are in the order in which the graph defines its nodes; within a node, most usual word first.
"""

from typing import Literal

from penman import Graph

from alee_mteb.perturbations import Perturbation
from builders.edits import antonym, hypernym, polarity, released, role_swap
from builders.edits.graphs import problem_of, replace_concept, toggle_polarity
from builders.edits.selection import choose
from builders.lexicon import CountingLexicon
from builders.stages import Edit, Lexicon

__all__ = ["Mode", "candidates", "choose", "edits_to_try", "problem_of", "replace_concept", "toggle_polarity"]

#: ``paper``: every candidate that the rules allow. ``released``: the one that the released scripts would draw.
Mode = Literal["paper", "released"]


def candidates(graph: Graph, perturbation: Perturbation, lexicon: Lexicon | None = None) -> list[Edit]:
    """Every edit of this kind that the rules of `paper` mode allow.

    Raises:
        ValueError: AR or HS without a lexicon.
    """
    if perturbation is Perturbation.POLARITY_NEGATION:
        return polarity.candidates(graph)
    if perturbation is Perturbation.ROLE_SWAP:
        return role_swap.candidates(graph)
    if lexicon is None:
        raise ValueError(f"{perturbation.title} needs a lexicon")
    if perturbation is Perturbation.ANTONYM_REPLACEMENT:
        return antonym.candidates(graph, lexicon)
    return hypernym.candidates(graph, lexicon)


def edits_to_try(
    graph: Graph,
    perturbation: Perturbation,
    seed: int,
    source_id: str,
    lexicon: Lexicon | None = None,
    mode: Mode = "paper",
) -> list[Edit]:
    """The edits of one source and perturbation, in the order in which to try them.

    Raises:
        ValueError: AR or HS without a lexicon, or, in `released` mode, with one that does not count senses.
    """
    if mode == "paper":
        return choose(candidates(graph, perturbation, lexicon), seed, source_id, perturbation)
    if lexicon is not None and not isinstance(lexicon, CountingLexicon):
        raise ValueError(f"released mode needs a lexicon that counts senses; {lexicon.name!r} does not")
    return released.candidates(graph, perturbation, seed, source_id, lexicon)
