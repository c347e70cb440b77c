"""The review sheet as one HTML file that needs no network: annotators answer in a browser and save a CSV."""

import hashlib
import json
import re
from collections.abc import Sequence
from html import escape
from importlib.resources import files

from builders.folder import Pair
from builders.review import COLUMNS, QUESTIONS


def form(pairs: Sequence[Pair], title: str, file_name: str) -> str:
    """The form for these pairs.

    Args:
        title: what is reviewed, e.g. the configuration.
        file_name: what the saved CSV is called.
    """
    rows = [
        {"item": i, "id": p.id, "perturbation": p.perturbation.value, "source": p.source, "foil": p.foil}
        for i, p in enumerate(pairs, start=1)
    ]
    data = json.dumps(rows, ensure_ascii=False)
    parts = {
        "TITLE": escape(title),
        "ITEMS": "\n".join(_article(i, pair) for i, pair in enumerate(pairs, start=1)),
        "DATA": _in_script(data),
        "COLUMNS": _in_script(json.dumps(COLUMNS)),
        # Answers are remembered by sample, so that two samples opened in one browser do not mix.
        "KEY": hashlib.sha256(data.encode("utf-8", "surrogatepass")).hexdigest()[:16],
        "FILE": _in_script(json.dumps(file_name))[1:-1],
    }
    template = files("builders").joinpath("review_form.html").read_text(encoding="utf-8")
    # All at once, so that an @NAME@ inside a text stays text.
    return re.sub(r"@([A-Z]+)@", lambda match: parts[match[1]], template)


def _article(number: int, pair: Pair) -> str:
    questions = "".join(_question(number, question) for question in QUESTIONS)
    return (
        f"<article><h2>{number} · {escape(pair.perturbation.title)} · {escape(pair.id)}</h2>"
        f'<p dir="auto"><b>source</b>{escape(pair.source)}</p><p dir="auto"><b>foil</b>{escape(pair.foil)}</p>'
        f'{questions}<input type="text" data-question="comment" aria-label="comment" placeholder="comment"></article>'
    )


def _question(number: int, question: str) -> str:
    radio = f'<input type="radio" name="{question}-{number}" data-question="{question}"'
    choices = "".join(f'<label>{radio} value="{value}"> {value}</label>' for value in ("yes", "no"))
    return f"<fieldset><legend>{question}</legend>{choices}</fieldset>"


def _in_script(text: str) -> str:
    """JSON that cannot end the script element it stands in, nor a line of it."""
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
