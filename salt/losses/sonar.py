"""SONAR's own objective (Duquenne et al., 2023): translation, closeness of the two sentences, denoising."""

from dataclasses import dataclass

from torch import Tensor

from alee_mteb.errors import DataError
from salt.losses.inputs import DecoderTargets, LossInputs, LossTerms, weighted
from salt.losses.translation import translation


@dataclass(frozen=True)
class SonarLoss:
    """L = L_MT + α L_MSE + β L_DAE, on whole sentences.

    MT: the decoder says the target sentence given the pooled source; MSE: the two sentence embeddings; DAE: the
    decoder says the source sentence given the embedding of its noised text.

    Attributes:
        translation: weight of MT, 1 in the paper; 0 where there is no decoder.
        mse: α.
        denoising: β; 0 switches it off.
        token_reduction: ``mean`` or ``sum`` of a sentence's token cross-entropies.
        reduction: ``mean`` or ``sum`` of squared differences over the dimensions.
    """

    translation: float = 1.0
    mse: float = 0.1
    denoising: float = 0.01
    token_reduction: str = "mean"
    reduction: str = "mean"

    def __post_init__(self) -> None:
        for name in ("token_reduction", "reduction"):
            if getattr(self, name) not in ("mean", "sum"):
                raise DataError(f"SONAR loss: {name} {getattr(self, name)!r}: say 'mean' or 'sum'")
        weights = (self.translation, self.mse, self.denoising)
        if min(weights) < 0 or not any(weights):
            raise DataError(f"SONAR loss: weights translation, mse, denoising {weights}: none below 0, one above")

    @property
    def name(self) -> str:
        """As in results tables."""
        return "sonar"

    @property
    def needs(self) -> frozenset[str]:
        """A decoder and whole sentences to decode, unless those terms are switched off."""
        needed: set[str] = set()
        if self.translation:
            needed |= {"decode", "sentence_targets"}
        if self.denoising:
            needed |= {"decode", "source_targets", "noisy_pooled"}
        return frozenset(needed)

    def __call__(self, inputs: LossInputs) -> LossTerms:
        """The loss of a batch."""
        inputs.need(self.name, *sorted(self.needs))
        pairs = inputs.means().pairs
        parts: dict[str, tuple[float, Tensor]] = {}
        if self.translation:
            parts["mt"] = self.translation, self._said(inputs, inputs.source_pooled, inputs.sentence_targets) / pairs
        if self.mse:
            parts["mse"] = self.mse, sentence_mse(inputs.source_pooled, inputs.target_pooled, self.reduction, pairs)
        if self.denoising:
            assert inputs.noisy_pooled is not None
            parts["dae"] = self.denoising, self._said(inputs, inputs.noisy_pooled, inputs.source_targets) / pairs
        return weighted(parts)

    def _said(self, inputs: LossInputs, vectors: Tensor, targets: DecoderTargets | None) -> Tensor:
        assert inputs.decode is not None
        assert targets is not None
        return translation(vectors, targets, inputs.decode, self.token_reduction).sum()


def sentence_mse(source: Tensor, target: Tensor, reduction: str = "mean", pairs: float | None = None) -> Tensor:
    """L_MSE: squared difference of the sentence embeddings (b, d) of a pair, averaged over pairs; shape ()."""
    squares = (source - target).square()  # (b, d)
    per_pair = squares.mean(dim=1) if reduction == "mean" else squares.sum(dim=1)
    return per_pair.sum() / (len(per_pair) if pairs is None else pairs)
