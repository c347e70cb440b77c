"""The card of a data set of triplets: Markdown under a YAML block that tells the Hub and `load_dataset` what is where.

One repository can hold several configurations (ALEE-F200, ALEE-MT61, ALEE-BQ275). Each has a section of its own,
between two comments, so that publishing one replaces its section and leaves the others alone.
"""

import re
from collections.abc import Iterable, Mapping
from importlib.resources import files
from typing import Any

import yaml

from alee_mteb.errors import DataError
from alee_mteb.languages import ENGLISH_CODE, language_of
from alee_mteb.perturbations import Perturbation
from alee_mteb.triplets import foil_column
from builders.licenses import card_license

#: Where a table lies, relative to the folder; the builder's layout.
TABLE = "test-00000-of-00001.parquet"

_FRONT = re.compile(r"\A---\r?\n(.*?\r?\n)---\r?\n", re.DOTALL)
_SETTINGS = ("engine", "mode", "lexicon", "parser", "realiser", "validator", "seed")
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))

_SOURCE_CITATIONS = {
    "flores": """@article{nllb2022,
  title = {No Language Left Behind: Scaling Human-Centered Machine Translation},
  author = {{NLLB Team}},
  year = {2022},
  eprint = {2207.04672},
  archivePrefix = {arXiv}
}""",
    "wmt24pp": """@inproceedings{deutsch2025wmt24pp,
  title = {{WMT24++}: Expanding the Language Coverage of {WMT24} to 55 Languages & Dialects},
  author = {Deutsch, Daniel and others},
  booktitle = {Findings of the Association for Computational Linguistics: ACL 2025},
  pages = {12257--12284},
  year = {2025}
}""",
    "wmt24pp-rm": """@inproceedings{vamvas2025romansh,
  title = {Expanding the {WMT24++} Benchmark with Rumantsch Grischun, Sursilvan, Sutsilvan, Surmiran, Puter,
    and Vallader},
  author = {Vamvas, Jannis and others},
  booktitle = {Proceedings of the Tenth Conference on Machine Translation},
  pages = {1028--1047},
  year = {2025}
}""",
    "bouquet": """@inproceedings{andrews2025bouquet,
  title = {{BOUQuET}: Dataset, Benchmark and Open Initiative for Universal Quality Evaluation in Translation},
  author = {Andrews, Pierre and others},
  booktitle = {Proceedings of the 2025 Conference on Empirical Methods in Natural Language Processing},
  pages = {27515--27535},
  year = {2025}
}""",
}


def dataset_card(manifest: Mapping[str, Any], repository: str | None = None, existing: str | None = None) -> str:
    """The README of a data set.

    Args:
        manifest: ``manifest.json`` of the build; the hashes of files are not needed.
        repository: ``org/name`` for the examples; without, they speak of a folder.
        existing: the README that is there; configurations other than this one are kept.

    Raises:
        DataError: the block on top of `existing` is no YAML.
    """
    config = manifest["config"]
    block, body = _split(existing or "")
    front = _front_matter(manifest, block)
    section = f"{_mark(config)}\n{_section(manifest, repository)}\n{_mark(config, end=True)}"
    # Callables keep backslashes in the section from being read as group references.
    pattern = re.compile(re.escape(_mark(config)) + ".*?" + re.escape(_mark(config, end=True)), re.DOTALL)
    if pattern.search(body):
        body = pattern.sub(lambda _: section, body)
    elif body.strip():
        body = f"{body.rstrip()}\n\n{section}\n"
    else:
        body = f"{_introduction()}\n\n{section}\n\n{_citations_heading()}\n"
    return f"---\n{front}---\n\n{body.strip()}\n"


def _front_matter(manifest: Mapping[str, Any], block: Mapping[str, Any]) -> str:
    config, corpus = manifest["config"], manifest["corpus"]
    others: list[dict[str, Any]] = [entry for entry in block.get("configs") or [] if not _belongs_to(entry, config)]
    own: list[dict[str, Any]] = [
        {"config_name": name, "data_files": [{"split": "test", "path": f"{name}/test-*.parquet"}]}
        for name in (config, f"{config}_provenance")
    ]
    if not any(entry.get("default") for entry in others):
        own[0] = {"config_name": config, "default": True, **own[0]}
    # What the card says of the other configurations of the repository stands beside what is true of this one.
    rest = block if others else {}
    licenses = _union(rest.get("license"), [card_license(str(corpus.get("license") or ""))])
    content: dict[str, Any] = {
        "pretty_name": block.get("pretty_name") or "ALEE triplets",
        "license": licenses[0] if len(licenses) == 1 else licenses,
        "language": sorted(_union(rest.get("language"), _language_codes(corpus))),
        "multilinguality": ["multilingual", "translation"],
        "task_categories": ["sentence-similarity"],
        "size_categories": _union(rest.get("size_categories"), [_size(manifest)]),
        "tags": ["mteb", "alee", "minimal-pairs", "cross-lingual"],
        "configs": sorted([*others, *own], key=lambda entry: str(entry.get("config_name"))),
    }
    kept = {name: value for name, value in block.items() if name not in content}
    return yaml.safe_dump({**content, **kept}, sort_keys=False, allow_unicode=True)


def _section(manifest: Mapping[str, Any], repository: str | None) -> str:
    parts = [
        f"## {manifest['config']}",
        _summary(manifest),
        _counts(manifest),
        _build_settings(manifest),
        _sources(manifest),
        _usage(manifest, repository),
        _citations(manifest),
    ]
    return "\n\n".join(part for part in parts if part)


def _introduction() -> str:
    return (
        "# Cross-lingual minimal pairs\n\n"
        "English sources, foils that differ from them in one point of meaning, and translations of the sources. An "
        "encoder passes a triplet if the translation is strictly closer to the source than to the foil; the share of "
        "triplets passed is its TACC."
    )


def _summary(manifest: Mapping[str, Any]) -> str:
    corpus = manifest["corpus"]
    english = corpus.get("english") or ENGLISH_CODE
    languages = list(corpus.get("languages") or [])
    foils = ", ".join(f"`{foil_column(english, kind)}` ({kind.title})" for kind in _kinds(manifest))
    shown = ", ".join(f"`{key}`" for key in languages)
    engine = manifest.get("engine")
    warning = (
        "\n\nMade by the surface engine, which changes single words of the source. It is a benchmark in its own right: "
        "scores are not comparable with those on data from AMR graphs."
        if engine == "surface"
        else ""
    )
    return (
        f"{_number(corpus.get('rows'))} sources (`{english}`), {len(languages)} target languages, from "
        f"{_corpus_name(corpus)}. Foils: {foils}; null where no valid one was found.{warning}\n\n"
        f"<details><summary>Languages</summary>\n\n{shown or 'none'}\n\n</details>"
    )


def _counts(manifest: Mapping[str, Any]) -> str:
    statuses = (manifest.get("counts") or {}).get("statuses") or {}
    if not statuses:
        return ""
    names = list(dict.fromkeys(status for row in statuses.values() for status in row))
    used = [name for name in names if any(row.get(name) for row in statuses.values())]
    order = [kind.value for kind in Perturbation]
    kinds = sorted(statuses, key=lambda kind: (order.index(kind) if kind in order else len(order), kind))
    lines = ["| |" + "".join(f" {name.replace('_', ' ')} |" for name in used), "|---|" + "---:|" * len(used)]
    lines += [f"| {kind} |" + "".join(f" {statuses[kind].get(name, 0):,} |" for name in used) for kind in kinds]
    note = "Every rejection is a row of the provenance configuration, with the graphs, the edit and the verdict."
    left_out = manifest["counts"].get("left_out") or {}
    rows = ", ".join(f"{count:,} {reason.replace('_', ' ')}" for reason, count in left_out.items())
    return "\n".join(["### Foils", "", *lines, "", note + (f" Rows of the corpus left out: {rows}." if rows else "")])


def _build_settings(manifest: Mapping[str, Any]) -> str:
    rows = [(name, manifest[name]) for name in _SETTINGS if manifest.get(name) is not None]
    rows += list((manifest.get("settings") or {}).items())
    rows += [(f"{package} version", number) for package, number in (manifest.get("versions") or {}).items()]
    lines = [f"| {name.replace('_', ' ')} | {_cell(value)} |" for name, value in rows]
    return "\n".join(["### How it was built", "", "| Setting | Value |", "|---|---|", *lines])


def _sources(manifest: Mapping[str, Any]) -> str:
    corpus = manifest["corpus"]
    sources = corpus.get("sources") or [corpus]
    rows = [[source.get("name"), source.get("license") or "unknown", source.get("revision")] for source in sources]
    lines = [f"| {' | '.join(map(_cell, row))} |" for row in rows]
    return "\n".join(["### Sources of the text", "", "| Source | Licence | Revision |", "|---|---|---|", *lines])


def _usage(manifest: Mapping[str, Any], repository: str | None) -> str:
    place, config = repository or "path/to/this/folder", manifest["config"]
    task = {"alee_f200": "ALEE-F200", "alee_mt61": "ALEE-MT61", "alee_bq275": "ALEE-BQ275"}.get(config)
    score = (
        f"ALEE_DATASET={place} mteb run -m intfloat/multilingual-e5-small -t {task}"
        if task and manifest.get("engine") != "surface"
        else f"alee run -m intfloat/multilingual-e5-small --data {place}"
    )
    return (
        "### Load and score\n\n"
        "```python\nfrom datasets import load_dataset\n\n"
        f'load_dataset("{place}", "{config}", split="test")\n```\n\n'
        f"```bash\npip install alee-mteb\n{score}\n```"
    )


def _citations(manifest: Mapping[str, Any]) -> str:
    corpus = manifest["corpus"]
    names = [str(source.get("origin") or source.get("name")) for source in corpus.get("sources") or [corpus]]
    stems = dict.fromkeys(name.split("/")[-1].removesuffix("_plus") for name in names)
    found = [_SOURCE_CITATIONS[stem] for stem in stems if stem in _SOURCE_CITATIONS]
    return "### Cite the source of the text\n\n```bibtex\n" + "\n\n".join(found) + "\n```" if found else ""


def _citations_heading() -> str:
    entries = files("alee_mteb").joinpath("data/citations.bib").read_text(encoding="utf-8").split("\n\n")
    alee = next(entry.strip() for entry in entries if "alee" in entry.split(",")[0])
    return f"## Citation\n\n```bibtex\n{alee}\n```"


def _split(card: str) -> tuple[dict[str, Any], str]:
    match = _FRONT.match(card)
    if match is None:
        return {}, card
    try:
        block = yaml.safe_load(match[1])
    except yaml.YAMLError as error:
        raise DataError(f"README.md: its metadata block is not valid YAML ({error}); mend it first") from error
    return (block if isinstance(block, dict) else {}), card[match.end() :]


def _belongs_to(entry: Any, config: str) -> bool:
    return not isinstance(entry, dict) or entry.get("config_name") in (config, f"{config}_provenance")


def _mark(config: str, *, end: bool = False) -> str:
    return f"<!-- {'/' if end else ''}alee:{config} -->"


def _kinds(manifest: Mapping[str, Any]) -> list[Perturbation]:
    wanted = (manifest.get("settings") or {}).get("perturbations")
    return [kind for kind in Perturbation if wanted is None or kind.value in wanted]


def _language_codes(corpus: Mapping[str, Any]) -> set[str]:
    """ISO 639-3 codes, as the Hub wants them."""
    found = {language_of(key) for key in [corpus.get("english") or ENGLISH_CODE, *(corpus.get("languages") or [])]}
    return {language.code.split("_")[0] for language in found if language is not None}


def _corpus_name(corpus: Mapping[str, Any]) -> str:
    names = [str(source.get("name")) for source in corpus.get("sources") or [corpus]]
    return " and ".join(f"`{name}`" for name in names)


def _size(manifest: Mapping[str, Any]) -> str:
    rows = int(manifest["corpus"].get("rows") or (manifest.get("counts") or {}).get("sources") or 0)
    return next((name for limit, name in _SIZES if rows < limit), "1M<n<10M")


def _number(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else "?"


def _cell(value: Any) -> str:
    if isinstance(value, list):
        value = ", ".join(map(str, value))
    return "–" if value is None else str(value).replace("|", "\\|")


def _union(there: Any, new: Iterable[str]) -> list[str]:
    """An entry of the block, which may be one value or a list, with further values; each once, in order."""
    values = [there] if isinstance(there, str) else [str(value) for value in there or []]
    return list(dict.fromkeys([*values, *new]))
