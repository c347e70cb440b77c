"""Keys of data sets to NLLB's language codes, with the real list of codes."""

import pytest
from transformers.models.nllb.tokenization_nllb import FAIRSEQ_LANGUAGE_CODES

from alee_mteb.encoders.languages import _SAME, language_token
from alee_mteb.errors import LanguageError
from alee_mteb.languages import official_languages

KNOWN = frozenset(FAIRSEQ_LANGUAGE_CODES)


@pytest.mark.parametrize(
    ("key", "code"),
    [
        ("deu_Latn", "deu_Latn"),
        ("deu-Latn", "deu_Latn"),
        ("de_DE", "deu_Latn"),
        ("en_EN", "eng_Latn"),
        ("zh_CN", "zho_Hans"),
        ("zh_TW", "zho_Hant"),
        ("cmn_Hans", "zho_Hans"),
        ("ar_EG", "arz_Arab"),
        ("fa_IR", "pes_Arab"),
        ("fil_PH", "tgl_Latn"),
        ("sw_KE", "swh_Latn"),
        ("lv_LV", "lvs_Latn"),
        ("no_NO", "nob_Latn"),
        ("et_EE", "est_Latn"),
        ("ekk_Latn", "est_Latn"),
        ("por_Latn_braz1246", "por_Latn"),
        ("sat_Olck", "sat_Beng"),
    ],
)
def test_codes(key: str, code: str) -> None:
    assert language_token(key, KNOWN) == code


@pytest.mark.parametrize("key", ["roh_sursilv", "roh_rumgr", "bre_Latn", "hin_Latn", "arb_Latn", "chr_Cher"])
def test_languages_that_nllb_was_not_trained_on(key: str) -> None:
    with pytest.raises(LanguageError, match=f"language '{key}' .* no language token"):
        language_token(key, KNOWN)


@pytest.mark.parametrize("key", ["Klingon", "", "domain", "de-en"])
def test_no_languages(key: str) -> None:
    with pytest.raises(LanguageError, match="give ISO 639-3 and script"):
        language_token(key, KNOWN)


def test_every_other_spelling_leads_to_a_code_that_exists() -> None:
    assert set(_SAME.values()) <= KNOWN
    assert not set(_SAME) & KNOWN
    assert all(one.rsplit("_", 1)[1] == other.rsplit("_", 1)[1] for one, other in _SAME.items()
               if one not in ("kor_Kore", "sat_Olck"))  # fmt: skip


def test_all_of_flores_but_two_scripts_has_a_token() -> None:
    without = []
    for language in official_languages("ALEE-F200"):
        try:
            language_token(language.key, KNOWN)
        except LanguageError:
            without.append(language.key)
    assert without == ["arb_Latn", "min_Arab"]
