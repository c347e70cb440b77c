"""Batches for models: items of like length together, one bad item never stops the others.

items ──sort by length──▶ batches ──▶ run ──▶ answers back in the order of the items
                                      │ raises
                                      └──▶ the items of that batch one by one
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol, TypeVar

from alee_mteb.errors import AleeError

Item = TypeVar("Item")
Answer = TypeVar("Answer")


class Progress(Protocol):
    """Opens a bar for `total` items; the function it hands out is told how many more are done."""

    def __call__(self, what: str, total: int) -> AbstractContextManager[Callable[[int], object]]:
        """A context whose value advances the bar."""
        ...


@contextmanager
def silent(what: str, total: int) -> Iterator[Callable[[int], object]]:
    """The progress that shows nothing."""
    yield lambda done: None


@contextmanager
def terminal_bar(what: str, total: int) -> Iterator[Callable[[int], object]]:
    """A bar on standard error, only where that is a terminal; gone when it is full."""
    from tqdm import tqdm

    with tqdm(total=total, desc=what, leave=False, disable=None, dynamic_ncols=True) as bar:
        yield bar.update


def in_batches(
    items: Sequence[Item],
    run: Callable[[list[Item]], Sequence[Answer]],
    *,
    length: Callable[[Item], int],
    batch_size: int,
    failed: Callable[[Item, Exception], Answer] | None = None,
    progress: Progress | None = None,
    what: str = "",
) -> list[Answer]:
    """The answers of `run`, in the order of the items.

    Batches hold items of like length, so that little is padded, longest first, so that too large a batch shows at
    once; items of equal length keep their order.

    Args:
        run: one answer per item of a batch, in order.
        failed: what to answer for an item on which `run` raises even when it is alone; without it, that is raised.
        progress: told how the batches go on; nothing is shown by default.

    Raises:
        AleeError: `run` refuses to work at all.
        ValueError: the batch size is not positive.
    """
    if batch_size < 1:
        raise ValueError(f"the batch size must be at least 1, not {batch_size}")
    order = sorted(range(len(items)), key=lambda index: -length(items[index]))
    answers: dict[int, Answer] = {}
    with (progress or silent)(what, len(items)) as advance:
        for start in range(0, len(order), batch_size):
            batch = order[start : start + batch_size]
            answers.update(zip(batch, _answer([items[index] for index in batch], run, failed), strict=True))
            advance(len(batch))
    return [answers[index] for index in range(len(items))]


def _answer(
    batch: list[Item],
    run: Callable[[list[Item]], Sequence[Answer]],
    failed: Callable[[Item, Exception], Answer] | None,
) -> list[Answer]:
    try:
        answers = list(run(batch))
        if len(answers) != len(batch):
            raise RuntimeError(f"{len(answers)} answers for {len(batch)} items")
        return answers
    except AleeError:
        raise
    except Exception as error:
        if len(batch) > 1:
            return [answer for item in batch for answer in _answer([item], run, failed)]
        if failed is None:
            raise
        return [failed(batch[0], error)]


def say(error: Exception) -> str:
    """An exception as part of one line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:300]
