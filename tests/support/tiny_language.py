"""The little English that the tiny models of `tiny_models` know: meanings, their graphs, their sentences.

    Svo("help", doctor, farmer)   (h / help-01 :ARG0 (d / doctor) :ARG1 (f / farmer))   The doctor helps the farmer.

Every meaning has one sentence that the realiser writes; the parser also reads passives. The words are chosen so that
WordNet's antonyms and first hypernyms of `NOUNS`, `VERBS` and `ADJECTIVES` are words of this English too.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

#: noun → its hypernym in WordNet.
HYPERNYMS = {
    "doctor": "medical-man",
    "teacher": "educator",
    "farmer": "creator",
    "tourist": "traveler",
    "singer": "musician",
    "surgeon": "doctor",
    "thief": "criminal",
    "guest": "visitor",
    "painter": "artist",
    "parrot": "bird",
    "mayor": "politician",
    "pilot": "aviator",
    "dancer": "performer",
    "puppy": "dog",
    "monkey": "primate",
}
NOUNS = tuple(HYPERNYMS)
#: base form → PropBank frame; third person and participle are regular.
FRAMES = {
    "help": "help-01",
    "admire": "admire-01",
    "follow": "follow-02",
    "visit": "visit-01",
    "trust": "trust-02",
    "attack": "attack-01",
    "love": "love-01",
    "praise": "praise-01",
}
VERBS = tuple(FRAMES)
ADJECTIVES = ("old", "young", "rich", "poor", "tall", "short")
THINGS = ("treatment", "soup", "song")
NAMES = ("Omar", "Lucia", "Kenji", "Elena")
#: Words that only edits bring in.
MORE_NOUNS = (*sorted(set(HYPERNYMS.values()) - set(NOUNS)), "pup", "person")
MORE_VERBS = (
    "support",
    "respect",
    "precede",
    "distrust",
    "mistrust",
    "defend",
    "hate",
    "tour",
    "believe",
    "like",
    "serve",
)
MORE_ADJECTIVES = ("new", "long", "lean")


@dataclass(frozen=True)
class Person:
    """A noun phrase: ``the old doctor``, or a name."""

    noun: str
    adjective: str | None = None

    @property
    def is_name(self) -> bool:
        return self.noun in NAMES

    def text(self) -> str:
        if self.is_name:
            return self.noun
        return " ".join(["the", *([self.adjective] if self.adjective else []), self.noun.replace("-", " ")])


@dataclass(frozen=True)
class Svo:
    """Somebody does something to somebody."""

    verb: str
    agent: Person
    patient: Person
    negated: bool = False

    def text(self) -> str:
        return f"{self.agent.text()} {_finite(self.verb, self.negated)} {self.patient.text()}"

    def passive(self) -> str:
        middle = "is not" if self.negated else "is"
        return f"{self.patient.text()} {middle} {_participle(self.verb)} by {self.agent.text()}"

    def swapped(self) -> "Svo":
        return replace(self, agent=self.patient, patient=self.agent)


@dataclass(frozen=True)
class Works:
    """Something works (only inside `Believes`)."""

    thing: str
    negated: bool = False
    verb: str = "work"

    def text(self) -> str:
        return f"the {self.thing} {_finite(self.verb, self.negated)}"


@dataclass(frozen=True)
class Believes:
    """Somebody believes that something is so; with roles exchanged, nonsense that still has a sentence."""

    who: Person
    what: Svo | Works
    negated: bool = False
    swapped: bool = False

    def text(self) -> str:
        verb = _finite("believe", self.negated)
        if self.swapped:
            return f"that {self.what.text()} {verb} {self.who.text()}"
        return f"{self.who.text()} {verb} {self.what.text()}"


@dataclass(frozen=True)
class Wants:
    """Somebody wants to do something to somebody, or (`other`) wants that one to do it to them."""

    who: Person
    verb: str
    whom: Person
    negated: bool = False
    inner_negated: bool = False
    other: bool = False

    def text(self) -> str:
        negation = "not " if self.inner_negated else ""
        start = f"{self.who.text()} {_finite('want', self.negated)}"
        if self.other:
            return f"{start} {self.whom.text()} {negation}to {self.verb} them"
        return f"{start} {negation}to {self.verb} {self.whom.text()}"


@dataclass(frozen=True)
class IsGood:
    """Something is good or bad for somebody."""

    quality: str
    thing: str
    whom: Person
    negated: bool = False

    def text(self) -> str:
        return f"the {self.thing} is {'not ' if self.negated else ''}{self.quality} for {self.whom.text()}"


Meaning = Svo | Believes | Wants | IsGood


def sentence(meaning: Meaning, *, passive: bool = False) -> str:
    """The sentence of a meaning, with capital and full stop."""
    text = meaning.passive() if passive and isinstance(meaning, Svo) else meaning.text()
    return f"{text[0].upper()}{text[1:]}."


def graph(meaning: Meaning, *, rng: random.Random | None = None, fixed_senses: bool = True) -> str:
    """The AMR of a meaning on one line.

    With `rng`, in one of the shapes an edit can leave behind: variables that are not the first letter, ``:polarity``
    last, other sense numbers if they are not fixed.
    """
    return _Writer(rng, fixed_senses).clause(meaning)


@dataclass
class _Writer:
    rng: random.Random | None
    fixed_senses: bool
    used: dict[str, int] = field(default_factory=dict)

    def clause(self, meaning: Meaning | Works) -> str:
        match meaning:
            case Svo():
                roles = [(":ARG0", self.person(meaning.agent)), (":ARG1", self.person(meaning.patient))]
                return self.node(FRAMES.get(meaning.verb, f"{meaning.verb}-01"), roles, meaning.negated)
            case Works():
                return self.node(f"{meaning.verb}-09", [(":ARG1", self.node(meaning.thing))], meaning.negated)
            case Believes():
                fillers = [self.person(meaning.who), self.clause(meaning.what)]
                roles = list(zip((":ARG0", ":ARG1"), fillers[::-1] if meaning.swapped else fillers, strict=True))
                return self.node("believe-01", roles, meaning.negated)
            case IsGood():
                frame = {"good": "good-02", "bad": "bad-07"}.get(meaning.quality, f"{meaning.quality}-01")
                roles = [(":ARG1", self.node(meaning.thing)), (":ARG2", self.person(meaning.whom))]
                return self.node(frame, roles, meaning.negated)
            case Wants():
                return self.wants(meaning)

    def wants(self, meaning: Wants) -> str:
        me = self.person(meaning.who)
        name = me[1:].split()[0]
        fillers = [name, self.person(meaning.whom)]
        inner_roles = list(zip((":ARG0", ":ARG1"), fillers[::-1] if meaning.other else fillers, strict=True))
        frame = FRAMES.get(meaning.verb, f"{meaning.verb}-01")
        inner = self.node(frame, inner_roles, meaning.inner_negated)
        return self.node("want-01", [(":ARG0", me), (":ARG1", inner)], meaning.negated)

    def person(self, person: Person) -> str:
        if person.is_name:
            return self.node("person", [(":name", self.node("name", [(":op1", f'"{person.noun}"')]))])
        return self.node(person.noun, [(":mod", self.node(person.adjective))] if person.adjective else [])

    def node(self, concept: str, roles: list[tuple[str, str]] | None = None, negated: bool = False) -> str:
        roles = list(roles or [])
        if negated:
            last = self.rng is not None and self.rng.random() < 0.15
            roles.insert(len(roles) if last else 0, (":polarity", "-"))
        if self.rng and not self.fixed_senses and concept[-2:].isdigit() and self.rng.random() < 0.25:
            concept = f"{concept[:-2]}0{self.rng.randint(1, 9)}"
        return f"({' '.join([f'{self.variable(concept)} / {concept}', *(f'{r} {f}' for r, f in roles)])})"

    def variable(self, concept: str) -> str:
        letter = concept[0]
        if self.rng and self.rng.random() < 0.3:
            letter = self.rng.choice("abcdefghlmnoprstvwy")
        letter = "ii" if letter == "i" else letter
        self.used[letter] = self.used.get(letter, 0) + 1
        return letter if self.used[letter] == 1 else f"{letter}{self.used[letter]}"


def meanings(rng: random.Random, *, wide: bool = True, denials: float = 0.35) -> Iterator[Meaning]:
    """Endless random meanings; `wide` ones also hold the words and shapes that only edits bring in."""
    # Words that only edits bring in are a fifth of what is seen.
    nouns = NOUNS * 4 + MORE_NOUNS if wide else NOUNS
    verbs = VERBS * 4 + MORE_VERBS if wide else VERBS
    adjectives = ADJECTIVES * 2 + MORE_ADJECTIVES if wide else ADJECTIVES

    def person() -> Person:
        if rng.random() < 0.15:
            return Person(rng.choice(NAMES))
        return Person(rng.choice(nouns), rng.choice(adjectives) if rng.random() < 0.35 else None)

    def no() -> bool:
        return rng.random() < denials

    def svo() -> Svo:
        return Svo(rng.choice(verbs), person(), person(), no())

    while True:
        kind = rng.random()
        if kind < 0.45:
            yield svo()
        elif kind < 0.65:
            verb = "idle" if wide and rng.random() < 0.1 else "work"
            inner = svo() if rng.random() < 0.4 else Works(rng.choice(THINGS), no(), verb)
            yield Believes(person(), inner, no(), swapped=wide and rng.random() < 0.2)
        elif kind < 0.85:
            other = wide and rng.random() < 0.5
            yield Wants(person(), rng.choice(verbs), person(), no(), no(), other)
        else:
            qualities = ("good", "bad", "evil") if wide else ("good", "bad")
            yield IsGood(rng.choice(qualities), rng.choice(THINGS), person(), no())


def _finite(verb: str, negated: bool) -> str:
    return f"does not {verb}" if negated else f"{verb}s"


def _participle(verb: str) -> str:
    return f"{verb}d" if verb.endswith("e") else f"{verb}ed"
