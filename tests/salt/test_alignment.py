"""Word alignment: matrices worked by hand, a literal reading of the algorithm, and properties."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from salt.alignment import itermax, mutual_argmax, similarity


def pairs(links: np.ndarray) -> set[tuple[int, int]]:
    return {(int(i), int(j)) for i, j in np.argwhere(links)}


def literal_argmax(matrix: np.ndarray) -> set[tuple[int, int]]:
    """SimAlign's paper, §3.2.1, as loops: the largest of its row and of its column, the first in a tie, never 0."""
    n, m = matrix.shape
    found = set()
    for i in range(n):
        for j in range(m):
            first_in_row = all(matrix[i, j] > matrix[i, k] if k < j else matrix[i, j] >= matrix[i, k] for k in range(m))
            first_in_column = all(
                matrix[i, j] > matrix[k, j] if k < i else matrix[i, j] >= matrix[k, j] for k in range(n)
            )
            if first_in_row and first_in_column and matrix[i, j] > 0:
                found.add((i, j))
    return found


def literal_itermax(matrix: np.ndarray, max_count: int = 2, alpha: float = 0.9) -> set[tuple[int, int]]:
    n, m = matrix.shape
    found: set[tuple[int, int]] = set()
    for _ in range(max_count):
        masked = np.zeros_like(matrix)
        for i in range(n):
            for j in range(m):
                source_taken = any(a == i for a, _ in found)
                target_taken = any(b == j for _, b in found)
                weight = 0.0 if source_taken and target_taken else alpha if source_taken or target_taken else 1.0
                masked[i, j] = matrix[i, j] * weight
        found |= literal_argmax(masked)
    return found


def test_similarity_maps_cosine_to_zero_one() -> None:
    source = np.array([[3.0, 0.0], [1.0, 1.0]])
    target = np.array([[2.0, 0.0], [0.0, 5.0], [-1.0, 0.0]])
    half = 1 / np.sqrt(2)
    expected = [[1.0, 0.5, 0.0], [(half + 1) / 2, (half + 1) / 2, (1 - half) / 2]]
    np.testing.assert_allclose(similarity(source, target), expected, atol=1e-12)


def test_similarity_of_padding_is_zero() -> None:
    assert (similarity(np.zeros((2, 4)), np.ones((3, 4))) == 0).all()


def test_similarity_never_leaves_zero_one() -> None:
    states = np.full((1, 3), 0.1, dtype=np.float32)
    assert 0 <= similarity(states, states * 7).item() <= 1
    assert 0 <= similarity(states, states * -7).item() <= 1


def test_mutual_argmax_links_only_each_others_best() -> None:
    # Row 1 prefers column 0, which prefers row 0; so row 1 stays without a link. Row 2 and column 2 agree.
    matrix = np.array([[0.9, 0.2, 0.1], [0.8, 0.5, 0.3], [0.1, 0.4, 0.7]])
    assert pairs(mutual_argmax(matrix)) == {(0, 0), (2, 2)}


def test_mutual_argmax_gives_ties_to_the_first() -> None:
    assert pairs(mutual_argmax(np.full((2, 3), 0.5))) == {(0, 0)}


def test_itermax_links_what_is_free_in_the_second_pass() -> None:
    # First pass: (0, 0), (2, 2). Second: cells of row 1 and column 1 remain. (1, 1) is free on both sides: 0.5. The
    # others: (1, 0) 0.72, (1, 2) 0.27, (0, 1) 0.18, (2, 1) 0.36. Row 1's best is column 0 (0.72), and column 0's best
    # is row 1; column 1's best is row 1, but row 1 prefers column 0.
    matrix = np.array([[0.9, 0.2, 0.1], [0.8, 0.5, 0.3], [0.1, 0.4, 0.7]])
    assert pairs(itermax(matrix)) == {(0, 0), (2, 2), (1, 0)}


def test_itermax_prefers_free_words_by_alpha() -> None:
    # As above but 0.55 for (1, 0): 0.9 × 0.55 = 0.495 < 0.5, so the two free words find each other.
    matrix = np.array([[0.9, 0.2, 0.1], [0.55, 0.5, 0.3], [0.1, 0.4, 0.7]])
    assert pairs(itermax(matrix)) == {(0, 0), (2, 2), (1, 1)}
    assert pairs(itermax(matrix, alpha=1.0)) == {(0, 0), (2, 2), (1, 0)}


def test_itermax_with_one_pass_is_mutual_argmax() -> None:
    matrix = np.array([[0.9, 0.2], [0.8, 0.5]])
    assert pairs(itermax(matrix, max_count=1)) == {(0, 0)}


def test_itermax_leaves_words_without_similarity_alone() -> None:
    # After the first pass the masked row 1 and column 1 hold nothing but zeros.
    assert pairs(itermax(np.array([[0.6, 0.0], [0.0, 0.0]]))) == {(0, 0)}
    assert pairs(itermax(np.zeros((3, 2)))) == set()


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (2, 0, 0), (0, 2, 2)], ids=str)
def test_nothing_to_link(shape: tuple[int, ...]) -> None:
    assert itermax(np.zeros(shape)).shape == shape


def test_the_released_program_stops_at_short_sentences_and_at_full_ones() -> None:
    two = np.array([[0.9, 0.8], [0.7, 0.6], [0.1, 0.65]])  # argmax: (0, 0); a side of two words
    assert pairs(itermax(two, released=True)) == {(0, 0)}
    assert len(pairs(itermax(two))) > 1
    full = np.array([[0.9, 0.1, 0.1, 0.5], [0.1, 0.8, 0.1, 0.6], [0.1, 0.1, 0.7, 0.5]])  # every row has a link
    assert pairs(itermax(full, released=True)) == {(0, 0), (1, 1), (2, 2)}
    assert pairs(itermax(full)) == {(0, 0), (1, 1), (2, 2), (1, 3)}


# Few distinct values, so that ties and zeros are common.
matrices = arrays(
    np.float64,
    st.tuples(st.integers(1, 6), st.integers(1, 6)),
    elements=st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.5, 0.9, 1.0]) | st.floats(0, 1),
)


@given(matrices)
@settings(max_examples=200, deadline=None)
def test_argmax_equals_its_literal_definition(matrix: np.ndarray) -> None:
    assert pairs(mutual_argmax(matrix)) == literal_argmax(matrix)


@given(matrices, st.integers(1, 4), st.sampled_from([0.5, 0.9, 1.0]))
@settings(max_examples=300, deadline=None)
def test_itermax_equals_its_literal_definition(matrix: np.ndarray, max_count: int, alpha: float) -> None:
    assert pairs(itermax(matrix, max_count=max_count, alpha=alpha)) == literal_itermax(matrix, max_count, alpha)


@given(st.lists(matrices, min_size=1, max_size=4), st.booleans())
@settings(max_examples=100, deadline=None)
def test_a_padded_batch_gives_what_its_members_give_alone(members: list[np.ndarray], released: bool) -> None:
    height, width = (max(member.shape[axis] for member in members) for axis in (0, 1))
    batch = np.zeros((len(members), height, width))
    for row, member in enumerate(members):
        batch[row, : member.shape[0], : member.shape[1]] = member + 0.01  # words of no similarity would be padding
    together = itermax(batch, released=released)
    for row, member in enumerate(members):
        assert pairs(together[row]) == pairs(itermax(member + 0.01, released=released))


@given(matrices)
@settings(max_examples=100, deadline=None)
def test_both_directions_agree_where_there_are_no_ties(matrix: np.ndarray) -> None:
    distinct = matrix + np.random.default_rng(0).uniform(1e-6, 1e-3, matrix.shape)
    assert pairs(itermax(distinct.T)) == {(j, i) for i, j in pairs(itermax(distinct))}
