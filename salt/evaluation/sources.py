"""`--data`: which benchmark a folder, file or Hub name holds, and reading it.

KIND=PATH                      a local folder or file in the benchmark's own format
KIND=hub:org/name              a Hub data set, all its configurations
KIND=hub:org/name:en,de        some of them; org/name@revision for a revision
PATH                           the kind is worked out from the files
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from alee_mteb.errors import DataError
from salt.evaluation.codes import subset_code
from salt.evaluation.gold import GoldSet, read_awesome, read_kftt, read_simalign_folder, read_xl_wa
from salt.evaluation.hub import hub_configs
from salt.evaluation.labelled import LabelledSet, read_massive, read_words
from salt.evaluation.lines import read_lines
from salt.evaluation.multiparallel import (
    AlteredSentences,
    Multiparallel,
    check_altered,
    read_altered,
    read_hub_flores,
    read_multiparallel,
)
from salt.evaluation.spans import SpanSet, read_span_sets
from salt.evaluation.wic import WordInContextSet, read_wic

ALIGNMENT = ("xl-wa", "simalign", "awesome-align", "kftt")
LABELLING = ("massive", "pan-x", "udpos")
WORDS_IN_CONTEXT = ("wic", "mcl-wic", "xl-wic")
KINDS = (*ALIGNMENT, *LABELLING, *WORDS_IN_CONTEXT, "flores", "xsim++", "spans")
#: What is evaluated without `--data`, where a hub can be reached.
HUB = (
    "massive=hub:AmazonScience/massive@refs/convert/parquet",
    "pan-x=hub:unimelb-nlp/wikiann",
    "udpos=hub:google/xtreme",
    "wic=hub:aps/super_glue:wic",
    "xl-wic=hub:pasinit/xlwic@refs/convert/parquet",
    "flores=hub:openlanguagedata/flores_plus",
)


@dataclass
class Sources:
    """Everything that `--data` named, read."""

    gold: list[GoldSet] = field(default_factory=list)
    labelled: dict[str, list[LabelledSet]] = field(default_factory=dict)
    words_in_context: dict[str, list[WordInContextSet]] = field(default_factory=dict)
    multiparallel: list[Multiparallel] = field(default_factory=list)
    altered: list[tuple[Path, AlteredSentences]] = field(default_factory=list)
    spans: list[SpanSet] = field(default_factory=list)


def read_sources(specs: Iterable[str], languages: Sequence[str] | None = None) -> Sources:
    """Read all data; with `languages`, only those (English stays, it is what the others are held against).

    Raises:
        DataError: an unknown kind, a path that is not there or whose kind cannot be told, bad data.
    """
    sources = Sources()
    wanted = {subset_code(name) for name in languages} | {"eng_Latn"} if languages else None
    for spec in specs:
        kind, place = split_spec(spec)
        _read_one(sources, kind, place, wanted)
    for path, altered in sources.altered:
        if not sources.multiparallel:
            raise DataError(f"{path}: xsim++ also needs the sentences in other languages: add --data flores=FOLDER")
        for data in sources.multiparallel:
            check_altered(altered, data.texts["eng_Latn"], path)
    return sources


def split_spec(spec: str) -> tuple[str, str]:
    """Kind and place of a `--data` argument.

    Raises:
        DataError: see `read_sources`.
    """
    kind, equals, place = spec.partition("=")
    if equals and kind in KINDS:
        return kind, place
    if equals and not Path(spec).exists():
        raise DataError(f"--data {spec}: unknown kind {kind!r}; choose one of {', '.join(KINDS)}")
    path = Path(spec)
    if not path.exists():
        raise DataError(f"--data {spec}: no such file or folder")
    return kind_of(path), spec


def kind_of(path: Path) -> str:
    """The kind of a folder or file, by what is in it.

    Raises:
        DataError: it cannot be told.
    """
    found = _kind_of_folder(path) if path.is_dir() else _kind_of_file(path)
    if found is None:
        raise DataError(f"--data {path}: its kind cannot be told; write KIND={path}, one of {', '.join(KINDS)}")
    return found


def _kind_of_folder(path: Path) -> str | None:
    patterns = {
        "awesome-align": "*.src-tgt",
        "kftt": "align-0*.txt",
        "mcl-wic": "**/training.*.data",
        "wic": "**/train.data.txt",
        "xl-wic": "**/*_test_data.txt",
        "udpos": "**/*-ud-*.conllu",
        "flores": "*.devtest",
    }
    for kind, pattern in patterns.items():
        if any(path.glob(pattern)):
            return kind
    if any(path.glob("devtest/*.devtest")) or any(path.glob("dev/*.dev")):
        return "flores"
    if any(path.glob("*.gold")) or any(path.glob("*.wa")):
        return "simalign"
    table = next(path.glob("*/test.tsv"), None)
    if table is not None and next(read_lines(table))[1].count("\t") == 2:
        return "xl-wa"
    if any('"annot_utt"' in next(read_lines(file))[1] for file in list(path.rglob("*.jsonl"))[:1]):
        return "massive"
    return None


def _kind_of_file(path: Path) -> str | None:
    if path.suffix == ".parquet":
        return "spans"
    if path.suffix == ".jsonl":
        first = next(read_lines(path))[1]
        return "spans" if '"spans"' in first else "flores" if '"eng_Latn"' in first else None
    return "xsim++" if path.suffix in (".tsv", ".json") else None


def _read_one(sources: Sources, kind: str, place: str, wanted: set[str] | None) -> None:
    if place.startswith("hub:"):
        _read_hub(sources, kind, place.removeprefix("hub:"), wanted)
        return
    path = Path(place)
    if not path.exists():
        raise DataError(f"--data {kind}={place}: no such file or folder")
    names = sorted(wanted) if wanted is not None else None
    if kind in ALIGNMENT:
        sets = _GOLD_READERS[kind](path)
        sources.gold += [one for one in sets if _pair_wanted(one.source_language, one.target_language, wanted)]
    elif kind == "massive":
        sources.labelled.setdefault(kind, []).extend(read_massive(path, names))
    elif kind in LABELLING:
        sources.labelled.setdefault(kind, []).extend(read_words(path, kind, names))
    elif kind in WORDS_IN_CONTEXT:
        sources.words_in_context.setdefault(kind, []).extend(read_wic(path, kind, names))
    elif kind == "flores":
        data = read_multiparallel(path)
        sources.multiparallel.append(_selected(data, wanted))
        for altered in sorted(path.glob("augmented_data/*errtype*.json")) if path.is_dir() else ():
            sources.altered.append((altered, read_altered(altered)))
    elif kind == "xsim++":
        sources.altered.append((path, read_altered(path)))
    else:
        sets_of_spans = read_span_sets(path)
        sources.spans += [
            one for one in sets_of_spans if _pair_wanted(one.source_language, one.target_language, wanted)
        ]


_GOLD_READERS: dict[str, Callable[[Path], list[GoldSet]]] = {
    "xl-wa": read_xl_wa,
    "simalign": read_simalign_folder,
    "awesome-align": read_awesome,
    "kftt": read_kftt,
}


def _read_hub(sources: Sources, kind: str, place: str, wanted: set[str] | None) -> None:
    name, _, chosen = place.partition(":")
    if kind == "flores":
        sources.multiparallel.append(_selected(read_hub_flores(name), wanted))
        return
    if kind not in (*LABELLING, *WORDS_IN_CONTEXT):
        raise DataError(f"--data {kind}=hub:{place}: {kind} is read from local files only")
    configs = chosen.split(",") if chosen else _configs(kind, name, wanted)
    if kind in WORDS_IN_CONTEXT:
        sources.words_in_context.setdefault(kind, []).extend(read_wic(name, kind, configs))
    elif kind == "massive":
        sources.labelled.setdefault(kind, []).extend(read_massive(name, configs))
    else:
        sources.labelled.setdefault(kind, []).extend(read_words(name, kind, configs))


def _configs(kind: str, name: str, wanted: set[str] | None) -> list[str]:
    """The configurations that are languages we know (and want)."""
    from salt.evaluation.codes import known_code

    found = []
    for config in hub_configs(name):
        if kind == "udpos" and name.split("@")[0].endswith("xtreme") and not config.startswith("udpos."):
            continue
        code = known_code(config.removeprefix("udpos.").removeprefix("xlwic_").rpartition("_")[2])
        if code is not None and (wanted is None or code in wanted):
            found.append(config)
    if not found:
        raise DataError(f"--data {kind}=hub:{name}: no configuration is a known language; name them: hub:{name}:en,de")
    return found


def _selected(data: Multiparallel, wanted: set[str] | None) -> Multiparallel:
    if wanted is None:
        return data
    return data.select([language for language in data.languages if data.code(language) in wanted])


def _pair_wanted(source: str, target: str, wanted: set[str] | None) -> bool:
    return wanted is None or {source, target} <= wanted
