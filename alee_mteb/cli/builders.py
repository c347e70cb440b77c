"""The commands that build triplets and look at what was built; their packages are imported when they are called."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from alee_mteb.cli.review import ConfigName, Folder, Json, review

if TYPE_CHECKING:
    from builders.build import Built, Watcher


def register(app: typer.Typer) -> None:
    """Add the commands to the root of the command line."""
    for command in (build, stats, explain, publish, data):
        app.command()(command)
    app.add_typer(review)


def build(
    out: Annotated[str, typer.Option("--out", "--output", "-o", help="Folder for the triplets.", show_default=False)],
    recipe: Annotated[
        str | None, typer.Option("--recipe", help="`f200`, `mt61`, `bq275`, or a YAML file; flags go before it.")
    ] = None,
    corpus: Annotated[
        str | None,
        typer.Option("--corpus", help="Name of a corpus, or a TSV, CSV, JSONL or Parquet file with an English column."),
    ] = None,
    config_name: Annotated[
        str | None, typer.Option("--config-name", help="Name of the configuration; the corpus's own by default.")
    ] = None,
    engine: Annotated[
        str | None,
        typer.Option(
            "--engine",
            help="What makes the foils: `amr`, or `surface` (experimental; changes single words, needs no models).",
        ),
    ] = None,
    mode: Annotated[
        str | None,
        typer.Option(
            "--mode", help="`paper` tries candidates until one is valid; `released` does as the authors' scripts."
        ),
    ] = None,
    parser: Annotated[str | None, typer.Option("--parser", help="Sentence-to-graph model: folder or name.")] = None,
    realiser: Annotated[
        str | None,
        typer.Option(
            "--realiser", help="Graph-to-sentence model: folder or name; `surface` edits the source text instead."
        ),
    ] = None,
    nli: Annotated[str | None, typer.Option("--nli", help="Entailment model: folder or Hub name.")] = None,
    lexicon: Annotated[
        str | None, typer.Option("--lexicon", help="Words and their relations: `wordnet` (amr) or `curated` (surface).")
    ] = None,
    english_column: Annotated[
        str | None, typer.Option("--english-column", help="The column of English texts, where its name does not tell.")
    ] = None,
    id_column: Annotated[
        str | None, typer.Option("--id-column", help="The column that identifies a row; row numbers without one.")
    ] = None,
    license: Annotated[
        str | None, typer.Option("--license", help="Licence of a corpus of your own, e.g. cc-by-4.0.")
    ] = None,
    revision: Annotated[str | None, typer.Option("--revision", help="Revision of a corpus on the Hub.")] = None,
    seed: Annotated[int | None, typer.Option("--seed", help="Seed of every random choice.")] = None,
    languages: Annotated[
        str | None, typer.Option("--languages", help="Target languages, with commas; all by default.")
    ] = None,
    limit: Annotated[int | None, typer.Option("--limit", help="Only the first so many sources.")] = None,
    perturbations: Annotated[
        str | None, typer.Option("--perturbations", help="Some of PN,RS,AR,HS; all by default.")
    ] = None,
    batch_size: Annotated[
        int | None, typer.Option("--batch-size", help="Texts a model sees at once; never changes the outcome.")
    ] = None,
    device: Annotated[
        str | None, typer.Option("--device", help="cpu, cuda, cuda:1, mps; the best there is by default.")
    ] = None,
    control: Annotated[
        bool | None, typer.Option("--control", help="Also regenerate each source from its unedited graph.")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace another build in the folder.")] = False,
) -> None:
    """Build triplets from a parallel corpus. A stopped build goes on when the same command is run again.

    \b
    Examples:
      alee build --recipe mt61 --out mt61
      alee build --corpus corpus.tsv --seed 1 --out my-triplets
      alee build --recipe f200 --languages deu_Latn,fra_Latn --limit 50 --device cuda --out try
    """
    flags = {
        "corpus": corpus,
        "config_name": config_name,
        "engine": engine,
        "mode": mode,
        "parser": parser,
        "realiser": realiser,
        "nli": nli,
        "lexicon": lexicon,
        "english_column": english_column,
        "id_column": id_column,
        "license": license,
        "revision": revision,
        "seed": seed,
        "languages": _listed(languages),
        "limit": limit,
        "perturbations": _listed(perturbations),
        "batch_size": batch_size,
        "device": device,
        "control": control,
    }
    from pathlib import Path

    from builders.build import build as run_build
    from builders.recipes import make_config

    config = make_config(recipe, flags)
    _quieten_libraries()
    with _progress() as watcher:
        built = run_build(config, Path(out), overwrite=overwrite, watcher=watcher)
    _tell(built)


def stats(
    folder: Folder,
    examples: Annotated[int, typer.Option("--examples", "-n", help="Examples per perturbation.")] = 2,
    seed: Annotated[int, typer.Option("--seed", help="Which examples are drawn.")] = 0,
    as_json: Json = False,
) -> None:
    """Foils per perturbation, why the others failed, lengths, and examples.

    \b
    Examples:
      alee stats my-triplets
      alee stats my-triplets --examples 5 --seed 3
      alee stats my-triplets --json
    """
    from pathlib import Path

    from builders import stats as module

    found = module.folder_stats(Path(folder), examples, seed)
    typer.echo(module.as_json(found) if as_json else "\n\n".join(module.as_text(entry) for entry in found))


def explain(
    folder: Folder,
    source_id: Annotated[str, typer.Option("--id", help="The id of the source.", show_default=False)],
    config_name: ConfigName = None,
) -> None:
    """One source with its graphs, edits, foils and verdicts.

    \b
    Examples:
      alee explain my-triplets --id 17
    """
    from pathlib import Path

    from builders.explain import explain as explained

    typer.echo(explained(Path(folder), source_id, config_name))


def publish(
    folder: Folder,
    repo: Annotated[str, typer.Option("--repo", help="Hub repository, org/name; made if need be.", show_default=False)],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Check everything, say what would go up.")] = False,
    private: Annotated[bool, typer.Option("--private", help="Make a new repository private.")] = False,
    create_pr: Annotated[bool, typer.Option("--create-pr", help="Open a pull request instead of writing.")] = False,
    revision: Annotated[str | None, typer.Option("--revision", help="Branch; main by default.")] = None,
    i_have_the_right: Annotated[
        bool,
        typer.Option("--i-have-the-right", help="You may re-host text whose licence or access terms forbid it."),
    ] = False,
) -> None:
    """Put a finished build on the Hugging Face Hub: tables, manifest and card, in one commit.

    \b
    Examples:
      alee publish my-triplets --repo org/my-triplets --dry-run
      alee publish my-triplets --repo org/my-triplets --private
      ALEE_DATASET=org/my-triplets mteb run -m intfloat/multilingual-e5-small -t ALEE-MT61
    """
    from pathlib import Path

    from builders.publish import publish as publish_build

    publish_build(
        Path(folder),
        repo,
        dry_run=dry_run,
        private=private,
        create_pr=create_pr,
        revision=revision,
        i_have_the_right=i_have_the_right,
        say=typer.echo,
    )


def data(
    what: Annotated[
        list[str] | None,
        typer.Argument(help="Some of wordnet, punkt, parser, realiser, nli; all by default.", show_default=False),
    ] = None,
    as_json: Json = False,
) -> None:
    """Get the models and word lists that building needs; say where to put by hand what cannot be fetched.

    What is there already is left alone. Exits with 1 if something is missing in the end.

    \b
    Examples:
      alee data
      alee data wordnet punkt
      ALEE_MODELS=/big/disk alee data parser realiser
    """
    import json
    from dataclasses import asdict

    from builders.fetch import fetch

    with _progress("fetching") as watcher:
        found = fetch(what or (), watcher.stage)
    if as_json:
        typer.echo(json.dumps([asdict(entry) for entry in found], indent=2))
    else:
        for entry in found:
            typer.echo(f"{entry.name}: {entry.place or f'missing. {entry.problem}'}")
    if any(entry.place is None for entry in found):
        raise typer.Exit(1)


def _quieten_libraries() -> None:
    """Keep standard error for bars and the one line that says what is wrong."""
    import logging
    import os
    import sys

    # What it logs about odd graphs stands in the provenance table.
    logging.getLogger("amrlib").setLevel(logging.ERROR)
    if not sys.stderr.isatty():
        os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")


def _listed(text: str | None) -> list[str] | None:
    return None if text is None else [name.strip() for name in text.split(",") if name.strip()]


@contextmanager
def _progress(what: str = "reading the corpus") -> Iterator["Watcher"]:
    """A bar on standard error that says which stage works on how many items; nothing where that is no terminal."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, total=None)

        class Bar:
            def start(self, n_rows: int) -> None:
                bar.update(task, total=n_rows, description="sources")

            @contextmanager
            def stage(self, what: str, total: int) -> Iterator[Callable[[int], object]]:
                part = bar.add_task(f"  {what}", total=total or None)
                yield lambda done: bar.update(part, advance=done)
                bar.remove_task(part)

            def finished(self, n_rows: int, *, reused: bool) -> None:
                bar.update(task, advance=n_rows)

        yield Bar()


def _tell(built: "Built") -> None:
    """What came out, in a few lines."""
    from builders.tables import CONTROL

    lines = [f"{built.folder}: this build was there already" if built.was_there else f"{built.folder}: {built.config}"]
    lines[0] += f", {built.counts['sources']} sources"
    lines += [f"  {kind}: {counts['success']}" for kind, counts in built.counts["statuses"].items()]
    lines += [f"  left out, {reason.replace('_', ' ')}: {n}" for reason, n in built.counts["left_out"].items()]
    typer.echo("\n".join(lines))
    foils = {kind: counts for kind, counts in built.counts["statuses"].items() if kind != CONTROL}
    if not any(counts["success"] for counts in foils.values()):
        typer.echo(f"alee: no foil came out; `alee stats {built.folder}` tells why", err=True)
    else:
        typer.echo(f"Why and how: alee stats {built.folder}. Score: alee run -m MODEL --data {built.folder}")
