"""Word alignment: AER, precision and recall of the links an encoder's states give (paper §4.1, Och and Ney 2000).

    precision = |A ∩ P| / |A|     recall = |A ∩ S| / |S|     AER = 1 − (|A ∩ S| + |A ∩ P|) / (|A| + |S|)

A are the links found, S the sure gold links, P the possible ones (S included); sums run over the whole set.
"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from salt.alignment import itermax, mutual_argmax, similarity
from salt.evaluation.gold import GoldPair, GoldSet
from salt.evaluation.scores import Ratio, Score, scored
from salt.evaluation.states import EncodedText, StateStore
from salt.words import whitespace_words

METHODS: dict[str, Callable[[np.ndarray], np.ndarray]] = {"argmax": mutual_argmax, "itermax": itermax}
#: Pairs aligned in one call.
_BLOCK = 64


def counts(links: np.ndarray, pair: GoldPair) -> tuple[int, int, int, int]:
    """|A ∩ S|, |A ∩ P|, |A|, |S| of one sentence pair; links as a boolean matrix (n, m)."""
    found = set(zip(*(axis.tolist() for axis in np.nonzero(links)), strict=True))
    return len(found & pair.sure), len(found & pair.possible), len(found), len(pair.sure)


def statistics(table: np.ndarray) -> dict[str, Ratio]:
    """AER, precision and recall from rows of `counts`, (n, 4)."""
    sure_hits, possible_hits, found, sure = table.T.astype(np.float64)
    return {
        "aer": Ratio(sure_hits + possible_hits, found + sure, offset=1.0, scale=-1.0),
        "precision": Ratio(possible_hits, found),
        "recall": Ratio(sure_hits, sure),
    }


def evaluate_alignment(
    gold: GoldSet, store: StateStore, layers: Sequence[int], methods: Sequence[str] = tuple(METHODS), seed: int = 0
) -> list[Score]:
    """Scores of every layer and method on one set."""
    layers = store.layers(layers)
    tables: dict[tuple[int, str], list[tuple[int, int, int, int]]] = {
        (layer, method): [] for layer in layers for method in methods
    }
    for pairs, sources, targets in encoded_pairs(gold, store, layers):
        for layer in layers:
            matrices = similarities(pairs, sources, targets, layer)
            for method in methods:
                links = METHODS[method](matrices)
                tables[layer, method] += [counts(found, pair) for found, pair in zip(links, pairs, strict=True)]
    return [
        scored(
            statistic,
            seed,
            task="alignment",
            data=gold.name,
            language=gold.language,
            metric=metric,
            better="lower" if metric == "aer" else "higher",
            layer=layer,
            method=method,
        )
        for (layer, method), rows in tables.items()
        for metric, statistic in statistics(np.array(rows)).items()
    ]


def encoded_pairs(
    gold: GoldSet, store: StateStore, layers: Sequence[int]
) -> Iterator[tuple[Sequence[GoldPair], list[EncodedText], list[EncodedText]]]:
    """Blocks of pairs with the states of both sides."""
    for start in range(0, len(gold.pairs), _BLOCK):
        pairs = gold.pairs[start : start + _BLOCK]
        yield (
            pairs,
            store.get([pair.source for pair in pairs], gold.source_language, layers),
            store.get([pair.target for pair in pairs], gold.target_language, layers),
        )


def similarities(
    pairs: Sequence[GoldPair], sources: Sequence[EncodedText], targets: Sequence[EncodedText], layer: int
) -> np.ndarray:
    """Word similarities of a block, (b, n, m), padded with zeros, which are never linked."""
    return similarity(_stack(sources, layer), _stack(targets, layer))


def _stack(texts: Sequence[EncodedText], layer: int) -> np.ndarray:
    states = [text.pooled(whitespace_words(text.text), layer) for text in texts]
    stacked = np.zeros((len(states), max(map(len, states)), states[0].shape[1]), dtype=np.float32)
    for row, words in zip(stacked, states, strict=True):
        row[: len(words)] = words
    return stacked
