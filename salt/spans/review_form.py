"""The review sheet as one HTML file that needs no network: people rate in a browser and save a CSV."""

import hashlib
import json
import re
from collections.abc import Sequence
from html import escape
from importlib.resources import files

from salt.pairs import Span
from salt.spans.review import RATINGS, Item, marked
from salt.spans.review_sheet import COLUMNS, sheet_rows


def form(items: Sequence[Item], title: str, file_name: str) -> str:
    """The form for these spans.

    Args:
        items: to rate.
        title: what is reviewed.
        file_name: what the saved CSV is called.
    """
    data = json.dumps(sheet_rows(items), ensure_ascii=False)
    parts = {
        "TITLE": escape(title),
        "GUIDE": "\n".join(f"<li value={rating}>{escape(meaning)}</li>" for rating, meaning in RATINGS.items()),
        "ITEMS": "\n".join(_article(number, item) for number, item in enumerate(items, start=1)),
        "DATA": _in_script(data),
        "COLUMNS": _in_script(json.dumps(COLUMNS)),
        # Ratings are remembered by sample, so that two samples opened in one browser do not mix.
        "KEY": hashlib.sha256(data.encode("utf-8", "surrogatepass")).hexdigest()[:16],
        "FILE": _in_script(json.dumps(file_name))[1:-1],
    }
    template = files("salt.spans").joinpath("review_form.html").read_text(encoding="utf-8")
    # All at once, so that an @NAME@ inside a text stays text.
    return re.sub(r"@([A-Z]+)@", lambda match: parts[match[1]], template)


def _article(number: int, item: Item) -> str:
    pair, span = item.pair, item.span.span
    radio = f'<input type="radio" name="rating-{number}" data-question="rating"'
    choices = "".join(f'<label>{radio} value="{rating}"> {rating}</label>' for rating in RATINGS)
    return (
        f"<article><h2>{number}</h2>"
        f"{_sentence(pair.source_language, pair.source, span.source)}"
        f"{_sentence(pair.target_language, pair.target, span.target)}"
        f"<fieldset><legend>rating</legend>{choices}</fieldset>"
        f'<input type="text" data-question="comment" aria-label="comment" placeholder="comment"></article>'
    )


def _sentence(language: str, text: str, span: Span) -> str:
    before, within, after = map(escape, marked(text, span))
    return f'<p dir="auto"><b>{escape(language)}</b>{before}<mark>{within}</mark>{after}</p>'


def _in_script(text: str) -> str:
    """JSON that cannot end the script element it stands in, nor a line of it."""
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
