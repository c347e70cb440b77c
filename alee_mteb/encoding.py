"""Asking an mteb encoder for vectors: every distinct text once, and nothing but good vectors let through."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from alee_mteb.errors import EncoderError
from alee_mteb.tacc import Floats, unit


@dataclass(frozen=True)
class TextVectors:
    """Unit vectors of distinct texts.

    Attributes:
        vectors: shape (n, d).
        index: text → row.
    """

    vectors: Floats
    index: dict[str, int]

    def of(self, texts: Iterable[str]) -> Floats:
        """The vectors of these texts, repeats allowed, shape (len(texts), d)."""
        return self.vectors[[self.index[text] for text in texts]]


def encode_distinct(
    model: Any,
    texts: Iterable[str],
    *,
    task_metadata: Any,
    hf_split: str,
    hf_subset: str,
    encode_kwargs: dict[str, Any],
) -> TextVectors:
    """Encode every distinct text once, all as queries (DESIGN.md §3).

    Raises:
        EncoderError: the encoder did not return one finite, non-zero vector per text; the message names the text.
    """
    from datasets import Dataset
    from mteb.types import PromptType
    from torch.utils.data import DataLoader

    distinct = list(dict.fromkeys(texts))
    batch_size = int(encode_kwargs.get("batch_size", 32))
    # mteb's own loaders are this, plus columns that only retrieval uses.
    loader = DataLoader(Dataset.from_dict({"text": distinct}), batch_size=batch_size)
    raw = model.encode(
        loader,
        task_metadata=task_metadata,
        hf_split=hf_split,
        hf_subset=hf_subset,
        prompt_type=PromptType.query,
        **encode_kwargs,
    )
    where = f"{model_name(model)} on {task_metadata.name}, {hf_subset}"
    vectors = checked_vectors(raw, distinct, where)
    return TextVectors(unit(vectors), {text: row for row, text in enumerate(distinct)})


def checked_vectors(raw: Any, texts: Sequence[str], where: str) -> NDArray[np.float32]:
    """What an encoder returned, as a NumPy array of shape (len(texts), d).

    Raises:
        EncoderError: another shape, a NaN or infinity, or a zero vector.
    """
    if hasattr(raw, "detach"):
        raw = raw.detach().cpu().float().numpy()
    try:
        vectors = np.asarray(raw, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise EncoderError(f"{where}: expected {len(texts)} vectors of one length, {_first_odd(raw, texts)}") from error
    if vectors.ndim != 2 or len(vectors) != len(texts) or not vectors.shape[1]:
        raise EncoderError(
            f"{where}: expected {len(texts)} vectors of one length, got an array of shape {vectors.shape}"
        )
    finite = np.isfinite(vectors).all(axis=1)
    if not finite.all():
        text = texts[int(np.argmin(finite))]
        raise EncoderError(f"{where}: the vector of this text is not finite: {_quote(text)}")
    nonzero = vectors.any(axis=1)
    if not nonzero.all():
        text = texts[int(np.argmin(nonzero))]
        raise EncoderError(f"{where}: the vector of this text is zero: {_quote(text)}")
    return vectors


def model_name(model: Any) -> str:
    """The name in the model's metadata, or its class name."""
    meta = getattr(model, "mteb_model_meta", None)
    return str(getattr(meta, "name", None) or type(model).__name__)


def prompt_in_use(model: Any, task_metadata: Any) -> str | None:
    """The text put before every input for this task, as far as the model's mteb wrapper tells; else ``None``.

    Instruction wrappers format an instruction; others hold prompts by name. A wrapper that decides inside its
    `encode` cannot be asked.
    """
    from mteb.types import PromptType

    if getattr(model, "instruction_template", None) is not None and hasattr(model, "get_task_instruction"):
        return str(model.get_task_instruction(task_metadata, PromptType.query))
    prompts = getattr(model, "model_prompts", None)
    if isinstance(prompts, dict) and hasattr(model, "get_prompt_name"):
        name = model.get_prompt_name(task_metadata, PromptType.query)
        return prompts.get(name, "") if name else ""
    if prompts is None and type(model).__name__ == "SentenceTransformerEncoderWrapper":
        return ""  # this wrapper puts nothing before a text but its prompts
    return None


def _first_odd(raw: Any, texts: Sequence[str]) -> str:
    """Which text's vector is the first that differs in shape from the one before it."""
    try:
        shapes = [np.shape(vector) for vector in raw]
    except (TypeError, ValueError):
        return f"got {type(raw).__name__}"
    odd = next((row for row in range(1, len(shapes)) if shapes[row] != shapes[0]), 0)
    text = texts[odd] if odd < len(texts) else ""
    return f"got shape {shapes[odd]} after {shapes[0]} for this text: {_quote(text)}"


def _quote(text: str, limit: int = 80) -> str:
    return repr(text if len(text) <= limit else text[: limit - 1] + "…")
