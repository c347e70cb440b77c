"""WordOT: optimal transport between the words of a pair (Alqahtani et al., 2021)."""

from dataclasses import dataclass

import torch
from torch import Tensor

from alee_mteb.errors import DataError, MissingExtraError
from salt.losses.inputs import LossInputs, LossTerms
from salt.losses.words import WordBatch, word_similarity


@dataclass(frozen=True)
class WordOTLoss:
    """WordOT: the cost of moving the source words onto the target words, with entropic regularisation.

    min over plans T with uniform marginals of ⟨T, C⟩ + τ Σ T log T.

    Attributes:
        temperature: τ, weight of the entropy.
        cost: ``cosine`` (1 − cosine) or ``euclidean`` (squared distance).
        objective: ``regularised``: the minimum itself; ``transport``: ⟨T, C⟩ of the minimising plan.
        gradient: ``envelope``: the plan is held fixed (exact for the regularised minimum, by the envelope theorem);
            ``unrolled``: through every iteration.
        iterations: most Sinkhorn iterations.
        tolerance: largest error of the marginals at which they stop.
    """

    temperature: float = 0.05
    cost: str = "cosine"
    objective: str = "regularised"
    gradient: str = "envelope"
    iterations: int = 500
    tolerance: float = 1e-5

    def __post_init__(self) -> None:
        for field, allowed in (
            ("cost", ("cosine", "euclidean")),
            ("objective", ("regularised", "transport")),
            ("gradient", ("envelope", "unrolled")),
        ):
            if getattr(self, field) not in allowed:
                raise DataError(f"WordOT loss: {field} {getattr(self, field)!r}: say one of {', '.join(allowed)}")
        if not (self.temperature > 0 and self.iterations > 0 and self.tolerance > 0):
            raise DataError("WordOT loss: temperature, iterations and tolerance must be above 0")

    @property
    def name(self) -> str:
        """As in results tables."""
        return "wordot"

    @property
    def needs(self) -> frozenset[str]:
        """Words."""
        return frozenset({"words"})

    def __call__(self, inputs: LossInputs) -> LossTerms:
        """The loss of a batch.

        Raises:
            MissingExtraError: POT is not installed.
        """
        total = word_transport(inputs.pooled_words(self.name), self, inputs.means().pairs)
        return LossTerms(total, {self.name: total})


def word_transport(words: WordBatch, settings: WordOTLoss | None = None, pairs: float | None = None) -> Tensor:
    """WordOT of a batch, shape (): the mean over `pairs` (default: b). A pair without words on a side counts as 0."""
    settings = settings or WordOTLoss()
    filled = words.source_mask.any(dim=1) & words.target_mask.any(dim=1)  # (b,)
    cost = _cost(words, settings.cost).masked_fill(~words.both, 0.0)[filled]  # (k, n, m)
    a, b = (_uniform(mask[filled], cost.dtype) for mask in (words.source_mask, words.target_mask))
    count = len(filled) if pairs is None else pairs
    if not len(cost):
        return words.source.sum() * 0.0
    if settings.gradient == "envelope":
        with torch.no_grad():
            plan = _plan(cost, a, b, settings, "detach")
    else:
        plan = _plan(cost, a, b, settings, "autodiff")
    total = (plan * cost).sum()
    if settings.objective == "regularised":
        total = total + settings.temperature * torch.special.xlogy(plan, plan.clamp(min=_tiny(plan))).sum()
    return total / count


def _cost(words: WordBatch, cost: str) -> Tensor:
    if cost == "cosine":
        return 1 - word_similarity(words, "cosine")
    squares = words.source.square().sum(2).unsqueeze(2) + words.target.square().sum(2).unsqueeze(1)
    return squares - 2 * word_similarity(words, "dot")


def _uniform(mask: Tensor, dtype: torch.dtype) -> Tensor:
    return mask.to(dtype) / mask.sum(dim=1, keepdim=True)


def _plan(cost: Tensor, a: Tensor, b: Tensor, settings: WordOTLoss, grad: str) -> Tensor:
    """Sinkhorn's plan for each cost matrix (k, n, m); padding has (all but) no mass."""
    try:
        from ot.batch import solve_batch  # type: ignore[import-untyped, unused-ignore]
    except ImportError:
        raise MissingExtraError("POT", "salt", "the WordOT loss") from None
    result = solve_batch(
        cost,
        reg=settings.temperature,
        # A mass of exactly zero has the logarithm −∞, whose gradient would be NaN.
        a=a.clamp(min=_tiny(a)),
        b=b.clamp(min=_tiny(b)),
        max_iter=settings.iterations,
        tol=settings.tolerance,
        method="log_sinkhorn",
        grad=grad,
    )
    return result.plan


def _tiny(tensor: Tensor) -> float:
    return torch.finfo(tensor.dtype).tiny
