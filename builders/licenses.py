"""Which licences let a data set be re-hosted with foils in it, and under what licence that must be.

Foils are edited sources, so what is published is an adaptation of the text: a licence that forbids derivatives, or one
that nobody named, does not allow it. Two licences that each demand themselves cannot be met in one table.

Beside the licence there may be access terms. FLORES and BOUQuET are gated on the Hub to keep evaluation text out of
training corpora; whoever gets in agrees not to put the text where crawlers find it. A public repository is such a
place, a private one is not.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from alee_mteb.errors import AleeError


class RightsError(AleeError):
    """Text that may not be re-hosted."""


@dataclass(frozen=True)
class License:
    """What a licence means for an adapted, re-hosted copy.

    Attributes:
        allows: whether adaptations may be shared at all.
        same: whether they must be shared under this very licence.
        condition: what else to keep to, in words; empty if nothing but attribution.
    """

    allows: bool
    same: bool = False
    condition: str = ""


_NON_COMMERCIAL = "no commercial use"
_NO_DERIVATIVES = License(False, condition="it does not allow derivatives, and foils are derivatives")

#: Hub spelling, versions left out → meaning.
LICENSES = {
    "afl": License(True),
    "apache": License(True),
    "bsd": License(True),
    "cc0": License(True),
    "cc-by": License(True),
    "cc-by-sa": License(True, same=True),
    "cc-by-nc": License(True, condition=_NON_COMMERCIAL),
    "cc-by-nc-sa": License(True, same=True, condition=_NON_COMMERCIAL),
    "cc-by-nd": _NO_DERIVATIVES,
    "cc-by-nc-nd": _NO_DERIVATIVES,
    "cdla-permissive": License(True),
    "cdla-sharing": License(True, same=True),
    "gfdl": License(True, same=True),
    "isc": License(True),
    "mit": License(True),
    "odbl": License(True, same=True),
    "odc-by": License(True),
    "pddl": License(True),
    "unlicense": License(True),
}

#: Gated sources whose terms ask that the text be kept from crawlers.
CLOSED_SOURCES = frozenset({"facebook/flores", "openlanguagedata/flores_plus", "facebook/bouquet"})

_VERSION = re.compile(r"-(\d+(\.\d+)*|\d+-clause)$")


def license_of(identifier: str) -> License | None:
    """What a licence means, by its identifier in Hub or SPDX spelling; ``None`` if it is not known.

    >>> license_of("CC-BY-SA-4.0").same, license_of("other")
    (True, None)
    """
    name = identifier.strip().lower().removesuffix("-only").removesuffix("-or-later")
    return LICENSES.get(name) or LICENSES.get(_VERSION.sub("", name))


def published_license(expression: str) -> str:
    """The licence for a table made of text under all licences of an expression (``a AND b``).

    Raises:
        RightsError: one of them does not allow re-hosting, is unknown, or contradicts another.
    """
    names = _names(expression)
    if not names:
        raise RightsError("the licence of the text is not known, so nothing allows re-hosting it")
    for name in names:
        found = license_of(name)
        if found is None:
            raise RightsError(f"the licence of the text is {name!r}, which is not known to allow re-hosting it")
        if not found.allows:
            raise RightsError(f"the licence of the text is {name}: {found.condition}")
    binding = [name for name in names if (license_of(name) or License(False)).same]
    if len(binding) > 1:
        raise RightsError(f"the licences {' and '.join(binding)} each ask to be the licence of the whole")
    restricted = [name for name in names if (license_of(name) or License(False)).condition]
    if binding and set(restricted) - set(binding):
        raise RightsError(f"{binding[0]} allows no further conditions, but {restricted[0]} has one")
    return (binding or restricted or names)[0]


def card_license(expression: str) -> str:
    """What to put on a card: `published_license`, or ``other`` where there is none."""
    try:
        return published_license(expression)
    except RightsError:
        return "other"


def check_rehosting(expression: str, sources: Sequence[str], *, private: bool) -> None:
    """Refuse what may not be re-hosted.

    Args:
        expression: the licences of the text.
        sources: the data sets it comes from.
        private: whether only people with access to the repository will see it.

    Raises:
        RightsError: one line that says why.
    """
    published_license(expression)
    closed = [name for name in sources if name in CLOSED_SOURCES]
    if closed and not private:
        raise RightsError(
            f"the access terms of {closed[0]} ask to keep its text from crawlers, which a public repository does not"
        )


def _names(expression: str) -> list[str]:
    parts = re.split(r"\s+and\s+|\s*,\s*", expression.strip(), flags=re.IGNORECASE)
    return list(dict.fromkeys(part for part in parts if part))
