"""Gold alignment files of every format become the same links; files that cannot be right are refused in one line."""

from collections.abc import Callable
from pathlib import Path

import pytest

from alee_mteb.errors import DataError
from salt.evaluation.gold import (
    GoldSet,
    read_awesome,
    read_kftt,
    read_naacl,
    read_simalign,
    read_simalign_folder,
    read_xl_wa,
)

# the house is small  /  das Haus ist klein : word i to word i, and "the" perhaps to "Haus".
ENGLISH, GERMAN = "the house is small", "das Haus ist klein"
SURE = frozenset({(0, 0), (1, 1), (2, 2), (3, 3)})
POSSIBLE = SURE | {(0, 1)}

Write = Callable[[str, str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def written(name: str, text: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return written


def only_pair(gold: GoldSet) -> tuple[str, str, frozenset[tuple[int, int]], frozenset[tuple[int, int]]]:
    (pair,) = gold.pairs
    return pair.source, pair.target, pair.sure, pair.possible


def test_xl_wa_counts_from_zero_and_has_sure_links_only(write: Write, tmp_path: Path) -> None:
    write("de/test.tsv", f"{ENGLISH}\t{GERMAN}\t0-0 1-1 2-2 3-3\n")
    (gold,) = read_xl_wa(tmp_path)
    assert gold.language == "eng_Latn-deu_Latn"
    assert only_pair(gold) == (ENGLISH, GERMAN, SURE, SURE)


def test_awesome_align_counts_from_one_and_p_is_possible(write: Write, tmp_path: Path) -> None:
    write("ende.src-tgt", f"{ENGLISH} ||| {GERMAN}\n")
    write("ende.gold", "1-1 2-2 3-3 4-4 1p2\n")
    (gold,) = read_awesome(tmp_path)
    assert gold.language == "eng_Latn-deu_Latn"
    assert only_pair(gold) == (ENGLISH, GERMAN, SURE, POSSIBLE)


@pytest.mark.parametrize("ids", [True, False], ids=["with ids", "in order"])
def test_simalign_counts_from_zero(write: Write, ids: bool) -> None:
    head = "7\t" if ids else ""
    paths = [
        write("g.gold", f"{head}0-0 1-1 2-2 3-3 0p1\n"),
        write("g.eng", f"{head}{ENGLISH}\n"),
        write("g.deu", f"{head}{GERMAN}\n"),
    ]
    gold = read_simalign(*paths, "eng", "deu")
    assert only_pair(gold) == (ENGLISH, GERMAN, SURE, POSSIBLE)


def test_the_shared_task_format_numbers_sentences_and_marks_possible_links(write: Write) -> None:
    gold = read_naacl(
        write("t.wa", "0001 1 1 S\n0001 2 2\n1 3 3 S\n1 4 4 S\n1 1 2 P\n"),
        write("t.e", f"<s snum=0001> {ENGLISH} </s>\n"),
        write("t.f", f"<s snum=1> {GERMAN} </s>\n"),
        "en",
        "de",
    )
    assert only_pair(gold) == (ENGLISH, GERMAN, SURE, POSSIBLE)


def test_a_folder_of_simalign_sets_is_read_by_names(write: Write, tmp_path: Path) -> None:
    write("eng-deu.gold", "0-0\n")
    write("eng-deu.eng", "a\n")
    write("eng-deu.deu", "b\n")
    write("eng-fra.wa", "1 1 1 S\n")
    write("eng-fra.eng", "<s snum=1> a </s>\n")
    write("eng-fra.fra", "<s snum=1> c </s>\n")
    found = read_simalign_folder(tmp_path)
    assert [(gold.name, gold.language) for gold in found] == [
        ("simalign", "eng_Latn-deu_Latn"),
        ("naacl", "eng_Latn-fra_Latn"),
    ]


def test_kftt_is_the_three_test_parts_japanese_first(write: Write, tmp_path: Path) -> None:
    for part, english in (("012", "dev"), ("013", "one"), ("015", "two three")):
        write(f"japanese-{part}.txt", "語\n")
        write(f"english-{part}.txt", f"{english}\n")
        write(f"align-{part}.txt", "0-0\n")
    (gold,) = read_kftt(tmp_path)
    assert gold.language == "jpn_Jpan-eng_Latn"
    assert [pair.target for pair in gold.pairs] == ["one", "two three"]


def test_a_sentence_may_have_no_link(write: Write, tmp_path: Path) -> None:
    write("de/test.tsv", "a b\tc d\t0-1\na\tb\t\n")
    assert [len(pair.sure) for pair in read_xl_wa(tmp_path)[0].pairs] == [1, 0]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            "a b\tc d\t1-1 2-2\n",
            "links are counted from 1, this format counts from 0 .*2-2 of 2 and 2 words.*subtract 1",
        ),
        ("a b\tc d\t0-0 1-3\n", "line 1: link 1-3 is out of range for 2 and 2 words"),
        ("a b\tc d\t0-0 2-2\n", "line 1: link 2-2 is out of range"),
        ("a b\tc d\n", "line 1: 2 fields, expected English, target, links"),
        ("a b\tc d\t0_0\n", "line 1: '0_0' is not a link"),
        ("a b\t\t0-0\n", "line 1: empty target sentence"),
        ("a b\tc d\t\n", "no gold link at all"),
        ("", "empty file"),
    ],
    ids=["from one", "out of range", "mixed", "fields", "no link", "empty side", "no links", "empty file"],
)
def test_bad_xl_wa_files_are_named(write: Write, tmp_path: Path, rows: str, message: str) -> None:
    write("de/test.tsv", rows)
    with pytest.raises(DataError, match=message):
        read_xl_wa(tmp_path)


def test_links_from_one_that_stay_within_their_sentences_are_found_in_a_whole_set(write: Write, tmp_path: Path) -> None:
    write("de/test.tsv", "a b c\td e f\t1-1 2-2\n" * 49)
    assert len(read_xl_wa(tmp_path)[0].pairs) == 49
    write("de/test.tsv", "a b c\td e f\t1-1 2-2\n" * 50)
    with pytest.raises(DataError, match=r"no link to a first word in 50 sentence pairs: .*counted from 1"):
        read_xl_wa(tmp_path)


@pytest.mark.parametrize(
    ("texts", "gold", "message"),
    [
        ("a b ||| c d\n", "0-0 1-1\n", "links are counted from 0, this format counts from 1 .*add 1"),
        ("a b ||| c d\n", "1-1 3-2\n", "line 1: link 3-2 is out of range for 2 and 2 words counted from 1"),
        ("a b ||| c d\n", "0-0 3-2\n", "out of range"),
        ("a ||| b\nc ||| d\n", "1-1\n", "has 2 sentences, .*has 1: they must be parallel"),
        ("a b\n", "1-1\n", r"line 1: no ' \|\|\| '"),
    ],
    ids=["from zero", "out of range", "both", "counts differ", "no bar"],
)
def test_bad_awesome_align_files_are_named(write: Write, tmp_path: Path, texts: str, gold: str, message: str) -> None:
    write("enfr.src-tgt", texts)
    write("enfr.gold", gold)
    with pytest.raises(DataError, match=message):
        read_awesome(tmp_path)


def test_files_without_languages_in_their_names_are_refused(write: Write, tmp_path: Path) -> None:
    write("mine.src-tgt", "a ||| b\n")
    write("mine.gold", "1-1\n")
    with pytest.raises(DataError, match=r"languages are not in the name; call it such as enfr.src-tgt"):
        read_awesome(tmp_path)


@pytest.mark.parametrize("read", [read_xl_wa, read_awesome, read_kftt, read_simalign_folder], ids=lambda f: f.__name__)
def test_a_folder_of_something_else_is_refused(
    write: Write, tmp_path: Path, read: Callable[[Path], list[GoldSet]]
) -> None:
    write("readme.txt", "nothing")
    with pytest.raises(DataError, match=str(tmp_path)):
        read(tmp_path)


def test_sentence_numbers_that_are_in_one_file_only_are_named(write: Write) -> None:
    with pytest.raises(DataError, match="sentence '8' is in one only"):
        read_simalign(
            write("g.gold", "7\t0-0\n8\t0-0\n"), write("g.e", "7\ta\n8\tb\n"), write("g.f", "7\ta\n9\tb\n"), "en", "de"
        )


def test_an_id_twice_is_named(write: Write) -> None:
    with pytest.raises(DataError, match=r"g\.e, line 2: sentence '7' again"):
        read_simalign(
            write("g.gold", "7\t0-0\n8\t0-0\n"), write("g.e", "7\ta\n7\tb\n"), write("g.f", "7\ta\n8\tb\n"), "en", "de"
        )


def test_shared_task_sentences_of_another_number_are_named(write: Write) -> None:
    texts = [write(f"t.{side}", f"<s snum=1> a </s>\n<s snum={at}> b </s>\n") for side, at in (("e", 2), ("f", 3))]
    with pytest.raises(DataError, match="sentence 2 is in one only"):
        read_naacl(write("t.wa", "1 1 1 S\n"), *texts, "en", "de")


@pytest.mark.shared
def test_the_real_sets_are_read_whole(shared: Path) -> None:
    sizes = {gold.language[9:]: len(gold.pairs) for gold in read_xl_wa(shared / "data" / "xl-wa")}
    assert sizes == {
        "bul_Cyrl": 245,
        "spa_Latn": 245,
        "ita_Latn": 243,
        "nld_Latn": 245,
        "por_Latn": 245,
        "rus_Cyrl": 210,
    }
    french, romanian = read_awesome(shared / "data" / "awesome-align")
    assert (len(french.pairs), len(romanian.pairs)) == (447, 248)
    # Line 6 of enfr.gold begins 3-1 16-21 2-3 7-8 14p19; its possible links are 1p1, 6p6, 14p18, 14p19 and 15p19.
    sixth = french.pairs[5]
    assert sixth.possible - sixth.sure == {(0, 0), (5, 5), (13, 17), (13, 18), (14, 18)}
    assert {(2, 0), (15, 20), (1, 2), (6, 7)} <= sixth.sure
