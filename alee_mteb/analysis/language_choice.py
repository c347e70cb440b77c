"""From what a user calls a language to the keys of data sets."""

import difflib
import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from alee_mteb.datasets import THREE_DATASETS
from alee_mteb.errors import LanguageError
from alee_mteb.languages import official_languages


def resolve(wanted: str, languages: Mapping[str, str]) -> list[str]:
    """The keys that a name stands for, in the order of `languages`; empty for a language that is not among them.

    A name is a key (``roh_sursilv``, ``de_DE``), a code (``deu_Latn``, ``deu-Latn``), an ISO 639 code (``deu``, ``de``)
    or an English name (``German``).

    Args:
        wanted: the name.
        languages: key → code, of the results at hand.

    Raises:
        LanguageError: nobody knows a language of this name; the nearest names are suggested.
    """
    everything = _official() | dict(languages)
    if not _matches(wanted, everything) and not _is_iso(wanted):
        raise LanguageError(f"unknown language {wanted!r}{_suggestion(wanted, everything)}")
    return _matches(wanted, languages)


def resolve_all(wanted: Sequence[str], languages: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """Keys of all names, each once, in the order asked for; and the names that are not among `languages`.

    Raises:
        LanguageError: see `resolve`.
    """
    found: list[str] = []
    missing: list[str] = []
    for name in wanted:
        keys = resolve(name, languages)
        found += [key for key in keys if key not in found]
        missing += [] if keys else [name]
    return found, missing


def datasets_with(wanted: str) -> list[str]:
    """The official data sets that have this language."""
    return [
        dataset
        for dataset in THREE_DATASETS
        if _matches(wanted, {one.key: one.code for one in official_languages(dataset)})
    ]


def _matches(wanted: str, languages: Mapping[str, str]) -> list[str]:
    if wanted in languages:
        return [wanted]
    code = wanted.replace("-", "_")
    if same := [key for key, value in languages.items() if value == code]:
        return same
    iso = _iso_of(wanted)
    return [key for key, value in languages.items() if value.split("_")[0] == iso]


def _iso_of(wanted: str) -> str:
    """The three-letter code of a two-letter code or an English name; the name itself otherwise."""
    short = _table("iso_639_1_to_3").get(wanted.lower())
    return short or _by_name().get(wanted.casefold()) or wanted.lower()


def _is_iso(wanted: str) -> bool:
    """Whether this is an ISO 639-3 code, alone or with a script."""
    iso, _, script = _iso_of(wanted).replace("-", "_").partition("_")
    scripts = {name.lower() for name in _table("iso_15924_to_script")}
    return iso in _table("iso_639_3_to_language") and (not script or script.split("_")[0] in scripts)


def _suggestion(wanted: str, languages: Mapping[str, str]) -> str:
    isos = {value.split("_")[0] for value in languages.values()}
    names = {_table("iso_639_3_to_language").get(iso, iso) for iso in isos}
    lowered = {name.casefold(): name for name in sorted({*languages, *languages.values(), *isos, *names})}
    close = difflib.get_close_matches(wanted.casefold(), lowered, n=3, cutoff=0.6)
    if not close:
        return "; use a code such as deu_Latn, or an English name"
    return f"; did you mean {' or '.join(repr(lowered[name]) for name in close)}?"


@cache
def _official() -> dict[str, str]:
    return {one.key: one.code for dataset in THREE_DATASETS for one in official_languages(dataset)}


@cache
def _by_name() -> dict[str, str]:
    return {name.casefold(): iso for iso, name in _table("iso_639_3_to_language").items()}


@cache
def _table(name: str) -> dict[str, str]:
    """One of mteb's lists of names, read without importing mteb, which takes seconds."""
    spec = find_spec("mteb")
    if spec is None or not spec.submodule_search_locations:
        return {}
    path = Path(spec.submodule_search_locations[0]) / "languages" / f"{name}.json"
    content: dict[str, str] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return content
