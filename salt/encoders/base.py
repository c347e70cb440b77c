"""What SALT asks of an encoder, whichever family it is of.

Everything downstream — span extraction, losses, the trainer, token-level evaluation — knows only this module:

    encoder = load_encoder("folder-or-hub-name")            # salt.encoders.load
    tokens = encoder.tokenize(["Good morning."], "eng_Latn")
    states = encoder.states(tokens, layers=(7, -1))          # {7: (b, t, d), -1: (b, t, d)}
    vectors = encoder.pool(states[-1], tokens)               # (b, d)
    tokens.covered(0, Span(5, 12))                           # which tokens make up "morning"
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from salt.pairs import Span

if TYPE_CHECKING:
    import torch
    from torch import Tensor


@dataclass(frozen=True)
class Tokens:
    """A batch of tokenized texts, padded on the right to the longest.

    Attributes:
        ids: token ids, shape (b, t).
        mask: 1 for tokens (special ones too), 0 for padding, shape (b, t).
        offsets: per text, per unpadded token, its characters; ``None`` for special tokens (language, begin, end) and
            for tokens without characters of their own.
        texts: what was tokenized.
        language: language code of all texts, if the model was told one.
    """

    ids: "Tensor"
    mask: "Tensor"
    offsets: tuple[tuple[Span | None, ...], ...]
    texts: tuple[str, ...]
    language: str | None = None

    def covered(self, row: int, span: Span) -> list[int]:
        """Positions of the tokens of one text that share at least one character with the span."""
        return [at for at, token in enumerate(self.offsets[row]) if token is not None and token.overlap(span)]

    def to(self, device: "torch.device | str") -> "Tokens":
        """The same batch on another device."""
        return Tokens(self.ids.to(device), self.mask.to(device), self.offsets, self.texts, self.language)


@runtime_checkable
class TokenEncoder(Protocol):
    """A text encoder whose token states can be read, trained and pooled.

    Attributes:
        name: hub name or folder it was loaded from.
        family: ``sonar``, ``bert``, ``xlm-roberta``, … (the Transformers ``model_type``).
        module: the network; its parameters are what the trainer optimises.
        dimension: d, the size of a state.
        n_layers: number of layers; layer 0 is the embedding output, layer ``n_layers`` (or -1) the last.
        max_tokens: longest input, special tokens included.
        fingerprint: first 16 hexadecimal digits of a SHA-256 over the tokenizer: equal means equal tokens.
    """

    name: str
    family: str
    module: "torch.nn.Module"
    dimension: int
    n_layers: int
    max_tokens: int
    fingerprint: str

    def tokenize(self, texts: Sequence[str], language: str | None = None) -> Tokens:
        """Tokenize without truncation.

        Raises:
            DataError: a text is empty, or longer than `max_tokens` (named with its length).
            LanguageError: the model needs a language token and has none for this code.
        """
        ...

    def lengths(self, texts: Sequence[str], language: str | None = None) -> list[int]:
        """Tokens of each text, special ones included; nothing is refused here (for length filters)."""
        ...

    def states(self, tokens: Tokens, layers: Sequence[int] = (-1,)) -> "Mapping[int, Tensor]":
        """Token states of the asked layers, each of shape (b, t, d); gradients flow where torch records them."""
        ...

    def pool(self, states: "Tensor", tokens: Tokens) -> "Tensor":
        """Sentence embeddings, shape (b, d), pooled as the model was trained (before any normalisation)."""
        ...

    def embedding_parameters(self) -> "list[torch.nn.Parameter]":
        """The word-embedding matrices (frozen by default in training)."""
        ...

    def save(self, folder: Path) -> None:
        """Write weights (safetensors), configuration and tokenizer as a Transformers folder, atomically."""
        ...
