import os
import shutil
import stat
import sys
import zipfile
from pathlib import Path

import pytest

from alee_mteb.errors import DataError, MissingExtraError
from builders import wordnet_data
from builders.lexicon import CountingLexicon, WordNetLexicon

wordnet_only = pytest.mark.wordnet


@wordnet_only
@pytest.mark.parametrize(
    ("lemma", "pos", "antonyms"),
    [  # read off WordNet 3.0's database files (data.adj, data.verb, …), pointer "!"
        ("good", "a", ["bad", "evil"]),
        ("long", "a", ["short"]),
        ("open", "v", ["close"]),
        ("love", "n", ["hate"]),
        ("north", "a", ["south"]),
        ("sit down", "v", ["arise"]),
        ("dog", "n", []),
        ("no such word", "n", []),
    ],
)
def test_antonyms(wordnet: WordNetLexicon, lemma: str, pos: str, antonyms: list[str]) -> None:
    assert wordnet.antonyms(lemma, pos) == antonyms


@wordnet_only
def test_hypernyms_come_in_the_order_of_the_senses(wordnet: WordNetLexicon) -> None:
    assert wordnet.hypernyms("puppy", "n") == ["dog", "pup", "youth"]
    assert wordnet.hypernyms("swan", "n") == ["aquatic bird"]  # several parts, with a space
    assert wordnet.hypernyms("piano", "n")[-1] == "softness"  # the rarer sense: played softly
    assert wordnet.hypernyms("good", "a") == []
    assert "Canis familiaris" not in wordnet.hypernyms("puppy", "n")


Synset = tuple[list[str], list[tuple[str, int, str, str]]]


def database(part: str) -> tuple[dict[str, list[int]], dict[int, Synset]]:
    """One part of speech of the database, read as wndb(5WN) describes it: lemma → offsets, offset → words, pointers."""
    index: dict[str, list[int]] = {}
    synsets: dict[int, Synset] = {}
    for line in (wordnet_data.DEBIAN_FOLDER / f"index.{part}").read_text().splitlines():
        if not line.startswith(" "):
            fields = line.split()
            index[fields[0]] = [int(offset) for offset in fields[-int(fields[2]) :]]
    for line in (wordnet_data.DEBIAN_FOLDER / f"data.{part}").read_text().splitlines():
        if not line.startswith(" "):
            fields = line.split(" | ")[0].split()
            size = int(fields[3], 16)
            words = [fields[4 + 2 * i].partition("(")[0] for i in range(size)]
            start = 5 + 2 * size
            quads = [fields[start + 4 * i : start + 4 * i + 4] for i in range(int(fields[start - 1]))]
            synsets[int(fields[0])] = words, [(kind, int(offset), pos, ends) for kind, offset, pos, ends in quads]
    return index, synsets


@pytest.mark.parametrize(("part", "pos", "step"), [("noun", "n", 300), ("verb", "v", 30), ("adj", "a", 50)])
@wordnet_only
def test_answers_are_those_of_the_database(wordnet: WordNetLexicon, part: str, pos: str, step: int) -> None:
    index, synsets = database(part)
    for lemma in list(index)[::step]:
        antonyms, hypernyms = set(), []
        for offset in index[lemma]:
            words, pointers = synsets[offset]
            place = [word.lower() for word in words].index(lemma) + 1
            for kind, target, _, ends in pointers:
                if kind == "!" and int(ends[:2], 16) == place:
                    antonyms.add(synsets[target][0][int(ends[2:], 16) - 1])
                elif kind == "@":
                    hypernyms.append({word for word in synsets[target][0] if word.islower()})
        spaced = lemma.replace("_", " ")
        assert wordnet.sense_count(spaced, pos) == len(index[lemma])
        assert set(wordnet.antonyms(spaced, pos)) == {word.replace("_", " ") for word in antonyms if word.islower()}
        answers = {word.replace(" ", "_") for word in wordnet.hypernyms(spaced, pos)}
        assert answers <= set().union(*hypernyms)
        assert all(answers & synonyms for synonyms in hypernyms if synonyms - {lemma})


@wordnet_only
def test_a_lemma_is_taken_as_it_is(wordnet: WordNetLexicon) -> None:
    assert wordnet.hypernyms("geese", "n") == []
    assert wordnet.sense_count("geese", "n") == 0


@wordnet_only
def test_senses_and_uses_are_counted(wordnet: WordNetLexicon) -> None:
    assert isinstance(wordnet, CountingLexicon)
    assert wordnet.name == "wordnet-3.0"
    assert (wordnet.sense_count("dog", "n"), wordnet.sense_count("dog", "v")) == (7, 1)
    assert wordnet.frequency("dog", "n") == 42  # cntlist.rev: dog%1:05:00::
    assert wordnet.frequency("long", "a") > wordnet.frequency("long", "v") > 0


@wordnet_only
def test_answers_cannot_be_spoilt_by_whoever_gets_them(wordnet: WordNetLexicon) -> None:
    wordnet.antonyms("good", "a").clear()
    assert wordnet.antonyms("good", "a") == ["bad", "evil"]


@wordnet_only
def test_the_layout_is_complete_and_private(wordnet_folder: Path) -> None:
    corpus = wordnet_folder / "corpora" / "wordnet"
    assert wordnet_data.has_wordnet(wordnet_folder)
    assert [path.name for path in corpus.parent.iterdir()] == ["wordnet"]  # nothing left over
    assert not any(path.stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH) for path in corpus.iterdir())
    assert (corpus / "data.noun").read_bytes() == (wordnet_data.DEBIAN_FOLDER / "data.noun").read_bytes()


@wordnet_only
def test_an_incomplete_layout_is_replaced_and_a_complete_one_kept(tmp_path: Path, wordnet_folder: Path) -> None:
    corpus = tmp_path / "corpora" / "wordnet"
    corpus.mkdir(parents=True)
    (corpus / "data.noun").write_text("half a fil")
    old = os.umask(0o002)  # files of a group would be refused by NLTK
    try:
        assert wordnet_data.install_wordnet(wordnet_data.DEBIAN_FOLDER, tmp_path) == tmp_path
    finally:
        os.umask(old)
    assert WordNetLexicon(tmp_path).antonyms("good", "a") == ["bad", "evil"]
    (corpus / "marker").touch()
    wordnet_data.install_wordnet(wordnet_data.DEBIAN_FOLDER, tmp_path)
    assert (corpus / "marker").exists()


@wordnet_only
def test_the_archive_that_nltk_downloads_is_read_too(tmp_path: Path, wordnet_folder: Path) -> None:
    (tmp_path / "corpora").mkdir()
    with zipfile.ZipFile(tmp_path / "corpora" / "wordnet.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for path in sorted((wordnet_folder / "corpora" / "wordnet").iterdir()):
            archive.write(path, f"wordnet/{path.name}")
    (tmp_path / "corpora" / "wordnet.zip").chmod(0o644)
    assert WordNetLexicon(tmp_path).antonyms("long", "a") == ["short"]


@wordnet_only
def test_wordnet_is_found_in_the_users_folder_then_in_nltk_data(
    tmp_path: Path, wordnet_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("NLTK_DATA", str(wordnet_folder))
    assert wordnet_data.find_folder() == wordnet_folder
    if sys.platform == "linux":
        mine = wordnet_data.user_folder()
        assert tmp_path in mine.parents
        wordnet_data.lay_out(wordnet_data.DEBIAN_FOLDER, mine)
        assert wordnet_data.find_folder() == mine


def test_without_wordnet_the_error_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wordnet_data, "find_folder", lambda: None)
    with pytest.raises(DataError, match=r"WordNet is not installed: run `alee data wordnet`"):
        WordNetLexicon()
    with pytest.raises(DataError, match=r"no WordNet in this folder: run `alee data wordnet`"):
        WordNetLexicon(tmp_path)


def test_without_nltk_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nltk", None)
    with pytest.raises(MissingExtraError, match=r"alee-mteb\[builders\]"):
        WordNetLexicon()


def test_a_source_that_is_no_database_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "data.adj").touch()
    with pytest.raises(DataError, match=r"data\.adv is missing"):
        wordnet_data.install_wordnet(source, tmp_path / "nltk_data")
    assert not (tmp_path / "nltk_data").exists()


@wordnet_only
def test_a_layout_that_fails_half_way_leaves_nothing(
    tmp_path: Path, wordnet: WordNetLexicon, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(source: Path, target: Path) -> None:
        if target.name == "index.verb":
            raise OSError(28, "No space left on device")
        Path(target).touch()

    monkeypatch.setattr(shutil, "copyfile", full)
    with pytest.raises(DataError, match="No space left on device"):
        wordnet_data.install_wordnet(wordnet_data.DEBIAN_FOLDER, tmp_path)
    assert list((tmp_path / "corpora").iterdir()) == []


def test_a_download_that_brings_nothing_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nltk = pytest.importorskip("nltk")
    monkeypatch.setattr(wordnet_data, "DEBIAN_FOLDER", tmp_path / "absent")
    monkeypatch.setattr(nltk, "download", lambda *_, **__: False)
    with pytest.raises(DataError, match=r"could not be downloaded .*wordnet-base"):
        wordnet_data.install_wordnet(folder=tmp_path)


def test_lexnames_are_those_of_the_manual() -> None:
    lines = [line.split("\t") for line in wordnet_data.lexnames().splitlines()]
    assert len(lines) == 45
    assert lines[0] == ["00", "adj.all", "3"]
    assert lines[3] == ["03", "noun.Tops", "1"]
    assert lines[29] == ["29", "verb.body", "2"]
    assert lines[44] == ["44", "adj.ppl", "3"]
