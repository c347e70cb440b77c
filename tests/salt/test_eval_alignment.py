"""AER, precision and recall by hand, against awesome-align's rule, and on a real encoder's links."""

import random
from pathlib import Path

import numpy as np
import pytest
from support import tiny_salt
from support.independent_aer import all_aers
from support.word_encoder import WordEncoder

from salt.encoders.load import load_encoder
from salt.evaluation.alignment import counts, evaluate_alignment, statistics
from salt.evaluation.gold import GoldPair, GoldSet, read_awesome, read_xl_wa
from salt.evaluation.retrieval import evaluate_retrieval
from salt.evaluation.states import StateStore


def links(*found: tuple[int, int], shape: tuple[int, int] = (4, 4)) -> np.ndarray:
    matrix = np.zeros(shape, dtype=bool)
    for link in found:
        matrix[link] = True
    return matrix


def values(rows: list[tuple[int, int, int, int]]) -> dict[str, float]:
    return {
        name: float(statistic.values(np.ones((1, statistic.n)))[0])
        for name, statistic in statistics(np.array(rows)).items()
    }


def awesome_align_aer(
    hypothesis: list[set[tuple[int, int]]], sure: list[set[tuple[int, int]]], possible: list[set[tuple[int, int]]]
) -> tuple[float, float, float]:
    """The three-set formula as awesome-align sums it, here derived from its description, link by link."""
    n_sure = sum(len(links) for links in sure)
    n_found = n_sure_hit = n_possible_hit = 0
    for found, s, p in zip(hypothesis, sure, possible, strict=True):
        for link in found:
            n_found += 1
            if link in s:
                n_sure_hit += 1
            if link in p or link in s:
                n_possible_hit += 1
    return (
        1 - (n_sure_hit + n_possible_hit) / (n_found + n_sure),
        n_possible_hit / n_found,
        n_sure_hit / n_sure,
    )


def test_a_case_worked_by_hand() -> None:
    pair = GoldPair("a b c d", "e f g h", frozenset({(0, 0), (1, 1)}), frozenset({(0, 0), (1, 1), (2, 2)}))
    # Found: one sure, one possible, one wrong. |A∩S| 1, |A∩P| 2, |A| 3, |S| 2.
    row = counts(links((0, 0), (2, 2), (3, 0)), pair)
    assert row == (1, 2, 3, 2)
    assert values([row]) == pytest.approx({"aer": 1 - 3 / 5, "precision": 2 / 3, "recall": 1 / 2})


def test_sums_run_over_the_set_and_not_over_means_of_sentences() -> None:
    # 1 − (1+1 + 0+0) / (1+1 + 3+1) = 1 − 2/6
    assert values([(1, 1, 1, 1), (0, 0, 3, 1)])["aer"] == pytest.approx(2 / 3)


def test_no_link_found_is_an_error_of_one() -> None:
    assert values([(0, 0, 0, 2)])["aer"] == 1.0


def test_random_links_score_as_the_rule_of_awesome_align() -> None:
    draw = random.Random(5)
    cells = [(i, j) for i in range(4) for j in range(4)]
    hypothesis, sure, possible, rows = [], [], [], []
    for _ in range(40):
        found, certain = set(draw.sample(cells, 5)), set(draw.sample(cells, 3))
        perhaps = certain | set(draw.sample(cells, 4))
        hypothesis.append(found)
        sure.append(certain)
        possible.append(perhaps)
        rows.append(counts(links(*found), GoldPair("", "", frozenset(certain), frozenset(perhaps))))
    aer, precision, recall = awesome_align_aer(hypothesis, sure, possible)
    assert values(rows) == pytest.approx({"aer": aer, "precision": precision, "recall": recall}, abs=1e-12)


def meaning_set() -> GoldSet:
    straight, turned = frozenset({(0, 0), (1, 1), (2, 2)}), frozenset({(0, 2), (1, 0), (2, 1)})
    pairs = (
        GoldPair("the cat sleeps", "die Katze schläft", straight, straight),
        GoldPair("a small dog", "klein Hund ein", turned, turned),
    )
    return GoldSet("toy", "eng_Latn", "deu_Latn", pairs)


MEANINGS = {
    "die": "the", "Katze": "cat", "schläft": "sleeps", "klein": "small", "Hund": "dog", "ein": "a",
}  # fmt: skip


def test_states_that_share_meanings_align_perfectly_at_their_layer(tmp_path: Path) -> None:
    store = StateStore(WordEncoder(MEANINGS), tmp_path)
    scores = evaluate_alignment(meaning_set(), store, (0, -1))
    by = {(score.layer, score.method, score.metric): score for score in scores}
    for method in ("argmax", "itermax"):
        assert by[1, method, "aer"].value == 0.0
        assert by[1, method, "precision"].value == by[1, method, "recall"].value == 1.0
        assert by[0, method, "aer"].value > 0.0
    assert (by[1, "argmax", "aer"].low, by[1, "argmax", "aer"].high) == (0.0, 0.0)
    assert by[1, "argmax", "aer"].n == 2


def test_word_retrieval_finds_the_gold_word_among_all_words(tmp_path: Path) -> None:
    store = StateStore(WordEncoder(MEANINGS), tmp_path)
    (score,) = evaluate_retrieval([meaning_set()], store, -1, k=1)
    assert (score.value, score.n, score.notes["pool"]) == (1.0, 6, 6)


def test_word_retrieval_turns_sets_that_begin_with_the_other_language(tmp_path: Path) -> None:
    turned = tuple(
        GoldPair(pair.target, pair.source, *(frozenset((j, i) for i, j in pair.sure),) * 2)
        for pair in meaning_set().pairs
    )
    store = StateStore(WordEncoder(MEANINGS), tmp_path)
    (score,) = evaluate_retrieval([GoldSet("toy", "deu_Latn", "eng_Latn", turned)], store, -1, k=1)
    assert (score.value, score.n) == (1.0, 6)


def test_a_hit_is_the_occurrence_the_gold_links_and_not_another_of_the_same_word(tmp_path: Path) -> None:
    same = frozenset({(0, 0)})
    pairs = (GoldPair("cat", "Katze", same, same), GoldPair("dog", "Katze", same, same))
    store = StateStore(WordEncoder(MEANINGS), tmp_path)
    (score,) = evaluate_retrieval([GoldSet("toy", "eng_Latn", "deu_Latn", pairs)], store, -1, k=2)
    # Both words are among the two nearest of either query.
    assert score.value == 1.0
    (score,) = evaluate_retrieval([GoldSet("toy", "eng_Latn", "deu_Latn", pairs)], store, -1, k=1)
    # Equal states: whichever is first is one query's own and not the other's.
    assert score.value == 0.5


@pytest.mark.shared
@pytest.mark.parametrize(("name", "first"), [("nl", 0), ("enfr", 1)], ids=["xl-wa nl", "awesome-align enfr"])
def test_real_sets_score_as_another_implementation_says(shared: Path, tmp_path: Path, name: str, first: int) -> None:
    folder = tiny_salt.tiny_encoders(tiny_salt.default_root())["e5"]
    # Sentences that fit the tiny encoder's 64 tokens.
    if first:
        (gold,) = [one for one in read_awesome(shared / "data" / "awesome-align") if "fra" in one.language]
    else:
        (gold,) = read_xl_wa(shared / "data" / "xl-wa", [name])
    encoder = load_encoder(folder)
    fits = [
        pair
        for pair in gold.pairs
        if max(encoder.lengths([pair.source, pair.target])) <= encoder.max_tokens and len(pair.source) < 60
    ][:40]
    assert len(fits) >= 10
    scores = evaluate_alignment(
        GoldSet(gold.name, gold.source_language, gold.target_language, tuple(fits)),
        StateStore(encoder, tmp_path),
        (1, 3),
    )
    ours = {(score.layer, score.method): score.value for score in scores if score.metric == "aer"}
    kinds = [("-", pair.sure) for pair in fits], [("p", pair.possible - pair.sure) for pair in fits]
    rows = [
        (
            pair.source,
            pair.target,
            " ".join(f"{i}{sign}{j}" for found in kinds for sign, links in [found[at]] for i, j in links),
        )
        for at, pair in enumerate(fits)
    ]
    assert ours == pytest.approx(all_aers(folder, rows, 0, (1, 3), "query: "), abs=0.002)
