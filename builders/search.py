"""The search for one valid foil of one text: sentence by sentence, candidate by candidate, everything noted."""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from penman import Graph

from alee_mteb.perturbations import Perturbation
from builders import paragraphs
from builders.paragraphs import Sentence
from builders.stages import Edit, Parse, Realisation, Status, Verdict

#: How far an attempt came; the furthest of a failed search is the one that is kept.
_PROGRESS = {
    Status.PARSE_FAILED: 0,
    Status.NO_CANDIDATE: 1,
    Status.GENERATION_FAILED: 2,
    Status.NO_CHANGE: 3,
    Status.REJECTED_BIDIRECTIONAL: 4,
    Status.REJECTED_ENTAILMENT: 4,
    Status.REJECTED_DIFFERENCE: 4,
    Status.SUCCESS: 5,
}


@dataclass(frozen=True)
class Text:
    """A source text, its sentences, and which of them may be edited."""

    id: str
    text: str
    sentences: tuple[Sentence, ...]
    editable: tuple[int, ...]

    @property
    def is_one_sentence(self) -> bool:
        """Whether a check of the sentence is a check of the text."""
        return len(self.sentences) == 1

    @property
    def why_not(self) -> str:
        """Why no sentence may be edited."""
        if not self.text.strip():
            return "the text is empty"
        return "no sentence is long enough to be edited"

    def regenerated(self, parts: Mapping[int, Parse | Realisation]) -> "Outcome":
        """The text with the given sentences rewritten; a failed part makes the whole a failure with that status."""
        outcome = Outcome(self.id, None, Status.NO_CANDIDATE, problem=self.why_not)
        if not parts:
            return outcome
        text = self.text
        for index in sorted(parts, reverse=True):  # from the end, so that earlier offsets stay true
            part = parts[index]
            made = part.text if isinstance(part, Realisation) and part.text else ""
            if not made.strip():
                status = Status.PARSE_FAILED if isinstance(part, Parse) else Status.GENERATION_FAILED
                return replace(outcome, status=status, sentence_index=index, problem=part.problem or "no text")
            text = paragraphs.replace(text, self.sentences[index], made.strip())
        return replace(outcome, status=Status.SUCCESS, foil=text, problem=None)


@dataclass(frozen=True)
class Attempt:
    """One candidate and how far it came.

    Attributes:
        foil_sentence, foil: the edited sentence, and the text with it in place.
        verdict, level: the last NLI verdict and what it was about, ``sentence`` or ``text``.
    """

    sentence_index: int
    status: Status = Status.NO_CANDIDATE
    before: Graph | None = None
    edit: Edit | None = None
    foil_sentence: str | None = None
    foil: str | None = None
    verdict: Verdict | None = None
    level: str | None = None
    problem: str | None = None

    def ended(self, status: Status) -> "Attempt":
        """The same, over, with this status."""
        return replace(self, status=status)

    def judged(self, verdict: Verdict, level: str) -> "Attempt":
        """The same after an NLI check."""
        return replace(self, verdict=verdict, level=level)

    def noting(self, problem: str) -> "Attempt":
        """The same with something that went wrong."""
        return replace(self, problem="; ".join(filter(None, (self.problem, problem))))


@dataclass(frozen=True)
class Outcome:
    """What became of one source × perturbation: a row of the provenance table.

    Attributes:
        kind: the perturbation; ``None`` for the control text.
        sentence, before, edit, foil_sentence, foil, verdict, level: of the attempt that succeeded, else of the one
            that came furthest, the earliest of several.
        n_candidates: edits found in the sentences looked at.
        n_tried: edits put into words.
        problem: all that went wrong on the way, also on the way to a success.
    """

    id: str
    kind: Perturbation | None
    status: Status
    sentence_index: int | None = None
    sentence: str | None = None
    before: Graph | None = None
    edit: Edit | None = None
    foil_sentence: str | None = None
    foil: str | None = None
    verdict: Verdict | None = None
    level: str | None = None
    n_candidates: int = 0
    n_tried: int = 0
    problem: str | None = None


@dataclass
class Search:
    """Goes through the editable sentences of a text, and the candidates of each, until one is recorded as a success.

    Used as: while there is a `sentence`, `begin` it (or `fail`), `take` candidates and `record` how each attempt
    ended, and `move_on` when none is left.
    """

    text: Text
    kind: Perturbation
    attempts: list[Attempt] = field(default_factory=list)
    queue: deque[Edit] | None = None
    n_candidates: int = 0
    n_tried: int = 0
    _position: int = 0
    _graph: Graph | None = None
    _remark: str | None = None

    @property
    def succeeded(self) -> bool:
        """Whether a valid foil was found."""
        return bool(self.attempts) and self.attempts[-1].status is Status.SUCCESS

    @property
    def sentence(self) -> Sentence | None:
        """The sentence to edit now; ``None`` when the search is over."""
        if self.succeeded or self._position >= len(self.text.editable):
            return None
        return self.text.sentences[self.index]

    @property
    def index(self) -> int:
        """Number of the present sentence in the text, from 0."""
        return self.text.editable[self._position]

    @property
    def current(self) -> Sentence:
        """The present sentence of a search that is not over."""
        return self.text.sentences[self.index]

    @property
    def graph(self) -> Graph:
        """The unedited graph of the present sentence, after `begin`."""
        assert self._graph is not None, "begin comes first"
        return self._graph

    def begin(self, graph: Graph, edits: Sequence[Edit], remark: str | None) -> None:
        """Take up the candidates of the present sentence."""
        self._graph, self._remark = graph, remark
        self.queue = deque(edits)
        self.n_candidates += len(edits)
        if not edits:
            self.attempts.append(Attempt(self.index, before=graph, problem=remark))

    def fail(self, status: Status, problem: str) -> None:
        """Note that the present sentence has no candidates because something went wrong."""
        self.attempts.append(Attempt(self.index, status, problem=problem))

    def take(self) -> Edit | None:
        """The next candidate of the present sentence; ``None`` when none is left."""
        return self.queue.popleft() if self.queue else None

    def move_on(self) -> None:
        """Go to the next sentence."""
        self._position += 1
        self.queue = self._graph = self._remark = None

    def attempt(self, edit: Edit, made: Realisation) -> Attempt:
        """A candidate with its words, in place in the text."""
        self.n_tried += 1
        foil = made.text.strip() if made.text else ""
        problem = "; ".join(filter(None, (self._remark, made.problem))) or None
        found = Attempt(self.index, before=self.graph, edit=edit, problem=problem)
        if not foil:
            return found if problem else replace(found, problem="no text")
        return replace(found, foil_sentence=foil, foil=paragraphs.replace(self.text.text, self.current, foil))

    def record(self, attempt: Attempt) -> None:
        """Note how a candidate ended."""
        self.attempts.append(attempt)

    def outcome(self) -> Outcome:
        """What became of it all."""
        if not self.attempts:
            return Outcome(self.text.id, self.kind, Status.NO_CANDIDATE, problem=self.text.why_not)
        best = max(self.attempts, key=lambda attempt: _PROGRESS[attempt.status])  # the first of the furthest
        return Outcome(
            id=self.text.id,
            kind=self.kind,
            status=best.status,
            sentence_index=best.sentence_index,
            sentence=self.text.sentences[best.sentence_index].text,
            before=best.before,
            edit=best.edit,
            foil_sentence=best.foil_sentence,
            foil=best.foil,
            verdict=best.verdict,
            level=best.level,
            n_candidates=self.n_candidates,
            n_tried=self.n_tried,
            problem=self._problems(),
        )

    def _problems(self) -> str | None:
        """Everything that went wrong, once each, with the sentence where there are several."""
        several = len(self.text.sentences) > 1
        notes = dict.fromkeys(
            f"sentence {attempt.sentence_index}: {attempt.problem}" if several else attempt.problem
            for attempt in self.attempts
            if attempt.problem
        )
        return "; ".join(notes) or None
