"""BLASER 2.0 QE: a quality score of a translation from the SONAR vectors of both sides (Dale and Costa-jussà, 2024).

    x, y (n, 1024) ──normalise──▶ [x, y, x·y, |y − x|] (n, 4096) ──3072, tanh, 1536, tanh, 1──▶ score (n,)

The weights are published apart (``blaser_2_0_qe``, file ``model.pt``; CC-BY-NC 4.0); nothing is downloaded here.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from alee_mteb.errors import DataError, ModelError
from salt.encoders.base import TokenEncoder
from salt.pairs import ParallelPair

_WEIGHT = re.compile(r"mlp\.(\d+)\.weight")


@dataclass(frozen=True)
class BlaserHead:
    """The multilayer perceptron, as plain tensors.

    Attributes:
        layers: weight (out, in) and bias (out,) of each layer; tanh between layers.
        dimension: d, size of the sentence vectors.
    """

    layers: tuple[tuple[Tensor, Tensor], ...]
    dimension: int

    def __call__(self, source: Tensor, target: Tensor) -> Tensor:
        """Scores of n pairs, shape (n,), from their sentence vectors, each of shape (n, d); 1 is poor, 5 perfect.

        Raises:
            DataError: the vectors are not of the size the head was made for.
        """
        if source.shape != target.shape or source.shape[-1] != self.dimension:
            raise DataError(
                f"BLASER head for vectors of {self.dimension} numbers got {tuple(source.shape)} and "
                f"{tuple(target.shape)}: use the SONAR encoder it was trained with"
            )
        normalise = torch.nn.functional.normalize
        x, y = normalise(source), normalise(target)
        hidden = torch.cat([x, y, x * y, (y - x).abs()], dim=-1)  # (n, 4 d)
        for number, (weight, bias) in enumerate(self.layers):
            if number:
                hidden = torch.tanh(hidden)
            hidden = torch.nn.functional.linear(hidden, weight, bias)
        return hidden.squeeze(-1)


def load_blaser(path: Path) -> BlaserHead:
    """The head from its published checkpoint (``model.pt``) or the same names in a safetensors file.

    Raises:
        ModelError: there are no weights, or they are not those of a BLASER 2.0 QE head.
    """
    if not path.is_file():
        raise ModelError(
            f"{path}: no BLASER weights; fetch model.pt of blaser_2_0_qe and name it, or use a score column of the data"
        )
    state = _state(path)
    numbers = sorted(int(found[1]) for name in state if (found := _WEIGHT.fullmatch(name)))
    expected = {f"mlp.{number}.{part}" for number in numbers for part in ("weight", "bias")}
    if not numbers or set(state) != expected:
        odd = ", ".join(sorted(set(state) ^ expected)[:3]) or "no weights at all"
        raise ModelError(f"{path}: not a BLASER 2.0 head: layers mlp.N.weight and mlp.N.bias expected, but {odd}")
    layers = tuple((state[f"mlp.{number}.weight"].float(), state[f"mlp.{number}.bias"].float()) for number in numbers)
    sizes = [layers[0][0].shape[1], *(weight.shape[0] for weight, _ in layers)]
    fit = all(weight.shape[1] == size for (weight, _), size in zip(layers, sizes, strict=False))
    if not fit or sizes[-1] != 1 or sizes[0] % 4:
        raise ModelError(f"{path}: layers of sizes {sizes} do not make a BLASER 2.0 QE head (4·d inputs to 1 score)")
    if sizes[0] == 6 * 1024:
        raise ModelError(f"{path}: this is the head that needs references (blaser_2_0_ref); use blaser_2_0_qe")
    return BlaserHead(layers, sizes[0] // 4)


def _state(path: Path) -> dict[str, Tensor]:
    try:
        if path.suffix == ".safetensors":
            from safetensors.torch import load_file

            return load_file(path)
        stored: Any = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # noqa: BLE001 - a broken file can fail in many ways, and all mean the same
        raise ModelError(f"{path}: cannot be read as weights ({type(error).__name__}); fetch it again") from None
    stored = stored.get("model", stored) if isinstance(stored, dict) else {}
    if not isinstance(stored, dict) or not all(isinstance(value, Tensor) for value in stored.values()):
        raise ModelError(f"{path}: not a BLASER 2.0 head: a table of weights expected")
    return stored


def score_pairs(
    pairs: Sequence[ParallelPair],
    encoder: TokenEncoder,
    head: BlaserHead,
    *,
    batch_size: int = 32,
    progress: Callable[[int], object] | None = None,
) -> list[ParallelPair]:
    """The pairs with their BLASER scores, in order.

    Args:
        pairs: of any languages.
        encoder: the SONAR text encoder.
        head: see `load_blaser`.
        batch_size: texts encoded together.
        progress: told how many more texts are encoded.

    Raises:
        DataError: the encoder is not of the head's size, or a text is too long for it.
    """
    sides = []
    for side in (0, 1):
        vectors = torch.empty(len(pairs), encoder.dimension)
        texts = [pair.target if side else pair.source for pair in pairs]
        languages = [pair.languages[side] for pair in pairs]
        # Texts of one language and like length together: less padding.
        order = [at for *_, at in sorted((languages[at], len(texts[at]), at) for at in range(len(pairs)))]
        for language, part in _batches(order, languages, batch_size):
            tokens = encoder.tokenize([texts[at] for at in part], language)
            with torch.inference_mode():
                vectors[part] = encoder.pool(encoder.states(tokens)[-1], tokens).float().cpu()
            if progress is not None:
                progress(len(part))
        sides.append(vectors)
    scores = head(*sides).tolist() if pairs else []
    return [replace(pair, score=score) for pair, score in zip(pairs, scores, strict=True)]


def _batches(order: Sequence[int], languages: Sequence[str], size: int) -> list[tuple[str, list[int]]]:
    batches: list[tuple[str, list[int]]] = []
    for at in order:
        if not batches or batches[-1][0] != languages[at] or len(batches[-1][1]) == size:
            batches.append((languages[at], []))
        batches[-1][1].append(at)
    return batches
