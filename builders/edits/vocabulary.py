"""Which nodes stand for a word that another word may replace (AR, HS).

Never replaced: special frames, names and what carries a name, pronouns, numbers, dates, quantities and their units,
questioned elements, coordination, and the ``person`` or ``thing`` that only carries a frame (``person :ARG0-of
teach-01`` is "teacher": no word says "person"). Parts of the day and seasons are words ("this morning"), although they
stand inside a date.
"""

from builders.edits import frames
from builders.edits.graphs import GraphIndex


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Concepts that join others instead of naming something.
COORDINATION = frozenset({"and", "or", "and-or", "either", "neither", "slash", "multi-sentence"})
PRONOUNS = _words(
    """i you he she it we they one this that these those here there oneself each-other one-another who what which
    someone somebody something somewhere anyone anybody anything anywhere everyone everybody everything everywhere
    no-one nobody nothing nowhere"""
)
_NUMBERS = _words(
    """zero two three four five six seven eight nine ten eleven twelve dozen hundred thousand million billion
    trillion"""
)
_CALENDAR = _words(
    """monday tuesday wednesday thursday friday saturday sunday january february march april may june july august
    september october november december"""
)
#: Concepts of the AMR guidelines that no word of the sentence stands for.
_SCAFFOLD = _words(
    """name date-interval value-interval relative-position truth-value emoticon product-of sum-of difference-of
    quotient-of power-of ratio-of root-of logarithm-of"""
)
_SCAFFOLD_ENDS = ("-entity", "-quantity")
_CARRIERS = frozenset({"person", "thing"})
_DATE_ROLES = _words(
    """:weekday :day :month :year :year2 :decade :century :quarter :era :calendar :timezone :unit :scale"""
)


def is_replaceable(index: GraphIndex, node: str) -> bool:
    """Whether the concept of `node` is a word that may be replaced."""
    concept = index.concepts[node]
    if not concept[:1].isalpha() or concept.startswith("amr-") or frames.is_special(concept):
        return False
    if concept in COORDINATION or concept in PRONOUNS or concept in _NUMBERS:
        return False
    if concept in _SCAFFOLD or concept.endswith(_SCAFFOLD_ENDS):
        return False
    return not (_is_named(index, node) or _is_date_part(index, node) or _is_carrier(index, node))


def _is_named(index: GraphIndex, node: str) -> bool:
    return any(role in (":name", ":wiki") for _, role, _ in index.outgoing[node])


def _is_date_part(index: GraphIndex, node: str) -> bool:
    return index.concepts[node] in _CALENDAR or any(role in _DATE_ROLES for _, role, _ in index.incoming[node])


def _is_carrier(index: GraphIndex, node: str) -> bool:
    return index.concepts[node] in _CARRIERS and any(
        role.startswith(":ARG") and index.is_attributive(source) for source, role, _ in index.incoming[node]
    )
