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
