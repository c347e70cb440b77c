"""The four kinds of foil (ALEE paper, §3.2) and what they are called in tables, scores and print."""

from enum import Enum


class Perturbation(Enum):
    """A controlled change of meaning; the value is the name used in column names of the published data."""

    POLARITY_NEGATION = "PolarityNegation"
    ROLE_SWAP = "RoleSwap"
    ANTONYM_REPLACEMENT = "AntonymRepl"
    HYPERNYM_SUBSTITUTION = "HypernymSub"

    @property
    def code(self) -> str:
        """The two-letter code of the paper's tables: PN, RS, AR, HS."""
        return _CODES[self]

    @property
    def title(self) -> str:
        """The name in running text."""
        return self.name.replace("_", " ").lower()

    @classmethod
    def from_code(cls, code: str) -> "Perturbation":
        """The perturbation with this two-letter code; `KeyError` if there is none."""
        return _BY_CODE[code]


_CODES = {
    Perturbation.POLARITY_NEGATION: "PN",
    Perturbation.ROLE_SWAP: "RS",
    Perturbation.ANTONYM_REPLACEMENT: "AR",
    Perturbation.HYPERNYM_SUBSTITUTION: "HS",
}
_BY_CODE = {code: perturbation for perturbation, code in _CODES.items()}

#: Two-letter codes in the order of the paper's tables.
CODES: tuple[str, ...] = tuple(_CODES.values())
