"""The packaged reference data: published scores, and sizes of training data (`data/reference/README.md`)."""

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from alee_mteb.analysis.table import dataset_order
from alee_mteb.languages import language_of
from alee_mteb.perturbations import CODES

#: Romansh varieties as the published figures call them.
_ROMANSH = {
    "rm_RG": "roh_rumgr",
    "rm_SV": "roh_sursilv",
    "rm_ST": "roh_sutsilv",
    "rm_SM": "roh_surmiran",
    "rm_PU": "roh_puter",
    "rm_VA": "roh_vallader",
}


@dataclass(frozen=True)
class PublishedModel:
    """TACC of an encoder on a data set, mean over languages (paper, Table 5)."""

    model: str
    dataset: str
    perturbations: dict[str, float]
    macro: float


@dataclass(frozen=True)
class PublishedLanguage:
    """Median XLM-R subtokens and macro-TACC, mean over the 14 encoders, of one language."""

    dataset: str
    key: str
    code: str
    subtokens: float
    tacc: float


@dataclass(frozen=True)
class PublishedBin:
    """Macro-TACC of an encoder on the texts of one length or level (paper, Fig. 3)."""

    model: str
    dataset: str
    bin: str
    tacc: float


def models() -> list[PublishedModel]:
    """Every encoder on every data set, in the order of the paper's table."""
    return [
        PublishedModel(row["model"], row["dataset"], {code: float(row[code]) for code in CODES}, float(row["macro"]))
        for row in _rows("model_tacc")
    ]


def languages() -> list[PublishedLanguage]:
    """Every language of every data set; English is not among them, nor Shan in ALEE-BQ275."""
    found = []
    for row in _rows("language_tacc_subtokens"):
        key = _ROMANSH.get(row["language"], row["language"])
        language = language_of(key)
        code = language.code if language else key
        found.append(
            PublishedLanguage(row["dataset"], key, code, float(row["median_xlmr_subtokens"]), float(row["mean_tacc"]))
        )
    return sorted(found, key=lambda one: dataset_order(one.dataset))


def length_bins() -> list[PublishedBin]:
    """ALEE-MT61 by characters of the source, under the names that scores use for the bins."""
    columns = {"<115": "lt_115_chars", "115-314": "115_to_314", ">=315": "ge_315"}
    return [
        PublishedBin(row["model"], row["dataset"], name, float(row[column]))
        for row in _rows("length_bins_mt61")
        for name, column in columns.items()
    ]


def levels() -> list[PublishedBin]:
    """ALEE-BQ275 by level."""
    return [
        PublishedBin(row["model"], "ALEE-BQ275", level, float(row[level]))
        for row in _rows("levels_bq275")
        for level in ("sentence_level", "paragraph_level")
    ]


def romansh() -> dict[str, dict[str, float]]:
    """Encoder → variety (``roh_sursilv``) → macro-TACC on ALEE-MT61."""
    names = ("rumgr", "sursilv", "vallader", "surmiran", "puter", "sutsilv")
    return {row["model"]: {f"roh_{name}": float(row[name]) for name in names} for row in _rows("romansh_mt61")}


def romansh_means() -> dict[str, float]:
    """Encoder → mean of the six varieties, as published."""
    return {row["model"]: float(row["mean"]) for row in _rows("romansh_mt61")}


#: Codes of ALEE-MT61 that the published mappings lack, as it was scored without them.
_SAME_AS = {"fil": "tgl"}


def cc100_of(code: str) -> tuple[str, float] | None:
    """The CC-100 corpus of a language (``zho_Hans``, ``deu_Latn``) and its size in million tokens, if it has one."""
    language = _lookup("flores_to_cc100", "cc100_language", code)
    size = _column("cc100_tokens", "cc100_language", "million_tokens").get(language or "")
    return None if language is None or size is None else (language, float(size))


def common_crawl_tier(code: str) -> str | None:
    """The rank tier of a language in Common Crawl, ``2-50`` say; ``None`` for one that is not listed there."""
    iso = _iso(code)
    known = _column("flores_to_common_crawl", "iso639_3", "common_crawl").get(iso, iso)
    return _column("common_crawl_tiers", "iso639_3", "rank_tier").get(known)


def gte_amounts(code: str) -> tuple[float | None, float | None]:
    """mGTE's pre-training million tokens and contrastive pairs (in the unit published) of a language, where known."""
    found: list[float | None] = []
    for stage in ("pretraining", "posttraining"):
        language = _lookup("flores_to_gte", stage, code)
        amount = _column(f"gte_{stage}_data", "language", "amount").get(language or "")
        found.append(None if amount is None else float(amount))
    return found[0], found[1]


def published_subtokens() -> dict[tuple[str, str], float]:
    """(data set, language key) → median XLM-R subtokens of the target texts."""
    return {(one.dataset, one.key): one.subtokens for one in languages()}


def mteb_name(model: str) -> str:
    """What a published encoder is called in mteb; the name itself for any other."""
    return _model_names().get(model, model)


@cache
def _model_names() -> dict[str, str]:
    text = files("alee_mteb").joinpath("data/models.csv").read_text(encoding="utf-8")
    return {row["published_name"]: row["mteb_name"] for row in csv.DictReader(text.splitlines())}


def _lookup(table: str, column: str, code: str) -> str | None:
    """By language and script if that is listed (Chinese), else by language."""
    names = _column(table, "iso639_3", column)
    return names.get("_".join(code.split("_")[:2])) or names.get(_iso(code)) or None


def _iso(code: str) -> str:
    iso = code.split("_")[0]
    return _SAME_AS.get(iso, iso)


@cache
def _column(table: str, key: str, value: str) -> dict[str, str]:
    return {row[key]: row[value] for row in _rows(table)}


@cache
def _rows(name: str) -> tuple[dict[str, str], ...]:
    text = files("alee_mteb").joinpath(f"data/reference/{name}.csv").read_text(encoding="utf-8")
    return tuple(csv.DictReader(text.splitlines()))
