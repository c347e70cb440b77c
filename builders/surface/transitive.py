"""Verbs whose agent and patient can be exchanged, and those that role swap leaves out."""

from builders.surface import syntax, words
from builders.surface.changes import RefusedError
from builders.surface.tokens import Token

_BLOCKING = ("xcomp", "ccomp", "dative", "oprd", "acomp", "attr", "expl")


def check_verb(verb: Token) -> None:
    """Refuse verbs that are not turned round.

    Raises:
        RefusedError: the verb is symmetric, ditransitive, light or of measure, or has a further complement.
    """
    _check_kind(verb)
    if syntax.is_copula(verb):
        raise RefusedError("the copula")
    if verb.lower_ in words.PREPOSITION_LIKE:
        raise RefusedError(f"{verb.text} is a preposition here")
    if verb.dep_ == "conj" and syntax.is_predicate(verb.head) and _leans_on_object(verb):
        raise RefusedError("the object belongs to two verbs")
    if any(_blocks(part, verb) for part in verb.children):
        raise RefusedError("the verb has a further complement")
    if len(syntax.children(verb, "dobj")) > 1:
        raise RefusedError("two objects")


def _check_kind(verb: Token) -> None:
    lemma = verb.lemma_.lower()
    if syntax.object_preposition(verb) is not None:
        return  # *wait for her*, *pay for it*: another verb than *wait a day*, *pay her*
    for kind, name in (
        (words.SYMMETRIC, "symmetric"),
        (words.DITRANSITIVE - words.MONOTRANSITIVE, "ditransitive"),
        (words.LIGHT, "light"),
        (words.MEASURE, "a verb of measure or state"),
    ):
        if lemma in kind and not (name == "ditransitive" and _has_receiver(verb)):
            raise RefusedError(f"{verb.text} is {name}")
    if lemma in words.PARTLY_LIGHT and _has_light_object(verb):
        raise RefusedError(f"{verb.text} is light")
    if lemma in ("provide", "supply", "serve") and _is_person(syntax.subject(verb)):
        raise RefusedError(f"{verb.text} is ditransitive")


def _has_receiver(verb: Token) -> bool:
    """*gave a book to the boy*: who receives is named after the object, which can then be exchanged."""
    return any(part.pos_ == "ADP" and part.lower_ == "to" for part in syntax.children(verb, "dative", "prep"))


def _is_person(head: Token | None) -> bool:
    """Whether a noun is one that can be provided with things."""
    return head is not None and (head.ent_type_ == "PERSON" or (head.pos_ == "PRON" and head.lower_ in words.OBJECTIVE))


def _has_light_object(verb: Token) -> bool:
    """*set fire to*, *take a look*, *keep track*, *get rid*."""
    if any(part.dep_ == "prep" and not list(part.children) for part in verb.children):
        return True  # *get some skills in*
    thing = syntax.direct_object(verb)
    if thing is None or thing.pos_ == "PRON":
        return thing is not None and verb.lemma_.lower() in ("get", "take", "make", "feel")
    bare = thing.tag_ == "NN" and not list(thing.lefts) and verb.lemma_.lower() in ("take", "make", "get", "set", "put")
    return bare or thing.lemma_.lower() in words.LIGHT_OBJECTS


def _blocks(part: Token, verb: Token) -> bool:
    """Whether a complement beside the object keeps agent and patient where they are."""
    if part.dep_ not in _BLOCKING:
        return False
    if part.dep_ == "dative":
        return not _has_receiver(verb)
    if part.dep_ == "xcomp" and verb.lemma_.lower() in words.OBJECT_CONTROL:
        return not syntax.is_infinitive(part)
    return True


def _leans_on_object(verb: Token) -> bool:
    """*established or expanded oversight*: the verb before has the same object, if it has any."""
    before = verb.head
    right = [part for part in before.children if part.i > before.i and part.dep_ not in ("cc", "conj", "punct")]
    return not right and verb.i - before.i <= 3 and syntax.direct_object(verb) is not None
