"""Correction of p values for many comparisons."""

from collections.abc import Sequence

from alee_mteb.errors import ResultsError

#: Holm (chance of any false difference), Benjamini–Hochberg (share of false ones among those found), none.
CORRECTIONS = ("holm", "bh", "none")


def holm(p: Sequence[float]) -> list[float]:
    """p corrected for the chance of one false difference in the family (Holm 1979), in the order given."""
    order = sorted(range(len(p)), key=lambda index: p[index])
    adjusted, highest = [0.0] * len(p), 0.0
    for place, index in enumerate(order):
        highest = max(highest, min(1.0, p[index] * (len(p) - place)))
        adjusted[index] = highest
    return adjusted


def benjamini_hochberg(p: Sequence[float]) -> list[float]:
    """p corrected for the share of false ones among the differences found (Benjamini and Hochberg 1995)."""
    order = sorted(range(len(p)), key=lambda index: p[index], reverse=True)
    adjusted, lowest = [0.0] * len(p), 1.0
    for place, index in enumerate(order):
        lowest = min(lowest, p[index] * len(p) / (len(p) - place))
        adjusted[index] = lowest
    return adjusted


def correct(p: Sequence[float], correction: str) -> list[float]:
    """p corrected by one of `CORRECTIONS`.

    Raises:
        ResultsError: another name.
    """
    if correction not in CORRECTIONS:
        raise ResultsError(f"unknown correction {correction!r}; choose one of {', '.join(CORRECTIONS)}")
    if correction == "none":
        return list(p)
    return holm(p) if correction == "holm" else benjamini_hochberg(p)
