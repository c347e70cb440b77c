"""`alee stats`: counts, reasons and lengths of a build whose every row is known."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.doubles import ListCorpus, engine, source, stages

from alee_mteb.errors import DataError
from builders.build import build
from builders.recipes import BuildConfig
from builders.stages import Status
from builders.stats import as_json, as_text, folder_stats, token_lengths

# Tokens: 6 each ("The boy believes the girl today" without a full stop), except where said.
TEXTS = [
    source("a", "The boy believes the girl today"),
    source("b", "The king visits the queen again"),
    source("c", "This is unparsable, most certainly!"),  # 7: This is unparsable , most certainly !
    source("d", "Too short."),  # 3
]


@pytest.fixture
def folder(tmp_path):
    rule = lambda a, b: Status.REJECTED_ENTAILMENT if "king" in a and "rs" in b else Status.SUCCESS  # noqa: E731
    build(
        BuildConfig(corpus="unused", perturbations=["PN", "RS"], control=True),
        tmp_path,
        open_corpus=lambda _: ListCorpus(TEXTS),
        open_stages=lambda config, progress: engine(stages(rule, n_candidates=2)),
    )
    return tmp_path


def test_counts_are_those_of_the_rows(folder):
    stats = folder_stats(folder)[0]
    assert (stats.config, stats.sources) == ("alee_test", 4)
    negation, swap = stats.perturbations
    assert (negation.code, negation.foils, negation.share) == ("PN", 2, 0.5)
    assert negation.statuses == {"success": 2, "no_candidate": 1, "parse_failed": 1}
    assert (swap.code, swap.foils) == ("RS", 1)
    assert swap.statuses == {"success": 1, "no_candidate": 1, "parse_failed": 1, "rejected_entailment": 1}
    assert stats.control == {"success": 2, "no_candidate": 1, "parse_failed": 1}


def test_lengths_are_in_tokens_of_the_paper(folder):
    stats = folder_stats(folder)[0]
    # Sources: 6, 6, 7, 3. Foils: the source and "pn 01 the <last word>", so 10 each.
    assert (stats.source_lengths.median, stats.source_lengths.q1, stats.source_lengths.q3) == (6, 5.25, 6.25)
    assert (stats.foil_lengths.n, stats.foil_lengths.median) == (3, 10)


@settings(deadline=None)
@given(st.lists(st.integers(0, 60), min_size=1, max_size=40))
def test_quartiles_are_those_of_numpy(counts):
    found = token_lengths(" ".join("w" * n) for n in counts)
    assert (found.q1, found.median, found.q3) == pytest.approx(tuple(np.percentile(counts, [25, 50, 75])))


@pytest.mark.parametrize(
    ("text", "n"), [("", 0), ("Don't stop!", 5), ("3.5 km — <b>ok</b>", 13), ("日本語 です", 2), ("🙂🙂", 2)]
)
def test_tokens_are_runs_of_word_characters_or_single_marks(text, n):
    assert token_lengths([text]).median == n


def test_examples_are_seeded(folder):
    drawn = [folder_stats(folder, 1, seed)[0].perturbations[0].examples for seed in range(8)]
    assert folder_stats(folder, 1, 3)[0].perturbations[0].examples == drawn[3]
    assert {example[0].id for example in drawn} == {"a", "b"}
    assert (drawn[0][0].edit, drawn[0][0].foil.split()[-4]) in {("boy-01 → pn-01", "pn"), ("king-01 → pn-01", "pn")}


def test_text_for_the_terminal(folder):
    text = as_text(folder_stats(folder, 0)[0])
    assert "alee_test: 4 sources, 3 foils" in text
    assert "PN polarity negation      2  50.0%             1             1                    0" in text
    assert "RS role swap              1  25.0%             1             1                    1" in text
    assert "control texts: 2 success, 1 no candidate, 1 parse failed" in text
    assert "sources      4       6  5.25–6.25" in text


def test_json_holds_the_same(folder):
    stats = json.loads(as_json(folder_stats(folder)))[0]
    assert stats["sources"] == 4
    assert [entry["foils"] for entry in stats["perturbations"]] == [2, 1]


def test_published_data_without_provenance_has_counts_and_lengths(tmp_path):
    (tmp_path / "alee_mt61.csv").write_text(
        "segment_id,en_EN,en_RoleSwap_negative,de_DE\n1,A saw B.,B saw A.,A sah B.\n2,Hello there.,,Hallo.\n"
    )
    stats = folder_stats(tmp_path)[0]
    assert (stats.sources, stats.perturbations[0].foils, stats.perturbations[0].statuses) == (2, 1, {})
    assert "RS role swap      1  50.0%" in as_text(stats)


def test_escape_sequences_of_a_text_do_not_reach_the_terminal(tmp_path):
    (tmp_path / "x.jsonl").write_text(
        json.dumps({"id": "1", "eng_Latn": "Red \x1b[31m\nalert", "eng_RoleSwap_negative": "Alert \u202ered"})
    )
    text = as_text(folder_stats(tmp_path)[0])
    assert "Red �[31m ⏎ alert" in text
    assert "Alert �red" in text


@pytest.mark.parametrize(
    ("prepare", "message"),
    [
        (lambda path: path.rmdir(), "no such folder"),
        (lambda path: None, "no triplet tables found"),
        (lambda path: (path / ".work").mkdir(), "an unfinished build; run its `alee build` command again"),
        (lambda path: (path / "x.csv").write_text("a,b\n1,2\n"), "not a triplet table"),
        (
            lambda path: [(path / "x.csv").write_text("id,eng_Latn\n1,a\n"), (path / "manifest.json").write_text("{")],
            "not a readable manifest",
        ),
    ],
)
def test_folders_that_are_no_build(tmp_path, prepare, message):
    folder = tmp_path / "folder"
    folder.mkdir()
    prepare(folder)
    with pytest.raises(DataError, match=message):
        folder_stats(folder)
