"""Aligned spans from a chat model's answers (SALT paper, §3.1.1 and Appendix B.1)."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from alee_mteb.errors import ModelError
from salt.encoders.base import TokenEncoder, Tokens
from salt.pairs import AlignedSpan, ParallelPair
from salt.spans.batches import plan
from salt.spans.chat import ChatModel
from salt.spans.prompt import PROMPT_VERSION, Answer, locate, parse, prompt
from salt.spans.records import Extracted, FoundPair, FoundSpan, in_source_order, settle
from salt.words import has_spaces

#: Reason for leaving out a pair: its question had no answer. It is asked again when the command is run again.
UNANSWERED = "no answer"


class LlmExtractor:
    """Aligned spans as a chat model lists them, on the tokens of an encoder.

    Args:
        encoder: whose tokens are counted.
        chat: is asked.
        budget: most padded tokens that are tokenized at once.
        watch: called after each answer.
    """

    method = "llm"
    layer: int | None = None

    def __init__(
        self,
        encoder: TokenEncoder,
        chat: ChatModel,
        *,
        budget: int = 4096,
        watch: Callable[[], object] | None = None,
    ) -> None:
        self.encoder = encoder
        self._chat = chat
        self._budget = budget
        self._watch = watch
        self._answered = 0

    @property
    def settings(self) -> Mapping[str, Any]:
        """What the outcome depends on beside the encoder's tokens."""
        return {"model": self._chat.name, "prompt": PROMPT_VERSION, **self._chat.settings}

    def extract(self, pairs: Sequence[ParallelPair]) -> Extracted:
        """The pairs with their spans, in order; those too long for the encoder, or without an answer, are left out.

        Raises:
            DataError: a side is empty, or the cache of answers is broken.
            LanguageError: the encoder does not know a language.
            ModelError: the chat model cannot be used, or has not answered a single question so far.
        """
        planned = plan(pairs, self.encoder, self._budget)
        dropped = planned.dropped
        kept = sorted(number for batch in planned.batches for number in batch)
        answers = self._ask([pairs[number] for number in kept])
        answered = {number: parse(text) for number, text in zip(kept, answers, strict=True) if text is not None}
        if len(answered) < len(kept):
            dropped[UNANSWERED] += len(kept) - len(answered)
        found: dict[int, FoundPair] = {}
        for batch in planned.batches:
            numbers = [number for number in batch if number in answered]
            if not numbers:
                continue
            chosen = [pairs[number] for number in numbers]
            source = self.encoder.tokenize([pair.source for pair in chosen], chosen[0].source_language)
            target = self.encoder.tokenize([pair.target for pair in chosen], chosen[0].target_language)
            for row, number in enumerate(numbers):
                spans, lost = answer_spans(pairs[number], answered[number], source, target, row)
                dropped.update(lost)
                found[number] = FoundPair(pairs[number], spans)
        return Extracted([found[number] for number in kept if number in found], dropped)

    def _ask(self, pairs: Sequence[ParallelPair]) -> list[str | None]:
        """The answers in order."""
        answers: list[str | None] = [None] * len(pairs)
        for number, answer in self._chat.answers([prompt(pair) for pair in pairs]):
            answers[number] = answer
            self._answered += answer is not None
            if self._watch is not None:
                self._watch()
        if pairs and not self._answered:
            raise ModelError(
                f"chat model {self._chat.name!r}: not one of {len(pairs)} questions was answered "
                f"({self._chat.last_problem or 'no reason given'}); check it and run the same command again"
            )
        return answers


def answer_spans(
    pair: ParallelPair, answer: Answer, source: Tokens, target: Tokens, row: int
) -> tuple[tuple[FoundSpan, ...], Counter[str]]:
    """The spans of one answer with their tokens, and what was dropped, by reason.

    Args:
        pair: the sentences.
        answer: of the model.
        source: tokens of a batch of source texts.
        target: tokens of the target texts.
        row: of this pair in both.
    """
    spaced = has_spaces(pair.source_language), has_spaces(pair.target_language)
    spans, dropped = locate(pair, answer, spaced=spaced)
    lefts = settle([span.source for span in spans], source.offsets[row], pair.source)
    rights = settle([span.target for span in spans], target.offsets[row], pair.target)
    found = []
    for left, right in zip(lefts, rights, strict=True):
        if left is None or right is None:
            dropped["no token"] += 1
        else:
            found.append(FoundSpan(AlignedSpan(left[0], right[0]), left[1], right[1]))
    return in_source_order(found), dropped
