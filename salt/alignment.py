"""Word alignment from similarities: mutual argmax and Itermax (Jalili Sabet et al., 2020), on stacks of matrices.

    states (n, d), (m, d) ──similarity──▶ (n, m) in [0, 1] ──mutual_argmax or itermax──▶ links (n, m), bool

Everything works on the last two axes, so that a batch of sentence pairs, padded with zeros, is one call. Zero is no
similarity at all: a cell that holds it is never linked, which keeps padding (and exactly opposite states) out.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating]
Links = NDArray[np.bool_]

#: What a similarity is multiplied with in Itermax's extra pass where one of the two words has a link already.
ALPHA = 0.9


def middle_layer(n_layers: int) -> int:
    """7 of 12, or as far up: words are aligned best there, not in the last layer (DESIGN.md §5)."""
    return max(1, round(n_layers * 7 / 12))


def similarity(source: Floats, target: Floats) -> Floats:
    """(cos + 1) / 2 of every source word with every target word.

    Args:
        source: word states, shape (…, n, d).
        target: word states, shape (…, m, d).

    Returns:
        Shape (…, n, m), between 0 and 1. An all-zero state (padding) has similarity 0 with everything.
    """
    source_norms = np.linalg.norm(source, axis=-1, keepdims=True)  # (…, n, 1)
    target_norms = np.linalg.norm(target, axis=-1, keepdims=True)  # (…, m, 1)
    source = source / np.where(source_norms > 0, source_norms, 1)
    target = target / np.where(target_norms > 0, target_norms, 1)
    cosines = source @ np.swapaxes(target, -1, -2)  # (…, n, m)
    there = (source_norms > 0) & (np.swapaxes(target_norms, -1, -2) > 0)
    # Rounding can leave a cosine a hair outside [-1, 1].
    return np.where(there, np.clip((cosines + 1) / 2, 0, 1), 0).astype(cosines.dtype, copy=False)


def mutual_argmax(similarities: Floats) -> Links:
    """Links between words that are each other's most similar (SimAlign's Argmax); ties go to the first word.

    Args:
        similarities: shape (…, n, m), not negative; cells of 0 are never linked.

    Returns:
        Shape (…, n, m); at most one link in each row and each column.
    """
    if not similarities.size:
        return np.zeros(similarities.shape, dtype=bool)
    n, m = similarities.shape[-2:]
    best_target = similarities.argmax(axis=-1)[..., None] == np.arange(m)  # (…, n, m)
    best_source = similarities.argmax(axis=-2)[..., None, :] == np.arange(n)[:, None]  # (…, n, m)
    return best_target & best_source & (similarities > 0)


def itermax(similarities: Floats, *, max_count: int = 2, alpha: float = ALPHA, released: bool = False) -> Links:
    """Mutual argmax, repeated on what the pass before left without a link (SimAlign, Algorithm 1).

    In a further pass a similarity counts in full where both words are free, times `alpha` where one is, and not at
    all where both have links. So a word can end up with more than one link.

    Args:
        similarities: shape (…, n, m), not negative; cells of 0 are never linked.
        max_count: passes in all.
        alpha: see above.
        released: leave out further passes where a side has at most two words or no free word, as SimAlign's program
            does and its paper does not say. Padding of zeros does not count as words.

    Returns:
        Shape (…, n, m).
    """
    links = mutual_argmax(similarities)
    for _ in range(max_count - 1):
        source_taken = links.any(axis=-1, keepdims=True)  # (…, n, 1)
        target_taken = links.any(axis=-2, keepdims=True)  # (…, 1, m)
        weights = np.where(source_taken & target_taken, 0, np.where(source_taken | target_taken, alpha, 1))
        if released:
            weights = weights * _worth_another_pass(similarities, links)
        more = mutual_argmax((similarities * weights).astype(similarities.dtype, copy=False))
        if not more.any():
            break
        links = links | more
    return links


def _worth_another_pass(similarities: Floats, links: Links) -> Links:
    """Which matrices of a stack SimAlign's program would go through again, shape (…, 1, 1)."""
    worth = np.ones(similarities.shape[:-2], dtype=bool)
    for axis in (-1, -2):
        words = (similarities > 0).any(axis=axis)  # (…, n) or (…, m)
        free = words & ~links.any(axis=axis)
        worth &= (words.sum(axis=-1) > 2) & free.any(axis=-1)
    return worth[..., None, None]
