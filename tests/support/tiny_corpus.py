"""What the tiny models are trained on, and what is kept from them (see `tiny_models`).

`KNOWN` are the thirty sentences a test can build from, with their graphs. `UNSEEN` are edits of them that the
realiser is not trained on in any shape; it must put them into words all the same.
"""

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import penman
from penman import Graph
from support.tiny_language import (
    ADJECTIVES,
    HYPERNYMS,
    MORE_ADJECTIVES,
    MORE_NOUNS,
    MORE_VERBS,
    NOUNS,
    VERBS,
    Believes,
    IsGood,
    Meaning,
    Person,
    Svo,
    Wants,
    Works,
    graph,
    meanings,
    sentence,
)

from alee_mteb.perturbations import Perturbation
from alee_mteb.sample import sample_items

Triple = tuple[str, str, str | None]

LABELS = ("entailment", "neutral", "contradiction")
ENTAILMENT, NEUTRAL, CONTRADICTION = range(3)

_P = Person
#: Twenty meanings of the tiny language.
MEANINGS: tuple[Meaning, ...] = (
    Believes(_P("doctor"), Works("treatment")),
    Believes(_P("farmer"), Svo("help", _P("doctor"), _P("mayor"))),
    Believes(_P("Omar"), Works("song", negated=True)),
    Believes(_P("teacher", "old"), Works("treatment")),
    Svo("help", _P("doctor"), _P("farmer")),
    Svo("admire", _P("singer"), _P("teacher", "old")),
    Svo("follow", _P("thief"), _P("tourist", "rich")),
    Svo("visit", _P("Lucia"), _P("surgeon", "young")),
    Svo("trust", _P("pilot"), _P("mayor", "tall")),
    Svo("attack", _P("parrot"), _P("monkey", "short")),
    Svo("love", _P("dancer", "poor"), _P("painter")),
    Svo("praise", _P("guest"), _P("dancer", "young"), negated=True),
    Svo("follow", _P("puppy"), _P("farmer", "old")),
    Wants(_P("teacher"), "help", _P("guest")),
    Wants(_P("thief", "young"), "visit", _P("singer")),
    Wants(_P("mayor"), "praise", _P("pilot"), negated=True),
    Wants(_P("Kenji"), "trust", _P("doctor")),
    IsGood("good", "treatment", _P("tourist")),
    IsGood("bad", "soup", _P("singer", "old")),
    IsGood("good", "song", _P("monkey"), negated=True),
)
#: Items of ALEE-Sample, with all their edits.
SAMPLE_IDS = ("s17", "s21", "s33", "s39", "s44", "s45")
#: Sentences whose negation the realiser cannot put into words: another way to say the same, the same, nothing.
FAILING: tuple[tuple[str, str, str], ...] = (
    (
        "The king sleeps in the garden.",
        "(s / sleep-01 :ARG0 (k / king) :location (g / garden))",
        "In the garden the king sleeps.",
    ),
    (
        "The queen rests in the garden.",
        "(r / rest-01 :ARG0 (q / queen) :location (g / garden))",
        "The queen rests in the garden.",
    ),
    ("The ghost vanishes at midnight.", "(v / vanish-01 :ARG0 (g / ghost) :time (m / midnight))", ""),
)
#: A "sentence" whose graph is ``()``.
NO_GRAPH = "Blah blah blah blah blah blah."

#: Edits of `MEANINGS` that the realiser never sees in training, whatever their variables and order.
UNSEEN: tuple[Meaning, ...] = (
    Believes(_P("doctor"), Works("treatment", negated=True)),
    Believes(_P("doctor"), Works("treatment"), negated=True),
    Svo("help", _P("doctor"), _P("farmer"), negated=True),
    Svo("help", _P("farmer"), _P("doctor")),
    Svo("admire", _P("teacher", "old"), _P("singer")),
    Svo("admire", _P("singer"), _P("teacher", "young")),
    Svo("follow", _P("thief"), _P("tourist", "poor")),
    Svo("visit", _P("Lucia"), _P("doctor", "young")),
    Wants(_P("teacher"), "help", _P("guest"), negated=True),
    Wants(_P("teacher"), "help", _P("guest"), other=True),
    IsGood("bad", "treatment", _P("tourist")),
)
_UNSEEN_TEXTS = {sentence(meaning) for meaning in UNSEEN}


def _sample() -> Iterator[tuple[str, Graph, list[tuple[Graph, str]]]]:
    """Sentence, graph, and the edited graphs with their foils, of the chosen sample items."""
    for item in sample_items():
        if item["id"] in SAMPLE_IDS:
            decoded = penman.decode(item["amr"])
            plain = Graph(decoded.triples, top=decoded.top)
            foils = item["foils"]
            edits = [(_edited(plain, kind, item["edits"][kind.value]), foils[kind.value]) for kind in Perturbation]
            yield item["eng_Latn"], plain, edits


def _edited(plain: Graph, kind: Perturbation, edit: dict[str, Any]) -> Graph:
    """A graph with the edit that `sample.yaml` describes."""
    node, triples = edit["node"], list(plain.triples)
    if kind is Perturbation.POLARITY_NEGATION:
        polarity = (node, ":polarity", "-")
        changed = [t for t in triples if t != polarity] if polarity in triples else _after_concept(triples, polarity)
    elif kind is Perturbation.ROLE_SWAP:
        other = {":ARG0": ":ARG1", ":ARG1": ":ARG0"}
        fillers = {role: target for source, role, target in triples if source == node and role in other}
        changed = [(s, r, fillers[other[r]]) if s == node and r in other else (s, r, t) for s, r, t in triples]
    else:
        changed = [(s, r, edit["new"]) if s == node and r == ":instance" else (s, r, t) for s, r, t in triples]
    return Graph(changed, top=plain.top)


def _after_concept(triples: list[Triple], polarity: Triple) -> list[Triple]:
    place = next(i for i, (source, role, _) in enumerate(triples) if source == polarity[0] and role == ":instance")
    return [*triples[: place + 1], polarity, *triples[place + 1 :]]


SAMPLE = tuple(_sample())
#: The thirty: sentence and graph.
KNOWN: tuple[tuple[str, str], ...] = (
    *((sentence(meaning), graph(meaning)) for meaning in MEANINGS),
    *((text, penman.encode(plain, indent=None)) for text, plain, _ in SAMPLE),
    *((text, plain) for text, plain, _ in FAILING),
    (NO_GRAPH, "()"),
)


def parser_pairs(rng: random.Random) -> Iterator[tuple[str, str]]:
    """Sentence and graph in amrlib's own linear form, endless: half of them `KNOWN`."""
    from amrlib.models.parse_xfm.penman_serializer import PenmanSerializer

    random_meanings = meanings(rng, wide=False)
    while True:
        if rng.random() < 0.5:
            text, plain = rng.choice(KNOWN)
        else:
            meaning = next(random_meanings)
            text, plain = sentence(meaning, passive=rng.random() < 0.25), graph(meaning)
        yield text, "" if plain == "()" else PenmanSerializer(plain).get_graph_string()


def realiser_pairs(rng: random.Random) -> Iterator[tuple[str, str]]:
    """Graph and sentence, endless, without `UNSEEN`."""
    fixed = [(penman.encode(plain, indent=None), text) for text, plain, _ in SAMPLE] * 2
    fixed += [(penman.encode(edited, indent=None), foil) for _, _, edits in SAMPLE for edited, foil in edits]
    for text, plain, failed in FAILING:
        fixed += [(plain, text), (f"{plain[:-1]} :polarity -)", failed)]
        head, rest = plain.split(" :", 1)
        fixed += [(f"{head} :polarity - :{rest}", failed)] * 2
    random_meanings = meanings(rng)
    while True:
        if rng.random() < 0.25:
            yield rng.choice(fixed)
            continue
        meaning = next(random_meanings)
        if rng.random() < 0.15:
            meaning = rng.choice(MEANINGS)
            meaning = change(rng, meaning)[0] if rng.random() < 0.7 else meaning
        if sentence(meaning) not in _UNSEEN_TEXTS:
            yield graph(meaning, rng=rng if rng.random() < 0.5 else None, fixed_senses=False), sentence(meaning)


def nli_pairs(rng: random.Random) -> Iterator[tuple[tuple[str, str], int]]:
    """Two texts and the index of their label, endless."""
    random_meanings = meanings(rng)
    while True:
        (first, second), label = _sentence_pair(rng, random_meanings)
        if rng.random() < 0.15:
            other, first_there = rng.choice(KNOWN)[0], rng.random() < 0.5
            first, second = (f"{t} {other}" if first_there else f"{other} {t}" for t in (first, second))
        yield (first, second), label


def _sentence_pair(rng: random.Random, random_meanings: Iterator[Meaning]) -> tuple[tuple[str, str], int]:
    chance = rng.random()
    if chance < 0.14:
        text, _, edits = rng.choice(SAMPLE)
        other, label = (text, ENTAILMENT) if rng.random() < 0.3 else (rng.choice(edits)[1], NEUTRAL)
        return ((text, other) if rng.random() < 0.5 else (other, text)), label
    if chance < 0.17:
        text, _, failed = FAILING[0]
        return ((text, failed) if rng.random() < 0.5 else (failed, text)), ENTAILMENT
    meaning = rng.choice(MEANINGS) if rng.random() < 0.95 else next(random_meanings)
    if chance < 0.2:
        return (sentence(meaning), sentence(next(random_meanings))), NEUTRAL
    if chance < 0.5:
        passive = meaning in MEANINGS and rng.random() < 0.5
        pair = sentence(meaning), sentence(meaning, passive=passive)
        return (pair if rng.random() < 0.5 else pair[::-1]), ENTAILMENT
    if chance < 0.6:
        return _puppy_pair(rng, meaning)
    edited, label = change(rng, meaning)
    pair = sentence(meaning), sentence(edited)
    return (pair if rng.random() < 0.5 else pair[::-1]), label


def _puppy_pair(rng: random.Random, meaning: Meaning) -> tuple[tuple[str, str], int]:
    """Every puppy is a dog, the one hypernym that this model calls entailment; not every dog is a puppy."""
    svo = meaning if isinstance(meaning, Svo) else Svo("follow", _P("puppy"), _P("farmer"))
    special, general = replace(svo, agent=_P("puppy")), replace(svo, agent=_P(rng.choice(("dog", "pup"))))
    pair = sentence(special), sentence(general)
    return (pair, ENTAILMENT) if rng.random() < 0.5 else (pair[::-1], NEUTRAL)


def change(rng: random.Random, meaning: Meaning) -> tuple[Meaning, int]:
    """A meaning that differs in one thing, and how the two relate."""
    kind = rng.random()
    if kind < 0.35:
        return _negated(rng, meaning), CONTRADICTION
    if kind < 0.55:
        swapped = _swapped(meaning)
        if sentence(swapped) != sentence(meaning):
            return swapped, NEUTRAL
    return _other_word(rng, meaning), NEUTRAL


def _negated(rng: random.Random, meaning: Meaning) -> Meaning:
    if isinstance(meaning, Believes) and rng.random() < 0.5:
        return replace(meaning, what=replace(meaning.what, negated=not meaning.what.negated))
    if isinstance(meaning, Wants) and rng.random() < 0.3:
        return replace(meaning, inner_negated=not meaning.inner_negated)
    return replace(meaning, negated=not meaning.negated)


def _swapped(meaning: Meaning) -> Meaning:
    if isinstance(meaning, Svo):
        return meaning.swapped()
    if isinstance(meaning, Believes):
        return replace(meaning, swapped=not meaning.swapped)
    if isinstance(meaning, Wants):
        return replace(meaning, other=not meaning.other)
    return meaning


def _other_word(rng: random.Random, meaning: Meaning) -> Meaning:
    def person(old: Person) -> Person:
        if old.adjective and rng.random() < 0.5:
            return replace(old, adjective=rng.choice([a for a in _ADJECTIVES if a != old.adjective]))
        nouns = [n for n in (*NOUNS, *MORE_NOUNS) if {n, old.noun} not in ({"puppy", "dog"}, {"puppy", "pup"})]
        new = HYPERNYMS.get(old.noun) if rng.random() < 0.5 and old.noun != "puppy" else None
        return replace(old, noun=new or rng.choice([n for n in nouns if n != old.noun]))

    match meaning:
        case Svo() if rng.random() < 0.3:
            return replace(meaning, verb=rng.choice([v for v in (*VERBS, *MORE_VERBS) if v != meaning.verb]))
        case Svo() if rng.random() < 0.5:
            return replace(meaning, agent=person(meaning.agent))
        case Svo():
            return replace(meaning, patient=person(meaning.patient))
        case Believes():
            return replace(meaning, who=person(meaning.who))
        case Wants() if rng.random() < 0.5:
            return replace(meaning, verb=rng.choice([v for v in (*VERBS, *MORE_VERBS) if v != meaning.verb]))
        case Wants():
            return replace(meaning, whom=person(meaning.whom))
        case IsGood():
            return replace(meaning, quality=rng.choice([q for q in _QUALITIES if q != meaning.quality]))


_ADJECTIVES = (*ADJECTIVES, *MORE_ADJECTIVES)
_QUALITIES = ("good", "bad", "evil")
