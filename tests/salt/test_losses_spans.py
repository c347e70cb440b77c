"""CON, MT, INT and SALT against the paper's formulas, written out in NumPy, and by gradcheck."""

import math

import numpy as np
import pytest
import torch
from support.span_batches import aligned, cut_at_spaces, numbered

from alee_mteb.errors import DataError
from salt.losses.batch import BatchSize, SpanBatch, lay_out_spans, pool_spans
from salt.losses.contrastive import SpanContrastiveLoss, span_contrastive
from salt.losses.inputs import LossInputs
from salt.losses.interpolation import InterpolationLoss, interpolation, teacher_average
from salt.losses.salt import SaltLoss
from salt.losses.translation import SpanTranslationLoss, cross_entropies, decoder_targets, translation

PAIRS = [
    aligned(numbered("a", 6), numbered("b", 5), (0, 1, 0, 1), (3, 3, 4, 4), (0, 0, 1, 1)),  # the third is nested
    aligned(numbered("c", 3), numbered("d", 4), (1, 2, 1, 1)),
    aligned(numbered("e", 2), numbered("f", 2)),  # no aligned span
    aligned(numbered("g", 4), numbered("h", 4), (0, 0, 0, 0), (1, 1, 2, 2), (2, 2, 1, 1), (3, 3, 3, 3)),
]


@pytest.fixture(scope="module")
def states():
    generator = torch.Generator().manual_seed(1)
    return (
        torch.randn(4, 8, 5, generator=generator, dtype=torch.float64),
        torch.randn(4, 7, 5, generator=generator, dtype=torch.float64),
    )


@pytest.fixture(scope="module")
def layout():
    source = cut_at_spaces([pair.pair.source for pair in PAIRS])
    return lay_out_spans(PAIRS, source, cut_at_spaces([pair.pair.target for pair in PAIRS]))


# The pairs again, as word positions (token = word + 1): aligned spans, then gaps.
SOURCE = [
    [[0, 1], [3], [0], [2], [4, 5]],
    [[1, 2], [0]],
    [[0, 1]],
    [[0], [1], [2], [3]],
]
TARGET = [
    [[0, 1], [4], [1], [2, 3]],
    [[1], [0], [2, 3]],
    [[0, 1]],
    [[0], [2], [1], [3]],
]
ALIGNED = [3, 1, 0, 4]
NESTED = {(0, 0, 2), (0, 2, 0)}


def pooled(states, words):
    return [
        np.stack([row[[at + 1 for at in span]].mean(0) for span in spans])
        for row, spans in zip(states, words, strict=True)
    ]


def equation_3(states, settings):
    """Per pair: the terms of Eq. 3 for each aligned span, from explicit loops."""
    source, target = (pooled(side.numpy(), words) for side, words in zip(states, (SOURCE, TARGET), strict=True))
    if settings.normalise:
        source, target = ([x / np.linalg.norm(x, axis=1, keepdims=True) for x in side] for side in (source, target))
    tau = settings.temperature * (math.sqrt(5) if settings.scale == "sqrt_dimension" else 1)
    pairs = range(len(PAIRS))

    def negatives(pair, i, others):
        for other in pairs if settings.negatives == "batch" else [pair]:
            for j in range(len(others[other])):
                if j >= ALIGNED[other] and not settings.gap_negatives:
                    continue
                if other == pair and (pair, i, j) in NESTED and not settings.nested_negatives:
                    continue
                yield others[other][j]

    losses = []
    for pair in pairs:
        of_pair = []
        for i in range(ALIGNED[pair]):
            positive = math.exp(source[pair][i] @ target[pair][i] / tau)
            row = sum(math.exp(source[pair][i] @ other / tau) for other in negatives(pair, i, target))
            column = sum(math.exp(other @ target[pair][i] / tau) for other in negatives(pair, i, source))
            of_pair.append(-math.log(positive / row) - math.log(positive / column))
        losses.append(of_pair)
    if settings.average == "spans":
        return np.mean([value for of_pair in losses for value in of_pair])
    return np.mean([np.mean(of_pair) for of_pair in losses if of_pair])


SETTINGS = [
    pytest.param({}, id="paper"),
    pytest.param({"temperature": 1.0, "average": "spans"}, id="default"),
    pytest.param({"negatives": "batch"}, id="batch negatives"),
    pytest.param({"negatives": "batch", "gap_negatives": False}, id="batch negatives without gaps"),
    pytest.param({"negatives": "batch", "nested_negatives": True}, id="batch negatives, nested too"),
    pytest.param({"gap_negatives": False}, id="without gaps"),
    pytest.param({"nested_negatives": True}, id="nested too"),
    pytest.param({"normalise": True, "temperature": 0.1}, id="cosine"),
    pytest.param({"scale": "sqrt_dimension"}, id="scaled"),
]


@pytest.mark.parametrize("given", SETTINGS)
def test_contrastive_is_equation_3(states, layout, given):
    settings = SpanContrastiveLoss(**given)
    assert span_contrastive(pool_spans(*states, layout), settings).item() == pytest.approx(
        equation_3(states, settings), abs=1e-12
    )


@pytest.mark.parametrize("given", SETTINGS)
def test_contrastive_gradients(states, layout, given):
    settings = SpanContrastiveLoss(**given)

    def loss(source, target):
        return span_contrastive(pool_spans(source, target, layout), settings)

    assert torch.autograd.gradcheck(loss, [side.clone().requires_grad_() for side in states])


def test_contrastive_by_hand():
    """Two aligned words, states on the axes: each row and column has logits 1 and 0, so 4 · ln(1 + 1/e) / 2."""
    pair = aligned("a b", "A B", (0, 0, 0, 0), (1, 1, 1, 1))
    tokens = cut_at_spaces(["a b"])
    states = torch.zeros(1, 4, 2)
    states[0, 1:3] = torch.eye(2)
    batch = pool_spans(states, states, lay_out_spans([pair], tokens, tokens))
    value = span_contrastive(batch, SpanContrastiveLoss(temperature=1.0)).item()
    assert value == pytest.approx(2 * math.log(1 + math.exp(-1)))


def test_a_nested_span_is_not_a_negative_of_the_one_around_it():
    """Two spans, one within the other on the source side, and a gap on each: only the gaps are negatives."""
    pair = aligned(numbered("a", 6), numbered("b", 5), (0, 1, 0, 1), (0, 0, 2, 2))
    tokens = cut_at_spaces([pair.pair.source]), cut_at_spaces([pair.pair.target])
    source, target = torch.randn(2, 3, 4, generator=torch.Generator().manual_seed(3), dtype=torch.float64)
    value = span_contrastive(SpanBatch(source, target, lay_out_spans([pair], *tokens)))
    dots = np.exp((source @ target.T).numpy() / 5)
    rows = sum(-math.log(dots[i, i] / (dots[i, i] + dots[i, 2])) for i in range(2))
    columns = sum(-math.log(dots[i, i] / (dots[i, i] + dots[2, i])) for i in range(2))
    assert value.item() == pytest.approx((rows + columns) / 2, abs=1e-12)


def test_contrastive_without_spans_is_zero_with_gradients():
    pair = aligned("a b", "A B")
    tokens = cut_at_spaces(["a b"])
    states = torch.randn(1, 4, 3, requires_grad=True)
    value = span_contrastive(pool_spans(states, states, lay_out_spans([pair], tokens, tokens)))
    value.backward()
    assert value.item() == 0
    assert states.grad is not None
    assert not states.grad.any()


def test_parts_of_a_batch_sum_to_the_whole(states, layout):
    """With the global counts, the losses of two halves add up to the loss of the whole batch."""
    for average in ("pairs", "spans"):
        settings = SpanContrastiveLoss(average=average)
        whole = span_contrastive(pool_spans(*states, layout), settings)
        parts = []
        for rows in (slice(0, 2), slice(2, 4)):
            tokens = [cut_at_spaces([getattr(pair.pair, side) for pair in PAIRS]) for side in ("source", "target")]
            cut = [type(t)(t.ids[rows], t.mask[rows], t.offsets[rows], t.texts[rows]) for t in tokens]
            part = lay_out_spans(PAIRS[rows], *cut)
            parts.append(span_contrastive(pool_spans(states[0][rows], states[1][rows], part), settings, layout.size))
        assert sum(parts).item() == pytest.approx(whole.item(), abs=1e-12)


VOCABULARY, DIMENSION = 7, 5


def tiny_decoder():
    """A causal toy: logits of step k depend on the memory and on all inputs up to k."""
    generator = torch.Generator().manual_seed(5)
    embed = torch.randn(VOCABULARY, DIMENSION, generator=generator, dtype=torch.float64)
    out = torch.randn(DIMENSION, VOCABULARY, generator=generator, dtype=torch.float64)

    def decode(memory, inputs, mask):
        heard = (embed[inputs] * mask.unsqueeze(2)).cumsum(dim=1)
        return torch.tanh(heard + memory) @ out

    def probability(memory, said, token):
        hidden = np.tanh(embed.numpy()[said].sum(0) + memory) @ out.numpy()
        return np.exp(hidden[token]) / np.exp(hidden).sum()

    return decode, probability


SPANS_TO_SAY = [[2, 3], [4], [5, 6, 2], [3], [2, 2], [6, 5, 4, 3], [4, 4], [2]]


@pytest.mark.parametrize("prefix", [pytest.param([0], id="language token"), pytest.param([1, 0], id="two tokens")])
@pytest.mark.parametrize("at_once", [pytest.param(0, id="at once"), pytest.param(3, id="in threes")])
@pytest.mark.parametrize("average", ["pairs", "spans"])
def test_translation_is_equation_4(states, layout, prefix, at_once, average):
    decode, probability = tiny_decoder()
    source = pooled(states[0].numpy(), SOURCE)
    targets = decoder_targets(SPANS_TO_SAY, [prefix] * 8, padding=1)
    settings = SpanTranslationLoss(average=average, spans_at_once=at_once)
    inputs = LossInputs(*states, states[0][:, 0], states[1][:, 0], spans=layout, decode=decode, span_targets=targets)
    said, of_pairs = iter(SPANS_TO_SAY), []
    for pair in range(4):
        of_pair = []
        for i in range(ALIGNED[pair]):
            span = next(said)
            terms = [math.log(probability(source[pair][i], prefix + span[:k], span[k])) for k in range(len(span))]
            of_pair.append(-sum(terms))
        of_pairs.append(of_pair)
    expected = (
        np.mean([value for of_pair in of_pairs for value in of_pair])
        if average == "spans"
        else np.mean([np.mean(of_pair) for of_pair in of_pairs if of_pair])
    )
    assert settings(inputs).total.item() == pytest.approx(expected, abs=1e-12)


def test_translation_reaches_the_encoder_with_right_gradients(states, layout):
    decode, _ = tiny_decoder()
    targets = decoder_targets(SPANS_TO_SAY, [[0]] * 8)

    for at_once in (0, 3):

        def loss(vectors, at_once=at_once):
            return translation(vectors, targets, decode, at_once=at_once).sum()

        vectors = pool_spans(*states, layout).positives()[0]
        assert torch.autograd.gradcheck(loss, vectors.clone().requires_grad_())


def test_decoder_targets_by_hand():
    targets = decoder_targets([[5, 6], [7]], [[9], [9, 8]], padding=1)
    assert targets.inputs.tolist() == [[9, 5], [9, 8]]
    assert targets.labels.tolist() == [[5, 6], [-100, 7]]
    assert targets.mask.tolist() == [[1, 1], [1, 1]]
    short = decoder_targets([[5], [6, 7, 8]], [[9], [9]], padding=1)
    assert short.inputs.tolist() == [[9, 1, 1], [9, 6, 7]]
    assert short.mask.tolist() == [[1, 0, 0], [1, 1, 1]]


def test_cross_entropy_can_be_averaged_over_tokens():
    logits = torch.zeros(1, 3, 4)
    labels = torch.tensor([[2, 1, -100]])
    assert cross_entropies(logits, labels).item() == pytest.approx(2 * math.log(4))
    assert cross_entropies(logits, labels, "mean").item() == pytest.approx(math.log(4))


@pytest.mark.parametrize(
    ("sequences", "prefixes", "message"),
    [
        pytest.param([[1]], [], "1 sequences to decode but 0 prefixes", id="numbers differ"),
        pytest.param([[]], [[1]], "decoder target 0", id="empty sequence"),
        pytest.param([[1]], [[]], "decoder target 0", id="empty prefix"),
    ],
)
def test_bad_decoder_targets(sequences, prefixes, message):
    with pytest.raises(DataError, match=message):
        decoder_targets(sequences, prefixes)


def test_translation_wants_one_target_per_span():
    with pytest.raises(DataError, match="2 vectors to decode but 1 targets"):
        translation(torch.zeros(2, 3), decoder_targets([[1]], [[0]]), tiny_decoder()[0])


def test_interpolation_is_equation_5():
    source = torch.tensor([[1.0, 2.0], [0.0, 0.0]], dtype=torch.float64)
    target = torch.tensor([[3.0, 4.0], [2.0, 2.0]], dtype=torch.float64)
    teacher = torch.tensor([[2.0, 1.0], [0.0, 1.0]], dtype=torch.float64)
    # Averages (2, 3) and (1, 1): squared differences 0 + 4 and 1 + 0.
    assert interpolation(source, target, teacher).item() == (4 / 2 + 1 / 2) / 2
    assert interpolation(source, target, teacher, "sum").item() == (4 + 1) / 2
    assert interpolation(source, target, teacher, "sum", pairs=4).item() == 5 / 4
    assert torch.autograd.gradcheck(
        lambda x, y: interpolation(x, y, teacher), [source.requires_grad_(), target.requires_grad_()]
    )


def test_the_teacher_gets_no_gradient():
    source, target = torch.randn(2, 3, requires_grad=True), torch.randn(2, 3, requires_grad=True)
    teacher = teacher_average(source, target)
    assert torch.equal(teacher, (source.detach() + target.detach()) / 2)
    assert not teacher.requires_grad


@pytest.fixture
def inputs(states, layout):
    decode, _ = tiny_decoder()
    generator = torch.Generator().manual_seed(9)
    pooled_states = [torch.randn(4, 5, generator=generator, dtype=torch.float64) for _ in range(3)]
    targets = decoder_targets(SPANS_TO_SAY, [[0]] * 8)
    return LossInputs(*states, *pooled_states, spans=layout, decode=decode, span_targets=targets)


def test_salt_is_equation_2(inputs):
    loss = SaltLoss(alpha=0.5, beta=0.2)
    found = loss(inputs)
    con, mt, kept = (one(inputs).total for one in (loss.contrastive, loss.translation, loss.interpolation))
    assert found.total.item() == pytest.approx((con + 0.5 * mt + 0.2 * kept).item())
    assert {name: value.item() for name, value in found.terms.items()} == {
        "con": con.item(),
        "mt": mt.item(),
        "int": kept.item(),
    }
    assert list(found.values()) == ["loss", "con", "mt", "int"]


def test_a_term_without_weight_needs_nothing(inputs):
    bare = LossInputs(inputs.source_states, inputs.target_states, inputs.source_pooled, inputs.target_pooled)
    only_int = SaltLoss(con=0, alpha=0, beta=1)
    assert only_int.needs == {"teacher"}
    with pytest.raises(DataError, match="loss 'salt' needs teacher"):
        only_int(bare)


def test_without_a_decoder_the_translation_term_is_refused(inputs):
    without = LossInputs(**{**vars(inputs), "decode": None})
    with pytest.raises(DataError, match="loss 'salt' needs decode: give it, or set that term's weight to 0"):
        SaltLoss()(without)
    assert set(SaltLoss(alpha=0)(without).terms) == {"con", "int"}


@pytest.mark.parametrize(
    ("make", "message"),
    [
        pytest.param(lambda: SpanContrastiveLoss(temperature=0), "temperature 0", id="temperature"),
        pytest.param(lambda: SpanContrastiveLoss(negatives="all"), "negatives 'all': say one of pair", id="negatives"),
        pytest.param(lambda: InterpolationLoss("max"), "reduction 'max'", id="reduction"),
        pytest.param(lambda: SpanTranslationLoss("max"), "token_reduction 'max'", id="token reduction"),
        pytest.param(lambda: SaltLoss(0, 0, 0), "at least one above", id="no term"),
        pytest.param(lambda: SaltLoss(alpha=-1), "none below 0", id="negative weight"),
    ],
)
def test_bad_settings(make, message):
    with pytest.raises(DataError, match=message):
        make()


def test_size_can_be_that_of_a_larger_batch(inputs):
    halved = LossInputs(**{**vars(inputs), "size": BatchSize(8, 6, 16)})
    assert SaltLoss()(halved).total.item() == pytest.approx(SaltLoss()(inputs).total.item() / 2)
