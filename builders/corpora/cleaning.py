"""What is done to every text on its way in, and nothing else.

- ``\\r\\n`` and ``\\r`` become ``\\n``;
- control characters below U+0020 other than tab and newline are removed (NUL among them), and U+007F;
- byte-order marks (U+FEFF) are removed wherever they stand;
- half of a surrogate pair, which JSON can hold but UTF-8 cannot, becomes U+FFFD.

Unicode normalisation is not applied, and blanks at the ends stay: translators' texts are kept as they were written.
Zero-width joiners and direction marks stay too, because several scripts need them.
"""

import re
import unicodedata

_REMOVED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufeff]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def clean_text(text: str) -> str:
    """The text with line ends unified and control characters removed.

    >>> clean_text("a\\r\\nb\\rc\\x00\\x1b[0m\\t\\ufeffd")
    'a\\nb\\nc[0m\\td'
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _SURROGATE.sub("\ufffd", _REMOVED.sub("", text))


def is_blank(text: str | None) -> bool:
    """Whether there is nothing to read: no text, or only white space and invisible format characters."""
    return text is None or all(c.isspace() or unicodedata.category(c) in {"Cf", "Cc"} for c in text)


def clean_or_none(text: str | None) -> str | None:
    """The cleaned text; ``None`` where there is nothing to read."""
    if text is None:
        return None
    text = clean_text(text)
    return None if is_blank(text) else text


def same_words(left: str, right: str) -> bool:
    """Whether two texts differ at most in case and white space."""
    return left.split() == right.split() or left.casefold().split() == right.casefold().split()
