"""Typographic quotes, read as plain ones.

English spaCy models were trained on plain quotes and tag ``“`` or ``don’t`` badly. Every sign here is replaced by one
of the same length, so that character offsets in the plain text are offsets in the text itself, which is never altered.
"""

_PLAIN = str.maketrans(
    {
        "\u2018": "'",
        "\u2019": "'",
        "\u201a": "'",
        "\u201b": "'",
        "\u02bc": "'",
        "\u00b4": "'",
        "\u201c": '"',
        "\u201d": '"',
        "\u201e": '"',
        "\u201f": '"',
        "\u00ab": '"',
        "\u00bb": '"',
        "\u00a0": " ",
        "\u202f": " ",
    }
)


def plain(text: str) -> str:
    """The text with plain quotes and spaces, character for character."""
    return text.translate(_PLAIN)


def apostrophe_like(text: str, sample: str) -> str:
    """`text` with the apostrophe that `sample` uses: ``haven't`` → ``haven’t`` beside ``They’ve``."""
    return text.replace("'", "\u2019") if "\u2019" in sample else text
