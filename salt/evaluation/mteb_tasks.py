"""XNLI, STS17 and MassiveIntent in English, by mteb itself (paper, Table 3)."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from mteb.models.abs_encoder import AbsEncoder

from alee_mteb.errors import DataError
from salt.evaluation.scores import Score
from salt.evaluation.states import StateStore

if TYPE_CHECKING:
    from mteb.abstasks.abstask import AbsTask

ENGLISH = "eng_Latn"
#: Task → the subset that is English on both sides.
TASKS = {"XNLI": "en", "STS17": "en-en", "MassiveIntentClassification": "en"}


class StoredEncoder(AbsEncoder):
    """Sentence embeddings out of a state store, as mteb wants them; a sentence other tasks had is not encoded again."""

    def __init__(self, store: StateStore, name: str) -> None:
        from mteb.models.model_meta import ModelMeta, ScoringFunction

        self.store = store
        model_name = (
            name if name.count("/") == 1 and not name.startswith("/") else f"local/{name.rstrip('/').split('/')[-1]}"
        )
        self.mteb_model_meta = ModelMeta.create_empty(
            overwrites={"name": model_name, "revision": store.revision, "similarity_fn_name": ScoringFunction.COSINE}
        )

    def encode(self, inputs: Any, **_: Any) -> np.ndarray:
        """Embeddings of English sentences, (n, d)."""
        texts = [text for batch in inputs for text in batch["text"]]
        return np.stack([encoded.vector for encoded in self.store.get(texts, ENGLISH, layers=())])


def english_task(name: str) -> "AbsTask":
    """The task with its English test split.

    Raises:
        DataError: not one of `TASKS`.
    """
    import mteb

    if name not in TASKS:
        raise DataError(f"mteb task {name!r}: choose some of {', '.join(TASKS)}")
    return mteb.get_task(name, hf_subsets=[TASKS[name]], eval_splits=["test"])


def evaluate_mteb(
    store: StateStore, names: Sequence[str] = tuple(TASKS), task_of: Callable[[str], "AbsTask"] = english_task
) -> list[Score]:
    """The main score of each task as mteb reports it.

    Raises:
        DataError: the data cannot be loaded.
    """
    import mteb

    scores = []
    stored: Any = StoredEncoder(store, store.encoder.name)
    for name in names:
        task = task_of(name)
        try:
            result = mteb.evaluate(stored, task, cache=None, show_progress_bar=False, overwrite_strategy="always")
        except Exception as error:  # noqa: BLE001 - what mteb and the Hub raise is theirs; the user needs one line
            reason = " ".join(str(error).split())[:200]
            raise DataError(f"mteb task {name}: {reason or type(error).__name__}") from None
        found = result.task_results[0]
        values = [entry["main_score"] for entries in found.scores.values() for entry in entries]
        scores.append(
            Score(
                task="mteb",
                data=name,
                language=ENGLISH,
                metric=name,
                value=float(np.mean(values)),
                n=0,
                better="higher",
                notes={"main_score": str(task.metadata.main_score), "mteb": str(found.mteb_version)},
            )
        )
    return scores
