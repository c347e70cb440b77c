"""Language tokens: from the keys of data sets to the codes of the NLLB tokenizer, which SONAR was trained with.

de_DE ─▶ deu_Latn                 the code behind a key (alee_mteb.languages)
fil_PH ─▶ fil_Latn ─▶ tgl_Latn    NLLB's spelling of the same language
roh_sursilv ─▶ roh_Latn ─▶ —      a language that NLLB has no token for
"""

from collections.abc import Container, Mapping
from types import MappingProxyType

from alee_mteb.errors import LanguageError
from alee_mteb.languages import language_of

# The same language under another code: macrolanguages stand for the member that NLLB was trained on (what its
# documentation calls by the macrolanguage's name), individual codes for the macrolanguage it uses.
_SAME: Mapping[str, str] = MappingProxyType(
    {
        "ara_Arab": "arb_Arab",
        "aym_Latn": "ayr_Latn",
        "aze_Latn": "azj_Latn",
        "cmn_Hans": "zho_Hans",
        "cmn_Hant": "zho_Hant",
        "din_Latn": "dik_Latn",
        "ekk_Latn": "est_Latn",
        "fas_Arab": "pes_Arab",
        "fil_Latn": "tgl_Latn",
        "ful_Latn": "fuv_Latn",
        "gug_Latn": "grn_Latn",
        "kau_Latn": "knc_Latn",
        "kor_Kore": "kor_Hang",
        "kur_Latn": "kmr_Latn",
        "lav_Latn": "lvs_Latn",
        "mlg_Latn": "plt_Latn",
        "mon_Cyrl": "khk_Cyrl",
        "msa_Latn": "zsm_Latn",
        "nep_Deva": "npi_Deva",
        "nor_Latn": "nob_Latn",
        "ori_Orya": "ory_Orya",
        "orm_Latn": "gaz_Latn",
        "pus_Arab": "pbt_Arab",
        "que_Latn": "quy_Latn",
        # NLLB's token for Santali names the Bengali script, though the text it was trained on is in Ol Chiki.
        "sat_Olck": "sat_Beng",
        "sqi_Latn": "als_Latn",
        "swa_Latn": "swh_Latn",
        "uzb_Latn": "uzn_Latn",
        "yid_Hebr": "ydd_Hebr",
    }
)


def language_token(key: str, known: Container[str]) -> str:
    """The NLLB code of a language: of a data set's key, of ISO 639-3 plus script, or of mteb's ``deu-Latn``.

    Args:
        known: the codes that the tokenizer has tokens for.

    Raises:
        LanguageError: it is no language, or one without a token.
    """
    language = language_of(key) or language_of(key.replace("-", "_"))
    if language is None:
        raise LanguageError(
            f"language {key!r}: not a code this encoder can use; give ISO 639-3 and script, such as deu_Latn"
        )
    code = language.code
    for spelling in (code, _SAME.get(code)):
        if spelling is not None and spelling in known:
            return spelling
    raise LanguageError(f"language {key!r} ({code}): the encoder has no language token for it; leave the language out")
