"""Role swap where no word says who acts: commands, and notes that leave the subject out.

Use both hands.            ──▶   Be used by both hands.
Don't wake the baby up!    ──▶   Don't be woken up by the baby!
Found a coin.              ──▶   Was found by a coin.
moving the plants          ──▶   being moved by the plants

AMR writes *you* or *i* as the agent of these; exchanged, they are the patient.
"""

from builders.surface import syntax, words
from builders.surface.byphrase import by_object
from builders.surface.changes import Change, RefusedError, capitalised, decapitalised
from builders.surface.inflection import Inflector
from builders.surface.participants import check_noun
from builders.surface.reading import Reading
from builders.surface.roles import implied_subject
from builders.surface.tokens import Token
from builders.surface.transitive import check_verb
from builders.surface.voice import has_passive

_BE = {"VB": "be", "VBP": "be", "VBD": "was", "VBN": "was", "VBG": "being"}


def turn_implied(reading: Reading, verb: Token, inflector: Inflector) -> list[Change]:
    """The changes that make who is not named the patient.

    Raises:
        RefusedError: the clause has no good passive.
    """
    undergoer = syntax.child(verb, "dobj")
    if undergoer is None or syntax.is_passive(verb):
        raise RefusedError("the predicate has no agent and patient in the text")
    check_verb(verb)
    check_noun(reading, undergoer)
    if verb.lemma_.lower() in words.DISCOURSE_VERBS or not has_passive(verb):
        raise RefusedError(f"{verb.text} has no passive")
    itself = ("you", "ya", "u") if implied_subject(verb) == "you" else ("me", "us")
    if undergoer.lower_ in itself:
        raise RefusedError("who acts cannot be known")
    participle, changes = by_object(reading, verb, undergoer, inflector)
    be, first = _BE[verb.tag_], _first(verb)
    word = reading.word(first)
    begins = not any(token.is_alpha for token in first.doc[first.sent.start : first.i])
    lead = capitalised(be) if word[:1].isupper() and begins else be
    if first == verb:
        return [Change(reading.start(verb), reading.end(verb), f"{lead} {participle}"), *changes]
    start = reading.start(first)
    return [
        Change(start, reading.end(first), f"{lead} {decapitalised(word)}"),
        Change(reading.start(verb), reading.end(verb), participle),
        *changes,
    ]


def _first(verb: Token) -> Token:
    """Where *was* goes: before the adverbs of a past (*just found it* → *was just found by it*)."""
    first = verb
    while verb.tag_ in ("VBD", "VBN") and first.i > verb.sent.start:
        before = verb.doc[first.i - 1]
        if before.head != verb or before.dep_ != "advmod" or list(before.children):
            break
        first = before
    return first
