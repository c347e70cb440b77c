"""Role swap in words: the two noun phrases change places, or the verb changes its voice.

    She helped him.                            ──▶   He helped her.
    The teacher praises the students.          ──▶   The students praise the teacher.
    Omar wants to photograph Lucia.            ──▶   Omar wants to be photographed by Lucia.

Places are changed where both noun phrases stand in the clause and are short; pronouns change their case, the verb
agrees. Where the subject is shared, relative or controlled, or a phrase is long, the voice flips (`voice`).
"""

import re

from builders.surface import syntax, words
from builders.surface.changes import Change, RefusedError, capitalised, decapitalised
from builders.surface.implied import turn_implied
from builders.surface.inflection import Inflector
from builders.surface.participants import MAX_EXCHANGED, Participants, participants
from builders.surface.phrases import Phrase, object_phrase, phrase_of
from builders.surface.reading import Reading
from builders.surface.roles import implied_subject
from builders.surface.tokens import Token
from builders.surface.verbs import PLURAL, agreeing, agrees, number_of
from builders.surface.voice import flip

#: Contractions in full, by the form of the verb after them.
_FULL = {("'ll", "VB"): "will", ("'d", "VB"): "would", ("'d", "VBN"): "had"}
_ACRONYMS = re.compile("[A-Z]{2,}s")
_CONTRACTIONS = {"am": "'m", "is": "'s", "are": "'re", "has": "'s", "have": "'ve"}


def swap(reading: Reading, verb: Token, inflector: Inflector) -> list[Change]:
    """The changes that exchange agent and patient of `verb`.

    Raises:
        RefusedError: they cannot be exchanged well.
    """
    if implied_subject(verb) is not None:
        return turn_implied(reading, verb, inflector)
    found = participants(reading, verb)
    left, right = phrase_of(found.subject), object_phrase(found.other)
    if left is None or right is None:
        raise RefusedError("a noun phrase in several pieces")
    if not _may_exchange(found, left, right):
        return flip(reading, found, inflector)
    return [
        *_exchange(reading, found, left, right),
        *_agree(reading, found, inflector),
    ]


def _may_exchange(found: Participants, left: Phrase, right: Phrase) -> bool:
    if not found.own or syntax.has_sharing_conjunct(found.verb) or _controls(found):
        return False
    if found.verb.dep_ == "conj" and syntax.conjunction_head(found.verb) != found.verb and not found.own:
        return False
    if _describes_object(found, right) and not found.is_passive and not syntax.is_polar_question(found.verb):
        return False
    if len(left) + len(right) > MAX_EXCHANGED or left.last.i >= right.first.i:
        return False
    if any(edge.pos_ == "ADV" for edge in (left.first, left.last, right.first, right.last)):
        return False
    possessed = any(token.tag_ == "PRP$" or token.lower_ == "own" for token in right.tokens())
    return not possessed and not _has_clause(left) and not _has_clause(right)


def _controls(found: Participants) -> bool:
    return any(
        part.dep_ == "advcl" and syntax.shared_subject(part) is not None
        for part in found.verb.children
        if part.tag_ in ("VBG", "VBN") or syntax.is_infinitive(part)
    )


def _describes_object(found: Participants, right: Phrase) -> bool:
    """*harm its name as a safe port*: what follows *as* goes with a thing, not with who (*beat Ann as champion*)."""
    return right.head.pos_ == "NOUN" and any(
        part.lower_ == "as" and part.i > right.last.i for part in syntax.children(found.verb, "prep")
    )


def _has_clause(phrase: Phrase) -> bool:
    return any(token.dep_ in ("relcl", "acl", "ccomp", "advcl") for token in phrase.tokens())


# --- noun phrases change places ---


def _exchange(reading: Reading, found: Participants, left: Phrase, right: Phrase) -> list[Change]:
    finite = syntax.finite_element(found.verb) is not None
    _check_binding(found)
    first = _words(reading, left, words.OBJECTIVE)
    second = _words(reading, right, words.NOMINATIVE if finite else {})
    if _is_capital_by_place(reading, left):
        second = capitalised(second)
        first = first if _keeps_capital(left.first) or _is_title(reading, found.verb) else decapitalised(first)
    there = Change(reading.start(right.first), reading.end(right.last), first)
    particle = syntax.child(found.verb, "prt")
    if left.head.pos_ == "PRON" and not found.is_passive and _is_apart(found, right):
        raise RefusedError("verb and object are apart")
    if particle is not None and left.head.pos_ == "PRON" and not found.is_passive and particle.i < right.first.i:
        if particle.i != right.first.i - 1:
            raise RefusedError("a particle apart from verb and object")
        # *picked up a scent* → *picked me up*: a pronoun goes before the particle.
        there = Change(reading.start(particle), there.end, f"{first} {reading.word(particle)}")
    return [Change(reading.start(left.first), reading.end(left.last), second), there]


def _is_apart(found: Participants, right: Phrase) -> bool:
    """An adverb between verb and object: *missed almost everything*, never *missed almost him*."""
    before = right.first.doc[right.first.i - 1]
    return before.pos_ == "ADV" and before.dep_ != "prt" and before.i > found.verb.i


def _check_binding(found: Participants) -> None:
    """*I won't let them scare me*: exchanged, *let me* would have to be *let myself*."""
    small = syntax.finite_element(found.verb) is None and found.verb.dep_ != "ROOT"
    above = syntax.subject(found.verb.head) if small else None
    for pronoun in (found.subject, found.other):
        if above is not None and words.OBJECTIVE.get(above.lower_, above.lower_) == pronoun.lower_:
            raise RefusedError("a pronoun that would have to be reflexive")


def _words(reading: Reading, phrase: Phrase, case: dict[str, str]) -> str:
    """A phrase as it stands, its head pronouns in the other case."""
    start = reading.start(phrase.first)
    text = reading.text[start : reading.end(phrase.last)]
    for head in reversed(syntax.members(phrase.head)):
        if head.pos_ != "PRON" or head.lower_ not in case:
            continue
        place = reading.start(head) - start
        text = text[:place] + case[head.lower_] + text[place + len(head.text) :]
    return text


def _is_capital_by_place(reading: Reading, phrase: Phrase) -> bool:
    """Whether a phrase begins its sentence, or a quotation, with a capital."""
    first = phrase.first
    if not reading.word(first)[:1].isupper():
        return False
    before = first.doc[first.i - 1] if first.i else None
    if before is None or first.is_sent_start or before.text.startswith("@"):
        return True
    return before.is_punct and not (before.text in (",", ";", "-") and _keeps_capital(first))


def _is_title(reading: Reading, verb: Token) -> bool:
    """*Regulators Approve New Funds*: every word has a capital."""
    return reading.word(verb)[:1].isupper() and not verb.is_sent_start


def _keeps_capital(token: Token) -> bool:
    return (
        token.pos_ == "PROPN"
        or (token.pos_ != "DET" and token.ent_type_ in ("PERSON", "ORG", "GPE", "NORP", "LOC"))
        or (token.text == "I" or (len(token.text) > 1 and token.text[1:2].isupper()))
    )


# --- the verb agrees ---


def _agree(reading: Reading, found: Participants, inflector: Inflector) -> list[Change]:
    finite = syntax.finite_element(found.verb)
    if finite is None:
        if syntax.own_subject(found.verb) is not None and not _is_small_clause(found.verb):
            raise RefusedError("a subject without a finite verb")
        return []
    old, new = _number(found.subject), _number(found.other)
    if not agrees(finite, old):
        raise RefusedError("verb and subject do not agree: a doubtful parse")
    form = agreeing(finite, new, inflector) if agreeing(finite, old, inflector) is not None else None
    start, end = reading.start(finite), reading.end(finite)
    if finite.lower_.startswith("'") and len(finite.text) > 1:
        return _agree_contracted(reading, found, finite, form)
    if form is None or form == finite.lower_:
        return []
    if form == "am" and finite.i + 1 < len(finite.doc) and finite.doc[finite.i + 1].lower_ == "n't":
        raise RefusedError("am takes no n't")
    word = reading.word(finite)
    return [Change(start, end, capitalised(form) if word[:1].isupper() else form)]


def _number(head: Token) -> str:
    """As `number_of`; acronyms have a plural too: *ETFs*."""
    return PLURAL if _ACRONYMS.fullmatch(head.text) else number_of(head)


def _is_small_clause(verb: Token) -> bool:
    """*let the crisis turn*, *hear him call her*, *the lamp lighting up the room*: a subject without tense."""
    return verb.tag_ == "VBG" or (verb.tag_ == "VB" and verb.head.lemma_.lower() in words.CAUSATIVE)


def _agree_contracted(reading: Reading, found: Participants, finite: Token, form: str | None) -> list[Change]:
    """*He's watching them* → *They're watching him*; beside a noun the full form stands."""
    start, end = reading.start(finite), reading.end(finite)
    if form is None:
        if found.other.pos_ == "PRON":
            return []
        full = _FULL.get((finite.lower_, found.verb.tag_))
        if full is not None:
            return [Change(start, end, f" {full}")]
        raise RefusedError(f"the contraction {finite.text}")
    if found.other.pos_ == "PRON" and len(syntax.members(found.other)) == 1:
        apostrophe = reading.word(finite)[:1]
        return [Change(start, end, apostrophe + _CONTRACTIONS[form][1:])]
    return [Change(start, end, f" {form}")]
