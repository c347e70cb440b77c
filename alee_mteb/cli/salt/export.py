"""`alee salt export` and `alee salt push`: a trained encoder as a folder, and on the Hub."""

from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="Machine-readable output.")]


def export(
    run: Annotated[str, typer.Argument(help="Folder of one seed, such as runs/mine/seed-0.", show_default=False)],
    name: Annotated[str, typer.Option("--name", help="What to call the model, org/name.", show_default=False)],
    output: Annotated[str, typer.Option("--output", "--out", "-o", help="Folder for the model.", show_default=False)],
    step: Annotated[int | None, typer.Option("--step", help="Of which checkpoint; the last by default.")] = None,
    license: Annotated[
        str | None, typer.Option("--license", help="Licence of the model; that of its base by default.")
    ] = None,
    fairseq2: Annotated[
        str | None,
        typer.Option("--fairseq2", help="SONAR only: also write the weights to this file as fairseq2 lays them out."),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an earlier export in the folder.")] = False,
    as_json: Json = False,
) -> None:
    """Write a trained encoder as a folder for Transformers, sentence-transformers and mteb, with a model card.

    \b
    Examples:
      alee salt export runs/mine/seed-0 --name my-org/salt-e5 -o salt-e5
      alee salt export runs/sonar/seed-0 --name my-org/salt-sonar -o salt-sonar --fairseq2 salt-sonar.pt
      alee models add salt-e5 --name my-org/salt-e5
      alee run -m my-org/salt-e5 -t ALEE-Sample
    """
    import json
    from pathlib import Path

    from salt.export.folder import export_run

    done = export_run(Path(run), Path(output), name=name, step=step, license=license, overwrite=overwrite)
    if fairseq2 is not None:
        from salt.conversion.files import write_fairseq2

        write_fairseq2(done.folder, Path(fairseq2), overwrite=overwrite)
    if as_json:
        entry = {"folder": str(done.folder), "name": done.name, "revision": done.revision, "license": done.license}
        typer.echo(json.dumps(entry, indent=1))
    else:
        typer.echo(f"{done.folder}: {done.name}, revision {done.revision}, licence {done.license}")
        typer.echo(f"Register: alee models add {done.folder} --name {done.name}")


def push(
    folder: Annotated[str, typer.Argument(help="A folder that `alee salt export` wrote.", show_default=False)],
    repo: Annotated[str, typer.Option("--repo", help="Hub repository, org/name; made if need be.", show_default=False)],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Check everything, say what would go up.")] = False,
    private: Annotated[bool, typer.Option("--private", help="Make a new repository private.")] = False,
    create_pr: Annotated[bool, typer.Option("--create-pr", help="Open a pull request instead of writing.")] = False,
    revision: Annotated[str | None, typer.Option("--revision", help="Branch; main by default.")] = None,
    as_json: Json = False,
) -> None:
    """Put an exported model on the Hugging Face Hub, in one commit.

    \b
    Examples:
      alee salt push salt-e5 --repo my-org/salt-e5 --dry-run
      alee salt push salt-e5 --repo my-org/salt-e5 --private
    """
    import json
    from pathlib import Path

    from salt.export.push import push_model

    done = push_model(Path(folder), repo, private=private, dry_run=dry_run, branch=revision, create_pr=create_pr)
    if as_json:
        entry = {"url": done.url, "commit": done.commit, "revision": done.revision, "files": dict(done.files)}
        typer.echo(json.dumps(entry, indent=1))
        return
    if dry_run:
        typer.echo(f"would put {folder} (weights {done.revision}) on {repo}, {len(done.files)} files:")
        for file, size in done.files.items():
            typer.echo(f"  {file}  {size:,} bytes")
    typer.echo(done.url)


def register(group: typer.Typer) -> None:
    """Add the commands to `alee salt`."""
    group.command()(export)
    group.command()(push)
