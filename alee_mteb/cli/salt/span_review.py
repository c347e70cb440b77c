"""`alee salt spans review`: have spans rated by hand."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from pathlib import Path

Files = Annotated[
    list[str], typer.Option("--spans", help="File of spans that the sheets were drawn from (repeatable).")
]
Json = Annotated[bool, typer.Option("--json", help="Machine-readable output.")]

review = typer.Typer(
    name="review",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Have spans rated by hand from 1 to 4 (SALT paper, Appendix G).",
)


@contextmanager
def _written(path: "Path") -> Iterator[None]:
    """Failing to write is one line."""
    from alee_mteb.errors import DataError

    try:
        yield
    except OSError as error:
        raise DataError(f"{path}: cannot be written ({error.strerror or error})") from error


@review.command()
def draw(
    files: Annotated[list[str], typer.Argument(help="Files of spans, e.g. one of each method.", show_default=False)],
    n: Annotated[int, typer.Option("-n", help="Number of spans.", min=1)] = 200,
    seed: Annotated[int, typer.Option("--seed", help="Which spans are drawn, and their order.")] = 0,
    min_words: Annotated[int, typer.Option("--min-words", help="Shortest source span.", min=1)] = 1,
    out: Annotated[str, typer.Option("--out", "-o", help="Where to write; .csv and .html are added.")] = "span-review",
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace a sheet that is there, ratings and all.")
    ] = False,
) -> None:
    """Draw spans to rate, as evenly over files and languages as they allow: a CSV sheet and an HTML form.

    Neither tells which file a span is from. Fill the column *rating* with 1 to 4; or rate in the form and save its CSV.

    \b
    Examples:
      alee salt spans review draw spans.parquet -n 200 --seed 1
      alee salt spans review draw case.parquet llm.parquet --out anna
    """
    from pathlib import Path

    from alee_mteb.errors import DataError
    from alee_mteb.files import write_text
    from salt.spans import review as module
    from salt.spans.review_form import form
    from salt.spans.review_sheet import sheet

    items = module.draw([Path(name) for name in files], n, seed, min_words=min_words)
    table, page = Path(f"{out}.csv"), Path(f"{out}.html")
    with _written(table):
        text = sheet(items)
        if not overwrite and table.exists() and table.read_bytes() != text.encode():
            raise DataError(
                f"{table}: there already, with ratings or other spans; name another --out, or --overwrite it"
            )
        write_text(table, text)
        write_text(page, form(items, "aligned spans", table.name))
    names = " ".join(f"--spans {name}" for name in files)
    typer.echo(f"{len(items)} spans: {table} and {page}. When filled: alee salt spans review sum {table} {names}")


@review.command("sum")
def sum_up(
    sheets: Annotated[list[str], typer.Argument(help="Filled sheets.", show_default=False)],
    spans: Files = [],  # noqa: B006 - never changed; how typer wants the default of a list
    as_json: Json = False,
) -> None:
    """Shares of the ratings by language, and by method if the files of spans are named, as in Table 13 of the paper.

    For two sheets also how far they agree on the spans that both rate.

    \b
    Examples:
      alee salt spans review sum span-review.csv
      alee salt spans review sum anna.csv ben.csv --spans case.parquet --spans llm.parquet --json
    """
    import json
    from dataclasses import asdict
    from pathlib import Path

    from salt.spans import review_sheet
    from salt.spans.review import methods
    from salt.spans.terminal import aligned

    found_by = methods([Path(name) for name in spans]) if spans else None
    summary = review_sheet.summarise([review_sheet.read_sheet(Path(name)) for name in sheets], found_by)
    if as_json:
        typer.echo(json.dumps(asdict(summary), indent=1))
        return
    typer.echo(aligned(review_sheet.as_rows(summary)))
    if summary.unrated:
        typer.echo(f"not rated: {summary.unrated}")
    if both := summary.agreement:
        kappa = "undefined (one and the same rating throughout)" if both.kappa is None else f"{both.kappa:.3f}"
        typer.echo(f"agreement: {both.raw:.1%} of {both.n} spans, Cohen's kappa with quadratic weights {kappa}")


@review.command()
def keep(
    sheets: Annotated[list[str], typer.Argument(help="Filled sheets.", show_default=False)],
    spans: Files,
    output: Annotated[str, typer.Option("--output", "-o", help="A .parquet or .jsonl file.", show_default=False)],
    least: Annotated[int, typer.Option("--least", help="Lowest rating to keep.", min=1, max=4)] = 4,
) -> None:
    """Keep the spans that are rated 4: a CrossSpan set. Where sheets differ, the lower rating counts.

    Parquet is what `alee salt spans` writes; JSONL has one span per line, with its sentences and offsets.

    \b
    Examples:
      alee salt spans review keep span-review.csv --spans spans.parquet -o crossspan.parquet
      alee salt spans review keep anna.csv ben.csv --spans case.parquet --spans llm.parquet -o crossspan.jsonl
    """
    from pathlib import Path

    from alee_mteb.errors import DataError
    from salt.spans import review as module
    from salt.spans.review_sheet import lowest_ratings, read_sheet
    from salt.spans.table import write_spans, write_spans_jsonl

    path = Path(output)
    if path.suffix not in {".parquet", ".jsonl"}:
        raise DataError(f"{path}: expected a name that ends in .parquet or .jsonl")
    ratings = lowest_ratings([read_sheet(Path(name)) for name in sheets])
    pairs, info = module.keep([Path(name) for name in spans], ratings, least)
    with _written(path):
        (write_spans if path.suffix == ".parquet" else write_spans_jsonl)(path, pairs, info)
    typer.echo(f"{path}: {sum(len(found.spans) for found in pairs)} spans of {len(pairs)} pairs")
