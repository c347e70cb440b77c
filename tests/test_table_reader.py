import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

from alee_mteb.errors import DataError
from alee_mteb.tables import TableReader

ROWS = [
    {"id": "1", "text": 'He said "no",\nthen left', "n": None},
    {"id": "2", "text": "Žluťoučký 🐎", "n": "x"},
]


def write(path: Path) -> Path:
    if path.suffix == ".parquet":
        pa.parquet.write_table(pa.Table.from_pylist(ROWS), path)
    elif path.suffix == ".jsonl":
        path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in ROWS) + "\n\n", encoding="utf-8")
    else:
        separator = "\t" if path.suffix == ".tsv" else ","
        quoted = [
            separator.join(["id", "text", "n"]),
            separator.join(["1", '"He said ""no"",\nthen left"', ""]),
            separator.join(["2", "Žluťoučký 🐎", "x"]),
        ]
        path.write_text("\n".join(quoted) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["a.parquet", "a.csv", "a.tsv", "a.jsonl"])
def test_all_formats_read_alike(tmp_path: Path, name: str):
    reader = TableReader([write(tmp_path / name)])
    assert reader.columns == ("id", "text", "n")
    assert reader.read(["text", "id"]).to_pylist() == [{"text": r["text"], "id": r["id"]} for r in ROWS]
    assert reader.read(["n"]).column("n").to_pylist() == [None, "x"]


def test_several_files_follow_one_another(tmp_path: Path):
    reader = TableReader([write(tmp_path / "a.parquet"), write(tmp_path / "b.parquet")])
    assert reader.read(["id"]).column("id").to_pylist() == ["1", "2", "1", "2"]


def test_a_byte_order_mark_is_no_part_of_the_first_column(tmp_path: Path):
    path = tmp_path / "excel.csv"
    path.write_bytes(b"\xef\xbb\xbfid,deu_Latn\r\n1,ja\r\n")
    assert TableReader([path]).read(["id", "deu_Latn"]).to_pylist() == [{"id": "1", "deu_Latn": "ja"}]


def test_a_truncated_parquet_file_is_named(tmp_path: Path):
    path = write(tmp_path / "a.parquet")
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(DataError, match=r"a\.parquet: cannot be read, it may be truncated"):
        TableReader([path])


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", "", "the file is empty; expected a header line"),
        ("a.jsonl", "", "the file is empty; expected one JSON object a line"),
        ("a.jsonl", '{"id": 1}\n{"id": \n', "line 2: not valid JSON"),
        ("a.jsonl", "[1]\n", "line 1: expected a JSON object, got list"),
        ("a.jsonl", '{"id": 1}\n{"id": "x"}\n', "column 'id' mixes types"),
        ("a.csv", "id,x\n1,2\n1,2,3\n", "cannot be read"),
        ("a.xlsx", "?", "expected files of one kind"),
    ],
)
def test_bad_files_are_named_with_the_place(tmp_path: Path, name: str, content: str, message: str):
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(DataError) as error:
        TableReader([path])
    assert str(error.value).startswith(str(path))
    assert message in str(error.value)


def test_missing_file_and_missing_column(tmp_path: Path):
    with pytest.raises(DataError, match="no such file"):
        TableReader([tmp_path / "none.parquet"])
    with pytest.raises(DataError, match="no column 'deu_Latn'; the columns are id, text, n"):
        TableReader([write(tmp_path / "a.csv")]).read(["deu_Latn"])


def test_files_with_differing_columns(tmp_path: Path):
    pa.parquet.write_table(pa.table({"id": ["1"], "fra_Latn": ["oui"]}), tmp_path / "b.parquet")
    with pytest.raises(DataError, match=r"b\.parquet: its columns differ from a\.parquet: fra_Latn, n, text"):
        TableReader([write(tmp_path / "a.parquet"), tmp_path / "b.parquet"])
