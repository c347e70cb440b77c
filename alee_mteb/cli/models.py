"""`alee models`: encoders of one's own that mteb knows by name."""

import json
from dataclasses import asdict
from typing import Annotated

import typer

group = typer.Typer(
    name="models",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="""Register encoder folders, so that mteb runs them by name in any later process.

\b
Examples:
  alee models add runs/salt-e5 --name my-org/salt-e5
  mteb run -m my-org/salt-e5 -t ALEE-Sample
  alee models list
  alee models remove my-org/salt-e5
""",
)

Name = Annotated[str, typer.Argument(help="The registered name, org/name.", show_default=False)]
Json = Annotated[bool, typer.Option("--json", help="Machine-readable output.")]


def register(app: typer.Typer) -> None:
    """Add the group to the `alee` command."""
    app.add_typer(group)


@group.command()
def add(
    path: Annotated[str, typer.Argument(help="Folder of the encoder, with safetensors weights.", show_default=False)],
    name: Annotated[str, typer.Option("--name", "-n", help="Name for mteb, org/name.", show_default=False)],
    stand_in: Annotated[
        str | None,
        typer.Option(
            "--stand-in",
            help="For encoders with language tokens: the language whose token a text gets if its own has none. "
            "Without it such texts are an error.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Check an encoder folder and register it; its revision is a hash of its weights.

    \b
    Examples:
      alee models add runs/salt-e5 --name my-org/salt-e5
      alee models add runs/salt-sonar --name my-org/salt-sonar --stand-in ita_Latn
    """
    from alee_mteb.models.registry import add_model

    model = add_model(path, name, stand_in=stand_in)
    if as_json:
        typer.echo(json.dumps(asdict(model), indent=2))
        return
    typer.echo(f"{model.name} is registered: {model.family}, {model.dimension} dimensions, revision {model.revision}")
    typer.echo(f"Score it: mteb run -m {model.name} -t ALEE-Sample")


@group.command("list")
def list_models(as_json: Json = False) -> None:
    """Show what is registered, and whether its folder is still there.

    \b
    Examples:
      alee models list
      alee models list --json
    """
    from alee_mteb.encoders.registered import read_registry, registry_path

    models = read_registry().values()
    if as_json:
        typer.echo(json.dumps([{**asdict(model), "state": model.state} for model in models], indent=2))
        return
    if not models:
        typer.echo(f"No models are registered ({registry_path()}); `alee models add FOLDER --name org/name` adds one.")
        return
    rows = [(model.name, model.revision, model.family, model.path, model.state) for model in models]
    header = ("name", "revision", "family", "folder", "state")
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    for row in (header, *rows):
        typer.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


@group.command()
def remove(name: Name) -> None:
    """Forget a model; its folder stays where it is.

    \b
    Examples:
      alee models remove my-org/salt-e5
    """
    from alee_mteb.encoders.registered import remove_model

    remove_model(name)
    typer.echo(f"{name} is not registered any more; its folder is untouched.")
