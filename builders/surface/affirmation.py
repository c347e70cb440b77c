"""The other direction of polarity: a negation that is there is taken away.

She doesn't eat meat.   ──▶   She eats meat.
Nobody noticed.         ──▶   Somebody noticed.
"""

from builders.surface import syntax, words
from builders.surface.changes import Change, RefusedError, capitalised, cased_like
from builders.surface.inflection import Inflector
from builders.surface.negators import How, Negator, negators
from builders.surface.reading import Reading
from builders.surface.tokens import Token
from builders.surface.verbs import base_of, finite_form, number_of

_PARTICIPLE_HEADS = ("VBN", "VBG")


def affirm(reading: Reading, verb: Token, inflector: Inflector) -> list[Change]:
    """The changes that take the negation of a clause away.

    Raises:
        RefusedError: what would be left is no good English, or not the opposite.
    """
    found = negators(verb)
    if len(found) != 1:
        raise RefusedError("no negation to take away" if not found else "several negations")
    _check(verb, found[0])
    how = found[0].how
    if how is How.PRONOUN:
        return _pronoun(reading, found[0].token)
    if how is How.DETERMINER:
        return _determiner(reading, verb, found[0].token)
    if how is How.QUANTIFIER:
        return _quantifier(reading, found[0].token)
    return _any_to_some(reading, verb) + (
        _drop(reading, found[0].token) if how is How.NEVER else _drop_not(reading, verb, found[0].token, inflector)
    )


def _check(verb: Token, negator: Negator) -> None:
    near = [t for t in verb.subtree if t != negator.token and (syntax.clause_of(t) == verb or t.head == verb)]
    lower = {token.lower_ for token in near}
    below = {token.lower_ for token in verb.subtree if token.i > verb.i}
    if lower & words.POLARITY_ITEMS or below & words.POLARITY_ITEMS_BELOW:
        raise RefusedError("a word that lives on the negation")
    if lower & (words.NEGATIVE - {"little", "few", "n't", "not"}):
        raise RefusedError("several negative words")
    if syntax.is_question(verb) and not syntax.has_question_word(verb):
        raise RefusedError("a negative question asks the same")
    if any(t.lower_ == "but" and t.dep_ == "cc" and not syntax.is_predicate(t.head) for t in near):
        raise RefusedError("not this but that")
    if _asks_whether(verb):
        raise RefusedError("not sure if, but sure that")
    mark = syntax.child(verb, "mark")
    if mark is not None and mark.lower_ in ("lest", "whether", "if") and negator.how is How.NOT and _or_not(negator):
        raise RefusedError("whether or not")


def _asks_whether(verb: Token) -> bool:
    """*is not sure if it works*: without the negation there is nothing to ask."""
    adjective = syntax.child(verb, "acomp")
    below = [*verb.children, *(adjective.children if adjective is not None else ())]
    return any(syntax.is_asked(clause) for clause in below)


def _or_not(negator: Negator) -> bool:
    token = negator.token
    return token.i > 0 and token.doc[token.i - 1].lower_ == "or"


# --- words that are negative by themselves ---


def _pronoun(reading: Reading, token: Token) -> list[Change]:
    if token.lower_ == "one":
        no = syntax.child(token, "det")
        new = cased_like("someone", reading.word(no)[:1] + "x")
        return [Change(reading.start(no), reading.end(token), new)]
    new = words.NO_TO_SOME[token.lower_]
    return [Change(reading.start(token), reading.end(token), cased_like(new, reading.word(token)))]


def _determiner(reading: Reading, verb: Token, no: Token) -> list[Change]:
    """*No students came* → *Some students came*; *has no brothers* → *has brothers*."""
    noun = no.head
    following = no.doc[no.i + 1]
    if following.lower_ in ("longer", "more", "less", "doubt", "matter", "way", "such", "other", "idea", "need"):
        raise RefusedError("a fixed phrase with no")
    if following.tag_ in ("JJR", "RBR", "JJS"):
        raise RefusedError("no before a comparative")
    if noun.dep_ in syntax.SUBJECTS or syntax.child(verb, "expl") or noun.tag_ != "NNS":
        return [Change(reading.start(no), reading.end(no), cased_like("some", reading.word(no)[:1] + "x"))]
    return [Change(reading.start(no), reading.start(following), "")]


def _quantifier(reading: Reading, token: Token) -> list[Change]:
    following = token.doc[token.i + 1]
    word = reading.word(following)
    new = capitalised(word) if reading.word(token)[:1].isupper() else word
    return [Change(reading.start(token), reading.end(following), new)]


# --- *not* and *never* ---


def _drop(reading: Reading, token: Token) -> list[Change]:
    """A word goes with the space before it; at the beginning the next word takes its capital."""
    if token.i + 1 >= len(token.doc):
        raise RefusedError("a negation at the very end")
    following = token.doc[token.i + 1]
    before = reading.text[: reading.start(token)]
    if before.endswith(" "):
        return [Change(len(before.rstrip(" ")), reading.end(token), "")]
    if following.tag_ in syntax.FINITE and following.dep_ in ("aux", "auxpass"):
        raise RefusedError("an inverted statement")
    word = reading.word(following)
    new = capitalised(word) if reading.word(token)[:1].isupper() else word
    return [Change(reading.start(token), reading.end(following), new)]


def _drop_not(reading: Reading, verb: Token, negation: Token, inflector: Inflector) -> list[Change]:
    auxiliary = next((a for a in syntax.auxiliaries(verb) if a.lower_ in ("do", "does", "did")), None)
    if auxiliary is not None and auxiliary.i < negation.i:
        if syntax.is_inverted(verb):
            return _drop_contraction_or_word(reading, negation)
        return _drop_do(reading, verb, auxiliary, negation, inflector)
    return _drop_contraction_or_word(reading, negation)


def _drop_contraction_or_word(reading: Reading, negation: Token) -> list[Change]:
    if negation.lower_ != "n't":
        if negation.i and reading.text[: reading.start(negation)][-1:].isalpha():  # can|not
            return [Change(reading.start(negation), reading.end(negation), "")]
        return _drop(reading, negation)
    before = negation.doc[negation.i - 1]
    if before.lower_ == "ai":
        raise RefusedError("ain't")
    old = reading.word(before)
    full = words.FULL_FORMS.get(before.lower_)
    new = old if full is None else cased_like(full, old[:1] + "x")
    return [Change(reading.start(before), reading.end(negation), new)]


def _drop_do(reading: Reading, verb: Token, do: Token, negation: Token, inflector: Inflector) -> list[Change]:
    """*did not eat* → *ate*; words between *not* and the verb stay."""
    if any(other.tag_ == "VB" and not syntax.auxiliaries(other) for other in syntax.members(verb)[1:]):
        raise RefusedError("the negation also holds for the next verb")
    following = do.doc[negation.i + 1]
    if syntax.own_subject(verb) is None and syntax.is_imperative(verb):
        word = reading.word(following)
        new = capitalised(word) if reading.word(do)[:1].isupper() else word
        return [Change(reading.start(do), reading.end(following), new)]
    who = syntax.subject(verb)
    if who is None:
        raise RefusedError("a finite verb without a subject")
    if negation.i != do.i + 1:
        raise RefusedError("words between do and not")
    tag = "VBD" if do.lower_ == "did" else "VBZ" if do.lower_ == "does" else "VBP"
    form = base_of(inflector, verb) if tag == "VBP" else finite_form(inflector, verb, tag, number_of(who))
    if tag == "VBZ":
        form = inflector.inflect(base_of(inflector, verb), "VBZ") or form
    if following == verb:
        return [Change(reading.start(do), reading.end(verb), form)]
    gone = Change(reading.start(do), reading.start(following), "")
    return [gone, Change(reading.start(verb), reading.end(verb), form)]


def _any_to_some(reading: Reading, verb: Token) -> list[Change]:
    changes = []
    for token in verb.subtree:
        if token.lower_ not in words.ANY_TO_SOME or token.i < verb.i or syntax.clause_of(token) != verb:
            continue
        new = cased_like(words.ANY_TO_SOME[token.lower_], reading.word(token))
        changes.append(Change(reading.start(token), reading.end(token), new))
    return changes
