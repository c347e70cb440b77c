"""Reading parallel text: what comes out of each format, and what is said of broken files."""

import gzip
import json
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from alee_mteb.errors import DataError, LanguageError
from salt.data.readers import read_pairs
from salt.pairs import ParallelPair

ENGLISH, GERMAN, SPANISH = "eng_Latn", "deu_Latn", "spa_Latn"


def written(path: Path, text: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    data = text.encode() if isinstance(text, str) else text
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def texts(path, **settings):
    return [(pair.source, pair.target) for pair in read_pairs(path, **settings)]


def test_tsv_without_a_header_ignores_columns_after_the_second(tmp_path):
    path = written(tmp_path / "train.tsv", "Hello .\tHola .\t0-0 1-1\nYes\tSí\t0-0\n")
    assert list(read_pairs(path, source_language="en", target_language=SPANISH)) == [
        ParallelPair("train.tsv:1", ENGLISH, SPANISH, "Hello .", "Hola ."),
        ParallelPair("train.tsv:2", ENGLISH, SPANISH, "Yes", "Sí"),
    ]


@pytest.mark.shared
def test_xl_wa_is_read_as_it_is():
    path = Path(__file__).resolve().parents[3] / "shared" / "data" / "xl-wa" / "es" / "train.tsv"
    if not path.exists():
        pytest.skip("needs ../shared/data/xl-wa")
    pairs = list(read_pairs(path, source_language=ENGLISH, target_language=SPANISH))
    assert len(pairs) == 1002
    assert pairs[0].source.startswith("According to the Spanish version , the proposed oral amendment")
    assert pairs[0].target.endswith("y así hasta el final .")


def test_tsv_header_names_languages_in_any_order(tmp_path):
    path = written(tmp_path / "x.tsv", "score\tdeu_Latn\teng_Latn\n0.5\tHallo\tHello\n\tJa\tYes\n")
    assert list(read_pairs(path)) == [
        ParallelPair("x.tsv:2", GERMAN, ENGLISH, "Hallo", "Hello", 0.5),
        ParallelPair("x.tsv:3", GERMAN, ENGLISH, "Ja", "Yes", None),
    ]
    assert texts(path, source_language=ENGLISH) == [("Hello", "Hallo"), ("Yes", "Ja")]


def test_tsv_header_with_source_and_target_and_languages_by_row(tmp_path):
    head = "id\tsource_language\tsource\ttarget_language\ttarget\tquality\n"
    path = written(tmp_path / "x.tsv", head + "a\teng_Latn\tHello\tes\tHola\t0.25\n")
    assert list(read_pairs(path, score_column="quality")) == [
        ParallelPair("a", ENGLISH, SPANISH, "Hello", "Hola", 0.25)
    ]


def test_tsv_first_row_of_two_short_words_is_no_header(tmp_path):
    path = written(tmp_path / "x.tsv", "no\tde\t0-0\nyes\tja\t0-0\n")
    assert texts(path, source_language=ENGLISH, target_language=GERMAN) == [("no", "de"), ("yes", "ja")]


def test_tsv_score_by_column_number(tmp_path):
    path = written(tmp_path / "x.tsv", "a\tb\tx\t0.5\n")
    (pair,) = read_pairs(path, source_language="en", target_language="de", score_column="4")
    assert pair.score == 0.5


def test_only_line_feeds_end_lines(tmp_path):
    path = written(tmp_path / "x.tsv", "\ufeffa\u2028b\tc\x85d\r\ne\tf\r\n")
    assert texts(path, source_language="en", target_language="de") == [("a\u2028b", "c\x85d"), ("e", "f")]


@pytest.mark.parametrize("name", ["x.jsonl", "x.jsonl.gz"])
def test_jsonl_by_source_and_target_or_by_language(tmp_path, name):
    rows = [
        {"source": "Hello", "target": "Hola", "source_language": ENGLISH, "target_language": SPANISH, "score": 0.5},
        {"eng_Latn": "Yes", "spa_Latn": "Sí", "id": 7, "domain": "news"},
    ]
    path = written(tmp_path / name, "".join(json.dumps(row) + "\n" for row in rows) + "\n")
    assert list(read_pairs(path)) == [
        ParallelPair(f"{name}:1", ENGLISH, SPANISH, "Hello", "Hola", 0.5),
        ParallelPair("7", ENGLISH, SPANISH, "Yes", "Sí"),
    ]


def test_jsonl_with_many_languages_reads_the_two_asked_for(tmp_path):
    path = written(tmp_path / "x.jsonl", json.dumps({"eng_Latn": "Yes", "deu_Latn": "Ja", "spa_Latn": "Sí"}))
    assert texts(path, source_language="es", target_language="de") == [("Sí", "Ja")]
    with pytest.raises(DataError, match=r"x.jsonl, row 1: columns eng_Latn, deu_Latn, spa_Latn: source and target exp"):
        list(read_pairs(path))
    with pytest.raises(DataError, match="row 1: no column for language fra_Latn"):
        list(read_pairs(path, source_language="en", target_language="fr"))


def test_parquet(tmp_path):
    table = pa.table({"eng_Latn": ["Yes", "No"], "deu_Latn": ["Ja", "Nein"], "laser": [1.25, None]})
    pq.write_table(table, tmp_path / "x.parquet")
    assert list(read_pairs(tmp_path / "x.parquet", score_column="laser")) == [
        ParallelPair("x.parquet:1", ENGLISH, GERMAN, "Yes", "Ja", 1.25),
        ParallelPair("x.parquet:2", ENGLISH, GERMAN, "No", "Nein", None),
    ]


@pytest.fixture
def moses(tmp_path):
    written(tmp_path / "corpus.de", "Ja\nNein\n")
    written(tmp_path / "corpus.en", "Yes\nNo\n")
    return tmp_path


def test_moses_by_prefix_begins_with_english(moses):
    assert list(read_pairs(moses / "corpus")) == [
        ParallelPair("corpus.en:1", ENGLISH, GERMAN, "Yes", "Ja"),
        ParallelPair("corpus.en:2", ENGLISH, GERMAN, "No", "Nein"),
    ]
    assert texts(moses / "corpus", source_language="de") == [("Ja", "Yes"), ("Nein", "No")]


def test_moses_by_one_file_begins_with_that_file(moses):
    assert texts(moses / "corpus.de") == [("Ja", "Yes"), ("Nein", "No")]


def test_moses_by_two_files_of_any_names(moses):
    assert texts(moses / "corpus.de", target_path=moses / "corpus.en")[0] == ("Ja", "Yes")
    other = written(moses / "left.txt", "Oui\nNon\n")
    with pytest.raises(DataError, match="does not name its languages"):
        list(read_pairs(other, target_path=moses / "corpus.de"))
    assert texts(other, target_path=moses / "corpus.de", source_language="fr") == [("Oui", "Ja"), ("Non", "Nein")]


def test_moses_with_three_languages_wants_to_know_which(moses):
    written(moses / "corpus.es", "Sí\nNo\n")
    with pytest.raises(DataError, match=r"two languages expected, found corpus.de, corpus.en, corpus.es"):
        read_pairs(moses / "corpus")
    assert texts(moses / "corpus", source_language="es", target_language="en") == [("Sí", "Yes"), ("No", "No")]


def test_moses_sides_of_different_lengths(moses):
    written(moses / "corpus.de", "Ja\n")
    with pytest.raises(DataError, match=r"corpus.de: 1 lines, but corpus.en has more"):
        list(read_pairs(moses / "corpus"))


def test_nllb_as_a_table_per_direction(tmp_path):
    written(tmp_path / "eng_Latn-spa_Latn.gz", "Yes\tSí\t1.5\t0.9\nNo\tNo\t1.25\t0.8\n")
    written(tmp_path / "ace_Latn-eng_Latn.tsv", "Nyoe\tThis\t1.0625\n")
    written(tmp_path / "README.md", "not a direction")
    assert list(read_pairs(tmp_path)) == [
        ParallelPair("ace_Latn-eng_Latn.tsv:1", "ace_Latn", ENGLISH, "Nyoe", "This", 1.0625),
        ParallelPair("eng_Latn-spa_Latn.gz:1", ENGLISH, SPANISH, "Yes", "Sí", 1.5),
        ParallelPair("eng_Latn-spa_Latn.gz:2", ENGLISH, SPANISH, "No", "No", 1.25),
    ]
    assert [pair.score for pair in read_pairs(tmp_path, source_language="en", score_column="4")] == [0.9, 0.8]


def test_nllb_as_the_download_script_leaves_it(tmp_path):
    for corpus, source, target in (("tico", "Yes\n", "Sí\n"), ("seed", "No\n", "No\n")):
        written(tmp_path / corpus / "eng_Latn-spa_Latn" / f"{corpus}.eng_Latn", source)
        written(tmp_path / corpus / "eng_Latn-spa_Latn" / f"{corpus}.spa_Latn.gz", target)
    assert list(read_pairs(tmp_path)) == [
        ParallelPair("seed/eng_Latn-spa_Latn/seed:1", ENGLISH, SPANISH, "No", "No"),
        ParallelPair("tico/eng_Latn-spa_Latn/tico:1", ENGLISH, SPANISH, "Yes", "Sí"),
    ]
    (tmp_path / "tico" / "eng_Latn-spa_Latn" / "tico.eng_Latn").unlink()
    with pytest.raises(DataError, match=r"tico.spa_Latn.gz has no tico.eng_Latn beside it"):
        list(read_pairs(tmp_path))


def test_nllb_without_the_direction_asked_for(tmp_path):
    written(tmp_path / "eng_Latn-spa_Latn.gz", "Yes\tSí\t1.5\n")
    with pytest.raises(DataError, match=r"no direction such as .* found eng_Latn-spa_Latn"):
        read_pairs(tmp_path, source_language="fr")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        pytest.param("x.tsv", "a\tb\n \tc\n", r"x.tsv, row 2, source \(eng_Latn\): empty", id="empty source"),
        pytest.param("x.tsv", "a\tb\nc\t\n", r"x.tsv, row 2, target \(deu_Latn\): empty", id="empty target"),
        pytest.param(
            "x.tsv", "a\tb\n\nc\td\n", "x.tsv, row 2: 1 cells; a source and a target expected", id="blank row"
        ),
        pytest.param("x.tsv", "", "x.tsv: empty file", id="empty file"),
        pytest.param("x.tsv", "source\ttarget\na\tb\tc\n", "row 2: 3 cells under a header of 2", id="ragged row"),
        pytest.param(
            "x.tsv", "source\ttarget\tscore\na\tb\tgood\n", "row 2, score: 'good' is not a number", id="score"
        ),
        pytest.param("x.tsv", "source\ttarget\tscore\na\tb\tnan\n", "row 2, score: 'nan' is not a number", id="nan"),
        pytest.param("x.tsv", b"a\tb\n\xff\tc\n", "x.tsv, row 2: not UTF-8", id="encoding"),
        pytest.param("x.jsonl", '{"source": "a"', "x.jsonl, row 1: not JSON", id="broken JSON"),
        pytest.param("x.jsonl", "[" * 100_000, "x.jsonl, row 1: not JSON", id="brackets without end"),
        pytest.param(
            "x.jsonl",
            r'{"source": "a", "target": "b \ud800 c"}',
            r"row 1, target \(deu_Latn\): half a character",
            id="surrogate",
        ),
        pytest.param("x.tsv", "source\ttarget\tsource\na\tb\tc\n", "x.tsv: 2 columns 'source'", id="column twice"),
        pytest.param("x.jsonl", "[1]", "row 1: a JSON object expected, not list", id="JSON list"),
        pytest.param(
            "x.jsonl",
            '{"source": 1, "target": "b"}',
            r"row 1, source \(eng_Latn\): text expected, not int",
            id="no text",
        ),
        pytest.param("x.jsonl", '{"source": "a", "target": null}', r"target \(deu_Latn\): empty", id="null"),
        pytest.param("x.parquet", "no table", "x.parquet: not a Parquet file", id="no Parquet"),
    ],
)
def test_broken_files_name_file_and_row(tmp_path, name, content, message):
    path = written(tmp_path / name, content)
    with pytest.raises(DataError, match=message):
        list(read_pairs(path, source_language="en", target_language="de"))


def test_broken_gzip(tmp_path):
    path = written(tmp_path / "x.tsv.gz", "a\tb\n" * 1000)
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(DataError, match=r"x.tsv.gz, after row \d+: the file is broken"):
        list(read_pairs(path, source_language="en", target_language="de"))


def test_parquet_that_is_broken_behind_its_description(tmp_path):
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"source": ["a cat"] * 50, "target": ["eine Katze"] * 50}), path)
    content = bytearray(path.read_bytes())
    content[4:60] = b"\xff" * 56
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"x\.parquet, after row 0: the file is broken"):
        list(read_pairs(path, source_language="en", target_language="de"))


def test_unknown_languages(tmp_path):
    path = written(tmp_path / "x.tsv", "a\tb\n")
    with pytest.raises(LanguageError, match=r"x.tsv, target_language: unknown language 'german'; give ISO 639-3"):
        read_pairs(path, source_language="en", target_language="german")
    with pytest.raises(LanguageError, match="unknown language 'qqq_Latn'"):
        read_pairs(path, source_language="en", target_language="qqq_Latn")
    rows = written(
        tmp_path / "x.jsonl", '{"source": "a", "target": "b", "source_language": "en", "target_language": "zz"}'
    )
    with pytest.raises(LanguageError, match=r"x.jsonl, row 1, target_language: unknown language 'zz'"):
        list(read_pairs(rows))


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        pytest.param("x.tsv", {}, "x.tsv: the file does not name its languages", id="no languages"),
        pytest.param("no.tsv", {}, "no.tsv: no such file", id="no file"),
        pytest.param("none", {}, "none: no such file, and no pair of files none.LANGUAGE either", id="no prefix"),
        pytest.param("x.tsv", {"format": "xml"}, "format 'xml': there are tsv, jsonl", id="format"),
        pytest.param(
            "x.tsv",
            {"source_language": "en", "target_language": "de", "score_column": "score"},
            "no header, so score column 'score' must be the number",
            id="score column",
        ),
    ],
)
def test_what_to_do_is_said(tmp_path, name, settings, message):
    written(tmp_path / "x.tsv", "a\tb\n")
    with pytest.raises(DataError, match=message):
        list(read_pairs(tmp_path / name, **settings))


def test_empty_sides_can_be_passed_over_and_are_counted(tmp_path):
    path = written(tmp_path / "x.tsv", "a\tb\n\tc\nd\t \ne\tf\n")
    skipped = Counter()
    found = texts(path, source_language="en", target_language="de", skip_empty=True, skipped=skipped)
    assert found == [("a", "b"), ("e", "f")]
    assert skipped == {"empty": 2}
