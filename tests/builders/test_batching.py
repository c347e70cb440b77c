"""Batches: order, sizes, and one bad item among good ones."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alee_mteb.errors import ModelError
from builders.batching import in_batches


@given(st.lists(st.text(max_size=6), max_size=40), st.integers(1, 50))
def test_answers_come_in_the_order_of_the_items(items: list[str], batch_size: int) -> None:
    answers = in_batches(items, lambda batch: [text.upper() for text in batch], length=len, batch_size=batch_size)
    assert answers == [text.upper() for text in items]


def test_batches_are_sorted_longest_first_and_equals_keep_their_order() -> None:
    seen: list[list[str]] = []
    in_batches(["a", "ccc", "bb", "b", "dd"], lambda b: seen.append(b) or b, length=len, batch_size=2)
    assert seen == [["ccc", "bb"], ["dd", "a"], ["b"]]


def test_only_the_bad_item_fails() -> None:
    calls: list[list[int]] = []

    def halve(batch: list[int]) -> list[str]:
        calls.append(batch)
        return [str(12 // number) for number in batch]

    answers = in_batches(
        [1, 0, 3, 4], halve, length=lambda n: 1, batch_size=3, failed=lambda n, error: f"{n}: {type(error).__name__}"
    )
    assert answers == ["12", "0: ZeroDivisionError", "4", "3"]
    assert calls == [[1, 0, 3], [1], [0], [3], [4]]


def test_too_few_answers_are_a_failure_too() -> None:
    answers = in_batches(["x", "y"], lambda b: b[:1], length=len, batch_size=2, failed=lambda item, error: "failed")
    assert answers == ["x", "y"]  # alone, each has its one answer


def test_a_refusal_is_not_an_item_that_failed() -> None:
    def refuse(batch: list[str]) -> list[str]:
        raise ModelError("no")

    with pytest.raises(ModelError):
        in_batches(["x"], refuse, length=len, batch_size=1, failed=lambda item, error: "failed")


def test_without_a_way_to_fail_the_error_is_raised() -> None:
    with pytest.raises(ZeroDivisionError):
        in_batches([0, 1], lambda b: [1 // n for n in b], length=lambda n: 1, batch_size=2)


def test_progress_is_told_every_item_once() -> None:
    told: list[tuple[str, int] | int] = []

    @contextmanager
    def watch(what: str, total: int) -> Iterator[Callable[[int], object]]:
        told.append((what, total))
        yield told.append

    in_batches(list("abcde"), lambda b: b, length=len, batch_size=2, progress=watch, what="parsing")
    assert told == [("parsing", 5), 2, 2, 1]


def test_a_batch_size_of_zero_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        in_batches(["x"], lambda b: b, length=len, batch_size=0)
