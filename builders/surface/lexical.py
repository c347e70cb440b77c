"""What antonyms and hypernyms share in words: the new word's form, its case, and the article beside it."""

from builders.edits import frames
from builders.surface import syntax
from builders.surface.changes import Change, RefusedError, cased_like
from builders.surface.expressions import is_fixed
from builders.surface.inflection import Inflector, article_for
from builders.surface.nouns import NAME_LABELS
from builders.surface.reading import Reading
from builders.surface.tokens import Token

#: Signs after which a sentence may begin.
_OPENERS = frozenset({'"', "'", ":", ".", "!", "?", "-", "(", "–", "—", "``"})


def new_word(concept: str) -> str:
    """The word of a concept: ``bad-07`` → ``bad``, ``human-being`` → ``human being``."""
    return frames.split(concept)[0].replace("_", " ")


def check_word(reading: Reading, token: Token, old: str, new: str) -> None:
    """Refuse words that are part of a name or a fixed expression, and words that would be there twice.

    Raises:
        RefusedError: always with the reason.
    """
    word = reading.word(token)
    if not word.isalpha():
        raise RefusedError("not a plain word")
    _check_surroundings(reading, token)
    if token.pos_ == "PROPN" or token.tag_ in ("NNP", "NNPS"):
        raise RefusedError("a name")
    if token.ent_type_ in NAME_LABELS - {"NORP", "EVENT"} or _is_title(token, word):
        raise RefusedError("part of a name")
    if is_fixed(token):
        raise RefusedError("part of a fixed expression")
    last = new.split()[-1]
    if any(other.lemma_.lower() in (new, last) or other.lower_ in (new, last) for other in token.doc if other != token):
        raise RefusedError("the new word is there already")
    if any(other.lemma_.lower() == old and other != token for other in token.doc if other.pos_ == token.pos_):
        raise RefusedError("the old word is there twice")


def _check_surroundings(reading: Reading, token: Token) -> None:
    start, end = reading.start(token), reading.end(token)
    before, after = reading.text[max(0, start - 1) : start], reading.text[end : end + 1]
    if (before and before in "-/@#_<&.$") or (after and after in "-/@_>&"):
        raise RefusedError("part of a longer word")


def _is_title(token: Token, word: str) -> bool:
    """Whether a word has a capital that its place does not give it."""
    if not word[:1].isupper() or (word.isupper() and len(word) > 1):
        return False
    before = token.doc[token.i - 1] if token.i else None
    return not (before is None or token.is_sent_start or before.text in _OPENERS)


def inflected(reading: Reading, token: Token, new: str, tag: str, inflector: Inflector) -> Change:
    """The token replaced by the form of `new` for `tag`, in the token's case.

    Raises:
        RefusedError: there is no such form.
    """
    form = inflector.inflect(new, tag)
    if form is None:
        raise RefusedError(f"no form {tag} of {new!r}")
    old = reading.word(token)
    return Change(reading.start(token), reading.end(token), cased_like(form, old))


def article_before(reading: Reading, first: Token, new: str) -> list[Change]:
    """The change of *a* or *an* right before a changed word, if it needs one."""
    if first.i == 0:
        return []
    article = first.doc[first.i - 1]
    if article.lower_ not in ("a", "an") or article.tag_ != "DT" or not reading.between(article, first).isspace():
        return []
    fitting = article_for(reading.word(article), new.lower())  # a shouted word is no row of initials
    if fitting == reading.word(article):
        return []
    return [Change(reading.start(article), reading.end(article), fitting)]


def is_attributive_compound(token: Token) -> bool:
    """Whether a noun modifies another noun (*apple pie*)."""
    return token.dep_ in ("compound", "nmod", "amod") or bool(syntax.children(token, "compound", "nmod"))
