"""An encoder folder as an mteb model: encoded the way it was trained, with its pooling, prompts and language tokens."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from mteb.models.abs_encoder import AbsEncoder
from mteb.types import PromptType
from numpy.typing import NDArray

from alee_mteb.encoders.languages import language_token
from alee_mteb.encoders.model import TextEncoder
from alee_mteb.encoders.tokens import padded
from alee_mteb.errors import LanguageError
from alee_mteb.models.e5_small_q4 import length_sorted_batches

if TYPE_CHECKING:
    from mteb.abstasks.task_metadata import TaskMetadata
    from mteb.models.model_meta import ModelMeta
    from mteb.types import BatchedInput, EncodeKwargs
    from torch.utils.data import DataLoader
    from typing_extensions import Unpack

# Padded tokens in a batch: on a CPU more of them fall out of its cache, on an accelerator fewer leave it idle.
_CPU_TOKEN_BUDGET = 1024
_ACCELERATOR_TOKEN_BUDGET = 16384


class TokenEncoderModel(AbsEncoder):
    """mteb encoder around a `TextEncoder`; `model_prompts` holds what it puts before queries and documents."""

    mteb_model_meta: "ModelMeta"
    model_prompts: dict[str, str]

    def __init__(self, encoder: TextEncoder, meta: "ModelMeta", *, stand_in: str | None = None) -> None:
        """
        Args:
            encoder: network, tokenizer and recipe.
            meta: what mteb files scores under.
            stand_in: language whose token texts get if the encoder has none for theirs.
        """
        self.encoder = encoder
        self.mteb_model_meta = meta
        self.stand_in = stand_in
        uses = (PromptType.query.value, PromptType.document.value)
        prompts = {use: encoder.recipe.prompt(use) for use in uses}
        self.model_prompts = prompts if any(prompts.values()) else {}

    @classmethod
    def load(
        cls, folder: Path, meta: "ModelMeta", *, device: str | None = None, stand_in: str | None = None
    ) -> "TokenEncoderModel":
        """
        Args:
            device: a torch device; by default a GPU if torch sees one.

        Raises:
            ModelError: as `TextEncoder.load`.
        """
        import torch

        chosen = device or ("cuda" if torch.cuda.is_available() else "cpu")
        return cls(TextEncoder.load(folder, device=chosen), meta, stand_in=stand_in)

    def encode(
        self,
        inputs: "DataLoader[BatchedInput]",
        *,
        task_metadata: "TaskMetadata",
        hf_split: str,
        hf_subset: str,
        prompt_type: PromptType | None = None,
        **kwargs: "Unpack[EncodeKwargs]",
    ) -> NDArray[np.float32]:
        """One vector per text, (texts, d), in the order of the inputs.

        Texts beyond the longest that the model takes are cut before their end token. Of the keyword arguments,
        `batch_size` limits the texts of a batch (by default only their tokens are) and `show_progress_bar` is obeyed.

        Raises:
            LanguageError: the model needs a language token, and has none for the subset's language.
        """
        language = self._language(hf_subset, task_metadata) if self.encoder.tokenizer.needs_language else None
        prompt = self.encoder.recipe.prompt(prompt_type.value if prompt_type is not None else None)
        texts = [text for batch in inputs for text in batch["text"]]
        token_ids = [self._cut(ids) for ids in self.encoder.tokenizer.ids(texts, language, prompt)]
        return self._encode_ids(token_ids, kwargs.get("batch_size"), kwargs.get("show_progress_bar", True))

    def _cut(self, ids: list[int]) -> list[int]:
        limit = self.encoder.max_tokens
        return ids if len(ids) <= limit else [*ids[: limit - 1], ids[-1]]

    def _language(self, subset: str, task_metadata: Any) -> str:
        """The code of the subset's language token.

        A subset is a language in ALEE's tasks, a column such as ``sentence_deu_Latn`` in parallel ones, and anything
        in others, which then list their languages.
        """
        known = self.encoder.tokenizer.backend.get_vocab()
        listed = getattr(task_metadata, "hf_subsets_to_langscripts", None) or {}
        names = [subset, subset.removeprefix("sentence_")]
        codes = listed.get(subset) or []
        names += codes if len(codes) == 1 else []
        first: LanguageError | None = None
        for name in dict.fromkeys(names):
            try:
                return language_token(name, known)
            except LanguageError as error:
                first = first or error
        if self.stand_in is not None:
            return self.stand_in
        raise LanguageError(
            f"{self.mteb_model_meta.name}: {first}, or register it with `alee models add --stand-in CODE` to give such "
            "texts another language's token"
        ) from first

    def _encode_ids(
        self, token_ids: Sequence[list[int]], batch_size: int | None, show_progress: bool
    ) -> NDArray[np.float32]:
        import torch
        from tqdm.auto import tqdm

        encoder = self.encoder
        budget = _CPU_TOKEN_BUDGET if encoder.device.type == "cpu" else _ACCELERATOR_TOKEN_BUDGET
        vectors = np.empty((len(token_ids), encoder.output_dimension), dtype=np.float32)
        with (
            torch.inference_mode(),
            tqdm(total=len(token_ids), desc="Encoding", leave=False, disable=not show_progress) as progress,
        ):
            for batch in length_sorted_batches([len(ids) for ids in token_ids], budget, batch_size):
                ids, mask = padded([token_ids[index] for index in batch], encoder.tokenizer.pad_id)
                ids, mask = ids.to(encoder.device), mask.to(encoder.device)
                pooled = encoder.pool(encoder.states(ids, mask)[-1], mask)
                vectors[batch] = encoder.finish(pooled).float().cpu().numpy()
                progress.update(len(batch))
        return vectors
