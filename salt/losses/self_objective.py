"""Self-training objective, SO (awesome-align: Dou and Neubig, 2021), as in OmniSONAR-Token."""

from dataclasses import dataclass

import torch
from torch import Tensor

from alee_mteb.errors import DataError
from salt.losses.inputs import LossInputs, LossTerms
from salt.losses.words import WordBatch, links_of, word_similarity


@dataclass(frozen=True)
class SelfObjectiveLoss:
    """SO: make linked words more probable as each other's translation, links being the model's own.

    L = −Σ_ij A_ij ½ (P^xy_ij / n + P^yx_ij / m), with P the softmax over target words, or source words, of τ · s_ij.

    Attributes:
        temperature: τ; it multiplies the similarities (500 in SALT, Appendix C.4).
        similarity: ``dot`` or ``cosine``.
        logarithm: logarithms of the probabilities, in place of the probabilities awesome-align uses.
    """

    temperature: float = 500.0
    similarity: str = "dot"
    logarithm: bool = False

    def __post_init__(self) -> None:
        if self.similarity not in ("dot", "cosine"):
            raise DataError(f"SO loss: similarity {self.similarity!r}: say 'dot' or 'cosine'")
        if not self.temperature > 0:
            raise DataError(f"SO loss: temperature {self.temperature}: must be above 0")

    @property
    def name(self) -> str:
        """As in results tables."""
        return "so"

    @property
    def needs(self) -> frozenset[str]:
        """Words."""
        return frozenset({"words"})

    def __call__(self, inputs: LossInputs) -> LossTerms:
        """The loss of a batch."""
        total = self_objective(inputs.pooled_words(self.name), self, inputs.means().pairs)
        return LossTerms(total, {self.name: total})


def self_objective(words: WordBatch, settings: SelfObjectiveLoss | None = None, pairs: float | None = None) -> Tensor:
    """SO of a batch, shape (): the mean over `pairs` (default: b)."""
    settings = settings or SelfObjectiveLoss()
    both = words.both  # (b, n, m)
    logits = settings.temperature * word_similarity(words, settings.similarity)
    # Padding gets a very low finite logit: a row of padding alone would be NaN with −∞.
    logits = logits.masked_fill(~both, torch.finfo(logits.dtype).min)
    spread = torch.log_softmax if settings.logarithm else torch.softmax
    links = links_of(words)
    forward = spread(logits, dim=2).masked_fill(~links, 0.0).sum(dim=(1, 2))  # (b,)
    backward = spread(logits, dim=1).masked_fill(~links, 0.0).sum(dim=(1, 2))
    n = words.source_mask.sum(dim=1).clamp(min=1)
    m = words.target_mask.sum(dim=1).clamp(min=1)
    return -(0.5 * (forward / n + backward / m)).sum() / (len(n) if pairs is None else pairs)
