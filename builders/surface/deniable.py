"""Which clauses can be denied by *not*: those that say something that *not* would turn into its opposite."""

from builders.surface import syntax, words
from builders.surface.changes import RefusedError
from builders.surface.negators import negators
from builders.surface.tokens import Token

_COMPLEMENTS = (
    *("ccomp", "dobj", "xcomp", "prep", "advmod", "nsubjpass", "auxpass", "dative", "acomp", "oprd", "relcl"),
)


def check_deniable(verb: Token) -> None:
    """Refuse clauses in which *not* would be wrong or would not deny what is said.

    Raises:
        RefusedError: always with the reason.
    """
    if negators(verb):
        raise RefusedError("already negative")
    near = [token for token in verb.subtree if syntax.clause_of(token) == verb or token.head == verb]
    if any(token.lower_ in words.NEGATIVE and not _is_contrast(token) for token in near):
        raise RefusedError("a negative word in the clause")
    if any(
        token.lower_ in words.FOCUS and token.lower_ != "only" and (token.head == verb or token.i == verb.i + 1)
        for token in near
    ):
        raise RefusedError("a focus word in the clause")
    if _is_balanced(verb):
        raise RefusedError("a contrast with but")
    if _is_idiom(verb):
        raise RefusedError("an idiom")
    discourse = verb.lemma_.lower() in words.DISCOURSE_VERBS and not _is_said_of_another(verb)
    if discourse or (verb.lower_ == "know" and _is_you_know(verb)):
        raise RefusedError("a phrase rather than a statement")
    if _closed(verb):
        raise RefusedError("this kind of clause is not negated")
    if _is_free_relative(verb):
        raise RefusedError("a clause in the place of a noun")
    if _is_saying_after_quote(verb):
        raise RefusedError("a verb of saying beside its quotation")
    if _has_tag_question(verb):
        raise RefusedError("a tag question")
    who = syntax.own_subject(verb)
    if who is not None and _is_ambiguous(who):
        raise RefusedError("the subject would make the negation ambiguous")


def _is_contrast(token: Token) -> bool:
    """*X, not Y*: a negation that denies another phrase than the clause."""
    return token.lower_ == "not" and token.i > 0 and token.doc[token.i - 1].text in (",", "and", "but", "(")


def _is_balanced(verb: Token) -> bool:
    """*is distinct but not unrelated*: *not* would make it *not this but that*."""
    parts = syntax.children(verb, "acomp", "attr", "dobj")
    return any(token.lower_ == "but" and token.dep_ == "cc" for part in parts for token in part.children)


def _is_idiom(verb: Token) -> bool:
    """*Here we go*, *there you are*, and verbs of saying that say nothing."""
    adverbs = {token.lower_ for token in syntax.children(verb, "advmod", "expl") if token.i < verb.i}
    if adverbs & {"here", "there"} and syntax.child(verb, "expl") is None:
        return True
    if verb.lemma_.lower() not in words.SAYING or syntax.children(verb, *_COMPLEMENTS):
        return False
    return not _closes_quotation(verb)


def _closes_quotation(verb: Token) -> bool:
    """*"Morning," Craith said.*: who says it stands between the quotation and the verb, which can be denied."""
    who = syntax.own_subject(verb)
    if who is None or who.i > verb.i or not who.left_edge.i or verb.tag_ != "VBD":
        return False
    quotes = ('"', "''", "``")
    goes_on = any(token.text in quotes for token in verb.sent if token.i > verb.i)
    return verb.doc[who.left_edge.i - 1].text in quotes and not goes_on


def _is_said_of_another(verb: Token) -> bool:
    """Whether such a verb is used as a verb: it has a subject that is neither *I* nor *you*."""
    who = syntax.subject(verb)
    if syntax.modal(verb) is not None or (verb.tag_ == "VBN" and syntax.child(verb, "prep", "agent") is not None):
        return True
    return who is not None and who.lower_ not in ("i", "you") and verb.tag_ != "VB"


def _is_you_know(verb: Token) -> bool:
    who = syntax.own_subject(verb)
    return who is not None and who.lower_ == "you" and len(list(verb.children)) < 3


def _closed(verb: Token) -> bool:
    marks = syntax.children(verb, "mark", "advmod", "prep")
    clause = syntax.conjunction_head(verb)
    if clause != verb:
        marks = marks + syntax.children(clause, "mark", "advmod")
    if any(mark.lower_ in words.CLOSED_MARKS and mark.i < verb.i and mark.dep_ == "mark" for mark in marks):
        return True
    if syntax.is_asked(clause):
        return True  # *ask if it works*: *ask if it does not work* asks the same
    if clause.left_edge.i and clause.doc[clause.left_edge.i - 1].lower_ in ("soon", "than", "as"):
        return True
    if clause.dep_ == "pcomp" and clause.head.lower_ in words.CLOSED_MARKS:
        return True
    adverbs = {mark.lower_ for mark in marks if mark.dep_ == "advmod" and mark.i < verb.i}
    return clause.dep_ == "advcl" and bool(adverbs & {"once", "however", "so", "as", "rather"})


def _is_free_relative(verb: Token) -> bool:
    """*from what I have seen*, *where you have been*: without statement, nothing to deny."""
    clause = syntax.conjunction_head(verb)
    asks = [t for t in clause.subtree if t.tag_ in ("WP", "WRB") and syntax.clause_of(t) == clause and t.i < clause.i]
    if clause.dep_ == "relcl":
        return bool(asks) and asks[0].tag_ == "WRB"
    return bool(asks) and clause.dep_ in ("pcomp", "advcl", "ccomp", "csubj")


def _is_saying_after_quote(verb: Token) -> bool:
    if verb.lemma_.lower() not in words.SAYING or _closes_quotation(verb):
        return False
    said = [part for part in syntax.children(verb, "ccomp", "parataxis") if part.i < verb.i]
    if said:
        return True
    before = verb.doc[verb.left_edge.i - 1] if verb.left_edge.i else None
    if verb.dep_ in ("parataxis", "ccomp") and before is not None and before.is_punct:
        return True
    who = syntax.own_subject(verb)
    edge = verb.doc[who.left_edge.i - 1] if who is not None and who.left_edge.i else None
    return edge is not None and (edge.text in ('"', "'", "''", "``") or (edge.text == "," and '"' in verb.sent.text))


def _has_tag_question(verb: Token) -> bool:
    if not syntax.is_question(verb):
        return False
    tail = [token for token in verb.sent if token.is_alpha or token.lower_ == "n't"][-4:]
    if any(token.lower_ == "n't" for token in tail) or (len(tail) > 1 and tail[-1].lower_ in ("right", "ok", "okay")):
        return True
    return len(tail) > 2 and tail[-1].tag_ == "PRP" and tail[-2].tag_ in syntax.FINITE


def _is_ambiguous(who: Token) -> bool:
    determiners = syntax.children(who, "det", "predet", "amod", "preconj")
    return who.lower_ in words.AMBIGUOUS_SUBJECTS or any(d.lower_ in words.AMBIGUOUS_SUBJECTS for d in determiners)
