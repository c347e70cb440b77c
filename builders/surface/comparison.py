"""What differs between two readings: one of the four edits, nothing, or something else.

The graphs are compared by who does what (ARG0, ARG1), by what is denied, and by which predicates there are; the words
by which come and go. What only one side has must be exactly what an edit does:

    PN      one ``:polarity -`` more or less, and nothing else
    RS      (v :ARG0 x) (v :ARG1 y)  against  (v :ARG0 y) (v :ARG1 x), and nothing else
    AR, HS  one word against another, wherever it stands, and nothing else

Not compared is what the parser decides anew with every changed word and the edit says nothing about: where modifiers
and clauses hang, how names are cut, and the subjects that other predicates share with the edited one.
"""

from collections import Counter
from dataclasses import dataclass
from enum import Enum

from builders.edits import frames
from builders.surface.reading import Reading
from builders.surface.shallow import Fact, Node
from builders.surface.wordsets import word_set


class Difference(Enum):
    """What two readings differ by."""

    NONE = "none"
    POLARITY = "polarity"
    ROLES = "roles"
    CONCEPT = "concept"
    OTHER = "other"


_ARGUMENTS = (":ARG0", ":ARG1")
#: Words that come and go with a negation.
_WITH_NEGATION = word_set(
    """some any something anything someone anyone somebody anybody already yet too either nobody nothing nowhere
    somewhere none no one"""
)
#: The negation itself, with the auxiliary it may need.
_NEGATING = word_set("not n't no do does did")
#: Words that come and go beside a replaced word.
_BESIDE = frozenset({"a", "an", "more", "most"})


@dataclass(frozen=True)
class Summary:
    """What is compared of one reading.

    Attributes:
        words: its tokens in order, lower case.
        facts: predicates, their polarity, and their nominal arguments in the clause.
        shared: arguments that predicates take from another clause.
    """

    words: tuple[str, ...]
    facts: Counter[Fact]
    shared: Counter[Fact]


def summarise(reading: Reading, top: Node) -> Summary:
    """The comparable part of a reading."""
    facts: Counter[Fact] = Counter()
    shared: Counter[Fact] = Counter()
    for node in top.walk():
        label = _label(reading, node)
        if frames.is_frame(node.concept):
            facts[label, ":instance", label] += 1
        for role, target in node.edges:
            if role == ":polarity":
                facts[label, role, "-"] += 1
            elif isinstance(target, Node):
                _count(facts, reading, node, role, target)
        for role, linked in node.links:
            _count(shared, reading, node, role, linked)
    return Summary(tuple(token.lower_ for token in reading.doc), facts, shared)


def _count(found: Counter[Fact], reading: Reading, node: Node, role: str, target: Node) -> None:
    if role.endswith("-of"):
        node, role, target = target, role[:-3], node
    if role in _ARGUMENTS and not frames.is_frame(target.concept) and frames.is_frame(node.concept):
        found[_label(reading, node), role, _label(reading, target)] += 1


def _label(reading: Reading, node: Node) -> str:
    """A predicate by its lemma, pronouns by their concept, other nodes by their word, groups by all their words."""
    if frames.is_frame(node.concept):
        return frames.split(node.concept)[0]
    if node.token is None:
        parts = [_label(reading, target) for role, target in node.edges if isinstance(target, Node)]
        return " ".join(sorted(parts)) or node.concept
    token = reading.doc[node.token]
    return node.concept if token.pos_ == "PRON" else str(token.lower_)


def difference(before: Summary, after: Summary) -> Difference:
    """How the reading of a foil differs from that of its source."""
    gone, come = before.facts - after.facts, after.facts - before.facts
    words_before, words_after = Counter(before.words), Counter(after.words)
    lost, new = words_before - words_after, words_after - words_before
    if not gone and not come and not lost and not new and before.shared == after.shared:
        return Difference.NONE
    if _is_polarity(gone, come, before.words, after.words):
        return Difference.POLARITY
    if _is_concept(gone, come, lost, new):
        return Difference.CONCEPT
    if _is_roles(gone + (before.shared - after.shared), come + (after.shared - before.shared), gone, come):
        return Difference.ROLES
    return Difference.OTHER


def _is_polarity(gone: Counter[Fact], come: Counter[Fact], before: tuple[str, ...], after: tuple[str, ...]) -> bool:
    """One mark more or less.

    Where the words say that nothing but a negation came or went, predicates and arguments may be found anew around it;
    beside *do*, where a verb's form changes too, only arguments may.
    """
    everything = [*gone.elements(), *come.elements()]
    marks = [fact for fact in everything if fact[1] == ":polarity"]
    if len(marks) != 1:
        return False
    others = [fact for fact in everything if fact[1] != ":polarity"]
    rest_before, rest_after = (_without_negation(words) for words in (before, after))
    if rest_before == rest_after:
        return True
    if _is_other_form(marks[0][0], rest_before, rest_after):
        others = [fact for fact in others if fact[1] not in _ARGUMENTS]
    return all({source, target} & _WITH_NEGATION for source, _, target in others)


def _without_negation(words: tuple[str, ...]) -> list[str]:
    return [word for word in words if word not in _NEGATING | _WITH_NEGATION]


def _is_other_form(denied: str, before: list[str], after: list[str]) -> bool:
    """Whether two rows of words differ in the denied verb alone, of which one has the base form that follows *do*."""
    if len(before) != len(after):
        return False
    unequal = [pair for pair in zip(before, after, strict=True) if pair[0] != pair[1]]
    return len(unequal) == 1 and denied in unequal[0]


def _is_concept(gone: Counter[Fact], come: Counter[Fact], lost: Counter[str], new: Counter[str]) -> bool:
    old_words = [word for word in lost.elements() if word not in _BESIDE] or list(lost)
    new_words = [word for word in new.elements() if word not in _BESIDE] or list(new)
    if len(old_words) != 1 or len(new_words) != 1:
        return False
    old_predicates = [source for source, role, _ in gone.elements() if role == ":instance"]
    new_predicates = [source for source, role, _ in come.elements() if role == ":instance"]
    if len(old_predicates) != len(new_predicates) or len(old_predicates) > 1:
        return False
    names = dict(zip([*old_words, *old_predicates], [*new_words, *new_predicates], strict=True))
    renamed: Counter[Fact] = Counter()
    for (source, role, target), count in gone.items():
        renamed[_rename(source, names), role, _rename(target, names)] += count
    return renamed == come


def _rename(label: str, names: dict[str, str]) -> str:
    if label in names:
        return names[label]
    return " ".join(sorted(names.get(part, part) for part in label.split(" "))) if " " in label else label


def _is_roles(gone: Counter[Fact], come: Counter[Fact], own_gone: Counter[Fact], own_come: Counter[Fact]) -> bool:
    """Whether ARG0 and ARG1 of one predicate are exchanged; subjects that others share with it may have followed."""
    for verb in {source for source, role, _ in gone if role in _ARGUMENTS}:
        agents = {target for source, role, target in gone if source == verb and role == ":ARG0"}
        patients = {target for source, role, target in gone if source == verb and role == ":ARG1"}
        turned = {(verb, ":ARG1", agent) for agent in agents} | {(verb, ":ARG0", patient) for patient in patients}
        if agents and patients and turned <= set(come):
            return all(source == verb and role != ":polarity" for source, role, _ in (*own_gone, *own_come))
    return False
