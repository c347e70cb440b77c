"""Which words a text has, for measures over words (paper, Appendix A)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from salt.evaluation.search import normalised
from salt.evaluation.states import EncodedText, StateStore
from salt.pairs import Span
from salt.words import has_spaces, whitespace_words

#: Texts whose states are held at once.
_BLOCK = 256


@dataclass(frozen=True)
class Words:
    """Words of many sentences with their states at one layer.

    Attributes:
        states: shape (n, d), float16, each of length one (`gather`).
        sentences: number of the sentence each word is in, shape (n,).
        languages: index into `names` for each word, shape (n,).
        names: language keys.
        forms: the words as written.
    """

    states: np.ndarray
    sentences: np.ndarray
    languages: np.ndarray
    names: tuple[str, ...]
    forms: tuple[str, ...]

    def pick(self, rows: np.ndarray) -> "Words":
        """Only some words."""
        return Words(
            self.states[rows],
            self.sentences[rows],
            self.languages[rows],
            self.names,
            tuple(self.forms[row] for row in rows.tolist()),
        )

    def renumbered(self, numbers: np.ndarray) -> "Words":
        """The same words, sentence i now called ``numbers[i]``."""
        return replace(self, sentences=numbers[self.sentences])

    @classmethod
    def join(cls, parts: Sequence["Words"]) -> "Words":
        """Words of several languages after one another."""
        names = tuple(name for part in parts for name in part.names)
        firsts = np.cumsum([0, *(len(part.names) for part in parts[:-1])])
        return cls(
            np.concatenate([part.states for part in parts]),
            np.concatenate([part.sentences for part in parts]),
            np.concatenate([part.languages + first for part, first in zip(parts, firsts, strict=True)]),
            names,
            tuple(form for part in parts for form in part.forms),
        )


def gather(texts: Sequence[str], store: StateStore, language: str, layer: int, key: str | None = None) -> Words:
    """All words of the texts of one language; `key` names the language in the result, sentences count from 0."""
    states: list[np.ndarray] = []
    sentences: list[int] = []
    forms: list[str] = []
    for start in range(0, len(texts), _BLOCK):
        for number, encoded in enumerate(store.get(texts[start : start + _BLOCK], language, (layer,)), start):
            spans = spans_of(encoded, language)
            pooled = encoded.pooled(spans, layer)
            there = np.flatnonzero(np.any(pooled != 0, axis=1))
            states.append(normalised(pooled[there]).astype(np.float16))
            sentences += [number] * len(there)
            forms += [spans[at].of(encoded.text) for at in there.tolist()]
    d = store.encoder.dimension
    return Words(
        np.concatenate(states) if states else np.zeros((0, d), np.float16),
        np.array(sentences, dtype=np.int64),
        np.zeros(len(sentences), dtype=np.int64),
        (key or language,),
        tuple(forms),
    )


def spans_of(encoded: EncodedText, language: str) -> list[Span]:
    """White-space words, or tokens in scripts that do not separate words."""
    if has_spaces(language):
        return whitespace_words(encoded.text)
    return list(dict.fromkeys(token for token in encoded.offsets if token is not None))
