"""Review sheets as CSV: writing them, reading the ratings, and summing them up (SALT paper, Table 13)."""

import csv
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from alee_mteb.errors import DataError
from salt.spans.review import RATINGS, Item, marked

COLUMNS = ("item", "key", "languages", "source_span", "target_span", "source", "target", "rating", "comment")
_WRITTEN_BY = "expected the CSV that `alee salt spans review draw` wrote"


@dataclass(frozen=True)
class Row:
    """What a sheet says of one span; `rating` is ``None`` where it was left empty."""

    key: str
    languages: str
    rating: int | None


@dataclass(frozen=True)
class Shares:
    """One row of Table 13.

    Attributes:
        languages: pair of languages, or ``all``.
        method: that found the spans, or ``all``.
        annotations: ratings given; a span rated in two sheets counts twice.
        shares: of ratings 1, 2, 3 and 4.
    """

    languages: str
    method: str
    annotations: int
    shares: tuple[float, float, float, float]

    @property
    def acceptable(self) -> float:
        """Share of ratings 3 and 4."""
        return self.shares[2] + self.shares[3]


@dataclass(frozen=True)
class Agreement:
    """Two annotators on the spans both rated.

    Attributes:
        n: spans.
        raw: share of equal ratings.
        kappa: Cohen's κ with quadratic weights; ``None`` where it is undefined, both having given one and the same
            rating throughout.
    """

    n: int
    raw: float
    kappa: float | None


@dataclass(frozen=True)
class Summary:
    """All sheets together; `agreement` only for two sheets with spans in common."""

    rows: list[Shares]
    unrated: int
    agreement: Agreement | None


def sheet(items: Sequence[Item]) -> str:
    """The items as CSV with empty ratings; in the sentences the span stands in brackets, as in Appendix G."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([str(row[name]) for name in COLUMNS] for row in sheet_rows(items))
    return text.getvalue()


def sheet_rows(items: Sequence[Item]) -> list[dict[str, str | int]]:
    """The items as rows with the columns of a sheet."""
    rows: list[dict[str, str | int]] = []
    for number, item in enumerate(items, start=1):
        source, target = (
            marked(item.pair.source, item.span.span.source),
            marked(item.pair.target, item.span.span.target),
        )
        values = (
            number,
            item.key,
            "-".join(item.pair.languages),
            source[1],
            target[1],
            "{}[{}]{}".format(*source),
            "{}[{}]{}".format(*target),
            "",
            "",
        )
        rows.append(dict(zip(COLUMNS, values, strict=True)))
    return rows


def read_sheet(path: Path) -> list[Row]:
    """The rows of a sheet.

    Raises:
        DataError: not such a sheet, the same span twice, or a rating that is not 1, 2, 3 or 4.
    """
    try:
        lines = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"), newline=""), strict=True))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"{path}: cannot be read ({error}); {_WRITTEN_BY}") from error
    missing = [name for name in ("key", "languages", "rating") if not lines or name not in lines[0]]
    if missing:
        raise DataError(f"{path}: no column {missing[0]!r}, or no rows; {_WRITTEN_BY}")
    rows: dict[str, Row] = {}
    for number, line in enumerate(lines, start=1):
        key = line["key"] or ""
        if not key:
            raise DataError(f"{path}: row {number}: no key; {_WRITTEN_BY}")
        if key in rows:
            raise DataError(f"{path}: row {number}: {key} stands there twice")
        rows[key] = Row(key, line["languages"] or "", _rating(line["rating"], path, number))
    return list(rows.values())


def _rating(value: str | None, path: Path, number: int) -> int | None:
    text = (value or "").strip()
    if not text:
        return None
    if text not in map(str, RATINGS):
        raise DataError(f"{path}: row {number}, column 'rating': expected 1, 2, 3 or 4, got {value!r}")
    return int(text)


def lowest_ratings(sheets: Sequence[Sequence[Row]]) -> dict[str, int]:
    """Key → the lowest rating any sheet gives it; spans nobody rated are left out."""
    found: dict[str, int] = {}
    for row in (row for rows in sheets for row in rows):
        if row.rating is not None:
            found[row.key] = min(row.rating, found.get(row.key, row.rating))
    return found


def summarise(sheets: Sequence[Sequence[Row]], methods: Mapping[str, Sequence[str]] | None = None) -> Summary:
    """Shares of ratings by languages and method, as in Table 13, and over all; for two sheets also agreement.

    Args:
        sheets: of one or more annotators.
        methods: key → the methods that found the span; a span of several counts for each. Without it there is one
            row per pair of languages.

    Raises:
        DataError: nothing is rated, or a rated span is not among `methods`.
    """
    counts: dict[tuple[str, str], Counter[int]] = {}
    total: Counter[int] = Counter()
    for row in (row for rows in sheets for row in rows):
        if row.rating is None:
            continue
        total[row.rating] += 1
        if methods is not None and row.key not in methods:
            raise DataError(f"span {row.key} of a sheet is in none of the files; name those it was drawn from")
        for method in ["all"] if methods is None else methods[row.key]:
            counts.setdefault((row.languages, method), Counter())[row.rating] += 1
    if not total:
        raise DataError("no ratings yet; fill the column rating with 1, 2, 3 or 4")
    rows = [_shares(*group, counts[group]) for group in sorted(counts)]
    if len(rows) > 1:
        rows.append(_shares("all", "all", total))
    unrated = sum(row.rating is None for rows in sheets for row in rows)
    return Summary(rows, unrated, _agreement(*sheets) if len(sheets) == 2 else None)


def _shares(languages: str, method: str, counts: Counter[int]) -> Shares:
    n = counts.total()
    return Shares(languages, method, n, (counts[1] / n, counts[2] / n, counts[3] / n, counts[4] / n))


def _agreement(first: Sequence[Row], second: Sequence[Row]) -> Agreement | None:
    other = {row.key: row.rating for row in second}
    both = [(row.rating, theirs) for row in first if row.rating and (theirs := other.get(row.key))]
    return agreement(both) if both else None


def agreement(ratings: Sequence[tuple[int, int]]) -> Agreement:
    """Raw agreement and quadratically weighted κ of pairs of ratings."""
    n = len(ratings)
    first, second = Counter(one for one, _ in ratings), Counter(other for _, other in ratings)
    observed = sum((one - other) ** 2 for one, other in ratings) / n
    by_chance = sum(first[a] * second[b] * (a - b) ** 2 for a in first for b in second) / n**2
    raw = sum(one == other for one, other in ratings) / n
    return Agreement(n, raw, None if by_chance == 0 else 1 - observed / by_chance)


def as_rows(summary: Summary) -> list[list[str]]:
    """The shares as rows of a table like Table 13, the heading first."""
    heading = ["languages", "annotations", *(f"rating {rating}" for rating in RATINGS), "3 + 4", "found by"]
    return [
        heading,
        *(
            [row.languages, str(row.annotations), *(f"{s:.1%}" for s in (*row.shares, row.acceptable)), row.method]
            for row in summary.rows
        ),
    ]
