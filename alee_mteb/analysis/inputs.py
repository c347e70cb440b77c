"""What the user points at, as runs: result folders, result files, per-triplet files."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from alee_mteb.analysis.per_triplet import is_per_triplet, load_per_triplet
from alee_mteb.analysis.table import dataset_order
from alee_mteb.errors import ResultsError
from alee_mteb.report.results import RunScores, load_runs


def load(paths: Sequence[Path]) -> list[RunScores]:
    """All runs in these places, each once, the official data sets first; model names are short where that is clear.

    Where a model's result file and its per-triplet files are both there, the result file counts: it knows more.

    Raises:
        ResultsError: a place that does not exist or holds no results, or results on different data under one task.
    """
    results: list[RunScores] = []
    triplets: list[Path] = []
    for path in paths:
        if path.is_file() and path.suffix not in (".json", ".parquet"):
            raise ResultsError(f"{path}: not a result file; expected a folder, a .json or a .parquet file")
        parquet = _parquet_files(path)
        triplets += parquet
        if not parquet or (path.is_dir() and any(path.rglob("ALEE-*.json"))):
            results += load_runs(path)
    known = {(run.task, run.model) for run in results}
    runs = results + [run for run in load_per_triplet(unique_paths(triplets)) if (run.task, run.model) not in known]
    runs = _without_repeats(runs)
    require_one_data(runs)
    return _short_names(sorted(runs, key=lambda run: (dataset_order(run.task), run.model, run.revision)))


def unique_paths(paths: Iterable[Path]) -> list[Path]:
    """Each file once, by where it really lies."""
    return list({path.resolve(): path for path in paths}.values())


def require_one_data(runs: Sequence[RunScores]) -> None:
    """Refuse models that were scored on different data under one task name: their figures do not compare.

    Raises:
        ResultsError: naming both files.
    """
    first: dict[str, RunScores] = {}
    for run in runs:
        other = first.setdefault(run.task, run)
        if _data_of(run) != _data_of(other):
            raise ResultsError(
                f"{run.path}: {run.task} was scored on other data than in {other.path} "
                f"({_commit(run)}, {_commit(other)}); analyse them apart"
            )


def _parquet_files(path: Path) -> list[Path]:
    if path.is_dir():
        return [found for found in sorted(path.rglob("*.parquet")) if is_per_triplet(found)]
    return [path] if path.suffix == ".parquet" and path.exists() else []


def _without_repeats(runs: Sequence[RunScores]) -> list[RunScores]:
    """Runs reached through two of the paths given count once."""
    return list({(run.task, run.model, run.revision, run.path.resolve()): run for run in runs}.values())


def _data_of(run: RunScores) -> tuple[str, frozenset[str]]:
    return str(run.settings.get("commit", "")), frozenset(one.outcomes.ids_digest for one in run.languages)


def _commit(run: RunScores) -> str:
    return str(run.settings.get("commit", "?"))[:8]


def _short_names(runs: Sequence[RunScores]) -> list[RunScores]:
    """``e5-base`` for ``org/e5-base`` unless two organisations have one; with the revision where that differs."""
    organisations: dict[str, set[str]] = defaultdict(set)
    for run in runs:
        organisations[run.model.split("/")[-1]].add(run.model)
    copies = Counter((run.task, run.model) for run in runs)
    repeated = {model for (_, model), count in copies.items() if count > 1}
    names = []
    for run in runs:
        short = run.model.split("/")[-1]
        name = short if len(organisations[short]) == 1 else run.model
        names.append(f"{name}@{run.revision[:8]}" if run.model in repeated else name)
    twice = [name for (_, name), count in Counter(zip((r.task for r in runs), names, strict=True)).items() if count > 1]
    if twice:
        places = [str(run.path) for run, name in zip(runs, names, strict=True) if name == twice[0]]
        raise ResultsError(f"{places[1]}: {twice[0]} with the same task is also in {places[0]}; give one of them")
    return [replace(run, model=name) for run, name in zip(runs, names, strict=True)]
