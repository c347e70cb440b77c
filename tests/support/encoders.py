"""Encoders for tests: small, exact, and telling what they were asked."""

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np


def model_meta(name: str) -> Any:
    from mteb.models.model_meta import ModelMeta

    return ModelMeta.create_empty(overwrites={"name": name, "revision": "1"})


class RecordingEncoder:
    """Base: remembers (hf_subset, text) of every text it is given, and the prompt types."""

    def __init__(self, name: str = "test/recording") -> None:
        self.mteb_model_meta = model_meta(name)
        self.seen: list[tuple[str, str]] = []
        self.prompt_types: set[Any] = set()

    def encode(self, inputs: Any, *, hf_subset: str, prompt_type: Any = None, **kwargs: Any) -> Any:
        texts = [text for batch in inputs for text in batch["text"]]
        self.seen += [(hf_subset, text) for text in texts]
        self.prompt_types.add(prompt_type)
        return self.vectors(texts)

    def vectors(self, texts: list[str]) -> Any:
        raise NotImplementedError

    def similarity(self, left: Any, right: Any) -> Any:
        return left @ right.T

    def similarity_pairwise(self, left: Any, right: Any) -> Any:
        return (left * right).sum(axis=1)


class TableEncoder(RecordingEncoder):
    """Returns the vector written down for each text."""

    def __init__(self, table: Mapping[str, Any], name: str = "test/table") -> None:
        super().__init__(name)
        self.table = table

    def vectors(self, texts: list[str]) -> Any:
        return np.array([self.table[text] for text in texts], dtype=np.float32)


class HashEncoder(RecordingEncoder):
    """A pseudo-random unit vector per text, the same in every process."""

    def __init__(self, dimension: int = 32, name: str = "test/hash") -> None:
        super().__init__(name)
        self.dimension = dimension

    def vectors(self, texts: list[str]) -> Any:
        seeds = [int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") for text in texts]
        return np.stack([np.random.default_rng(seed).normal(size=self.dimension) for seed in seeds])
