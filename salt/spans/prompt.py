"""Asking a chat model for aligned spans, and reading its answer (SALT paper, §3.1.1, Appendix B.1, Figure 9).

    pair ──prompt──▶ question … answer ──parse──▶ lines ──locate──▶ aligned spans, and what was dropped and why

The format of question and answer is the paper's; the wording is ours.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from salt.pairs import AlignedSpan, ParallelPair, Span

#: Raised with every change of the wording, so that answers to another question are not taken for answers to this one.
PROMPT_VERSION = 1

_INSTRUCTION = """\
Find the aligned spans of two sentences: groups of neighbouring words in the first one that have a counterpart with \
the same meaning in the second. Copy each span exactly as it stands in its sentence, and use every word at most once. \
Leave out words that have no counterpart. Write one pair of spans per line in the format of the example, and nothing \
else."""

_EXAMPLE = """\
Example 1:
Sentence 1 [eng]: The children who live next door often play football in the old garden .
Sentence 2 [spa]: Los niños que viven al lado juegan a menudo al fútbol en el viejo jardín .
Aligned spans:
[The children] - [Los niños]
[who live next door] - [que viven al lado]
[often] - [a menudo]
[play football] - [juegan al fútbol]
[in the old garden] - [en el viejo jardín]"""

_QUESTION = """\
Now find the aligned spans of this pair:
Sentence 1 [{source_language}]: {source}
Sentence 2 [{target_language}]: {target}
Aligned spans:"""

_LINE = re.compile(r"\[(?P<source>[^\n]+)\] - \[(?P<target>[^\n]+)\]")
_BETWEEN = "] - ["

#: Why a line of an answer was dropped → in words.
REASONS = {
    "malformed": "lines that are not [a] - [b]",
    "not in source": "spans that do not occur in the source",
    "not in target": "spans that do not occur in the target",
    "ambiguous": "spans that occur several times, but were not listed as often",
    "overlap": "spans that overlap an earlier one",
    "no token": "spans without a token of their own",
}


def prompt(pair: ParallelPair) -> str:
    """The question for one pair; languages by their ISO 639-3 code, as in the paper."""
    question = _QUESTION.format(
        source_language=pair.source_language.split("_")[0],
        target_language=pair.target_language.split("_")[0],
        source=_one_line(pair.source),
        target=_one_line(pair.target),
    )
    return f"{_INSTRUCTION}\n\n{_EXAMPLE}\n\n{question}"


@dataclass(frozen=True)
class Answer:
    """The pairs of strings in an answer, in order, and how many of its lines are something else."""

    lines: tuple[tuple[str, str], ...]
    malformed: int


def parse(text: str) -> Answer:
    """Read an answer strictly: each line is ``[a] - [b]``, or empty, or malformed.

    A line that can be read in more than one way, as ``[a] - [b] - [c]``, is malformed.
    """
    found, malformed = [], 0
    for line in (line.strip() for line in text.splitlines()):
        if not line:
            continue
        match = _LINE.fullmatch(line)
        strings = (match["source"].strip(), match["target"].strip()) if match else ("", "")
        if line.count(_BETWEEN) == 1 and all(strings):
            found.append(strings)
        else:
            malformed += 1
    return Answer(tuple(found), malformed)


def locate(pair: ParallelPair, answer: Answer, *, spaced: tuple[bool, bool]) -> tuple[list[AlignedSpan], Counter[str]]:
    """The spans of an answer in its sentences; what cannot be found there for certain is dropped.

    A string that occurs several times is matched, first with first and so on, only if the answer lists it as often as
    it occurs. Of spans that overlap on either side the first is kept.

    Args:
        pair: the sentences.
        answer: from `parse`.
        spaced: whether words of the source, and of the target, are divided by spaces; an occurrence within a word
            does not count there.

    Returns:
        Disjoint spans in the order of the answer, and the number of dropped lines by reason (see `REASONS`).
    """
    dropped = Counter({"malformed": answer.malformed} if answer.malformed else {})
    sources = _placed(pair.source, [source for source, _ in answer.lines], "source", whole_words=spaced[0])
    targets = _placed(pair.target, [target for _, target in answer.lines], "target", whole_words=spaced[1])
    kept: list[AlignedSpan] = []
    for source, target in zip(sources, targets, strict=True):
        if isinstance(source, str) or isinstance(target, str):
            dropped[source if isinstance(source, str) else str(target)] += 1
        elif any(source.overlap(other.source) or target.overlap(other.target) for other in kept):
            dropped["overlap"] += 1
        else:
            kept.append(AlignedSpan(source, target))
    return kept, dropped


def _placed(text: str, strings: Sequence[str], side: str, *, whole_words: bool) -> list[Span | str]:
    """Per string, its place in the text, or the reason why it has none."""
    text = _one_line(text)  # as the question had it; offsets stay, as each line break became one space
    listed = Counter(strings)
    places = {string: occurrences(text, string, whole_words=whole_words) for string in listed}
    used: Counter[str] = Counter()
    placed: list[Span | str] = []
    for string in strings:
        if not places[string]:
            placed.append(f"not in {side}")
        elif len(places[string]) != listed[string]:
            placed.append("ambiguous")
        else:
            placed.append(places[string][used[string]])
        used[string] += 1
    return placed


def occurrences(text: str, string: str, *, whole_words: bool) -> list[Span]:
    """Where the string stands in the text, without overlaps; with `whole_words`, only where no word is cut."""
    found, start = [], text.find(string)
    while start >= 0:
        end = start + len(string)
        cuts = whole_words and (_within_word(text, start) or _within_word(text, end))
        if not cuts:
            found.append(Span(start, end))
        start = text.find(string, start + 1 if cuts else end)
    return found


def explain(dropped: Mapping[str, int]) -> Sequence[str]:
    """Counts of dropped lines in words, in a fixed order."""
    return [f"{dropped[reason]} {words}" for reason, words in REASONS.items() if dropped.get(reason)]


def _within_word(text: str, at: int) -> bool:
    return 0 < at < len(text) and text[at - 1].isalnum() and text[at].isalnum()


def _one_line(text: str) -> str:
    return re.sub(r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]", " ", text)
