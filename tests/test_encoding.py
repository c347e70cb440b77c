import numpy as np
import pytest
import torch
from support.encoders import TableEncoder

from alee_mteb.encoding import checked_vectors, encode_distinct
from alee_mteb.errors import EncoderError

TEXTS = ["one", "two", "three"]


def test_good_vectors_pass_in_every_shape_encoders_return_them():
    expected = np.eye(3, dtype=np.float32)
    for raw in (expected, expected.tolist(), torch.eye(3, dtype=torch.bfloat16), torch.eye(3, requires_grad=True)):
        assert (checked_vectors(raw, TEXTS, "here") == expected).all()


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (np.eye(3) * [[1], [np.nan], [1]], "here: the vector of this text is not finite: 'two'"),
        ([[1, 0, 0], [0, 1, 0], [0, 0, np.inf]], "here: the vector of this text is not finite: 'three'"),
        (np.eye(3) * [[1], [1], [0]], "here: the vector of this text is zero: 'three'"),
        (np.eye(2), "here: expected 3 vectors of one length, got an array of shape (2, 2)"),
        (np.ones(3), "here: expected 3 vectors of one length, got an array of shape (3,)"),
        (np.ones((3, 0)), "here: expected 3 vectors of one length, got an array of shape (3, 0)"),
        (
            [[1.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.0]],
            "here: expected 3 vectors of one length, got shape (3,) after (2,) for this text: 'two'",
        ),
        (None, "here: expected 3 vectors of one length, got an array of shape ()"),
    ],
)
def test_bad_vectors_are_refused_by_name(raw, message: str):
    with pytest.raises(EncoderError) as error:
        checked_vectors(raw, TEXTS, "here")
    assert str(error.value) == message


def test_every_distinct_text_is_encoded_once_and_as_query():
    from mteb.types import PromptType

    from alee_mteb.tasks import TASKS

    encoder = TableEncoder({"a": (3.0, 4.0), "b": (0.0, 2.0)})
    vectors = encode_distinct(
        encoder,
        iter(["a", "b", "a", "a"]),
        task_metadata=TASKS["ALEE-Sample"].metadata,
        hf_split="test",
        hf_subset="eng_Latn",
        encode_kwargs={"batch_size": 1},
    )
    assert encoder.seen == [("eng_Latn", "a"), ("eng_Latn", "b")]
    assert encoder.prompt_types == {PromptType.query}
    assert vectors.of(["b", "a", "b"]) == pytest.approx(np.array([[0, 1], [0.6, 0.8], [0, 1]]))
