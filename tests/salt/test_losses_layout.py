"""Finding the tokens of spans, gaps and words, on batches worked by hand."""

import numpy as np
import pytest
import torch
from support.span_batches import aligned, cut_at_spaces, words_span

from alee_mteb.errors import DataError
from salt.encoders.base import Tokens
from salt.losses.batch import BatchSize, lay_out_spans, mean_over, pool_spans
from salt.losses.words import lay_out_words, links_of, mutual_argmax, pool_words
from salt.pairs import AlignedPair, AlignedSpan, Span

# Tokens: 0 = begin, then the words, then end.
FIRST = aligned("a b c d e", "A B C D", (1, 2, 0, 1), (1, 1, 0, 0), (4, 4, 3, 3))
SECOND = aligned("x y", "X Y Z", (0, 1, 0, 2))


def layout_of(*pairs, **settings):
    source = cut_at_spaces([pair.pair.source for pair in pairs])
    target = cut_at_spaces([pair.pair.target for pair in pairs])
    return lay_out_spans(list(pairs), source, target, **settings)


def tokens_of(pieces):
    """Per piece: (text, slot, token positions)."""
    found = []
    for number in range(len(pieces)):
        flat = pieces.token[pieces.owner == number]
        row = int(pieces.row[number])
        found.append((row, int(pieces.slot[number]), [int(at) - row * pieces.width for at in flat]))
    return found


def test_aligned_spans_come_before_the_gaps_of_their_pair():
    layout = layout_of(FIRST, SECOND)
    # Source of the first pair: words b c, b, e; the gaps a and d. The second pair has no gap.
    assert tokens_of(layout.source) == [
        (0, 0, [2, 3]),
        (0, 1, [2]),
        (0, 2, [5]),
        (0, 3, [1]),
        (0, 4, [4]),
        (1, 0, [1, 2]),
    ]
    # Target: A B, A, D; the gap C.
    assert tokens_of(layout.target) == [(0, 0, [1, 2]), (0, 1, [1]), (0, 2, [4]), (0, 3, [3]), (1, 0, [1, 2, 3])]
    assert layout.source_gap.tolist() == [False, False, False, True, True, False]
    assert layout.target_gap.tolist() == [False, False, False, True, False]


def test_the_same_slot_on_both_sides_is_a_positive():
    layout = layout_of(FIRST, SECOND)
    assert layout.positive_source.tolist() == [0, 1, 2, 5]
    assert layout.positive_target.tolist() == [0, 1, 2, 4]
    assert layout.pair.tolist() == [0, 0, 0, 1]
    assert layout.size == BatchSize(pairs=2, spanned=2, spans=4)


def test_nested_spans_are_marked_and_nothing_else():
    layout = layout_of(FIRST, SECOND)
    assert layout.nested.shape == (2, 5, 4)
    assert layout.nested.nonzero().tolist() == [[0, 0, 1], [0, 1, 0]]


@pytest.mark.parametrize(
    ("spans", "nested"),
    [
        pytest.param(((0, 1, 0, 0), (0, 0, 1, 1)), True, id="source side alone"),
        pytest.param(((0, 0, 0, 1), (1, 1, 0, 0)), True, id="target side alone"),
        pytest.param(((0, 0, 0, 0), (0, 0, 1, 1)), True, id="equal source spans"),
        pytest.param(((0, 1, 0, 0), (1, 2, 1, 1)), False, id="overlap without nesting"),
        pytest.param(((0, 0, 0, 0), (1, 1, 1, 1)), False, id="apart"),
    ],
)
def test_nesting_on_either_side_counts(spans, nested):
    layout = layout_of(aligned("a b c", "A B C", *spans))
    assert bool(layout.nested[0, 0, 1]) is nested
    assert bool(layout.nested[0, 1, 0]) is nested


def test_gaps_are_a_setting_and_can_hold_special_tokens():
    pair = aligned("a b c", "A B C", (1, 1, 0, 2))
    assert tokens_of(layout_of(pair, gaps=False).source) == [(0, 0, [2])]
    assert tokens_of(layout_of(pair).source) == [(0, 0, [2]), (0, 1, [1]), (0, 2, [3])]
    with_specials = layout_of(pair, special_tokens_in_gaps=True)
    assert tokens_of(with_specials.source) == [(0, 0, [2]), (0, 1, [0, 1]), (0, 2, [3, 4])]
    assert tokens_of(with_specials.target) == [(0, 0, [1, 2, 3]), (0, 1, [0]), (0, 2, [4])]


def test_a_token_without_characters_does_not_break_a_gap():
    tokens = Tokens(torch.zeros(1, 4), torch.ones(1, 4), ((Span(0, 1), None, Span(2, 3), Span(4, 5)),), ("a b c",))
    pair = aligned("a b c", "A B C", (2, 2, 2, 2))
    layout = lay_out_spans([pair], tokens, cut_at_spaces(["A B C"]))
    assert tokens_of(layout.source) == [(0, 0, [3]), (0, 1, [0, 2])]


def test_a_span_without_tokens_is_left_out_and_counted():
    blank = AlignedPair(FIRST.pair, (AlignedSpan(Span(1, 2), Span(0, 1)), AlignedSpan(Span(0, 1), Span(0, 1))))
    layout = layout_of(blank)
    assert layout.dropped == 1
    assert len(layout) == 1
    assert layout.positive_source.tolist() == [0]


def test_pooling_averages_the_tokens_of_each_span():
    layout = layout_of(FIRST, SECOND)
    states = torch.arange(2 * 7 * 2, dtype=torch.float64).view(2, 7, 2)
    batch = pool_spans(states, states[:, :6], layout)
    assert batch.source[0].tolist() == [(4 + 6) / 2, (5 + 7) / 2]
    assert batch.source[5].tolist() == [(16 + 18) / 2, (17 + 19) / 2]
    positives = batch.positives()
    assert positives[0].shape == positives[1].shape == (4, 2)
    assert positives[1][3].tolist() == states[1, 1:4].mean(0).tolist()


def test_pooling_sums_half_precision_in_full():
    layout = layout_of(aligned("a b c", "A", (0, 2, 0, 0)))
    states = torch.tensor([1.0, 256.0, 1.0], dtype=torch.bfloat16).view(1, 3, 1)
    states = torch.nn.functional.pad(states, (0, 0, 1, 1))
    assert pool_spans(states, states[:, :3], layout).source.item() == 86.0  # in bfloat16, 256 + 1 is 256


def test_states_of_another_batch_are_refused():
    layout = layout_of(FIRST)
    with pytest.raises(DataError, match="states of 9 tokens a row, pieces laid out on 7"):
        pool_spans(torch.zeros(1, 9, 2), torch.zeros(1, 6, 2), layout)
    with pytest.raises(DataError, match="1 pairs, 2 source"):
        lay_out_spans([FIRST], cut_at_spaces(["a", "b"]), cut_at_spaces(["A"]))


def test_a_batch_without_spans_is_laid_out():
    layout = layout_of(aligned("a b", "A"))
    assert len(layout) == 0
    assert tokens_of(layout.source) == [(0, 0, [1, 2])]
    assert layout.size == BatchSize(1, 0, 0)


def test_means_over_spans_and_over_pairs():
    values, pair = torch.tensor([1.0, 2.0, 6.0]), torch.tensor([0, 0, 2])
    size = BatchSize(pairs=3, spanned=2, spans=3)
    assert mean_over(values, pair, "spans", size).item() == 3.0
    assert mean_over(values, pair, "pairs", size).item() == (1.5 + 6) / 2
    assert mean_over(values, pair, "spans", size.shared_by(2)).item() == 6.0
    with pytest.raises(DataError, match="'words'"):
        mean_over(values, pair, "words", size)


def test_words_are_padded_per_pair_and_lose_those_without_tokens():
    source, target = cut_at_spaces(["a bb", "c"]), cut_at_spaces(["A", "B C"])
    words = [[words_span("a bb", 0, 0), Span(1, 2), words_span("a bb", 1, 1)], [Span(0, 1)]]
    others = [[Span(0, 1)], [Span(0, 1), Span(2, 3)]]
    layout = lay_out_words(words, others, source, target, links=[[(2, 0), (1, 0)], [(0, 1)]])
    states = torch.arange(16, dtype=torch.float32).view(2, 4, 2)
    batch = pool_words(states, states, layout)
    assert batch.source_mask.tolist() == [[True, True], [True, False]]
    assert batch.source[0].tolist() == states[0, 1:3].tolist()
    assert batch.source[1, 1].tolist() == [0.0, 0.0]
    assert links_of(batch).nonzero().tolist() == [[0, 1, 0], [1, 0, 1]]


def test_mutual_argmax_by_hand():
    similarity = torch.tensor([[[0.9, 0.8, 0.0], [0.7, 0.1, 0.0], [0.2, 0.3, 9.0]]])
    both = torch.tensor([[[True, True, False]] * 3])
    # Row maxima: 0→0, 1→0, 2→1; column maxima: 0→0, 1→0. The third column is padding.
    assert mutual_argmax(similarity, both).nonzero().tolist() == [[0, 0, 0]]


def test_argmax_agrees_with_a_loop_on_random_matrices():
    generator = np.random.default_rng(0)
    matrix = generator.normal(size=(20, 5, 7))
    found = mutual_argmax(torch.from_numpy(matrix), torch.ones(20, 5, 7, dtype=torch.bool)).nonzero().tolist()
    by_hand = [
        [pair, i, j]
        for pair in range(20)
        for i in range(5)
        for j in range(7)
        if matrix[pair, i, j] == matrix[pair, i].max() == matrix[pair, :, j].max()
    ]
    assert found == by_hand
