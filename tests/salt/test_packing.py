"""Packing: never over the budget, nothing lost, the same every time."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from alee_mteb.errors import DataError
from salt.data.packing import Padding, cost, pack, padding

LENGTHS = st.lists(st.tuples(st.integers(1, 120), st.integers(1, 120)), max_size=200)


@settings(max_examples=200, deadline=None)
@given(lengths=LENGTHS, budget=st.integers(1, 400))
def test_batches_keep_to_the_budget_and_lose_nothing(lengths, budget):
    found = pack(lengths, budget)
    for batch in found.batches:
        assert len(batch) * max(cost(lengths[at]) for at in batch) <= budget
    assert sorted([at for batch in found.batches for at in batch] + list(found.oversized)) == list(range(len(lengths)))
    assert all(cost(lengths[at]) > budget for at in found.oversized)


@settings(max_examples=100, deadline=None)
@given(lengths=LENGTHS, budget=st.integers(1, 400))
def test_no_batch_could_have_taken_the_next_pair(lengths, budget):
    batches = pack(lengths, budget).batches
    for batch, following in pairwise(batches):
        assert (len(batch) + 1) * cost(lengths[following[0]]) > budget


@settings(max_examples=50, deadline=None)
@given(lengths=LENGTHS, budget=st.integers(1, 400), chance=st.randoms(use_true_random=False))
def test_the_lengths_in_each_batch_do_not_depend_on_the_order_of_pairs(lengths, budget, chance):
    turned = list(lengths)
    chance.shuffle(turned)
    one, other = pack(lengths, budget), pack(turned, budget)
    assert [[lengths[at] for at in batch] for batch in one.batches] == [
        [turned[at] for at in batch] for batch in other.batches
    ]


def test_packing_by_hand():
    lengths = [(5, 2), (1, 1), (2, 5), (3, 1), (30, 1), (1, 3)]
    found = pack(lengths, budget=10)
    # Costs 1, 3, 3 (3 × 3 ≤ 10), then 5, 5 (2 × 5 ≤ 10); 30 never fits. Of one cost, the shorter source comes first.
    assert found.batches == ((1, 5, 3), (2, 0))
    assert found.oversized == (4,)
    # Source 1 + 1 + 3 and 2 + 5; target 1 + 3 + 1 and 5 + 2. Padded: 3·3 + 3·3 and 2·5 + 2·5.
    assert padding(lengths, found) == Padding(useful=5 + 7 + 5 + 7, padded=18 + 20)


def test_nothing_to_pack():
    assert pack([], 10).batches == ()
    assert padding([], pack([], 10)).share == 1.0
    with pytest.raises(DataError, match="token budget 0"):
        pack([(1, 1)], 0)
