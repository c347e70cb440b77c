"""What is registered with mteb, and where (DESIGN.md §3; read in mteb 2.15 and 2.26).

Tasks go into the table of tasks by name only, not into ``TASK_LIST``: a run without a filter, or filtered by type,
stays as it was. A name that mteb itself has is never replaced.
"""

import logging
import sys
from collections.abc import Iterator, Sequence
from typing import Any

BENCHMARK = "ALEE"


def register() -> None:
    """Make tasks, encoders and the benchmark known to mteb; harmless when repeated.

    Raises:
        AttributeError, ImportError, KeyError, …: mteb is not built as expected; nothing of mteb is changed then,
            except that names registered before the failure stay.
    """
    from mteb.benchmarks import benchmarks, get_benchmark
    from mteb.models.model_implementations import MODEL_REGISTRY

    from alee_mteb.models import MODEL_METAS
    from alee_mteb.tasks.official import TASKS

    for task in TASKS.values():
        add_task(task)
    for meta in MODEL_METAS:
        if meta.name is not None:
            MODEL_REGISTRY.setdefault(meta.name, meta)
    add_registered(MODEL_REGISTRY)
    if BENCHMARK not in {getattr(value, "name", None) for value in vars(benchmarks).values()}:
        setattr(benchmarks, BENCHMARK, _benchmark())
        for name in ("_build_registry", "_build_aliases_registry"):
            # The functions are cached; mteb's attribute `get_benchmark` is a function, its module is in sys.modules.
            getattr(_module("mteb.benchmarks.get_benchmark", get_benchmark), name).cache_clear()


def add_registered(registry: dict[str, Any]) -> None:
    """Make the user's own models known (`alee models add`); names that mteb has are left to mteb."""
    from alee_mteb.models.registry import load_registered, registered_metas

    for meta in registered_metas():
        current = registry.get(str(meta.name))
        if current is None or current.loader is load_registered:
            registry[str(meta.name)] = meta


def add_task(task: Any) -> None:
    """Make one task class known to mteb by its name."""
    import mteb.get_tasks as module

    # `mteb.get_tasks` is a function as an attribute of mteb; the module of that name is in sys.modules.
    registry = _module("mteb.get_tasks", module)._TASKS_REGISTRY
    registry.setdefault(task.metadata.name, task)


def _module(name: str, fallback: Any) -> Any:
    return sys.modules.get(name, fallback)


def _benchmark() -> Any:
    from mteb.benchmarks import Benchmark

    from alee_mteb.tasks.metadata import citation

    return Benchmark(
        name=BENCHMARK,
        tasks=LazyTasks(),
        description=(
            "Any-Language Evaluation of Embeddings: does an encoder place a translation closer to its English source "
            "than to a minimal pair of it? Three parallel data sets, 275+ languages, four kinds of change of meaning."
        ),
        citation=citation(),
    )


def _instances(task: Any) -> list[Any]:
    """The task, ready to run; none if ``ALEE_DATASET`` names data that lacks it (said once, and mteb goes on)."""
    from alee_mteb.errors import AleeError

    try:
        return [task().filter_languages(None)]
    except AleeError as error:
        logging.getLogger(__name__).warning("%s is left out of the benchmark: %s", task.spec.name, error)
        return []


class LazyTasks(Sequence[Any]):
    """The tasks of the benchmark, made when first looked at, so that importing mteb touches no data."""

    def __init__(self) -> None:
        self._tasks: tuple[Any, ...] | None = None

    def _made(self) -> tuple[Any, ...]:
        if self._tasks is None:
            from alee_mteb.datasets import THREE_DATASETS
            from alee_mteb.tasks.official import TASKS

            self._tasks = tuple(task for name in THREE_DATASETS for task in _instances(TASKS[name]))
        return self._tasks

    def __len__(self) -> int:
        return len(self._made())

    def __getitem__(self, index: Any) -> Any:
        return self._made()[index]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._made())
