"""Reading corpora: the layouts of the three known ones, any table, and what is left out on the way."""

import csv
import json
import tracemalloc
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from alee_mteb.errors import DataError, LanguageError
from alee_mteb.languages import official_languages
from builders.corpora import open_corpus
from builders.corpora.cleaning import clean_or_none, clean_text, is_blank, same_words
from builders.corpora.flores import RENAMED
from builders.stages import Corpus, SourceText

Rows = Sequence[Mapping[str, Any]]


def write_jsonl(path: Path, rows: Rows) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def write_parquet(path: Path, rows: Rows) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist([dict(row) for row in rows]), path)
    return path


def write_text(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    return path


def texts(corpus: Corpus) -> dict[str, str]:
    return {row.id: row.text for row in corpus.rows()}


def official(dataset: str) -> list[str]:
    return [language.key for language in official_languages(dataset) if not language.is_english]


# -- cleaning -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("a\r\nb\rc\nd", "a\nb\nc\nd"),
        ("a\r\r\nb", "a\n\nb"),
        ("nul\x00 bell\x07 tab\t esc\x1b[0m del\x7f", "nul bell tab\t esc[0m del"),
        ("\ufeffstart and mid\ufeffdle", "start and middle"),
        ("half \ud83d pair", "half \ufffd pair"),
        ("می\u200cخواهم 👩\u200d🔬 \u200fعربي", "می\u200cخواهم 👩\u200d🔬 \u200fعربي"),
        ("e\u0301 \u00e9", "e\u0301 \u00e9"),
        ("  ends stay \n", "  ends stay \n"),
    ],
)
def test_cleaning(raw: str, expected: str):
    assert clean_text(raw) == expected


@given(st.text(st.characters()))
def test_cleaned_text_is_stable_and_writable(text: str):
    cleaned = clean_text(text)
    assert clean_text(cleaned) == cleaned
    cleaned.encode("utf-8")
    assert not any(ord(c) < 32 and c not in "\t\n" for c in cleaned)


def test_what_counts_as_blank():
    assert all(is_blank(text) for text in (None, "", " \n\t", "\u200b\u2060", "\u3000"))
    assert not any(is_blank(text) for text in ("a", "👍", ".", " 0 "))
    assert clean_or_none("\x00\x01 ") is None
    assert same_words("A  b\nC", "a b c")


# -- tables ---------------------------------------------------------------------------------------------------------

TABLE = [
    {"id": "a1", "eng_Latn": "The first.", "deu_Latn": "Der erste.", "fr_FR": "Le premier.", "domain": "news"},
    {"id": "a2", "eng_Latn": 'She said "no".', "deu_Latn": None, "fr_FR": "Elle a dit « non ».", "domain": None},
    {"id": "a3", "eng_Latn": "Two\nlines,\tand a tab", "deu_Latn": "Zwei", "fr_FR": "  ", "domain": "web"},
]
EXPECTED = [
    SourceText("a1", "The first.", {"deu_Latn": "Der erste.", "fr_FR": "Le premier."}, {"domain": "news"}),
    SourceText("a2", 'She said "no".', {"deu_Latn": None, "fr_FR": "Elle a dit « non »."}, {"domain": None}),
    SourceText("a3", "Two\nlines,\tand a tab", {"deu_Latn": "Zwei", "fr_FR": None}, {"domain": "web"}),
]


def write_table(path: Path, rows: Rows, **dialect: Any) -> Path:
    if path.suffix == ".parquet":
        return write_parquet(path, rows)
    if path.suffix == ".jsonl":
        return write_jsonl(path, rows)
    with path.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, list(rows[0]), delimiter="\t" if path.suffix == ".tsv" else ",", **dialect)
        writer.writeheader()
        writer.writerows(rows)
    return path


@pytest.mark.parametrize("kind", [".csv", ".tsv", ".jsonl", ".parquet"])
def test_any_table_gives_the_same_rows(tmp_path: Path, kind: str):
    corpus = open_corpus(write_table(tmp_path / f"My corpus{kind}", TABLE))
    assert list(corpus.rows()) == EXPECTED
    assert (corpus.english, corpus.languages, corpus.config) == ("eng_Latn", ("deu_Latn", "fr_FR"), "alee_my_corpus")
    assert (corpus.license, corpus.revision, corpus.dropped) == ("unknown", None, {})
    assert list(corpus.rows()) == EXPECTED


def test_a_quoted_field_may_start_in_the_last_column_of_a_tsv(tmp_path: Path):
    path = write_text(tmp_path / "c.tsv", 'deu_Latn\teng_Latn\nEins\t"One\nand a half"\nZwei\tTwo\n')
    assert texts(open_corpus(path)) == {"1": "One\nand a half", "2": "Two"}


def test_quotation_marks_in_a_plain_tsv_belong_to_the_text(tmp_path: Path):
    path = write_text(
        tmp_path / "c.tsv",
        'en\tdeu_Latn\n"No," she said.\t„Nein“\n"Yes.\tJa\n"Quoted whole."\tGanz\nlast"\tletzte\n',
    )
    assert list(texts(open_corpus(path)).values()) == ['"No," she said.', '"Yes.', '"Quoted whole."', 'last"']


def test_a_plain_tsv_that_could_be_read_as_quoted_is_not(tmp_path: Path):
    path = write_text(tmp_path / "c.tsv", 'en\tdeu_Latn\n"Quoted whole."\tGanz\nNot.\t„Nicht.“\n')
    assert list(texts(open_corpus(path)).values()) == ['"Quoted whole."', "Not."]


def test_a_tsv_with_every_field_quoted_is_unquoted(tmp_path: Path):
    path = write_table(tmp_path / "c.tsv", [{"en": "One", "deu_Latn": "Eins"}], quoting=csv.QUOTE_ALL)
    assert texts(open_corpus(path)) == {"1": "One"}


@pytest.mark.parametrize(
    ("header", "english"),
    [("en_EN", "en_EN"), ("en", "eng_Latn"), ("English", "eng_Latn"), ("EN", "eng_Latn"), ("eng_Latn", "eng_Latn")],
)
def test_english_is_found_under_its_usual_names(tmp_path: Path, header: str, english: str):
    corpus = open_corpus(write_text(tmp_path / "c.csv", f"{header},deu_Latn\r\nHello,Hallo\r\n"))
    assert corpus.english == english
    assert texts(corpus) == {"1": "Hello"}


def test_columns_can_be_named(tmp_path: Path):
    path = write_text(tmp_path / "c.csv", "Nr,Source,German,Note\n7,Hello,Hallo,x\n")
    corpus = open_corpus(path, english_column="Source", id_column="Nr", columns={"German": "deu_Latn"})
    assert list(corpus.rows()) == [SourceText("7", "Hello", {"deu_Latn": "Hallo"}, {"Note": "x"})]


def test_numbers_and_structures_become_metadata_in_words(tmp_path: Path):
    rows = [{"segment_id": 3, "en": "Hello", "score": 0.5, "tags": ["a", "b"], "checked": True, "none": None}]
    (row,) = open_corpus(write_jsonl(tmp_path / "c.jsonl", rows)).rows()
    assert row.id == "3"
    assert row.metadata == {"score": "0.5", "tags": '["a", "b"]', "checked": "true", "none": None}


def test_other_columns_cannot_pass_for_the_id_of_the_built_table(tmp_path: Path):
    path = write_text(tmp_path / "c.csv", "nr,id,uniq_id,en,deu_Latn\n7,a,b,Hello,Hallo\n")
    (row,) = open_corpus(path, id_column="nr").rows()
    assert row.id == "7"
    assert row.metadata == {"source_id": "a", "source_uniq_id": "b"}


def test_bad_and_empty_sources_are_counted_and_left_out(tmp_path: Path):
    rows = [
        {"id": 1, "en": "Good.", "is_bad_source": False, "deu_Latn": "Gut."},
        {"id": 2, "en": "Bad.", "is_bad_source": True, "deu_Latn": "Schlecht."},
        {"id": 3, "en": " \u200b\x00", "is_bad_source": False, "deu_Latn": "Leer."},
        {"id": 4, "en": None, "is_bad_source": False, "deu_Latn": "Nichts."},
        {"id": 5, "en": "Also\r\ngood.\x07", "is_bad_source": None, "deu_Latn": "\x00"},
    ]
    corpus = open_corpus(write_jsonl(tmp_path / "c.jsonl", rows))
    assert [(row.id, row.text, row.translations) for row in corpus.rows()] == [
        ("1", "Good.", {"deu_Latn": "Gut."}),
        ("5", "Also\ngood.", {"deu_Latn": None}),
    ]
    assert corpus.dropped == {"bad_source": 1, "empty_source": 2}


def test_a_second_row_of_an_id_is_refused_or_left_out(tmp_path: Path):
    path = write_text(tmp_path / "c.csv", "id,en,deu_Latn\n1,One,Eins\n2,Two,Zwei\n1,Another one,Noch eins\n")
    with pytest.raises(DataError, match=r"c\.csv, row 3: the id '1' has been used before"):
        list(open_corpus(path).rows())
    corpus = open_corpus(path, duplicates="first")
    assert texts(corpus) == {"1": "One", "2": "Two"}
    assert corpus.dropped == {"duplicate_id": 1}


def test_a_folder_of_shards_is_one_table(tmp_path: Path):
    write_text(tmp_path / "part-1.csv", "en,deu_Latn\nOne,Eins\n")
    write_text(tmp_path / "part-2.csv", "deu_Latn,en\nZwei,Two\n")
    assert texts(open_corpus(tmp_path)) == {"1": "One", "2": "Two"}


@pytest.mark.parametrize(
    ("name", "content", "options", "message"),
    [
        ("c.csv", "source,deu_Latn\na,b\n", {}, "no English column (eng_Latn, en_EN, en, english); the columns are"),
        ("c.csv", "en,deu_Latn\na,b\n", {"english_column": "EN"}, "no column 'EN'; the columns are en, deu_Latn"),
        ("c.csv", "en,deu_Latn\na,b\n", {"id_column": "nr"}, "no column 'nr'; the columns are en, deu_Latn"),
        ("c.csv", "en,x\na,b\n", {"columns": {"x": "German"}}, "column 'x': 'German' is no language key; use ISO"),
        ("c.csv", "en,x\na,b\n", {"columns": {"y": "deu_Latn"}}, "no column 'y'; the columns are en, x"),
        ("c.csv", "en,x,deu_Latn\na,b,c\n", {"columns": {"x": "deu_Latn"}}, "the columns 'x' and 'deu_Latn' are the"),
        ("c.csv", "en,eng_Latn\na,b\n", {"english_column": "en"}, "'en' and 'eng_Latn' are both English; drop one"),
        ("c.csv", "en,ger_LATN\na,b\n", {}, "unknown language key 'ger_LATN'; use ISO 639-3 and script (deu_Latn)"),
        ("c.csv", "en,eng_RoleSwap_negative\na,b\n", {}, "column 'eng_RoleSwap_negative' holds foils already"),
        ("c.csv", "en,en\na,b\n", {}, "two columns are called 'en'; rename one"),
        ("c.csv", "en,deu_Latn\na,b\n", {"languages": ["fra_Latn"]}, "no language 'fra_Latn'; it has deu_Latn"),
        ("c.csv", "en,deu_Latn\na,b,c\n", {}, "line 2: 3 fields where the header has 2"),
        ("c.tsv", 'en\tdeu_Latn\n"a\tb\nc\n', {}, "line 3: 1 fields where the header has 2"),
        ("c.csv", 'en,deu_Latn\n"a,b\n', {}, "cannot be read, it may be truncated"),
        ("c.csv", "", {}, "the file is empty"),
        ("c.jsonl", "", {}, "the file is empty"),
        ("c.jsonl", '{"en": "a"}\n{"en": \n', {}, "line 2: not valid JSON (Expecting value"),
        ("c.jsonl", '{"en": "a"}\n["a"]\n', {}, "line 2: expected a JSON object, got list"),
        ("c.jsonl", '{"en": 3}\n', {}, "row 1, column 'en': expected text, got int (3)"),
        ("c.jsonl", '{"en": "a", "id": 1.5}\n', {}, "column 'id': expected an id (text or whole number), got 1.5"),
        ("c.parquet", "not parquet", {}, "cannot be read, it may be truncated"),
        ("c.xlsx", "x", {}, "not a table; expected one of .parquet, .csv, .tsv, .jsonl"),
        ("c.csv", "en,deu_Latn\na,b\n", {"revision": "v1"}, "a revision (v1) only makes sense for a Hub repository"),
    ],
)
def test_what_is_wrong_with_a_table_is_one_line(
    tmp_path: Path, name: str, content: str, options: dict[str, Any], message: str
):
    path = write_text(tmp_path / name, content)
    with pytest.raises((DataError, LanguageError)) as error:
        list(open_corpus(path, **options).rows())
    assert message in str(error.value)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)


def test_other_encodings_are_named(tmp_path: Path):
    (tmp_path / "c.csv").write_bytes("en,deu_Latn\nfour,f\xfcnf\n".encode("latin-1"))
    with pytest.raises(DataError, match=r"not UTF-8 \(byte \d+: invalid start byte\); convert it"):
        list(open_corpus(tmp_path / "c.csv").rows())


def test_nothing_there(tmp_path: Path):
    with pytest.raises(DataError, match=r"no such file or folder; give a table file, a folder, or a corpus by name"):
        open_corpus(tmp_path / "none")
    with pytest.raises(DataError, match=r"no table files .* and no corpus whose layout is known"):
        open_corpus(tmp_path)


@pytest.mark.parametrize("kind", [".csv", ".tsv", ".jsonl", ".parquet"])
def test_memory_does_not_grow_with_the_text(tmp_path: Path, kind: str):
    def peak(rows: int) -> int:
        path = tmp_path / f"{rows}{kind}"
        write_table(path, [{"en": f"{n} " + "word " * 400, "deu_Latn": "Wort " * 400} for n in range(rows)])
        corpus = open_corpus(path)
        tracemalloc.start()
        for _ in corpus.rows():
            pass
        size = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return size

    small, large = peak(300), peak(3000)
    assert large - small < 0.05 * 2700 * 4000


# -- FLORES-200 -----------------------------------------------------------------------------------------------------

SENTENCES = {"eng_Latn": ["One.", "Two.", "Three."], "deu_Latn": ["Eins.", "Zwei.", "Drei."]}
FLORES_METADATA = {"URL": "https://x", "domain": "wikinews", "topic": "health", "has_image": "1", "has_hyperlink": "0"}


def flores_hub(folder: Path, sentences: Mapping[str, Sequence[str]]) -> Path:
    """The layout of facebook/flores."""
    for key, lines in sentences.items():
        numbers = {"has_image": 1, "has_hyperlink": 0}
        rows = [{"id": n, **FLORES_METADATA, **numbers, "sentence": line} for n, line in enumerate(lines, 1)]
        write_parquet(folder / key / "devtest-00000-of-00001.parquet", rows)
        write_parquet(folder / key / "dev-00000-of-00001.parquet", rows[:1])
    wide = {f"sentence_{key}": lines[0] for key, lines in sentences.items()}
    write_parquet(folder / "all" / "devtest-00000-of-00001.parquet", [{"id": 1, **wide}])
    return folder


def flores_plus(folder: Path, sentences: Mapping[str, Sequence[str]]) -> Path:
    """The layout of openlanguagedata/flores_plus."""
    for key, lines in sentences.items():
        iso, script = key.split("_")[:2]
        head = {"iso_639_3": iso, "iso_15924": script, "glottocode": "x", "variant": ""}
        tail = {"url": "https://x", "domain": "wikinews", "topic": "health", "has_image": "yes", "has_hyperlink": "no"}
        rows = [{"id": n, **head, "text": line, **tail, "split": "devtest"} for n, line in enumerate(lines)]
        write_jsonl(folder / "devtest" / f"{key}.jsonl", rows)
        write_jsonl(folder / "dev" / f"{key}.jsonl", rows[:1])
    (folder / "README.md").write_text("---\nlicense: cc-by-sa-4.0\n---\n")
    return folder


def flores_tarball(folder: Path, sentences: Mapping[str, Sequence[str]]) -> Path:
    """The layout of flores200_dataset.tar.gz."""
    for key, lines in sentences.items():
        write_text(folder / "devtest" / f"{key}.devtest", "".join(f"{line}\n" for line in lines))
    fields = list(FLORES_METADATA)
    row = "\t".join(FLORES_METADATA.values())
    write_text(folder / "metadata_devtest.tsv", "\n".join(["\t".join(fields), row, row, row]) + "\n")
    return folder


@pytest.mark.parametrize("layout", [flores_hub, flores_plus, flores_tarball])
def test_flores_in_every_layout(tmp_path: Path, layout: Any):
    corpus = open_corpus(layout(tmp_path / "flores", SENTENCES))
    rows = list(corpus.rows())
    assert [(row.id, row.text, row.translations) for row in rows] == [
        ("1", "One.", {"deu_Latn": "Eins."}),
        ("2", "Two.", {"deu_Latn": "Zwei."}),
        ("3", "Three.", {"deu_Latn": "Drei."}),
    ]
    assert set(rows[0].metadata) == {"URL", "domain", "topic", "has_image", "has_hyperlink"}
    assert rows[0].metadata["topic"] == "health"
    assert (corpus.config, corpus.english, corpus.license) == ("alee_f200", "eng_Latn", "cc-by-sa-4.0")


def test_flores_keys_are_those_of_alee_f200(tmp_path: Path):
    """Renamed FLORES+ keys come back as the 203 targets of ALEE-F200; later additions stay out unless asked for."""
    back = {key: plus for plus, key in RENAMED.items()}
    plus_keys = [back.get(key, key) for key in official("ALEE-F200")]
    assert len(set(plus_keys)) == 203
    folder = flores_plus(tmp_path, {key: ["x"] for key in ["eng_Latn", *plus_keys, "cat_Latn_vale1252", "arg_Latn"]})
    corpus = open_corpus(folder)
    assert list(corpus.languages) == official("ALEE-F200")
    assert corpus.absent == ()
    (row,) = corpus.rows()
    assert row.translations == dict.fromkeys(official("ALEE-F200"), "x")
    everything = open_corpus(folder, languages=["all"]).languages
    assert set(everything) - set(official("ALEE-F200")) == {"cat_Latn_vale1252", "arg_Latn"}


@pytest.mark.parametrize(
    ("plus", "key"),
    [
        # The change log of FLORES+, 2.0-rc.1 and 2.0-rc.2, read from right to left.
        ("cmn_Hans", "zho_Hans"),
        ("cmn_Hant", "zho_Hant"),
        ("fil_Latn", "tgl_Latn"),
        ("zgh_Tfng", "tzm_Tfng"),
        ("ekk_Latn", "est_Latn"),
        ("gug_Latn", "grn_Latn"),
        ("ktu_Latn", "kon_Latn"),
        ("apc_Arab_sout3123", "ajp_Arab"),
        ("apc_Arab_nort3139", "apc_Arab"),
        ("twi_Latn_asan1239", "aka_Latn"),
        ("twi_Latn_akua1239", "twi_Latn"),
    ],
)
def test_what_flores_plus_renamed(tmp_path: Path, plus: str, key: str):
    (row,) = open_corpus(flores_plus(tmp_path, {"eng_Latn": ["One."], plus: ["x"]})).rows()
    assert row.translations == {key: "x"}


def test_flores_keeps_odd_line_separators_inside_sentences(tmp_path: Path):
    folder = flores_tarball(tmp_path, {"eng_Latn": ["One\u2028line."], "deu_Latn": ["Eine\x85Zeile."]})
    (row,) = open_corpus(folder).rows()
    assert (row.text, row.translations["deu_Latn"]) == ("One\u2028line.", "Eine\x85Zeile.")


def test_flores_that_does_not_fit_together(tmp_path: Path):
    short = flores_hub(tmp_path / "short", {**SENTENCES, "deu_Latn": ["Eins.", "Zwei."]})
    with pytest.raises(DataError, match=r"deu_Latn/devtest-.*: 2 sentences, but another language has more"):
        list(open_corpus(short).rows())
    mixed = flores_hub(tmp_path / "mixed", SENTENCES)
    rows = [{"id": n, "sentence": "x"} for n in (1, 3, 2)]
    write_parquet(mixed / "deu_Latn" / "devtest-00000-of-00001.parquet", rows)
    with pytest.raises(DataError, match=r"row 2 has the id 3 where English has 2; the files are of different versions"):
        list(open_corpus(mixed).rows())
    none = flores_hub(tmp_path / "none", {"deu_Latn": ["Eins."]})
    with pytest.raises(DataError, match=r"no English file .* is this FLORES-200\?"):
        open_corpus(none)
    with pytest.raises(LanguageError, match=r"no language 'fra_Latn'; it has deu_Latn"):
        open_corpus(mixed, languages=["deu_Latn", "fra_Latn"])


def test_options_of_tables_are_refused_for_known_corpora(tmp_path: Path):
    with pytest.raises(DataError, match="english_column is for other tables"):
        open_corpus(flores_hub(tmp_path, SENTENCES), english_column="en")


# -- WMT24++ --------------------------------------------------------------------------------------------------------


def wmt_row(number: int, source: str, target: str, *, bad: bool = False, lp: str = "en-de_DE") -> dict[str, Any]:
    head = {"lp": lp, "domain": "news", "document_id": f"doc{number // 10}", "segment_id": number}
    return {**head, "is_bad_source": bad, "source": source, "target": target, "original_target": "unedited " + target}


def wmt_folder(folder: Path, languages: Sequence[str], rows: int = 998, bad: int = 180) -> Path:
    for key in languages:
        lines = [wmt_row(n, f"Text {n}.", f"{key} {n}.", bad=n <= bad, lp=f"en-{key}") for n in range(1, rows + 1)]
        write_jsonl(folder / f"en-{key}.jsonl", lines)
    return folder


def romansh(folder: Path, variety: str, targets: Mapping[int, str]) -> Path:
    rows = [wmt_row(n, f"Deutsch {n}.", text, lp=f"de_DE-rm-{variety}") for n, text in targets.items()]
    for row in rows:
        del row["original_target"]
    return write_jsonl(folder / f"de_DE-rm-{variety}.jsonl", rows)


def test_wmt24pp_keeps_818_of_998_sources_in_61_languages(tmp_path: Path):
    varieties = [key for key in official("ALEE-MT61") if key.startswith("roh_")]
    main = [key for key in official("ALEE-MT61") if not key.startswith("roh_")]
    assert (len(main), len(varieties)) == (55, 6)
    wmt_folder(tmp_path / "wmt24pp", main)
    for key in varieties:
        romansh(tmp_path / "wmt24pp-rm", key.removeprefix("roh_"), {n: f"rm {n}." for n in range(1, 999)})
    corpus = open_corpus(tmp_path / "wmt24pp")
    rows = list(corpus.rows())
    assert len(rows) == 818
    assert corpus.dropped == {"bad_source": 180}
    assert list(corpus.languages) == official("ALEE-MT61")
    assert "fil_PH" in corpus.languages
    assert (corpus.english, corpus.config, corpus.license) == ("en_EN", "alee_mt61", "apache-2.0")
    assert rows[0].id == "181"
    assert rows[0].metadata == {"domain": "news", "document_id": "doc18"}
    assert rows[0].translations["fil_PH"] == "fil_PH 181."
    assert rows[0].translations["roh_puter"] == "rm 181."
    assert [source.name for source in corpus.sources] == [str(tmp_path / "wmt24pp"), str(tmp_path / "wmt24pp-rm")]


def test_romansh_is_joined_by_segment_and_untranslated_segments_are_left_out(tmp_path: Path):
    wmt_folder(tmp_path, ["de_DE"], rows=4, bad=1)
    romansh(tmp_path, "sursilv", {4: "quater.", 2: "TEXT  2.", 9: "nove."})
    corpus = open_corpus(tmp_path)
    rows = {row.id: row for row in corpus.rows()}
    assert {number: row.translations["roh_sursilv"] for number, row in rows.items()} == {
        "2": None,
        "3": None,
        "4": "quater.",
    }
    assert rows["2"].text == "Text 2."
    assert rows["2"].translations["de_DE"] == "de_DE 2."
    assert corpus.left_out == {"untranslated": 1, "no_source": 1}
    assert corpus.languages == ("de_DE", "roh_sursilv")
    assert "ja_JP" in corpus.absent


def test_a_translation_beside_another_source_is_left_out(tmp_path: Path):
    wmt_folder(tmp_path, ["de_DE", "ja_JP"], rows=2, bad=0)
    write_jsonl(tmp_path / "en-ja_JP.jsonl", [wmt_row(1, "Text 1.", "一"), wmt_row(2, "Another text.", "二")])
    corpus = open_corpus(tmp_path)
    assert [row.translations["ja_JP"] for row in corpus.rows()] == ["一", None]
    assert corpus.left_out == {"other_source": 1}


def test_files_of_different_versions_are_refused(tmp_path: Path):
    wmt_folder(tmp_path, ["de_DE"], rows=2, bad=0)
    write_jsonl(tmp_path / "en-ja_JP.jsonl", [wmt_row(n, f"Other {n}.", "x") for n in (1, 2)])
    with pytest.raises(DataError, match=r"en-ja_JP\.jsonl: none of its translations stands beside the English text"):
        list(open_corpus(tmp_path).rows())


def test_wmt24pp_by_code_or_key(tmp_path: Path):
    wmt_folder(tmp_path, ["de_DE", "fr_FR", "fr_CA"], rows=1, bad=0)
    assert open_corpus(tmp_path, languages=["deu_Latn", "fr_CA"]).languages == ("de_DE", "fr_CA")
    with pytest.raises(LanguageError, match="no language 'fra_Latn'; it has de_DE, fr_CA, fr_FR"):
        open_corpus(tmp_path, languages=["fra_Latn"])


@pytest.mark.shared
def test_real_wmt24_text_as_a_table(shared: Path):
    """853 segments with ids and six languages; Romansh in three varieties (data/README.md)."""
    corpus = open_corpus(shared / "data" / "wmt24_multiparallel.jsonl")
    rows = list(corpus.rows())
    assert len(rows) == 853
    assert corpus.english == "eng_Latn"
    assert {"ces_Latn", "deu_Latn", "jpn_Jpan", "roh_rumgr", "roh_sursilv", "roh_puter"} <= set(corpus.languages)
    assert rows[0].id == "1"
    assert rows[0].text == "Siso's depictions of land, water center new gallery exhibition"
    assert rows[0].translations["zho_Hans"] == "西索画作成为新画廊展览的焦点"
    assert rows[0].metadata == {"document_id": "test-en-news_beverly_press.3585", "domain": "news"}


# -- BOUQuET --------------------------------------------------------------------------------------------------------


def bouquet_rows(key: str, units: Mapping[str, tuple[str, str]], level: str, *, split: str = "test") -> Rows:
    """(uniq_id → text, English) as in ``data/<level>/<split>/<key>.parquet``."""
    return [
        {
            "uniq_id": unit,
            "src_lang": key,
            "src_text": text,
            "tgt_lang": "eng_Latn",
            "tgt_text": english,
            "level": level,
            "split": split,
            "domain": "social media",
            "register": "informal",
            "tags": "dialogue",
            "par_id": unit.split("-")[0],
            "par_comment": "",
            "orig_text": text,
            "newline_next": False,
        }
        for unit, (text, english) in units.items()
    ]


@pytest.fixture
def bouquet(tmp_path: Path) -> Path:
    folder = tmp_path / "bouquet"
    one, two, both = "Hi there.", "See you.", "Hi there.\r\nSee you."
    for key, hello, bye in [("eng_Latn", one, two), ("por_Latn_braz1246", "Oi.", "Até."), ("rus_Cyrl", "Привет.", "")]:
        sentences = {"P001-S1": (hello, one), "P001-S2": (bye, two)}
        path = folder / "data/sentence_level/test" / f"{key}.parquet"
        write_parquet(path, bouquet_rows(key, sentences, "sentence_level"))
        whole = both if key == "eng_Latn" else f"{hello} {bye}"
        path = folder / "data/paragraph_level/test" / f"{key}.parquet"
        write_parquet(path, bouquet_rows(key, {"P001": (whole, both)}, "paragraph_level"))
    return folder


def test_bouquet_becomes_wide(bouquet: Path):
    corpus = open_corpus(bouquet)
    rows = list(corpus.rows())
    assert [(row.id, row.metadata["level"], row.text) for row in rows] == [
        ("P001-S1", "sentence_level", "Hi there."),
        ("P001-S2", "sentence_level", "See you."),
        ("P001", "paragraph_level", "Hi there.\nSee you."),
    ]
    assert corpus.languages == ("por_Latn_braz1246", "rus_Cyrl")
    assert rows[1].translations == {"por_Latn_braz1246": "Até.", "rus_Cyrl": None}
    assert rows[2].translations["por_Latn_braz1246"] == "Oi. Até."
    assert rows[0].metadata == {
        "level": "sentence_level",
        "domain": "social media",
        "register": "informal",
        "tags": "dialogue",
        "par_id": "P001",
        "par_comment": None,
        "orig_text": "Hi there.",
        "newline_next": "false",
    }
    assert (corpus.config, corpus.english, corpus.license) == ("alee_bq275", "eng_Latn", "cc-by-sa-4.0")


def test_bouquet_at_one_level(bouquet: Path):
    assert list(texts(open_corpus(bouquet, levels=["paragraph_level"]))) == ["P001"]


def test_bouquet_in_the_other_direction_and_without_an_english_file(tmp_path: Path):
    path = tmp_path / "data/sentence_level/test/eng_Latn-fra_Latn.parquet"
    rows = bouquet_rows("fra_Latn", {"P1-S1": ("Salut.", "Hi.")}, "sentence_level")
    swap = {"src_lang": "tgt_lang", "src_text": "tgt_text", "tgt_lang": "src_lang", "tgt_text": "src_text"}
    write_parquet(path, [{swap.get(name, name): value for name, value in row.items()} for row in rows])
    dev = bouquet_rows("fra_Latn", {"P9-S1": ("Dev.", "Dev.")}, "sentence_level", split="dev")
    more = bouquet_rows("fra_Latn", {"P2-S1": ("Au revoir.", "Bye.")}, "sentence_level")
    write_parquet(tmp_path / "data/sentence_level/test/fra_Latn.parquet", [*dev, *more])
    rows_read = list(open_corpus(tmp_path, levels=["sentence_level"]).rows())
    assert [(row.id, row.text, row.translations) for row in rows_read] == [
        ("P1-S1", "Hi.", {"fra_Latn": "Salut."}),
        ("P2-S1", "Bye.", {"fra_Latn": "Au revoir."}),
    ]


def test_bouquet_has_one_english_text_per_unit(bouquet: Path):
    odd = bouquet_rows("deu_Latn", {"P001-S1": ("Hallo.", "Hello."), "P7-S1": ("Neu.", "New.")}, "sentence_level")
    write_parquet(bouquet / "data/sentence_level/test/deu_Latn.parquet", odd)
    corpus = open_corpus(bouquet, levels=["sentence_level"])
    rows = {row.id: row for row in corpus.rows()}
    assert rows["P001-S1"].text == "Hi there."
    assert rows["P001-S1"].translations["deu_Latn"] is None
    assert rows["P7-S1"].text == "New."
    assert rows["P7-S1"].translations == {"deu_Latn": "Neu.", "por_Latn_braz1246": None, "rus_Cyrl": None}
    assert corpus.left_out == {"other_source": 1}


def test_bouquet_where_the_card_says(tmp_path: Path):
    (tmp_path / "README.md").write_text(
        "---\nlicense: cc-by-4.0\nconfigs:\n- config_name: sentence_level\n  data_files:\n"
        "  - {split: dev, path: s-dev.parquet}\n  - {split: test, path: s-test.parquet}\n"
        "- config_name: paragraph_level\n  data_files:\n  - {split: test, path: p-test.parquet}\n---\n"
    )
    write_parquet(tmp_path / "s-test.parquet", bouquet_rows("fra_Latn", {"P1-S1": ("Oui.", "Yes.")}, "sentence_level"))
    write_parquet(tmp_path / "p-test.parquet", bouquet_rows("fra_Latn", {"P1": ("Oui. Non.", "Yes. No.")}, "x"))
    corpus = open_corpus(tmp_path)
    assert texts(corpus) == {"P1-S1": "Yes.", "P1": "Yes. No."}
    assert corpus.license == "cc-by-4.0"


def test_bouquet_without_its_columns(tmp_path: Path):
    write_parquet(tmp_path / "data/sentence_level/test/fra_Latn.parquet", [{"id": 1, "text": "x"}])
    with pytest.raises(DataError, match=r"no column 'uniq_id'; expected uniq_id, src_lang, src_text, tgt_lang"):
        open_corpus(tmp_path, levels=["sentence_level"])
    with pytest.raises(DataError, match=r"no file such as data/paragraph_level/test/eng_Latn\.parquet; is this"):
        open_corpus(tmp_path, levels=["paragraph_level"])
