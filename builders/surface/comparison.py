"""What differs between the readings of two sentences, as one of the four edits or as something else.

The readable triples of both graphs are compared as bags; what is left of each must be exactly what an edit does:

    PN   one ``:polarity -`` more or less, and nothing else
    RS   (v :ARG0 x) (v :ARG1 y)  against  (v :ARG0 y) (v :ARG1 x); subjects controlled by v may follow
    AR   one concept against another in all its triples
    HS   the same

Compared are predicates with their polarity and arguments, and all concepts. Where a modifier hangs is not compared:
the parser's choice of attachment changes with any word and says nothing about the edit.
"""

from collections import Counter

from alee_mteb.perturbations import Perturbation
from builders.edits import frames
from builders.surface.negators import How, negators
from builders.surface.reading import Reading
from builders.surface.shallow import Fact, Node, facts

_CORE = frozenset({":instance", ":polarity", ":ARG0", ":ARG1"})
#: Words that come and go with a negation.
_FUNCTION = frozenset(
    """some any something anything someone anyone somebody anybody already yet too either nobody nothing nowhere
    somewhere everyone everybody everything all every not none no one person""".split()
)


def core_facts(top: Node) -> Counter[Fact]:
    """The readable triples that are compared."""
    return Counter(_without_senses(fact) for fact, linked in facts(top) if fact[1] in _CORE and not linked)


def _without_senses(fact: Fact) -> Fact:
    source, role, target = fact
    return frames.split(source)[0], role, frames.split(target)[0]


def difference(before: Node, after: Node) -> tuple[Counter[Fact], Counter[Fact]]:
    """What is only before, and what is only after."""
    old, new = core_facts(before), core_facts(after)
    return old - new, new - old
