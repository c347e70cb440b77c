"""Word-in-context data: WiC, MCL-WiC and XL-WiC, from their own files or the Hub.

wic      train.data.txt: word ⇥ N|V ⇥ 5-3 ⇥ sentence ⇥ sentence (word numbers from 0), train.gold.txt: T|F;
         or SuperGLUE's JSONL with start1, end1, start2, end2, label
mcl-wic  training.en-en.data, test.fr-fr.data and .gold: JSON lists with start1, end1, …, tag T|F
xl-wic   *_train.txt, *_valid.txt, *_test_data.txt and *_test_gold.txt:
         word ⇥ POS ⇥ start ⇥ end ⇥ start ⇥ end ⇥ sentence ⇥ sentence [⇥ 0|1] (characters)
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from alee_mteb.errors import DataError
from salt.evaluation.codes import known_code, subset_code
from salt.evaluation.hub import hub_rows
from salt.evaluation.lines import read_json, read_json_lines, read_lines, same_length
from salt.pairs import Span


@dataclass(frozen=True)
class WordInContext:
    """Two sentences with a word each, and whether it means the same in both."""

    first: str
    first_word: Span
    second: str
    second_word: Span
    same: bool
    where: str


@dataclass(frozen=True)
class WordInContextSet:
    """One language's pairs by split (``train``, ``test``)."""

    language: str
    splits: dict[str, tuple[WordInContext, ...]]


def read_wic(source: Path | str, kind: str, languages: Sequence[str] | None = None) -> list[WordInContextSet]:
    """The sets of a folder, or of a Hub name; `kind` is ``wic``, ``mcl-wic`` or ``xl-wic``.

    Raises:
        DataError: no file of the layout, a target word that is not in its sentence, gold of another length.
    """
    if isinstance(source, str):
        return [_hub_set(source, name) for name in languages or ["wic" if kind == "wic" else "en"]]
    found: dict[str, dict[str, list[WordInContext]]] = {}
    for path in sorted(source.rglob("*")):
        place = _place(path, kind) if path.is_file() else None
        if place is None:
            continue
        language, split = place
        if languages is not None and language not in {subset_code(name) for name in languages}:
            continue
        pairs = list(_READERS[kind](path))
        found.setdefault(language, {"train": [], "test": []})[split] += pairs
    if not found:
        raise DataError(f"{source}: no file of {kind} in it; give the unpacked folder")
    return [
        WordInContextSet(language, {split: tuple(pairs) for split, pairs in splits.items()})
        for language, splits in sorted(found.items())
    ]


def _place(path: Path, kind: str) -> tuple[str, str] | None:
    """Language and split of a data file, by its name; ``None`` if it is no such file."""
    name = path.name
    if kind == "wic":
        match = re.fullmatch(r"(train|test)(\.data\.txt|\.jsonl)", name)
        return ("eng_Latn", match[1]) if match else None
    if kind == "mcl-wic":
        match = re.fullmatch(r"(training|test)\.([a-z]{2})-([a-z]{2})\.data", name)
        if match is None or match[2] != match[3]:  # pairs across two languages are another task
            return None
        return subset_code(match[2]), "train" if match[1] == "training" else "test"
    match = re.fullmatch(r"(?:([a-z]{2})_)?(train|test_data)(?:_([a-z]{2}))?\.txt", name)
    code = (match[1] or match[3]) if match else None
    if match is None or code is None or not known_code(code):
        return None
    return subset_code(code), "train" if match[2] == "train" else "test"


def _read_wic(path: Path) -> Iterator[WordInContext]:
    if path.suffix == ".jsonl":
        for number, row in read_json_lines(path):
            if "label" in row:
                yield _from_row(row, f"{path}, line {number}")
        return
    gold = path.with_name(path.name.replace(".data.", ".gold."))
    rows, labels = list(read_lines(path)), list(read_lines(gold))
    same_length(path, len(rows), gold, len(labels))
    for (number, line), (_, label) in zip(rows, labels, strict=True):
        where = f"{path}, line {number}"
        fields = line.split("\t")
        match = re.fullmatch(r"(\d+)-(\d+)", fields[2]) if len(fields) == 5 else None
        if match is None:
            raise DataError(f"{where}: expected word, part of speech, 5-3, sentence, sentence")
        first, second = fields[3], fields[4]
        spans = [_word_at(text, int(at), fields[0], where) for text, at in ((first, match[1]), (second, match[2]))]
        yield WordInContext(first, spans[0], second, spans[1], _label(label, where), where)


def _read_mcl(path: Path) -> Iterator[WordInContext]:
    gold = path.with_suffix(".gold")
    rows, labels = read_json(path), read_json(gold)
    if not isinstance(rows, list) or not isinstance(labels, list):
        raise DataError(f"{path}: expected JSON lists here and in {gold.name}")
    same_length(path, len(rows), gold, len(labels))
    tags = {row.get("id"): row.get("tag") for row in labels}
    for number, row in enumerate(rows, 1):
        where = f"{path}, record {number}"
        if row.get("id") not in tags:
            raise DataError(f"{where}: {row.get('id')!r} has no tag in {gold.name}")
        yield _from_row({**row, "label": tags[row["id"]], "word": row.get("lemma", "")}, where)


def _read_xl(path: Path) -> Iterator[WordInContext]:
    rows = list(read_lines(path))
    gold = path.with_name(path.name.replace("test_data", "test_gold"))
    labels = [line for _, line in read_lines(gold)] if "test_data" in path.name else None
    if labels is not None:
        same_length(path, len(rows), gold, len(labels))
    for at, (number, line) in enumerate(rows):
        where = f"{path}, line {number}"
        fields = line.split("\t")
        if len(fields) < (8 if labels is not None else 9) or not all(field.isdigit() for field in fields[2:6]):
            raise DataError(f"{where}: expected word, part of speech, four offsets, two sentences and a label")
        start1, end1, start2, end2 = (int(field) for field in fields[2:6])
        label = labels[at] if labels is not None else fields[8]
        yield WordInContext(
            fields[6],
            _span(fields[6], start1, end1, fields[0], where),
            fields[7],
            _span(fields[7], start2, end2, fields[0], where),
            _label(label, where),
            where,
        )


_READERS = {"wic": _read_wic, "mcl-wic": _read_mcl, "xl-wic": _read_xl}


def _hub_set(name: str, config: str) -> WordInContextSet:
    # XL-WiC's "xlwic_en_ko" trains on English and tests on Korean; English training is in "xlwic_en_en".
    training, _, tested = config.removeprefix("xlwic_").partition("_")
    splits: dict[str, list[WordInContext]] = {"train": [], "test": []}
    for split in ("train", "test") if tested in ("", training) else ("test",):
        for number, row in hub_rows(name, config, split):
            if row.get("label") not in (None, -1):  # SuperGLUE hides the labels of its test part
                splits[split].append(_from_row(row, f"{name} {config} {split}, row {number}"))
    if not splits["test"]:
        splits["test"] = [
            _from_row(row, f"{name} {config} validation, row {number}")
            for number, row in hub_rows(name, config, "validation")
        ]
    code = "eng_Latn" if config == "wic" else subset_code(tested or training)
    return WordInContextSet(code, {split: tuple(pairs) for split, pairs in splits.items()})


def _from_row(row: dict[str, Any], where: str) -> WordInContext:
    """A row of SuperGLUE, MCL-WiC or the Hub's XL-WiC, whose columns are named differently."""
    word = str(row.get("word") or row.get("target_word") or "")
    texts, spans = [], []
    for side in ("1", "2"):
        text = row.get(f"sentence{side}", row.get(f"context_{side}"))
        if not isinstance(text, str) or not text.strip():
            raise DataError(f"{where}: no sentence{side}")
        place = row.get(f"target_word_location_{side}") or {}
        start = row.get(f"start{side}", place.get("char_start"))
        end = row.get(f"end{side}", place.get("char_end"))
        texts.append(text)
        spans.append(
            _found(text, word, where)
            if start is None or end is None
            else _span(text, int(start), int(end), word, where)
        )
    return WordInContext(texts[0], spans[0], texts[1], spans[1], _label(row.get("label"), where), where)


def _span(text: str, start: int, end: int, word: str, where: str) -> Span:
    if not 0 <= start < end <= len(text) or not text[start:end].strip():
        raise DataError(f"{where}: target word {word!r} (characters {start}–{end}) is missing in {text[:60]!r}")
    return Span(start, end)


def _word_at(text: str, at: int, word: str, where: str) -> Span:
    words = list(re.finditer(r"\S+", text))
    if at >= len(words):
        raise DataError(f"{where}: target word {word!r} (word {at}) is missing in {text[:60]!r} ({len(words)} words)")
    return Span(*words[at].span())


def _found(text: str, word: str, where: str) -> Span:
    at = text.casefold().find(word.casefold()) if word else -1
    if at < 0 or len(text.casefold()) != len(text):
        raise DataError(f"{where}: target word {word!r} is missing in {text[:60]!r}")
    return Span(at, at + len(word))


def _label(value: Any, where: str) -> bool:
    text = str(value).strip().lower()
    if text in ("t", "true", "1"):
        return True
    if text in ("f", "false", "0"):
        return False
    raise DataError(f"{where}: label {value!r}; expected T or F, or 1 or 0")
