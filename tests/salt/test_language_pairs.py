"""The languages of Table 16 and the rule of §4."""

import pytest

from alee_mteb.errors import LanguageError
from alee_mteb.languages import official_languages
from salt.data.languages import (
    benchmark_languages,
    checked_language,
    kept_language_pairs,
    touches_test,
    training_languages,
    unseen_languages,
)


def test_the_counts_of_table_16():
    assert len(training_languages()) == 93
    assert len(benchmark_languages()) == 57
    assert len(unseen_languages()) == 29


def test_the_unseen_languages_are_those_the_paper_lists():
    assert unseen_languages() == {
        "als_Latn",
        "azj_Latn",
        "cat_Latn",
        "cym_Latn",
        "dan_Latn",
        "deu_Latn",
        "ell_Grek",
        "est_Latn",
        "eus_Latn",
        "fin_Latn",
        "heb_Hebr",
        "hun_Latn",
        "hye_Armn",
        "isl_Latn",
        "ita_Latn",
        "jav_Latn",
        "jpn_Jpan",
        "kat_Geor",
        "kaz_Cyrl",
        "khk_Cyrl",
        "kor_Hang",
        "lvs_Latn",
        "nld_Latn",
        "pol_Latn",
        "ron_Latn",
        "swe_Latn",
        "tha_Thai",
        "tur_Latn",
        "vie_Latn",
    }


def test_all_are_flores_languages():
    flores = {language.code for language in official_languages("ALEE-F200")} | {"eng_Latn"}
    assert training_languages() | benchmark_languages() <= flores


@pytest.mark.parametrize(
    ("languages", "kept"),
    [
        pytest.param(("eng_Latn", "ace_Arab"), True, id="source is a test language"),
        pytest.param(("ace_Arab", "fra_Latn"), True, id="target is a test language"),
        pytest.param(("eng_Latn", "fra_Latn"), True, id="both"),
        pytest.param(("ace_Arab", "bug_Latn"), False, id="neither"),
    ],
)
def test_a_pair_is_kept_if_it_touches_a_test_language(languages, kept):
    assert touches_test(languages) is kept
    assert kept_language_pairs([languages]) == ([languages] if kept else [])


@pytest.mark.parametrize(
    ("given", "code"),
    [("deu_Latn", "deu_Latn"), ("deu-Latn", "deu_Latn"), ("de", "deu_Latn"), ("zh", "zho_Hans"), (" sw ", "swh_Latn")],
)
def test_codes(given, code):
    assert checked_language(given, "here") == code


@pytest.mark.parametrize("given", ["german", "deu", "qqq_Latn", "deu_Xxxx", "", "DE"])
def test_unknown_codes(given):
    with pytest.raises(LanguageError, match="here: unknown language"):
        checked_language(given, "here")
