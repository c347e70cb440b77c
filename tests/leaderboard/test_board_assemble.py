"""From entries to the board: rows, ties, names, and what a hostile name becomes."""

import json
import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from support.board_entries import synthetic_entry

from alee_mteb.datasets import THREE_DATASETS
from alee_mteb.languages import Language, official_languages
from leaderboard.board.assemble import assemble
from leaderboard.board.names import language_name, printable, script_name, tier_of
from leaderboard.entries import Entry, ModelFacts, load_entries

LANGUAGES = [Language("deu_Latn", "deu_Latn"), Language("amh_Ethi", "amh_Ethi"), Language("eng_Latn", "eng_Latn")]


def small(number: int, ability: float, **changes: Any) -> Entry:
    entry = synthetic_entry(number, "ALEE-Own", LANGUAGES, rows=60, ability=ability)
    return replace(entry, **changes)


@pytest.fixture(scope="module")
def three() -> dict[str, Any]:
    """Two models far apart and one on half of the languages, on all three data sets, and the published rows."""
    entries = [
        synthetic_entry(number, task, ability=ability)
        for task in THREE_DATASETS
        for number, ability in ((1, 2.0), (2, 1.0))
    ]
    some = official_languages("ALEE-F200")[:100]
    entries.append(synthetic_entry(3, "ALEE-F200", some, ability=3.0))
    return assemble(entries + [one for one in load_entries() if one.kind == "published"])


def rows_of(board: dict[str, Any], kind: str = "verified") -> list[dict[str, Any]]:
    return [row for row in board["entries"] if row["kind"] == kind]


def test_entries_in_any_order_give_the_same_board() -> None:
    entries = [small(number, ability) for number, ability in enumerate((1.0, 2.0, 0.5))]
    shuffled = random.Random(5).sample(entries, 3)
    assert json.dumps(assemble(entries)) == json.dumps(assemble(shuffled))


def test_models_that_pass_the_same_triplets_tie_and_a_worse_one_does_not() -> None:
    first = small(1, 2.0)
    twin = replace(first, model=replace(first.model, name="lab/twin"))
    board = assemble([first, twin, small(2, -1.0)])
    groups = {row["name"]: row["data"]["ALEE-Own"]["group"][0] for row in board["entries"]}
    assert groups[first.model.name] == groups["lab/twin"] == 1
    assert groups[small(2, -1.0).model.name] == 2


def test_the_mean_of_three_data_sets_has_an_interval_and_a_rank(three: dict[str, Any]) -> None:
    better, worse = rows_of(three)[0], rows_of(three)[1]
    macros = [better["data"][task]["score"][0] for task in THREE_DATASETS]
    assert better["all"]["score"][0] == pytest.approx(sum(macros) / 3, abs=2e-5)
    assert better["all"]["low"][0] < better["all"]["score"][0] < better["all"]["high"][0]
    assert (better["all"]["group"][0], worse["all"]["group"][0]) == (1, 2)


def test_a_model_on_some_languages_is_shown_without_rank(three: dict[str, Any]) -> None:
    (row,) = (row for row in rows_of(three) if row["all"] is None and "ALEE-F200" in row["data"])
    block = row["data"]["ALEE-F200"]
    assert (block["languages"], block["total"], block["group"]) == (100, 204, None)


def test_published_rows_have_their_printed_figures_and_nothing_computed(three: dict[str, Any]) -> None:
    published = rows_of(three, "published")
    assert len(published) == 14
    (row,) = (row for row in published if row["name"] == "intfloat/multilingual-e5-large-instruct")
    block = row["data"]["ALEE-F200"]
    assert block["score"] == [0.905, 0.945, 0.882, 0.904, 0.889]
    assert block["low"] is block["group"] is block["tacc"] is row["outcomes"] is None
    assert row["all"]["score"][0] == pytest.approx((0.905 + 0.899 + 0.842) / 3, abs=1e-5)
    news = row["data"]["ALEE-MT61"]
    assert (news["romansh"], news["without"], news["languages"], news["total"]) == (0.796, ["fil_PH"], 61, 62)
    assert news["bins"] == [0.95776, 0.89498, 0.85006]
    assert row["data"]["ALEE-BQ275"]["bins"][0] > row["data"]["ALEE-BQ275"]["bins"][1]


def test_romansh_is_the_mean_of_six_varieties(three: dict[str, Any]) -> None:
    row = rows_of(three)[0]
    block = row["data"]["ALEE-MT61"]
    (dataset,) = (one for one in three["datasets"] if one["name"] == "ALEE-MT61")
    places = [at for at, key in enumerate(dataset["keys"]) if key.startswith("roh_")]
    assert len(places) == 6
    assert block["romansh"] == pytest.approx(
        np.mean([[kind[at] for at in places] for kind in block["tacc"]]) / 1000, abs=1e-3
    )
    assert row["data"]["ALEE-BQ275"]["romansh"] is None


def test_every_key_leads_to_its_language(three: dict[str, Any]) -> None:
    for dataset in three["datasets"]:
        if dataset["name"] not in THREE_DATASETS:
            continue
        codes = [three["languages"][at]["code"] for at in dataset["language"]]
        assert dict(zip(dataset["keys"], codes, strict=True)) == {
            language.key: language.code for language in official_languages(dataset["name"])
        }
    romansh = next(one for one in three["languages"] if one["code"] == "roh_Latn")
    assert "roh_sursilv" in romansh["search"]
    assert "sursilvan" in romansh["search"]


def test_thousandths_give_the_triplets_back() -> None:
    entry = small(1, 0.7)
    block = assemble([entry])["entries"][0]["data"]["ALEE-Own"]
    dataset = assemble([entry])["datasets"][0]
    for subset in entry.subsets:
        place = dataset["keys"].index(subset.key)
        assert subset.outcomes is not None
        assert [round(kind[place] * 60 / 1000) for kind in block["tacc"]] == subset.outcomes.passed.sum(axis=1).tolist()


def test_characters_that_hide_or_reorder_are_made_visible() -> None:
    assert (
        printable("a\u202eb\x00c\nd")
        == "a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}c\N{REPLACEMENT CHARACTER}d"
    )


@pytest.mark.parametrize(
    "link",
    [
        "javascript:alert(1)",
        "http://example.org/x",
        "https://example.org/\nx",
        "https://ex ample.org",
        "data:text/html,x",
    ],
    ids=["script", "unencrypted", "line-end", "space", "data"],
)
def test_only_plain_secure_links_are_kept(link: str) -> None:
    entry = small(1, 1.0, model=ModelFacts("lab/model", "1", link=link))
    assert assemble([entry])["entries"][0]["link"] is None


@pytest.mark.parametrize(
    ("code", "name", "script", "tier"),
    [
        ("deu_Latn", "German", "Latin", "2-50"),
        ("eng_Latn", "English", "Latin", "1"),
        ("swh_Latn", "Swahili", "Latin", "51-100"),
        ("ell_Grek", "Modern Greek", "Greek", "2-50"),
        ("agr_Latn", "Aguaruna", "Latin", "unlisted"),
    ],
    ids=["deu", "eng", "swh", "ell", "agr"],
)
def test_names_of_languages(code: str, name: str, script: str, tier: str) -> None:
    assert (language_name(code), script_name(code), tier_of(code)) == (name, script, tier)
