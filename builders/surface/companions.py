"""Words that change along with a negation: *some* and *any*, *too* and *either*."""

from builders.surface import syntax, words
from builders.surface.changes import Change
from builders.surface.reading import Reading
from builders.surface.tokens import Token


def some_to_any(reading: Reading, verb: Token) -> list[Change]:
    """*some* before an object becomes *any* (*some more work*: *any more work*); *too* at the end becomes *either*."""
    changes = []
    for argument in syntax.children(verb, "dobj", "attr"):
        if argument.lower_ in words.SOME_TO_ANY and not syntax.children(argument, "nummod"):
            changes.append(_swap_word(reading, argument, words.SOME_TO_ANY[argument.lower_]))
        before = [part for part in argument.subtree if verb.i < part.i < argument.i]
        changes += [_swap_word(reading, part, "any") for part in before if part.lower_ == "some"]
    for adverb in syntax.children(verb, "advmod"):
        if adverb.lower_ == "too" and adverb.i > verb.i:
            changes.append(_swap_word(reading, adverb, "either"))
    return changes


def _swap_word(reading: Reading, token: Token, new: str) -> Change:
    return Change(reading.start(token), reading.end(token), new)
