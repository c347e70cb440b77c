"""Small training runs: pairs with spans in a Parquet table, and settings for a tiny encoder."""

import re
from pathlib import Path
from typing import Any

from salt.encoders.base import TokenEncoder
from salt.pairs import AlignedSpan, ParallelPair, Span
from salt.spans.records import FoundPair, FoundSpan
from salt.spans.table import SpanInfo, write_spans

#: Sentences word for word, so that word i of one is word i of the other.
PAIRS = [
    ("deu_Latn", "The cat sat on the mat .", "Die Katze saß auf der Matte ."),
    ("deu_Latn", "The dog sat on the garden .", "Der Hund saß auf den Garten ."),
    ("deu_Latn", "She believes that .", "Sie glaubt dass ."),
    ("deu_Latn", "The old cat believes the dog .", "Die alten Katze glaubt der Hund ."),
    ("deu_Latn", "the old garden", "den alten Garten"),
    ("deu_Latn", "Good morning , doctor .", "Guten Morgen , Doktor ."),
    ("fra_Latn", "The cat sat on the mat .", "Le chat était sur le tapis ."),
    ("fra_Latn", "The dog through the garden .", "Le chien à le jardin ."),
    ("fra_Latn", "the old cat", "le vieux chat"),
    ("rus_Cyrl", "Cat sat on mat .", "Кошка сидела на коврике ."),
    ("rus_Cyrl", "the old garden", "за старый сад"),
    ("rus_Cyrl", "dog through garden", "Собака через сад"),
]


def write_pairs(path: Path, encoder: TokenEncoder, *, scores: dict[str, float] | None = None) -> Path:
    """The pairs with two-word spans and the words before and after as they come."""
    found = []
    for number, (language, source, target) in enumerate(PAIRS):
        pair = ParallelPair(str(number), "eng_Latn", language, source, target, (scores or {}).get(str(number)))
        left, right = (list(re.finditer(r"\S+", text)) for text in (source, target))
        spans = []
        for at in range(0, min(len(left), len(right)) - 1, 3):
            sides = [Span(words[at].start(), words[at + 1].end()) for words in (left, right)]
            spans.append(FoundSpan(AlignedSpan(*sides), (0, 1), (0, 1), 1.0))
        found.append(FoundPair(pair, tuple(spans)))
    write_spans(path, found, SpanInfo("case", encoder.name, encoder.fingerprint, layer=2))
    return path


def settings(encoder: Path, spans: Path, output: Path, **more: Any) -> dict[str, Any]:
    """A run of a few updates; `more` is laid over it."""
    base: dict[str, Any] = {
        "encoder": str(encoder),
        "output": str(output),
        "steps": 8,
        "log_every": 1,
        "tensorboard": False,
        "data": {"spans": str(spans), "token_budget": 40, "buffer": 6},
        "optimiser": {"warmup": 2, "learning_rate": 1e-3},
        "checkpoints": {"every": 3, "keep": 2},
    }
    for key, value in more.items():
        base[key] = base[key] | value if isinstance(value, dict) and key in base else value
    return base
