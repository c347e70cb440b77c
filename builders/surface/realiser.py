"""The realiser of the surface engine: an edit of the graph as the smallest edit of the text.

    sentence + edited node ──alignment──▶ word ──rules of this kind of edit──▶ changes ──▶ foil

It serves the shallow graphs of `SurfaceParser` and any AMR graph that carries alignments (``~e.N`` after a concept).
What cannot be put into words well is refused with a reason, and the pipeline goes on with the next candidate.
"""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from penman import Graph

from alee_mteb.perturbations import Perturbation
from builders.batching import say
from builders.edits import frames
from builders.stages import Edit, Lexicon, Realisation, RealiserInput
from builders.surface import syntax
from builders.surface.affirmation import affirm
from builders.surface.alignment import tokens_below, tokens_of
from builders.surface.antonym import replace_by_antonym
from builders.surface.changes import Change, RefusedError, apply
from builders.surface.expressions import check_phrases
from builders.surface.fragments import is_fragment_head, negate_fragment
from builders.surface.hypernym import replace_by_hypernym
from builders.surface.inflection import Inflector
from builders.surface.negation import negate
from builders.surface.participants import participants
from builders.surface.reading import Reader, Reading
from builders.surface.role_swap import swap
from builders.surface.roles import implied_subject
from builders.surface.tokens import Token

_POS = {"NOUN": "n", "VERB": "v", "AUX": "v", "ADJ": "a", "ADV": "r", "ADP": "r", "SCONJ": "r"}
_NOTHING_TO_DO = "the surface engine changes nothing without an edit"
_POSSIBLE = "possible"


@runtime_checkable
class UsageLexicon(Lexicon, Protocol):
    """A lexicon that also knows where its words must stay."""

    def fixed_phrases(self, lemma: str, pos: str) -> tuple[str, ...]:
        """Phrases in which a lemma is not to be replaced, lemmas or lower-case words."""
        ...

    def is_mass(self, lemma: str) -> bool | None:
        """Whether a noun and its hypernym are mass nouns; ``None``: unknown."""
        ...


class SurfaceRealiser:
    """Edits of graphs as edits of their source text.

    Args:
        model: as for `SurfaceParser`.
        reader: the parser's, so that each sentence is read once.
        lexicon: the one the edits come from; one that knows fixed phrases and mass nouns (`UsageLexicon`) is asked.

    Raises:
        MissingExtraError: spaCy, its model or lemminflect is not installed.
        ModelError: the model cannot be opened.
    """

    def __init__(
        self, model: str | None = None, *, reader: Reader | None = None, lexicon: Lexicon | None = None
    ) -> None:
        self.reader = reader or Reader(model)
        self.inflector: Inflector = self.reader.inflector
        self._usage = lexicon if isinstance(lexicon, UsageLexicon) else None
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
        tokens = _tokens(graph, edit, reading)
        if edit.perturbation in (Perturbation.POLARITY_NEGATION, Perturbation.ROLE_SWAP):
            if edit.perturbation is Perturbation.POLARITY_NEGATION and is_fragment_head(tokens[0]) and edit.new != "+":
                return negate_fragment(reading, tokens[0])
            verb = _predicate(tokens)
            if edit.perturbation is Perturbation.ROLE_SWAP:
                _check_fillers(reading, graph, edit, verb)
                return swap(reading, verb, self.inflector)
            _check_modal(edit, graph, verb)
            return (affirm if edit.new == "+" else negate)(reading, verb, self.inflector)
        if len(tokens) != 1:
            raise RefusedError("the concept stands for several words")
        _check_lemma(tokens[0], edit.old)
        return self._replace(reading, tokens[0], edit)

    def _replace(self, reading: Reading, token: Token, edit: Edit) -> list[Change]:
        antonym = edit.perturbation is Perturbation.ANTONYM_REPLACEMENT
        lemma, mass, above = frames.split(edit.old)[0], None, None
        if self._usage is not None:
            pos = _POS.get(token.pos_, "n") if antonym else "n"
            check_phrases(token, self._usage.fixed_phrases(lemma, pos))
            mass, above = self._usage.is_mass(lemma), self._usage.hypernyms
        if antonym:
            return replace_by_antonym(reading, token, edit.old, edit.new, self.inflector)
        return replace_by_hypernym(reading, token, edit.old, edit.new, self.inflector, mass, above)


def _tokens(graph: Graph, edit: Edit, reading: Reading) -> list[Token]:
    """The words of the edited node; of ``have-degree-91``, which no word says, those of what has the degree."""
    concept = next(str(target) for source, role, target in graph.triples if source == edit.node and role == ":instance")
    if concept != "have-degree-91":
        return tokens_of(graph, edit.node, reading)
    compared = [str(target) for source, role, target in graph.triples if source == edit.node and role == ":ARG2"]
    if not compared:
        raise RefusedError("the node is not aligned to the text")
    return tokens_of(graph, compared[0], reading)


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
    concept = next(
        (target for source, role, target in graph.triples if source == edit.node and role == ":instance"), ""
    )
    lemma = frames.split(str(concept))[0]
    modal = syntax.modal(verb)
    above = modal is not None and modal.lower_ in ("can", "could", "ca")
    if above and lemma != _POSSIBLE:
        raise RefusedError("the negation belongs to the modal verb")
    if not above and lemma in ("obligate", "recommend") and modal is not None:
        raise RefusedError("the negation belongs to the verb below the modal")


def _check_lemma(token: Token, concept: str) -> None:
    """Whether the aligned word is the word of the concept (alignments of real graphs may be wrong)."""
    lemma = frames.split(concept)[0]
    if lemma in (token.lower_, token.lemma_.lower()):
        return
    if (lemma, token.tag_[-1:]) in {("good", "R"), ("good", "S"), ("bad", "R"), ("bad", "S"), ("far", "R")}:
        return
    raise RefusedError(f"the concept {concept} is not the word {token.text!r}")


def _check_fillers(reading: Reading, graph: Graph, edit: Edit, verb: Token) -> None:
    """Whether the graph's ARG0 and ARG1 are what the text has as agent and patient.

    Raises:
        RefusedError: they are not, or are not aligned to the text.
    """
    if implied_subject(verb) is not None:
        return
    found = participants(reading, verb)
    for role, head in ((":ARG0", found.doer), (":ARG1", found.undergoer)):
        head = syntax.antecedent(head)
        inside = {token.i for token in head.subtree}
        fillers = [str(target) for source, name, target in graph.triples if source == edit.node and name == role]
        for filler in fillers:
            if not any(token.i in inside for token in tokens_below(graph, filler, reading, edit.node)):
                raise RefusedError(f"{role} of the graph is another noun phrase than that of the text")
