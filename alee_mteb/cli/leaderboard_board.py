"""`alee leaderboard build` and `alee leaderboard serve`: the board as a folder, and a preview of it."""

import json
from pathlib import Path
from typing import Annotated

import typer

Results = Annotated[
    Path | None,
    typer.Option(
        "--results", help="Results in mteb's layout; those that come with the package by default.", show_default=False
    ),
]


def register(group: typer.Typer) -> None:
    """Add the commands to the `leaderboard` group."""
    group.command()(build)
    group.command()(serve)


def build(
    out: Annotated[Path, typer.Argument(help="Folder for the site: empty, new, or that of an earlier build.")],
    results: Results = None,
    as_json: Annotated[bool, typer.Option("--json", help="Machine-readable output.")] = False,
) -> None:
    """Write the board as a static site.

    One page with everything in it, which opens from a disk or any web server and asks nothing of the network. Scores,
    intervals and ties are computed from the outcomes in the results; the same results give the same bytes.

    \b
    Examples:
      alee leaderboard build site
      alee leaderboard build site --results my-results
    """
    from functools import partial

    from tqdm import tqdm

    from leaderboard.board.build import build_site
    from leaderboard.entries import RESULTS

    bar = partial(tqdm, desc="computing", unit="entry", leave=False, disable=None)
    built = build_site(out, results or RESULTS, bar)
    if as_json:
        record = {name: value for name, value in vars(built).items() if name != "page"}
        typer.echo(json.dumps({"page": str(built.page), **record}, indent=2))
        return
    typer.echo(
        f"{built.page}: {built.models} models, {built.page_bytes / 1e6:.2f} MB; "
        f"{built.files} files, {built.bytes / 1e6:.2f} MB in all"
    )


def serve(
    results: Results = None,
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Port; 0 for any free one.")] = 8075,
) -> None:
    """Show the board on this machine, and again when results change.

    Nothing is written. The page reloads by itself; Ctrl-C ends it.

    \b
    Examples:
      alee leaderboard serve
      alee leaderboard serve --results my-results --port 9000
    """
    from leaderboard.board.serve import HOST, Preview, make_server
    from leaderboard.entries import RESULTS

    preview = Preview(results or RESULTS, lambda line: typer.echo(line, err=True))
    with make_server(preview, port) as server:
        typer.echo(f"http://{HOST}:{server.server_port}/  (Ctrl-C ends it)")
        server.serve_forever()
