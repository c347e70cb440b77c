"""Words that change along with a negation: *some* and *any*, *too* and *either*."""

from builders.surface import syntax, words
from builders.surface.changes import Change
from builders.surface.reading import Reading
from builders.surface.tokens import Token


def some_to_any(reading: Reading, verb: Token) -> list[Change]:
    """*some* in an object becomes *any*; *too* at the end becomes *either*."""
    changes = []
    for argument in syntax.children(verb, "dobj", "attr"):
        if argument.lower_ in words.SOME_TO_ANY and not syntax.children(argument, "nummod"):
            changes.append(_swap_word(reading, argument, words.SOME_TO_ANY[argument.lower_]))
        for determiner in syntax.children(argument, "det"):
            if determiner.lower_ == "some" and argument.i > verb.i:
                changes.append(_swap_word(reading, determiner, "any"))
    for adverb in syntax.children(verb, "advmod"):
        if adverb.lower_ == "too" and adverb.i > verb.i:
            changes.append(_swap_word(reading, adverb, "either"))
    return changes


def _swap_word(reading: Reading, token: Token, new: str) -> Change:
    return Change(reading.start(token), reading.end(token), new)
