"""Subtokens for `alee analyse subtokens --tokenizer`: the data that were scored are read again and counted."""

from collections.abc import Sequence

from alee_mteb.analysis.tokenizer import count_subtokens, load_tokenizer
from alee_mteb.errors import ResultsError
from alee_mteb.report.results import RunScores


def medians_of(runs: Sequence[RunScores], tokenizer: str, data: str | None) -> dict[tuple[str, str], float]:
    """Median subtokens of every (task, language key) in the results.

    Raises:
        ResultsError: the data found are not those that were scored.
        DataError: the data cannot be reached.
        ModelError: no such tokenizer.
    """
    from alee_mteb.sources import DataRequest
    from alee_mteb.tasks.data import load
    from alee_mteb.tasks.specs import SPECS

    tokenize = load_tokenizer(tokenizer)
    request = DataRequest(data) if data else DataRequest.from_environment()
    found: dict[tuple[str, str], float] = {}
    keys: dict[str, dict[str, RunScores]] = {}
    for run in runs:
        keys.setdefault(run.task, {}).update({one.key: run for one in run.languages})
    for task, wanted in keys.items():
        run = next(iter(wanted.values()))
        if run.dataset not in SPECS:
            raise ResultsError(f"{run.path}: no task {run.dataset}; its texts cannot be found")
        spec = SPECS[run.dataset]
        source, table = load(spec, None if spec.packaged and data is None else request)
        scored = str(run.settings["commit"])
        if source.commit != scored:
            raise ResultsError(
                f"{source.path}: not the data that {run.path} was scored on ({source.commit[:8]}, {scored[:8]}); "
                "name it with --data"
            )
        found |= count_subtokens(table, task, wanted, tokenize)
    return found
