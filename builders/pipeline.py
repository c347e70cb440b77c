"""From texts to foils: every source × perturbation is a search, and all searches advance together.

    round:  next candidate of every open search ──▶ realise ──▶ same text? ──▶ NLI sentence ──▶ NLI text
               ▲      (one batch)                   (one batch)                 (one batch)     (one batch)
               └────────────── not valid: revert, go on with the next candidate, then the next sentence ◀──┘

So models always see one large batch a round, however many retries a single text needs; and because a search depends
on nothing but its own text, what comes out does not depend on what else was in the batch (paper §3.3 and §3.4).
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from penman import Graph

from alee_mteb.errors import AleeError
from alee_mteb.perturbations import Perturbation
from alee_mteb.triplets import same_text
from builders.batching import in_batches, say
from builders.paragraphs import Sentence, Splitter, editable, split
from builders.search import Attempt, Outcome, Search, Text
from builders.stages import (
    Edit,
    Parse,
    Parser,
    Realisation,
    Realiser,
    RealiserInput,
    SourceText,
    Status,
    Validator,
    Verdict,
)

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


class Editor(Protocol):
    """Graphs to candidate edits."""

    def propose(self, graph: Graph, kind: Perturbation, source_id: str) -> Sequence[Edit]:
        """The edits to try, in that order; the same for the same arguments, in any process."""
        ...


@dataclass(frozen=True)
class Stages:
    """The models and rules of an engine, each loaded once."""

    parser: Parser
    editor: Editor
    realiser: Realiser
    validator: Validator
    split: Splitter


@dataclass(frozen=True)
class Rules:
    """What the pipeline is asked for.

    Attributes:
        perturbations: which foils, in table order.
        check_sentences: validate the edited sentence before the text it stands in (paper §3.4, step 3); without, NLI
            sees whole texts only (``released`` mode).
        control: also regenerate each text from its unedited graphs.
        min_text, min_sentence: in characters, see `builders.paragraphs.editable`.
    """

    perturbations: tuple[Perturbation, ...] = tuple(Perturbation)
    check_sentences: bool = True
    control: bool = False
    min_text: int = 25
    min_sentence: int = 20


@dataclass(frozen=True)
class Result:
    """One source with what became of each perturbation, and its control text."""

    source: SourceText
    outcomes: tuple[Outcome, ...]
    control: Outcome | None = None


def run(sources: Sequence[SourceText], stages: Stages, rules: Rules) -> list[Result]:
    """One `Result` per source, in order. An item that fails has a status and never stops the others.

    Raises:
        AleeError: a stage refuses to work at all (a model that is not what it should be).
    """
    return _Batch(stages, rules).run(sources)


@dataclass
class _Batch:
    """The rounds over one batch; remembers graphs and verdicts, so that no text is put to a model twice."""

    stages: Stages
    rules: Rules
    parses: dict[str, Parse] = field(default_factory=dict)
    verdicts: dict[tuple[str, str], Verdict | str] = field(default_factory=dict)

    def run(self, sources: Sequence[SourceText]) -> list[Result]:
        texts = [self._text(source) for source in sources]
        searches = [[Search(text, kind) for kind in self.rules.perturbations] for text in texts]
        still_open = [search for row in searches for search in row]
        while ready := self._next_candidates(still_open):
            self._try(ready)
            still_open = [search for search, _ in ready if not search.succeeded]
        controls = self._regenerate(texts) if self.rules.control else [None] * len(texts)
        return [
            Result(source, tuple(search.outcome() for search in row), control)
            for source, row, control in zip(sources, searches, controls, strict=True)
        ]

    def _text(self, source: SourceText) -> Text:
        sentences = split(source.text, self.stages.split)
        return Text(source.id, source.text, sentences, editable(source.text, sentences, self.rules))

    def _next_candidates(self, searches: Iterable[Search]) -> list[tuple[Search, Edit]]:
        """The next edit of every search that has one left; sentences are parsed when a search first needs them."""
        ready: list[tuple[Search, Edit]] = []
        waiting = list(searches)
        while waiting := [search for search in waiting if search.sentence is not None]:
            self._parse([search.sentence for search in waiting if search.sentence is not None])
            moved_on = []
            for search in waiting:
                edit = self._candidate(search)
                if edit is not None:
                    ready.append((search, edit))
                else:
                    search.move_on()
                    moved_on.append(search)
            waiting = moved_on
        return ready

    def _candidate(self, search: Search) -> Edit | None:
        if search.queue is None:
            assert search.sentence is not None, "a search without a sentence is over"
            parse = self.parses[search.sentence.text]
            if parse.graph is None:
                search.fail(Status.PARSE_FAILED, parse.problem or "no graph")
                return None
            try:
                edits = self.stages.editor.propose(parse.graph, search.kind, search.text.id)
            except AleeError:
                raise
            except Exception as error:  # noqa: BLE001 - one odd graph must not stop the build; the status tells
                search.fail(Status.NO_CANDIDATE, f"editing failed: {say(error)}")
                return None
            search.begin(parse.graph, edits, parse.problem)
        return search.take()

    def _parse(self, sentences: Iterable[Sentence]) -> None:
        new = list(dict.fromkeys(s.text for s in sentences if s.text not in self.parses))
        if new:
            self.parses.update(zip(new, _each(self.stages.parser.parse, new, _no_parse), strict=True))

    def _try(self, ready: Sequence[tuple[Search, Edit]]) -> None:
        """Put one candidate per search into words and validate it; record what became of it."""
        inputs = [RealiserInput(search.current.text, search.graph, edit) for search, edit in ready]
        texts = _each(self.stages.realiser.realise, inputs, _no_text)
        written = []
        for (search, edit), made in zip(ready, texts, strict=True):
            attempt = search.attempt(edit, made)
            if attempt.foil_sentence is None:
                search.record(attempt.ended(Status.GENERATION_FAILED))
            elif same_text(search.current.text, attempt.foil_sentence) or same_text(search.text.text, attempt.foil):
                search.record(attempt.ended(Status.NO_CHANGE))
            else:
                written.append((search, attempt))
        if self.rules.check_sentences:
            written = self._check(written, _sentence_pair, "sentence")
            # A text of one sentence has been checked as a whole by now.
            self._succeed([pair for pair in written if pair[0].text.is_one_sentence])
            written = [pair for pair in written if not pair[0].text.is_one_sentence]
        self._succeed(self._check(written, _text_pair, "text"))

    def _check(
        self,
        written: Sequence[tuple[Search, Attempt]],
        pair_of: Callable[[Search, Attempt], tuple[str, str]],
        level: str,
    ) -> list[tuple[Search, Attempt]]:
        """Those whose meaning differs from the source; the others are recorded with their verdict."""
        pairs = [pair_of(search, attempt) for search, attempt in written]
        new = list(dict.fromkeys(pair for pair in pairs if pair not in self.verdicts))
        if new:
            found: list[Verdict | str] = _each(self.stages.validator.validate, new, _no_verdict)
            self.verdicts.update(zip(new, found, strict=True))
        passed = []
        for (search, attempt), pair in zip(written, pairs, strict=True):
            verdict = self.verdicts[pair]
            if isinstance(verdict, str):
                search.record(attempt.noting(verdict).ended(Status.GENERATION_FAILED))
            elif verdict.status is Status.SUCCESS:
                passed.append((search, attempt.judged(verdict, level)))
            else:
                search.record(attempt.judged(verdict, level).ended(verdict.status))
        return passed

    @staticmethod
    def _succeed(passed: Iterable[tuple[Search, Attempt]]) -> None:
        for search, attempt in passed:
            search.record(attempt.ended(Status.SUCCESS))

    def _regenerate(self, texts: Sequence[Text]) -> list[Outcome | None]:
        """Each text rewritten sentence by sentence from its unedited graphs (DESIGN.md §4, control).

        Sentences too short to be edited stay as they are. If one sentence fails, so does the text: a half
        regenerated text would say nothing about style.
        """
        self._parse([text.sentences[index] for text in texts for index in text.editable])
        parsed = [{index: self.parses[text.sentences[index].text] for index in text.editable} for text in texts]
        inputs = [
            RealiserInput(text.sentences[index].text, parse.graph, None)
            for text, parses in zip(texts, parsed, strict=True)
            for index, parse in parses.items()
            if parse.graph is not None
        ]
        made = iter(_each(self.stages.realiser.realise, inputs, _no_text))
        return [
            text.regenerated({i: parse if parse.graph is None else next(made) for i, parse in parses.items()})
            for text, parses in zip(texts, parsed, strict=True)
        ]


def _each(
    stage: Callable[[Sequence[_Item]], Sequence[_Result]],
    items: Sequence[_Item],
    failed: Callable[[_Item, Exception], _Result],
) -> list[_Result]:
    """The stage's answers. Where it raises, the items go in one by one, and those that raise again have failed.

    How many items a model sees at once is the stage's own business: here all go in together.
    """
    return in_batches(items, stage, length=lambda item: 0, batch_size=max(1, len(items)), failed=failed)


def _sentence_pair(search: Search, attempt: Attempt) -> tuple[str, str]:
    return search.current.text, str(attempt.foil_sentence)


def _text_pair(search: Search, attempt: Attempt) -> tuple[str, str]:
    return search.text.text, str(attempt.foil)


def _no_parse(sentence: str, error: Exception) -> Parse:
    return Parse(None, f"parser failed: {say(error)}")


def _no_text(item: RealiserInput, error: Exception) -> Realisation:
    return Realisation(None, f"realiser failed: {say(error)}")


def _no_verdict(pair: tuple[str, str], error: Exception) -> Verdict | str:
    return f"validator failed: {say(error)}"
