"""Interpolation loss, L_INT (SALT, Eq. 5)."""

from dataclasses import dataclass

from torch import Tensor

from alee_mteb.errors import DataError
from salt.losses.inputs import LossInputs, LossTerms


@dataclass(frozen=True)
class InterpolationLoss:
    """L_INT (Eq. 5): keep the average of the two sentence embeddings where the frozen encoder had it.

    Attributes:
        reduction: squared differences are averaged (``mean``) or summed (``sum``) over the d dimensions. Summed, the
            term weighs d times as much; it then keeps retrieval from getting worse (DESIGN.md §5).
    """

    reduction: str = "mean"

    def __post_init__(self) -> None:
        if self.reduction not in ("mean", "sum"):
            raise DataError(f"interpolation loss: reduction {self.reduction!r}: say 'mean' or 'sum'")

    @property
    def name(self) -> str:
        """As in results tables."""
        return "int"

    @property
    def needs(self) -> frozenset[str]:
        """The teacher's embeddings."""
        return frozenset({"teacher"})

    def __call__(self, inputs: LossInputs) -> LossTerms:
        """The loss of a batch."""
        inputs.need(self.name, "teacher")
        assert inputs.teacher is not None
        pairs = inputs.means().pairs
        total = interpolation(inputs.source_pooled, inputs.target_pooled, inputs.teacher, self.reduction, pairs)
        return LossTerms(total, {self.name: total})


def teacher_average(source: Tensor, target: Tensor) -> Tensor:
    """z_xy: the average of the frozen encoder's source and target embeddings, without gradient, shape (b, d)."""
    return ((source + target) / 2).detach()


def interpolation(
    source: Tensor, target: Tensor, teacher: Tensor, reduction: str = "mean", pairs: float | None = None
) -> Tensor:
    """L_INT (Eq. 5), shape (), from sentence embeddings and the teacher's average, each of shape (b, d).

    The mean over the batch divides by `pairs` (default: b).
    """
    squares = (teacher - (source + target) / 2).square()  # (b, d)
    per_pair = squares.mean(dim=1) if reduction == "mean" else squares.sum(dim=1)  # (b,)
    return per_pair.sum() / (len(per_pair) if pairs is None else pairs)
