"""Sets of words, written as text."""


def word_set(text: str) -> frozenset[str]:
    """The words of a text, separated by white space."""
    return frozenset(text.split())
