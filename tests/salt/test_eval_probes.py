"""The linear head, and probes on states whose meaning is known."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.word_encoder import WordEncoder

from alee_mteb.errors import DataError
from salt.evaluation import features
from salt.evaluation.features import gather_tokens, gather_words
from salt.evaluation.labelled import LabelledSet, LabelledText, join_words
from salt.evaluation.linear import PROBE, quick, split_validation, train_head
from salt.evaluation.probes import Probing, evaluate_labelling, evaluate_wic, sample
from salt.evaluation.scores import MacroF1, Score
from salt.evaluation.states import StateStore
from salt.evaluation.wic import WordInContext, WordInContextSet
from salt.pairs import Span


def toy(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Unit vectors of four classes that hyperplanes separate with a margin."""
    generator = np.random.default_rng(seed)
    labels = generator.integers(0, 4, size=n)
    centres = np.eye(4, 16) * 3
    vectors = centres[labels] + generator.normal(size=(n, 16)) * 0.4
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32), labels


#: Enough for sets as small and as easy as these.
SHORT = quick(PROBE, 250)


def test_a_head_learns_what_a_hyperplane_can_tell() -> None:
    vectors, labels = toy(2000)
    head = train_head(vectors[:1800], labels[:1800], (vectors[1800:], labels[1800:]), 4, quick(PROBE, 1000))
    test, gold = toy(500, seed=1)
    assert (head.predict(test) == gold).mean() > 0.95


def test_shuffled_labels_give_the_majority_baseline() -> None:
    vectors, _ = toy(2000)
    labels = np.random.default_rng(3).permutation(np.array([0] * 1400 + [1] * 400 + [2] * 200))
    head = train_head(vectors[:1800], labels[:1800], (vectors[1800:], labels[1800:]), 3, quick(PROBE, 1000))
    test, _ = toy(500, seed=1)
    gold = np.random.default_rng(4).permutation(np.array([0] * 350 + [1] * 100 + [2] * 50))
    assert (head.predict(test) == gold).mean() == pytest.approx(0.7, abs=0.02)


def test_the_same_seed_gives_the_same_head() -> None:
    vectors, labels = toy(300)
    heads = [
        train_head(vectors[:250], labels[:250], (vectors[250:], labels[250:]), 4, quick(PROBE, 20), seed)
        for seed in (1, 1, 2)
    ]
    np.testing.assert_array_equal(heads[0].weight, heads[1].weight)
    assert not np.array_equal(heads[0].weight, heads[2].weight)


def test_training_stops_after_ten_epochs_without_a_better_loss() -> None:
    vectors, labels = toy(400)
    # What validates has the labels the wrong way round, so that it only gets worse after the first epochs.
    epochs: list[int] = []
    head = train_head(vectors, labels, (vectors, 3 - labels), 4, on_epoch=epochs.append)
    assert epochs[-1] == head.epochs + 10


def test_validation_is_a_tenth_and_never_all() -> None:
    assert split_validation(100, 0.1, 0).sum() == 10
    assert split_validation(2, 0.1, 0).sum() == 1


def test_macro_f1_is_what_scikit_learn_calls_macro() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    generator = np.random.default_rng(0)
    gold, predicted = generator.integers(0, 5, size=(2, 200))
    predicted[gold == 3] = 4
    items = np.arange(200) // 4
    statistic = MacroF1.of(gold, predicted, items, 50, 7)  # labels 5 and 6 occur nowhere and do not count
    value = statistic.values(np.ones((1, 50)))[0]
    assert value == pytest.approx(metrics.f1_score(gold, predicted, average="macro"))
    # A sentence drawn twice counts twice.
    weights = generator.integers(0, 3, size=50).astype(float)
    drawn = np.repeat(np.arange(200), weights.astype(int)[items])
    assert statistic.values(weights[None])[0] == pytest.approx(
        metrics.f1_score(gold[drawn], predicted[drawn], average="macro")
    )


WORDS = {"A": ["anna", "berlin", "paris"], "O": ["sees", "likes", "in"], "N": ["bread", "rain"]}
GERMAN = {"anna_de": "anna", "paris_de": "paris", "sieht": "sees", "brot": "bread", "regen": "rain"}


def sentences(language: str, n: int, seed: int, label: str | None = None) -> tuple[LabelledText, ...]:
    generator = np.random.default_rng(seed)
    kind_of = {word: kind for kind, words in WORDS.items() for word in words}
    forms = list(GERMAN) if language == "deu_Latn" else list(kind_of)
    found = []
    for number in range(n):
        words = [forms[at] for at in generator.integers(0, len(forms), size=5)]
        labels = [label or kind_of[GERMAN.get(word, word)] for word in words]
        found.append(join_words(words, labels, f"{language} {number}"))
    return tuple(found)


def labelled() -> list[LabelledSet]:
    return [
        LabelledSet("eng_Latn", {"train": sentences("eng_Latn", 60, 1), "test": sentences("eng_Latn", 20, 2)}),
        LabelledSet("deu_Latn", {"train": sentences("deu_Latn", 60, 3), "test": sentences("deu_Latn", 20, 4)}),
    ]


def by_setting(scores: list[Score]) -> dict[tuple[str | None, str, str], float]:
    return {(score.setting, score.language, score.metric): score.value for score in scores}


def test_an_english_probe_transfers_where_states_share_meaning(tmp_path: Path) -> None:
    encoder = WordEncoder(GERMAN)
    store = StateStore(encoder, tmp_path)
    scores = by_setting(evaluate_labelling("udpos", "toy", labelled(), store, -1, Probing(recipe=SHORT)))
    for setting in ("english", "all", "single"):
        for language in ("eng_Latn", "deu_Latn"):
            assert scores[setting, language, "accuracy"] > 0.95
            assert scores[setting, language, "macro-f1"] > 0.95
    # One encoding a sentence for three settings, two languages, training and test.
    assert len(encoder.asked) == len(set(encoder.asked))


def test_layers_without_meaning_do_not_transfer(tmp_path: Path) -> None:
    store = StateStore(WordEncoder(GERMAN), tmp_path)
    scores = by_setting(
        evaluate_labelling("udpos", "toy", labelled(), store, 0, Probing(recipe=SHORT, settings=("english", "single")))
    )
    assert scores["english", "eng_Latn", "accuracy"] > 0.95
    assert scores["english", "deu_Latn", "accuracy"] < 0.8
    assert scores["single", "deu_Latn", "accuracy"] > 0.95


def test_labels_that_training_has_not_are_named_or_count_as_wrong(tmp_path: Path) -> None:
    sets = labelled()
    odd = [sets[0], LabelledSet("deu_Latn", {"train": (), "test": sentences("deu_Latn", 5, 1, label="X")})]
    store = StateStore(WordEncoder(GERMAN), tmp_path)
    with pytest.raises(
        DataError, match=r"deu_Latn 0: label 'X' of the deu_Latn test data is not in training \(25 of 25"
    ):
        evaluate_labelling("udpos", "toy", odd, store, -1, Probing(recipe=SHORT, settings=("english",)))
    scores = evaluate_labelling(
        "udpos", "toy", odd, store, -1, Probing(recipe=SHORT, settings=("english",), unseen_labels="wrong")
    )
    assert by_setting(scores)["english", "deu_Latn", "accuracy"] == 0.0
    assert scores[-1].notes["unseen_labels"] == ["X"]


def test_sequences_that_are_too_long_are_left_out_and_counted(tmp_path: Path) -> None:
    sets = labelled()
    long = join_words(["rain"] * 600, ["N"] * 600, "long")
    splits = {"train": (*sets[0].splits["train"], long), "test": (long, *sets[0].splits["test"])}
    store = StateStore(WordEncoder(GERMAN, max_tokens=1000), tmp_path)
    longer = [LabelledSet("eng_Latn", splits)]
    (_, accuracy) = evaluate_labelling("udpos", "toy", longer, store, -1, Probing(recipe=SHORT, settings=("english",)))
    assert accuracy.notes["left_out"] == 2
    assert (accuracy.n, accuracy.notes["train_sequences"]) == (20, 60)


def test_no_english_training_data_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    store = StateStore(WordEncoder(), tmp_path)
    with pytest.raises(DataError, match="no training sequences in English; add English data or use --settings single"):
        evaluate_labelling("udpos", "toy", labelled()[1:], store, -1, Probing(recipe=SHORT, settings=("english",)))


def test_samples_keep_their_order_and_are_the_same_for_a_seed() -> None:
    items: list[Any] = list(range(100))
    assert sample(items, 200, 0) == items
    drawn = sample(items, 10, 0)
    assert drawn == sorted(drawn) == sample(items, 10, 0)
    assert drawn != sample(items, 10, 1)


def in_context(first: str, second: str, same: bool) -> WordInContext:
    return WordInContext(f"x {first}", Span(2, 2 + len(first)), f"{second} y", Span(0, len(second)), same, "row")


def test_word_in_context_vectors_are_the_two_words_side_by_side(tmp_path: Path) -> None:
    store = StateStore(WordEncoder(), tmp_path)
    found = gather_words([in_context("bank", "river bank", True)], store, "eng_Latn", 1)
    (first,) = store.get(["x bank"], "eng_Latn", (1,))
    (second,) = store.get(["river bank y"], "eng_Latn", (1,))
    one, other = first.layer(1)[2], second.layer(1)[1:3].mean(axis=0)
    expected = np.concatenate([one / np.linalg.norm(one), other / np.linalg.norm(other)])
    np.testing.assert_allclose(found.vectors[0], expected, atol=1e-3)
    assert found.labels == ["same"]


def test_a_word_in_context_probe_learns_a_separable_set(tmp_path: Path) -> None:
    # The word's meaning in the first sentence decides, so that a linear head can tell.
    rows = tuple(in_context(*(("money", "bank", True) if at % 2 else ("river", "shore", False))) for at in range(40))
    sets = [WordInContextSet("eng_Latn", {"train": rows, "test": rows[:10]})]
    store = StateStore(WordEncoder(), tmp_path)
    scores = by_setting(evaluate_wic("wic", "toy", sets, store, -1, Probing(recipe=SHORT, settings=("english",))))
    assert scores["english", "eng_Latn", "accuracy"] == 1.0


def test_vectors_too_many_for_memory_live_on_disk_and_are_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = StateStore(WordEncoder(), tmp_path)
    items = sentences("eng_Latn", 30, 1)
    in_memory = gather_tokens(items, store, "eng_Latn", 1)
    monkeypatch.setattr(features, "IN_MEMORY", 1000)
    on_disk = gather_tokens(items, store, "eng_Latn", 1, tmp_path)
    assert isinstance(on_disk.vectors, np.memmap)
    np.testing.assert_array_equal(on_disk.vectors, in_memory.vectors)
    joint = features.Features.join([on_disk, in_memory], tmp_path)
    assert isinstance(joint.vectors, np.memmap)
    assert (joint.n_items, joint.items[-1], len(joint.labels)) == (60, 59, 300)
