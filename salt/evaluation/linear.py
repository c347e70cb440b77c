"""A linear classifier on frozen vectors, trained with early stopping (paper, Appendices C.3 and E.2)."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from salt.evaluation.scores import MacroF1

if TYPE_CHECKING:
    import torch
    from torch import Tensor


@dataclass(frozen=True)
class Recipe:
    """How a head is trained.

    Attributes:
        optimiser: ``adam`` or ``adamw`` (without weight decay).
        rate: learning rate.
        batch: vectors in a batch.
        patience: epochs without a better validation figure after which training stops.
        watch: ``loss`` (cross-entropy) or ``macro-f1``, on the validation part.
        max_epochs: an end even where the figure keeps creeping up.
    """

    optimiser: str
    rate: float
    batch: int
    patience: int
    watch: str
    max_epochs: int = 5000

    def describe(self) -> str:
        """For the signature."""
        return (
            f"{self.optimiser} {self.rate:g}, batch {self.batch}, patience {self.patience} on {self.watch}, "
            f"at most {self.max_epochs} epochs"
        )


#: Appendix C.3.
PROBE = Recipe("adam", 1e-3, 4096, 10, "loss")
#: Appendix E.2: the paper's "10e-3" read as 1e-2.
LANGUAGE_PROBE = Recipe("adamw", 1e-2, 8192, 50, "macro-f1")


@dataclass(frozen=True)
class Head:
    """A trained head: labels = argmax(x · weight + bias).

    Attributes:
        weight: shape (d, labels).
        bias: shape (labels,).
        epochs: how many it took to the best validation figure.
    """

    weight: np.ndarray
    bias: np.ndarray
    epochs: int

    def predict(self, vectors: np.ndarray, block: int = 65536) -> np.ndarray:
        """Label numbers, shape (n,)."""
        parts = [
            (np.asarray(vectors[start : start + block], dtype=np.float32) @ self.weight + self.bias).argmax(axis=1)
            for start in range(0, len(vectors), block)
        ]
        return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)


def train_head(
    vectors: np.ndarray,
    labels: np.ndarray,
    validation: tuple[np.ndarray, np.ndarray],
    n_labels: int,
    recipe: Recipe = PROBE,
    seed: int = 0,
    on_epoch: Callable[[int], None] | None = None,
) -> Head:
    """Train on (vectors, labels), keep the epoch that does best on the validation part.

    Args:
        vectors: shape (n, d), normalised; any float type, may live on disk.
        labels: shape (n,).
        validation: vectors and labels to stop by.
        n_labels: number of labels.
        recipe: optimiser and schedule.
        seed: of initial weights and batch order.
        on_epoch: called with the number of each finished epoch.
    """
    import torch

    torch_seed = torch.Generator().manual_seed(seed)
    linear = _initial(vectors.shape[1], n_labels, torch_seed)
    kind = {"adam": torch.optim.Adam, "adamw": torch.optim.AdamW}[recipe.optimiser]
    optimiser = kind(linear.parameters(), lr=recipe.rate, weight_decay=0.0)
    best, best_figure, waited = _snapshot(linear, 0), -np.inf, 0
    for epoch in range(1, recipe.max_epochs + 1):
        order = torch.randperm(len(vectors), generator=torch_seed).numpy()
        for start in range(0, len(order), recipe.batch):
            # Sorted, so that vectors on disk are read forwards.
            rows = np.sort(order[start : start + recipe.batch])
            logits = linear(torch.from_numpy(np.asarray(vectors[rows], dtype=np.float32)))
            loss = torch.nn.functional.cross_entropy(logits, torch.from_numpy(labels[rows].astype(np.int64)))
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
        figure = _figure(linear, *validation, n_labels, recipe.watch)
        if on_epoch is not None:
            on_epoch(epoch)
        if figure > best_figure:
            best, best_figure, waited = _snapshot(linear, epoch), figure, 0
        else:
            waited += 1
            if waited >= recipe.patience:
                break
    return best


def split_validation(n_items: int, share: float, seed: int) -> np.ndarray:
    """Which of n items are held out for validation, shape (n,), bool; at least one, never all."""
    held = np.zeros(n_items, dtype=bool)
    n_held = min(max(1, round(share * n_items)), n_items - 1)
    held[np.random.default_rng([seed, n_items]).permutation(n_items)[:n_held]] = True
    return held


def macro_f1(gold: np.ndarray, predicted: np.ndarray, n_labels: int) -> float:
    """Macro-F1 over one item."""
    items = np.zeros(len(gold), dtype=np.int64)
    return float(MacroF1.of(gold, predicted, items, 1, n_labels).values(np.ones((1, 1)))[0])


def quick(recipe: Recipe, max_epochs: int) -> Recipe:
    """The same recipe with another limit of epochs."""
    return replace(recipe, max_epochs=max_epochs)


def _initial(d: int, n_labels: int, generator: "torch.Generator") -> "torch.nn.Linear":
    """As ``nn.Linear`` starts, but from our own generator."""
    import torch

    linear = torch.nn.Linear(d, n_labels)
    bound = d**-0.5
    with torch.no_grad():
        for parameter in linear.parameters():
            parameter.copy_((torch.rand(parameter.shape, generator=generator) * 2 - 1) * bound)
    return linear


def _snapshot(linear: "torch.nn.Linear", epoch: int) -> Head:
    return Head(linear.weight.detach().numpy().T.copy(), linear.bias.detach().numpy().copy(), epoch)


def _figure(linear: "torch.nn.Linear", vectors: np.ndarray, labels: np.ndarray, n_labels: int, watch: str) -> float:
    import torch

    with torch.inference_mode():
        parts: list[Tensor] = [
            linear(torch.from_numpy(np.asarray(vectors[start : start + 65536], dtype=np.float32)))
            for start in range(0, len(vectors), 65536)
        ]
        logits = torch.cat(parts)
        if watch == "macro-f1":
            return macro_f1(labels, logits.argmax(dim=1).numpy(), n_labels)
        return -float(torch.nn.functional.cross_entropy(logits, torch.from_numpy(labels.astype(np.int64))))
