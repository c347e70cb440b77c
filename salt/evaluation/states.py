"""Frozen token states, encoded once per distinct sentence and kept on disk.

    store = StateStore(encoder, folder)
    store.plan(texts, "eng_Latn", layers=(6, 12))     # what all tasks of the run will ask for
    [first, …] = store.get(texts, "eng_Latn", layers=(12,))
    first.layer(12), first.offsets, first.vector       # (t, d), characters of each token, sentence embedding (d,)

The file is keyed by (weights, language, text). It grows at its end only, and an entry counts once its index line is
complete, so a killed run goes on from what it had. Reading goes through the operating system's page cache: memory
stays at one batch, whatever the size of the data.
"""

import fcntl
import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from alee_mteb.errors import DataError, EncoderError, ModelError
from salt.encoders.base import TokenEncoder, Tokens
from salt.pairs import Span

PRECISIONS = {"float16": np.float16, "float32": np.float32}
Progress = Callable[[int], None]


@dataclass(frozen=True)
class EncodedText:
    """Token states of one text.

    Attributes:
        offsets: characters of each token; ``None`` for special tokens.
        states: layer → array (t, d), float32.
        vector: the sentence embedding, pooled as the model pools, (d,) float32.
    """

    text: str
    offsets: tuple[Span | None, ...]
    states: dict[int, np.ndarray]
    vector: np.ndarray

    def layer(self, layer: int) -> np.ndarray:
        """States of one layer, (t, d)."""
        return self.states[layer]

    def covered(self, span: Span) -> list[int]:
        """Positions of the tokens that share a character with the span."""
        return [at for at, token in enumerate(self.offsets) if token is not None and token.overlap(span)]

    def pooled(self, spans: Sequence[Span], layer: int, *, shared_tokens: bool = False) -> np.ndarray:
        """Mean state of the tokens of each span, (n, d); a span without tokens is a row of zeros.

        A token in two spans belongs to the one it shares more with, as in `salt.words.tokens_of_words`; with
        `shared_tokens` to both, as spans that nest need it.
        """
        if not spans:
            return np.zeros((0, len(self.vector)), dtype=np.float32)
        tokens = np.array([(0, 0) if token is None else (token.start, token.end) for token in self.offsets])
        of_spans = np.array([(span.start, span.end) for span in spans])
        shared = np.minimum(of_spans[:, 1:], tokens[:, 1]) - np.maximum(of_spans[:, :1], tokens[:, 0])  # (n, t)
        shared = np.maximum(shared, 0)
        member = shared > 0
        if not shared_tokens:
            member &= shared.argmax(axis=0) == np.arange(len(spans))[:, None]
        homeless = ~member.any(axis=1)
        member[homeless] = shared[homeless] > 0
        weights = member.astype(np.float32)
        return (weights @ self.states[layer]) / np.maximum(weights.sum(axis=1, keepdims=True), 1)


class StateStore:
    """The states of one encoder.

    Args:
        encoder: what encodes.
        folder: where states are kept; one sub-folder per weights and precision.
        precision: how states are stored; results of ``float16`` and ``float32`` differ in the fourth digit at most.
        batch_tokens: padded tokens a batch may have.
        progress: called with the number of texts just encoded.

    Attributes:
        encoded: texts passed through the network by this object.
        revision: SHA-256 over weights and tokenizer, 16 digits.

    Raises:
        ModelError: unknown precision.
    """

    def __init__(
        self,
        encoder: TokenEncoder,
        folder: Path,
        precision: str = "float16",
        batch_tokens: int = 4096,
        progress: Progress | None = None,
    ) -> None:
        if precision not in PRECISIONS:
            raise ModelError(f"precision {precision!r}: choose one of {', '.join(PRECISIONS)}")
        self.encoder, self.precision, self.batch_tokens, self.progress = encoder, precision, batch_tokens, progress
        self.revision = weights_revision(encoder)
        self.encoded = 0
        self._planned: dict[str, frozenset[int]] = {}
        home = folder / f"{self.revision}-{precision}"
        home.mkdir(parents=True, exist_ok=True)
        self._index_path = home / "index.jsonl"
        self._data = os.open(home / "states.bin", os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        self._index: dict[str, dict[str, Any]] = dict(self._read_index())

    def close(self) -> None:
        """Close the file; the store cannot be used afterwards."""
        os.close(self._data)

    def layers(self, layers: Iterable[int]) -> tuple[int, ...]:
        """Layers counted from the embeddings (0), with negative ones counted from the end, sorted, each once.

        Raises:
            ModelError: the model has no such layer.
        """
        n = self.encoder.n_layers
        found = {layer if layer >= 0 else n + 1 + layer for layer in layers}
        wrong = [layer for layer in found if not 0 <= layer <= n]
        if wrong:
            raise ModelError(f"{self.encoder.name} has layers 0 to {n}, not {wrong[0]}")
        return tuple(sorted(found))

    def plan(self, texts: Iterable[str], language: str | None, layers: Iterable[int]) -> None:
        """Say beforehand which layers of these texts will be asked for, so that one encoding serves all tasks."""
        wanted = frozenset(self.layers(layers))
        for text in texts:
            key = _key(language, text)
            self._planned[key] = self._planned.get(key, frozenset()) | wanted

    def lengths(self, texts: Sequence[str], language: str | None) -> list[int]:
        """Tokens of each text, special ones included."""
        return self.encoder.lengths(texts, language)

    def get(self, texts: Sequence[str], language: str | None, layers: Sequence[int]) -> list[EncodedText]:
        """States of the texts, in their order; what is not there yet is encoded.

        Raises:
            DataError: an empty text, one longer than the model takes, or a tokenizer without character offsets.
            EncoderError: states that are not finite.
        """
        wanted = self.layers(layers)
        missing: dict[str, str] = {}
        for text in texts:
            key = _key(language, text)
            if not self._has(key, wanted):
                missing[key] = text
        if missing:
            self._encode(missing, language, wanted)
        return [self._read(text, self._index[_key(language, text)], wanted) for text in texts]

    def _has(self, key: str, layers: Sequence[int]) -> bool:
        entry = self._index.get(key)
        return entry is not None and set(layers) <= set(entry["layers"])

    def _encode(self, missing: dict[str, str], language: str | None, wanted: Sequence[int]) -> None:
        groups: dict[tuple[int, ...], list[str]] = {}
        for key in missing:
            union = self._planned.get(key, frozenset()) | set(wanted) | set(self._index.get(key, {}).get("layers", ()))
            groups.setdefault(tuple(sorted(union)), []).append(key)
        for layers, keys in groups.items():
            lengths = dict(zip(keys, self.lengths([missing[key] for key in keys], language), strict=True))
            for batch in _batches(sorted(keys, key=lambda key: (lengths[key], key)), lengths, self.batch_tokens):
                self._encode_batch(batch, [missing[key] for key in batch], language, layers)
                self.encoded += len(batch)
                if self.progress is not None:
                    self.progress(len(batch))

    def _encode_batch(self, keys: Sequence[str], texts: list[str], language: str | None, layers: Sequence[int]) -> None:
        import torch

        module = self.encoder.module
        module.eval()
        parameter = next(iter(module.parameters()), None)
        device = "cpu" if parameter is None else parameter.device
        tokens = self.encoder.tokenize(texts, language).to(device)
        _check_offsets(tokens, self.encoder.name)
        with torch.inference_mode():
            # The last layer always: the sentence embedding is pooled from it.
            states = self.encoder.states(tokens, tuple(sorted({*layers, self.encoder.n_layers})))
            vectors = self.encoder.pool(states[self.encoder.n_layers], tokens).float().cpu().numpy()
            shape = (len(layers), *states[self.encoder.n_layers].shape)
            stacked = np.empty(shape, dtype=np.float32)  # (l, b, t, d)
            for at, layer in enumerate(layers):
                stacked[at] = states[layer].float().cpu().numpy()
        with np.errstate(over="ignore"):  # found below, with the text it comes from
            kept = stacked.astype(PRECISIONS[self.precision])
        lengths = [len(offsets) for offsets in tokens.offsets]
        for row, length in enumerate(lengths):
            if not np.isfinite(kept[:, row, :length]).all() or not np.isfinite(vectors[row]).all():
                raise EncoderError(
                    f"{self.encoder.name} gives states that are not finite in {self.precision} ({texts[row][:60]!r}): "
                    "use --precision float32, or check the weights"
                )
        self._append(keys, layers, tokens, kept, vectors)

    def _append(
        self, keys: Sequence[str], layers: Sequence[int], tokens: Tokens, states: np.ndarray, vectors: np.ndarray
    ) -> None:
        with self._index_path.open("a", encoding="utf-8") as index:
            fcntl.flock(index, fcntl.LOCK_EX)  # another run may be filling the same file
            lines = []
            for row, key in enumerate(keys):
                offsets = np.array([_edges(token) for token in tokens.offsets[row]], dtype=np.int32)
                block = np.ascontiguousarray(states[:, row, : len(offsets)])
                payload = offsets.tobytes() + vectors[row].astype(np.float32).tobytes() + block.tobytes()
                at = os.fstat(self._data).st_size
                _write_all(self._data, payload)
                entry = {"key": key, "layers": list(layers), "tokens": len(offsets), "vector": vectors.shape[1]}
                entry |= {"at": at, "size": len(payload)}
                self._index[key] = entry
                lines.append(json.dumps(entry))
            index.write("".join(f"\n{line}" for line in lines))

    def _read(self, text: str, entry: dict[str, Any], wanted: Sequence[int]) -> EncodedText:
        n, d = entry["tokens"], self.encoder.dimension
        head = os.pread(self._data, n * 8 + entry["vector"] * 4, entry["at"])
        pairs = np.frombuffer(head, np.int32, count=2 * n).reshape(n, 2)
        kind = PRECISIONS[self.precision]
        size = n * d * np.dtype(kind).itemsize
        states = {}
        for layer in wanted:
            at = entry["at"] + len(head) + entry["layers"].index(layer) * size
            states[layer] = np.frombuffer(os.pread(self._data, size, at), kind).reshape(n, d).astype(np.float32)
        offsets = tuple(None if start < 0 else Span(start, end) for start, end in pairs.tolist())
        return EncodedText(text, offsets, states, np.frombuffer(head, np.float32, offset=n * 8))

    def _read_index(self) -> Iterator[tuple[str, dict[str, Any]]]:
        if not self._index_path.exists():
            return
        written = os.fstat(self._data).st_size
        for line in self._index_path.read_text(encoding="utf-8").split("\n"):
            try:
                entry = json.loads(line)
            except json.JSONDecodeError:  # the line a killed run was writing; its text is encoded again
                continue
            if entry["at"] + entry["size"] <= written:
                yield entry["key"], entry


def weights_revision(encoder: TokenEncoder) -> str:
    """SHA-256 over the names, shapes and bytes of all weights and the tokenizer's fingerprint, 16 digits."""
    import torch

    pooling = getattr(getattr(encoder, "encoder", None), "recipe", None)
    digest = hashlib.sha256(f"{encoder.fingerprint}\0{getattr(pooling, 'pooling', '')}".encode())
    for name, tensor in sorted(encoder.module.state_dict().items()):
        digest.update(f"{name}{tuple(tensor.shape)}{tensor.dtype}".encode())
        flat = tensor.detach().cpu().contiguous().flatten()
        if flat.numel():
            digest.update(flat.view(torch.uint8).numpy().data)
    return digest.hexdigest()[:16]


def _edges(token: Span | None) -> tuple[int, int]:
    return (-1, -1) if token is None else (token.start, token.end)


def _key(language: str | None, text: str) -> str:
    return hashlib.sha256(f"{language or ''}\0{text}".encode()).hexdigest()[:32]


def _batches(keys: Sequence[str], lengths: dict[str, int], budget: int) -> Iterator[list[str]]:
    batch: list[str] = []
    longest = 0
    for key in keys:
        longest = max(longest, lengths[key])
        if batch and longest * (len(batch) + 1) > budget:
            yield batch
            batch, longest = [], lengths[key]
        batch.append(key)
    if batch:
        yield batch


def _check_offsets(tokens: Tokens, name: str) -> None:
    for text, offsets in zip(tokens.texts, tokens.offsets, strict=True):
        if text.strip() and all(token is None for token in offsets):
            raise DataError(
                f"the tokenizer of {name} gives no character offsets (text {text[:40]!r}): words cannot be found; "
                "use a fast tokenizer (tokenizer.json)"
            )


def _write_all(handle: int, payload: bytes) -> None:
    view = memoryview(payload)
    while view:
        view = view[os.write(handle, view) :]
