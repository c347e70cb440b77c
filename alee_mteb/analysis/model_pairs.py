"""Two models' results side by side: the rows behind `alee analyse compare` (statistics in `comparison`)."""

from collections.abc import Sequence

from alee_mteb.analysis.comparison import ALL_LANGUAGES, compare
from alee_mteb.analysis.table import Analysis, Row, without_nan
from alee_mteb.errors import ResultsError
from alee_mteb.outcomes import Outcomes
from alee_mteb.report.results import RunScores

KIND = "compare"
ALL = "all languages"

_SAYING = {
    "holm": "Holm",
    "bh": "Benjamini and Hochberg",
    "none": "nothing: p is uncorrected",
}


def from_runs(left: Sequence[RunScores], right: Sequence[RunScores], correction: str = "holm") -> Analysis:
    """One row per data set, language (all together first) and column; differences are left minus right.

    The summary counts, per data set and column, the languages in which either model is significantly better.

    Raises:
        ResultsError: no data set or no language in common, different data, or an unknown correction.
    """
    ours, theirs = {run.task: run for run in left}, {run.task: run for run in right}
    shared = [task for task in ours if task in theirs]
    if not shared:
        raise ResultsError(
            f"the two models share no data set; one has {', '.join(ours)}, the other {', '.join(theirs)}"
        )
    rows: list[Row] = []
    for task in shared:
        _require_same_data(ours[task], theirs[task])
        rows += _rows(ours[task], theirs[task], correction)
    one, other = ours[shared[0]].model, theirs[shared[0]].model
    notes = (
        f"differences are {one} minus {other}; 95 % intervals by paired bootstrap over sources; "
        "p by sign-flip test over sources",
        f"p over languages corrected by {_SAYING[correction]}, separately for each data set and perturbation",
        *(f"{task} is not in both and is left out" for task in sorted(set(ours) ^ set(theirs))),
    )
    return Analysis(KIND, f"{one} against {other}", rows, _summary(rows), notes)


def _rows(left: RunScores, right: RunScores, correction: str) -> list[Row]:
    return [
        {
            "dataset": left.task,
            "language": ALL if one.language == ALL_LANGUAGES else one.language,
            "perturbation": one.column,
            "left": one.left,
            "right": one.right,
            "difference": one.difference.value,
            "low": without_nan(one.difference.low),
            "high": without_nan(one.difference.high),
            "p": one.difference.p,
            "p_corrected": one.adjusted,
            "significant": "yes" if one.is_significant() else "no",
            "triplets": one.n,
        }
        for one in compare(_outcomes(left), _outcomes(right), correction)
    ]


def _outcomes(run: RunScores) -> dict[str, Outcomes]:
    return {one.key: one.outcomes for one in run.languages}


def _summary(rows: Sequence[Row]) -> list[Row]:
    counts: dict[tuple[str, str], list[int]] = {}
    for row in rows:
        if row["language"] != ALL:
            cell = counts.setdefault((str(row["dataset"]), str(row["perturbation"])), [0, 0, 0])
            difference = float(row["difference"] or 0.0)
            cell[1 if row["significant"] == "no" else 0 if difference > 0 else 2] += 1
    return [
        {
            "dataset": dataset,
            "perturbation": column,
            "left_better": cell[0],
            "no_difference": cell[1],
            "right_better": cell[2],
        }
        for (dataset, column), cell in counts.items()
    ]


def _require_same_data(left: RunScores, right: RunScores) -> None:
    one, other = (str(run.settings.get("commit", "")) for run in (left, right))
    if one != other:
        raise ResultsError(
            f"{right.path}: {right.task} was scored on other data than {left.path} ({other[:8]}, {one[:8]}); "
            "score both on the same"
        )
