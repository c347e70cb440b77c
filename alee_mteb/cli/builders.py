"""The commands that build triplets and look at what was built; their packages are imported when they are called."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from builders.build import Built, Watcher

review = typer.Typer(
    name="review",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Judge foils by hand: draw a sheet, sum up the answers (ALEE paper, §3.6).",
)

_Folder = Annotated[str, typer.Argument(help="The --out folder of `alee build`.", show_default=False)]
_ConfigName = Annotated[
    str | None, typer.Option("--config-name", help="Which configuration, where the folder has several.")
]
_Json = Annotated[bool, typer.Option("--json", help="Machine-readable output.")]


def register(app: typer.Typer) -> None:
    """Add the commands to the root of the command line."""
    for command in (build, stats, explain, publish):
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
    engine: Annotated[str | None, typer.Option("--engine", help="What makes the foils: `amr`.")] = None,
    mode: Annotated[
        str | None,
        typer.Option(
            "--mode", help="`paper` tries candidates until one is valid; `released` does as the authors' scripts."
        ),
    ] = None,
    parser: Annotated[str | None, typer.Option("--parser", help="Sentence-to-graph model: folder or name.")] = None,
    realiser: Annotated[str | None, typer.Option("--realiser", help="Graph-to-sentence model: folder or name.")] = None,
    nli: Annotated[str | None, typer.Option("--nli", help="Entailment model: folder or Hub name.")] = None,
    lexicon: Annotated[str | None, typer.Option("--lexicon", help="Words and their relations: `wordnet`.")] = None,
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

    **Examples**

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
    with _progress() as watcher:
        built = run_build(config, Path(out), overwrite=overwrite, watcher=watcher)
    _tell(built)


def stats(
    folder: _Folder,
    examples: Annotated[int, typer.Option("--examples", "-n", help="Examples per perturbation.")] = 2,
    seed: Annotated[int, typer.Option("--seed", help="Which examples are drawn.")] = 0,
    as_json: _Json = False,
) -> None:
    """Foils per perturbation, why the others failed, lengths, and examples.

    **Examples**

        alee stats my-triplets

        alee stats my-triplets --examples 5 --seed 3

        alee stats my-triplets --json
    """
    from pathlib import Path

    from builders import stats as module

    found = module.folder_stats(Path(folder), examples, seed)
    typer.echo(module.as_json(found) if as_json else "\n\n".join(module.as_text(entry) for entry in found))


def explain(
    folder: _Folder,
    source_id: Annotated[str, typer.Option("--id", help="The id of the source.", show_default=False)],
    config_name: _ConfigName = None,
) -> None:
    """One source with its graphs, edits, foils and verdicts.

    **Examples**

        alee explain my-triplets --id 17
    """
    from pathlib import Path

    from builders.explain import explain as explained

    typer.echo(explained(Path(folder), source_id, config_name))


def publish(
    folder: _Folder,
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

    **Examples**

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


@review.command()
def sample(
    folder: _Folder,
    n: Annotated[int, typer.Option("-n", help="Number of pairs.", min=1)] = 200,
    seed: Annotated[int, typer.Option("--seed", help="Which pairs are drawn, and their order.")] = 0,
    out: Annotated[str, typer.Option("--out", "-o", help="Where to write; .csv and .html are added.")] = "review",
    config_name: _ConfigName = None,
) -> None:
    """Draw source–foil pairs, as evenly over the perturbations as they allow: a CSV sheet and an HTML form.

    Fill the columns *valid* and *grammatical* with yes or no; or open the form in a browser and save its CSV.

    **Examples**

        alee review sample my-triplets -n 200 --seed 1

        alee review sample my-triplets -n 50 --out anna
    """
    from pathlib import Path

    from alee_mteb.files import write_text
    from builders import review as module
    from builders.folder import only_configuration
    from builders.review_form import form

    configuration = only_configuration(Path(folder), config_name)
    pairs = module.draw(configuration, n, seed)
    sheet, page = Path(f"{out}.csv"), Path(f"{out}.html")
    write_text(sheet, module.sheet(pairs))
    write_text(page, form(pairs, configuration.name, sheet.name))
    typer.echo(f"{len(pairs)} pairs: {sheet} and {page}. When filled: alee review summary {sheet}")


@review.command()
def summary(
    sheets: Annotated[
        list[str], typer.Argument(help="One filled sheet, or those of two annotators.", show_default=False)
    ],
    as_json: _Json = False,
) -> None:
    """Shares of valid and grammatical foils with 95 % intervals; for two annotators also their agreement.

    **Examples**

        alee review summary review.csv

        alee review summary anna.csv ben.csv --json
    """
    from pathlib import Path

    from alee_mteb.errors import DataError
    from builders import review as module

    if len(sheets) > 2:
        raise DataError(f"expected one or two sheets, got {len(sheets)}")
    found = module.summarise([Path(name) for name in sheets])
    typer.echo(module.as_json(found) if as_json else module.as_text(found))


def _listed(text: str | None) -> list[str] | None:
    return None if text is None else [name.strip() for name in text.split(",") if name.strip()]


@contextmanager
def _progress() -> Iterator["Watcher"]:
    """A bar on standard error that says which stage works on how many items."""
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
        task = bar.add_task("reading the corpus", total=None)

        class Bar:
            def start(self, n_rows: int) -> None:
                bar.update(task, total=n_rows, description="sources")

            @contextmanager
            def stage(self, what: str, total: int) -> Iterator[Callable[[int], object]]:
                part = bar.add_task(f"  {what}", total=total)
                yield lambda done: bar.update(part, advance=done)
                bar.remove_task(part)

            def finished(self, n_rows: int, *, reused: bool) -> None:
                bar.update(task, advance=n_rows)

        yield Bar()


def _tell(built: "Built") -> None:
    """What came out, in a few lines."""
    lines = [f"{built.folder}: this build was there already" if built.was_there else f"{built.folder}: {built.config}"]
    lines[0] += f", {built.counts['sources']} sources"
    lines += [f"  {kind}: {counts['success']}" for kind, counts in built.counts["statuses"].items()]
    lines += [f"  left out, {reason.replace('_', ' ')}: {n}" for reason, n in built.counts["left_out"].items()]
    typer.echo("\n".join(lines))
    if not any(counts["success"] for counts in built.counts["statuses"].values()):
        typer.echo(f"alee: no foil came out; `alee stats {built.folder}` tells why", err=True)
    else:
        typer.echo(f"Why and how: alee stats {built.folder}. Score: alee run -m MODEL --data {built.folder}")
