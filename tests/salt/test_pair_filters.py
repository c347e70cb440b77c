"""Score, length and cap; BLASER's head; all rules in one call."""

import dataclasses
import math
from collections import Counter

import numpy as np
import pytest
import torch

from alee_mteb.errors import DataError, ModelError
from salt.data.blaser import load_blaser, score_pairs
from salt.data.filters import cap_languages, filter_lengths, filter_scores, measure
from salt.data.selection import SelectionSettings, select
from salt.encoders.base import Tokens
from salt.pairs import AlignedPair, ParallelPair

GERMAN, FRENCH = "deu_Latn", "fra_Latn"


def pair(name, target=GERMAN, score=None, source="a b", text="c d e"):
    return ParallelPair(str(name), "eng_Latn", target, source, text, score)


class SpaceEncoder:
    """Counts words and two special tokens; a text's vector is made of its length and language."""

    dimension = 4
    max_tokens = 512

    def __init__(self):
        self.asked = []

    def lengths(self, texts, language=None):
        self.asked.append((language, len(texts)))
        return [len(text.split()) + 2 for text in texts]

    def tokenize(self, texts, language=None):
        ids = torch.tensor([[len(text), len(language), text.count("e"), 1] for text in texts])
        return Tokens(ids, torch.ones_like(ids), tuple((None,) * 4 for _ in texts), tuple(texts), language)

    def states(self, tokens, layers=(-1,)):
        return {-1: tokens.ids.float().unsqueeze(1)}

    def pool(self, states, tokens):
        return states[:, 0]


def test_scores_further_than_a_deviation_from_their_language_pair_are_dropped():
    # German: mean 5, deviation 4 (4² + 4² over 2 …): kept are those from 1 to 9; French has its own mean.
    scores = [1, 9, 5 - 4.001, 5 + 4.001]
    german = [pair(number, score=score) for number, score in enumerate(scores)]
    deviation = np.std(scores)
    kept, dropped = filter_scores([*german, pair("f", FRENCH, score=100)])
    assert [one.id for one in kept] == [
        *(str(n) for n, s in enumerate(scores) if abs(s - 5) <= deviation),
        "f",
    ]
    assert [one.id for one in kept] == ["0", "1", "f"]
    assert dropped == 2


def test_pairs_of_one_score_or_none_are_kept():
    same = [pair(number, score=0.1) for number in range(7)]
    assert filter_scores([*same, pair("x")]) == ([*same, pair("x")], 0)
    with pytest.raises(DataError, match="must be above 0"):
        filter_scores(same, 0)


def test_lengths_over_the_limit_are_dropped_on_either_side():
    pairs = [pair(number) for number in range(4)]
    kept, lengths, dropped = filter_lengths(pairs, [(512, 3), (513, 3), (3, 513), (1, 1)])
    assert ([one.id for one in kept], lengths, dropped) == (["0", "3"], [(512, 3), (1, 1)], 2)
    with pytest.raises(DataError, match="4 pairs but 1 lengths"):
        filter_lengths(pairs, [(1, 1)])


def test_the_cap_is_per_language_pair_and_keeps_the_order():
    pairs = [pair(number, GERMAN if number % 3 else FRENCH) for number in range(300)]
    kept, dropped = cap_languages(pairs, 50, seed=1)
    assert Counter(one.target_language for one in kept) == {GERMAN: 50, FRENCH: 50}
    assert dropped == 200
    numbers = [int(one.id) for one in kept]
    assert numbers == sorted(numbers)
    assert cap_languages(pairs, 200, 1) == (pairs, 0)


def test_the_cap_follows_the_seed_and_not_the_order():
    pairs = [pair(number) for number in range(100)]
    ids = [
        {one.id for one in cap_languages(order, 10, seed)[0]}
        for order, seed in ((pairs, 1), (pairs[::-1], 1), (pairs, 2))
    ]
    assert ids[0] == ids[1] != ids[2]
    with pytest.raises(DataError, match="must be at least 1"):
        cap_languages(pairs, 0)


def test_the_cap_takes_every_pair_equally_often():
    pairs = [pair(number) for number in range(20)]
    taken = Counter(one.id for seed in range(2_000) for one in cap_languages(pairs, 5, seed)[0])
    # A quarter of 2,000 each, give or take four standard deviations.
    assert all(abs(taken[one.id] - 500) < 4 * math.sqrt(2_000 * 0.25 * 0.75) for one in pairs)


def test_lengths_are_measured_by_language():
    encoder = SpaceEncoder()
    pairs = [pair(1), pair(2, FRENCH, text="x"), AlignedPair(pair(3, source="a"), ())]
    pairs_and_spans = measure(encoder, pairs[:2]), measure(encoder, pairs[2:])
    assert pairs_and_spans == ([(4, 5), (4, 3)], [(3, 5)])
    assert ("eng_Latn", 2) in encoder.asked
    assert ("fra_Latn", 1) in encoder.asked


def test_all_rules_in_one_call():
    pairs = [
        *(pair(number, score=1.0) for number in range(30)),
        pair("far", score=50.0),
        pair("long", score=1.0, text="w " * 9),
        *(pair(f"s{number}", "bug_Latn") for number in range(3)),
        ParallelPair("b", "ace_Arab", "bug_Latn", "a", "b"),
    ]
    settings = SelectionSettings(test_languages_only=True, max_pairs=32, deviations=1.0, max_tokens=10)
    found = select(pairs, SpaceEncoder(), settings)
    assert found.dropped == {"language": 1, "cap": 0, "length": 1, "score": 1}
    assert (found.read, found.kept) == (36, 33)
    assert {languages: len(items) for languages, items in found.items.items()} == {
        ("eng_Latn", GERMAN): 30,
        ("eng_Latn", "bug_Latn"): 3,
    }
    assert found.lengths["eng_Latn", GERMAN] == [(4, 5)] * 30


def test_new_scores_are_given_before_the_score_filter_and_lengths_follow():
    pairs = [pair(number, score=0.0, text="w " * (number + 1)) for number in range(5)]

    def score(items):
        return [dataclasses.replace(one, score=9.0 if one.id == "1" else 1.0) for one in items]

    found = select(pairs, SpaceEncoder(), SelectionSettings(deviations=1.0), score=score)
    assert [one.id for one in found.items["eng_Latn", GERMAN]] == ["0", "2", "3", "4"]
    assert found.lengths["eng_Latn", GERMAN] == [(4, 3), (4, 5), (4, 6), (4, 7)]


def test_without_an_encoder_nothing_is_measured():
    found = select([pair(1), pair(2)], settings=SelectionSettings(max_tokens=1))
    assert (found.kept, found.lengths) == (2, {})


def test_nothing_left_says_why():
    with pytest.raises(
        DataError, match="no pair left of 2 read; dropped by rule: language 0, cap 0, length 2, score 0"
    ):
        select([pair(1), pair(2)], SpaceEncoder(), SelectionSettings(max_tokens=3))


@pytest.fixture
def head_weights():
    """The published layout, small: dropout, linear, tanh, dropout, linear, tanh, dropout, linear."""
    chance = torch.Generator().manual_seed(0)
    shapes = {"mlp.1": (6, 16), "mlp.4": (3, 6), "mlp.7": (1, 3)}
    return {
        f"{name}.{part}": torch.randn(shape if part == "weight" else shape[:1], generator=chance)
        for name, shape in shapes.items()
        for part in ("weight", "bias")
    }


def blaser_by_hand(weights, x, y):
    x, y = (v / np.linalg.norm(v, axis=1, keepdims=True) for v in (x, y))
    hidden = np.concatenate([x, y, x * y, np.abs(y - x)], axis=1)
    for name in ("mlp.1", "mlp.4", "mlp.7"):
        hidden = hidden @ weights[f"{name}.weight"].numpy().T + weights[f"{name}.bias"].numpy()
        if name != "mlp.7":
            hidden = np.tanh(hidden)
    return hidden[:, 0]


@pytest.mark.parametrize("form", ["model.pt", "bare.pt", "model.safetensors"])
def test_blaser_is_the_published_perceptron(tmp_path, head_weights, form):
    path = tmp_path / form
    if form == "model.safetensors":
        from safetensors.torch import save_file

        save_file(head_weights, path)
    else:
        torch.save({"model": head_weights} if form == "model.pt" else head_weights, path)
    head = load_blaser(path)
    x, y = np.random.default_rng(0).normal(size=(2, 5, 4)).astype(np.float32)
    found = head(torch.from_numpy(x), torch.from_numpy(y)).numpy()
    assert head.dimension == 4
    assert found == pytest.approx(blaser_by_hand(head_weights, x, y), abs=1e-5)


@pytest.mark.parametrize("batch_size", [1, 2, 32])
def test_pairs_are_scored_in_order_whatever_the_batch(tmp_path, head_weights, batch_size):
    torch.save({"model": head_weights}, tmp_path / "model.pt")
    pairs = [pair(1, text="eee"), pair(2, FRENCH, source="a b c"), pair(3, text="x")]
    told = []
    found = score_pairs(
        pairs, SpaceEncoder(), load_blaser(tmp_path / "model.pt"), batch_size=batch_size, progress=told.append
    )
    x = np.array([[len(one.source), 8, one.source.count("e"), 1] for one in pairs], dtype=float)
    y = np.array([[len(one.target), 8, one.target.count("e"), 1] for one in pairs], dtype=float)
    assert [one.score for one in found] == pytest.approx(list(blaser_by_hand(head_weights, x, y)), abs=1e-5)
    assert [one.id for one in found] == ["1", "2", "3"]
    assert sum(told) == 6


def test_blaser_without_weights_says_what_to_do(tmp_path):
    with pytest.raises(ModelError, match=r"model.pt: no BLASER weights; fetch model.pt of blaser_2_0_qe and name it"):
        load_blaser(tmp_path / "model.pt")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param(lambda w: w.pop("mlp.4.bias"), r"not a BLASER 2.0 head: .* but mlp.4.bias", id="missing"),
        pytest.param(lambda w: w.update({"encoder.x": torch.ones(1)}), "but encoder.x", id="extra"),
        pytest.param(lambda w: w.clear(), "no weights at all", id="empty"),
        pytest.param(
            lambda w: w.update({"mlp.4.weight": torch.ones(3, 5)}), r"sizes \[16, 6, 3, 1\] do not make", id="shape"
        ),
        pytest.param(
            lambda w: w.update({"mlp.1.weight": torch.ones(6, 6 * 1024)}), "needs references", id="reference head"
        ),
    ],
)
def test_other_weights_are_refused(tmp_path, head_weights, change, message):
    change(head_weights)
    torch.save({"model": head_weights}, tmp_path / "model.pt")
    with pytest.raises(ModelError, match=message):
        load_blaser(tmp_path / "model.pt")


def test_a_broken_or_unsafe_file_is_refused(tmp_path):
    (tmp_path / "model.pt").write_bytes(b"no weights")
    with pytest.raises(ModelError, match="cannot be read as weights"):
        load_blaser(tmp_path / "model.pt")
    torch.save({"model": SpaceEncoder()}, tmp_path / "unsafe.pt")
    with pytest.raises(ModelError, match="cannot be read as weights"):
        load_blaser(tmp_path / "unsafe.pt")


def test_vectors_of_another_encoder_are_refused(tmp_path, head_weights):
    torch.save(head_weights, tmp_path / "model.pt")
    with pytest.raises(DataError, match=r"for vectors of 4 numbers got \(2, 8\)"):
        load_blaser(tmp_path / "model.pt")(torch.ones(2, 8), torch.ones(2, 8))
