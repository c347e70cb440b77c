"""`alee salt demo`: SALT from beginning to end on a real small encoder."""

from typing import Annotated

import typer


def demo(
    folder: Annotated[str, typer.Option("--output", "-o", help="Folder of the demo; about 1.5 GB.")] = "salt-demo",
    steps: Annotated[int, typer.Option("--steps", min=2, help="Updates.")] = 40,
    as_json: Annotated[bool, typer.Option("--json", help="Machine-readable output.")] = False,
) -> None:
    """The whole way on a real small encoder, in under five minutes on two cores.

    Encoder from PyPI, aligned spans of ALEE-Sample's sentences by CASE, a short training, export, registration, and
    scores before and after. A stopped demo goes on. Most of the sample's sentences are also what it trains on, so its
    scores show that things work, not how well; the retrieval figure is of texts that training did not see.

    \b
    Examples:
      alee salt demo
      alee salt demo --output /tmp/salt-demo --steps 20
    """
    import json
    from pathlib import Path

    from rich.console import Console

    from alee_mteb.report.render import render_report
    from salt.demo import AFTER, run_demo

    console = Console(stderr=True, highlight=False)
    done = run_demo(Path(folder), lambda stage: console.print(stage, soft_wrap=True), steps=steps)
    if as_json:
        scores = json.loads(render_report(done.results, "json", by_language=False))
        typer.echo(json.dumps({"scores": scores, "retrieval_error": dict(done.retrieval)}, indent=1))
        return
    typer.echo(render_report(done.results, "table", by_language=False), nl=False)
    typer.echo("\nRetrieval error on texts that training did not see, English from and to 12 languages:")
    for name, error in done.retrieval.items():
        typer.echo(f"  {name}: {error:.4f}")
    typer.echo(f"\nTry it: ALEE_MODEL_REGISTRY={done.registry} alee run -m {AFTER} -t ALEE-Sample")
    typer.echo(f"Keep it: alee models add {Path(folder) / 'model'} --name ORG/NAME")


def register(group: typer.Typer) -> None:
    """Add the command to `alee salt`."""
    group.command()(demo)
