"""WACSE (Miao et al., 2024): translation ranking, aligned word prediction, word translation ranking."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from alee_mteb.errors import DataError
from salt.losses.inputs import LossInputs, LossTerms, MaskedWords, weighted
from salt.losses.translation import IGNORED
from salt.losses.words import WordBatch, WordLayout, links_of


@dataclass(frozen=True)
class WacseLoss:
    """L = α L_TR + β L_AWP + γ L_WTR.

    TR ranks the sentences of the batch, WTR the linked words of the batch, each in both directions; AWP predicts,
    from the state of one masked word per pair, the tokens of the word it is linked to, with the token-embedding
    matrix as the output layer (SALT, Appendix C.4). All negatives are of this process's batch, and so are all means:
    `LossInputs.size` is not read.

    Attributes:
        ranking: α.
        prediction: β.
        word_ranking: γ.
        temperature: cosines of TR and WTR are divided by it.
        margin: taken from the cosine of the true translation in TR.
    """

    ranking: float = 1.0
    prediction: float = 1.0
    word_ranking: float = 1.0
    temperature: float = 0.05
    margin: float = 0.0

    def __post_init__(self) -> None:
        weights = (self.ranking, self.prediction, self.word_ranking)
        if min(weights) < 0 or not any(weights):
            raise DataError(f"WACSE loss: weights ranking, prediction, word_ranking {weights}: none below 0, one above")
        if not self.temperature > 0:
            raise DataError(f"WACSE loss: temperature {self.temperature}: must be above 0")

    @property
    def name(self) -> str:
        """As in results tables."""
        return "wacse"

    @property
    def needs(self) -> frozenset[str]:
        """Words for WTR, masked words for AWP."""
        needed = {"words"} if self.word_ranking else set()
        return frozenset(needed | ({"masked"} if self.prediction else set()))

    def __call__(self, inputs: LossInputs) -> LossTerms:
        """The loss of a batch."""
        inputs.need(self.name, *sorted(self.needs))
        parts: dict[str, tuple[float, Tensor]] = {}
        if self.ranking:
            ranked = translation_ranking(inputs.source_pooled, inputs.target_pooled, self.temperature, self.margin)
            parts["tr"] = self.ranking, ranked
        if self.prediction:
            assert inputs.masked is not None
            parts["awp"] = self.prediction, aligned_word_prediction(inputs.masked)
        if self.word_ranking:
            words = inputs.pooled_words(self.name)
            parts["wtr"] = self.word_ranking, word_translation_ranking(words, self.temperature)
        return weighted(parts)


def translation_ranking(source: Tensor, target: Tensor, temperature: float, margin: float = 0.0) -> Tensor:
    """L_TR, shape (): row i of (b, d) among all rows of the other side, both directions, averaged over rows."""
    return _ranking(source, target, torch.eye(len(source), dtype=torch.bool, device=source.device), temperature, margin)


def word_translation_ranking(words: WordBatch, temperature: float) -> Tensor:
    """L_WTR, shape (): every linked word against the linked words of the batch, both directions.

    A word with several links is not a negative of itself.
    """
    pair, left, right = links_of(words).nonzero(as_tuple=True)  # (l,) each
    n, m = words.source.shape[1], words.target.shape[1]
    source = words.source.flatten(0, 1).index_select(0, pair * n + left)  # (l, d)
    target = words.target.flatten(0, 1).index_select(0, pair * m + right)
    if not len(pair):
        return (source.sum() + target.sum()) * 0.0
    at_left, at_right = pair * n + left, pair * m + right
    same = (at_left.unsqueeze(0) == at_left.unsqueeze(1)) | (at_right.unsqueeze(0) == at_right.unsqueeze(1))
    return _ranking(source, target, same, temperature)


def _ranking(source: Tensor, target: Tensor, same: Tensor, temperature: float, margin: float = 0.0) -> Tensor:
    """Cross-entropy of the diagonal in both directions, summed, mean over rows; `same` are no negatives."""
    normalise = torch.nn.functional.normalize
    cosines = normalise(source) @ normalise(target).T  # (l, l)
    diagonal = torch.eye(len(cosines), dtype=torch.bool, device=cosines.device)
    logits = (cosines - margin * diagonal.to(cosines.dtype)) / temperature
    logits = logits.masked_fill(same & ~diagonal, -torch.inf)
    return (logits.logsumexp(1) + logits.logsumexp(0) - 2 * logits.diagonal()).mean()


def aligned_word_prediction(masked: MaskedWords) -> Tensor:
    """L_AWP, shape (): cross-entropy of the tokens of each masked word's translation, mean over tokens, then words."""
    if not len(masked.states):
        return masked.states.sum()
    logits = masked.states @ masked.head.T  # (n, vocabulary)
    log_probabilities = torch.log_softmax(logits.to(torch.promote_types(logits.dtype, torch.float32)), dim=1)
    wanted = masked.labels != IGNORED  # (n, k)
    picked = log_probabilities.gather(1, masked.labels.masked_fill(~wanted, 0)).masked_fill(~wanted, 0.0)
    return -(picked.sum(dim=1) / wanted.sum(dim=1)).mean()


@dataclass(frozen=True)
class MaskChoice:
    """One masked word per pair, for pairs that have a link.

    Attributes:
        ids: source token ids with the chosen words masked, shape (b, t).
        pair: pairs with a masked word, shape (n,).
        word: position of the masked word in the flattened (b, t) states of its first token, shape (n,).
        labels: tokens of the linked target word, padded with -100, shape (n, k).
    """

    ids: Tensor
    pair: Tensor
    word: Tensor
    labels: Tensor

    def masked(self, states: Tensor, head: Tensor) -> MaskedWords:
        """What the loss reads, from the states (b, t, d) of `ids` and the token-embedding matrix."""
        return MaskedWords(states.flatten(0, 1).index_select(0, self.word), self.labels, head)


def mask_one_word(
    source_ids: Tensor, target_ids: Tensor, layout: WordLayout, links: Tensor, mask_token: int, seed: int | str
) -> MaskChoice:
    """Choose one linked source word per pair and mask all its tokens.

    Args:
        source_ids: shape (b, t).
        target_ids: shape (b, u).
        layout: the words.
        links: shape (b, n, m) (`salt.losses.words.links_of`).
        mask_token: id of the mask token.
        seed: decides the choice, pair by pair.
    """
    import random

    chance = random.Random(seed)
    ids = source_ids.clone()
    pairs: list[int] = []
    firsts: list[int] = []
    labels: list[Sequence[int]] = []
    members = _members(layout.source.row, layout.source.slot, layout.source.owner, layout.source.token)
    target_members = _members(layout.target.row, layout.target.slot, layout.target.owner, layout.target.token)
    flat, flat_target = ids.view(-1), target_ids.reshape(-1)
    for pair, of_pair in enumerate(links.cpu()):
        choices = of_pair.nonzero().tolist()
        if not choices:
            continue
        source_word, target_word = chance.choice(choices)
        tokens = members[pair, source_word]
        flat[torch.tensor(tokens, device=ids.device)] = mask_token
        pairs.append(pair)
        firsts.append(tokens[0])
        labels.append([int(flat_target[at]) for at in target_members[pair, target_word]])
    width = max(map(len, labels), default=1)
    padded = torch.tensor([[*row, *[IGNORED] * (width - len(row))] for row in labels], dtype=torch.long)
    device = ids.device
    return MaskChoice(
        ids,
        torch.tensor(pairs, dtype=torch.long, device=device),
        torch.tensor(firsts, dtype=torch.long, device=device),
        padded.reshape(-1, width).to(device),
    )


def _members(row: Tensor, slot: Tensor, owner: Tensor, token: Tensor) -> dict[tuple[int, int], list[int]]:
    keys = list(zip(row.tolist(), slot.tolist(), strict=True))
    members: dict[tuple[int, int], list[int]] = {key: [] for key in keys}
    for piece, position in zip(owner.tolist(), token.tolist(), strict=True):
        members[keys[piece]].append(position)
    return members
