"""Word retrieval across languages: recall@5 of gold-aligned words (paper §5.1, Appendix E.2).

All word alignment sets are merged. For every English word with a sure gold link, the five nearest words among the
other-language words of all sets are looked up; a hit is one that the gold links to that very occurrence.
"""

from collections.abc import Sequence

import numpy as np

from alee_mteb.errors import DataError
from salt.evaluation.alignment import encoded_pairs
from salt.evaluation.geometry import RECALL_NEIGHBOURS, recall_hits
from salt.evaluation.gold import GoldSet
from salt.evaluation.scores import Ratio, Score, scored
from salt.evaluation.states import StateStore
from salt.words import whitespace_words

ENGLISH = "eng_Latn"


def evaluate_retrieval(
    sets: Sequence[GoldSet], store: StateStore, layer: int, k: int = RECALL_NEIGHBOURS, seed: int = 0
) -> list[Score]:
    """Recall@k for each language pair, over the merged pool.

    Raises:
        DataError: no set with English on one side.
    """
    (layer,) = store.layers((layer,))
    pool: list[np.ndarray] = []
    size = 0
    queries: list[tuple[GoldSet, np.ndarray, list[frozenset[int]]]] = []
    for one in sets:
        if ENGLISH not in (one.source_language, one.target_language):
            continue
        words, gold = [], []
        for pairs, sources, targets in encoded_pairs(one, store, (layer,)):
            for pair, source, target in zip(pairs, sources, targets, strict=True):
                links = pair.sure
                english, other = source, target
                if one.source_language != ENGLISH:
                    english, other, links = target, source, frozenset((j, i) for i, j in links)
                others = other.pooled(whitespace_words(other.text), layer)
                states = english.pooled(whitespace_words(english.text), layer)
                for at in range(len(states)):
                    linked = frozenset(size + j for i, j in links if i == at)
                    if linked:
                        words.append(states[at])
                        gold.append(linked)
                pool.append(others)
                size += len(others)
        if words:
            queries.append((one, np.stack(words), gold))
    if not queries:
        raise DataError("word retrieval needs an alignment set with English on one side and a sure link")
    base = np.concatenate(pool)
    return [
        scored(
            Ratio(recall_hits(words, base, gold, k).astype(np.float64), np.ones(len(gold))),
            seed,
            task="word-retrieval",
            data=one.name,
            language=one.language,
            metric=f"recall@{k}",
            better="higher",
            layer=layer,
            notes={"pool": size},
        )
        for one, words, gold in queries
    ]
