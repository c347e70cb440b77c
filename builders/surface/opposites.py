"""Where a word's opposite would not say the opposite, or could not stand: refused before the word is replaced.

whether it is online or not     asks the same with *offline*
“Fine,” he continued.           *ceased* cannot introduce speech
I could not fully see it.       *partially* does not deny *fully* under a negation
He was nervous it would rain.   *calm* has no such clause
My wife lost her keys.          *her* stays behind
"""

from builders.surface import opposite_words, syntax
from builders.surface.changes import RefusedError
from builders.surface.reading import Reading
from builders.surface.tokens import Token


def check_opposite(reading: Reading, token: Token, lemma: str, word: str) -> None:
    """Whether `word` can stand for `token` (of this lemma) where it stands, and says the opposite there.

    Raises:
        RefusedError: it cannot, with the reason.
    """
    if _is_alternative(token):
        raise RefusedError("both answers are in the question")
    if lemma in opposite_words.GRADED and _is_denied(token):
        raise RefusedError("a degree under a negation")
    if token.pos_ == "VERB":
        _check_verb(reading, token, lemma, word)
    elif token.pos_ == "NOUN":
        _check_noun(token, lemma)
    elif token.pos_ == "ADJ":
        _check_adjective(token, lemma, word)
    elif token.pos_ == "ADV":
        _check_adverb(token, lemma, word)


def _is_alternative(token: Token) -> bool:
    """Whether a token stands in *whether … or not*, *if … or not*."""
    lowers = [other.lower_ for other in token.doc]
    ends = [i for i in range(len(lowers) - 1) if lowers[i : i + 2] == ["or", "not"]]
    return any(word in lowers[: min(end, token.i)] for end in ends for word in ("whether", "if"))


def _is_denied(token: Token) -> bool:
    """Whether the clause of a token is denied, or the word before it denies it."""
    if token.i and token.doc[token.i - 1].lower_ in opposite_words.DENYING:
        return True
    clause = token
    while not syntax.is_predicate(clause) and clause.head != clause:
        clause = clause.head
    return any(part.lower_ in opposite_words.DENYING for part in [*clause.children, *token.children]) or any(
        part.lower_ in opposite_words.DENYING
        for subject in syntax.children(clause, *syntax.SUBJECTS)
        for part in subject.subtree
    )


# --- verbs ---


def _check_verb(reading: Reading, verb: Token, lemma: str, word: str) -> None:
    if word not in opposite_words.SPEAKING and _introduces_speech(reading, verb):
        raise RefusedError("a verb that introduces speech")
    if verb.lower_ in opposite_words.OPENING and _says_when(verb):
        raise RefusedError("a participle that says when")
    if lemma == "stop" and syntax.children(verb, "auxpass"):
        raise RefusedError("what is stopped is not what is started")
    if lemma == "finish" and syntax.children(verb, "auxpass") and _has_person(verb):
        raise RefusedError("finished as an adjective")
    if lemma in opposite_words.CLAIMING and not syntax.children(verb, "ccomp"):
        raise RefusedError("the opposite needs a clause")
    if any(
        part.lemma_.lower() in opposite_words.OBJECTS.get(lemma, "").split() for part in syntax.children(verb, "dobj")
    ):
        raise RefusedError("the opposite has another object")
    if any(part.lower_ in opposite_words.ADVERBS.get(lemma, ()) for part in verb.children):
        raise RefusedError("the opposite has no such adverb")
    _check_clauses(verb, word)
    objects = syntax.children(verb, "dobj")
    if (syntax.children(verb, "dative") or len(objects) > 1) and word not in opposite_words.WITH_TWO_OBJECTS:
        raise RefusedError("the opposite has no two objects")
    if word in opposite_words.INTRANSITIVE and objects and not any(_is_amount(found) for found in objects):
        raise RefusedError("the opposite has no object")
    if word in opposite_words.TRANSITIVE and not objects and _lacks_object(verb):
        raise RefusedError("the opposite needs an object")
    barred = opposite_words.PREPOSITIONS.get(lemma, "").split()
    if any(part.lower_ in barred for found in (verb, *objects) for part in syntax.children(found, "prep", "dative")):
        raise RefusedError("the opposite has another preposition")


def _check_clauses(verb: Token, word: str) -> None:
    for clause in syntax.children(verb, "ccomp"):
        if word not in (opposite_words.BEFORE_CLAUSES if clause.i > verb.i else opposite_words.SPEAKING):
            raise RefusedError("the opposite has no such clause")
    for clause in syntax.children(verb, "xcomp"):
        gerund = clause.tag_ == "VBG" and not syntax.is_infinitive(clause)
        if word not in (opposite_words.BEFORE_GERUNDS if gerund else opposite_words.BEFORE_INFINITIVES):
            raise RefusedError("the opposite has no such complement")


def _introduces_speech(reading: Reading, verb: Token) -> bool:
    """Whether a quotation ends before the verb's subject or begins after its comma, or commas enclose both."""
    own = [verb, *syntax.children(verb, *syntax.SUBJECTS, "advmod", "aux")]
    first = verb.doc[min(part.left_edge.i if part != verb else part.i for part in own)]
    if (
        first.i
        and verb.doc[first.i - 1].text in opposite_words.QUOTES
        and reading.between(verb.doc[first.i - 1], first)
    ):
        return True
    if first.i and first != verb and verb.doc[first.i - 1].text == verb.doc[verb.i + 1 : verb.i + 2].text == ",":
        return True
    rest = [token.text for token in verb.doc[verb.i + 1 : verb.i + 3]]
    return len(rest) == 2 and rest[0] in (",", ":") and rest[1] in opposite_words.QUOTES


def _says_when(verb: Token) -> bool:
    if syntax.auxiliaries(verb) or verb.i + 1 >= len(verb.doc):
        return False
    following = verb.doc[verb.i + 1]
    return following.pos_ in ("ADP", "NUM") or following.ent_type_ in ("DATE", "TIME", "CARDINAL", "ORDINAL")


def _has_person(verb: Token) -> bool:
    return any(part.lower_ in ("i", "you", "he", "she", "we", "they") for part in syntax.children(verb, "nsubjpass"))


def _is_amount(noun: Token) -> bool:
    return noun.lower_ in ("%", "percent", "per") or bool(syntax.children(noun, "nummod")) or noun.pos_ == "NUM"


def _lacks_object(verb: Token) -> bool:
    """Whether an active finite verb has no object of its own or shared with a coordinated verb."""
    if verb.tag_ == "VBN" or syntax.is_infinitive(verb) or verb.tag_ == "VBG":
        return False
    group = syntax.members(syntax.conjunction_head(verb))
    if any(syntax.children(part, "dobj", "ccomp", "xcomp", "nsubjpass") for part in group):
        return False
    return verb.dep_ in ("ROOT", "ccomp", "advcl", "conj")


# --- nouns ---


def _check_noun(noun: Token, lemma: str) -> None:
    if noun.tag_ == "NNS" and lemma in opposite_words.OTHER_IN_PLURAL:
        raise RefusedError("a plural with a meaning of its own")
    if lemma in ("good", "bad"):
        raise RefusedError("an adjective that stands for a noun")
    if noun.dep_ == "dobj" and noun.head.lemma_.lower() in opposite_words.OBJECTS_OF.get(lemma, "").split():
        raise RefusedError("the object of another verb")
    for nouns, pronouns in ((opposite_words.MALE, opposite_words.HE), (opposite_words.FEMALE, opposite_words.SHE)):
        if lemma in nouns:
            _check_gender(noun, nouns, pronouns)


def _check_gender(noun: Token, nouns: frozenset[str], pronouns: frozenset[str]) -> None:
    """Whether nothing else in the sentence keeps the gender that the noun gives up."""
    doc = noun.doc
    if noun.tag_ == "NN" and any(token.lower_ in pronouns for token in doc[noun.i + 1 :]):
        raise RefusedError("a pronoun that keeps its gender")
    subject = syntax.own_subject(noun.head) if noun.dep_ == "attr" else None
    if subject is not None and subject.lower_ in pronouns:
        raise RefusedError("a pronoun that keeps its gender")
    if noun.tag_ == "NN" and (_is_named(noun) or (subject is not None and subject.pos_ == "PROPN")):
        raise RefusedError("a name that keeps its gender")
    if any(part.lower_ in opposite_words.OF_ONE_GENDER for part in syntax.children(noun, "amod")):
        raise RefusedError("an adjective of one gender")
    group = syntax.members(syntax.conjunction_head(noun))
    if any(other != noun and other.lemma_.lower() in nouns for other in group):
        raise RefusedError("the other of two keeps its gender")


def _is_named(noun: Token) -> bool:
    """Whether a name stands beside a noun: *her brother Tom*, *her brother, Tom*, *Tom, her brother*."""
    following = list(noun.doc[noun.i + 1 : noun.i + 3])
    if following and following[0].text == ",":
        following = following[1:]
    if following and following[0].pos_ == "PROPN":
        return True
    return noun.dep_ == "appos" and noun.head.pos_ == "PROPN"


# --- adjectives and adverbs ---


def _check_adjective(adjective: Token, lemma: str, word: str) -> None:
    before = adjective.doc[adjective.i - 1] if adjective.i else None
    attributive = adjective.dep_ == "amod"
    if attributive and lemma in opposite_words.PREDICATES:
        raise RefusedError("the opposite is a predicate only")
    if attributive and before is not None and before.lower_ == "more" and not _is_determined(adjective.head):
        raise RefusedError("more may be a number here")
    if _is_greeting(adjective, lemma):
        raise RefusedError("a greeting")
    if _stands_for_noun(adjective) and lemma not in opposite_words.GROUPS:
        raise RefusedError("an adjective that stands for a noun")
    predicate = adjective.head if adjective.dep_ == "acomp" else adjective
    if word in opposite_words.WITHOUT_CLAUSES and any(
        part.dep_ in ("ccomp", "xcomp", "csubj") and part.i > adjective.i
        for found in {adjective, predicate}
        for part in found.children
    ):
        raise RefusedError("the opposite has no such clause")
    if word in opposite_words.NO_LITOTES and not attributive and _is_denied(adjective):
        raise RefusedError("a double negation")
    if attributive:
        _check_sizes(adjective, word)
    _check_speeds(adjective, lemma)


def _stands_for_noun(adjective: Token) -> bool:
    """Whether an adjective has the place of a noun: *the public*, *from deep*."""
    if adjective.tag_ == "JJ" and adjective.dep_ == "pobj":
        return True
    if adjective.tag_ != "JJ" or adjective.dep_ not in ("nsubj", "nsubjpass", "dobj", "conj"):
        return False
    return any(part.lower_ == "the" for part in syntax.children(adjective, "det"))


def _is_determined(noun: Token) -> bool:
    return bool(syntax.children(noun, "det", "poss"))


def _is_greeting(adjective: Token, lemma: str) -> bool:
    if lemma not in ("happy", "merry", "good") or adjective.lower_ != lemma or adjective.i + 1 >= len(adjective.doc):
        return False
    following = adjective.doc[adjective.i + 1]
    return following.pos_ == "PROPN" or following.lower_ in opposite_words.FESTIVE or following.ent_type_ == "DATE"


def _check_sizes(adjective: Token, word: str) -> None:
    others = {part.lower_ for part in syntax.children(adjective.head, "amod") if part != adjective}
    if (word in opposite_words.LARGE and others & opposite_words.SMALL) or (
        word in opposite_words.SMALL and others & opposite_words.LARGE
    ):
        raise RefusedError("two sizes of one thing")


def _check_speeds(token: Token, lemma: str) -> None:
    for speeds in opposite_words.SPEEDS:
        if lemma in speeds and any(other.lower_ in speeds and other != token for other in token.doc):
            raise RefusedError("two speeds of one thing")


def _check_adverb(adverb: Token, lemma: str, word: str) -> None:
    following = adverb.doc[adverb.i + 1].text if adverb.i + 1 < len(adverb.doc) else "."
    if word == "slightly" and (following == "," or adverb.is_sent_start):
        raise RefusedError("an adverb about the whole sentence")
    if lemma == "together" and adverb.head.lemma_.lower() in opposite_words.JOINING:
        raise RefusedError("an adverb that belongs to its verb")
    _check_speeds(adverb, lemma)
