"""Per-triplet outcomes in a few hundred bytes: what each language's scores carry beside the figures.

From these, `alee report` and the leaderboard compute joint intervals, ties and matched scores themselves instead of
believing them (DESIGN.md §3).
"""

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from alee_mteb.errors import ResultsError
from alee_mteb.perturbations import CODES


@dataclass(frozen=True)
class Outcomes:
    """Which triplets exist and which were passed.

    Attributes:
        ids_digest: first 16 digits of the SHA-256 over the row ids; equal digests mean the same rows in one order.
        valid: shape (P, R).
        passed: shape (P, R).
    """

    ids_digest: str
    valid: NDArray[np.bool_]
    passed: NDArray[np.bool_]

    def to_json(self) -> dict[str, Any]:
        """``{"rows": R, "ids": digest, "valid": {"PN": base64, …}, "passed": {…}}``, bits packed big-endian."""
        return {
            "rows": int(self.valid.shape[1]),
            "ids": self.ids_digest,
            "valid": dict(zip(CODES, map(_pack, self.valid), strict=True)),
            "passed": dict(zip(CODES, map(_pack, self.passed), strict=True)),
        }

    @classmethod
    def from_json(cls, value: Any, place: str) -> "Outcomes":
        """The inverse of `to_json`.

        Raises:
            ResultsError: a field is missing, of another type or length, or a triplet is passed that does not exist.
        """
        try:
            rows = value["rows"]
            if isinstance(rows, bool) or not isinstance(rows, int) or not 0 < rows <= 1_000_000:
                raise ValueError(f"'rows' is {rows!r}")
            valid = np.stack([_unpack(value["valid"][code], rows) for code in CODES])
            passed = np.stack([_unpack(value["passed"][code], rows) for code in CODES])
            digest = str(value["ids"])
        except (KeyError, TypeError, ValueError) as error:
            raise ResultsError(f"{place}: 'outcomes' cannot be read ({type(error).__name__}: {error})") from error
        if (passed & ~valid).any():
            raise ResultsError(f"{place}: 'outcomes' claims to pass triplets that do not exist")
        return cls(digest, valid, passed)


def digest_ids(ids: Sequence[str]) -> str:
    """First 16 hexadecimal digits of the SHA-256 of the ids, each followed by a line end."""
    return hashlib.sha256("".join(f"{name}\n" for name in ids).encode()).hexdigest()[:16]


def _pack(bits: NDArray[np.bool_]) -> str:
    return base64.b64encode(np.packbits(bits).tobytes()).decode()


def _unpack(text: str, rows: int) -> NDArray[np.bool_]:
    raw = np.frombuffer(base64.b64decode(text, validate=True), dtype=np.uint8)
    if raw.size != (rows + 7) // 8:
        raise ValueError(f"{raw.size} bytes for {rows} rows")
    return np.unpackbits(raw, count=rows).astype(np.bool_)
