"""The NLI filter: its rules by hand, and on a tiny DeBERTa."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import tiny_corpus
from support.tiny_language import Person, Svo, sentence

from alee_mteb.errors import ModelError
from builders.nli import GUARD, NliValidator, check_labels, near_edge, verdict
from builders.stages import Status, Verdict

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def validator(tiny_models) -> NliValidator:
    return NliValidator(tiny_models["nli"], device="cpu")


# (i) both directions predicted entailment; (ii) P(entailment) > 0.8 in either; probabilities rounded to four digits
@pytest.mark.parametrize(
    ("forward", "backward", "expected"),
    [
        ((0.9, 0.05, 0.05), (0.9, 0.05, 0.05), Verdict(Status.REJECTED_BIDIRECTIONAL, 0.9, 0.9)),
        ((0.5, 0.3, 0.2), (0.4, 0.35, 0.25), Verdict(Status.REJECTED_BIDIRECTIONAL, 0.5, 0.4)),
        ((0.9, 0.05, 0.05), (0.1, 0.8, 0.1), Verdict(Status.REJECTED_ENTAILMENT, 0.9, 0.1)),
        ((0.1, 0.8, 0.1), (0.81, 0.1, 0.09), Verdict(Status.REJECTED_ENTAILMENT, 0.1, 0.81)),
        # Exactly 0.8, and what rounds to it, does not exceed it.
        ((0.8, 0.1, 0.1), (0.1, 0.8, 0.1), Verdict(Status.SUCCESS, 0.8, 0.1)),
        ((0.80004, 0.1, 0.09996), (0.1, 0.8, 0.1), Verdict(Status.SUCCESS, 0.8, 0.1)),
        ((0.80006, 0.1, 0.09994), (0.1, 0.8, 0.1), Verdict(Status.REJECTED_ENTAILMENT, 0.8001, 0.1)),
        # One direction alone may be predicted entailment.
        ((0.7, 0.2, 0.1), (0.3, 0.6, 0.1), Verdict(Status.SUCCESS, 0.7, 0.3)),
        ((0.05, 0.05, 0.9), (0.02, 0.08, 0.9), Verdict(Status.SUCCESS, 0.05, 0.02)),
        # Ties after rounding count as entailment.
        ((0.45, 0.45, 0.1), (0.5, 0.25, 0.25), Verdict(Status.REJECTED_BIDIRECTIONAL, 0.45, 0.5)),
        ((0.45001, 0.45004, 0.09995), (0.6, 0.2, 0.2), Verdict(Status.REJECTED_BIDIRECTIONAL, 0.45, 0.6)),
        ((0.45, 0.4502, 0.0998), (0.6, 0.2, 0.2), Verdict(Status.SUCCESS, 0.45, 0.6)),
        # Two labels.
        ((0.5, 0.5), (0.5, 0.5), Verdict(Status.REJECTED_BIDIRECTIONAL, 0.5, 0.5)),
        ((0.49, 0.51), (0.79, 0.21), Verdict(Status.SUCCESS, 0.49, 0.79)),
    ],
)
def test_verdicts_by_hand(forward: Any, backward: Any, expected: Verdict) -> None:
    assert verdict(forward, backward) == expected


@pytest.mark.parametrize(
    ("probability", "near"),
    [
        (0.00005, True),
        (0.80005, True),
        (0.80005 + GUARD * 0.9, True),
        (0.80005 - GUARD * 1.1, False),
        (0.8, False),
        (1.0, False),
    ],
)
def test_rounding_edges(probability: float, near: bool) -> None:
    assert near_edge(probability) is near


@given(st.floats(0, 1), st.floats(-GUARD * 0.99, GUARD * 0.99))
def test_far_from_an_edge_a_batch_cannot_change_the_fourth_digit(probability: float, noise: float) -> None:
    if not near_edge(probability):
        assert round(probability, 4) == round(min(1.0, max(0.0, probability + noise)), 4)


class Noisy(NliValidator):
    """A validator over a table of probabilities, each off by up to 1e-6 depending on what else is in the batch."""

    def __init__(self, table: dict[tuple[str, str], list[float]], batch_size: int) -> None:
        self._table, self._batch_size, self._progress = table, batch_size, None
        self.name = "noisy"

    def _softmax(self, pairs: Any) -> list[list[float]]:
        noise = 1e-6 * (len(pairs) % 3 - 1) if len(pairs) > 1 else 0.0
        return [[p + noise for p in self._table[pair]] for pair in pairs]


def test_probabilities_on_an_edge_are_the_same_in_every_batch() -> None:
    edges = [0.80005 + step * 2.5e-7 for step in range(-12, 13)]
    table = {(f"source {i}", f"foil {i}"): [p, 1 - p] for i, p in enumerate(edges)}
    table |= {pair[::-1]: [0.45005, 0.45005, 0.0999] for pair in table}
    pairs = [pair for pair in table if pair[0].startswith("source")]
    verdicts = [Noisy(table, size).validate(pairs) for size in (1, 2, 3, 5, 32)]
    assert all(found == verdicts[0] for found in verdicts)
    assert {found.status for found in verdicts[0]} == {Status.REJECTED_BIDIRECTIONAL}


# Labels


@pytest.mark.parametrize(
    "names",
    [
        ("entailment", "neutral", "contradiction"),
        ("ENTAILMENT", "Neutral", "CONTRADICTION"),
        ("entailment", "not-entailment"),
    ],
)
def test_labels_that_are_understood(names: tuple[str, ...]) -> None:
    check_labels(dict(enumerate(names)), "org/model")


@pytest.mark.parametrize(
    "names",
    [
        ("contradiction", "neutral", "entailment"),
        ("entailment", "contradiction", "neutral"),
        ("LABEL_0", "LABEL_1", "LABEL_2"),
        ("not_entailment", "entailment"),
        ("entailment",),
    ],
)
def test_other_labels_are_refused_by_name(names: tuple[str, ...]) -> None:
    with pytest.raises(ModelError, match=f"org/model has the labels {', '.join(names)}; needed"):
        check_labels(dict(enumerate(names)), "org/model")


def test_a_model_with_other_labels_is_not_loaded(tiny_models, tmp_path: Path) -> None:
    folder = shutil.copytree(tiny_models["nli"], tmp_path / "nli")
    config = json.loads((folder / "config.json").read_text())
    names = ["contradiction", "neutral", "entailment"]
    config |= {"id2label": dict(enumerate(names)), "label2id": {name: i for i, name in enumerate(names)}}
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(ModelError, match="has the labels contradiction, neutral, entailment"):
        NliValidator(folder)


# The model


def test_paraphrases_are_entailed_both_ways(validator) -> None:
    svo = [meaning for meaning in tiny_corpus.MEANINGS if isinstance(meaning, Svo)]
    pairs = [(sentence(meaning), sentence(meaning, passive=True)) for meaning in svo]
    pairs.append((tiny_corpus.FAILING[0][0], tiny_corpus.FAILING[0][2]))
    assert {found.status for found in validator.validate(pairs)} == {Status.REJECTED_BIDIRECTIONAL}


def test_a_hypernym_can_be_entailed_one_way(validator) -> None:
    [found] = validator.validate([("The puppy follows the old farmer.", "The dog follows the old farmer.")])
    assert found.status is Status.REJECTED_ENTAILMENT
    assert found.forward > 0.8 > 0.2 > found.backward


def test_negations_and_swaps_of_the_known_sentences_are_foils(validator) -> None:
    pairs = [
        ("The doctor believes the treatment works.", "The doctor does not believe the treatment works."),
        ("The doctor believes the treatment works.", "The doctor believes the treatment does not work."),
        (sentence(Svo("help", Person("doctor"), Person("farmer"))), "The farmer helps the doctor."),
        ("The singer admires the old teacher.", "The singer admires the young teacher."),
    ]
    assert {found.status for found in validator.validate(pairs)} == {Status.SUCCESS}


def test_a_foil_that_changes_nothing_is_not_put_to_the_model(validator, monkeypatch) -> None:
    monkeypatch.setattr(validator, "_softmax", SimpleNamespace())
    assert validator.validate([("It works.", "it  works")]) == [Verdict(Status.NO_CHANGE)]
    assert validator.validate([]) == []


def test_batch_size_changes_no_verdict_and_no_stored_probability(tiny_models) -> None:
    pairs = [(text, foil) for text, _, edits in tiny_corpus.SAMPLE for _, foil in edits]
    pairs += [
        (first, second) for (first, _), (second, _) in zip(tiny_corpus.KNOWN, tiny_corpus.KNOWN[1:], strict=False)
    ]
    pairs.append(("The same.", "the same"))
    one, many = (NliValidator(tiny_models["nli"], batch_size=size, device="cpu").validate(pairs) for size in (1, 32))
    assert one == many
    assert len(pairs) == len(one) > 50


def test_long_and_odd_texts_have_a_verdict(validator) -> None:
    texts = ["word " * 5000, "🙂" * 40, "", "الطبيب"]
    assert len(validator.validate([(text, "The doctor helps the farmer.") for text in texts])) == 4


def test_the_tiny_model_is_the_same_each_time_it_is_made(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    from support.tiny_models import make_nli

    one, two, other = (make_nli(tmp_path / name, seed, steps=2) for name, seed in (("a", 5), ("b", 5), ("c", 6)))
    weights = [(folder / "model.safetensors").read_bytes() for folder in (one, two, other)]
    assert weights[0] == weights[1] != weights[2]


# Where it comes from


def test_offline_a_model_that_is_not_cached_is_one_line(tmp_path: Path) -> None:
    script = (
        "from alee_mteb.errors import AleeError\n"
        "from builders.nli import NliValidator\n"
        "try:\n    NliValidator()\nexcept AleeError as error:\n    print(error)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == (
        "the NLI model: the Hugging Face Hub cannot be reached and juliussteen/DeBERTa-v3-FaithAug is not cached; "
        "where there is a network run `hf download juliussteen/DeBERTa-v3-FaithAug --local-dir DIR`, copy DIR here and "
        "give DIR instead of the name"
    )


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"the NLI model: .*nowhere is not a folder and not a Hub repository"):
        NliValidator(tmp_path / "nowhere")


def test_missing_weights_are_not_made_up(tiny_models, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    folder = shutil.copytree(tiny_models["nli"], tmp_path / "nli")
    weights = load_file(folder / "model.safetensors")
    del weights["classifier.weight"]
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    with pytest.raises(ModelError, match=r"1 weights are not in its files.*classifier\.weight"):
        NliValidator(folder)
