"""Sentence retrieval: xsim and xsim++ with the ratio margin (paper §4, "Sentence evaluation"; Chen et al., 2023).

The margin of a pair is its cosine over the mean of the two sentences' mean cosines with their k nearest neighbours:

    margin(x, y) = cos(x, y) / ( mean cos(x, kNN(x)) / 2 + mean cos(y, kNN(y)) / 2 )

Each source takes, among its k nearest targets, the one with the highest margin. xsim is the share of sources that do
not take their translation; xsim++ is the same where the English side also holds altered sentences, and reports which
alteration was taken instead.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from salt.evaluation.multiparallel import AlteredSentences, Multiparallel
from salt.evaluation.scores import Ratio, Score, scored
from salt.evaluation.search import nearest
from salt.evaluation.states import StateStore

NEIGHBOURS = 4
ENGLISH = "eng_Latn"
#: What a wrong answer is called that is another sentence, not an altered one.
OTHER_SENTENCE = "other sentence"


@dataclass(frozen=True)
class Mined:
    """What each source took: row numbers of targets, shape (n,), and the margins, shape (n,)."""

    taken: np.ndarray
    margins: np.ndarray


def mine(sources: np.ndarray, targets: np.ndarray, k: int = NEIGHBOURS, faiss: bool | None = None) -> Mined:
    """For each source the target of the highest ratio margin among its k nearest.

    Args:
        sources: sentence embeddings, shape (n, d).
        targets: sentence embeddings, shape (m, d).
        k: neighbours.
        faiss: see `salt.evaluation.search.nearest`.
    """
    forward, candidates = nearest(sources, targets, k, faiss=faiss)  # (n, k)
    backward, _ = nearest(targets, sources, k, faiss=faiss)  # (m, k)
    around = (forward.mean(axis=1)[:, None] + backward.mean(axis=1)[candidates]) / 2  # (n, k)
    margins = forward / around
    best = margins.argmax(axis=1)[:, None]
    return Mined(np.take_along_axis(candidates, best, 1)[:, 0], np.take_along_axis(margins, best, 1)[:, 0])


def wrong(taken: np.ndarray, gold: Sequence[str], texts: Sequence[str]) -> np.ndarray:
    """Whether each source took another text than its translation; an equal text elsewhere is right."""
    return np.array([texts[at] != text for at, text in zip(taken.tolist(), gold, strict=True)])


def evaluate_xsim(data: Multiparallel, store: StateStore, seed: int = 0) -> list[Score]:
    """xsim of every language with English, both ways."""
    scores = []
    for language in data.languages:
        if language == ENGLISH:
            continue
        english, other = data.pair(ENGLISH, language)
        if not english:
            continue
        vectors = {ENGLISH: _vectors(store, english, ENGLISH), language: _vectors(store, other, data.code(language))}
        for source, target, texts in ((language, ENGLISH, english), (ENGLISH, language, other)):
            missed = wrong(mine(vectors[source], vectors[target]).taken, texts, texts)
            scores.append(_score("xsim", data.name, f"{source}-{target}", "xsim", missed, seed))
    return scores


def evaluate_xsimpp(data: Multiparallel, altered: AlteredSentences, store: StateStore, seed: int = 0) -> list[Score]:
    """xsim++ of every language into English, in all and for each kind of alteration."""
    scores = []
    for language in data.languages:
        if language == ENGLISH:
            continue
        english, other = data.pair(ENGLISH, language)
        if not english:
            continue
        known = set(english)
        extra = [row for row in altered.rows if row.original in known]
        pool = [*english, *(row.text for row in extra)]
        taken = mine(_vectors(store, other, data.code(language)), _vectors(store, pool, ENGLISH)).taken
        missed = wrong(taken, english, pool)
        scores.append(_score("xsim++", data.name, f"{language}-{ENGLISH}", "xsim++", missed, seed))
        kinds = error_kinds(taken, english, pool, altered.kinds)
        for kind in sorted({*(row.kind for row in extra), OTHER_SENTENCE}):
            hit = np.array([found == kind for found in kinds])
            scores.append(_score("xsim++", data.name, f"{language}-{ENGLISH}", "xsim++", hit, seed, setting=kind))
    return scores


def error_kinds(
    taken: np.ndarray, gold: Sequence[str], pool: Sequence[str], kinds: Mapping[tuple[str, str], str]
) -> list[str | None]:
    """For each source ``None`` if right, the kind of alteration of its own translation, or `OTHER_SENTENCE`."""
    found: list[str | None] = []
    for at, text in zip(taken.tolist(), gold, strict=True):
        found.append(None if pool[at] == text else kinds.get((text, pool[at]), OTHER_SENTENCE))
    return found


def _vectors(store: StateStore, texts: Sequence[str], language: str | None) -> np.ndarray:
    return np.stack([text.vector for text in store.get(texts, language, layers=())])


def _score(
    task: str, data: str, language: str, metric: str, missed: np.ndarray, seed: int, setting: str | None = None
) -> Score:
    statistic = Ratio(missed.astype(np.float64), np.ones(len(missed)))
    return scored(
        statistic, seed, task=task, data=data, language=language, metric=metric, better="lower", setting=setting
    )
