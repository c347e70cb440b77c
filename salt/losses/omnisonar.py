"""OmniSONAR-Token: the self-objective with interpolation (Omnilingual SONAR Team et al., 2026)."""

from dataclasses import dataclass, field

from salt.losses.inputs import LossInputs, LossTerms, weighted
from salt.losses.interpolation import InterpolationLoss
from salt.losses.self_objective import SelfObjectiveLoss


@dataclass(frozen=True)
class OmniSonarTokenLoss:
    """L = L_SO + β L_INT.

    Attributes:
        beta: weight of the interpolation term.
        self_objective: settings of SO.
        interpolation: settings of INT.
    """

    beta: float = 1.0
    self_objective: SelfObjectiveLoss = field(default_factory=SelfObjectiveLoss)
    interpolation: InterpolationLoss = field(default_factory=InterpolationLoss)

    @property
    def name(self) -> str:
        """As in results tables."""
        return "omnisonar-token"

    @property
    def needs(self) -> frozenset[str]:
        """Words and the teacher's embeddings."""
        return self.self_objective.needs | self.interpolation.needs

    def __call__(self, inputs: LossInputs) -> LossTerms:
        """The loss of a batch."""
        inputs.need(self.name, *sorted(self.needs))
        so, kept = self.self_objective(inputs).total, self.interpolation(inputs).total
        return weighted({"so": (1.0, so), "int": (self.beta, kept)})
