"""Noun phrases as pieces of a sentence."""

from collections.abc import Iterator
from dataclasses import dataclass

from builders.surface import words
from builders.surface.tokens import Token


@dataclass(frozen=True)
class Phrase:
    """A noun phrase: its head and its first and last token."""

    head: Token
    first: Token
    last: Token

    def __len__(self) -> int:
        return int(self.last.i - self.first.i + 1)

    def tokens(self) -> Iterator[Token]:
        """Its tokens, left to right."""
        return iter(self.head.doc[self.first.i : self.last.i + 1])


def phrase_of(head: Token) -> Phrase | None:
    """The whole phrase of a head; ``None`` if it is not one piece or has a comma or bracket at an edge."""
    tokens = sorted(head.subtree, key=lambda token: token.i)
    while tokens and _is_loose(tokens[-1]) and tokens[-1].text not in ('"', ")", "]", "%"):
        tokens.pop()
    if not tokens or tokens[-1].i - tokens[0].i + 1 != len(tokens):
        return None
    return Phrase(head, tokens[0], tokens[-1])


def _is_loose(token: Token) -> bool:
    """Whether a token at the end of a phrase is no part of it: punctuation, an emoji."""
    return token.is_punct or (token.pos_ != "NUM" and not any(char.isalnum() for char in token.text))


def object_phrase(head: Token) -> Phrase | None:
    """The phrase of an object without a phrase of place or time at its end (*the fishermen* | *in Zanzibar*)."""
    whole = phrase_of(head)
    if whole is None:
        return None
    last = next((part for part in reversed(list(head.rights)) if not part.is_punct), None)
    inner = _time_at_end(whole)
    if inner is not None:
        return Phrase(head, whole.first, head.doc[inner.i - 1])
    if last is None or last.dep_ != "prep" or last.lower_ not in words.ADJUNCT_PREPOSITIONS:
        return whole
    if last.right_edge.i < whole.last.i or last.left_edge != last or last.i == whole.first.i:
        return whole
    return Phrase(head, whole.first, head.doc[last.i - 1])


def _time_at_end(phrase: Phrase) -> Token | None:
    """The preposition of a phrase of time that ends a phrase: *applications for funds* | *for years*."""
    last = phrase.last
    if last.dep_ != "pobj" or last.head.dep_ != "prep" or last.head.i <= phrase.head.i + 1 or last.head.lower_ == "of":
        return None
    is_time = last.ent_type_ in ("DATE", "TIME") or last.lemma_.lower() in words.TIMES
    return last.head if is_time else None
