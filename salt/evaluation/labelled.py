"""Sequence labelling data: MASSIVE slots, PAN-X entities, UDPOS parts of speech, from files or the Hub.

    massive   <locale>.jsonl with `partition` and `annot_utt`: "wake me at [time : nine am]"
    pan-x     <lang>/train or <lang>/train.tsv or train-<lang>.tsv, "en:word ⇥ B-LOC" or "word ⇥ B-LOC"
    udpos     the same layout with parts of speech, or Universal Dependencies' *-ud-train.conllu

Words of the last two are joined by single spaces. Everything becomes a text with labelled segments.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from alee_mteb.errors import DataError
from salt.evaluation.codes import known_code, subset_code
from salt.evaluation.hub import hub_rows
from salt.evaluation.lines import read_blocks, read_json_lines
from salt.pairs import Span

#: What MASSIVE calls words outside every slot.
OTHER = "Other"
SPLITS = ("train", "test")
_SLOT = re.compile(r"\[\s*([^\[\]:]+?)\s*:\s*([^\[\]]*?)\s*\]")
#: UD's tag of a multi-word token in some exports; such rows are no words.
_NO_TAGS = ("_", "")


@dataclass(frozen=True)
class LabelledText:
    """A text whose segments carry labels; segments do not overlap."""

    text: str
    segments: tuple[tuple[Span, str], ...]
    where: str


@dataclass(frozen=True)
class LabelledSet:
    """One language's texts by split (``train``, ``test``)."""

    language: str
    splits: dict[str, tuple[LabelledText, ...]]


def parse_slots(annotated: str, where: str) -> LabelledText:
    """A MASSIVE `annot_utt`; words outside slots are labelled ``Other``.

    Raises:
        DataError: brackets that do not close, or nothing but white space.
    """
    text, end = "", 0
    segments: list[tuple[Span, str]] = []
    for match in _SLOT.finditer(annotated):
        text = _append_other(text, annotated[end : match.start()], segments)
        if match[2]:
            segments.append((Span(len(text), len(text) + len(match[2])), match[1]))
            text += match[2]
        end = match.end()
    text = _append_other(text, annotated[end:], segments)
    if "[" in text or "]" in text:
        raise DataError(f"{where}: annot_utt is not of the form 'words [slot : words]': {annotated[:60]!r}")
    if not segments:
        raise DataError(f"{where}: empty annot_utt")
    return LabelledText(text, tuple(segments), where)


def _append_other(text: str, outside: str, segments: list[tuple[Span, str]]) -> str:
    for word in re.finditer(r"\S+", outside):
        segments.append((Span(len(text) + word.start(), len(text) + word.end()), OTHER))
    return text + outside


def join_words(words: Sequence[str], labels: Sequence[str], where: str) -> LabelledText:
    """Words with one label each, joined by spaces."""
    segments, at = [], 0
    for word, label in zip(words, labels, strict=True):
        segments.append((Span(at, at + len(word)), label))
        at += len(word) + 1
    return LabelledText(" ".join(words), tuple(segments), where)


def read_massive(source: Path | str, languages: Sequence[str] | None = None) -> list[LabelledSet]:
    """MASSIVE from its folder of ``<locale>.jsonl`` (or the folder above ``data``), or a Hub name.

    Raises:
        DataError: no locale file, a row without `annot_utt` or with an unknown partition.
    """
    if isinstance(source, str):
        names = languages or ["en-US"]
        return [
            LabelledSet(
                subset_code(name),
                {
                    split: tuple(
                        parse_slots(
                            _text(row, "annot_utt", f"{source} {name} {split}, row {number}"), f"{source} {name}"
                        )
                        for number, row in hub_rows(source, name, split)
                    )
                    for split in SPLITS
                },
            )
            for name in names
        ]
    home = next((folder for folder in (source / "data", source / "1.0" / "data") if folder.is_dir()), source)
    paths = [path for path in sorted(home.glob("*.jsonl")) if _wanted(path.stem, languages)]
    if not paths:
        raise DataError(f"{source}: no <locale>.jsonl in it; give the folder of MASSIVE")
    return [LabelledSet(subset_code(path.stem), _massive_splits(path)) for path in paths]


def _massive_splits(path: Path) -> dict[str, tuple[LabelledText, ...]]:
    splits: dict[str, list[LabelledText]] = {split: [] for split in SPLITS}
    for number, row in read_json_lines(path):
        where = f"{path}, line {number}"
        partition = row.get("partition")
        if partition not in ("train", "dev", "test"):
            raise DataError(f"{where}: partition {partition!r}; expected train, dev or test")
        if partition in splits:
            splits[partition].append(parse_slots(_text(row, "annot_utt", where), where))
    return {split: tuple(texts) for split, texts in splits.items()}


def read_words(source: Path | str, kind: str, languages: Sequence[str] | None = None) -> list[LabelledSet]:
    """PAN-X or UDPOS (`kind` ``pan-x`` or ``udpos``) from a folder or a Hub name.

    Raises:
        DataError: no file of the layout, a line without a label.
    """
    if isinstance(source, str):
        return [_hub_words(source, kind, name) for name in languages or ["en"]]
    found: dict[str, dict[str, list[Path]]] = {}
    for path in sorted(source.rglob("*")):
        place = _place(path, source) if path.is_file() else None
        if place is not None and _wanted(place[0], languages):
            found.setdefault(subset_code(place[0]), {split: [] for split in SPLITS})[place[1]].append(path)
    if not found:
        raise DataError(f"{source}: no <lang>/train, train-<lang>.tsv or *-ud-train.conllu in it ({kind})")
    return [
        LabelledSet(
            language, {split: tuple(text for path in paths for text in _tagged(path)) for split, paths in by.items()}
        )
        for language, by in sorted(found.items())
    ]


def _place(path: Path, root: Path) -> tuple[str, str] | None:
    """Language and split of a file, by its name; ``None`` if it is no such file."""
    if path.suffix == ".conllu":
        match = re.fullmatch(r"([a-z]{2,3})_.+-ud-(train|test)\.conllu", path.name)
        return (match[1], match[2]) if match and known_code(match[1]) else None
    match = re.fullmatch(r"(train|test)[-_.]([a-z]{2,3})(\.tsv|\.txt|)", path.name)
    if match and known_code(match[2]):
        return match[2], match[1]
    match = re.fullmatch(r"(train|test)(\.tsv|\.txt|)", path.name)
    if match and path.parent != root and known_code(path.parent.name):
        return path.parent.name, match[1]
    return None


def _tagged(path: Path) -> Iterator[LabelledText]:
    for number, block in read_blocks(path):
        words, labels = [], []
        for at, line in enumerate(block, number):
            pair = _conllu(line) if path.suffix == ".conllu" else _word(line, f"{path}, line {at}")
            if pair is not None:
                words.append(pair[0])
                labels.append(pair[1])
        if words:
            yield join_words(words, labels, f"{path}, line {number}")


def _conllu(line: str) -> tuple[str, str] | None:
    fields = line.split("\t")
    if line.startswith("#") or len(fields) < 4 or not fields[0].isdigit() or fields[3] in _NO_TAGS:
        return None
    return fields[1], fields[3]


def _word(line: str, where: str) -> tuple[str, str] | None:
    fields = line.split("\t") if "\t" in line else line.rsplit(" ", 1)
    if len(fields) < 2 or not fields[-1].strip():
        raise DataError(f"{where}: a word without a label: {line[:60]!r}")
    word, label = fields[0], fields[-1].strip()
    prefix, colon, rest = word.partition(":")
    if colon and rest and known_code(prefix) and len(prefix) <= 3:  # WikiANN's own files: "en:word"
        word = rest
    return None if label in _NO_TAGS or not word.strip() else (word.strip(), label)


def _hub_words(name: str, kind: str, language: str) -> LabelledSet:
    column = {"pan-x": "ner_tags", "udpos": "pos_tags"}[kind]
    splits = {}
    for split in SPLITS:
        texts = []
        for number, row in hub_rows(name, language, split):
            where = f"{name} {language} {split}, row {number}"
            words, labels = row.get("tokens"), row.get(column)
            if not isinstance(words, list) or not isinstance(labels, list) or len(words) != len(labels):
                raise DataError(f"{where}: expected lists `tokens` and `{column}` of one length")
            kept = [
                (word, str(label))
                for word, label in zip(words, labels, strict=True)
                if word.strip() and label not in _NO_TAGS
            ]
            if kept:
                texts.append(join_words([word for word, _ in kept], [label for _, label in kept], where))
        splits[split] = tuple(texts)
    return LabelledSet(subset_code(re.split(r"[.\-]", language)[-1] if "." in language else language), splits)


def _text(row: dict[str, Any], column: str, where: str) -> str:
    value = row.get(column)
    if not isinstance(value, str):
        raise DataError(f"{where}: no text in {column!r}")
    return value


def _wanted(name: str, languages: Iterable[str] | None) -> bool:
    return languages is None or subset_code(name) in {subset_code(language) for language in languages}
