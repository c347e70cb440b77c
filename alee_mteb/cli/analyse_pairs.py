"""The two models of `alee analyse compare`: by name within results, or by place."""

import difflib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from alee_mteb.analysis import inputs
from alee_mteb.errors import ModelError, ResultsError
from alee_mteb.report.results import RunScores


def find_pair(left: str, right: str, results: Sequence[str]) -> tuple[list[RunScores], list[RunScores]]:
    """The runs of both models.

    Raises:
        ModelError: no such model in the results, or a place that holds several.
        ResultsError: see `inputs.load`.
    """
    named = [name for name in (left, right) if not Path(name).exists()]
    within: list[RunScores] = []
    if named:
        places = [Path(name) for name in results or ["results"]]
        if not results and not places[0].exists():
            raise ResultsError(f"{named[0]}: no such place, and no results folder here to look for a model in")
        within = inputs.load(places)
    one, other = (_runs_of(name, within) for name in (left, right))
    if one[0].model == other[0].model:
        if {run.path.resolve() for run in one} & {run.path.resolve() for run in other}:
            raise ModelError(f"{left} and {right} are the same results; name two models")
        one, other = _told_apart(one, left), _told_apart(other, right)
    return one, other


def _runs_of(name: str, within: Sequence[RunScores]) -> list[RunScores]:
    if Path(name).exists():
        runs = inputs.load([Path(name)])
        models = sorted({run.model for run in runs})
        if len(models) > 1:
            raise ModelError(f"{name}: holds {len(models)} models ({', '.join(models[:4])}); name one of them")
        return runs
    models = sorted({run.model for run in within})
    chosen = name if name in models else name.split("/")[-1]
    if chosen not in models:
        close = difflib.get_close_matches(chosen, models, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(models[:8])}"
        raise ModelError(f"no results of a model {name!r}; {hint}")
    return [run for run in within if run.model == chosen]


def _told_apart(runs: Sequence[RunScores], place: str) -> list[RunScores]:
    """Two results of one model are called by revision and place."""
    return [replace(run, model=f"{run.model} ({place})") for run in runs]
