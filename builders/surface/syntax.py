"""Clauses in a dependency parse: who does what to whom, with which auxiliaries.

Everything the surface engine knows of grammar beyond single words is asked here, by the parser that draws the graph
and by the realiser that edits the text, so that the two never disagree.
"""

from builders.surface import words
from builders.surface.tokens import Token

SUBJECTS = ("nsubj", "nsubjpass", "csubj", "csubjpass")
FINITE = ("MD", "VBD", "VBZ", "VBP")
_VERB_TAGS = ("VB", "VBD", "VBG", "VBN", "VBP", "VBZ")
_BEFORE_COMMANDS = ("aux", "neg", "intj", "advmod", "prep", "advcl", "npadvmod", "cc", "mark")
_SHARING = ("xcomp", "advcl")


def children(token: Token, *deps: str) -> list[Token]:
    """The dependents of a token with one of these relations, left to right."""
    return [child for child in token.children if child.dep_ in deps]


def child(token: Token, *deps: str) -> Token | None:
    """The first dependent with one of these relations."""
    return next((found for found in token.children if found.dep_ in deps), None)


def is_copula(token: Token) -> bool:
    """Whether a token is a form of *be* that is no auxiliary."""
    return (token.lemma_.lower() in ("be", "'s", "'re", "'m") or is_bare_s(token)) and is_predicate(token)


def is_bare_s(token: Token) -> bool:
    """The *s* of *thats* and *whats*, which the tokeniser cuts off without an apostrophe."""
    return token.lower_ == "s" and token.tag_ == "VBZ" and token.i > 0


def is_predicate(token: Token) -> bool:
    """Whether a token is a verb with a clause of its own (auxiliaries are not, attributive participles are not)."""
    if token.tag_ not in _VERB_TAGS or token.pos_ not in ("VERB", "AUX"):
        return False
    if token.dep_ in ("aux", "auxpass", "amod", "compound", "prt", "punct", "intj"):
        return False
    return token.text[:1].isalpha() or token.text.startswith("'")


def auxiliaries(verb: Token) -> list[Token]:
    """The auxiliaries of a verb, ``to`` included, left to right."""
    return children(verb, "aux", "auxpass")


def finite_element(verb: Token) -> Token | None:
    """The word that carries tense: the first auxiliary or the verb itself; ``None`` for a non-finite clause."""
    for auxiliary in auxiliaries(verb):
        if auxiliary.tag_ == "TO":
            return None
        return auxiliary if auxiliary.tag_ in FINITE else None
    return verb if verb.tag_ in FINITE else None


def modal(verb: Token) -> Token | None:
    """The modal auxiliary of a verb."""
    return next((auxiliary for auxiliary in auxiliaries(verb) if auxiliary.tag_ == "MD"), None)


def is_infinitive(verb: Token) -> bool:
    """Whether a verb has ``to`` before it."""
    return any(auxiliary.tag_ == "TO" for auxiliary in auxiliaries(verb))


def is_passive(verb: Token) -> bool:
    """Whether a verb is in the passive, reduced relatives (*chased by the man*) included."""
    if verb.tag_ != "VBN":
        return False
    if child(verb, "auxpass", "nsubjpass", "csubjpass", "agent"):
        return True
    if verb.dep_ == "acl":
        return not children(verb, "aux")
    head = verb.head
    return verb.dep_ == "conj" and not auxiliaries(verb) and is_predicate(head) and is_passive(head)


def own_subject(verb: Token) -> Token | None:
    """The subject that stands in the verb's own clause."""
    return child(verb, *SUBJECTS)


def conjunction_head(token: Token) -> Token:
    """The first member of the coordination that a token belongs to."""
    while token.dep_ == "conj":
        token = token.head
    return token


def shared_subject(verb: Token) -> Token | None:
    """The subject that a verb takes from another clause: coordination, control, or the noun it modifies."""
    if own_subject(verb) is not None or child(verb, "expl") is not None:
        return None
    if verb.dep_ == "conj" and is_predicate(verb.head):
        return subject(verb.head)
    if verb.dep_ == "acl" and verb.head.pos_ in ("NOUN", "PROPN", "PRON") and not is_infinitive(verb):
        return verb.head
    shares = verb.dep_ in _SHARING or (verb.dep_ == "ccomp" and is_infinitive(verb))
    if shares and is_predicate(verb.head) and finite_element(verb) is None:
        return _controller(verb)
    if verb.dep_ == "pcomp" and verb.tag_ == "VBG" and verb.head.lower_ != "like":
        return _subject_above(verb.head.head)
    if verb.dep_ == "acl" and is_infinitive(verb) and verb.head.dep_ in ("dobj", "attr", "pobj"):
        return _subject_above(verb.head)
    return None


def _subject_above(token: Token) -> Token | None:
    """The subject of the clause around a token: who has *plans to build a house*, who goes *without saying a word*."""
    clause = token if is_predicate(token) else clause_of(token)
    if not is_predicate(clause):
        return None
    found = subject(clause)
    return None if found is None or found.lower_ in ("it", "there", "this", "that") or token in found.subtree else found


def _controller(verb: Token) -> Token | None:
    governor = verb.head
    if verb.dep_ == "xcomp":
        controlled = child(governor, "dobj", "dative")
        if controlled is not None and governor.lemma_ not in words.SUBJECT_CONTROL:
            return controlled
    found = subject(governor)
    if found is not None and found.lower_ == "it" and is_copula(governor):
        return None  # *it is easy to see*: nobody is named who sees
    return found


def subject(verb: Token) -> Token | None:
    """The subject of a verb, wherever it stands."""
    return own_subject(verb) or shared_subject(verb)


def direct_object(verb: Token) -> Token | None:
    """The object in the verb's own clause, also one after the verb's own preposition (*listen to her*)."""
    found = child(verb, "dobj")
    if found is not None:
        return found
    preposition = object_preposition(verb)
    return child(preposition, "pobj") if preposition is not None else None


def object_preposition(verb: Token) -> Token | None:
    """The preposition before the object of a verb that has one there."""
    mine = words.PREPOSITIONAL_OBJECTS.get(verb.lemma_.lower())
    if mine is None or is_passive(verb) or child(verb, "dobj", "prt") is not None:
        return None
    return next((part for part in children(verb, "prep") if part.lower_ in mine and part.i == verb.i + 1), None)


def agent(verb: Token) -> Token | None:
    """Who acts in a passive: the noun after ``by``."""
    by = child(verb, "agent")
    return child(by, "pobj") if by is not None else None


def zero_relative(verb: Token) -> Token | None:
    """The noun that is the object of a relative clause without pronoun: *the storm we survived*."""
    noun = verb.head
    if verb.dep_ != "relcl" or verb.tag_ not in ("VBD", "VBZ", "VBP", "VB", "VBN") or is_passive(verb):
        return None
    who = own_subject(verb)
    if (
        who is None
        or who.dep_ != "nsubj"
        or is_copula(verb)
        or is_relative_pronoun(who)
        or who.left_edge.i != noun.i + 1
    ):
        return None
    allowed = ("nsubj", "aux", "neg", "advmod", "npadvmod", "punct")
    if any(part.dep_ not in allowed and part.i < verb.i for part in verb.children):
        return None
    if any(part.dep_ in ("dobj", "ccomp", "xcomp", "prt", "attr", "acomp", "dative", "oprd") for part in verb.children):
        return None
    if any(part.dep_ == "prep" and not list(part.children) for part in verb.children):
        return None
    is_place = noun.lemma_.lower() in words.ADJUNCT_NOUNS or noun.ent_type_ in ("DATE", "TIME")
    return None if is_place or noun.pos_ not in ("NOUN", "PROPN") else noun


def is_relative_pronoun(token: Token) -> bool:
    """Whether a token is *who*, *whom*, *which* or *that* in a relative clause."""
    return token.lower_ in words.RELATIVE_PRONOUNS and token.head.dep_ == "relcl" and not list(token.children)


def antecedent(token: Token) -> Token:
    """The noun a relative pronoun stands for; any other token itself."""
    return token.head.head if is_relative_pronoun(token) else token


def members(token: Token) -> list[Token]:
    """A token and everything coordinated with it."""
    found = [token]
    for other in children(token, "conj"):
        found += members(other)
    return found


def coordinator(token: Token) -> str | None:
    """The conjunction that joins a token to what follows, lower case."""
    for member in members(token):
        found = child(member, "cc")
        if found is not None:
            return str(found.lower_)
    return None


def has_sharing_conjunct(verb: Token) -> bool:
    """Whether another verb is coordinated after this one and leans on its subject."""
    return any(
        is_predicate(other) and own_subject(other) is None and child(other, "expl") is None
        for other in members(verb)[1:]
    )


def is_question(verb: Token) -> bool:
    """Whether the sentence of a verb ends with a question mark."""
    sentence = verb.sent
    for place in range(sentence.end - 1, sentence.start - 1, -1):
        token = verb.doc[place]
        if token.text[0] not in "\"')]":
            return "?" in token.text
    return False


def is_asked(clause: Token) -> bool:
    """Whether a clause is an embedded question: *ask if it works*, *not sure whether it works*."""
    if not any(mark.lower_ in ("if", "whether") for mark in children(clause, "mark")):
        return False
    adjective = child(clause.head, "acomp")
    unsure = adjective is not None and adjective.lower_ in ("sure", "certain", "clear")
    return clause.dep_ in ("ccomp", "pcomp") or (clause.dep_ == "advcl" and unsure)


def is_main(verb: Token) -> bool:
    """Whether a verb heads its sentence, alone or in coordination."""
    return conjunction_head(verb).dep_ == "ROOT"


def is_polar_question(verb: Token) -> bool:
    """Whether a verb is what a question without question word asks about."""
    if not is_question(verb):
        return False
    main = conjunction_head(verb)
    if main.dep_ != "ROOT" and not (main.dep_ in ("ccomp", "parataxis") and _is_inverted(main)):
        return False
    return not has_question_word(main)


def has_question_word(verb: Token) -> bool:
    """Whether a question word stands in the verb's own clause, before it."""
    return any(
        token.tag_ in ("WP", "WRB", "WDT", "WP$") and clause_of(token) == verb
        for token in verb.subtree
        if token.i < verb.i or token.i < _first_aux(verb)
    )


def _first_aux(verb: Token) -> int:
    found = finite_element(verb)
    return int(found.i) if found is not None else int(verb.i)


def _is_inverted(verb: Token) -> bool:
    found, who = finite_element(verb), own_subject(verb)
    return found is not None and who is not None and found.i < who.i


def is_inverted(verb: Token) -> bool:
    """Whether the finite element stands before the subject."""
    return _is_inverted(verb)


def clause_of(token: Token) -> Token:
    """The predicate in whose clause a token stands; the root where there is none."""
    while token.dep_ != "ROOT":
        token = token.head
        if is_predicate(token):
            break
    return token


def is_imperative(verb: Token) -> bool:
    """Whether a verb is a command: a bare form without subject that heads its sentence, or follows such a one."""
    if verb.dep_ == "conj" and verb.tag_ == "VB" and not auxiliaries(verb) and own_subject(verb) is None:
        return is_predicate(verb.head) and is_imperative(verb.head)
    if verb.tag_ not in ("VB", "VBP") or verb.dep_ != "ROOT" or child(verb, "expl") is not None:
        return False
    who = own_subject(verb)
    if who is not None and not is_address(who):
        return False
    if any(auxiliary.lower_ != "do" for auxiliary in auxiliaries(verb)):
        return False
    if verb.tag_ == "VBP" and (auxiliaries(verb) or verb.lemma_.lower() != verb.lower_):
        return False
    before = [token for token in verb.children if token.i < verb.i and not token.is_punct]
    return all(token.dep_ in _BEFORE_COMMANDS or token.lower_ == "please" or is_address(token) for token in before)


def is_address(token: Token) -> bool:
    """Whether a noun before a verb is who is spoken to, though it is read as a subject: *@anna*, *Girl…*, *ps*."""
    if token.text.startswith("@") or token.lower_ in ("ps", "pls"):
        return True
    following = token.doc[token.i + 1] if token.i + 1 < len(token.doc) else None
    stops = following is not None and following.text in (",", "…", "...", ":")
    return stops and token.i == token.sent.start and not list(token.lefts) and token.pos_ in ("NOUN", "PROPN", "INTJ")
