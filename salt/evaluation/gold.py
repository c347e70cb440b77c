"""Gold word alignments: the files of XL-WA, SimAlign's sets, awesome-align and KFTT as one record.

    xl-wa          <lang>/test.tsv               English ⇥ target ⇥ links, counted from 0
    simalign       one gold file and two texts   sure ``3-4``, possible ``3p4``, counted from 0; lines may carry ids
    naacl          *.wa* and two ``<s snum=…>``   ``id source target [S|P]``, counted from 1 (WPT 2003 and 2005)
    awesome-align  NAME.src-tgt, NAME.gold       ``source ||| target``; sure and possible, counted from 1
    kftt           english-NNN, japanese-NNN, align-NNN (.txt), counted from 0, English–Japanese as in the file

Words are what the files separate by white space: their links count these.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from alee_mteb.errors import DataError
from salt.evaluation.codes import known_code, subset_code
from salt.evaluation.lines import read_lines, same_length

Link = tuple[int, int]
_LINK = re.compile(r"(\d+)([-p])(\d+)")
#: WPT's files number words from 1; so does awesome-align.
FIRST = {"xl-wa": 0, "simalign": 0, "naacl": 1, "awesome-align": 1, "kftt": 0}

#: In so many sentence pairs some first word has a link; where none has, links are counted from 1.
MANY_PAIRS = 50


@dataclass(frozen=True)
class GoldPair:
    """A sentence pair with gold links, counted from 0.

    Attributes:
        source, target: texts, words separated by single spaces.
        sure: links every annotator would draw.
        possible: sure links and those that may or may not be drawn.
    """

    source: str
    target: str
    sure: frozenset[Link]
    possible: frozenset[Link]


@dataclass(frozen=True)
class GoldSet:
    """The pairs of one language pair; languages as codes."""

    name: str
    source_language: str
    target_language: str
    pairs: tuple[GoldPair, ...]

    @property
    def language(self) -> str:
        """The code of the language pair."""
        return f"{self.source_language}-{self.target_language}"


@dataclass(frozen=True)
class _Row:
    """A pair as it stands in a file: where, words, and links as counted there."""

    where: str
    source: list[str]
    target: list[str]
    sure: frozenset[Link]
    possible: frozenset[Link]


def read_xl_wa(folder: Path, languages: Sequence[str] | None = None, split: str = "test") -> list[GoldSet]:
    """The sets of a folder ``<lang>/<split>.tsv``; `languages` are folder names.

    Raises:
        DataError: no such file, a row without three fields, bad links.
    """
    found = sorted(path.parent.name for path in folder.glob(f"*/{split}.tsv"))
    sets = []
    for name in languages or found:
        path = folder / name / f"{split}.tsv"
        rows = []
        for number, line in read_lines(path):
            fields = line.split("\t")
            if len(fields) != 3:
                raise DataError(f"{path}, line {number}: {len(fields)} fields, expected English, target, links")
            rows.append(_row(f"{path}, line {number}", *fields))
        sets.append(_gold_set("xl-wa", "eng_Latn", subset_code(name), rows, path))
    if not sets:
        raise DataError(f"{folder}: no <language>/{split}.tsv in it; give the folder of XL-WA")
    return sets


def read_awesome(folder: Path) -> list[GoldSet]:
    """Every ``NAME.src-tgt`` with its ``NAME.gold``; the languages are in the name (``enfr``, ``roen``, ``jaen``).

    Raises:
        DataError: a missing gold file, numbers of lines that differ, a line without ``|||``, bad links.
    """
    sets = []
    for texts in sorted(folder.glob("*.src-tgt")):
        gold = texts.with_suffix(".gold")
        pairs, links = list(read_lines(texts)), list(read_lines(gold, empty=True))
        same_length(texts, len(pairs), gold, len(links))
        rows = []
        for (number, line), (_, gold_line) in zip(pairs, links, strict=True):
            source, bar, target = line.partition("|||")
            if not bar:
                raise DataError(f"{texts}, line {number}: no ' ||| ' between source and target")
            rows.append(_row(f"{gold}, line {number}", source, target, gold_line))
        first, second = _pair_of(texts.stem, texts)
        sets.append(_gold_set("awesome-align", first, second, rows, gold))
    if not sets:
        raise DataError(f"{folder}: no NAME.src-tgt in it; give a folder of awesome-align examples")
    return sets


def read_simalign(gold: Path, source: Path, target: Path, source_language: str, target_language: str) -> GoldSet:
    """A set as SimAlign's evaluation reads it; lines are ``id ⇥ text`` and ``id ⇥ links``, or without ids in order.

    Raises:
        DataError: numbers of lines or ids that differ, bad links.
    """
    tables = [_numbered(path) for path in (source, target, gold)]
    for path, table in ((target, tables[1]), (gold, tables[2])):
        same_length(source, len(tables[0]), path, len(table))
        if table.keys() != tables[0].keys():
            odd = sorted(table.keys() ^ tables[0].keys())[0]
            raise DataError(f"{source} and {path}: sentence {odd!r} is in one only; give files of the same set")
    rows = [_row(f"{gold}, sentence {id_}", tables[0][id_], tables[1][id_], tables[2][id_]) for id_ in tables[0]]
    return _gold_set("simalign", subset_code(source_language), subset_code(target_language), rows, gold)


def read_naacl(gold: Path, source: Path, target: Path, source_language: str, target_language: str) -> GoldSet:
    """A set in the format of the WPT shared tasks (en-fr, en-hi, ro-en): ``<s snum=1> … </s>``, ``1 2 3 [S|P]``.

    Raises:
        DataError: sentences that differ, lines that are not in the format, bad links.
    """
    texts = [_tagged(source), _tagged(target)]
    same_length(source, len(texts[0]), target, len(texts[1]))
    sure: dict[str, set[Link]] = {key: set() for key in texts[0]}
    possible: dict[str, set[Link]] = {key: set() for key in texts[0]}
    for number, line in read_lines(gold):
        fields = line.split()
        if len(fields) not in (3, 4) or not all(field.isdigit() for field in fields[:3]):
            raise DataError(f"{gold}, line {number}: not 'sentence source-word target-word [S|P]': {line[:60]!r}")
        key, link = str(int(fields[0])), (int(fields[1]), int(fields[2]))
        if key not in sure:
            raise DataError(f"{gold}, line {number}: sentence {key} is not in {source}; give files of the same set")
        if 0 in link:  # a link to nothing, kept in some releases
            continue
        possible[key].add(link)
        if fields[3:] != ["P"]:
            sure[key].add(link)
    rows = [
        _Row(
            f"{gold}, sentence {key}",
            texts[0][key].split(),
            texts[1][key].split(),
            frozenset(sure[key]),
            frozenset(possible[key]),
        )
        for key in texts[0]
        if key in texts[1]
    ]
    return _gold_set("naacl", subset_code(source_language), subset_code(target_language), rows, gold)


def read_kftt(folder: Path, parts: Iterable[str] = ("013", "014", "015")) -> list[GoldSet]:
    """The Kyoto test alignments: ``{english,japanese,align}-NNN.txt`` for the parts the test set is made of.

    Links count Japanese words first, as the files do.

    Raises:
        DataError: no part of the test set, numbers of lines that differ, bad links.
    """
    rows: list[_Row] = []
    for part in parts:
        paths = [folder / f"{name}-{part}.txt" for name in ("japanese", "english", "align")]
        if not paths[0].exists():
            continue
        lines = [list(read_lines(path, empty=True)) for path in paths]
        for path, table in zip(paths[1:], lines[1:], strict=True):
            same_length(paths[0], len(lines[0]), path, len(table))
        for (number, japanese), (_, english), (_, links) in zip(*lines, strict=True):
            rows.append(_row(f"{paths[2]}, line {number}", japanese, english, links))
    if not rows:
        raise DataError(
            f"{folder}: none of japanese-{{{','.join(parts)}}}.txt in it; give KFTT's alignment data folder"
        )
    return [_gold_set("kftt", "jpn_Jpan", "eng_Latn", rows, folder)]


def _gold_set(kind: str, source_language: str, target_language: str, rows: Sequence[_Row], path: Path) -> GoldSet:
    first = FIRST[kind]
    _check_base(rows, first, path)
    pairs = tuple(
        GoldPair(" ".join(row.source), " ".join(row.target), _shift(row.sure, first), _shift(row.possible, first))
        for row in rows
    )
    return GoldSet(kind, source_language, target_language, pairs)


def _check_base(rows: Sequence[_Row], first: int, path: Path) -> None:
    """Links must lie within their sentences; a file counted from the other end is named as such."""
    if not rows:
        raise DataError(f"{path}: empty; expected sentence pairs with gold links")
    links = [(row, link) for row in rows for link in sorted(row.possible)]
    if not links:
        raise DataError(f"{path}: no gold link at all; expected pairs such as 0-0")
    lowest = min(min(link) for _, link in links)
    outside = [(row, link) for row, link in links if not _within(row, link, first)]
    if not outside and (first or lowest == 0 or len(rows) < MANY_PAIRS):
        return
    if not outside:
        raise DataError(
            f"{path}: no link to a first word in {len(rows)} sentence pairs: links seem to be counted from 1, this "
            "format counts from 0; subtract 1"
        )
    other = 1 - first
    if (other == 1 or lowest == 0) and lowest >= other and all(_within(row, link, other) for row, link in links):
        row, link = outside[0]
        raise DataError(
            f"{path}: links are counted from {other}, this format counts from {first} "
            f"({row.where}: {link[0]}-{link[1]} of {len(row.source)} and {len(row.target)} words); "
            f"{'subtract' if other else 'add'} 1"
        )
    row, link = outside[0]
    raise DataError(
        f"{row.where}: link {link[0]}-{link[1]} is out of range for {len(row.source)} and {len(row.target)} words "
        f"counted from {first}"
    )


def _within(row: _Row, link: Link, first: int) -> bool:
    return first <= link[0] < len(row.source) + first and first <= link[1] < len(row.target) + first


def _shift(links: frozenset[Link], first: int) -> frozenset[Link]:
    return frozenset((source - first, target - first) for source, target in links)


def _row(where: str, source: str, target: str, links: str) -> _Row:
    sure, possible = set(), set()
    for field in links.split():
        match = _LINK.fullmatch(field)
        if match is None:
            raise DataError(f"{where}: {field!r} is not a link such as 3-4 (sure) or 3p4 (possible)")
        link = int(match[1]), int(match[3])
        possible.add(link)
        if match[2] == "-":
            sure.add(link)
    if not source.split() or not target.split():
        raise DataError(f"{where}: empty {'target' if source.split() else 'source'} sentence")
    return _Row(where, source.split(), target.split(), frozenset(sure), frozenset(possible))


def _numbered(path: Path) -> dict[str, str]:
    lines = list(read_lines(path, empty=True))
    if all("\t" in line for _, line in lines):
        return {line.split("\t", 1)[0]: line.split("\t", 1)[1] for _, line in lines}
    return {str(number): line for number, line in lines}


def _tagged(path: Path) -> dict[str, str]:
    found = {}
    for number, line in read_lines(path):
        match = re.fullmatch(r"<s snum=0*(\d+)>(.*)</s>", line.strip())
        if match is None:
            raise DataError(f"{path}, line {number}: not '<s snum=1> words </s>': {line[:60]!r}")
        found[match[1]] = match[2].strip()
    return found


def _pair_of(stem: str, path: Path) -> tuple[str, str]:
    for pattern in (r"([a-z]{2})-?([a-z]{2})", r"([a-z]{3})[-_]([a-z]{3})"):
        match = re.fullmatch(pattern, stem)
        if match and known_code(match[1]) and known_code(match[2]):
            return subset_code(match[1]), subset_code(match[2])
    raise DataError(f"{path}: the languages are not in the name; call it such as enfr{path.suffix}")


def read_simalign_folder(folder: Path) -> list[GoldSet]:
    """Every gold file of a folder with the two texts beside it, by name.

    ``eng-hin.gold`` goes with ``eng-hin.eng`` and ``eng-hin.hin``; ``.wa`` in place of ``.gold`` is the WPT format.

    Raises:
        DataError: no gold file, or see `read_simalign` and `read_naacl`.
    """
    readers: Mapping[str, Callable[[Path, Path, Path, str, str], GoldSet]] = {".gold": read_simalign, ".wa": read_naacl}
    sets = []
    for gold in sorted(path for path in folder.iterdir() if path.suffix in readers):
        first, _, second = gold.stem.replace("_", "-").partition("-")
        if not known_code(first) or not second or not known_code(second):
            raise DataError(f"{gold}: the languages are not in the name; call it such as eng-hin{gold.suffix}")
        source, target = gold.with_suffix(f".{first}"), gold.with_suffix(f".{second}")
        sets.append(readers[gold.suffix](gold, source, target, first, second))
    if not sets:
        raise DataError(f"{folder}: no such file as eng-hin.gold or eng-fra.wa in it")
    return sets
