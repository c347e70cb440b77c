"""Role swap by voice: the subject stays where it is and what it does becomes what is done to it, or the reverse.

who greeted the baker            ──▶   who was greeted by the baker
who were captured by the pirates ──▶   who captured the pirates
whom the champion overtook       ──▶   who overtook the champion
"""

from builders.surface import syntax, words
from builders.surface.changes import Change, RefusedError
from builders.surface.inflection import Inflector
from builders.surface.participants import Participants
from builders.surface.phrases import phrase_of
from builders.surface.reading import Reading
from builders.surface.tokens import Token
from builders.surface.verbs import agreeing, agrees, base_of, be_form, do_form, finite_form, lemma_of, number_of
from builders.surface.wordsets import word_set

#: Verbs that have no passive with *by*.
_NO_PASSIVE = word_set("want resemble escape flee")
_PARTICLES = word_set("along away back off out up down together apart aside around over through")
#: After a verb of motion what follows is a place rather than an object: *pinged off the wall*.
_PATHS = word_set("off through past along across around over")


def flip(reading: Reading, found: Participants, inflector: Inflector) -> list[Change]:
    """The changes that turn an active clause into a passive one whose subject is the same, or the reverse.

    Raises:
        RefusedError: the clause has no good counterpart.
    """
    if found.verb.lemma_.lower() in _NO_PASSIVE:
        raise RefusedError(f"{found.verb.text} has no passive")
    if found.is_passive:
        return _to_active(reading, found, inflector)
    relative = syntax.direct_object(found.verb)
    if relative is not None and syntax.is_relative_pronoun(relative):
        return _turn_relative(reading, found, relative, inflector)
    if relative is None:
        return _turn_relative(reading, found, None, inflector)
    return _to_passive(reading, found, inflector)


# --- active to passive ---


def _to_passive(reading: Reading, found: Participants, inflector: Inflector) -> list[Change]:
    verb, undergoer = found.verb, phrase_of(found.undergoer)
    if undergoer is None or undergoer.last.pos_ == "ADV" or undergoer.first.pos_ == "ADV":
        raise RefusedError("a noun phrase in several pieces, or with an adverb at its edge")
    place = _before_object(verb, undergoer.first)
    if undergoer.last.i + 1 < len(verb.doc) and verb.doc[undergoer.last.i + 1].lower_ in _PARTICLES:
        raise RefusedError("a particle after the object")
    base = base_of(inflector, verb)
    participle = inflector.inflect(base, "VBN")
    if participle is None:
        raise RefusedError(f"no participle of {verb.text!r}")
    if verb.tag_ == "VBN" and verb.lower_ in inflector.forms(base, "VBN"):
        participle = verb.lower_
    by = Change(reading.end(place), reading.end(place), " by")
    if verb == place:
        participle, by = f"{participle} by", Change(reading.start(undergoer.first), reading.start(undergoer.first), "")
    return [*_passive_verb(reading, found, participle), by]


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


def _passive_verb(reading: Reading, found: Participants, participle: str) -> list[Change]:
    verb = found.verb
    here = (reading.start(verb), reading.end(verb))
    auxiliaries = syntax.auxiliaries(verb)
    if not auxiliaries:
        return _passive_without_auxiliary(reading, found, participle)
    last = auxiliaries[-1]
    if lemma_of(last) == "do":
        number = number_of(found.subject)
        be = be_form(last.tag_ if last.tag_ in ("VBD", "VBZ", "VBP") else "VBP", number)
        following = verb.doc[last.i + 1]
        if following.lower_ == "n't" and be == "am":
            raise RefusedError("am takes no n't")
        if syntax.is_inverted(verb) and found.own is False:
            raise RefusedError("an inverted clause")
        if syntax.is_imperative(verb):
            raise RefusedError("a command")
        be = _cased(be, reading.word(last))
        return [Change(reading.start(last), reading.end(last), be), Change(*here, participle)]
    if verb.tag_ == "VB":
        return [Change(*here, f"be {participle}")]
    if verb.tag_ == "VBN" and lemma_of(last) == "have":
        return [Change(*here, f"been {participle}")]
    if verb.tag_ == "VBG" and lemma_of(last) == "be" and len(auxiliaries) == 1:
        return [Change(*here, f"being {participle}")]
    if verb.tag_ in ("VBD", "VBN") and last.lower_ in ("'ve", "'d", "'s", "have", "has", "had"):
        return [Change(*here, f"been {participle}")]
    raise RefusedError("this tense has no passive")


def _passive_without_auxiliary(reading: Reading, found: Participants, participle: str) -> list[Change]:
    verb = found.verb
    here = (reading.start(verb), reading.end(verb))
    word = reading.word(verb)
    if verb.tag_ in ("VBD", "VBZ", "VBP"):
        if not agrees(verb, number_of(found.subject)):
            raise RefusedError("verb and subject do not agree: a doubtful parse")
        be = be_form(verb.tag_, number_of(found.subject))
        first = _adverbs(verb)
        if first == verb:
            made = f"{be} {participle}"
            is_title = word[:1].isupper() and not verb.is_sent_start
            return [Change(*here, made.title() if is_title else made)]
        return [Change(reading.start(first), reading.start(first), f"{be} "), Change(*here, participle)]
    if verb.tag_ == "VBG" and (verb.dep_ in ("pcomp", "xcomp") or (verb.dep_ == "advcl" and _is_marked(verb))):
        return [Change(*here, _cased(f"being {participle}", word))]
    if verb.tag_ == "VBG" and verb.dep_ in ("acl", "advcl"):
        return [Change(*here, _cased(participle, word))]
    if verb.dep_ == "conj" and verb.tag_ in ("VB", "VBN", "VBG"):
        if verb.tag_ == "VBN" and not _has_perfect(syntax.conjunction_head(verb)):
            raise RefusedError("a participle without its auxiliary: a doubtful parse")
        lead = {"VB": "be ", "VBN": "been ", "VBG": "being "}[verb.tag_]
        return [Change(*here, f"{lead}{participle}")]
    raise RefusedError("a clause without a finite verb")


def _has_perfect(verb: Token) -> bool:
    return any(lemma_of(auxiliary) == "have" for auxiliary in syntax.auxiliaries(verb))


def _is_marked(verb: Token) -> bool:
    return any(part.i < verb.i for part in syntax.children(verb, "mark", "advmod"))


def _adverbs(verb: Token) -> Token:
    first = verb
    while first.i > 0:
        before = verb.doc[first.i - 1]
        if before.head != verb or before.dep_ != "advmod" or before.tag_ != "RB" or list(before.children):
            break
        if before.i == 0 or verb.doc[before.i - 1].is_punct:
            break
        first = before
    return first


def _cased(word: str, old: str) -> str:
    return word[:1].upper() + word[1:] if old[:1].isupper() else word


# --- passive to active ---


def _to_active(reading: Reading, found: Participants, inflector: Inflector) -> list[Change]:
    verb = found.verb
    by = found.doer.head
    phrase = phrase_of(found.doer)
    if phrase is None or by.i != verb.i + 1 or phrase.first.i != by.i + 1:
        raise RefusedError("verb and agent are apart")
    if not _has_space_after(reading, by):
        raise RefusedError("no space after by")
    gone = Change(reading.end(verb), reading.end(by), "")
    return [*_active_verb(reading, found, inflector), gone]


def _has_space_after(reading: Reading, token: Token) -> bool:
    return reading.text[reading.end(token) : reading.end(token) + 1] == " "


def _active_verb(reading: Reading, found: Participants, inflector: Inflector) -> list[Change]:
    verb = found.verb
    here = (reading.start(verb), reading.end(verb))
    base = base_of(inflector, verb)
    if verb.dep_ == "acl" and not syntax.auxiliaries(verb):
        return [Change(*here, _form(inflector, base, "VBG"))]
    be = syntax.child(verb, "auxpass")
    if be is None or lemma_of(be) != "be":
        raise RefusedError("a passive without be")
    number = number_of(found.subject)
    if be.tag_ in ("VBD", "VBZ", "VBP"):
        return _active_finite(reading, found, be, number, inflector)
    gone = Change(reading.start(be), reading.start(verb.doc[be.i + 1]), "")
    forms = {"be": "VB", "been": "VBN", "being": "VBG"}
    if be.lower_ not in forms:
        raise RefusedError(f"the passive with {be.text!r}")
    return [gone, Change(*here, _form(inflector, base, forms[be.lower_]))]


def _active_finite(reading: Reading, found: Participants, be: Token, number: str, inflector: Inflector) -> list[Change]:
    verb = found.verb
    here = (reading.start(verb), reading.end(verb))
    if be.lower_.startswith("'"):
        raise RefusedError(f"the contraction {be.text}")
    if not agrees(be, number):
        raise RefusedError("verb and subject do not agree: a doubtful parse")
    following = verb.doc[be.i + 1]
    if following.lower_ in ("not", "n't") or be.i > verb.i:
        do = _cased(do_form(be.tag_, number), reading.word(be))
        return [Change(reading.start(be), reading.end(be), do), Change(*here, base_of(inflector, verb))]
    if syntax.is_inverted(verb):
        raise RefusedError("an inverted clause")
    gone = Change(reading.start(be), reading.start(following), "")
    return [gone, Change(*here, finite_form(inflector, verb, be.tag_, number))]


def _form(inflector: Inflector, base: str, tag: str) -> str:
    made = inflector.inflect(base, tag)
    if made is None:
        raise RefusedError(f"no form {tag} of {base!r}")
    return made


# --- object relatives ---


def _turn_relative(reading: Reading, found: Participants, relative: Token | None, inflector: Inflector) -> list[Change]:
    """*whom the champion overtook* → *who overtook the champion*; *the storm we survived* → *that survived us*."""
    verb, phrase = found.verb, phrase_of(found.doer)
    who = syntax.own_subject(verb)
    before = relative if relative is not None else found.undergoer
    if phrase is None or who is None or before.i != phrase.first.i - 1:
        raise RefusedError("a relative clause in another order")
    finite = syntax.finite_element(verb)
    if finite is None or finite.i != phrase.last.i + 1 or finite.lower_.startswith("'"):
        raise RefusedError("a relative clause in another order")
    start, end = reading.start(phrase.first), reading.end(verb)
    text = reading.text[start : reading.end(phrase.last)]
    if who.pos_ == "PRON":
        text = words.OBJECTIVE.get(who.lower_, text)
    chain = reading.text[reading.start(finite) : end]
    number = number_of(found.undergoer)
    if not agrees(finite, number_of(found.doer)) or any(t.dep_ == "neg" and t.i > verb.i for t in verb.children):
        raise RefusedError("verb and subject do not agree: a doubtful parse")
    form = agreeing(finite, number, inflector)
    if form is not None:
        chain = form + chain[len(finite.text) :]
    if relative is None:
        return [Change(start, end, f"that {chain} {text}")]
    pronoun = "who" if relative.lower_ == "whom" else reading.word(relative)
    return [
        Change(reading.start(relative), reading.end(relative), pronoun),
        Change(start, end, f"{chain} {text}"),
    ]
