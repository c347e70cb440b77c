"""The Parquet file of spans: what goes in comes out, with its tokens, and nothing else is taken for it."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.span_doubles import ConceptEncoder

from alee_mteb.errors import DataError
from salt.pairs import AlignedPair, AlignedSpan, ParallelPair, Span
from salt.spans.records import FoundPair, FoundSpan, covered_ranges, settle
from salt.spans.table import (
    SCHEMA,
    SpanInfo,
    check_tokenizer,
    join,
    read_found,
    read_info,
    read_spans,
    write_spans,
    write_spans_jsonl,
)

INFO = SpanInfo("case", "concepts", ConceptEncoder({}).fingerprint, "abc", 7, {"coverage": 0.7}, dropped={"x": 2})
PAIR = ParallelPair("p1", "eng_Latn", "spa_Latn", "his dog 🐶 barks", "su perro 🐶 ladra", 0.5)
DOG = FoundSpan(AlignedSpan(Span(4, 7), Span(3, 8)), (2, 3), (2, 4), 1.0)
BARKS = FoundSpan(AlignedSpan(Span(10, 15), Span(11, 16)), (4, 6), (5, 7), None)
FOUND = [FoundPair(PAIR, (DOG, BARKS)), FoundPair(ParallelPair("p2", "eng_Latn", "zho_Hans", "a", "一"), ())]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    write_spans(tmp_path / "spans.parquet", FOUND, INFO)
    return tmp_path / "spans.parquet"


def test_what_goes_in_comes_out(file: Path) -> None:
    assert list(read_found(file)) == FOUND
    assert read_info(file) == INFO


def test_the_trainer_gets_aligned_pairs(file: Path) -> None:
    [first, second] = read_spans(file, ConceptEncoder({}))
    assert first == AlignedPair(PAIR, (DOG.span, BARKS.span))
    assert [span.source.of(PAIR.source) for span in first.spans] == ["dog", "barks"]  # beyond the basic plane, too
    assert second.spans == ()


def test_the_columns_are_readable_without_this_package(file: Path) -> None:
    [row, _] = pq.read_table(file).to_pylist()
    assert row["spans"][0] == {
        "source_start": 4,
        "source_end": 7,
        "target_start": 3,
        "target_end": 8,
        "source_token_start": 2,
        "source_token_end": 3,
        "target_token_start": 2,
        "target_token_end": 4,
        "coverage": 1.0,
    }
    assert (row["pair_id"], row["score"], row["method"], row["layer"]) == ("p1", 0.5, "case", 7)
    assert row["tokenizer"] == ConceptEncoder({}).fingerprint


def test_spans_from_another_tokenizer_are_refused(file: Path) -> None:
    other = ConceptEncoder({}, name="other")
    with pytest.raises(DataError, match=r"spans\.parquet: spans from another tokenizer \(concepts, .*other has"):
        read_spans(file, other)
    with pytest.raises(DataError, match="retokenize"):
        check_tokenizer(file, other)
    assert [len(pair.spans) for pair in read_spans(file, other, retokenize=True)] == [2, 0]
    assert [len(pair.spans) for pair in read_spans(file)] == [2, 0]


def test_same_content_same_bytes(file: Path, tmp_path: Path) -> None:
    write_spans(tmp_path / "again.parquet", FOUND, INFO)
    assert (tmp_path / "again.parquet").read_bytes() == file.read_bytes()


def test_parts_are_joined_in_order_and_counts_added_up(tmp_path: Path) -> None:
    parts = [tmp_path / "a.parquet", tmp_path / "b.parquet", tmp_path / "c.parquet"]
    for part, found, dropped in zip(parts, ([FOUND[1]], [], [FOUND[0]]), ({"x": 1}, {}, {"x": 2, "y": 1}), strict=True):
        write_spans(part, found, SpanInfo("llm", "concepts", "f", dropped=dropped))
    info = join(tmp_path / "all.parquet", parts, SpanInfo("llm", "concepts", "f"))
    assert list(read_found(tmp_path / "all.parquet")) == [FOUND[1], FOUND[0]]
    assert info.dropped == read_info(tmp_path / "all.parquet").dropped == {"x": 3, "y": 1}


def test_a_table_of_no_pairs(tmp_path: Path) -> None:
    write_spans(tmp_path / "none.parquet", [], INFO)
    assert list(read_found(tmp_path / "none.parquet")) == []


def test_jsonl_has_a_line_per_span(tmp_path: Path) -> None:
    write_spans_jsonl(tmp_path / "spans.jsonl", FOUND, INFO)
    lines = [json.loads(line) for line in (tmp_path / "spans.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [(line["pair_id"], line["source_span"], line["target_span"]) for line in lines] == [
        ("p1", "dog", "perro"),
        ("p1", "barks", "ladra"),
    ]
    assert lines[0]["source"][lines[0]["source_start"] : lines[0]["source_end"]] == "dog"


def _write(path: Path, table: pa.Table) -> None:
    pq.write_table(table, path)


def test_other_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    with pytest.raises(DataError, match=r"x\.parquet: no such file"):
        read_info(path)
    path.write_text("not parquet")
    with pytest.raises(DataError, match="cannot be read as Parquet"):
        read_info(path)
    _write(path, pa.table({"text": ["a"]}))
    with pytest.raises(DataError, match="not a file of spans"):
        list(read_found(path))
    _write(path, SCHEMA.empty_table())
    with pytest.raises(DataError, match="not a file of spans"):
        read_info(path)
    _write(path, pa.table({"text": ["a"]}).replace_schema_metadata({"salt_spans": INFO.dumps()}))
    with pytest.raises(DataError, match="not a file of spans"):
        read_info(path)


def test_a_file_that_is_broken_behind_its_description_is_named(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[20:200] = b"\xff" * 180
    file.write_bytes(content)
    with pytest.raises(DataError, match=r"spans\.parquet: the file is broken \("):
        list(read_found(file))


def test_a_later_format_is_refused(tmp_path: Path) -> None:
    write_spans(tmp_path / "x.parquet", FOUND, SpanInfo("case", "e", "f", format=2))
    with pytest.raises(DataError, match="format 2 of spans, this version reads up to 1; update alee-mteb"):
        read_info(tmp_path / "x.parquet")


def test_offsets_outside_a_text_are_named(tmp_path: Path) -> None:
    wrong = FoundPair(PAIR, (FoundSpan(AlignedSpan(Span(4, 70), Span(3, 8)), (2, 3), (2, 4)),))
    write_spans(tmp_path / "x.parquet", [wrong], INFO)
    with pytest.raises(DataError, match=r"x\.parquet: pair 'p1': a span ends after its text"):
        list(read_found(tmp_path / "x.parquet"))


# ---- tokens of spans

TEXT = "the unhappy dog"
#             <s>   the         un          happy        dog           </s>
OFFSETS = (None, Span(0, 3), Span(4, 6), Span(6, 11), Span(12, 15), None)


def test_tokens_that_share_a_character() -> None:
    spans = [Span(0, 3), Span(5, 7), Span(0, 15), Span(3, 4)]
    assert covered_ranges(OFFSETS, spans) == [(1, 2), (2, 4), (1, 5), None]
    assert covered_ranges(OFFSETS, []) == []


def test_the_tokens_are_those_that_the_encoder_covers() -> None:
    encoder = ConceptEncoder({})
    tokens = encoder.tokenize([TEXT])
    spans = [Span(a, b) for a in range(len(TEXT)) for b in range(a + 1, len(TEXT) + 1)]
    for span, found in zip(spans, covered_ranges(tokens.offsets[0], spans), strict=True):
        assert tokens.covered(0, span) == (list(range(*found)) if found else [])


def test_a_split_token_goes_to_the_larger_part() -> None:
    # happy (6–11): one character to the first span, four to the second.
    first, second = settle([Span(0, 7), Span(7, 15)], OFFSETS, TEXT)
    assert first == (Span(0, 6), (1, 3))
    assert second == (Span(7, 15), (3, 5))


def test_the_characters_left_cover_just_the_tokens_kept() -> None:
    spans = [Span(0, 7), Span(7, 15)]
    for settled in settle(spans, OFFSETS, TEXT):
        assert settled is not None
        assert covered_ranges(OFFSETS, [settled[0]]) == [settled[1]]


def test_of_equal_parts_the_first_wins_whatever_their_order() -> None:
    token = (Span(0, 4),)
    assert settle([Span(0, 2), Span(2, 4)], token, "abcd") == [(Span(0, 2), (0, 1)), None]
    assert settle([Span(2, 4), Span(0, 2)], token, "abcd") == [None, (Span(0, 2), (0, 1))]


def test_a_cut_span_does_not_begin_or_end_in_space() -> None:
    # "b" loses its token to the longer "bcd"; what is left is "a", without the space.
    offsets = (Span(0, 1), Span(2, 6))
    assert settle([Span(0, 3), Span(3, 6)], offsets, "a bcde") == [(Span(0, 1), (0, 1)), (Span(3, 6), (1, 2))]


def test_a_span_without_tokens_is_nothing() -> None:
    assert settle([Span(3, 4)], OFFSETS, TEXT) == [None]
