"""Language keys of the data sets and the codes behind them.

A *key* names a column and an mteb subset (``de_DE``, ``deu_Latn``, ``roh_sursilv``, ``por_Latn_braz1246``). A *code*
is ISO 639-3 plus script (``deu_Latn``); mteb writes it with a hyphen (``deu-Latn``). `data/languages.csv` lists the
keys of the three official data sets; any other column counts as a language if its name is a code.
"""

import csv
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

_CODE = re.compile(r"([a-z]{3})_([A-Z][a-z]{3})(?:_[a-z0-9]+)?")

#: Spellings of the English source column, first match wins.
ENGLISH_KEYS = ("eng_Latn", "en_EN")
ENGLISH_CODE = "eng_Latn"


@dataclass(frozen=True)
class Language:
    """A language key of a data set and the language it stands for."""

    key: str
    code: str

    @property
    def mteb_code(self) -> str:
        """ISO 639-3 and script as mteb writes them, e.g. ``deu-Latn``."""
        return self.code.replace("_", "-")

    @property
    def is_english(self) -> bool:
        """Whether this is the language of the sources."""
        return self.code == ENGLISH_CODE


@cache
def official_languages(dataset: str) -> tuple[Language, ...]:
    """The languages of an official data set (``ALEE-F200``, ``ALEE-MT61``, ``ALEE-BQ275``), in file order.

    Empty for any other name.
    """
    return tuple(language for name, language in _rows() if name == dataset)


@cache
def language_of(key: str) -> Language | None:
    """The language behind a key of any official data set, or behind a code; ``None`` if it is neither.

    >>> language_of("de_DE"), language_of("por_Latn_braz1246").code, language_of("domain")
    (Language(key='de_DE', code='deu_Latn'), 'por_Latn', None)
    """
    known = _by_key().get(key)
    if known is not None:
        return known
    match = _CODE.fullmatch(key)
    return Language(key, f"{match[1]}_{match[2]}") if match else None


def is_known_code(key: str) -> bool:
    """Whether a key of an official data set, or a code whose language and script exist (by mteb's ISO lists)."""
    if key in _by_key():
        return True
    language = language_of(key)
    if language is None:
        return False
    from mteb.languages.check_language_code import check_language_code  # only needed for unusual languages

    try:
        check_language_code(language.mteb_code)
    except ValueError:
        return False
    return True


def canonical_key(column: str, dataset: str) -> str:
    """The subset key of a language column in a data set: its official spelling where there is exactly one.

    ``deu_Latn`` is ``de_DE`` in ALEE-MT61, while ``fra_Latn`` stays as it is there (``fr_FR`` or ``fr_CA``?).
    """
    keys = [language.key for language in official_languages(dataset)]
    if column in keys:
        return column
    same_code = [language.key for language in official_languages(dataset) if language.code == column]
    return same_code[0] if len(same_code) == 1 else column


@cache
def _rows() -> tuple[tuple[str, Language], ...]:
    text = files("alee_mteb").joinpath("data/languages.csv").read_text(encoding="utf-8")
    return tuple((row["dataset"], Language(row["key"], row["code"])) for row in csv.DictReader(text.splitlines()))


@cache
def _by_key() -> dict[str, Language]:
    return {language.key: language for _, language in _rows()}
