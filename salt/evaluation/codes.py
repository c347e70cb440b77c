"""Language codes of the benchmarks (``de``, ``de-DE``, ``German``) as the codes the rest of SALT uses (``deu_Latn``).

Also the languages SALT was trained on (paper, Table 16), to report languages seen and not seen in training apart.
"""

from functools import cache
from importlib.resources import files

from alee_mteb.errors import LanguageError

_CODES = """
af afr_Latn Afrikaans|am amh_Ethi Amharic|ar arb_Arab Arabic|az azj_Latn Azerbaijani|bg bul_Cyrl Bulgarian
bn ben_Beng Bengali|ca cat_Latn Catalan|cs ces_Latn Czech|cy cym_Latn Welsh|da dan_Latn Danish|de deu_Latn German
el ell_Grek Greek|en eng_Latn English|es spa_Latn Spanish|et est_Latn Estonian|eu eus_Latn Basque
fa pes_Arab Persian|fi fin_Latn Finnish|fr fra_Latn French|he heb_Hebr Hebrew|hi hin_Deva Hindi
hr hrv_Latn Croatian|hu hun_Latn Hungarian|hy hye_Armn Armenian|id ind_Latn Indonesian|is isl_Latn Icelandic
it ita_Latn Italian|ja jpn_Jpan Japanese|jv jav_Latn Javanese|ka kat_Geor Georgian|kk kaz_Cyrl Kazakh
km khm_Khmr Khmer|kn kan_Knda Kannada|ko kor_Hang Korean|lt lit_Latn Lithuanian|lv lvs_Latn Latvian
ml mal_Mlym Malayalam|mn khk_Cyrl Mongolian|mr mar_Deva Marathi|ms zsm_Latn Malay|my mya_Mymr Burmese
nb nob_Latn Bokmaal|nl nld_Latn Dutch|no nob_Latn Norwegian|pa pan_Guru Panjabi|pl pol_Latn Polish
pt por_Latn Portuguese|qu quy_Latn Quechua|ro ron_Latn Romanian|ru rus_Cyrl Russian|sk slk_Latn Slovak
sl slv_Latn Slovenian
sq als_Latn Albanian|sv swe_Latn Swedish|sw swh_Latn Swahili|ta tam_Taml Tamil|te tel_Telu Telugu|th tha_Thai Thai
tl tgl_Latn Tagalog|tr tur_Latn Turkish|uk ukr_Cyrl Ukrainian|ur urd_Arab Urdu|vi vie_Latn Vietnamese
wo wol_Latn Wolof|yo yor_Latn Yoruba|zh zho_Hans Chinese
"""
#: Other spellings: SimAlign's, KFTT's and MASSIVE's.
_OTHERS = {
    "ces": "ces_Latn", "cze": "ces_Latn", "deu": "deu_Latn", "ger": "deu_Latn", "eng": "eng_Latn", "fas": "pes_Arab",
    "per": "pes_Arab", "fra": "fra_Latn", "fre": "fra_Latn", "hin": "hin_Deva", "ron": "ron_Latn", "rum": "ron_Latn",
    "jpn": "jpn_Jpan", "zho": "zho_Hans", "chi": "zho_Hans", "zh-tw": "zho_Hant", "zh-cn": "zho_Hans",
    "farsi": "pes_Arab", "slovene": "slv_Latn",
}  # fmt: skip


@cache
def _table() -> dict[str, str]:
    table = dict(_OTHERS)
    for entry in _CODES.replace("\n", "|").split("|"):
        if entry.strip():
            short, code, name = entry.split()
            table[short] = code
            table[name.lower()] = code
    return table


def subset_code(name: str) -> str:
    """The code behind a benchmark's own name of a language; codes pass through.

    >>> subset_code("de"), subset_code("de-DE"), subset_code("zh-TW"), subset_code("German"), subset_code("rus_Cyrl")
    ('deu_Latn', 'deu_Latn', 'zho_Hant', 'deu_Latn', 'rus_Cyrl')

    Raises:
        LanguageError: no such name.
    """
    found = known_code(name)
    if found is None:
        raise LanguageError(f"unknown language {name!r}: use a two-letter code, or one such as deu_Latn")
    return found


def known_code(name: str) -> str | None:
    """As `subset_code`, or ``None`` where that would fail."""
    key = name.replace("_", "-").lower()
    language, _, script = name.partition("_")
    if len(language) == 3 and language.islower() and len(script) == 4 and script.istitle():
        return name
    return _table().get(key) or _table().get(key.split("-")[0])


@cache
def paper_training_languages() -> frozenset[str]:
    """The 93 languages of the paper's training data (Table 16, first row)."""
    text = files(__package__).joinpath("training_languages.txt").read_text(encoding="utf-8")
    return frozenset(text.split())
