"""SO, WordOT, WACSE, SONAR and OmniSONAR-Token against NumPy, and by gradcheck."""

import builtins
import math

import numpy as np
import pytest
import torch
from support.span_batches import cut_at_spaces, numbered

from alee_mteb.errors import DataError, MissingExtraError
from salt.losses.batch import BatchSize
from salt.losses.inputs import LossInputs, MaskedWords
from salt.losses.omnisonar import OmniSonarTokenLoss
from salt.losses.self_objective import SelfObjectiveLoss, self_objective
from salt.losses.sonar import SonarLoss, sentence_mse
from salt.losses.translation import decoder_targets, translation
from salt.losses.wacse import (
    WacseLoss,
    aligned_word_prediction,
    mask_one_word,
    translation_ranking,
    word_translation_ranking,
)
from salt.losses.word_ot import WordOTLoss, word_transport
from salt.losses.words import WordBatch, lay_out_words, mutual_argmax, word_similarity

LENGTHS = [(3, 4), (2, 2), (4, 3)]


def batch_of(source, target, links=None):
    """Zero beyond each pair's words, as pooling leaves them."""
    masks = [torch.tensor([[at < length[side] for at in range(4)] for length in LENGTHS]) for side in (0, 1)]
    return WordBatch(source * masks[0].unsqueeze(2), target * masks[1].unsqueeze(2), *masks, links)


@pytest.fixture(scope="module")
def states():
    return tuple(torch.randn(2, 3, 4, 6, generator=torch.Generator().manual_seed(2), dtype=torch.float64))


def real_words(states):
    """Per pair, the words without padding."""
    return [(x[:n].numpy(), y[:m].numpy()) for x, y, (n, m) in zip(*states, LENGTHS, strict=True)]


def cosines(x, y):
    return (x / np.linalg.norm(x, axis=1, keepdims=True)) @ (y / np.linalg.norm(y, axis=1, keepdims=True)).T


def argmax_links(matrix):
    n, m = matrix.shape
    return [(i, j) for i in range(n) for j in range(m) if matrix[i, j] == matrix[i].max() == matrix[:, j].max()]


def softmax(x, axis):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


@pytest.mark.parametrize("logarithm", [pytest.param(False, id="probabilities"), pytest.param(True, id="logarithms")])
@pytest.mark.parametrize("similarity", ["dot", "cosine"])
def test_self_objective_is_awesome_aligns(states, similarity, logarithm):
    settings = SelfObjectiveLoss(temperature=2.0, similarity=similarity, logarithm=logarithm)
    losses = []
    for x, y in real_words(states):
        logits = 2.0 * (x @ y.T if similarity == "dot" else cosines(x, y))
        forward, backward = softmax(logits, 1), softmax(logits, 0)
        if logarithm:
            forward, backward = np.log(forward), np.log(backward)
        links = argmax_links(cosines(x, y))
        assert links
        losses.append(-sum(0.5 * (forward[i, j] / len(x) + backward[i, j] / len(y)) for i, j in links))
    assert self_objective(batch_of(*states), settings).item() == pytest.approx(np.mean(losses), abs=1e-12)


def test_the_temperature_of_so_multiplies(states):
    """At τ = 500 the softmax is all but an argmax: linked words have probability 1, where dot and cosine agree."""
    x = torch.eye(4, 6, dtype=torch.float64).expand(3, 4, 6)
    value = self_objective(batch_of(x, x), SelfObjectiveLoss())
    # Links (i, i) as far as both sides go: 3, 2 and 3 of them; ½ (links / n + links / m) each.
    assert value.item() == pytest.approx(-np.mean([0.5 * (3 / 3 + 3 / 4), 1.0, 0.5 * (3 / 4 + 3 / 3)]))


@pytest.mark.parametrize(
    "loss", [SelfObjectiveLoss(2.0), SelfObjectiveLoss(2.0, "cosine", True)], ids=["probabilities", "logarithms"]
)
def test_self_objective_gradients(states, loss):
    links = mutual_argmax(word_similarity(batch_of(*states), "cosine"), batch_of(*states).both)
    assert torch.autograd.gradcheck(
        lambda x, y: self_objective(batch_of(x, y, links), loss), [side.clone().requires_grad_() for side in states]
    )


def sinkhorn(cost, epsilon):
    """The entropic plan with uniform marginals, by 3,000 plain Sinkhorn iterations."""
    kernel = np.exp(-cost / epsilon)
    a, b = np.full(len(cost), 1 / len(cost)), np.full(cost.shape[1], 1 / cost.shape[1])
    v = np.ones_like(b)
    for _ in range(3_000):
        u = a / (kernel @ v)
        v = b / (kernel.T @ u)
    return u[:, None] * kernel * v[None, :]


@pytest.mark.parametrize("objective", ["regularised", "transport"])
@pytest.mark.parametrize("cost", ["cosine", "euclidean"])
def test_word_ot_is_entropic_transport(states, cost, objective):
    settings = WordOTLoss(temperature=1.0, cost=cost, objective=objective, iterations=3_000, tolerance=1e-12)
    losses = []
    for x, y in real_words(states):
        matrix = 1 - cosines(x, y) if cost == "cosine" else ((x[:, None] - y[None]) ** 2).sum(2)
        plan = sinkhorn(matrix, 1.0)
        entropy = (plan * np.log(plan)).sum() if objective == "regularised" else 0.0
        losses.append((plan * matrix).sum() + entropy)
    assert word_transport(batch_of(*states), settings).item() == pytest.approx(np.mean(losses), abs=1e-8)


@pytest.mark.parametrize(
    ("objective", "gradient"),
    [
        pytest.param("regularised", "envelope", id="envelope of the regularised minimum"),
        pytest.param("regularised", "unrolled", id="unrolled regularised minimum"),
        pytest.param("transport", "unrolled", id="unrolled transport cost"),
    ],
)
def test_word_ot_gradients(states, objective, gradient):
    settings = WordOTLoss(temperature=0.5, objective=objective, gradient=gradient, iterations=2_000, tolerance=1e-13)
    given = [side[:, :, :3].clone().requires_grad_() for side in states]
    assert torch.autograd.gradcheck(lambda x, y: word_transport(batch_of(x, y), settings), given, atol=1e-6)


def test_word_ot_at_the_papers_temperature_is_finite_in_single_precision(states):
    given = [side.float().requires_grad_() for side in states]
    value = word_transport(batch_of(*given))
    value.backward()
    assert math.isfinite(value.item())
    for side, padded in zip(given, (batch_of(*given).source_mask, batch_of(*given).target_mask), strict=True):
        assert side.grad is not None
        assert torch.isfinite(side.grad).all()
        assert side.grad[padded].any()
        assert not side.grad[~padded].any()


def test_word_ot_passes_over_a_pair_without_words():
    masks = torch.tensor([[True, False], [False, False]])
    states = torch.ones(2, 2, 3)
    assert word_transport(WordBatch(states, states, masks, masks)).item() == pytest.approx(0.0, abs=1e-6)
    assert word_transport(WordBatch(states, states, masks & False, masks)).item() == 0.0


def test_word_ot_without_pot_says_what_to_install(states, monkeypatch):
    real = builtins.__import__

    def refuse(name, *args, **kwargs):
        if name.startswith("ot"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(MissingExtraError, match=r"the WordOT loss needs the Python package 'POT'.*\[salt\]"):
        word_transport(batch_of(*states))


def ranking_by_hand(matrix, temperature):
    """Cross-entropy of the diagonal of a similarity matrix, both ways; −∞ marks what does not count."""
    logits = matrix / temperature
    n = len(matrix)
    return np.mean([-math.log(softmax(logits, 1)[i, i]) - math.log(softmax(logits, 0)[i, i]) for i in range(n)])


@pytest.mark.parametrize("margin", [0.0, 0.3])
def test_translation_ranking_is_in_batch_cross_entropy(margin):
    source, target = torch.randn(2, 5, 4, generator=torch.Generator().manual_seed(4), dtype=torch.float64)
    expected = ranking_by_hand(cosines(source.numpy(), target.numpy()) - margin * np.eye(5), 0.1)
    assert translation_ranking(source, target, 0.1, margin).item() == pytest.approx(expected, abs=1e-12)
    given = [source.requires_grad_(), target.requires_grad_()]
    assert torch.autograd.gradcheck(lambda x, y: translation_ranking(x, y, 0.1, margin), given)


def test_word_translation_ranking_ranks_linked_words_of_the_batch(states):
    links = torch.zeros(3, 4, 4, dtype=torch.bool)
    chosen = [(0, 0, 1), (0, 0, 2), (1, 1, 0), (2, 3, 2)]  # the first word has two links
    for link in chosen:
        links[link] = True
    x = np.stack([states[0][pair, i].numpy() for pair, i, _ in chosen])
    y = np.stack([states[1][pair, j].numpy() for pair, _, j in chosen])
    matrix = cosines(x, y)
    matrix[0, 1] = matrix[1, 0] = -np.inf  # the same source word is no negative of itself
    value = word_translation_ranking(batch_of(*states, links), 0.1)
    assert value.item() == pytest.approx(ranking_by_hand(matrix, 0.1), abs=1e-12)
    given = [side.clone().requires_grad_() for side in states]
    assert torch.autograd.gradcheck(lambda a, b: word_translation_ranking(batch_of(a, b, links), 0.1), given)


def test_word_translation_ranking_without_links_is_zero(states):
    assert word_translation_ranking(batch_of(*states, torch.zeros(3, 4, 4, dtype=torch.bool)), 0.1).item() == 0


def test_aligned_word_prediction_is_cross_entropy_over_the_vocabulary():
    generator = torch.Generator().manual_seed(6)
    states = torch.randn(2, 4, generator=generator, dtype=torch.float64)
    head = torch.randn(5, 4, generator=generator, dtype=torch.float64)
    probabilities = softmax(states.numpy() @ head.numpy().T, 1)
    expected = np.mean([-np.log(probabilities[0, [3, 1]]).mean(), -np.log(probabilities[1, 4])])
    labels = torch.tensor([[3, 1], [4, -100]])
    assert aligned_word_prediction(MaskedWords(states, labels, head)).item() == pytest.approx(expected, abs=1e-12)
    given = [states.requires_grad_(), head.requires_grad_()]
    assert torch.autograd.gradcheck(lambda s, h: aligned_word_prediction(MaskedWords(s, labels, h)), given)


def word_layout(sources, targets):
    source, target = cut_at_spaces(sources), cut_at_spaces(targets)
    words = [[[span for span in row if span] for row in tokens.offsets] for tokens in (source, target)]
    return source, target, lay_out_words(*words, source, target)


def test_one_linked_word_per_pair_is_masked():
    source, target, layout = word_layout([numbered("a", 2), "x"], [numbered("b", 3), "y"])
    links = torch.zeros(2, 2, 3, dtype=torch.bool)
    links[0, 1, 2] = True
    choice = mask_one_word(source.ids, target.ids, layout, links, mask_token=99, seed=0)
    assert choice.pair.tolist() == [0]
    assert (choice.ids == 99).nonzero().tolist() == [[0, 2]]  # begin, a0, a1
    assert choice.labels.tolist() == [[int(target.ids[0, 3])]]
    assert not (source.ids == 99).any()
    states = torch.arange(2 * 4 * 1.0).view(2, 4, 1)
    assert choice.masked(states, torch.zeros(3, 1)).states.tolist() == [[2.0]]


def test_the_choice_of_the_masked_word_follows_the_seed():
    source, target, layout = word_layout([numbered("a", 9)] * 4, [numbered("b", 9)] * 4)
    links = torch.eye(9, dtype=torch.bool).expand(4, 9, 9)
    chosen = [mask_one_word(source.ids, target.ids, layout, links, 99, seed).word.tolist() for seed in (1, 1, 2)]
    assert chosen[0] == chosen[1] != chosen[2]
    none = mask_one_word(source.ids, target.ids, layout, links & False, 99, 0)
    assert none.labels.shape == (0, 1)


@pytest.fixture
def inputs(states):
    generator = torch.Generator().manual_seed(8)
    layout = word_layout(["a b", "c d", "e f"], ["A B", "C D", "E F"])[2]
    pooled = [torch.randn(3, 6, generator=generator, dtype=torch.float64) for _ in range(3)]
    out = torch.randn(6, 9, generator=generator, dtype=torch.float64)

    def decode(memory, decoder_inputs, mask):
        return (memory + decoder_inputs.unsqueeze(2).to(memory.dtype)) @ out

    return LossInputs(
        *states,
        *pooled,
        words=layout,
        decode=decode,
        sentence_targets=decoder_targets([[1, 2], [3], [4, 5, 6]], [[0]] * 3),
        source_targets=decoder_targets([[7], [8, 1], [2]], [[0]] * 3),
        noisy_pooled=torch.randn(3, 6, generator=generator, dtype=torch.float64),
        masked=MaskedWords(states[0][0], torch.tensor([[1], [2], [3], [4]]), out.T),
    )


def test_sonar_loss_is_translation_plus_closeness_plus_denoising(inputs):
    found = SonarLoss(mse=0.3, denoising=0.2)(inputs)
    mt = translation(inputs.source_pooled, inputs.sentence_targets, inputs.decode, "mean").mean()
    dae = translation(inputs.noisy_pooled, inputs.source_targets, inputs.decode, "mean").mean()
    mse = ((inputs.source_pooled - inputs.target_pooled).numpy() ** 2).mean()
    assert found.total.item() == pytest.approx((mt + 0.3 * mse + 0.2 * dae).item())
    assert list(found.terms) == ["mt", "mse", "dae"]


def test_sentence_mse_by_hand():
    source = torch.tensor([[1.0, 2.0], [0.0, 0.0]], dtype=torch.float64, requires_grad=True)
    target = torch.tensor([[1.0, 4.0], [3.0, 0.0]], dtype=torch.float64, requires_grad=True)
    assert sentence_mse(source, target).item() == (4 / 2 + 9 / 2) / 2
    assert sentence_mse(source, target, "sum").item() == (4 + 9) / 2
    assert torch.autograd.gradcheck(sentence_mse, [source, target])


def test_sonar_loss_without_a_decoder_keeps_closeness_only_when_told(inputs):
    bare = LossInputs(*[getattr(inputs, name) for name in list(vars(inputs))[:4]])
    with pytest.raises(DataError, match="loss 'sonar' needs decode, noisy_pooled, sentence_targets, source_targets"):
        SonarLoss()(bare)
    assert list(SonarLoss(translation=0, denoising=0)(bare).terms) == ["mse"]


def test_omnisonar_token_is_so_plus_interpolation(inputs):
    loss = OmniSonarTokenLoss(beta=0.7)
    expected = loss.self_objective(inputs).total + 0.7 * loss.interpolation(inputs).total
    assert loss(inputs).total.item() == pytest.approx(expected.item())
    assert loss.needs == {"words", "teacher"}


def test_wacse_is_the_weighted_sum_of_three(inputs):
    found = WacseLoss(ranking=0.5, prediction=2.0, word_ranking=3.0, temperature=0.1)(inputs)
    tr = translation_ranking(inputs.source_pooled, inputs.target_pooled, 0.1)
    awp = aligned_word_prediction(inputs.masked)
    wtr = word_translation_ranking(inputs.pooled_words("wacse"), 0.1)
    assert found.total.item() == pytest.approx((0.5 * tr + 2 * awp + 3 * wtr).item())
    assert WacseLoss(prediction=0, word_ranking=0).needs == frozenset()


@pytest.mark.parametrize(
    "loss",
    [SelfObjectiveLoss(), WordOTLoss(), SonarLoss(), OmniSonarTokenLoss()],
    ids=lambda loss: loss.name,
)
def test_a_loss_counts_as_its_share_of_a_larger_batch(inputs, loss):
    part = LossInputs(**{**vars(inputs), "size": BatchSize(6, 0, 0)})
    assert loss(part).total.item() == pytest.approx(loss(inputs).total.item() / 2)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        pytest.param(lambda: SelfObjectiveLoss(similarity="l2"), "similarity 'l2'", id="similarity"),
        pytest.param(lambda: SelfObjectiveLoss(temperature=0), "temperature 0", id="so temperature"),
        pytest.param(lambda: WordOTLoss(cost="l1"), "cost 'l1': say one of cosine, euclidean", id="cost"),
        pytest.param(lambda: WordOTLoss(iterations=0), "iterations", id="iterations"),
        pytest.param(lambda: WacseLoss(0, 0, 0), "one above", id="no term"),
        pytest.param(lambda: WacseLoss(temperature=-1), "temperature -1", id="wacse temperature"),
        pytest.param(lambda: SonarLoss(reduction="max"), "reduction 'max'", id="reduction"),
        pytest.param(lambda: SonarLoss(mse=-1), "none below 0", id="negative weight"),
    ],
)
def test_bad_settings(make, message):
    with pytest.raises(DataError, match=message):
        make()
