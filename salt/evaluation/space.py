"""The word space of a multi-parallel text: geometry, neighbours and projections over all its languages."""

from typing import Any

import numpy as np

from alee_mteb.errors import DataError
from salt.evaluation import geometry, units
from salt.evaluation.multiparallel import Multiparallel
from salt.evaluation.neighbours import find_word, neighbour_table
from salt.evaluation.scores import Ratio, Score, scored
from salt.evaluation.states import StateStore

ENGLISH = "eng_Latn"


def all_words(data: Multiparallel, store: StateStore, layer: int) -> units.Words:
    """All words of all languages; a sentence has the same number in every language."""
    parts = []
    for language, lines in data.texts.items():
        there = [number for number, line in enumerate(lines) if line]
        words = units.gather([line for line in lines if line], store, data.code(language), layer, key=language)
        parts.append(words.renumbered(np.array(there)))
    return units.Words.join(parts)


def evaluate_geometry(
    data: Multiparallel, store: StateStore, layer: int, probe_sentences: int, seed: int
) -> list[Score]:
    """Language identity, isotropy and hubness of the words of all languages."""
    (layer,) = store.layers((layer,))
    words = all_words(data, store, layer)
    probe = geometry.language_probe(words, probe_sentences, seed=seed)
    left, right = geometry.random_pairs(words, geometry.PAIRS, seed)
    cosines = geometry.mean_cosine(words.states[left], words.states[right])
    sampled = np.unique(np.concatenate([left, right]))
    common: dict[str, Any] = {"data": data.name, "language": "all", "layer": layer}
    notes = {"epochs": probe.epochs, "train_words": probe.n_train, "test_words": probe.n_test}
    return [
        scored(probe.statistic, seed, task="language-id", metric="macro-f1", better="lower", notes=notes, **common),
        scored(Ratio(cosines.astype(np.float64), np.ones(len(cosines))), seed,
               task="isotropy", metric="mean-cosine", better="lower", **common),
        Score(task="isotropy", metric="uniformity", better="lower", n=len(left),
              value=geometry.uniformity(words.states[left], words.states[right]), **common),
        Score(task="hubness", metric="skewness", better="lower", n=len(sampled),
              value=geometry.skewness(geometry.k_occurrence(words.states[sampled])), **common),
    ]  # fmt: skip


def evaluate_neighbours(data: Multiparallel, store: StateStore, query: str, layer: int) -> dict[str, Any]:
    """The neighbours of an English word; ``word@12`` for that of sentence 12."""
    (layer,) = store.layers((layer,))
    words = all_words(data, store, layer)
    form, _, sentence = query.partition("@")
    row = find_word(words, form, ENGLISH, int(sentence) if sentence.isdigit() else None)
    return neighbour_table(words, row).to_json()


def projection(data: Multiparallel, store: StateStore, number: int, layer: int) -> dict[str, Any]:
    """Principal components of the tokens of one sentence in every language (Figure 3)."""
    (layer,) = store.layers((layer,))
    states, languages = [], []
    for language, lines in data.texts.items():
        if number >= len(lines):
            raise DataError(f"--pca-sentence {number}: {data.name} has sentences 0 to {len(lines) - 1}")
        text = lines[number]
        if text:
            (encoded,) = store.get([text], data.code(language), (layer,))
            rows = [at for at, token in enumerate(encoded.offsets) if token is not None]
            states.append(encoded.layer(layer)[rows])
            languages += [language] * len(rows)
    points, variance = geometry.principal_components(np.concatenate(states))
    return {
        "sentence": data.texts[ENGLISH][number],
        "points": [[round(float(x), 4), round(float(y), 4)] for x, y in points],
        "variance": [round(float(share), 4) for share in variance],
        "languages": languages,
    }
