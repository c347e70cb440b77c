"""Manual quality review (paper, §3.6): a seeded, stratified sheet, and what the annotators' answers say.

The sheet is a CSV with one pair per line; annotators fill ``valid`` (does the foil differ in meaning as the
perturbation says?) and ``grammatical`` with yes or no, by hand or through the form of `builders.review_form`.
"""

import csv
import io
import json
import math
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from alee_mteb.errors import DataError
from alee_mteb.perturbations import Perturbation
from builders.folder import Configuration, Pair
from builders.terminal import aligned

COLUMNS = ("item", "id", "perturbation", "source", "foil", "valid", "grammatical", "comment")
QUESTIONS = ("valid", "grammatical")
_YES = {"yes", "y", "1", "true", "x"}
_NO = {"no", "n", "0", "false"}
#: Standard normal quantile of a two-sided 95 % interval.
_Z = 1.959963984540054


@dataclass(frozen=True)
class Share:
    """How many of `n` judged pairs are good, as a share with its Wilson 95 % interval."""

    good: int
    n: int
    share: float
    low: float
    high: float


@dataclass(frozen=True)
class Agreement:
    """Two annotators on one question.

    Attributes:
        n: pairs both have judged.
        raw: share of equal answers.
        kappa: Cohen's κ; ``None`` where both gave one and the same answer throughout, which leaves it undefined.
    """

    n: int
    raw: float
    kappa: float | None


@dataclass(frozen=True)
class SheetSummary:
    """The answers of one sheet: question → ``all`` and each perturbation → share; and pairs not judged."""

    sheet: str
    pairs: int
    shares: dict[str, dict[str, Share]]
    unjudged: dict[str, int]


@dataclass(frozen=True)
class Summary:
    """One or two sheets, and for two their agreement by question."""

    sheets: list[SheetSummary]
    agreement: dict[str, Agreement]


def draw(configuration: Configuration, n: int, seed: int) -> list[Pair]:
    """`n` pairs, as evenly over the perturbations as they allow, in mixed order; all pairs if there are fewer.

    Raises:
        DataError: there are no foils to draw from.
    """
    strata = {
        kind: [pair for pair in configuration.pairs() if pair.perturbation is kind] for kind in configuration.foils
    }
    quotas = _quotas([len(pairs) for pairs in strata.values()], n)
    drawn = []
    for (kind, pairs), quota in zip(strata.items(), quotas, strict=True):
        # A generator per perturbation: its part of the sheet does not depend on the others.
        drawn += random.Random(f"{seed} {kind.value}").sample(pairs, quota)
    if not drawn:
        raise DataError(f"{configuration.folder}: {configuration.name} has no foils to review")
    random.Random(f"{seed} order").shuffle(drawn)
    return drawn


def _quotas(sizes: Sequence[int], n: int) -> list[int]:
    """Shares of `n` as equal as the sizes allow; what is left over goes to the first ones."""
    quotas = [0] * len(sizes)
    while n > 0:
        able = [i for i, size in enumerate(sizes) if quotas[i] < size]
        if not able:
            break
        each = max(1, n // len(able))
        for i in able:
            more = min(each, sizes[i] - quotas[i], n)
            quotas[i] += more
            n -= more
    return quotas


def sheet(pairs: Iterable[Pair]) -> str:
    """The pairs as a CSV sheet with empty answers."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for number, pair in enumerate(pairs, start=1):
        writer.writerow([number, pair.id, pair.perturbation.value, pair.source, pair.foil, "", "", ""])
    return text.getvalue()


Answers = dict[tuple[str, str], dict[str, bool | None]]


def read_sheet(path: Path) -> Answers:
    """(id, perturbation) → question → answer, ``None`` where it was left empty.

    Raises:
        DataError: not such a sheet, an answer that is neither yes nor no, or the same pair twice.
    """
    try:
        rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"), newline="")))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise DataError(
            f"{path}: cannot be read ({error}); expected the CSV that `alee review sample` wrote"
        ) from error
    missing = [name for name in ("id", "perturbation", *QUESTIONS) if not rows or name not in rows[0]]
    if missing:
        raise DataError(
            f"{path}: no column {missing[0]!r}, or no rows; expected the CSV that `alee review sample` wrote"
        )
    answers: Answers = {}
    for number, row in enumerate(rows, start=1):
        key = (row["id"] or "", row["perturbation"] or "")
        if key in answers:
            raise DataError(f"{path}: row {number}: {key[0]} {key[1]} stands there twice")
        if key[1] not in {kind.value for kind in Perturbation}:
            raise DataError(f"{path}: row {number}: unknown perturbation {key[1]!r}")
        answers[key] = {question: _answer(row[question], path, number, question) for question in QUESTIONS}
    return answers


def _answer(value: str | None, path: Path, number: int, question: str) -> bool | None:
    text = (value or "").strip().lower()
    if text in _YES:
        return True
    if text in _NO:
        return False
    if not text:
        return None
    raise DataError(f"{path}: row {number}, column {question!r}: expected yes or no, got {value!r}")


def summarise(paths: Sequence[Path]) -> Summary:
    """Shares per sheet; for two sheets also agreement.

    Raises:
        DataError: see `read_sheet`; nothing is judged; or two sheets have no judged pair in common.
    """
    read = {str(path): read_sheet(path) for path in paths}
    if len(read) < len(paths):
        raise DataError(f"{paths[0]}: the same sheet twice; give the sheets of two annotators")
    sheets = [_sheet_summary(name, answers) for name, answers in read.items()]
    for entry in sheets:
        if not any(entry.shares.values()):
            raise DataError(f"{entry.sheet}: no answers yet; fill the columns valid and grammatical with yes or no")
    agreement = {}
    if len(sheets) == 2:
        first, second = read.values()
        for question in QUESTIONS:
            both = [
                (one, other)
                for key in first
                if (one := first[key][question]) is not None
                and (other := second.get(key, {}).get(question)) is not None
            ]
            if both:
                agreement[question] = cohen(both)
        if not agreement:
            raise DataError(f"{paths[0]} and {paths[1]} have no judged pair in common; are they of the same sample?")
    return Summary(sheets, agreement)


def _sheet_summary(name: str, answers: Answers) -> SheetSummary:
    shares: dict[str, dict[str, Share]] = {}
    unjudged = {}
    for question in QUESTIONS:
        judged = [(kind, row[question]) for (_, kind), row in answers.items() if row[question] is not None]
        unjudged[question] = len(answers) - len(judged)
        groups = {"all": [answer for _, answer in judged]}
        groups |= {kind.value: [answer for k, answer in judged if k == kind.value] for kind in Perturbation}
        shares[question] = {
            group: wilson(sum(map(bool, given)), len(given)) for group, given in groups.items() if given
        }
    return SheetSummary(name, len(answers), shares, unjudged)


def wilson(good: int, n: int) -> Share:
    """A share with its Wilson score interval (95 %)."""
    p = good / n
    scale = 1 + _Z**2 / n
    centre = (p + _Z**2 / (2 * n)) / scale
    half = _Z * math.sqrt(p * (1 - p) / n + _Z**2 / (4 * n**2)) / scale
    # Exact at the ends, where the formula leaves a rounding error.
    return Share(good, n, p, 0.0 if good == 0 else centre - half, 1.0 if good == n else centre + half)


def cohen(answers: Sequence[tuple[bool, bool]]) -> Agreement:
    """Raw agreement and Cohen's κ of pairs of answers."""
    n = len(answers)
    raw = sum(one == other for one, other in answers) / n
    first, second = Counter(one for one, _ in answers), Counter(other for _, other in answers)
    by_chance = sum(first[value] * second[value] for value in (True, False)) / n**2
    return Agreement(n, raw, None if by_chance == 1 else (raw - by_chance) / (1 - by_chance))


def as_json(summary: Summary) -> str:
    """The summary, machine-readable."""
    return json.dumps(asdict(summary), indent=2, ensure_ascii=False)


def as_text(summary: Summary) -> str:
    """The summary for the terminal."""
    lines = []
    for entry in summary.sheets:
        lines.append(f"{entry.sheet}: {entry.pairs} pairs")
        rows = [["", "pairs", *(text for question in QUESTIONS for text in (question, "95 % interval"))]]
        for group in next(shares for shares in entry.shares.values() if shares):
            found = [entry.shares[question].get(group) for question in QUESTIONS]
            rows.append(
                [group, str(max(share.n for share in found if share)), *(c for share in found for c in _cells(share))]
            )
        lines += aligned(rows)
        lines += [f"not judged: {n} for {question}" for question, n in entry.unjudged.items() if n]
        lines.append("")
    for question, both in summary.agreement.items():
        kappa = "undefined (both always gave the same answer)" if both.kappa is None else f"{both.kappa:.3f}"
        lines.append(f"agreement on {question}: {both.raw:.1%} of {both.n} pairs, Cohen's kappa {kappa}")
    return "\n".join(lines).rstrip()


def _cells(share: Share | None) -> tuple[str, str]:
    return ("–", "–") if share is None else (f"{share.share:.1%}", f"{share.low:.1%}–{share.high:.1%}")
