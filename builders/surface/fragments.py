"""Sentences without a verb: what their head says is a predicate all the same, and may be denied.

A final push for equality   ──▶   No final push for equality
Pleased with the result     ──▶   Not pleased with the result
"""

from builders.surface import syntax, words
from builders.surface.changes import Change, RefusedError, decapitalised
from builders.surface.reading import Reading
from builders.surface.tokens import Token
from builders.surface.wordsets import word_set

_INDEFINITE = ("a", "an", "another", "some")
_OPENING_TAGS = ("JJ", "NN", "NNS", "JJR", "JJS", "VBN", "VBG")
#: What may come before a fragment that is denied in its middle: *Oh, and a different lens*.
_BEFORE = ("intj", "cc", "punct")
_PAUSES = (",", "\u2026", "...", "-", "\u2013", "\u2014")
#: Nouns that are said rather than stated, and *no end of*, which is a lot.
_SAID = word_set("thanks thank congrats congratulations sorry luck amen end welcome regards cheers love")
#: What names the thing itself or counts it: *not this year's order*, *not 60 seconds*.
_NAMING_TAGS = ("DT", "PRP$", "NNP", "NNPS", "CD")
_GREETING = word_set("happy merry good last first next same only other easter use power")


def is_fragment_head(token: Token) -> bool:
    """Whether a token heads a sentence without a verb of its own, and is a word that can be denied."""
    if token.dep_ != "ROOT" or syntax.is_predicate(token) or not token.is_alpha or len(token.text) < 3:
        return False
    named = token.pos_ == "PROPN" and any(part.tag_ in ("DT", "PRP$", "JJ") for part in token.lefts)
    if (token.pos_ not in ("NOUN", "ADJ") and not named) or any(
        syntax.is_predicate(part) for part in syntax.members(token)
    ):
        return False
    return not any(part.dep_ in ("nsubj", "ccomp", "parataxis", "nsubjpass") for part in token.children)


def denial(token: Token) -> Token | None:
    """The word that denies a fragment: *no* or *not* at its head."""
    found = [part for part in token.children if part.lower_ in ("no", "not") and part.i < token.i]
    first = token.left_edge
    return found[0] if found else first if first.lower_ == "not" and first.i == first.sent.start else None


def negate_fragment(reading: Reading, head: Token) -> list[Change]:
    """The changes that deny a sentence without a verb.

    Raises:
        RefusedError: it cannot be denied well.
    """
    first = _opening(head)
    word, start, end = reading.word(first), reading.start(first), reading.end(first)
    deny = "Not" if head.pos_ == "ADJ" else "No"
    if first.lower_ in _INDEFINITE and first.head == head and head.pos_ != "ADJ":
        return [Change(start, end, deny if word[:1].isupper() else deny.lower())]
    if head.pos_ != "ADJ" and (first.tag_ in _NAMING_TAGS or first.dep_ == "poss"):
        deny = "Not"
    elif head.pos_ != "ADJ" and first.tag_ not in _OPENING_TAGS:
        raise RefusedError("a fragment that begins with another word")
    rest = word if first.pos_ == "PROPN" or word.isupper() else decapitalised(word)
    capital = word[:1].isupper() or first.like_num
    return [Change(start, end, f"{deny if capital else deny.lower()} {rest}")]


def _opening(head: Token) -> Token:
    """The first word of a fragment that can be denied.

    Raises:
        RefusedError: it cannot.
    """
    if not is_fragment_head(head):
        raise RefusedError("the word heads no clause")
    phrase_tokens = sorted(head.subtree, key=lambda token: token.i)
    own = [token for token in phrase_tokens if not token.is_punct and token.dep_ not in ("intj", "cc", "meta")]
    first = own[0]
    if any(token.lower_ in ("not", "no", "never", "n't", "so", "too", "what", "how", "welcome") for token in own):
        raise RefusedError("a negative word or an exclamation in the fragment")
    if any(token.tag_ in syntax.FINITE or token.dep_ in ("conj", "appos", "ccomp") for token in own):
        raise RefusedError("a fragment of several parts")
    if any(token.lower_ in _GREETING or token.tag_ in ("JJS", "RBS") for token in own if token.i < head.i):
        raise RefusedError("a wish or an only one")
    if head.lower_ == "one":
        raise RefusedError("no one would be nobody")
    if first.like_num and head.lemma_.lower() in words.TIMES:
        raise RefusedError("a time that is counted")
    if any(token.is_punct and not token.text.startswith("-") for token in head.doc[first.i : head.i]):
        raise RefusedError("a fragment with a pause in it")
    before = head.doc[head.sent.start : first.i]
    if (
        head.lower_ in _SAID
        or any(token.dep_ not in _BEFORE or token.head not in (head, *head.children) for token in before)
        or any(token.is_punct and token.text not in _PAUSES for token in before)
        or any(token.head == head and token.dep_ not in _BEFORE for token in head.lefts if token.i < first.i)
        or not (first.is_alpha or first.like_num)
        or "#" in head.sent.text[:1]
    ):
        raise RefusedError("the fragment does not begin its sentence")
    if head.sent[-1].text in (":", "?") or any(token.text[0] in "#@" or token.like_url for token in own[:3]):
        raise RefusedError("a heading, a question or a tag")
    return first
