"""Verb forms in a clause: agreement, forms of *be*, *have* and *do*, and the tense a verb carries."""

from dataclasses import dataclass

from builders.surface.changes import RefusedError
from builders.surface.inflection import Inflector
from builders.surface.syntax import antecedent, children, coordinator, is_copula, members
from builders.surface.tokens import Token
from builders.surface.wordsets import word_set

#: First person singular, third person singular, everything else.
FIRST, THIRD, PLURAL = "first", "third", "plural"

_BE = {
    "VBD": {FIRST: "was", THIRD: "was", PLURAL: "were"},
    "VBZ": {FIRST: "am", THIRD: "is", PLURAL: "are"},
}
_BE["VBP"] = _BE["VBZ"]
_PLURAL_NOUNS = word_set("people police men women children cattle folk both many few several those these")
_PLURAL_DETERMINERS = word_set("these those both many few several")
#: What a singular noun is read as a group by: *a number of people are*.
_GROUPS = word_set("number majority lot variety range couple rest half percent % series team group pair")


def number_of(head: Token) -> str:
    """The person and number a verb agrees with, of a noun phrase by its head."""
    head = antecedent(head)
    if len(members(head)) > 1 and coordinator(head) == "and":
        return PLURAL
    if len(members(head)) > 1:
        head = members(head)[-1]
    lower = head.lower_
    if lower in ("some", "all", "most", "many", "any", "half", "none", "lot", "lots", "couple", "majority", "rest"):
        of = next((part for part in head.children if part.lower_ == "of"), None)
        inner = next((part for part in of.children if part.dep_ == "pobj"), None) if of is not None else None
        if inner is not None:
            return THIRD if number_of(inner) == FIRST else number_of(inner)
    if lower in ("i", "me"):
        return FIRST
    if lower in ("we", "us", "you", "they", "them"):
        return PLURAL
    if head.tag_ in ("NNS", "NNPS") or lower in _PLURAL_NOUNS:
        return PLURAL
    if any(child.lower_ in _PLURAL_DETERMINERS for child in children(head, "det", "amod")):
        return PLURAL
    return THIRD


def is_group(head: Token) -> bool:
    """Whether a noun may agree either way (*the team are*, *a number of people are*)."""
    return head.lower_ in _GROUPS


def agrees(form: Token, number: str) -> bool:
    """Whether a finite form fits a subject; forms that fit all do."""
    return agreeing(form, number) is None or _plain(form) == agreeing(form, number)


def _plain(form: Token) -> str:
    full = {"'s": "is", "s": "is", "'re": "are", "'m": "am", "'ve": "have", "ai": "is"}
    return full.get(form.lower_, str(form.lower_))


def agreeing(form: Token, number: str, inflector: Inflector | None = None) -> str | None:
    """The form of a finite verb for a subject of this number; ``None`` where all subjects take the same form.

    Raises:
        RefusedError: the verb has no such form.
    """
    lemma, tag = lemma_of(form), form.tag_
    if lemma == "be":
        return _BE[tag][number] if tag in _BE else None
    if tag not in ("VBZ", "VBP"):
        return None
    if lemma == "have":
        return "has" if number == THIRD else "have"
    if lemma == "do":
        return "does" if number == THIRD else "do"
    if inflector is None:
        third = tag == "VBZ"
        return str(form.lower_) if third == (number == THIRD) else f"{form.lower_}?"
    base = inflector.base(form.text, form.lemma_, tag)
    made = inflector.inflect(base, "VBZ" if number == THIRD else "VB") if base else None
    if made is None:
        raise RefusedError(f"no form of {form.text!r} for the new subject")
    return made


def lemma_of(form: Token) -> str:
    """The lemma of a verb form, contractions read: ``'ve`` → ``have``."""
    lower = form.lower_
    if lower in ("'m", "'re", "am", "is", "are", "was", "were", "be", "been", "being"):
        return "be"
    if lower in ("'ve", "has", "have", "had", "having"):
        return "have"
    if lower in ("do", "does", "did"):
        return "do"
    if lower in ("'s", "s"):
        return "have" if form.lemma_.lower() in ("have", "'ve") else "be"
    return str(form.lemma_.lower())


def be_form(tag: str, number: str) -> str:
    """The form of *be* for a finite tag and a subject: (``VBD``, ``plural``) → ``were``."""
    return _BE[tag][number]


def do_form(tag: str, number: str) -> str:
    """The form of *do* for a finite tag and a subject."""
    if tag == "VBD":
        return "did"
    return "does" if number == THIRD else "do"


@dataclass(frozen=True)
class Tense:
    """Tag and number of a finite form."""

    tag: str
    number: str


def finite_form(inflector: Inflector, verb: Token, tag: str, number: str) -> str:
    """A verb in the past (``VBD``) or present (``VBZ``, ``VBP``) for a subject of this number.

    Raises:
        RefusedError: the lemma has no such form.
    """
    base = base_of(inflector, verb)
    if base == "be":
        return be_form(tag, number)
    if tag != "VBD":
        tag = "VBZ" if number == THIRD else "VB"
    made = inflector.inflect(base, tag)
    if made is None:
        raise RefusedError(f"no form {tag} of {base!r}")
    return made


def base_of(inflector: Inflector, verb: Token) -> str:
    """The base form of a verb token.

    Raises:
        RefusedError: no known verb has this form.
    """
    if is_copula(verb) or lemma_of(verb) == "be":
        return "be"
    base = inflector.base(verb.text, verb.lemma_, verb.tag_)
    if base is None:
        raise RefusedError(f"no base form of {verb.text!r}")
    return base
