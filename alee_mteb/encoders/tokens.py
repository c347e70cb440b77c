"""Texts to token ids and back to characters, for any fast tokenizer.

    "query: Grüße  aus"          the prompt counts as tokens, not as characters of the text
     ▁query  :  ▁Grüße  ▁aus
       —     —  (0,5)  (7,10)    offsets are the raw text's, without the space that SentencePiece puts before a word

The offsets are those of the `tokenizers` library, which keeps track of what its normaliser (NFKC and others) did to
each character: ``①`` is one character even where its token says ``1``, and ``ﷺ`` is what four tokens share.
"""

import hashlib
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alee_mteb.encoders.languages import language_token
from alee_mteb.errors import LanguageError, MissingExtraError, ModelError

if TYPE_CHECKING:
    import torch

Offset = tuple[int, int] | None

# What a SentencePiece or byte-level piece shows for a space.
_SPACE_MARKS = "▁Ġ"


@dataclass(frozen=True)
class Encoded:
    """One text.

    Attributes:
        ids: token ids, special ones included.
        offsets: per token, start and end of its characters in the text; ``None`` for special tokens, the prompt's,
            and those with no character of their own.
    """

    ids: tuple[int, ...]
    offsets: tuple[Offset, ...]


class TextTokenizer:
    """The tokenizer of an encoder folder."""

    def __init__(self, backend: Any, *, needs_language: bool, prompt: str = "") -> None:
        """
        Args:
            backend: a fast tokenizer of Transformers.
            needs_language: whether texts begin with a language token and end with ``</s>``, as NLLB has it.
            prompt: what is put before every text, unless told otherwise.
        """
        self.backend = backend
        self.needs_language = needs_language
        self.prompt = prompt
        self.pad_id = int(backend.pad_token_id if backend.pad_token_id is not None else 0)
        self._vocabulary: dict[str, int] = backend.get_vocab() if needs_language else {}
        self._fingerprint: str | None = None

    @classmethod
    def load(cls, folder: Path, *, needs_language: bool, prompt: str = "") -> "TextTokenizer":
        """
        Raises:
            ModelError: there is no tokenizer in the folder, or it cannot give character offsets.
        """
        try:
            from transformers import AutoTokenizer
        except ImportError as error:
            raise MissingExtraError("transformers", "salt", "loading an encoder") from error
        try:
            backend = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        except Exception as error:  # damaged files surface as anything, bare `Exception` included
            raise ModelError(f"{folder}: its tokenizer cannot be loaded ({_one_line(error)})") from error
        if not getattr(backend, "is_fast", False):
            raise ModelError(
                f"{folder}: its tokenizer ({type(backend).__name__}) gives no character offsets; "
                "it has to be one of the `tokenizers` library, with a tokenizer.json"
            )
        return cls(backend, needs_language=needs_language, prompt=prompt)

    def language_id(self, language: str | None) -> int:
        """The id of a language's token.

        Raises:
            LanguageError: no language was given, or it has no token.
        """
        if language is None:
            raise LanguageError("this encoder needs to know the language of a text, such as deu_Latn")
        return self._vocabulary[language_token(language, self._vocabulary)]

    def ids(self, texts: Sequence[str], language: str | None = None, prompt: str | None = None) -> list[list[int]]:
        """The token ids of every text, special ones included, as many as there are."""
        encodings = self._run(texts, self.prompt if prompt is None else prompt, offsets=False)
        if not self.needs_language:
            return list(encodings["input_ids"])
        begin, end = self.language_id(language), self.backend.eos_token_id
        return [[begin, *ids, end] for ids in encodings["input_ids"]]

    def encode(self, texts: Sequence[str], language: str | None = None) -> list[Encoded]:
        """Ids and offsets of every text, with the encoder's prompt."""
        encodings = self._run(texts, self.prompt, offsets=True)
        begin = self.language_id(language) if self.needs_language else None
        encoded = []
        for row, text in enumerate(texts):
            ids = encodings["input_ids"][row]
            pieces = self.backend.convert_ids_to_tokens(ids)
            raw = zip(pieces, encodings["offset_mapping"][row], encodings["special_tokens_mask"][row], strict=True)
            offsets = _own_characters(text, list(raw), len(self.prompt))
            if begin is not None:
                ids, offsets = [begin, *ids, self.backend.eos_token_id], [None, *offsets, None]
            encoded.append(Encoded(tuple(ids), tuple(offsets)))
        return encoded

    def _run(self, texts: Sequence[str], prompt: str, *, offsets: bool) -> Any:
        if not texts:
            return {"input_ids": [], "offset_mapping": [], "special_tokens_mask": []}
        return self.backend(
            [prompt + text for text in texts],
            # NLLB's own template depends on a language that is set on the tokenizer; here it is an argument.
            add_special_tokens=not self.needs_language,
            return_offsets_mapping=offsets,
            return_special_tokens_mask=offsets,
            return_attention_mask=False,
            return_token_type_ids=False,
            padding=False,
            truncation=False,
            verbose=False,
        )

    @property
    def fingerprint(self) -> str:
        """First 16 hexadecimal digits of a SHA-256 over the tokenizer's state and the prompt."""
        if self._fingerprint is None:
            digest = hashlib.sha256(_state(self.backend.backend_tokenizer, template=not self.needs_language).encode())
            digest.update(f"\0{self.prompt}\0{self.needs_language}".encode())
            self._fingerprint = digest.hexdigest()[:16]
        return self._fingerprint


def _state(core: Any, *, template: bool) -> str:
    """A tokenizer as JSON, without what a caller may have set for the time being."""
    from tokenizers import processors

    core.no_padding()
    core.no_truncation()
    if template:
        return str(core.to_str())
    kept = core.post_processor
    core.post_processor = processors.Sequence([])  # NLLB's names the language of the last text
    try:
        return str(core.to_str())
    finally:
        core.post_processor = kept


def _own_characters(text: str, tokens: Sequence[tuple[str, tuple[int, int], int]], shift: int) -> list[Offset]:
    """The characters of each token (piece, offset in prompt + text, special) that are its own."""
    offsets: list[Offset] = []
    for piece, (start, end), special in tokens:
        start, end = max(start - shift, 0), end - shift
        while start < end and text[start].isspace():
            start += 1
        while end > start and text[end - 1].isspace():
            end -= 1
        has_own = start < end and not special and piece.strip(_SPACE_MARKS) != ""
        offsets.append((start, end) if has_own else None)
    return _with_marks(text, offsets)


def _with_marks(text: str, offsets: list[Offset]) -> list[Offset]:
    """A combining mark that no token covers belongs to the token of its letter."""
    if text.isascii():
        return offsets
    follower = len(text)
    for at in range(len(offsets) - 1, -1, -1):
        offset = offsets[at]
        if offset is None:
            continue
        start, end = offset
        while end < follower and unicodedata.category(text[end]) in ("Mn", "Mc", "Me"):
            end += 1
        offsets[at] = (start, end)
        follower = start
    return offsets


def padded(rows: Sequence[Sequence[int]], pad_id: int) -> "tuple[torch.Tensor, torch.Tensor]":
    """Ids and mask, both (b, t), padded on the right; the mask is not derived from the ids (a text may spell a pad)."""
    import torch

    lengths = torch.tensor([len(row) for row in rows])
    mask = torch.arange(int(lengths.max()))[None, :] < lengths[:, None]  # (b, t)
    ids = torch.full(mask.shape, pad_id, dtype=torch.long)
    ids[mask] = torch.tensor([token for row in rows for token in row], dtype=torch.long)
    return ids, mask.long()


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__
