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
from pathlib import Path

from alee_mteb.errors import DataError
from salt.evaluation.codes import known_code, subset_code
from salt.evaluation.gold_rows import GoldPair, GoldSet, Link, Row, make_gold_set, parse_row
from salt.evaluation.lines import read_lines, same_length

__all__ = [
    "GoldPair",
    "GoldSet",
    "Link",
    "read_awesome",
    "read_kftt",
    "read_naacl",
    "read_simalign",
    "read_simalign_folder",
    "read_xl_wa",
]


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
            rows.append(parse_row(f"{path}, line {number}", *fields))
        sets.append(make_gold_set("xl-wa", "eng_Latn", subset_code(name), rows, path))
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
            rows.append(parse_row(f"{gold}, line {number}", source, target, gold_line))
        first, second = _pair_of(texts.stem, texts)
        sets.append(make_gold_set("awesome-align", first, second, rows, gold))
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
    rows = [parse_row(f"{gold}, sentence {id_}", tables[0][id_], tables[1][id_], tables[2][id_]) for id_ in tables[0]]
    return make_gold_set("simalign", subset_code(source_language), subset_code(target_language), rows, gold)


def read_naacl(gold: Path, source: Path, target: Path, source_language: str, target_language: str) -> GoldSet:
    """A set in the format of the WPT shared tasks (en-fr, en-hi, ro-en): ``<s snum=1> … </s>``, ``1 2 3 [S|P]``.

    Raises:
        DataError: sentences that differ, lines that are not in the format, bad links.
    """
    texts = [_tagged(source), _tagged(target)]
    same_length(source, len(texts[0]), target, len(texts[1]))
    if texts[0].keys() != texts[1].keys():
        odd = sorted(texts[0].keys() ^ texts[1].keys())[0]
        raise DataError(f"{source} and {target}: sentence {odd} is in one only; give files of the same set")
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
        Row(
            f"{gold}, sentence {key}",
            texts[0][key].split(),
            texts[1][key].split(),
            frozenset(sure[key]),
            frozenset(possible[key]),
        )
        for key in texts[0]
    ]
    return make_gold_set("naacl", subset_code(source_language), subset_code(target_language), rows, gold)


def read_kftt(folder: Path, parts: Iterable[str] = ("013", "014", "015")) -> list[GoldSet]:
    """The Kyoto test alignments: ``{english,japanese,align}-NNN.txt`` for the parts the test set is made of.

    Links count Japanese words first, as the files do.

    Raises:
        DataError: no part of the test set, numbers of lines that differ, bad links.
    """
    rows: list[Row] = []
    for part in parts:
        paths = [folder / f"{name}-{part}.txt" for name in ("japanese", "english", "align")]
        if not paths[0].exists():
            continue
        lines = [list(read_lines(path, empty=True)) for path in paths]
        for path, table in zip(paths[1:], lines[1:], strict=True):
            same_length(paths[0], len(lines[0]), path, len(table))
        for (number, japanese), (_, english), (_, links) in zip(*lines, strict=True):
            rows.append(parse_row(f"{paths[2]}, line {number}", japanese, english, links))
    if not rows:
        raise DataError(
            f"{folder}: none of japanese-{{{','.join(parts)}}}.txt in it; give KFTT's alignment data folder"
        )
    return [make_gold_set("kftt", "jpn_Jpan", "eng_Latn", rows, folder)]


def _numbered(path: Path) -> dict[str, str]:
    lines = list(read_lines(path, empty=True))
    if all("\t" in line for _, line in lines):
        found: dict[str, str] = {}
        for number, line in lines:
            id_, _, rest = line.partition("\t")
            if id_ in found:
                raise DataError(f"{path}, line {number}: sentence {id_!r} again; every sentence has an id of its own")
            found[id_] = rest
        return found
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
