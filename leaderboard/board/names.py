"""What languages, scripts and resource tiers are called on the page."""

import json
import re
import unicodedata
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from alee_mteb.analysis.reference import common_crawl_tier
from alee_mteb.errors import ResultsError

#: Tiers in the order shown: rank by share of Common Crawl, English first.
TIERS = {
    "1": "Rank 1 (English)",
    "2-50": "Rank 2–50",
    "51-100": "Rank 51–100",
    "101-161": "Rank 101–161",
    "unlisted": "Not listed",
}
_VARIETIES = {
    "rumgr": "Rumantsch Grischun",
    "sursilv": "Sursilvan",
    "sutsilv": "Sutsilvan",
    "surmiran": "Surmiran",
    "puter": "Puter",
    "vallader": "Vallader",
}
_BINS = {"<115": "under 115", "115-314": "115–314", ">=315": "315 and more"}


def language_name(code: str) -> str:
    """English name of a code's language (``deu_Latn`` → ``German``); the code's first part where ISO 639-3 lacks it."""
    iso = code.split("_")[0]
    name = _table("iso_639_3_to_language").get(iso, iso)
    return re.sub(r" \((individual language|macrolanguage|\d[^)]*)\)", "", name)


def script_name(code: str) -> str:
    """English name of a code's script (``deu_Latn`` → ``Latin``); the code's second part where ISO 15924 lacks it."""
    script = script_of(code)
    name = _table("iso_15924_to_script").get(script, script)
    return re.sub(r" \(.*\)$", "", name) if script in ("Hans", "Hant") else re.split(r"[,(]", name)[0].strip()


def script_of(code: str) -> str:
    """The script part of a code."""
    return code.split("_")[1] if "_" in code else "Zyyy"


def tier_of(code: str) -> str:
    """The tier of a language, a key of `TIERS`."""
    if code.startswith("eng_"):
        return "1"
    tier = common_crawl_tier(code)
    return tier if tier in TIERS else "unlisted"


def variety_name(key: str, language: str) -> str:
    """A key that shares its language with others: ``Romansh, Puter`` for ``roh_puter``."""
    last = key.split("_")[-1]
    return f"{language}, {_VARIETIES.get(last, key)}"


def bin_name(label: str) -> str:
    """A length bin or level in words."""
    return _BINS.get(label, label)


def printable(text: str) -> str:
    """The text with control, format and unassigned characters (which can hide or reorder what is seen) made visible."""
    return "".join("\N{REPLACEMENT CHARACTER}" if unicodedata.category(char)[0] == "C" else char for char in text)


@cache
def _table(name: str) -> dict[str, str]:
    """One of mteb's own tables, read without importing mteb (which takes seconds)."""
    spec = find_spec("mteb")
    if spec is None or not spec.submodule_search_locations:
        raise ResultsError("the Python package 'mteb' is not installed, whose list of languages the board reads")
    path = Path(next(iter(spec.submodule_search_locations))) / "languages" / f"{name}.json"
    try:
        content: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ResultsError(f"{path}: mteb's list of languages cannot be read ({error}); reinstall mteb") from error
    return content
