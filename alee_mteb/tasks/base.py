"""The mteb task behind every ALEE data set.

    get_task("ALEE-MT61") ──▶ (other data? a class of its own, see `alee_mteb.tasks.data`)
        load_data ──▶ TripletTable
        evaluate, subset by subset ──▶ English vectors once, targets of one language ──▶ scores

A plain `AbsTask` and not `AbsTaskBitextMining`, although the metadata says BitextMining (mteb's list of types is
closed): mteb then evaluates and saves one language at a time, which is what makes an interrupted run resume.
"""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from mteb.abstasks import AbsTask

from alee_mteb import scoring
from alee_mteb.encoding import TextVectors, encode_distinct, model_name, prompt_in_use
from alee_mteb.errors import DataError, LanguageError
from alee_mteb.predictions import write_predictions
from alee_mteb.signature import settings
from alee_mteb.sources import DataRequest, DataSource
from alee_mteb.tasks import data
from alee_mteb.tasks.filters import select_subsets
from alee_mteb.tasks.specs import INSTRUCTION, TaskSpec
from alee_mteb.tasks.statistics import descriptive_statistics, statistics_of, statistics_path
from alee_mteb.triplets import TripletTable

logger = logging.getLogger(__name__)

SPLIT = "test"


class AleeTask(AbsTask):
    """Triplet accuracy on one data set, one mteb subset per target language.

    Class attributes set by subclasses: `metadata`, `spec`, and `request` where the data does not come from where
    the spec says.
    """

    spec: ClassVar[TaskSpec]
    #: Called with the subset key when a language is about to be scored; `alee demo` moves its progress bar with it.
    on_language: Callable[[str], None] | None = None
    request: ClassVar[DataRequest | None] = None
    abstask_prompt = INSTRUCTION

    def __new__(cls, *args: Any, **kwargs: Any) -> "AleeTask":
        """An instance of this class, or of one filed under a name of its own if ``ALEE_DATASET`` names other data."""
        return super().__new__(data.class_for_environment(cls))

    def __init__(self, seed: int = 42, **kwargs: Any) -> None:
        super().__init__(seed=seed, **kwargs)
        self._table: TripletTable | None = None
        self._source: DataSource | None = None
        self._english: tuple[Any, dict[str, Any], TextVectors] | None = None
        self._scored: set[str] = set()

    # Languages

    def filter_languages(
        self,
        languages: Sequence[str] | None,
        script: Sequence[str] | None = None,
        hf_subsets: Sequence[str] | None = None,
        exclusive_language_filter: bool = False,
    ) -> "AleeTask":
        """Keep the subsets of these languages; subset keys such as ``roh_sursilv`` are understood as well.

        Raises:
            LanguageError: an unknown language or script, or a filter that leaves nothing.
        """
        self.hf_subsets = select_subsets(
            self.metadata.name,
            {key: codes[0] for key, codes in self.metadata.hf_subsets_to_langscripts.items()},
            languages,
            script,
            hf_subsets,
        )
        return self

    # Data

    @property
    def table(self) -> TripletTable:
        """The triplets; loaded at first use."""
        if self._table is None:
            self.load_data()
        assert self._table is not None
        return self._table

    def load_data(self, num_proc: int | None = None, *, timer: Any = None, **kwargs: Any) -> None:
        """Read sources and foils; translations are read when their language is evaluated.

        Raises:
            DataError: the data cannot be reached or breaks the format.
        """
        if self.data_loaded:
            return
        self._source, self._table = data.load(self.spec, self.request)
        if self.request is not None and self._source.commit != self.metadata.dataset["revision"]:
            raise DataError(f"{self._source.path}: the data changed after this task was made; run again")
        absent = [key for key in self.hf_subsets if not self._table.has_translations(key)]
        if absent:
            if len(absent) == len(self.hf_subsets):
                raise LanguageError(
                    f"{self.metadata.name}: the data at {self._source.path} has no text for {absent[0]!r}"
                )
            logger.warning(
                "%s: the data at %s lacks %s; left out", self.metadata.name, self._source.path, ", ".join(absent)
            )
            self.hf_subsets = [key for key in self.hf_subsets if key not in absent]
        self.dataset = _SubsetViews(self._table)  # type: ignore[assignment]
        self.data_loaded = True

    def unload_data(self) -> None:
        """Free the table and the cached English vectors."""
        self.dataset, self._table, self._english = None, None, None
        self._scored.clear()
        self.data_loaded = False

    # Scores

    def _evaluate_subset(
        self,
        model: Any,
        data_split: Any,
        *,
        hf_split: str,
        hf_subset: str,
        encode_kwargs: Mapping[str, Any],
        prediction_folder: Path | None = None,
        num_proc: int | None = None,
        timer: Any = None,
        **kwargs: Any,
    ) -> dict[str, Any]:
        """All scores of one language (`alee_mteb.scoring.score`), with the settings they were made under."""
        if self.on_language is not None:
            self.on_language(hf_subset)
        table = self.table
        targets = table.targets(hf_subset)
        options = dict(encode_kwargs)
        if hf_subset in self._scored:
            # The same language again: another evaluation, perhaps of a model trained further in the meantime.
            self._english = None
            self._scored.clear()
        self._scored.add(hf_subset)
        english = self._english_vectors(model, hf_split, options)
        if hf_subset == table.english:
            translations = english
        else:
            translations = encode_distinct(
                model,
                (text for text in targets.texts if text is not None),
                task_metadata=self.metadata,
                hf_split=hf_split,
                hf_subset=hf_subset,
                encode_kwargs=options,
            )
        comparison = scoring.compare(table, targets, english, translations)
        control = scoring.compare(table, targets, english, translations, shift=1)
        scores = scoring.score(table, targets, comparison, control, scoring.overlap_baseline(table, targets))
        regeneration = scoring.regeneration_control(table, targets, comparison, english, translations)
        if regeneration is not None:
            scores["regeneration"] = regeneration
        scores["language"] = targets.language.code
        scores["settings"] = self._settings(model)
        if prediction_folder is not None:
            folder = Path(prediction_folder) / f"{self.metadata.name}_predictions"
            write_predictions(folder, hf_subset, table, comparison, model_name(model), scores["settings"])
        return scores

    def _english_vectors(self, model: Any, hf_split: str, options: dict[str, Any]) -> TextVectors:
        """Sources and foils, encoded once for all languages of a run."""
        if self._english is None or self._english[0] is not model or self._english[1] != options:
            vectors = encode_distinct(
                model,
                self.table.english_texts(),
                task_metadata=self.metadata,
                hf_split=hf_split,
                hf_subset=self.table.english,
                encode_kwargs=options,
            )
            self._english = (model, options, vectors)
        return self._english[2]

    def _settings(self, model: Any) -> dict[str, Any]:
        assert self._source is not None
        return settings(self.metadata.name, self._source.path, self._source.commit, prompt_in_use(model, self.metadata))

    # Statistics

    def calculate_descriptive_statistics(
        self, overwrite_results: bool = False, num_proc: int | None = None
    ) -> dict[str, Any]:
        """Counts and lengths (`alee_mteb.tasks.statistics`), kept in the user's cache folder, not in mteb's own."""
        return descriptive_statistics(self, statistics_path(self.metadata.name), overwrite_results)

    def _calculate_descriptive_statistics_from_split(
        self, split: str, *, hf_subset: str | None = None, compute_overall: bool = False, num_proc: int | None = None
    ) -> Any:
        """The statistics of one language, or of all."""
        return statistics_of(self.table, [hf_subset] if hf_subset else list(self.table.languages))


class _SubsetViews(Mapping[str, Any]):
    """What mteb calls a task's dataset: subset → split → rows, each made when asked for."""

    def __init__(self, table: TripletTable) -> None:
        self.table = table

    def __iter__(self) -> Iterator[str]:
        return iter(self.table.languages)

    def __len__(self) -> int:
        return len(self.table.languages)

    def __contains__(self, key: object) -> bool:
        return key in self.table.languages

    def __getitem__(self, key: str) -> "_SplitViews":
        return _SplitViews(self.table, key)


class _SplitViews(Mapping[str, Any]):
    def __init__(self, table: TripletTable, key: str) -> None:
        self.table, self.key = table, key

    def __iter__(self) -> Iterator[str]:
        return iter((SPLIT,))

    def __len__(self) -> int:
        return 1

    def __getitem__(self, split: str) -> Any:
        from datasets import Dataset

        if split != SPLIT:
            raise DataError(f"{self.table.place}: no split {split!r}; the only one is {SPLIT!r}")
        columns: dict[str, Sequence[str | None]] = {"id": self.table.ids, "source": self.table.sources}
        columns |= {kind.value: texts for kind, texts in self.table.foils.items()}
        columns["target"] = self.table.targets(self.key).texts
        return Dataset.from_dict({name: list(values) for name, values in columns.items()})
