"""Encoders and decoders from folders and Hub names; what they can do is in `salt.encoders.base`.

load_encoder("intfloat/multilingual-e5-small")                 BERT, mean, "query: "
load_encoder("sentence-transformers/LaBSE")                    BERT, first state, dense layer
load_encoder("facebook/MEXMA")                                 XLM-R, first state
load_encoder("cointegrated/SONAR_200_text_encoder")            M2M100 encoder, mean, language token
load_decoder("raxtemur/SONAR_200_text_decoder")                M2M100 with its decoder, frozen
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from alee_mteb.encoders.model import TextEncoder
from alee_mteb.encoders.tokens import padded
from alee_mteb.errors import DataError
from salt.encoders.base import Tokens
from salt.encoders.decoder import FrozenDecoder, load_decoder
from salt.pairs import Span

if TYPE_CHECKING:
    import torch
    from torch import Tensor

__all__ = ["FolderEncoder", "FrozenDecoder", "load_decoder", "load_encoder"]


def load_encoder(
    name_or_folder: str | Path,
    *,
    revision: str | None = None,
    device: str = "cpu",
    pooling: str | None = None,
    prompt: str | None = None,
    max_tokens: int | None = None,
) -> "FolderEncoder":
    """An encoder in evaluation mode, float32.

    Args:
        name_or_folder: a folder that Transformers or sentence-transformers wrote, or a Hub repository.
        revision: of the Hub repository.
        pooling: ``mean``, ``cls`` or ``pooler``, instead of what the folder says.
        prompt: what is put before every text, instead of what the folder says; ``""`` for nothing.
        max_tokens: longest text, if shorter than the model could take.

    Raises:
        MissingExtraError: torch or Transformers is not installed.
        ModelError: the model cannot be found, its weights are not all there or not its own, its tokenizer gives no
            offsets, or its kind is not supported.
    """
    return FolderEncoder(
        TextEncoder.load(
            name_or_folder, revision=revision, device=device, pooling=pooling, prompt=prompt, max_tokens=max_tokens
        )
    )


class FolderEncoder:
    """A `salt.encoders.base.TokenEncoder` around a `TextEncoder`."""

    def __init__(self, encoder: TextEncoder) -> None:
        self.encoder = encoder
        self.name = encoder.name
        self.family = encoder.family
        self.dimension = encoder.dimension
        self.n_layers = encoder.n_layers
        self.max_tokens = encoder.max_tokens
        self.fingerprint = encoder.tokenizer.fingerprint
        self.module: torch.nn.Module = encoder.network

    @property
    def needs_language(self) -> bool:
        """Whether texts must be tokenized with a language code."""
        return self.encoder.tokenizer.needs_language

    def tokenize(self, texts: Sequence[str], language: str | None = None) -> Tokens:
        """As `TokenEncoder.tokenize`; the batch is on the device of the network."""
        if not texts:
            raise DataError("no texts to tokenize")
        for row, text in enumerate(texts):
            if not text or text.isspace():
                raise DataError(f"text {row} of {len(texts)} is empty; leave it out")
        encoded = self.encoder.tokenizer.encode(texts, language)
        for row, tokenized in enumerate(encoded):
            if len(tokenized.ids) > self.max_tokens:
                raise DataError(
                    f"text {row} of {len(texts)} ({texts[row][:40]!r}…) has {len(tokenized.ids)} tokens, the longest "
                    f"that {self.name} takes is {self.max_tokens}; leave it out or split it"
                )
        ids, mask = padded([text.ids for text in encoded], self.encoder.tokenizer.pad_id)
        offsets = tuple(tuple(None if at is None else Span(*at) for at in text.offsets) for text in encoded)
        return Tokens(ids, mask, offsets, tuple(texts), language).to(self.encoder.device)

    def lengths(self, texts: Sequence[str], language: str | None = None) -> list[int]:
        """As `TokenEncoder.lengths`."""
        return [len(ids) for ids in self.encoder.tokenizer.ids(texts, language)]

    def states(self, tokens: Tokens, layers: Sequence[int] = (-1,)) -> "Mapping[int, Tensor]":
        """As `TokenEncoder.states`."""
        return self.encoder.states(tokens.ids, tokens.mask, layers)

    def pool(self, states: "Tensor", tokens: Tokens) -> "Tensor":
        """As `TokenEncoder.pool`."""
        return self.encoder.pool(states, tokens.mask)

    def embedding_parameters(self) -> "list[torch.nn.Parameter]":
        """As `TokenEncoder.embedding_parameters`; position embeddings are not among them."""
        return [self.encoder.network.get_input_embeddings().weight]

    def save(self, folder: Path) -> None:
        """As `TokenEncoder.save`; with pooling and prompts as sentence-transformers keeps them (not for SONAR)."""
        self.encoder.save(folder)
