"""The commands of the manual quality review."""

from typing import Annotated

import typer

Folder = Annotated[str, typer.Argument(help="The --out folder of `alee build`.", show_default=False)]
ConfigName = Annotated[
    str | None, typer.Option("--config-name", help="Which configuration, where the folder has several.")
]
Json = Annotated[bool, typer.Option("--json", help="Machine-readable output.")]

review = typer.Typer(
    name="review",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Judge foils by hand: draw a sheet, sum up the answers (ALEE paper, §3.6).",
)


@review.command()
def sample(
    folder: Folder,
    n: Annotated[int, typer.Option("-n", help="Number of pairs.", min=1)] = 200,
    seed: Annotated[int, typer.Option("--seed", help="Which pairs are drawn, and their order.")] = 0,
    out: Annotated[str, typer.Option("--out", "-o", help="Where to write; .csv and .html are added.")] = "review",
    config_name: ConfigName = None,
) -> None:
    """Draw source–foil pairs, as evenly over the perturbations as they allow: a CSV sheet and an HTML form.

    Fill the columns *valid* and *grammatical* with yes or no; or open the form in a browser and save its CSV.

    \b
    Examples:
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
    as_json: Json = False,
) -> None:
    """Shares of valid and grammatical foils with 95 % intervals; for two annotators also their agreement.

    \b
    Examples:
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
