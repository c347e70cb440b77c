"""`alee run`: mteb's own command line, with other data and lists of models."""

import csv
import difflib
import errno
import os
import tempfile
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from alee_mteb.errors import AleeError, DataError, ModelError, ResultsError, TaskError
from alee_mteb.sources import DataRequest, configurations

PAPER = "paper"


def run_models(arguments: Sequence[str], *, models: str | None, data: str | None, data_revision: str | None) -> Path:
    """Run mteb once per model; with `data`, on the configurations found there. Returns the folder of the results.

    Raises:
        AleeError: anything the user can mend; mteb's own complaints are passed on by the caller.
    """
    if data_revision and not data:
        raise DataError("--data-revision goes with --data")
    names = _model_names(arguments, models)
    tasks = _own_tasks(data, data_revision, arguments) if data else []

    from mteb.cli.build_cli import build_cli

    _check_tasks([] if tasks else _values_of(arguments, "-t", "--tasks"))
    for name in names:
        own = ["-m", name] if name is not None else []
        task_arguments = ["-t", *tasks] if tasks else []
        options = build_cli().parse_args(["run", *arguments, *own, *task_arguments])
        if not options.model:
            raise ModelError("no model: give one with -m NAME, or several with --models")
        if not (options.tasks or options.benchmarks):
            raise TaskError("no task: give one with -t (ALEE-Sample, ALEE-F200, …), -b ALEE, or --data")
        _check_writable(Path(options.output_folder))
        _check_data(options.tasks, options.benchmarks, options.languages)
        try:
            options.func(options)
        except OSError as error:
            if error.filename is not None and error.errno in (errno.ENOSPC, errno.EACCES, errno.EROFS, errno.EDQUOT):
                raise ResultsError(f"{error.filename}: cannot be written ({error.strerror})") from error
            raise _model_error(options.model, error) from error
    return Path(options.output_folder)


def paper_models() -> list[str]:
    """mteb names of the 14 encoders of the ALEE paper (§4), in the order of its table."""
    text = files("alee_mteb").joinpath("data/models.csv").read_text(encoding="utf-8")
    return [row["mteb_name"] for row in csv.DictReader(text.splitlines())]


def _model_names(arguments: Sequence[str], models: str | None) -> list[str | None]:
    if models is None:
        return [None]
    if _values_of(arguments, "-m", "--model"):
        raise ModelError("give either -m or --models, not both")
    names = paper_models() if models == PAPER else [name.strip() for name in models.split(",") if name.strip()]
    if not names:
        raise ModelError("--models needs `paper` or model names separated by commas")
    return list(names)


def _own_tasks(data: str, revision: str | None, arguments: Sequence[str]) -> list[str]:
    """Task names for the data, registered with mteb; all configurations, or those that -t names."""
    import mteb  # noqa: F401 - registers the official tasks first

    from alee_mteb.tasks.data import own_data_task
    from alee_mteb.tasks.specs import SPECS

    if _values_of(arguments, "-b", "--benchmarks"):
        raise TaskError("give either --data or -b, not both; --data with -t names the tasks to file it under")
    request = DataRequest(data, revision)
    wanted = _values_of(arguments, "-t", "--tasks")
    if wanted:
        _check_tasks(wanted)
        other = [name for name in wanted if name not in SPECS or SPECS[name].packaged]
        if other:
            raise TaskError(f"{other[0]} does not take other data; with --data, -t takes ALEE-F200, -MT61 or -BQ275")
        configs = [SPECS[name].config for name in wanted]
    elif request.is_local and Path(data).is_dir():
        configs = sorted(configurations(Path(data)))
    elif request.is_local:
        configs = [Path(data).stem]
    else:
        configs = [spec.config for spec in SPECS.values() if not spec.packaged]
    if not configs:
        raise DataError(f"{data}: no data files found")
    return [own_data_task(request, config).metadata.name for config in configs]


def _check_tasks(names: Sequence[str]) -> None:
    """Refuse an unknown task before any model is loaded."""
    import sys

    import mteb  # noqa: F401

    registry = sys.modules["mteb.get_tasks"]._TASKS_REGISTRY
    for name in names:
        if name not in registry:
            close = difflib.get_close_matches(name, registry, n=1, cutoff=0.5)
            hint = f"did you mean {close[0]!r}?" if close else "`alee tasks` lists them"
            raise TaskError(f"unknown task {name!r}; {hint}")


def _check_data(tasks: Sequence[str] | None, benchmarks: Sequence[str] | None, languages: Sequence[str] | None) -> None:
    """Load the triplets once before any model: a missing file or language is found in a second, not after minutes."""
    import mteb

    from alee_mteb.tasks import AleeTask

    if benchmarks:
        asked = [task for benchmark in mteb.get_benchmarks(list(benchmarks)) for task in benchmark.tasks]
    else:
        asked = list(mteb.get_tasks(tasks=list(tasks or ()), languages=list(languages) if languages else None))
    for task in asked:
        if isinstance(task, AleeTask):
            task.load_data()
            task.unload_data()


def _values_of(arguments: Sequence[str], *flags: str) -> list[str]:
    """The values after an option, up to the next option; ``--flag=value`` too."""
    values: list[str] = []
    taking = False
    for argument in arguments:
        if argument.startswith("-"):
            flag, equals, value = argument.partition("=")
            taking = flag in flags
            if taking and equals:
                values.append(value)
        elif taking:
            values.append(argument)
    return values


def _check_writable(folder: Path) -> None:
    """Fail now rather than after the first language has been encoded."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise ResultsError(
            f"{folder}: results cannot be written there ({error.strerror or error}); choose another --output-folder"
        ) from error


def _model_error(name: str, error: OSError) -> AleeError:
    """What Transformers and the Hub client raise when a model cannot be had, in one line that says what to do."""
    text = str(error)
    if os.path.isdir(name):
        return ModelError(f"{name}: the model folder cannot be loaded ({text})")
    return ModelError(
        f"{name}: the model cannot be loaded ({text[:200]}); where there is a network run `hf download {name}`, then "
        f"copy ~/.cache/huggingface/hub here, or give the path of a downloaded folder to -m"
    )
