"""Sequence-labelling and word-in-context data: every original format, and what is refused."""

import json
from collections.abc import Callable
from pathlib import Path

import datasets
import pytest

from alee_mteb.errors import DataError, LanguageError
from salt.evaluation.codes import paper_training_languages, subset_code
from salt.evaluation.features import token_labels
from salt.evaluation.labelled import LabelledText, parse_slots, read_massive, read_words
from salt.evaluation.sources import kind_of
from salt.evaluation.wic import WordInContext, read_wic
from salt.pairs import Span

Write = Callable[[str, str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def written(name: str, text: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return written


def labels(text: LabelledText) -> list[tuple[str, str]]:
    return [(span.of(text.text), label) for span, label in text.segments]


def test_slots_of_massive() -> None:
    parsed = parse_slots("wake me at [time : nine am] on [date : friday]", "here")
    assert parsed.text == "wake me at nine am on friday"
    assert labels(parsed) == [
        ("wake", "Other"),
        ("me", "Other"),
        ("at", "Other"),
        ("nine am", "time"),
        ("on", "Other"),
        ("friday", "date"),
    ]


def test_slots_without_spaces_around_them() -> None:
    parsed = parse_slots("[place_name : 柏林]的天气", "here")
    assert (parsed.text, labels(parsed)) == ("柏林的天气", [("柏林", "place_name"), ("的天气", "Other")])


@pytest.mark.parametrize(
    ("annotated", "message"),
    [("wake me at [time : nine", "not of the form"), ("  ", "empty annot_utt")],
    ids=["open bracket", "blank"],
)
def test_bad_slots_are_named(annotated: str, message: str) -> None:
    with pytest.raises(DataError, match=f"here: .*{message}|here: {message}"):
        parse_slots(annotated, "here")


def massive_row(partition: str, annotated: str) -> str:
    return json.dumps({"id": "1", "partition": partition, "utt": "x", "annot_utt": annotated}) + "\n"


def test_massive_is_read_by_locale_without_its_dev_part(write: Write, tmp_path: Path) -> None:
    write("1.0/data/en-US.jsonl", massive_row("train", "a") + massive_row("dev", "b") + massive_row("test", "c"))
    write("1.0/data/de-DE.jsonl", massive_row("test", "d"))
    german, english = read_massive(tmp_path)
    assert (german.language, english.language) == ("deu_Latn", "eng_Latn")
    assert [text.text for text in english.splits["train"]] == ["a"]
    assert [text.text for text in german.splits["test"]] == ["d"]
    assert kind_of(tmp_path) == "massive"


def test_massive_of_some_languages(write: Write, tmp_path: Path) -> None:
    write("en-US.jsonl", massive_row("train", "a"))
    write("de-DE.jsonl", massive_row("test", "d"))
    assert [one.language for one in read_massive(tmp_path, ["de"])] == ["deu_Latn"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (json.dumps({"partition": "train"}), "line 1: no text in 'annot_utt'"),
        (json.dumps({"partition": "tr", "annot_utt": "a"}), "line 1: partition 'tr'"),
        ("{", "line 1: not JSON"),
        ("", "empty file"),
    ],
    ids=["column", "partition", "json", "empty"],
)
def test_bad_massive_files_are_named(write: Write, tmp_path: Path, line: str, message: str) -> None:
    write("en-US.jsonl", line)
    with pytest.raises(DataError, match=message):
        read_massive(tmp_path)


WIKIANN = "en:Visit\tO\nen:New\tB-LOC\nen:York\tI-LOC\n\nen:Hi\tO\n"


@pytest.mark.parametrize("name", ["en/{}", "en/{}.tsv", "{}-en.tsv"], ids=["wikiann", "folder", "xtreme"])
def test_pan_x_layouts(write: Write, tmp_path: Path, name: str) -> None:
    write(name.format("train"), WIKIANN)
    write(name.format("test"), "Berlin\tB-LOC\n")
    (english,) = read_words(tmp_path, "pan-x")
    assert [text.text for text in english.splits["train"]] == ["Visit New York", "Hi"]
    assert labels(english.splits["train"][0]) == [("Visit", "O"), ("New", "B-LOC"), ("York", "I-LOC")]
    assert labels(english.splits["test"][0]) == [("Berlin", "B-LOC")]


def test_a_colon_in_a_word_is_not_a_language(write: Write, tmp_path: Path) -> None:
    write("train-en.tsv", "10:30\tO\nde:facto:x\tO\n")
    (english,) = read_words(tmp_path, "pan-x")
    assert english.splits["train"][0].text == "10:30 facto:x"


def test_universal_dependencies(write: Write, tmp_path: Path) -> None:
    rows = [
        "# text = vámonos al mar",
        "1-2\tvámonos\t_\t_",
        "1\tvamos\tir\tVERB",
        "2\tnos\tnosotros\tPRON",
        "2.1\tx\tx\tVERB",
        "3\tmar\tmar\tNOUN",
    ]
    write("UD_Spanish/es_gsd-ud-train.conllu", "\n".join(rows) + "\n")
    write("UD_Spanish2/es_ancora-ud-train.conllu", "1\tsí\tsí\tINTJ\n")
    write("UD_Spanish/es_gsd-ud-test.conllu", "1\tno\tno\tINTJ\n")
    (spanish,) = read_words(tmp_path, "udpos")
    assert {text.text for text in spanish.splits["train"]} == {"vamos nos mar", "sí"}
    assert kind_of(tmp_path) == "udpos"


def test_a_word_without_a_label_is_named(write: Write, tmp_path: Path) -> None:
    write("train-en.tsv", "Visit\tO\nNew\n")
    with pytest.raises(DataError, match="line 2: a word without a label: 'New'"):
        read_words(tmp_path, "pan-x")


def test_labels_go_to_tokens_by_largest_overlap_and_the_first_of_equals() -> None:
    # Segments of 0–4 and 4–9. Token 3–7 shares one character with the first and three with the second; 2–6 shares two
    # with each; 9–12 shares none.
    segments = [(Span(0, 4), "A"), (Span(4, 9), "B")]
    tokens = [None, Span(0, 2), Span(3, 7), Span(8, 9), Span(9, 12), None]
    assert token_labels(tokens, segments) == [None, "A", "B", "B", None, None]
    assert token_labels([Span(2, 6)], segments) == ["A"]


def wic_pair(pair: WordInContext) -> tuple[str, str, bool]:
    return pair.first_word.of(pair.first), pair.second_word.of(pair.second), pair.same


def test_wic_counts_words_from_zero(write: Write, tmp_path: Path) -> None:
    write("train/train.data.txt", "play\tN\t2-1\tthe key play here\ta play staged\n")
    write("train/train.gold.txt", "F\n")
    (english,) = read_wic(tmp_path, "wic")
    assert wic_pair(english.splits["train"][0]) == ("play", "play", False)
    assert kind_of(tmp_path) == "wic"


def test_superglue_wic_counts_characters(write: Write, tmp_path: Path) -> None:
    row = {"word": "play", "sentence1": "a play", "sentence2": "played", "start1": 2, "end1": 6, "start2": 0, "end2": 6}
    write("train.jsonl", json.dumps({**row, "label": True}) + "\n" + json.dumps(row) + "\n")
    (english,) = read_wic(tmp_path, "wic")
    assert [wic_pair(pair) for pair in english.splits["train"]] == [("play", "played", True)]


def test_mcl_wic_has_strings_for_offsets_and_tags_in_another_file(write: Write, tmp_path: Path) -> None:
    row = {
        "id": "t.1", "lemma": "jouer", "sentence1": "il joue", "sentence2": "jouons", "start1": "3", "end1": "7",
        "start2": "0", "end2": "6",
    }  # fmt: skip
    write("test/multilingual/test.fr-fr.data", json.dumps([row]))
    write("test/multilingual/test.fr-fr.gold", json.dumps([{"id": "t.1", "tag": "T"}]))
    write("test/crosslingual/test.en-fr.data", "not read")
    (french,) = read_wic(tmp_path, "mcl-wic")
    assert french.language == "fra_Latn"
    assert wic_pair(french.splits["test"][0]) == ("joue", "jouons", True)


def test_xl_wic_train_and_test_parts(write: Write, tmp_path: Path) -> None:
    write("german_de/de_train.txt", "Bank\tN\t4\t8\t0\t4\tdie Bank\tBank da\t1\n")
    write("german_de/de_test_data.txt", "Bank\tN\t4\t8\t0\t4\tdie Bank\tBank da\n")
    write("german_de/de_test_gold.txt", "0\n")
    write("wic_english/train_en.txt", "bank\tN\t2\t6\t0\t4\ta bank\tbank it\t0\n")
    german, english = read_wic(tmp_path, "xl-wic")
    assert wic_pair(german.splits["train"][0]) == ("Bank", "Bank", True)
    assert wic_pair(german.splits["test"][0]) == ("Bank", "Bank", False)
    assert wic_pair(english.splits["train"][0]) == ("bank", "bank", False)


def test_wic_from_the_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    place = {"char_start": 2, "char_end": 6}

    def rows(name: str, config: str, *, split: str, revision: str | None) -> datasets.Dataset:
        if config == "wic":
            label = -1 if split == "test" else 1
            row = {"word": "bank", "sentence1": "a bank", "sentence2": "my bank", "start1": 2, "end1": 6, "start2": 3,
                   "end2": 7, "label": label}  # fmt: skip
        else:
            row = {"target_word": "bank", "context_1": "a bank", "context_2": "a bank", "label": 0,
                   "target_word_location_1": place, "target_word_location_2": place}  # fmt: skip
        return datasets.Dataset.from_list([row])

    monkeypatch.setattr(datasets, "load_dataset", rows)
    (english,) = read_wic("org/glue", "wic", ["wic"])
    # The hidden labels of the test part send the reader to the validation part.
    assert [wic_pair(english.splits[split][0]) for split in ("train", "test")] == [("bank", "bank", True)] * 2
    korean, german = read_wic("org/xlwic", "xl-wic", ["xlwic_en_ko", "xlwic_de_de"])
    assert (korean.language, len(korean.splits["train"]), len(korean.splits["test"])) == ("kor_Hang", 0, 1)
    assert (german.language, len(german.splits["train"]), len(german.splits["test"])) == ("deu_Latn", 1, 1)


@pytest.mark.parametrize(
    ("files", "kind", "message"),
    [
        (
            {"train.data.txt": "play\tN\t2-9\tthe key play\ta play\n", "train.gold.txt": "F\n"},
            "wic",
            r"line 1: target word 'play' \(word 9\) is missing in 'a play' \(2 words\)",
        ),
        (
            {"de_train.txt": "Bank\tN\t4\t8\t0\t99\tdie Bank\tBank da\t1\n"},
            "xl-wic",
            "line 1: target word 'Bank' .*0–99.* is missing in 'Bank da'",
        ),
        ({"train.data.txt": "a\tN\t0-0\ta\ta\n", "train.gold.txt": "F\nT\n"}, "wic", "has 1 sentences, .* has 2"),
        ({"train.data.txt": "a\tN\t0-0\ta\ta\n", "train.gold.txt": "X\n"}, "wic", "label 'X'; expected T or F"),
        ({"train.data.txt": "a\tN\ta\ta\n", "train.gold.txt": "T\n"}, "wic", "line 1: expected word"),
        ({"train.jsonl": '{"word": "zebra", "sentence1": "a", "sentence2": "b", "label": 1}\n'}, "wic",
         "line 1: target word 'zebra' is missing in 'a'"),
        ({"readme": "x"}, "mcl-wic", "no file of mcl-wic in it"),
        ({"train.data.txt": "", "train.gold.txt": "F\n"}, "wic", "train.data.txt: empty file"),
    ],
    ids=["word number", "offsets", "counts", "label", "fields", "not found", "nothing", "empty"],
)  # fmt: skip
def test_bad_wic_files_are_named(write: Write, tmp_path: Path, files: dict[str, str], kind: str, message: str) -> None:
    for name, text in files.items():
        write(name, text)
    with pytest.raises(DataError, match=message):
        read_wic(tmp_path, kind)


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("de", "deu_Latn"),
        ("zh-TW", "zho_Hant"),
        ("pt-PT", "por_Latn"),
        ("German", "deu_Latn"),
        ("roh_Latn", "roh_Latn"),
    ],
)
def test_names_of_languages(name: str, code: str) -> None:
    assert subset_code(name) == code


def test_unknown_languages_are_refused_and_the_paper_trained_on_93() -> None:
    with pytest.raises(LanguageError, match="unknown language 'qq'"):
        subset_code("qq")
    languages = paper_training_languages()
    assert len(languages) == 93
    assert "spa_Latn" in languages
    assert "deu_Latn" not in languages
