"""The SALT objective (Eq. 2): span contrastive + α · span translation + β · interpolation."""

from dataclasses import dataclass, field

from torch import Tensor

from alee_mteb.errors import DataError
from salt.losses.contrastive import SpanContrastiveLoss
from salt.losses.inputs import LossInputs, LossTerms, weighted
from salt.losses.interpolation import InterpolationLoss
from salt.losses.translation import SpanTranslationLoss


@dataclass(frozen=True)
class SaltLoss:
    """L_SALT = L_CON + α L_MT + β L_INT (Eq. 2). A term of weight 0 is not computed; Table 6 is made of such weights.

    Attributes:
        con: weight of the contrastive term, 1 in Eq. 2.
        alpha: α, weight of the translation term; 0 where there is no decoder.
        beta: β, weight of the interpolation term.
        contrastive: settings of Eq. 3.
        translation: settings of Eq. 4.
        interpolation: settings of Eq. 5.
    """

    con: float = 1.0
    alpha: float = 1.0
    beta: float = 1.0
    contrastive: SpanContrastiveLoss = field(default_factory=SpanContrastiveLoss)
    translation: SpanTranslationLoss = field(default_factory=SpanTranslationLoss)
    interpolation: InterpolationLoss = field(default_factory=InterpolationLoss)

    def __post_init__(self) -> None:
        weights = (self.con, self.alpha, self.beta)
        if min(weights) < 0 or not any(weights):
            raise DataError(f"SALT loss: weights con, alpha, beta {weights}: none below 0, at least one above")

    @property
    def name(self) -> str:
        """As in results tables."""
        return "salt"

    @property
    def needs(self) -> frozenset[str]:
        """What the terms with a weight need."""
        return frozenset().union(*(loss.needs for weight, loss in self._terms() if weight))

    def _terms(self) -> tuple[tuple[float, SpanContrastiveLoss | SpanTranslationLoss | InterpolationLoss], ...]:
        return ((self.con, self.contrastive), (self.alpha, self.translation), (self.beta, self.interpolation))

    def __call__(self, inputs: LossInputs) -> LossTerms:
        """The loss of a batch."""
        inputs.need(self.name, *sorted(self.needs))
        parts: dict[str, tuple[float, Tensor]] = {}
        for weight, loss in self._terms():
            if weight:
                parts[loss.name] = (weight, loss(inputs).total)
        return weighted(parts)
