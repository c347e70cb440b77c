"""Words of a text, and their states (DESIGN.md §5; SALT, Appendix A).

"The cat sat"     eng_Latn     The │ cat │ sat                 units between white space
"猫坐下了"         zho_Hans     猫 │ 坐 │ 下 │ 了                  scripts without spaces: one word per token

token states (t, d) ──(w, t) averaging matrix──▶ word states (w, d)
"""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from alee_mteb.errors import DataError, LanguageError
from alee_mteb.languages import language_of
from salt.encoders.base import Tokens
from salt.pairs import Span

if TYPE_CHECKING:
    from torch import Tensor

#: Scripts written without spaces between words.
SCRIPTS_WITHOUT_SPACES = frozenset({"Hans", "Hant", "Jpan", "Thai", "Laoo", "Khmr", "Mymr", "Tibt"})
_WORD = re.compile(r"\S+")


def has_spaces(language: str) -> bool:
    """Whether words of a language are what stands between white space.

    Raises:
        LanguageError: not a language code.
    """
    known = language_of(language) or language_of(language.replace("-", "_"))
    if known is None:
        raise LanguageError(f"language {language!r}: give ISO 639-3 and script, such as deu_Latn")
    return known.code.rsplit("_", 1)[-1] not in SCRIPTS_WITHOUT_SPACES


def whitespace_words(text: str) -> list[Span]:
    """The units between white space, in order."""
    return [Span(*match.span()) for match in _WORD.finditer(text)]


def token_words(tokens: Tokens, row: int) -> list[Span]:
    """One word per token that has characters of its own; tokens of the very same characters are one word."""
    return list(dict.fromkeys(offset for offset in tokens.offsets[row] if offset is not None))


def words_of(tokens: Tokens, row: int, language: str) -> list[Span]:
    """The words of one tokenized text, in order; those that no token covers (invisible characters) are left out.

    Raises:
        LanguageError: not a language code.
    """
    if not has_spaces(language):
        return token_words(tokens, row)
    words = whitespace_words(tokens.texts[row])
    if not words:
        return []
    covered = np.flatnonzero(_overlaps(tokens, row, words).max(axis=1, initial=0))
    return [words[int(index)] for index in covered]


def tokens_of_words(tokens: Tokens, row: int, words: Sequence[Span]) -> list[list[int]]:
    """The tokens of each word; a token in two words belongs to the one it shares more with, to the first if equal.

    A word whose every token belongs more to another has those tokens all the same.

    Raises:
        DataError: no token covers a word.
    """
    member = _membership(tokens, row, words)
    return [np.flatnonzero(of_word).tolist() for of_word in member]


def word_states(states: "Tensor", tokens: Tokens, row: int, words: Sequence[Span]) -> "Tensor":
    """The mean state of each word's tokens, (w, d), from the states of one text (t, d) or of its batch (b, t, d).

    Raises:
        DataError: no token covers a word.
    """
    of_text = states[row] if states.ndim == 3 else states  # (t, d)
    return averaging_matrix(states, tokens, row, words) @ of_text


def averaging_matrix(like: "Tensor", tokens: Tokens, row: int, words: Sequence[Span]) -> "Tensor":
    """Rows that sum to one over each word's tokens, (w, t), where t counts the batch's padding too.

    Args:
        like: the states, for kind and device, with t as their second dimension from behind.

    Raises:
        DataError: no token covers a word.
    """
    import torch

    member = _membership(tokens, row, words)  # (w, unpadded t)
    weights = np.zeros((len(words), like.shape[-2]), dtype=np.float32)
    weights[:, : member.shape[1]] = member / member.sum(axis=1, keepdims=True)
    return torch.from_numpy(weights).to(device=like.device, dtype=like.dtype)


def _membership(tokens: Tokens, row: int, words: Sequence[Span]) -> NDArray[np.bool_]:
    """Whether a token belongs to a word, (w, t)."""
    overlaps = _overlaps(tokens, row, words)
    if not len(words):
        return overlaps > 0
    member = np.zeros(overlaps.shape, dtype=bool)
    member[overlaps.argmax(axis=0), np.arange(overlaps.shape[1])] = True  # the first of equals
    member &= overlaps > 0
    homeless = ~member.any(axis=1)
    member[homeless] = overlaps[homeless] > 0
    for index in np.flatnonzero(~member.any(axis=1)):
        word = words[int(index)]
        raise DataError(
            f"word {word.of(tokens.texts[row])!r} (characters {word.start}–{word.end}): "
            f"no token of text {row} covers it"
        )
    return member


def _overlaps(tokens: Tokens, row: int, words: Sequence[Span]) -> NDArray[np.int64]:
    """How many characters a token and a word share, (w, t)."""
    of_tokens = np.array([(0, 0) if at is None else (at.start, at.end) for at in tokens.offsets[row]], dtype=np.int64)
    of_words = np.array([(word.start, word.end) for word in words], dtype=np.int64)
    of_tokens, of_words = of_tokens.reshape(-1, 2), of_words.reshape(-1, 2)
    ends = np.minimum(of_words[:, None, 1], of_tokens[None, :, 1])
    starts = np.maximum(of_words[:, None, 0], of_tokens[None, :, 0])
    return np.maximum(ends - starts, 0)
