"""Objects of active verbs as what follows *by*: participles, particles and the place of the preposition."""

from builders.surface import syntax, words
from builders.surface.changes import Change, RefusedError
from builders.surface.inflection import Inflector
from builders.surface.phrases import Phrase, phrase_of
from builders.surface.reading import Reading
from builders.surface.tokens import Token
from builders.surface.verbs import base_of
from builders.surface.wordsets import word_set

_PARTICLES = word_set("along away back off out up down together apart aside around over through")
#: After a verb of motion what follows is a place rather than an object: *pinged off the wall*.
_PATHS = word_set("off through past along across around over")
#: Where a verb has two participles, the one that is written more.
_PARTICIPLES = {
    "wake": "woken",
    "light": "lit",
    "awake": "awoken",
    "weave": "woven",
    "strike": "struck",
    "sew": "sewn",
    "redo": "redone",
}


def by_object(reading: Reading, verb: Token, head: Token, inflector: Inflector) -> tuple[str, list[Change]]:
    """The participle of a verb and what else changes where its object becomes an agent.

    *by* goes before the object; a particle after the object goes before *by* (*wake the cook up* → *woken up by the
    cook*). The participle contains what follows the verb at once.

    Raises:
        RefusedError: verb and object stand in another order.
    """
    undergoer = phrase_of(head)
    if undergoer is None or undergoer.last.pos_ == "ADV" or undergoer.first.pos_ == "ADV":
        raise RefusedError("a noun phrase in several pieces, or with an adverb at its edge")
    participle = _participle(verb, inflector)
    late = _late_particle(reading, verb, undergoer)
    if late is not None:
        gone = Change(reading.end(undergoer.last), reading.end(late), "")
        return f"{participle} {reading.word(late)} by", [gone]
    place = _before_object(verb, undergoer.first)
    if verb == place:
        return f"{participle} by", []
    return participle, [Change(reading.end(place), reading.end(place), " by")]


def _participle(verb: Token, inflector: Inflector) -> str:
    base = base_of(inflector, verb)
    if base in words.SAME_FORMS:
        return base
    if base in _PARTICIPLES:
        return _PARTICIPLES[base]
    participle = inflector.inflect(base, "VBN")
    if participle is None:
        raise RefusedError(f"no participle of {verb.text!r}")
    return str(verb.lower_) if verb.tag_ == "VBN" and verb.lower_ in inflector.forms(base, "VBN") else participle


def _late_particle(reading: Reading, verb: Token, undergoer: Phrase) -> Token | None:
    """The particle that stands right after the object.

    Raises:
        RefusedError: something like a particle does, but not alone.
    """
    particle = syntax.child(verb, "prt")
    following = verb.doc[undergoer.last.i + 1] if undergoer.last.i + 1 < len(verb.doc) else None
    if particle is not None and particle.i < undergoer.first.i:
        particle = None
    after = verb.doc[following.i + 1] if following is not None and following.i + 1 < len(verb.doc) else None
    adverb = following is not None and following.pos_ == "ADV" and following.lower_ not in _PARTICLES
    if adverb and particle is None and after is not None and after.lower_ in _PARTICLES:
        raise RefusedError("a particle after the object")
    if following is None or (particle is None and following.lower_ not in _PARTICLES):
        if particle is not None:
            raise RefusedError("a particle after the object")
        return None
    if following.dep_ == "prep" and list(following.children) and particle is None:
        return None  # *pulled the cart over the hill*
    alone = following.head == verb and not list(following.children) and following.dep_ in ("prt", "advmod")
    if following.dep_ == "advmod" and after is not None and after.pos_ == "ADP":
        alone = False  # *speeds the shift away from coal*
    if not alone or undergoer.first.i != verb.i + 1 or (particle is not None and particle != following):
        raise RefusedError("a particle after the object")
    return following


def _before_object(verb: Token, first: Token) -> Token:
    """The word after which *by* goes: the verb, or its particle.

    Raises:
        RefusedError: something else stands between verb and object.
    """
    if first.i == verb.i + 1:
        particle = syntax.child(verb, "prt")
        if particle is not None:
            raise RefusedError("a particle after the object")
        return verb
    between = verb.doc[verb.i + 1]
    if between.dep_ == "prt" and between.lower_ in _PATHS:
        raise RefusedError("a particle that may be a preposition")
    if first.i == verb.i + 2 and (between.dep_ == "prt" or between == syntax.object_preposition(verb)):
        return between
    raise RefusedError("verb and object are apart")
