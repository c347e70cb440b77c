"""`alee salt compare`: two results of `alee salt evaluate` against each other."""

from pathlib import Path
from typing import Annotated

import typer


def compare(
    a: Annotated[str, typer.Argument(help="Results folder of `alee salt evaluate`.", show_default=False)],
    b: Annotated[str, typer.Argument(help="Another one, on the same data.", show_default=False)],
    every: Annotated[bool, typer.Option("--all", help="Every language and layer, not only means.")] = False,
    layer: Annotated[int | None, typer.Option("--layer", help="Only this layer.")] = None,
    task: Annotated[str | None, typer.Option("--task", help="Only this task.")] = None,
    format: Annotated[str, typer.Option("--format", "-f", help="table, markdown, latex or json.")] = "table",
    seed: Annotated[int, typer.Option("--seed", help="Seed of the resampling.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="As --format json.")] = False,
) -> None:
    """Hold two runs against each other: B − A with 95 % intervals from paired resampling.

    \b
    Examples:
      alee salt compare results/before results/after
      alee salt compare results/before results/after --all --task alignment --layer 12 -f markdown
    """
    import json

    from salt.evaluation.compare import compare_runs, headline
    from salt.evaluation.results import read_run
    from salt.evaluation.tables import difference_cells, latex, markdown, terminal

    one_of(format, ("table", "markdown", "latex", "json"), "--format")
    found = compare_runs(read_run(Path(a)), read_run(Path(b)), seed)
    rows = list(found.rows if every else headline(found.rows))
    if layer is not None:
        rows = [row for row in rows if row.key[4] in ("", str(layer))]
    if task is not None:
        rows = [row for row in rows if row.key[0] == task]
    if as_json or format == "json":
        typer.echo(json.dumps({"rows": [row.to_json() for row in rows], "left_out": list(found.left_out)}, indent=1))
        return
    show = {"table": terminal, "markdown": markdown, "latex": latex}[format]
    typer.echo(show(*difference_cells(rows)), nl=False)
    for line in found.left_out:
        typer.echo(f"not compared: {line}", err=True)


def one_of(value: str, choices: tuple[str, ...], option: str) -> None:
    """Refuse a value that is not among the choices.

    Raises:
        ResultsError: it is not.
    """
    from alee_mteb.errors import ResultsError

    if value not in choices:
        raise ResultsError(f"{option} {value}: choose one of {', '.join(choices)}")


def register(group: typer.Typer) -> None:
    """Add the command to `alee salt`."""
    group.command()(compare)
