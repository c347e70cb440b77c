"""What CASE and Itermax cost beside the models, as ratios and rates within one run; no model is needed.

    python benchmarks/salt_spans.py

Parts:
    itermax    vectorised Itermax over sentence pairs of 5 to 60 words against a literal triple loop, equal links
    case       CASE after encoding and parsing: similarities, links, spans and their tokens, pairs a second
"""

import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

DIMENSION = 384


def literal_itermax(matrix: np.ndarray, max_count: int = 2, alpha: float = 0.9) -> np.ndarray:
    """SimAlign's Algorithm 1 as loops over passes, rows and columns."""
    n, m = matrix.shape
    values = matrix.tolist()
    links = np.zeros((n, m), dtype=bool)
    for _ in range(max_count):
        source_taken: list[bool] = np.asarray(links.any(axis=1)).tolist()
        target_taken: list[bool] = np.asarray(links.any(axis=0)).tolist()
        best_of_row, best_of_column = [(0.0, -1)] * n, [(0.0, -1)] * m
        for i in range(n):
            for j in range(m):
                taken = source_taken[i] + target_taken[j]
                value = values[i][j] * (1.0, alpha, 0.0)[taken]
                if value > best_of_row[i][0]:
                    best_of_row[i] = (value, j)
                if value > best_of_column[j][0]:
                    best_of_column[j] = (value, i)
        for i, (_, j) in enumerate(best_of_row):
            if j >= 0 and best_of_column[j][1] == i:
                links[i, j] = True
    return links


def benchmark_itermax(n_pairs: int = 300, seed: int = 0) -> dict[str, Any]:
    """Times of both, the median of three; the vectorised one alone per pair and on padded stacks of 32."""
    from salt.alignment import itermax

    rng = np.random.default_rng(seed)
    sizes = np.sort(rng.integers(5, 61, size=n_pairs))
    matrices = [rng.uniform(0.05, 1, size=(size, max(1, size + rng.integers(-3, 4)))) for size in sizes]
    for matrix in matrices:
        assert np.array_equal(itermax(matrix), literal_itermax(matrix))

    def stacked() -> None:
        for start in range(0, n_pairs, 32):
            part = matrices[start : start + 32]
            batch = np.zeros((len(part), max(p.shape[0] for p in part), max(p.shape[1] for p in part)))
            for row, matrix in enumerate(part):
                batch[row, : matrix.shape[0], : matrix.shape[1]] = matrix
            itermax(batch)

    loops = _seconds(lambda: [literal_itermax(matrix) for matrix in matrices])
    alone = _seconds(lambda: [itermax(matrix) for matrix in matrices])
    batched = _seconds(stacked)
    return {
        "pairs": n_pairs,
        "loop_seconds": loops,
        "times_faster": loops / alone,
        "times_faster_in_stacks": loops / batched,
    }


def benchmark_case(n_pairs: int = 1000, seed: int = 0) -> dict[str, Any]:
    """Pairs a second from word states and constituents to spans with their tokens; the median of three.

    Sentences have 8 to 45 words of one to three tokens, and a good many more constituents than words: a binary tree
    with holes. Words of the target are those of the source with noise, in an order changed in places.
    """
    from salt.alignment import mutual_argmax, similarity
    from salt.encoders.base import Tokens
    from salt.pairs import ParallelPair, Span
    from salt.spans.case import CaseSettings
    from salt.spans.case_extractor import pair_spans, with_tokens

    rng = np.random.default_rng(seed)
    batches = []
    for size in np.sort(rng.integers(8, 46, size=n_pairs // 25)):
        source_states = rng.normal(size=(25, size, DIMENSION)).astype(np.float32)
        order = np.arange(size)
        order[2:5] = order[2:5][::-1]
        noise = rng.normal(size=source_states.shape).astype(np.float32)
        target_states = source_states[:, order] + noise * rng.choice([0.3, 6.0], p=[0.85, 0.15], size=(25, size, 1))
        words, pieces = _words(int(size), rng)
        text = "x" * words[-1].end
        tokens = Tokens(None, None, (pieces,) * 25, (text,) * 25)  # type: ignore[arg-type]
        tree = [Span(words[a].start, words[b - 1].end) for a, b in _tree(0, int(size)) if rng.random() < 0.6]
        batches.append((source_states, target_states.astype(np.float32), words, tokens, tree))
    settings, spans = CaseSettings(), 0

    def run() -> None:
        nonlocal spans
        spans = 0
        for source_states, target_states, words, tokens, tree in batches:
            links = mutual_argmax(similarity(source_states, target_states))
            for row, text in enumerate(tokens.texts):
                pair = ParallelPair("", "eng_Latn", "spa_Latn", text, text)
                found = pair_spans(pair, (words, words), links[row], tree, parsed_is_source=True, settings=settings)
                spans += len(with_tokens(found, tokens, tokens, row))

    seconds = _seconds(run)
    return {"pairs": n_pairs, "spans_per_pair": spans / n_pairs, "pairs_per_second": n_pairs / seconds}


def _words(size: int, rng: np.random.Generator) -> tuple[list[Any], tuple[Any, ...]]:
    """Words of six characters, and their tokens between two special ones."""
    from salt.pairs import Span

    words = [Span(7 * at, 7 * at + 6) for at in range(size)]
    pieces = []
    for word in words:
        cut = 6 // int(rng.integers(1, 4))
        pieces += [Span(start, start + cut) for start in range(word.start, word.end, cut)]
    return words, (None, *pieces, None)


def _tree(start: int, end: int) -> list[tuple[int, int]]:
    middle = (start + end) // 2
    return [(start, end)] + (_tree(start, middle) + _tree(middle, end) if end - start > 1 else [])


def _seconds(work: Callable[[], object], repeats: int = 3) -> float:
    """Of processor time, so that what else the machine does is left out; the median of some repetitions."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return statistics.median(times)


if __name__ == "__main__":
    import sys

    sys.path.insert(0, str(Path(__file__).parents[1]))
    print(json.dumps({"itermax": benchmark_itermax(), "case": benchmark_case()}, indent=1))
