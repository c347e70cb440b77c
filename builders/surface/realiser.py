"""The realiser of the surface engine: an edit of the graph as the smallest edit of the text.

    sentence + edited node ──alignment──▶ word ──rules of this kind of edit──▶ changes ──▶ foil

It serves the shallow graphs of `SurfaceParser` and any AMR graph that carries alignments (``~e.N`` after a concept).
What cannot be put into words well is refused with a reason, and the pipeline goes on with the next candidate.
"""

from collections.abc import Sequence

from penman import Graph

from alee_mteb.perturbations import Perturbation
from builders.batching import say
from builders.edits import frames
from builders.surface import syntax
from builders.surface.affirmation import affirm
from builders.surface.alignment import tokens_of
from builders.surface.antonym import replace_by_antonym
from builders.surface.changes import Change, RefusedError, apply
from builders.surface.hypernym import replace_by_hypernym
from builders.surface.inflection import Inflector
from builders.surface.negation import negate
from builders.surface.participants import participants
from builders.surface.reading import Reader, Reading
from builders.surface.role_swap import swap
from builders.surface.tokens import Token
from builders.stages import Edit, Realisation, RealiserInput

_NOTHING_TO_DO = "the surface engine changes nothing without an edit"
_POSSIBLE = "possible"


class SurfaceRealiser:
    """Edits of graphs as edits of their source text.

    Args:
        model: as for `SurfaceParser`.
        reader: the parser's, so that each sentence is read once.

    Raises:
        MissingExtraError: spaCy, its model or lemminflect is not installed.
        ModelError: the model cannot be opened.
    """

    def __init__(self, model: str | None = None, *, reader: Reader | None = None) -> None:
        self.reader = reader or Reader(model)
        self.inflector = Inflector()
        self.name = f"surface {self.reader.name}"

    def realise(self, inputs: Sequence[RealiserInput]) -> list[Realisation]:
        """One `Realisation` per input, in order; a refusal has no text and the reason."""
        return [self._realise(item) for item in inputs]

    def _realise(self, item: RealiserInput) -> Realisation:
        if item.edit is None:
            return Realisation(None, _NOTHING_TO_DO)
        try:
            reading = self.reader.read(item.sentence)
            foil = apply(item.sentence, self._changes(reading, item.original, item.edit))
        except RefusedError as reason:
            return Realisation(None, str(reason))
        except Exception as error:  # noqa: BLE001 - one odd sentence must not stop the others; the answer says why
            return Realisation(None, f"realiser failed: {say(error)}")
        return Realisation(foil) if foil != item.sentence else Realisation(None, "nothing changed")

    def _changes(self, reading: Reading, graph: Graph, edit: Edit) -> list[Change]:
        tokens = tokens_of(graph, edit.node, reading)
        if edit.perturbation in (Perturbation.POLARITY_NEGATION, Perturbation.ROLE_SWAP):
            verb = _predicate(tokens)
            if edit.perturbation is Perturbation.ROLE_SWAP:
                _check_fillers(reading, graph, edit, verb)
                return swap(reading, verb, self.inflector)
            _check_modal(edit, graph, verb)
            return (affirm if edit.new == "+" else negate)(reading, verb, self.inflector)
        if len(tokens) != 1:
            raise RefusedError("the concept stands for several words")
        _check_lemma(tokens[0], edit.old)
        replace = (
            replace_by_antonym if edit.perturbation is Perturbation.ANTONYM_REPLACEMENT else replace_by_hypernym
        )
        return replace(reading, tokens[0], edit.old, edit.new, self.inflector)


def _predicate(tokens: Sequence[Token]) -> Token:
    """The verb whose clause a node stands for: the word itself, the verb of its modal, the copula of its adjective.

    Raises:
        RefusedError: the word heads no clause.
    """
    for token in tokens:
        for candidate in (token, token.head):
            if not syntax.is_predicate(candidate):
                continue
            if candidate == token or token.dep_ in ("aux", "auxpass"):
                return candidate
            if token.dep_ in ("acomp", "attr") and syntax.is_copula(candidate):
                return candidate
    raise RefusedError("the word heads no clause")


def _check_modal(edit: Edit, graph: Graph, verb: Token) -> None:
    """A negated *can* is ``possible-01 :polarity -``: the verb below it is not negated by itself."""
    concept = next((target for source, role, target in graph.triples if source == edit.node and role == ":instance"), "")
    lemma = frames.split(str(concept))[0]
    modal = syntax.modal(verb)
    above = modal is not None and modal.lower_ in ("can", "could", "may", "might", "ca")
    if above and lemma != _POSSIBLE:
        raise RefusedError("the negation belongs to the modal verb")
    if not above and lemma in ("obligate", "recommend") and modal is not None:
        raise RefusedError("the negation belongs to the verb below the modal")


def _check_lemma(token: Token, concept: str) -> None:
    """Whether the aligned word is the word of the concept (alignments of real graphs may be wrong)."""
    lemma = frames.split(concept)[0]
    parts = {lemma, *lemma.split("-")}
    if token.lower_ in parts or token.lemma_.lower() in parts:
        return
    if token.lower_[:4] == lemma[:4] and len(lemma) > 3:
        return
    if (lemma, token.tag_[-1:]) in {("good", "R"), ("good", "S"), ("bad", "R"), ("bad", "S"), ("far", "R")}:
        return
    raise RefusedError(f"the concept {concept} is not the word {token.text!r}")


def _check_fillers(reading: Reading, graph: Graph, edit: Edit, verb: Token) -> None:
    """Whether the graph's ARG0 and ARG1 are what the text has as agent and patient.

    Raises:
        RefusedError: they are not, or are not aligned to the text.
    """
    found = participants(reading, verb)
    for role, head in ((":ARG0", found.doer), (":ARG1", found.undergoer)):
        head = syntax.antecedent(head)
        inside = {token.i for token in head.subtree}
        fillers = [str(target) for source, name, target in graph.triples if source == edit.node and name == role]
        for filler in fillers:
            if not _stands_in(reading, graph, filler, inside):
                raise RefusedError(f"{role} of the graph is another noun phrase than that of the text")


def _stands_in(reading: Reading, graph: Graph, node: str, inside: set[int]) -> bool:
    """Whether a filler, or for one without a word (*and*, a name) what is directly below it, stands in a phrase."""
    try:
        return any(token.i in inside for token in tokens_of(graph, node, reading))
    except RefusedError:
        below = [str(target) for source, role, target in graph.triples if source == node and role != ":instance"]
        known = {triple[0] for triple in graph.triples}
        aligned = [child for child in below if child in known]
        return any(_is_aligned_inside(reading, graph, child, inside) for child in aligned)


def _is_aligned_inside(reading: Reading, graph: Graph, node: str, inside: set[int]) -> bool:
    try:
        return any(token.i in inside for token in tokens_of(graph, node, reading))
    except RefusedError:
        return False
