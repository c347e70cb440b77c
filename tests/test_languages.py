import csv
from pathlib import Path

import pytest

from alee_mteb.languages import Language, canonical_key, language_of, official_languages


@pytest.mark.parametrize(("dataset", "count"), [("ALEE-F200", 204), ("ALEE-MT61", 62), ("ALEE-BQ275", 275)])
def test_official_languages_are_all_there_and_valid_for_mteb(dataset: str, count: int):
    from mteb.languages.check_language_code import check_language_code

    languages = official_languages(dataset)
    assert len(languages) == len({language.key for language in languages}) == count
    assert sum(language.is_english for language in languages) == 1
    for language in languages:
        check_language_code(language.mteb_code)


@pytest.mark.shared
def test_every_one_of_the_541_keys_resolves_to_its_code(shared: Path):
    with (shared / "reference" / "languages.csv").open() as handle:
        rows = list(csv.DictReader(handle))
    assert len(rows) == 541
    for row in rows:
        assert language_of(row["key"]) == Language(row["key"], row["code"])


@pytest.mark.parametrize(
    ("key", "code"),
    [
        ("roh_sursilv", "roh_Latn"),
        ("por_Latn_braz1246", "por_Latn"),
        ("fil_PH", "fil_Latn"),
        ("sr_RS", "srp_Cyrl"),
        ("xyz_Cyrl", "xyz_Cyrl"),
    ],
)
def test_keys_resolve_to_codes(key: str, code: str):
    language = language_of(key)
    assert language is not None
    assert language.code == code
    assert language.mteb_code == code.replace("_", "-")


@pytest.mark.parametrize(
    "name", ["domain", "is_bad_source", "eng_RoleSwap_negative", "eng_Regenerated", "SIB_CATEGORY", "has_image"]
)
def test_other_columns_are_no_languages(name: str):
    assert language_of(name) is None


def test_canonical_keys():
    assert canonical_key("deu_Latn", "ALEE-MT61") == "de_DE"
    assert canonical_key("eng_Latn", "ALEE-MT61") == "en_EN"
    assert canonical_key("fra_Latn", "ALEE-MT61") == "fra_Latn"  # fr_FR or fr_CA: cannot know
    assert canonical_key("deu_Latn", "ALEE-F200") == "deu_Latn"
    assert canonical_key("deu_Latn", "ALEE-Sample") == "deu_Latn"
