"""Polarity negation in words: *not* at its place, with *do* where the clause has no auxiliary.

The committee approved the budget.   ──▶   The committee did not approve the budget.
He's tired. I'll call you.           ──▶   He's not tired. I won't call you.
"""

from builders.surface import syntax, words
from builders.surface.changes import Change, RefusedError, capitalised, decapitalised, titled
from builders.surface.companions import some_to_any
from builders.surface.deniable import check_deniable
from builders.surface.inflection import Inflector
from builders.surface.negators import negators
from builders.surface.phrases import phrase_of
from builders.surface.quotes import apostrophe_like
from builders.surface.reading import Reading
from builders.surface.tokens import Token
from builders.surface.verbs import agrees, base_of, do_form, is_group, lemma_of, number_of

_CONTRACTED = {"'ll": " won't", "'ve": " haven't"}


def negate(reading: Reading, verb: Token, inflector: Inflector) -> list[Change]:
    """The changes that deny the clause of `verb`.

    Raises:
        RefusedError: it cannot be denied well.
    """
    check_deniable(verb)
    quantified = _universal_subject(reading, verb)
    if quantified is not None:
        return quantified
    changes = _not(reading, verb, inflector) + some_to_any(reading, verb)
    return [titled(reading.text, change) for change in changes]


def _universal_subject(reading: Reading, verb: Token) -> list[Change] | None:
    """*Everyone came* → *Not everyone came*; ``None`` for other subjects."""
    who = syntax.own_subject(verb)
    if who is None:
        return None
    determiners = syntax.children(who, "det", "predet")
    universal = next((d for d in determiners if d.lower_ in words.UNIVERSAL_DETERMINERS), None)
    if who.lower_ in words.UNIVERSAL_PRONOUNS:
        universal = who
    if universal is None:
        first = who.left_edge
        if who.lower_ == "all" or (first.lower_ in ("all", "every") and first != who):
            raise RefusedError("the subject would make the negation ambiguous")
        return None
    if universal != who.left_edge or syntax.has_sharing_conjunct(verb) or syntax.is_inverted(verb):
        raise RefusedError("the subject would make the negation ambiguous")
    old = reading.word(universal)
    insert = "Not " if old[:1].isupper() else "not "
    return [Change(reading.start(universal), reading.end(universal), insert + decapitalised(old))]


# --- the place of *not* ---


def _not(reading: Reading, verb: Token, inflector: Inflector) -> list[Change]:
    if syntax.has_sharing_conjunct(verb) and not _is_under_let(verb) and not _conjuncts_stand_alone(verb):
        raise RefusedError("the negation would reach the next verb, or break it")
    finite = syntax.finite_element(verb)
    if finite is None:
        return _not_before_nonfinite(reading, verb, inflector)
    who = syntax.subject(verb)
    if finite.lower_ in ("ai", "better", "ought") or (finite.lower_ in ("need", "dare") and finite.tag_ == "MD"):
        raise RefusedError(f"{finite.text} is not negated")
    if (who is None or syntax.is_address(who)) and syntax.is_imperative(verb):
        return _command(reading, verb)
    if who is None and finite == verb and _is_first(verb):
        return _elided(reading, verb, inflector)
    if who is None and finite.tag_ == "MD" and verb.dep_ == "ROOT" and finite.i == finite.sent.start:
        return _after_auxiliary(reading, verb, finite)
    if who is None and not syntax.child(verb, "expl"):
        raise RefusedError("a finite verb without a subject")
    if who is not None and not syntax.is_inverted(verb) and not agrees(finite, number_of(who)) and not is_group(who):
        raise RefusedError("verb and subject do not agree: a doubtful parse")
    if syntax.child(verb, "expl") is not None and syntax.is_copula(verb):
        return _there_is(reading, verb, finite)
    if syntax.is_inverted(verb):
        return _inverted(reading, verb, finite)
    if finite == verb and not syntax.is_copula(verb):
        return _do_not(reading, verb, inflector)
    return _after_auxiliary(reading, verb, finite)


def _not_before_nonfinite(reading: Reading, verb: Token, inflector: Inflector) -> list[Change]:
    if syntax.is_imperative(verb):
        return _command(reading, verb)
    auxiliaries = syntax.auxiliaries(verb)
    if auxiliaries and auxiliaries[0].tag_ == "TO":
        if verb.dep_ not in ("xcomp", "ccomp") or verb.head.lemma_.lower() not in words.INFINITIVE_GOVERNORS:
            raise RefusedError("this infinitive is not negated")
        if negators(verb.head):
            raise RefusedError("an infinitive below a negation")
        place = reading.start(auxiliaries[0])
        return [Change(place, place, "not ")]
    if auxiliaries:
        raise RefusedError("no finite verb in the clause")
    if _is_under_let(verb):
        place = reading.start(verb)
        return [Change(place, place, "not ")]
    who = syntax.subject(verb)
    if verb.tag_ == "VBG" and _is_first(verb) and (who is None or syntax.is_address(who)):
        return [_before(reading, verb, "not")]
    if verb.tag_ == "VBN" and _is_first(verb) and syntax.child(verb, "dobj") is not None:
        return _elided(reading, verb, inflector)
    if verb.tag_ == "VBN" and verb.i == verb.sent.start and syntax.child(verb, "prep", "agent") is not None:
        return [_before(reading, verb, "not")]
    if verb.dep_ == "conj" and verb.tag_ in ("VB", "VBN") and _shares_finite(verb):
        place = reading.start(verb)
        return [Change(place, place, "not ")]
    raise RefusedError("a clause without a finite verb")


def _conjuncts_stand_alone(verb: Token) -> bool:
    """*I bought a lamp and am looking for a table*: an auxiliary of its own keeps the negation out of a conjunct."""
    own = [syntax.finite_element(other) for other in syntax.members(verb)[1:] if syntax.is_predicate(other)]
    finite = syntax.finite_element(verb)
    return finite is not None and all(
        other is not None and other.dep_ in ("aux", "auxpass") and other.lower_ != finite.lower_ for other in own
    )


def _is_under_let(verb: Token) -> bool:
    """*let us go*: *not* before the verb denies it and what is coordinated with it."""
    return verb.dep_ == "ccomp" and verb.tag_ == "VB" and verb.head.lemma_.lower() == "let" and verb.head.tag_ == "VB"


def _before(reading: Reading, token: Token, word: str) -> Change:
    """A word before another, which gives up its capital to it."""
    old = reading.word(token)
    if old[:1].isupper() and token.pos_ != "PROPN" and not old.isupper():
        return Change(reading.start(token), reading.end(token), f"{capitalised(word)} {decapitalised(old)}")
    return Change(reading.start(token), reading.start(token), f"{word} ")


def _is_first(verb: Token) -> bool:
    """Whether a verb is the first word of its sentence, adverbs and interjections aside, and has something to say."""
    left = [t for t in verb.children if t.i < verb.i and not t.is_punct and not syntax.is_address(t)]
    named = all(token.dep_ in ("advmod", "intj", "cc") for token in left) and verb.dep_ == "ROOT"
    return named and any(not token.is_punct for token in verb.children) and verb.sent[0].text != "#"


def _elided(reading: Reading, verb: Token, inflector: Inflector) -> list[Change]:
    """*Looks like rain* → *Does not look like rain*; *Got new stickers* → *Did not get new stickers*."""
    if syntax.is_copula(verb) or verb.tag_ not in ("VBZ", "VBD", "VBN"):
        raise RefusedError("a finite verb without a subject")
    word = reading.word(verb)
    new = f"{'does' if verb.tag_ == 'VBZ' else 'did'} not {base_of(inflector, verb)}"
    return [Change(reading.start(verb), reading.end(verb), capitalised(new) if word[:1].isupper() else new)]


def _shares_finite(verb: Token) -> bool:
    """Whether a bare conjunct leans on a finite auxiliary right of the coordination: *has eaten and not drunk*."""
    before = verb.doc[verb.i - 1]
    head = syntax.conjunction_head(verb)
    return before.dep_ == "cc" and syntax.is_predicate(head) and syntax.finite_element(head) not in (None, head)


def _command(reading: Reading, verb: Token) -> list[Change]:
    if syntax.auxiliaries(verb):
        raise RefusedError("an emphatic command")
    return [_before(reading, verb, "do not")]


def _there_is(reading: Reading, verb: Token, finite: Token) -> list[Change]:
    """*There is a problem* → *There is no problem*; *there are many* → *there are not many*."""
    what = syntax.child(verb, "attr", "nsubj", "dobj")
    if what is None or what.i < verb.i:
        raise RefusedError("there is, but what?")
    determiner = syntax.child(what, "det")
    if determiner is not None and determiner.lower_ in ("a", "an", "some") and determiner == what.left_edge:
        return [Change(reading.start(determiner), reading.end(determiner), "no")]
    if determiner is None and what.left_edge.i == verb.i + 1 and not _is_quantified(what) and what.pos_ == "NOUN":
        place = reading.start(what.left_edge)
        return [Change(place, place, "no ")]
    return _after_auxiliary(reading, verb, finite)


def _is_quantified(what: Token) -> bool:
    first = what.left_edge
    return first.tag_ in ("CD", "DT", "PRP$", "RB", "NNP", "PDT") or first.lower_ in (
        "many",
        "much",
        "several",
        "more",
        "few",
        "enough",
        "various",
        "other",
        "other",
        "most",
        "plenty",
        "lots",
    )


def _inverted(reading: Reading, verb: Token, finite: Token) -> list[Change]:
    """Question order: *not* after the subject. Other inversions are not negated."""
    who = syntax.own_subject(verb)
    if not syntax.is_question(verb) or who is None or (finite == verb and not syntax.is_copula(verb)):
        raise RefusedError("an inverted statement")
    if finite == verb and who.right_edge.i + 1 < len(verb.doc) and syntax.child(verb, "attr", "acomp") is None:
        raise RefusedError("a question about the copula")
    phrase = phrase_of(who)
    if phrase is None or (finite != verb and phrase.last.i > verb.i):
        raise RefusedError("the subject is not in one piece")
    place = reading.end(phrase.last)
    return [Change(place, place, " not")]


def _do_not(reading: Reading, verb: Token, inflector: Inflector) -> list[Change]:
    who = syntax.subject(verb)
    if who is None:
        raise RefusedError("a finite verb without a subject")
    if verb.dep_ == "ROOT" and who.i > verb.i:
        raise RefusedError("an inverted statement")
    if verb.tag_ == "VBD" and _may_be_participle(verb, inflector):
        raise RefusedError("the verb may be a participle")
    base = base_of(inflector, verb)
    first = _adverbs_before(verb)
    place = reading.start(first)
    do = do_form(verb.tag_, number_of(who))
    already = _already(reading, verb)
    changes = [Change(reading.start(verb), reading.end(verb), base)]
    if already is not None:
        return [*changes, already] if already.new == f"{do} not yet" else _with_already(changes, already, do)
    if first == verb:
        return [Change(reading.start(verb), reading.end(verb), f"{do} not {base}")]
    return [Change(place, place, f"{do} not "), *changes]


def _may_be_participle(verb: Token, inflector: Inflector) -> bool:
    """*the plane introduced in 1964 has flown*: a past form with nothing after it but a preposition, then a verb."""
    if verb.dep_ not in ("ccomp", "advcl", "dep", "parataxis") or syntax.child(verb, "dobj", "ccomp", "xcomp"):
        return False
    same = verb.lower_ in inflector.forms(verb.lemma_.lower(), "VBN")
    after = [token for token in verb.sent if token.i > verb.right_edge.i][:2]
    return same and any(token.tag_ in syntax.FINITE for token in after)


def _with_already(changes: list[Change], already: Change, do: str) -> list[Change]:
    return [*changes, Change(already.start, already.end, f"{do} not yet")]


def _adverbs_before(verb: Token) -> Token:
    """The first of the adverbs directly before a verb that *not* goes before; the verb itself if there is none."""
    first = verb
    while first.i > 0:
        before = verb.doc[first.i - 1]
        if before.head != verb or before.dep_ != "advmod" or list(before.children):
            break
        if before.lower_ in words.BEFORE_NOT or before.tag_ not in ("RB", "RBR"):
            break
        first = before
    return first


def _already(reading: Reading, verb: Token) -> Change | None:
    """Where *already* stands beside the verb; it becomes *yet*.

    Raises:
        RefusedError: it stands elsewhere.
    """
    found = next((t for t in syntax.children(verb, "advmod") if t.lower_ == "already"), None)
    if found is None:
        return None
    if found.i != verb.i - 1 and not (syntax.is_copula(verb) and found.i == verb.i + 1):
        raise RefusedError("already stands apart from its verb")
    return Change(reading.start(found), reading.end(found), "yet")


def _after_auxiliary(reading: Reading, verb: Token, finite: Token) -> list[Change]:
    if finite != verb and finite.tag_ != "MD" and lemma_of(finite) not in ("be", "have", "do"):
        raise RefusedError(f"{finite.text} is read as an auxiliary: a doubtful parse")
    already = _already(reading, verb)
    if already is not None:
        return [Change(already.start, already.end, "not yet")]
    contracted = finite.lower_.startswith("'")
    if contracted and finite.lower_ not in ("'s", "'re", "'m"):
        return _contracted(reading, verb, finite)
    if finite.lower_ == "can" and not contracted:
        word = reading.word(finite)
        return [Change(reading.end(finite), reading.end(finite), "NOT" if word.isupper() else "not")]
    last = finite
    following = verb.doc[last.i + 1] if last.i + 1 < len(verb.doc) else None
    while following is not None and following.lower_ in words.BEFORE_NOT and following.dep_ == "advmod":
        last = following
        following = verb.doc[last.i + 1] if last.i + 1 < len(verb.doc) else None
    place = reading.end(last)
    return [Change(place, place, " not")]


def _contracted(reading: Reading, verb: Token, finite: Token) -> list[Change]:
    """*I'll go* → *I won't go*, *They've gone* → *They haven't gone*, *He'd go* → *He wouldn't go*."""
    full = _CONTRACTED.get(finite.lower_)
    if finite.lower_ == "'d":
        if verb.doc[finite.i + 1].lower_ in ("better", "rather"):
            raise RefusedError("had better is not negated")
        following = verb if len(syntax.auxiliaries(verb)) == 1 else syntax.auxiliaries(verb)[1]
        full = " hadn't" if following.tag_ == "VBN" else " wouldn't"
    if full is None or lemma_of(finite) == "be":
        raise RefusedError(f"the contraction {finite.text}")
    old = reading.word(finite)
    return [Change(reading.start(finite), reading.end(finite), apostrophe_like(full, old))]
