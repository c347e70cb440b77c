from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from support.ten_rows import wide_rows

from alee_mteb.errors import AleeError, DataError, LanguageError
from alee_mteb.perturbations import Perturbation
from alee_mteb.tables import TableReader
from alee_mteb.triplets import TripletTable, load_triplets, same_text


def load(table: pa.Table, dataset: str = "ALEE-X") -> TripletTable:
    return load_triplets(TableReader.of(table), dataset, "file.parquet")


def ours(**columns: list) -> pa.Table:
    base = {
        "id": ["a", "b"],
        "eng_Latn": ["It works.", "They left."],
        "eng_PolarityNegation_negative": ["It does not work.", None],
        "eng_RoleSwap_negative": [None, "Nobody left."],
        "deu_Latn": ["Es geht.", None],
    }
    return pa.table({**base, **columns})


def test_rows_come_in_numeric_order_and_rows_without_foil_are_dropped(write_csv: Callable[..., Path]):
    rows = wide_rows()
    rows.append({**rows[0], "id": "11", **dict.fromkeys([name for name in rows[0] if name.endswith("negative")], "")})
    table = load_triplets(TableReader([write_csv(rows)]), "ALEE-X", "x")
    assert table.ids == tuple(map(str, range(1, 11)))
    assert table.n_dropped == {"bad_source": 0, "no_foil": 1}
    assert table.targets("deu_Latn").n_missing == 1


def test_our_dialect():
    table = load(ours())
    assert table.english == "eng_Latn"
    assert table.languages == {"eng_Latn": "eng_Latn", "deu_Latn": "deu_Latn"}
    assert table.foils[Perturbation.POLARITY_NEGATION] == ("It does not work.", None)
    assert table.foils[Perturbation.HYPERNYM_SUBSTITUTION] == (None, None)
    assert table.targets("deu_Latn").texts == ("Es geht.", None)
    assert list(table.english_texts()) == ["It works.", "They left.", "It does not work.", "Nobody left."]


def test_the_authors_dialect_of_wmt24():
    table = load(
        pa.table(
            {
                "domain": ["news", "news", "social"],
                "document_id": ["d1", "d1", "d2"],
                "segment_id": [7, 12, 9],
                "is_bad_source": [False, False, True],
                "en_EN": ["It works.", "They left.", ""],
                "en_PolarityNegation_negative": ["It does not work.", "They did not leave.", None],
                "de_DE": ["Es geht.", "Sie gingen.", "x"],
                "roh_sursilv": ["I va.", "Els ein i.", "x"],
            }
        ),
        "ALEE-MT61",
    )
    assert table.english == "en_EN"
    assert table.ids == ("7", "12")
    assert set(table.languages) == {"en_EN", "de_DE", "roh_sursilv"}
    assert table.n_dropped == {"bad_source": 1, "no_foil": 0}
    assert table.metadata["domain"] == ("news", "news")
    assert table.targets("roh_sursilv").language.mteb_code == "roh-Latn"


def test_either_spelling_of_a_language_gives_the_official_key():
    table = load(ours(), "ALEE-MT61")
    assert table.english == "en_EN"
    assert table.languages == {"en_EN": "eng_Latn", "de_DE": "deu_Latn"}


def test_control_texts_are_read():
    table = load(ours(eng_Regenerated=["It is working.", None]))
    assert table.regenerated == ("It is working.", None)
    assert list(table.english_texts())[-1] == "It is working."


def test_uniq_id_is_preferred_for_bouquet():
    assert load(ours(id=["p", "p"], uniq_id=["P1-S1", "P1-S2"])).ids == ("P1-S1", "P1-S2")


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"eng_Latn": ["It works.", None]}, "file.parquet: column 'eng_Latn', row b: the source is missing"),
        ({"eng_Latn": ["  ", "They left."]}, "file.parquet: column 'eng_Latn', row a: the source is missing"),
        ({"id": ["a", "a"]}, "file.parquet: column 'id': duplicate id 'a' (1 ids are not unique)"),
        ({"id": ["a", None]}, "file.parquet: column 'id', row 2: expected an id (text or whole number), got None"),
        ({"id": [1.0, 2.0]}, "file.parquet: column 'id', row 1: expected an id (text or whole number), got 1.0"),
        (
            {"eng_RoleSwap_negative": [None, "THEY left!"]},
            "file.parquet: column 'eng_RoleSwap_negative', row b: the foil equals its source",
        ),
        (
            {"eng_RoleSwap_negative": [1, 2]},
            "file.parquet: column 'eng_RoleSwap_negative': expected text, got int64",
        ),
        (
            {"eng_PolarityNegation_negative": [None, None], "eng_RoleSwap_negative": [None, None]},
            "file.parquet: zero usable triplets, no row has a foil",
        ),
        (
            {"is_bad_source": ["maybe", "no"]},
            "file.parquet: column 'is_bad_source', row 1: expected true or false, got 'maybe'",
        ),
        (
            {"deu_Latm": ["x", "y"]},
            "file.parquet: unknown language key 'deu_Latm': no such ISO 639-3 language or script",
        ),
        (
            {"de_XX": ["x", "y"]},
            "file.parquet: unknown language key 'de_XX'; use ISO 639-3 and script (deu_Latn) "
            "or a key of the official data sets (de_DE)",
        ),
        ({"de_DE": ["x", "y"]}, "file.parquet: the columns 'deu_Latn' and 'de_DE' are the same language, de_DE"),
    ],
)
def test_every_broken_rule_is_named(columns: dict, message: str):
    with pytest.raises(AleeError) as error:
        load(ours(**columns), "ALEE-MT61" if "de_DE" in columns else "ALEE-X")
    assert str(error.value) == message


def test_tables_without_foils_ids_or_english_are_refused():
    with pytest.raises(DataError, match="no foil columns such as eng_PolarityNegation_negative"):
        load(pa.table({"id": ["1"], "eng_Latn": ["x"], "deu_Latn": ["y"]}))
    with pytest.raises(DataError, match="no column that identifies a row"):
        load(ours().drop_columns(["id"]))
    with pytest.raises(DataError, match=r"no English column \(one of eng_Latn, en_EN\)"):
        load(pa.table({"id": ["1"], "deu_Latn": ["y"]}))


def test_a_language_without_translations_or_of_another_type_is_refused_when_asked_for():
    table = load(ours(fra_Latn=[None, ""], ita_Latn=[1, 2]))
    with pytest.raises(DataError, match="column 'fra_Latn': zero usable triplets"):
        table.targets("fra_Latn")
    with pytest.raises(DataError, match="column 'ita_Latn': expected text, got int64"):
        table.targets("ita_Latn")
    with pytest.raises(LanguageError, match="no language 'spa_Latn'; it has eng_Latn, deu_Latn, fra_Latn, ita_Latn"):
        table.targets("spa_Latn")


@pytest.mark.parametrize(
    ("source", "foil", "same"),
    [
        ("He's in.", "hes IN", True),
        ("He is in.", "He is not in.", False),
        ("...", "!!!", False),
        ("...", "...", True),
        ("1990", "1991", False),
        ("Straße", "strasse", False),
    ],
)
def test_no_change_rule(source: str, foil: str, same: bool):
    assert same_text(source, foil) is same
