"""Drawing by temperature, and streams that go on exactly where they stopped."""

import json
from collections import Counter

import numpy as np
import pytest

from alee_mteb.errors import DataError
from salt.data.packing import cost
from salt.data.sampling import PairSampler, pair_probabilities
from salt.data.stream import PackedStream, share

EN_DE, EN_FR, EN_SW = ("eng_Latn", "deu_Latn"), ("eng_Latn", "fra_Latn"), ("eng_Latn", "swh_Latn")


def test_probabilities_by_hand():
    assert pair_probabilities([1, 4, 5], 1.0) == pytest.approx([0.1, 0.4, 0.5])
    # (n / N)^(1/2): 1, 2, 3 out of 6.
    assert pair_probabilities([1, 4, 9], 2.0) == pytest.approx([1 / 6, 2 / 6, 3 / 6])
    assert pair_probabilities([1, 10**6], 1e9) == pytest.approx([0.5, 0.5], abs=1e-6)
    assert pair_probabilities([1, 2], 0.001) == pytest.approx([0, 1])


@pytest.mark.parametrize("temperature", [1.0, 5.0])
def test_frequencies_follow_the_formula(temperature):
    sizes = {EN_DE: 900, EN_FR: 90, EN_SW: 10}
    drawn = Counter(languages for languages, _ in PairSampler(sizes, temperature, seed=3).draw(60_000, 0))
    weights = {languages: (n / 1_000) ** (1 / temperature) for languages, n in sizes.items()}
    for languages in sizes:
        p = weights[languages] / sum(weights.values())
        # Four standard deviations of a binomial.
        assert abs(drawn[languages] / 60_000 - p) < 4 * np.sqrt(p * (1 - p) / 60_000)


def test_each_pass_over_a_language_pair_has_every_item_once_in_another_order():
    sampler = PairSampler({EN_DE: 50}, seed=1)
    passes = [[at for _, at in sampler.draw(50, number)] for number in range(3)]
    assert [sorted(one) for one in passes] == [list(range(50))] * 3
    assert passes[0] != passes[1] != passes[2] != passes[0]


def test_draws_follow_the_seed_and_not_the_order_of_languages():
    sizes = {EN_DE: 5, EN_FR: 7}
    turned = {EN_FR: 7, EN_DE: 5}
    assert PairSampler(sizes, 2.0, 9).draw(40, 0) == PairSampler(turned, 2.0, 9).draw(40, 0)
    assert PairSampler(sizes, 2.0, 9).draw(40, 0) != PairSampler(sizes, 2.0, 10).draw(40, 0)


def items(n_de=400, n_fr=60, n_sw=7):
    chance = np.random.default_rng(0)
    lengths = {
        languages: [tuple(map(int, chance.integers(3, 60, size=2))) for _ in range(n)]
        for languages, n in ((EN_DE, n_de), (EN_FR, n_fr), (EN_SW, n_sw))
    }
    return {languages: [(languages, at) for at in range(len(lengths[languages]))] for languages in lengths}, lengths


def stream(**settings):
    return PackedStream(*items(), **{"temperature": 3.0, "budget": 200, "buffer": 50, "seed": 4, **settings})


def test_batches_keep_to_the_budget():
    found, (_, lengths) = stream(), items()
    for _ in range(200):
        batch = found.next_batch()
        assert batch
        assert len(batch) * max(cost(lengths[languages][at]) for languages, at in batch) <= 200


def test_a_buffer_loses_no_pair():
    """What one buffer draws is what its batches hold: a pass over one language pair gives each item once."""
    pool, lengths = items(n_de=50)
    found = PackedStream({EN_DE: pool[EN_DE]}, lengths, budget=200, buffer=50)
    seen = []
    while len(seen) < 50:
        seen += [at for _, at in found.next_batch()]
    assert sorted(seen) == list(range(50))


@pytest.mark.parametrize("before", [0, 1, 7, 40, 333])
def test_a_stream_goes_on_from_a_saved_position(before):
    original = stream()
    for _ in range(before):
        original.next_batch()
    position = json.loads(json.dumps(original.position()))
    expected = [original.next_batch() for _ in range(120)]
    resumed = stream()
    resumed.seek(position)
    assert [resumed.next_batch() for _ in range(120)] == expected
    assert resumed.position() == original.position()


def test_the_positions_tested_reach_several_passes():
    found = stream()
    for _ in range(333):
        found.next_batch()
    drawn = {(source, target): count for source, target, count in found.position()["drawn"]}
    assert drawn[EN_SW] > 3 * 7
    assert drawn[EN_FR] > 2 * 60


def test_a_position_is_not_touched_by_going_on():
    found = stream()
    position = found.position()
    copy = json.dumps(position)
    for _ in range(100):
        found.next_batch()
    assert json.dumps(position) == copy


@pytest.mark.parametrize(
    "other",
    [{"seed": 5}, {"temperature": 1.0}, {"budget": 100}, {"buffer": 20}],
    ids=["seed", "temperature", "budget", "buffer"],
)
def test_a_position_of_other_settings_is_refused(other):
    with pytest.raises(DataError, match="saved with other pairs, seed, temperature, budget or buffer"):
        stream(**other).seek(stream().position())


def test_a_position_of_other_data_is_refused():
    pool, lengths = items(n_sw=8)
    other = PackedStream(pool, lengths, temperature=3.0, budget=200, buffer=50, seed=4)
    with pytest.raises(DataError, match="other pairs"):
        other.seek(stream().position())


@pytest.mark.parametrize("position", [{}, {"buffer": 1}, {"fingerprint": "x", "buffer": "a", "batch": 0, "drawn": []}])
def test_what_is_no_position_is_refused(position):
    with pytest.raises(DataError, match="stream position: not one"):
        stream().seek(position)
    with pytest.raises(DataError, match="batch 99 of a buffer"):
        stream().seek({**stream().position(), "batch": 99})


@pytest.mark.parametrize("processes", [1, 2, 3])
def test_processes_together_see_the_batches_of_one(processes):
    alone = stream()
    streams = [stream() for _ in range(processes)]
    for _ in range(20):
        step = [alone.next_batch() for _ in range(4)]
        shares = []
        for rank, own in enumerate(streams):
            shares.append(share([own.next_batch() for _ in range(4)], rank, processes))
        together = [batch for of_rank in shares for batch in of_rank]
        assert sorted(together) == sorted(step)
        assert all(shares)


def test_bad_shares():
    with pytest.raises(DataError, match="process 2 of 2"):
        share([1, 2], 2, 2)
    with pytest.raises(DataError, match="1 batches a step for 2 processes"):
        share([1], 0, 2)


def test_a_pair_over_the_budget_is_counted_and_never_drawn():
    pool = {EN_DE: ["short", "long", "short too"]}
    found = PackedStream(pool, {EN_DE: [(3, 4), (11, 2), (5, 5)]}, budget=10, buffer=4)
    assert found.oversized == 1
    assert found.pairs == 2
    assert {item for _ in range(20) for item in found.next_batch()} == {"short", "short too"}


@pytest.mark.parametrize(
    ("arguments", "settings", "message"),
    [
        pytest.param(({}, {}), {}, "no sentence pair fits", id="nothing"),
        pytest.param(
            ({EN_DE: ["a"]}, {EN_DE: [(11, 1)]}), {}, r"fits into a budget of 10 tokens \(1 are", id="too long"
        ),
        pytest.param(({EN_DE: ["a"]}, {}), {}, "eng_Latn–deu_Latn: 1 pairs, lengths of another number", id="lengths"),
        pytest.param(({EN_DE: ["a"]}, {EN_DE: [(1, 1)]}), {"buffer": 0}, "must hold at least 1", id="buffer"),
        pytest.param(({EN_DE: ["a"]}, {EN_DE: [(1, 1)]}), {"temperature": 0}, "temperature 0: must", id="temperature"),
    ],
)
def test_bad_streams(arguments, settings, message):
    with pytest.raises(DataError, match=message):
        PackedStream(*arguments, **{"budget": 10, **settings})
