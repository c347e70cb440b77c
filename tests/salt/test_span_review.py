"""Rating spans by hand: the draw, the sheet and the form, Table 13, and the spans that are kept."""

import csv
import io
import json
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from alee_mteb.errors import DataError
from salt.pairs import AlignedSpan, ParallelPair, Span
from salt.spans.records import FoundPair, FoundSpan
from salt.spans.review import Item, draw, keep, methods
from salt.spans.review_form import form
from salt.spans.review_sheet import (
    COLUMNS,
    Row,
    agreement,
    as_rows,
    lowest_ratings,
    read_sheet,
    sheet,
    sheet_rows,
    summarise,
)
from salt.spans.table import SpanInfo, write_spans

CASE = SpanInfo("case", "enc", "tok", layer=7)
LLM = SpanInfo("llm", "enc", "tok", settings={"model": "chatty"})


def found(number: int, language: str, n_spans: int, words: str = "aa") -> FoundPair:
    """A pair of equal texts, each word a span."""
    text = " ".join(f"{words}{number}x{at}" for at in range(n_spans))
    starts = [match.span() for match in re.finditer(r"\S+", text)]
    spans = [
        FoundSpan(AlignedSpan(Span(*at), Span(*at)), (i + 1, i + 2), (i + 1, i + 2)) for i, at in enumerate(starts)
    ]
    return FoundPair(ParallelPair(f"{language}{number}", "eng_Latn", language, text, text), tuple(spans))


@pytest.fixture
def case(tmp_path: Path) -> Path:
    pairs = [*(found(n, "spa_Latn", 10) for n in range(5)), found(0, "rus_Cyrl", 3)]
    write_spans(tmp_path / "case.parquet", pairs, CASE)
    return tmp_path / "case.parquet"


@pytest.fixture
def llm(tmp_path: Path) -> Path:
    # The first pair's spans are the same as in `case`.
    write_spans(tmp_path / "llm.parquet", [found(0, "spa_Latn", 10), found(9, "spa_Latn", 10)], LLM)
    return tmp_path / "llm.parquet"


def test_the_draw_is_even_over_files_and_languages(case: Path, llm: Path) -> None:
    items = draw([case, llm], 15, seed=1)
    assert len({item.key for item in items}) == 15
    languages = Counter(item.pair.target_language for item in items)
    assert languages == {"rus_Cyrl": 3, "spa_Latn": 12}  # all three of the small one


def test_the_draw_depends_on_the_seed_alone(case: Path, llm: Path) -> None:
    keys = [[item.key for item in draw([case, llm], 15, seed)] for seed in (1, 1, 2)]
    assert keys[0] == keys[1] != keys[2]


def test_a_span_of_two_files_is_drawn_once(case: Path, llm: Path) -> None:
    items = draw([case, llm], 1000, seed=0)
    assert len(items) == 53 + 10
    assert max(Counter(item.key for item in items).values()) == 1


def test_short_spans_can_be_left_out(case: Path) -> None:
    with pytest.raises(DataError, match="no spans to review"):
        draw([case], 5, seed=0, min_words=2)


def test_the_sheet_shows_spans_in_their_sentences_and_no_method(case: Path) -> None:
    items = draw([case], 4, seed=0)
    text = sheet(items)
    rows = list(csv.DictReader(io.StringIO(text)))
    assert tuple(rows[0]) == COLUMNS
    for row, item in zip(rows, items, strict=True):
        assert f"[{row['source_span']}]" in row["source"]
        assert row["source"].replace("[", "").replace("]", "") == item.pair.source
        assert row["rating"] == ""
    assert "case" not in text


def test_the_form_holds_no_markup_from_texts_and_needs_no_network() -> None:
    evil = '</script><script>alert("1")</script> @DATA@ & <b>'
    pair = ParallelPair("1", "eng_Latn", "spa_Latn", evil, f"x {evil}")
    page = form([Item(pair, FoundSpan(AlignedSpan(Span(0, 9), Span(2, 11)), (1, 2), (1, 2)))], "<T>", "a.csv")
    assert page.count("</script>") == 2  # those of the template
    assert "alert(&quot;1&quot;)" in page
    assert "<mark>&lt;/script&gt;</mark>&lt;script&gt;" in page
    assert "<title>Review of &lt;T&gt;</title>" in page
    assert not re.search(r"(src|href)=|https?://|@import|url\(", page)
    data = re.search(r'<script type="application/json" id="pairs">(.*?)</script>', page, re.S)
    assert data is not None
    [row] = json.loads(data[1])
    assert row["source"] == f"[{evil[:9]}]{evil[9:]}"
    assert [row] == sheet_rows([Item(pair, FoundSpan(AlignedSpan(Span(0, 9), Span(2, 11)), (1, 2), (1, 2)))])


def test_the_form_offers_four_ratings_with_their_meaning(case: Path) -> None:
    page = form(draw([case], 2, seed=0), "spans", "a.csv")
    for rating in "1234":
        assert page.count(f'value="{rating}"> {rating}') == 2
    assert "equivalent: could be exchanged without a change of meaning" in page


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_what_the_form_saves_is_the_sheet_with_its_ratings(tmp_path: Path) -> None:
    pair = ParallelPair("1", "eng_Latn", "spa_Latn", 'a "b",\nc </script>', "x, y")
    items = [Item(pair, FoundSpan(AlignedSpan(Span(2, 5), Span(0, 1)), (1, 2), (1, 2)))]
    page = form(items, "x", "a.csv")
    data, script = re.findall(r"<script[^>]*>(.*?)</script>", page, re.S)

    def saved(answers: list[dict[str, str]]) -> bytes:
        (tmp_path / "form.js").write_text(
            f"{script}\nprocess.stdout.write(toCsv({data}, {json.dumps(answers)}));", encoding="utf-8"
        )
        return subprocess.run(["node", str(tmp_path / "form.js")], capture_output=True, check=True).stdout

    assert saved([]).decode() == sheet(items)
    (tmp_path / "saved.csv").write_bytes(saved([{"rating": "3", "comment": 'so, "so"'}]))
    assert read_sheet(tmp_path / "saved.csv") == [Row(items[0].key, "eng_Latn-spa_Latn", 3)]


def write_sheet(path: Path, ratings: dict[str, str], languages: str = "eng_Latn-spa_Latn") -> Path:
    with path.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, COLUMNS)
        writer.writeheader()
        writer.writerows({"key": key, "languages": languages, "rating": value} for key, value in ratings.items())
    return path


def test_shares_are_those_of_table_13(tmp_path: Path) -> None:
    # Spanish, LLaMA-70B in Table 13: 129 ratings, 0.0 / 3.1 / 0.8 / 96.1 %, 3 + 4: 96.9 %; so 0, 4, 1 and 124.
    ratings = {f"k{n}": "2" if n < 4 else "3" if n < 5 else "4" for n in range(129)}
    summary = summarise([read_sheet(write_sheet(tmp_path / "a.csv", ratings | {"open": ""}))])
    assert as_rows(summary)[1] == ["eng_Latn-spa_Latn", "129", "0.0%", "3.1%", "0.8%", "96.1%", "96.9%", "all"]
    assert summary.unrated == 1


def test_a_span_of_two_methods_counts_for_both(case: Path, llm: Path) -> None:
    by_key = methods([case, llm])
    both = [key for key, names in by_key.items() if len(names) == 2]
    only = [key for key, names in by_key.items() if names == ["llm (chatty)"]]
    assert (len(both), len(only)) == (10, 10)
    summary = summarise([[Row(both[0], "a-b", 4), Row(only[0], "a-b", 1)]], by_key)
    assert [(row.method, row.annotations, row.shares) for row in summary.rows] == [
        ("case (enc, layer 7)", 1, (0, 0, 0, 1)),
        ("llm (chatty)", 2, (0.5, 0, 0, 0.5)),
        ("all", 2, (0.5, 0, 0, 0.5)),
    ]


def test_agreement_of_two_annotators() -> None:
    # By hand: observed mean squared difference 1/4. Marginals of the first 1,2,4,4, of the second 1,2,4,3; the 16
    # products sum to 9 + 4·…: (1: 0,1,9,4) (2: 1,0,4,1) (4: 9,4,0,1) twice = 14 + 6 + 28 = 48, mean 3.
    both = agreement([(1, 1), (2, 2), (4, 4), (4, 3)])
    assert (both.n, both.raw) == (4, 0.75)
    assert both.kappa == pytest.approx(1 - (1 / 4) / 3)
    assert agreement([(4, 4), (4, 4)]).kappa is None


def test_agreement_is_over_the_spans_that_both_rate() -> None:
    first = [Row("a", "l", 4), Row("b", "l", 1), Row("c", "l", None)]
    second = [Row("a", "l", 4), Row("c", "l", 2)]
    found_agreement = summarise([first, second]).agreement
    assert found_agreement is not None
    assert (found_agreement.n, found_agreement.raw) == (1, 1.0)
    assert summarise([first]).agreement is None


def test_the_lower_rating_counts() -> None:
    assert lowest_ratings([[Row("a", "l", 4), Row("b", "l", None)], [Row("a", "l", 3)]]) == {"a": 3}


def test_only_the_spans_rated_well_enough_are_kept(case: Path, llm: Path) -> None:
    keys = [item.key for item in draw([case, llm], 1000, seed=0) if item.pair.id == "spa_Latn0"]
    pairs, info = keep([case, llm], {keys[0]: 4, keys[1]: 4, keys[2]: 3})
    [pair] = pairs
    assert len(pair.spans) == 2
    assert list(pair.spans) == sorted(pair.spans, key=lambda each: each.span)
    assert info.method == "case + llm, rated 4 or better"
    assert info.settings["found by"] == ["case (enc, layer 7)", "llm (chatty)"]
    assert len(keep([case], {keys[2]: 3}, least=3)[0][0].spans) == 1
    with pytest.raises(DataError, match=r"no span of .* is rated 4 or better"):
        keep([case], {keys[2]: 3})


def test_files_of_two_tokenizers_are_not_mixed(case: Path, tmp_path: Path) -> None:
    write_spans(tmp_path / "other.parquet", [found(0, "spa_Latn", 1)], SpanInfo("llm", "other", "tok2"))
    with pytest.raises(DataError, match=r"other\.parquet: spans from another tokenizer"):
        keep([case, tmp_path / "other.parquet"], {})


BAD = [
    pytest.param("key,languages,rating\nk,l,5\n", "row 1, column 'rating': expected 1, 2, 3 or 4, got '5'", id="five"),
    pytest.param("key,languages,rating\nk,l,good\n", "got 'good'", id="word"),
    pytest.param("key,languages,rating\nk,l,4\nk,l,3\n", "row 2: k stands there twice", id="twice"),
    pytest.param("key,languages,rating\n,l,4\n", "row 1: no key", id="no key"),
    pytest.param("key,languages\nk,l\n", "no column 'rating'", id="no column"),
    pytest.param("", "no column 'key', or no rows", id="empty"),
]


@pytest.mark.parametrize(("content", "message"), BAD)
def test_bad_sheets(content: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text(content, encoding="utf-8")
    with pytest.raises(DataError, match=re.escape(message)) as caught:
        read_sheet(tmp_path / "s.csv")
    assert "s.csv" in str(caught.value)


def test_nothing_rated_or_rated_of_other_files(case: Path) -> None:
    with pytest.raises(DataError, match="no ratings yet"):
        summarise([[Row("a", "l", None)]])
    with pytest.raises(DataError, match="span a of a sheet is in none of the files"):
        summarise([[Row("a", "l", 4)]], methods([case]))


def test_a_sheet_saved_by_a_spreadsheet_is_read(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_bytes("key,languages,rating\r\nk,l, 4 \r\n".encode("utf-8-sig"))
    assert read_sheet(tmp_path / "s.csv") == [Row("k", "l", 4)]
