"""Who acts and who is acted upon: what role swap needs to know of a clause, and which clauses it leaves out."""

from dataclasses import dataclass
from itertools import pairwise

from builders.surface import syntax, words
from builders.surface.changes import RefusedError
from builders.surface.phrases import phrase_of
from builders.surface.quotes import plain
from builders.surface.reading import Reading
from builders.surface.tokens import Token
from builders.surface.transitive import check_verb
from builders.surface.wordsets import word_set

#: Noun phrases longer than this together are not exchanged: flipping the voice changes fewer words.
MAX_EXCHANGED = 8
_MARKUP = frozenset("<>*_#[]{}|\\=~^")
_AMOUNTS = ("DATE", "TIME", "MONEY", "PERCENT", "QUANTITY", "CARDINAL", "ORDINAL")
_IMPERSONAL = word_set("take come cost help pay hurt suck need make")
_JOINING = word_set("and or but as not than , nor also only")
_COUNTS = word_set("couple handful dozen dozens hundreds thousands more")
_PARTS = word_set("one two three some many most few several all")


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
    check_verb(verb)
    own = syntax.own_subject(verb)
    overt = own is not None and not syntax.is_relative_pronoun(own) and own.tag_ not in ("WP", "WDT", "WP$")
    found = Participants(verb, doer, undergoer, passive, overt)
    for head in (doer, undergoer):
        is_question = head == own and own.tag_ == "WP"
        check_noun(reading, head, is_question or _is_free_relative(head, verb))
    _check_pair(found)
    _check_clause(reading, found)
    return found


def _is_free_relative(head: Token, verb: Token) -> bool:
    """*what* in *look what I found*."""
    who = syntax.own_subject(verb)
    return (
        head.lower_ in ("what", "whom", "who")
        and head.dep_ == "dobj"
        and who is not None
        and head.i == who.left_edge.i - 1
    )


def _check_clause(reading: Reading, found: Participants) -> None:
    """Refuse clauses whose sense would not follow the exchange, and doubtful parses.

    Raises:
        RefusedError: the clause is one of these.
    """
    verb, doer = found.verb, found.doer
    if any(pair in (("each", "other"), ("one", "another")) for pair in pairwise(t.lower_ for t in verb.subtree)):
        raise RefusedError("a reciprocal")
    if found.is_passive:
        if doer.lemma_.lower() in words.MANNERS and not list(doer.children):
            raise RefusedError(f"by {doer.text} says how")
        if any(
            token.lower_ == "by" and token.nbor(-1).lower_ in _JOINING for token in verb.doc[doer.i : verb.sent.end]
        ):
            raise RefusedError("two phrases with by")
    if found.doer.lower_ == "it" and syntax.is_infinitive(verb) and verb.head.lemma_.lower() in _IMPERSONAL:
        raise RefusedError("nobody is named who acts")
    if verb.head.lemma_.lower() == "let" and syntax.own_subject(verb.head) is None and doer.lower_ in ("us", "'s"):
        raise RefusedError("let us proposes; nobody is let")
    _check_reading(reading, found)


def _check_reading(reading: Reading, found: Participants) -> None:
    """Refuse clauses that the parser often takes for what they are not."""
    verb, undergoer = found.verb, found.undergoer
    relative = syntax.direct_object(verb)
    is_that = relative is not None and syntax.is_relative_pronoun(relative) and relative.lower_ == "that"
    if is_that and verb.head.lemma_.lower() in words.CLAUSE_NOUNS:
        raise RefusedError("a clause that says what a noun is about")
    if (
        relative is None
        and not found.is_passive
        and any(part.lower_ in ("so", "such") for above in verb.ancestors for part in above.children)
    ):
        raise RefusedError("a clause of result rather than a relative")
    if any(_compares(part) for part in (undergoer, *syntax.children(undergoer, "amod"))):
        raise RefusedError("a comparison in the object")
    if (
        verb.tag_ == "VBP"
        and verb.lower_ in words.SAME_FORMS
        and any(other.tag_ == "VBD" for other in syntax.members(verb))
    ):
        raise RefusedError("a past read as a present")
    if verb.dep_ == "advcl" and verb.tag_ == "VBG" and verb.i and verb.doc[verb.i - 1].dep_ == "cc":
        raise RefusedError("a gerund in a list: a doubtful parse")
    if verb.tag_ == "VBG" and _is_title_word(reading, verb):
        raise RefusedError("a verb in a title")


def _compares(part: Token) -> bool:
    """*fewer cases than it had*: who had them would change too."""
    than = next((other for other in part.rights if any(inner.lower_ == "than" for inner in other.subtree)), None)
    return than is not None and any(syntax.is_predicate(inner) for inner in than.subtree)


def _is_title_word(reading: Reading, verb: Token) -> bool:
    """A capital inside a sentence that is not shouted."""
    word = reading.word(verb)
    return word[:1].isupper() and not word.isupper() and any(t.is_alpha for t in verb.doc[verb.sent.start : verb.i])


def check_noun(reading: Reading, head: Token, is_question: bool = False) -> None:
    """Refuse noun phrases that cannot be moved, or that no one can be.

    Raises:
        RefusedError: the phrase is one of these.
    """
    lower, lemma = head.lower_, head.lemma_.lower()
    if is_question or syntax.is_relative_pronoun(head):
        return
    of_what = syntax.child(head, "prep")
    if of_what is not None and of_what.lower_ == "of" and lower in _PARTS | _COUNTS:
        measured = syntax.child(of_what, "pobj")
        if measured is not None and measured.lemma_.lower() in words.TIME_AND_MONEY:
            raise RefusedError("a time, an amount or money")
        if lower in _PARTS:
            return
    if lower in words.LAUGHS:
        raise RefusedError(f"{head.text!r} is no noun phrase")
    if head.tag_ == "NN" and any(part.lower_ in ("these", "those") for part in syntax.children(head, "det")):
        raise RefusedError("noun and article do not agree: a doubtful parse")
    is_deed = head.tag_ == "VBG" and syntax.child(head, "det") is not None  # *the shooting*
    if head.pos_ not in ("NOUN", "PROPN", "PRON") and not is_deed:
        raise RefusedError(f"{head.text!r} is no noun phrase")
    everything = list(head.subtree)
    if any(token.lower_ in words.REFLEXIVES or token.lower_ == "each" for token in everything if token.pos_ == "PRON"):
        raise RefusedError("a reflexive")
    if lower in words.REFLEXIVES:
        raise RefusedError("a reflexive")
    if head.pos_ == "PRON" and lower in words.FIXED_PRONOUNS and not _is_free(head):
        raise RefusedError(f"the pronoun {head.text!r}")
    if (head.ent_type_ in _AMOUNTS or lemma in words.TIME_AND_MONEY) and not _is_thing(head):
        raise RefusedError("a time, an amount or money")
    if (head.tag_ in ("VBG", "VBN", "VB") and not is_deed) or syntax.child(head, "expl"):
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


def _is_free(pronoun: Token) -> bool:
    """*it*, *something*, and *that* where it points."""
    lower = pronoun.lower_
    return lower in ("it", "something", "everything") or (lower == "that" and pronoun.tag_ == "DT")


def _is_thing(head: Token) -> bool:
    """*the new ones*, *the other one*."""
    return head.lemma_.lower() == "one" and head.tag_ in ("NN", "NNS") and len(syntax.children(head, "det", "amod")) > 1


def _runs_on(verb: Token, last: Token) -> bool:
    """Whether a finite verb comes right after the object, and is not the verb of a clause around this one."""
    if last.i + 1 >= len(last.doc):
        return False
    following = last.doc[last.i + 1]
    if following.tag_ not in syntax.FINITE or following.lower_ == "'s":
        return False
    if any(_is_broken_subject(token) for token in (verb, *verb.ancestors)):
        return True
    around = {token.i for token in verb.ancestors}
    clause = following.head if following.dep_ in ("aux", "auxpass") else following
    inside = any(token.dep_ in ("relcl", "acl", "csubj", "pcomp") for token in (verb, *verb.ancestors))
    return not (inside and clause.i in around)


def _is_broken_subject(clause: Token) -> bool:
    """A whole sentence read as the subject of another: *we tried to find the key is lost*."""
    if clause.dep_ != "csubj" or syntax.finite_element(clause) is None:
        return False
    own = syntax.own_subject(clause)
    return own is not None and syntax.child(clause, "mark") is None and own.tag_ not in ("WP", "WDT", "WP$")


def _check_pair(found: Participants) -> None:
    if found.doer == found.undergoer:
        raise RefusedError("one noun phrase in both roles")
    same = found.doer.lemma_.lower() == found.undergoer.lemma_.lower()
    if same and len(list(found.doer.subtree)) == len(list(found.undergoer.subtree)):
        raise RefusedError("the same words in both roles")
    zero = found.verb.dep_ == "relcl" and found.undergoer == found.verb.head
    if found.doer in found.undergoer.subtree and not zero and found.own:
        raise RefusedError("one noun phrase inside the other")
