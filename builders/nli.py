"""Does a foil still mean what its source means? The NLI filter (paper §3.3).

A foil is rejected if (i) both directions are predicted entailment, or (ii) P(entailment) exceeds 0.8 in either. Both
are decided on probabilities rounded to four digits, the ones that are stored, so a reader of the provenance table can
redo every decision.

A model's probabilities change in the seventh or eighth digit with what else is in the batch. Rounding alone would
only move the trouble to the rounding edges; so a pair with a probability within `GUARD` of such an edge is computed
again, alone. The value that counts is then always the one of the pair alone, at any batch size:

    |batched − alone| < GUARD  and  batched farther than GUARD from every edge  ⟹  both round to the same
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from alee_mteb.errors import MissingExtraError, ModelError
from alee_mteb.triplets import same_text
from builders.batching import Progress, in_batches
from builders.model_folders import choose_device, model_folder, refuse_unloaded
from builders.stages import Status, Verdict

#: The robustified model of Steen et al. (2023), the one of the paper.
DEFAULT_MODEL = "juliussteen/DeBERTa-v3-FaithAug"
#: Rule (ii) rejects above this.
THRESHOLD = 0.8
DIGITS = 4
#: Farther than any two batches make a probability differ in single precision.
GUARD = 2e-6
#: Names of the labels, in order, that are understood.
LABELS = (("entailment", "neutral", "contradiction"), ("entailment", "not_entailment"))
#: DeBERTa was trained on 512 tokens; longer pairs are clipped, the longer text first.
MAX_TOKENS = 512

#: Probabilities of the labels of one direction, entailment first.
Probabilities = Sequence[float]


def verdict(forward: Probabilities, backward: Probabilities) -> Verdict:
    """The decision on one pair from the label probabilities of both directions, entailment first in each.

    Probabilities are rounded to four digits first. Entailment is predicted where no other label is more probable, so
    a tie counts as entailment and the foil is rejected. Rule (i) is looked at before rule (ii).
    """
    ahead, back = [round(p, DIGITS) for p in forward], [round(p, DIGITS) for p in backward]
    if _predicts_entailment(ahead) and _predicts_entailment(back):
        status = Status.REJECTED_BIDIRECTIONAL
    elif max(ahead[0], back[0]) > THRESHOLD:
        status = Status.REJECTED_ENTAILMENT
    else:
        status = Status.SUCCESS
    return Verdict(status, ahead[0], back[0])


def _predicts_entailment(probabilities: Probabilities) -> bool:
    return probabilities[0] >= max(probabilities[1:])


def near_edge(probability: float) -> bool:
    """Whether another batch could round this probability to another fourth digit."""
    steps = probability * 10**DIGITS
    return abs(steps - int(steps) - 0.5) <= GUARD * 10**DIGITS


def check_labels(id2label: dict[int, str], place: str) -> None:
    """Refuse a model whose labels are not those of an entailment model with entailment first.

    Raises:
        ModelError: naming the labels found.
    """
    found = [str(id2label[key]) for key in sorted(id2label)]
    plain = tuple(name.strip().lower().replace("-", "_").replace(" ", "_") for name in found)
    if plain not in LABELS:
        expected = " or ".join(", ".join(names) for names in LABELS)
        raise ModelError(f"the NLI model {place} has the labels {', '.join(found)}; needed, in this order: {expected}")


class NliValidator:
    """The entailment filter on a Transformers sequence classifier, loaded once."""

    def __init__(
        self,
        model: str | Path = DEFAULT_MODEL,
        *,
        batch_size: int = 32,
        device: str | None = None,
        revision: str | None = None,
        progress: Progress | None = None,
    ) -> None:
        """Load the model at full precision.

        Args:
            model: a local folder or a Hub repository.
            batch_size: pairs at a time; each goes through the model in both directions.
            device: ``cpu``, ``cuda:1``, …; by default the first GPU, else the CPU.

        Raises:
            ModelError: the model is not there, incomplete, or has other labels.
        """
        _need_transformers()
        self._device = choose_device(device)
        place = model_folder(model, "the NLI model", revision=revision)
        self._model, self._tokenizer = _load(place.path, str(model))
        self._model.to(self._device)
        self._batch_size = batch_size
        self._progress = progress
        positions = getattr(self._model.config, "max_position_embeddings", None) or MAX_TOKENS
        self._max_tokens = min(self._tokenizer.model_max_length, positions, MAX_TOKENS)
        self.name = place.name

    def validate(self, pairs: Sequence[tuple[str, str]]) -> list[Verdict]:
        """One `Verdict` per (source, foil), in order; a foil that changes nothing is not put to the model."""
        asked = [pair for pair in pairs if not same_text(*pair)]
        found = iter(
            in_batches(
                asked,
                self._validate_batch,
                length=lambda pair: len(pair[0]) + len(pair[1]),
                batch_size=self._batch_size,
                progress=self._progress,
                what="validating",
            )
        )
        return [Verdict(Status.NO_CHANGE) if same_text(*pair) else next(found) for pair in pairs]

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> list[list[float]]:
        """Label probabilities of each (premise, hypothesis), entailment first, good for four digits at any batch size.

        Shape (pairs, labels). All pairs go through the model together.
        """
        together = self._softmax(pairs)
        if len(pairs) == 1:
            return together
        return [
            self._softmax([pair])[0] if any(map(near_edge, probabilities)) else probabilities
            for pair, probabilities in zip(pairs, together, strict=True)
        ]

    def _validate_batch(self, batch: list[tuple[str, str]]) -> list[Verdict]:
        turned = [(foil, source) for source, foil in batch]
        found = self.probabilities([*batch, *turned])
        return [verdict(ahead, back) for ahead, back in zip(found[: len(batch)], found[len(batch) :], strict=True)]

    def _softmax(self, pairs: Sequence[tuple[str, str]]) -> list[list[float]]:
        import torch

        premises, hypotheses = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
        encoded = self._tokenizer(
            premises, hypotheses, padding=True, truncation=True, max_length=self._max_tokens, return_tensors="pt"
        ).to(self._device)
        with torch.inference_mode():
            logits = self._model(**encoded).logits  # (pairs, labels)
        if not bool(torch.isfinite(logits).all()):
            raise ModelError(f"the NLI model {self.name} returned a number that is not finite")
        found: list[list[float]] = logits.double().softmax(dim=-1).tolist()
        return found


def _need_transformers() -> None:
    import importlib.util

    for module in ("torch", "transformers"):
        if importlib.util.find_spec(module) is None:
            raise MissingExtraError(module, "builders", "the NLI model")


def _load(folder: Path, place: str) -> tuple[Any, Any]:
    import torch
    from transformers import AutoConfig, AutoModelForSequenceClassification, AutoTokenizer

    try:
        check_labels(AutoConfig.from_pretrained(folder, local_files_only=True).id2label, place)
        model, problems = AutoModelForSequenceClassification.from_pretrained(
            folder, local_files_only=True, dtype=torch.float32, weights_only=True, output_loading_info=True
        )
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    except ImportError as error:  # the tokenizer of DeBERTa-v3 may have to be converted
        raise MissingExtraError("sentencepiece", "builders", f"the tokenizer of {place}") from error
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        first = (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
        raise ModelError(f"the NLI model {place}: {folder}: cannot be loaded ({first})") from error
    refuse_unloaded(problems, folder, "the NLI model")
    return model.eval(), tokenizer
