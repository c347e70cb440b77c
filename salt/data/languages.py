"""The languages of SALT (Table 16), the rule on which language pairs are kept (§4), and codes in file names."""

import csv
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

from alee_mteb.errors import LanguageError
from alee_mteb.languages import is_known_code, language_of


@cache
def training_languages() -> frozenset[str]:
    """The 93 languages SALT was trained on (Table 16)."""
    return frozenset(row["code"] for row in _rows("languages.csv") if row["training"] == "1")


@cache
def benchmark_languages() -> frozenset[str]:
    """The 57 languages of the token-level benchmarks and of sentence retrieval (Table 16)."""
    return frozenset(row["code"] for row in _rows("languages.csv") if row["test"] == "1")


@cache
def unseen_languages() -> frozenset[str]:
    """The 29 test languages that are not training languages (Table 16), for generalisation (Appendix D.3)."""
    return benchmark_languages() - training_languages()


def touches_test(languages: tuple[str, str], tested: frozenset[str] | None = None) -> bool:
    """Whether a language pair is kept: at least one of the two is a test language (§4)."""
    tested = benchmark_languages() if tested is None else tested
    return any(code in tested for code in languages)


def kept_language_pairs(
    pairs: Iterable[tuple[str, str]], tested: frozenset[str] | None = None
) -> list[tuple[str, str]]:
    """The language pairs that touch a test language, in their order (§4: 129 of NLLB Primary's)."""
    return [languages for languages in pairs if touches_test(languages, tested)]


def checked_language(name: str, where: str) -> str:
    """The code behind a code (``deu_Latn``, ``deu-Latn``) or an ISO 639-1 code (``de``).

    Raises:
        LanguageError: no such language; names where it stood.
    """
    name = name.strip()
    code = _short_codes().get(name, name.replace("-", "_"))
    known = language_of(code)
    if known is None or not is_known_code(code):
        raise LanguageError(f"{where}: unknown language {name!r}; give ISO 639-3 and script, such as deu_Latn")
    return known.code


def is_language_name(name: str) -> bool:
    """Whether a column or file ending names a language, by its shape: ``deu_Latn``, or a known ISO 639-1 code."""
    return name in _short_codes() or language_of(name) is not None


@cache
def _short_codes() -> dict[str, str]:
    return {row["short"]: row["code"] for row in _rows("short_codes.csv")}


def _rows(name: str) -> list[dict[str, str]]:
    text = files("salt").joinpath("data", name).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))
