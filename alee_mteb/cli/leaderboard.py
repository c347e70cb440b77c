"""`alee submit` and `alee leaderboard …`; the room is imported when a command is called."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from alee_mteb.cli import leaderboard_board

if TYPE_CHECKING:
    from leaderboard.submission.collect import Submission

Json = Annotated[bool, typer.Option("--json", help="Machine-readable output.")]
AllowCommit = Annotated[
    list[str] | None,
    typer.Option(
        "--allow-commit",
        help="For maintainers: let this data-set commit (8 digits or more) pass although it is not known (repeatable).",
    ),
]

group = typer.Typer(
    name="leaderboard",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="""Check results and make the leaderboard out of them.

\b
Examples:
  alee leaderboard check leaderboard/results        what CI of a results repository runs
  alee submit results --to ../alee-mteb             file results of your own
  alee leaderboard build site                       the page, to open or to publish
""",
)
leaderboard_board.register(group)


def register(app: typer.Typer) -> None:
    """Add the commands to the root of the command line."""
    app.command()(submit)
    app.add_typer(group)


def submit(
    results: Annotated[str, typer.Argument(help="A results folder of `alee run` or `mteb run`, or one result file.")],
    to: Annotated[
        str | None, typer.Option("--to", help="A checkout of the results, or a results folder.", show_default=False)
    ] = None,
    repo: Annotated[
        str | None,
        typer.Option("--repo", help="Hub data-set repository org/name: open a pull request.", show_default=False),
    ] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Overwrite files with other content.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Check everything, say what would be written.")] = False,
    allow_commit: AllowCommit = None,
    as_json: Json = False,
) -> None:
    """Check results and file them in the leaderboard: in a checkout, or as a pull request on the Hub.

    Files go in as mteb wrote them. Every figure is recomputed from the outcomes in the file; one that does not follow
    from them, or anything else that is wrong, and nothing is written.

    \b
    Examples:
      alee submit results --to ../alee-mteb --dry-run
      alee submit results --to ../alee-mteb
      alee submit results --repo org/alee-results
    """
    from pathlib import Path

    from alee_mteb.errors import ResultsError
    from leaderboard.submission.collect import read_submission
    from leaderboard.submission.hub import open_pull_request
    from leaderboard.submission.problems import SubmissionError
    from leaderboard.submission.store import file_in_checkout

    if (to is None) == (repo is None):
        raise ResultsError("say where to: either --to CHECKOUT or --repo org/name")
    try:
        with _bar() as watch:
            submission = read_submission(Path(results), _knowledge(allow_commit), watch)
        if to is not None:
            folder, filed = file_in_checkout(submission, Path(to), replace=replace, dry_run=dry_run)
            told: dict[str, Any] = {"to": str(folder), "url": None}
        else:
            assert repo is not None
            request = open_pull_request(submission, repo, replace=replace, dry_run=dry_run)
            filed = list(request.files)
            told = {"to": repo, "url": request.url}
    except SubmissionError as error:
        if as_json:
            typer.echo(_dump({"problems": [asdict(problem) for problem in error.problems]}))
        raise
    told |= {"dry_run": dry_run, "files": [asdict(one) for one in filed], "entries": _entries(submission)}
    typer.echo(_dump(told) if as_json else _told(told))


@group.command()
def check(
    folder: Annotated[str, typer.Argument(help="A results folder, or a checkout that has one.")],
    allow_commit: AllowCommit = None,
    as_json: Json = False,
) -> None:
    """Check everything in a results folder; list all problems with file and field, exit with 1 if there are any.

    \b
    Examples:
      alee leaderboard check leaderboard/results
      alee leaderboard check . --allow-commit 3f2a91c0 --json
    \b
    As a GitHub workflow of a results repository, .github/workflows/check.yml:
      on: [push, pull_request]
      permissions: {contents: read}
      jobs:
        check:
          runs-on: ubuntu-latest
          steps:
            - uses: actions/checkout@v4
            - uses: actions/setup-python@v5
              with: {python-version: "3.12"}
            - run: pip install 'alee-mteb[leaderboard]'
            - run: alee leaderboard check .
    """
    from pathlib import Path

    from leaderboard.submission.collect import check_folder

    with _bar() as watch:
        report = check_folder(Path(folder), _knowledge(allow_commit), watch)
    problems = [asdict(problem) for problem in report.problems]
    if as_json:
        typer.echo(_dump({"folder": str(report.folder), "results": report.n_results, "problems": problems}))
    else:
        for problem in report.problems:
            typer.echo(str(problem))
        typer.echo(f"{report.folder}: {_count(report.n_results, 'result')}, {_count(len(problems), 'problem')}")
    if problems:
        raise typer.Exit(1)


@group.command()
def known(
    task: Annotated[str, typer.Argument(help="Task name, e.g. ALEE-F200.")],
) -> None:
    """Print the row that makes a commit of a data set known, out of the data itself.

    Maintainers add it to leaderboard/known_commits.csv; from then on submissions are held against that commit row by
    row. `ALEE_DATASET` and `ALEE_REVISION` choose the data, as for `alee run`.

    \b
    Examples:
      alee leaderboard known ALEE-Sample
      ALEE_REVISION=0123abcd alee leaderboard known ALEE-F200 >> leaderboard/known_commits.csv
    """
    import mteb

    from alee_mteb.errors import TaskError
    from alee_mteb.tasks import AleeTask
    from alee_mteb.tasks.data import load
    from leaderboard.submission.known import commits_csv, describe

    try:
        found = mteb.get_task(task)
    except KeyError:
        found = None
    if not isinstance(found, AleeTask):
        raise TaskError(f"unknown task {task!r}; `alee tasks` lists them")
    source, table = load(found.spec, found.request)
    row = describe(table, found.metadata.name, source.path, source.commit)
    typer.echo(commits_csv([row], header=False), nl=False)


def _knowledge(allowed: list[str] | None) -> Any:
    import re

    from alee_mteb.errors import ResultsError
    from leaderboard.submission.known import knowledge

    for commit in allowed or ():
        if not re.fullmatch("[0-9a-f]{8,64}", commit):
            raise ResultsError(f"--allow-commit {commit!r}: not a commit; give at least its first 8 digits (0-9, a-f)")
    return knowledge(allowed or ())


def _entries(submission: "Submission") -> list[dict[str, Any]]:
    return [
        {
            "model": one.card.name,
            "revision": one.card.revision,
            "task": one.task,
            "languages": len(one.passed),
            "macro_tacc": round(one.macro, 6),
        }
        for one in submission.entries
    ]


def _told(told: dict[str, Any]) -> str:
    """What happened, for people."""
    lines = [
        f"{one['model']}@{one['revision']}, {one['task']}: macro-TACC {one['macro_tacc']:.3f} over "
        f"{_count(one['languages'], 'language')}"
        for one in told["entries"]
    ]
    would = "would be " if told["dry_run"] else ""
    for file in told["files"]:
        state = "unchanged" if file["state"] == "unchanged" else f"{would}{file['state']}"
        lines.append(f"  {file['path']}  {file['n_bytes']:,} bytes, {state}")
    if told["url"]:
        lines.append(told["url"])
    elif all(file["state"] == "unchanged" for file in told["files"]):
        lines.append(f"{told['to']} has all of it already")
    else:
        lines.append(f"{would}filed in {told['to']}")
    return "\n".join(lines)


def _count(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"


def _dump(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)


@contextmanager
def _bar() -> Iterator[Callable[[int, int], object]]:
    """A bar on standard error; nothing where that is no terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("checking results", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
