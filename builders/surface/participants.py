"""Who acts and who is acted upon: what role swap needs to know of a clause, and which clauses it leaves out."""

from dataclasses import dataclass

from builders.surface import syntax, words
from builders.surface.changes import RefusedError
from builders.surface.phrases import phrase_of
from builders.surface.quotes import plain
from builders.surface.reading import Reading
from builders.surface.tokens import Token
from builders.surface.wordsets import word_set

#: Noun phrases longer than this together are not exchanged: flipping the voice changes fewer words.
MAX_EXCHANGED = 8
_MARKUP = frozenset("<>*_#[]{}|\\/=~^&+")
_AMOUNTS = ("DATE", "TIME", "MONEY", "PERCENT", "QUANTITY", "CARDINAL", "ORDINAL")
_PARTS = word_set("one two three some many most few several all")
_BLOCKING = ("xcomp", "ccomp", "dative", "oprd", "acomp", "attr", "expl")


@dataclass(frozen=True)
class Participants:
    """The two noun phrases of a transitive clause.

    Attributes:
        doer, undergoer: the heads, as the graph's ARG0 and ARG1.
        is_passive: the undergoer is the subject.
        own: the subject stands in the clause itself and is no relative or question word.
    """

    verb: Token
    doer: Token
    undergoer: Token
    is_passive: bool
    own: bool

    @property
    def subject(self) -> Token:
        """The head of the subject."""
        return self.undergoer if self.is_passive else self.doer

    @property
    def other(self) -> Token:
        """The head of the object, or of what follows *by*."""
        return self.doer if self.is_passive else self.undergoer


def participants(reading: Reading, verb: Token) -> Participants:
    """Who acts in the clause of a verb and who is acted upon.

    Raises:
        RefusedError: the clause has no two such noun phrases, or cannot well be turned round.
    """
    passive = syntax.is_passive(verb)
    doer = syntax.agent(verb) if passive else syntax.subject(verb)
    undergoer = syntax.subject(verb) if passive else syntax.direct_object(verb) or syntax.zero_relative(verb)
    if doer is None or undergoer is None:
        raise RefusedError("the predicate has no agent and patient in the text")
    _check_verb(verb)
    own = syntax.own_subject(verb)
    overt = own is not None and not syntax.is_relative_pronoun(own) and own.tag_ not in ("WP", "WDT", "WP$")
    found = Participants(verb, doer, undergoer, passive, overt)
    for head in (doer, undergoer):
        _check_noun(reading, head, is_question=head == own and own.tag_ == "WP")
    _check_pair(found)
    return found


def _check_verb(verb: Token) -> None:
    lemma = verb.lemma_.lower()
    for kind, name in (
        (words.SYMMETRIC, "symmetric"),
        (words.DITRANSITIVE, "ditransitive"),
        (words.LIGHT, "light"),
        (words.MEASURE, "a verb of measure or state"),
    ):
        if lemma in kind:
            raise RefusedError(f"{verb.text} is {name}")
    if syntax.is_copula(verb):
        raise RefusedError("the copula")
    if verb.lower_ in words.PREPOSITION_LIKE:
        raise RefusedError(f"{verb.text} is a preposition here")
    if verb.dep_ == "conj" and syntax.is_predicate(verb.head) and _leans_on_object(verb):
        raise RefusedError("the object belongs to two verbs")
    if any(part.dep_ in _BLOCKING for part in verb.children):
        raise RefusedError("the verb has a further complement")
    if len(syntax.children(verb, "dobj")) > 1:
        raise RefusedError("two objects")


def _leans_on_object(verb: Token) -> bool:
    """*established or expanded oversight*: the verb before has the same object, if it has any."""
    before = verb.head
    right = [part for part in before.children if part.i > before.i and part.dep_ not in ("cc", "conj", "punct")]
    return not right and verb.i - before.i <= 3 and syntax.direct_object(verb) is not None


def _check_noun(reading: Reading, head: Token, is_question: bool = False) -> None:
    lower, lemma = head.lower_, head.lemma_.lower()
    if is_question or syntax.is_relative_pronoun(head):
        return
    of_what = syntax.child(head, "prep") if head.lower_ in _PARTS else None
    if of_what is not None and of_what.lower_ == "of":
        return
    if head.pos_ not in ("NOUN", "PROPN", "PRON"):
        raise RefusedError(f"{head.text!r} is no noun phrase")
    everything = list(head.subtree)
    if any(token.lower_ in words.REFLEXIVES or token.lower_ == "each" for token in everything if token.pos_ == "PRON"):
        raise RefusedError("a reflexive")
    if lower in words.REFLEXIVES:
        raise RefusedError("a reflexive")
    if head.pos_ == "PRON" and lower in words.FIXED_PRONOUNS and lower != "it":
        raise RefusedError(f"the pronoun {head.text!r}")
    if head.ent_type_ in _AMOUNTS or lemma in words.TIME_AND_MONEY:
        raise RefusedError("a time, an amount or money")
    if head.tag_ in ("VBG", "VBN", "VB") or syntax.child(head, "expl"):
        raise RefusedError("a clause")
    phrase = phrase_of(head)
    if phrase is None:
        raise RefusedError("a noun phrase in several pieces")
    text = reading.text[reading.start(phrase.first) : reading.end(phrase.last)]
    if plain(text).count('"') % 2 or text.count("(") != text.count(")"):
        raise RefusedError("half of a quotation or bracket in a noun phrase")
    if set(text) & _MARKUP or "http" in text:
        raise RefusedError("mark-up in a noun phrase")
    beside = reading.text[max(0, reading.start(phrase.first) - 1) : reading.start(phrase.first)]
    after = reading.text[reading.end(phrase.last) : reading.end(phrase.last) + 1]
    if set(beside + after) & (_MARKUP | {"-"}):
        raise RefusedError("mark-up beside a noun phrase")
    if head.dep_ in ("dobj", "pobj") and _runs_on(head.head, phrase.last):
        raise RefusedError("a verb follows the object: a doubtful parse")


def _runs_on(verb: Token, last: Token) -> bool:
    """Whether a finite verb comes right after the object, and is not the verb of a clause around this one."""
    if last.i + 1 >= len(last.doc):
        return False
    following = last.doc[last.i + 1]
    if following.tag_ not in syntax.FINITE or following.lower_ == "'s":
        return False
    around = {token.i for token in verb.ancestors}
    clause = following.head if following.dep_ in ("aux", "auxpass") else following
    inside = any(token.dep_ in ("relcl", "acl", "csubj", "pcomp") for token in (verb, *verb.ancestors))
    return not (inside and clause.i in around)


def _check_pair(found: Participants) -> None:
    if found.doer == found.undergoer:
        raise RefusedError("one noun phrase in both roles")
    same = found.doer.lemma_.lower() == found.undergoer.lemma_.lower()
    if same and len(list(found.doer.subtree)) == len(list(found.undergoer.subtree)):
        raise RefusedError("the same words in both roles")
    zero = found.verb.dep_ == "relcl" and found.undergoer == found.verb.head
    if found.doer in found.undergoer.subtree and not zero and found.own:
        raise RefusedError("one noun phrase inside the other")
