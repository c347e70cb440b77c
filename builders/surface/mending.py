"""Known slips of spaCy's small English parser, put right before anything is read off the parse.

Each rule undoes an analysis that English does not have (two subjects joined by *and*, a noun coordinated with a verb);
where the words allow both readings the parse stays.
"""

from builders.surface.syntax import child, children, is_predicate
from builders.surface.tokens import Token


def mend(tokens: list[Token]) -> None:
    """Put known slips right, in place."""
    for token in tokens:
        _auxiliary_that_is_none(token)
    for token in tokens:
        _subject_of_an_auxiliary(token)
    for token in tokens:
        _coordinated_subjects(token)
        _coordinated_participle(token)
        _object_taken_for_predicative(token)
        _past_taken_for_participle(token)


def _auxiliary_that_is_none(token: Token) -> None:
    """*@anna12 looking forward to it*, with *@anna12* as an auxiliary: only verbs and *to* are that."""
    if token.dep_ in ("aux", "auxpass") and token.tag_[:2] not in ("VB", "MD", "TO") and token.text[:1] in "@#":
        token.dep_ = "npadvmod"


def _subject_of_an_auxiliary(token: Token) -> None:
    """*The hotel was closed*, with the hotel hanging on *was*: what hangs on an auxiliary hangs on its verb."""
    auxiliary = token.head
    if auxiliary.dep_ not in ("aux", "auxpass") or auxiliary.head == auxiliary:
        return
    if token.dep_ in ("nsubj", "nsubjpass"):
        token.dep_ = "nsubjpass" if auxiliary.dep_ == "auxpass" else "nsubj"
    token.head = auxiliary.head


def _coordinated_subjects(token: Token) -> None:
    """*The parrot and the monkey*, read as two subjects: the second becomes a conjunct of the first."""
    if token.dep_ not in ("nsubj", "nsubjpass") or child(token, "cc") is None or child(token, "conj") is not None:
        return
    for other in token.head.children:
        if other.i > token.i and other.dep_ in ("nsubj", "nsubjpass") and other.left_edge.i == token.right_edge.i + 1:
            other.dep_, other.head = "conj", token
            return


def _coordinated_participle(token: Token) -> None:
    """*He came home and cooked dinner*, with *cooked dinner* read as a noun phrase."""
    noun = token.head
    if token.tag_ not in ("VBN", "VBD") or token.dep_ != "amod" or noun.dep_ != "conj" or token.left_edge != token:
        return
    verb = noun.head
    if not is_predicate(verb) or verb.tag_ != "VBD" or child(verb, "cc") is None or noun.left_edge != token:
        return
    token.tag_, token.dep_, token.head = "VBD", "conj", verb
    noun.dep_, noun.head = "dobj", token


def _object_taken_for_predicative(token: Token) -> None:
    """*My sister called Anna*, with Anna as the name she gave: nobody is there who got it."""
    if token.dep_ != "oprd" or token.pos_ not in ("PROPN", "PRON") or token.i < token.head.i:
        return
    if is_predicate(token.head) and token.head.tag_ != "VBN" and not children(token.head, "dobj"):
        token.dep_ = "dobj"


def _past_taken_for_participle(token: Token) -> None:
    """*The python caught an eagle by the river*, with an agent: what has a subject and no *be* is past."""
    if token.tag_ != "VBN" or token.dep_ not in ("ROOT", "ccomp", "relcl", "conj") or child(token, "nsubj") is None:
        return
    if child(token, "aux", "auxpass") is None:
        token.tag_ = "VBD"
        for by in children(token, "agent"):
            by.dep_ = "prep"
