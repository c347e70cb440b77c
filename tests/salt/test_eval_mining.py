"""xsim and xsim++ against brute force and a file of twenty sentences written by hand."""

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest
from support.word_encoder import WordEncoder

from alee_mteb.errors import DataError, LanguageError
from salt.evaluation.mining import evaluate_xsim, evaluate_xsimpp, mine, wrong
from salt.evaluation.multiparallel import Multiparallel, read_altered, read_multiparallel
from salt.evaluation.search import nearest
from salt.evaluation.sources import read_sources
from salt.evaluation.states import StateStore


def brute_force(sources: np.ndarray, targets: np.ndarray, k: int) -> np.ndarray:
    """The ratio margin by loops over full cosine rows (LASER's xsim: candidates are the k nearest)."""
    x = sources / np.linalg.norm(sources, axis=1, keepdims=True)
    y = targets / np.linalg.norm(targets, axis=1, keepdims=True)
    cosines = x @ y.T
    mean_x = [np.sort(row)[-k:].mean() for row in cosines]
    mean_y = [np.sort(column)[-k:].mean() for column in cosines.T]
    taken = []
    for i, row in enumerate(cosines):
        candidates = sorted(range(len(row)), key=lambda j: -row[j])[:k]
        taken.append(max(candidates, key=lambda j: row[j] / ((mean_x[i] + mean_y[j]) / 2)))
    return np.array(taken)


@pytest.mark.parametrize(("n", "m", "k"), [(60, 60, 4), (40, 90, 4), (30, 3, 4), (25, 25, 1)])
def test_mining_is_what_brute_force_finds(n: int, m: int, k: int) -> None:
    generator = np.random.default_rng(n + m)
    targets = generator.normal(size=(m, 16))
    sources = targets[np.arange(n) % m] + generator.normal(size=(n, 16))
    mined = mine(sources, targets, k, faiss=False)
    assert mined.taken.tolist() == brute_force(sources, targets, min(k, m, n)).tolist()


def test_a_hub_that_cosine_prefers_loses_by_its_margin() -> None:
    # Target 0 is close to every source; each source's own target is a little farther but nobody else's neighbour.
    own = np.eye(4)
    hub = np.ones(4) / 2
    targets = np.vstack([hub, own])
    sources = own * 0.6 + hub * 0.62
    cosine = (sources / np.linalg.norm(sources, axis=1, keepdims=True)) @ targets.T
    assert (cosine.argmax(axis=1) == 0).all()
    assert mine(sources, targets, 4, faiss=False).taken.tolist() == [1, 2, 3, 4]


def test_blocks_find_what_one_matrix_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = np.random.default_rng(1).normal(size=(70, 8))
    whole = nearest(vectors, vectors, 5, exclude_same_row=True, faiss=False)
    monkeypatch.setattr("salt.evaluation.search._CELLS", 70 * 3)
    parts = nearest(vectors, vectors, 5, exclude_same_row=True, faiss=False)
    np.testing.assert_array_equal(whole[1], parts[1])
    assert not (whole[1] == np.arange(70)[:, None]).any()


@pytest.mark.skipif(importlib.util.find_spec("faiss") is None, reason="faiss is not installed")
def test_faiss_finds_the_same() -> None:
    vectors = np.random.default_rng(2).normal(size=(200, 8))
    for exclude in (True, False):
        ours = nearest(vectors, vectors, 5, exclude_same_row=exclude, faiss=False)
        theirs = nearest(vectors, vectors, 5, exclude_same_row=exclude, faiss=True)
        np.testing.assert_array_equal(ours[1], theirs[1])


def test_the_same_sentence_elsewhere_is_right() -> None:
    assert wrong(np.array([1, 1, 0]), ["same", "same", "other"], ["same", "same", "other"]).tolist() == [
        False,
        False,
        True,
    ]


# Twenty: five sentences, their translations, and ten alterations. Each word of the "translation" has the English
# word's meaning, but for three where the translation means what an alteration says.
ENGLISH = [
    "one cat sleeps now",
    "two dogs eat meat",
    "Anna sees Berlin today",
    "rain makes grass grow",
    "old men drink tea",
]
FOREIGN = [
    "un gat dorm ara",
    "tres gossos mengen carn",
    "Anna veu Roma avui",
    "pluja fa herba créixer",
    "homes vells beuen te",
]
ALTERED = [
    ("one cat sleeps now", "three cats sleep now", "number"),
    ("one cat sleeps now", "no cat sleeps now", "causality"),
    ("two dogs eat meat", "three dogs eat meat", "number"),
    ("two dogs eat meat", "two dogs hate meat", "causality"),
    ("Anna sees Berlin today", "Anna sees Rome today", "entity"),
    ("Anna sees Berlin today", "Anna sees Paris today", "entity"),
    ("rain makes grass grow", "rain stops grass grow", "causality"),
    ("rain makes grass grow", "snow makes grass grow", "entity"),
    ("old men drink tea", "five men drink tea", "number"),
    ("old men drink tea", "old men refuse tea", "causality"),
]
SAID = [
    "one cat sleeps now",
    "three dogs eat meat",
    "Anna sees Rome today",
    "rain makes grass grow",
    "men old drink tea",
]
MEANINGS = dict(zip(" ".join(FOREIGN).split(), " ".join(SAID).split(), strict=True))


def flores(tmp_path: Path) -> Path:
    folder = tmp_path / "mini"
    (folder / "devtest").mkdir(parents=True)
    (folder / "augmented_data").mkdir()
    (folder / "devtest" / "eng_Latn.devtest").write_text("\n".join(ENGLISH) + "\n", encoding="utf-8")
    (folder / "devtest" / "cat_Latn.devtest").write_text("\n".join(FOREIGN) + "\n", encoding="utf-8")
    rows = {text: {"src": original, "errtype": kind} for original, text, kind in ALTERED}
    (folder / "augmented_data" / "eng_Latn_errtype.devtest.json").write_text(json.dumps(rows), encoding="utf-8")
    return folder


def test_xsimpp_on_twenty_sentences_by_hand(tmp_path: Path) -> None:
    sources = read_sources([str(flores(tmp_path))])
    store = StateStore(WordEncoder(MEANINGS), tmp_path / "states", precision="float32")
    (data,) = sources.multiparallel
    ((_, altered),) = sources.altered
    found = {score.setting: score.value for score in evaluate_xsimpp(data, altered, store)}
    # The second translation says three dogs, the third says Rome; the other three say what they should.
    assert found == {None: 2 / 5, "number": 1 / 5, "entity": 1 / 5, "causality": 0.0, "other sentence": 0.0}
    assert {score.language: score.value for score in evaluate_xsim(data, store)} == {
        "cat_Latn-eng_Latn": 0.0,
        "eng_Latn-cat_Latn": 0.0,
    }


def test_a_table_of_alterations_reads_as_the_json_does(tmp_path: Path) -> None:
    path = tmp_path / "altered.tsv"
    path.write_text("".join("\t".join(row) + "\n" for row in ALTERED), encoding="utf-8")
    json_path = flores(tmp_path) / "augmented_data" / "eng_Latn_errtype.devtest.json"
    assert read_altered(path) == read_altered(json_path)


def test_missing_translations_are_left_out_of_a_pair(tmp_path: Path) -> None:
    path = tmp_path / "data.jsonl"
    rows = [
        {"id": 1, "eng_Latn": "a", "deu_Latn": "A", "roh_sursilv": None},
        {"id": 2, "eng_Latn": "b", "deu_Latn": "", "roh_sursilv": "B"},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    data = read_multiparallel(path)
    assert data.languages == ["eng_Latn", "deu_Latn", "roh_sursilv"]
    assert data.pair("eng_Latn", "deu_Latn") == (["a"], ["A"])
    assert data.pair("eng_Latn", "roh_sursilv") == (["b"], ["B"])


def test_bad_multiparallel_data_are_named(tmp_path: Path) -> None:
    folder = flores(tmp_path)
    (folder / "devtest" / "cat_Latn.devtest").write_text("one\n", encoding="utf-8")
    with pytest.raises(DataError, match="cat_Latn has 1 sentences, eng_Latn has 5: they must be parallel"):
        read_multiparallel(folder)
    (folder / "devtest" / "cat_Latn.devtest").write_text("", encoding="utf-8")
    with pytest.raises(DataError, match=r"cat_Latn.devtest: empty file"):
        read_multiparallel(folder)
    (tmp_path / "x.jsonl").write_text('{"deu_Latn": "a"}\n', encoding="utf-8")
    with pytest.raises(DataError, match="no eng_Latn; languages found: deu_Latn"):
        read_multiparallel(tmp_path / "x.jsonl")
    data = Multiparallel("x", {"eng_Latn": ("a",)})
    with pytest.raises(LanguageError, match="x has no fra_Latn"):
        data.select(["fra_Latn"])


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.tsv", "a\tb\n", "line 1: expected original, altered, kind"),
        ("a.tsv", "a\ta\tnumber\n", "'a' is not altered"),
        ("a.json", '{"b": 1}', "not of the form"),
        ("a.tsv", "", "empty file"),
    ],
    ids=["fields", "unchanged", "json", "empty"],
)
def test_bad_alterations_are_named(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=message):
        read_altered(tmp_path / name)


def test_alterations_of_another_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / "other.tsv").write_text("far away\tfar off\tentity\n", encoding="utf-8")
    with pytest.raises(DataError, match="none of its originals is in the English text"):
        read_sources([str(flores(tmp_path)), str(tmp_path / "other.tsv")])
    with pytest.raises(DataError, match="also needs the sentences in other languages"):
        read_sources([str(tmp_path / "other.tsv")])
