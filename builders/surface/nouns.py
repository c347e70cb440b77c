"""Noun phrases, names and what hangs on them as nodes of the shallow graph."""

from builders.surface import words
from builders.surface.inflection import degree_lemma
from builders.surface.shallow import Node
from builders.surface.tokens import Token

_ENTITY = {
    "PERSON": "person",
    "ORG": "organization",
    "GPE": "country-region",
    "LOC": "location",
    "FAC": "facility",
    "NORP": "ethnic-group",
    "EVENT": "event",
    "PRODUCT": "product",
    "WORK_OF_ART": "work-of-art",
    "LAW": "law",
    "LANGUAGE": "language",
}
#: Entity labels that mark names; the others mark dates, amounts and numbers.
NAME_LABELS = frozenset(_ENTITY)
_PRONOUNS = {
    "me": "i",
    "my": "i",
    "mine": "i",
    "myself": "i",
    "him": "he",
    "his": "he",
    "himself": "he",
    "her": "she",
    "hers": "she",
    "herself": "she",
    "us": "we",
    "our": "we",
    "ours": "we",
    "'s": "we",
    "them": "they",
    "their": "they",
    "theirs": "they",
    "themselves": "they",
    "its": "it",
    "itself": "it",
    "your": "you",
    "yours": "you",
    "yourself": "you",
}
QUESTION_TAGS = ("WP", "WRB", "WDT", "WP$")
_PREPOSITION_ROLES = {
    "with": ":accompanier",
    "without": ":prep-without",
    "for": ":beneficiary",
    "to": ":destination",
    "from": ":source",
    "into": ":destination",
    "about": ":topic",
    "of": ":prep-of",
    "because": ":cause",
    "despite": ":concession",
    "during": ":time",
    "since": ":time",
    "until": ":time",
    "at": ":location",
    "in": ":location",
    "on": ":location",
}


def is_name(token: Token) -> bool:
    """Whether a token heads or belongs to a name."""
    return token.pos_ == "PROPN"


def name_tokens(head: Token) -> list[Token]:
    """The tokens of a name: its head and the proper nouns compounded to its left without a gap."""
    found = [head]
    for token in reversed(list(head.lefts)):
        if token.dep_ not in ("compound", "nmod") or not is_name(token):
            continue
        part = sorted(token.subtree, key=lambda member: member.i)
        if part[-1].i != found[0].i - 1 or not all(is_name(member) for member in part):
            break
        found = [*part, *found]
    return found


def noun_node(token: Token, is_question: bool) -> Node:
    """The node of a noun, pronoun, name or number, nothing hung on it yet."""
    if token.tag_ in QUESTION_TAGS and is_question:
        return Node("amr-unknown", token.i)
    if is_name(token):
        parts = name_tokens(token)
        node = Node(_ENTITY.get(token.ent_type_, "thing"), token.i)
        name = Node("name", None)
        for place, part in enumerate(parts, 1):
            name.add(f":op{place}", part.text)
        node.add(":name", name)
        return node
    if token.pos_ == "PRON":
        lower = token.lower_
        return Node(_PRONOUNS.get(lower, lower), token.i)
    return Node(concept_of(token), token.i)


def concept_of(token: Token) -> str:
    """The concept of a content word: its lemma, lower case."""
    lemma = token.lemma_.lower() if token.lemma_ else token.lower_
    if token.tag_ in ("JJR", "JJS"):
        lemma = degree_lemma(token.text, lemma)
    return lemma or token.lower_


def preposition_role(preposition: Token) -> str:
    """The role of a prepositional phrase."""
    lower = preposition.lower_
    return _PREPOSITION_ROLES.get(lower, f":prep-{lower}" if lower.isalpha() else ":prep")


def is_concept_preposition(preposition: Token) -> bool:
    """Whether a preposition is a concept of its own (``before :op1 noon``)."""
    return preposition.lower_ in words.PREPOSITION_CONCEPTS
