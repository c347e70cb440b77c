"""Roles and modes that a clause has by its words."""

from builders.surface import syntax
from builders.surface.nouns import QUESTION_TAGS
from builders.surface.tokens import Token

#: Subordinating conjunctions and the role of their clause.
CLAUSE_ROLES = {
    "if": ":condition",
    "unless": ":condition",
    "because": ":cause",
    "as": ":time",
    "while": ":time",
    "when": ":time",
    "before": ":time",
    "after": ":time",
    "since": ":time",
    "until": ":time",
    "although": ":concession",
    "though": ":concession",
}


def relative_role(verb: Token) -> str:
    """The role by which a relative clause hangs on its noun."""
    for part in verb.children:
        if syntax.is_relative_pronoun(part):
            if part.dep_ == "nsubj":
                return ":ARG1-of" if syntax.is_copula(verb) else ":ARG0-of"
            if part.dep_ in ("dobj", "nsubjpass"):
                return ":ARG1-of"
    return ":ARG1-of" if syntax.zero_relative(verb) is not None else ":mod"


def asks(token: Token) -> bool:
    """Whether a question word asks (it may also head a relative or an indirect clause)."""
    if token.tag_ not in QUESTION_TAGS:
        return False
    clause = syntax.clause_of(token)
    return syntax.is_question(token) and syntax.is_main(clause)


def mode_of(verb: Token) -> str | None:
    if syntax.is_polar_question(verb):
        return "interrogative"
    return "imperative" if syntax.is_imperative(verb) else None


def implied_subject(verb: Token) -> str | None:
    """Who a clause without a subject is about: *you* in a command, *i* where a note leaves the subject out.

    ``None`` where there is a subject, or the clause is no whole one. The passive counterparts have the same.
    """
    main = syntax.conjunction_head(verb)
    if main.dep_ != "ROOT" or syntax.subject(verb) is not None or syntax.child(verb, "expl", "nsubjpass") is not None:
        return None
    if syntax.is_copula(verb) or (verb != main and not syntax.is_predicate(main)):
        return None
    helpers = [auxiliary for auxiliary in syntax.auxiliaries(verb) if auxiliary.lower_ != "do"]
    if verb.tag_ == "VBN" and syntax.agent(verb) is not None:
        first = helpers[0].lower_ if len(helpers) == 1 else ""
        return {"be": "you", "was": "i", "being": "i"}.get(first)
    if syntax.child(verb, "dobj") is None or helpers:
        return None
    if syntax.is_imperative(verb):
        return "you"
    if syntax.is_question(verb):
        return None  # *seen any good films?* is about *you*, or nobody knows whom
    alone = not syntax.auxiliaries(verb) and not any(part.dep_ in ("mark", "csubj", "cc") for part in verb.lefts)
    return "i" if alone and verb.tag_ in ("VBD", "VBN", "VBG") and _begins(verb) else None


def _begins(verb: Token) -> bool:
    """Whether nothing but adverbs and *and* stands before a verb in its clause."""
    before = [part for part in verb.lefts if not part.is_punct]
    return all(part.tag_ == "RB" or part.dep_ == "intj" for part in before)
