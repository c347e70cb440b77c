"""Exact nearest neighbours by cosine, in blocks, so that memory stays bounded by a block and not by n²."""

from importlib.util import find_spec

import numpy as np

#: Cosines held at once.
_CELLS = 16_000_000


def normalised(vectors: np.ndarray) -> np.ndarray:
    """Rows scaled to length one (float32); rows of zeros stay zeros."""
    vectors = np.asarray(vectors, dtype=np.float32)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(lengths > 0, lengths, 1)


def nearest(
    queries: np.ndarray, base: np.ndarray, k: int, *, exclude_same_row: bool = False, faiss: bool | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """The k rows of `base` with the highest cosine for each query.

    Args:
        queries: shape (q, d).
        base: shape (n, d).
        k: neighbours; fewer where there are not as many.
        exclude_same_row: leave row i out for query i (queries and base are the same words).
        faiss: whether the faiss package searches (exactly, too); where it is installed by default.

    Returns:
        Cosines, highest first, and row numbers, each of shape (q, k).
    """
    queries, base = normalised(queries), normalised(base)
    k = min(k, len(base) - exclude_same_row)
    if faiss if faiss is not None else find_spec("faiss") is not None:
        return _faiss(queries, base, k, exclude_same_row)
    return _blocks(queries, base, k, exclude_same_row)


def _blocks(queries: np.ndarray, base: np.ndarray, k: int, exclude: bool) -> tuple[np.ndarray, np.ndarray]:
    import torch

    rows = max(1, _CELLS // max(1, len(base)))
    transposed = torch.from_numpy(np.ascontiguousarray(base)).T
    cosines = np.empty((len(queries), k), dtype=np.float32)
    positions = np.empty((len(queries), k), dtype=np.int64)
    for start in range(0, len(queries), rows):
        block = torch.from_numpy(np.ascontiguousarray(queries[start : start + rows])) @ transposed  # (r, n)
        if exclude:
            at = torch.arange(len(block))
            block[at, at + start] = -2.0
        best = block.topk(k, dim=1)
        cosines[start : start + rows], positions[start : start + rows] = best.values.numpy(), best.indices.numpy()
    return cosines, positions


def _faiss(queries: np.ndarray, base: np.ndarray, k: int, exclude: bool) -> tuple[np.ndarray, np.ndarray]:
    import faiss

    index = faiss.IndexFlatIP(base.shape[1])
    index.add(np.ascontiguousarray(base))
    cosines, positions = index.search(np.ascontiguousarray(queries), k + exclude)
    if not exclude:
        return cosines, positions
    # The query itself is left out wherever it is; if it is not among the k + 1 (ties), the last one is.
    own = positions == np.arange(len(queries))[:, None]
    own[~own.any(axis=1), -1] = True
    return cosines[~own].reshape(-1, k), positions[~own].reshape(-1, k)
