"""Role swap by voice: the subject stays where it is and what it does becomes what is done to it, or the reverse.

who greeted the baker            ──▶   who was greeted by the baker
who were captured by the pirates ──▶   who captured the pirates
whom the champion overtook       ──▶   who overtook the champion
"""

from builders.surface import syntax, words
from builders.surface.byphrase import by_object
from builders.surface.changes import Change, RefusedError
from builders.surface.inflection import Inflector
from builders.surface.participants import Participants
from builders.surface.phrases import phrase_of
from builders.surface.reading import Reading
from builders.surface.tokens import Token
from builders.surface.verbs import (
    PLURAL,
    THIRD,
    agreeing,
    agrees,
    base_of,
    be_form,
    do_form,
    finite_form,
    lemma_of,
    number_of,
)
from builders.surface.wordsets import word_set

#: Verbs that have no passive with *by*.
_NO_PASSIVE = word_set("want resemble escape flee get consist belong lead")
#: Contractions in full, by their tag.
_LONG = {("'ll", "MD"): "will", ("'d", "MD"): "would", ("'d", "VBD"): "had"}


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
    if relative is not None and (syntax.is_relative_pronoun(relative) or relative.tag_ == "WP"):
        return _turn_relative(reading, found, relative, inflector)
    if relative is None:
        return _turn_relative(reading, found, None, inflector)
    return _to_passive(reading, found, inflector)


def _number(verb: Token, head: Token) -> str:
    """The number of a subject; of a relative pronoun that of the nearest noun alone: *a boy who sings and a girl*."""
    noun = syntax.antecedent(head)
    if noun != head and verb.i < max(member.i for member in syntax.members(noun)):
        return PLURAL if noun.tag_ in ("NNS", "NNPS") else THIRD
    return number_of(head)


# --- active to passive ---


def _to_passive(reading: Reading, found: Participants, inflector: Inflector) -> list[Change]:
    participle, changes = by_object(reading, found.verb, found.undergoer, inflector)
    return [*_passive_verb(reading, found, participle), *changes]


def _passive_verb(reading: Reading, found: Participants, participle: str) -> list[Change]:
    verb = found.verb
    here = (reading.start(verb), reading.end(verb))
    auxiliaries = syntax.auxiliaries(verb)
    if not auxiliaries:
        return _passive_without_auxiliary(reading, found, participle)
    last = auxiliaries[-1]
    if lemma_of(last) == "do":
        number = _number(verb, found.subject)
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
        if not agrees(verb, _number(verb, found.subject)):
            raise RefusedError("verb and subject do not agree: a doubtful parse")
        be = be_form(verb.tag_, _number(verb, found.subject))
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
        if verb.tag_ == "VBG" and syntax.conjunction_head(verb).tag_ != "VBG":
            raise RefusedError("a gerund after a finite verb: a doubtful parse")
        if verb.tag_ == "VB" and not _has_base(syntax.conjunction_head(verb)):
            raise RefusedError("a base form after a finite verb: a doubtful parse")
        lead = {"VB": "be ", "VBN": "been ", "VBG": "being "}[verb.tag_]
        return [Change(*here, f"{lead}{participle}")]
    raise RefusedError("a clause without a finite verb")


def _has_perfect(verb: Token) -> bool:
    return any(lemma_of(auxiliary) == "have" for auxiliary in syntax.auxiliaries(verb))


def _has_base(verb: Token) -> bool:
    """Whether the first of coordinated verbs is a base form too: after *to*, a modal verb or *do*, or as a command."""
    return verb.tag_ == "VB" or any(helper.tag_ in ("TO", "MD") or lemma_of(helper) == "do" for helper in verb.children)


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


def has_passive(verb: Token) -> bool:
    """Whether a verb has a passive with *by* at all."""
    return verb.lemma_.lower() not in _NO_PASSIVE


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
    number = _number(verb, found.subject)
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
    if finite is None or finite.i != phrase.last.i + 1:
        raise RefusedError("a relative clause in another order")
    start, end = reading.start(phrase.first), reading.end(verb)
    text = reading.text[start : reading.end(phrase.last)]
    if who.pos_ == "PRON":
        text = words.OBJECTIVE.get(who.lower_, text)
    chain = reading.text[reading.start(finite) : end]
    number = _number(verb, found.undergoer)
    if not agrees(finite, _number(verb, found.doer)) or any(t.dep_ == "neg" and t.i > verb.i for t in verb.children):
        raise RefusedError("verb and subject do not agree: a doubtful parse")
    form = agreeing(finite, number, inflector)
    if finite.lower_.startswith("'"):
        form = form or _LONG.get((finite.lower_, finite.tag_))
        if form is None:
            raise RefusedError(f"the contraction {finite.text}")
    if form is not None:
        chain = form + chain[len(finite.text) :]
    if relative is None:
        return [Change(start, end, f"that {chain} {text}")]
    pronoun = "who" if relative.lower_ == "whom" else reading.word(relative)
    return [
        Change(reading.start(relative), reading.end(relative), pronoun),
        Change(start, end, f"{chain} {text}"),
    ]
