"""`alee analyse` and its kinds; what they need is imported when they are called."""

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from alee_mteb.report.results import RunScores

Results = Annotated[
    list[str] | None,
    typer.Argument(
        help="Results folders of mteb, result files, or per-triplet files (--prediction-folder); `results` by default.",
        show_default=False,
    ),
]
Out = Annotated[
    str | None, typer.Option("--out", "--output", "-o", help="Folder for CSV, JSON and figures; else text is printed.")
]
Published = Annotated[bool, typer.Option("--published", help="The paper's own figures instead of results.")]
ThemeName = Annotated[str, typer.Option("--theme", help="light, dark or both.")]
Format = Annotated[str, typer.Option("--format", "-f", help="svg or png.")]
Json = Annotated[bool, typer.Option("--json", help="Print everything as JSON.")]
Csv = Annotated[bool, typer.Option("--csv", help="Print the rows as CSV.")]
Languages = Annotated[
    list[str] | None,
    typer.Option(
        "--languages",
        "-l",
        help="Languages of the case study: keys, codes or names, with commas or repeated; Romansh by default.",
    ),
]
Tokenizer = Annotated[
    str | None,
    typer.Option("--tokenizer", help="Count subtokens with this one (folder, tokenizer.json, Hub name)."),
]
Data = Annotated[
    str | None,
    typer.Option("--data", help="The triplets that were scored (folder, file, Hub repository), for --tokenizer."),
]
TrainingData = Annotated[
    str | None,
    typer.Option("--training-data", help="Table with the columns language, pretraining, contrastive; else mGTE's."),
]

app = typer.Typer(
    name="analyse",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="""The paper's figures and tables for any results, as data and as figures.

\b
Examples:
  alee analyse all results -o figures --theme both
  alee analyse case results -l roh_sursilv,roh_puter -o figures
  alee analyse cc100 --published --csv
  alee analyse compare multilingual-e5-base LaBSE results
""",
)


def register(root: typer.Typer) -> None:
    """Add `analyse` and `pick` to the root of the command line."""
    from alee_mteb.cli.pick import pick

    root.add_typer(app)
    root.command()(pick)


def _run(
    kind: str,
    results: list[str] | None,
    published: bool,
    output: tuple[str | None, str, str, bool, bool],
    languages: list[str] | None = None,
    tokenizer: str | None = None,
    data: str | None = None,
    training_data: str | None = None,
) -> None:
    from pathlib import Path

    from alee_mteb.analysis.case_study import ROMANSH
    from alee_mteb.analysis.kinds import Choices
    from alee_mteb.analysis.training_file import load_amounts
    from alee_mteb.cli.analyse_output import Wanted, analyse, load_runs

    wanted = Wanted(*output)
    wanted.check()
    runs = load_runs(results or [], published)
    choices = Choices(
        languages=tuple(_listed(languages)) or ROMANSH,
        medians=_medians(runs, tokenizer, data),
        amounts=load_amounts(Path(training_data)) if training_data else None,
    )
    analyse(kind, runs, choices, wanted)


@app.command()
def perturbations(
    results: Results = None,
    out: Out = None,
    published: Published = False,
    theme: ThemeName = "light",
    format: Format = "svg",
    json: Json = False,
    csv: Csv = False,
) -> None:
    """TACC by model and perturbation (Figure 2)."""
    _run("perturbations", results, published, (out, theme, format, json, csv))


@app.command()
def lengths(
    results: Results = None,
    out: Out = None,
    published: Published = False,
    theme: ThemeName = "light",
    format: Format = "svg",
    json: Json = False,
    csv: Csv = False,
) -> None:
    """Macro-TACC by length or level of the text, with relative drops (Figure 3)."""
    _run("lengths", results, published, (out, theme, format, json, csv))


@app.command()
def cc100(
    results: Results = None,
    out: Out = None,
    published: Published = False,
    theme: ThemeName = "light",
    format: Format = "svg",
    json: Json = False,
    csv: Csv = False,
) -> None:
    """Languages by the size of their CC-100 corpus, with Spearman's rho (Figure 4)."""
    _run("cc100", results, published, (out, theme, format, json, csv))


@app.command()
def tiers(
    results: Results = None,
    out: Out = None,
    published: Published = False,
    theme: ThemeName = "light",
    format: Format = "svg",
    json: Json = False,
    csv: Csv = False,
) -> None:
    """Languages by rank tier in Common Crawl (Figure 5)."""
    _run("tiers", results, published, (out, theme, format, json, csv))


@app.command()
def training(
    results: Results = None,
    out: Out = None,
    training_data: TrainingData = None,
    theme: ThemeName = "light",
    format: Format = "svg",
    json: Json = False,
    csv: Csv = False,
) -> None:
    """A model's languages by its pre-training and contrastive data (Figure 6).

    Scores of single models per language were not published, so this needs results of your own.
    """
    _run("training", results, False, (out, theme, format, json, csv), training_data=training_data)


@app.command()
def subtokens(
    results: Results = None,
    out: Out = None,
    published: Published = False,
    tokenizer: Tokenizer = None,
    data: Data = None,
    theme: ThemeName = "light",
    format: Format = "svg",
    json: Json = False,
    csv: Csv = False,
) -> None:
    """Languages by the median number of subtokens of their texts (Figures 7, 9, 10)."""
    _run("subtokens", results, published, (out, theme, format, json, csv), tokenizer=tokenizer, data=data)


@app.command()
def case(
    results: Results = None,
    out: Out = None,
    languages: Languages = None,
    published: Published = False,
    theme: ThemeName = "light",
    format: Format = "svg",
    json: Json = False,
    csv: Csv = False,
) -> None:
    """All models on chosen languages, by default the six Romansh varieties (Figure 8)."""
    _run("case", results, published, (out, theme, format, json, csv), languages=languages)


@app.command()
def models(
    results: Results = None,
    out: Out = None,
    published: Published = False,
    theme: ThemeName = "light",
    format: Format = "svg",
    json: Json = False,
    csv: Csv = False,
) -> None:
    """Models over data sets and perturbations, with averages and ranks (Tables 3 and 5)."""
    _run("models", results, published, (out, theme, format, json, csv))


@app.command(name="languages")
def languages_(
    results: Results = None,
    out: Out = None,
    published: Published = False,
    theme: ThemeName = "light",
    format: Format = "svg",
    json: Json = False,
    csv: Csv = False,
) -> None:
    """Scores per language (Appendix B)."""
    _run("languages", results, published, (out, theme, format, json, csv))


@app.command(name="all")
def all_(
    results: Results = None,
    out: Out = None,
    published: Published = False,
    languages: Languages = None,
    tokenizer: Tokenizer = None,
    data: Data = None,
    training_data: TrainingData = None,
    theme: ThemeName = "light",
    format: Format = "svg",
) -> None:
    """Every kind that the results allow; what they do not allow is named."""
    output = (out, theme, format, False, False)
    _run("all", results, published, output, languages, tokenizer, data, training_data)


@app.command()
def compare(
    left: Annotated[str, typer.Argument(metavar="A", help="A model's name, or a place with its results alone.")],
    right: Annotated[str, typer.Argument(metavar="B", help="The other.")],
    results: Results = None,
    out: Out = None,
    correction: Annotated[
        str,
        typer.Option("--correction", help="For many languages: holm (any false difference), bh (their share), none."),
    ] = "holm",
    theme: ThemeName = "light",
    format: Format = "svg",
    json: Json = False,
    csv: Csv = False,
) -> None:
    """Two models, paired, per perturbation and language: differences with 95 % intervals and corrected p.

    \b
    Examples:
      alee analyse compare multilingual-e5-base LaBSE results
      alee analyse compare results/a__b/1 results/c__d/1 --correction bh -o comparison
    """
    from alee_mteb.analysis import model_pairs
    from alee_mteb.cli.analyse_output import Wanted, deliver
    from alee_mteb.cli.analyse_pairs import find_pair

    wanted = Wanted(out, theme, format, json, csv)
    wanted.check()
    deliver(model_pairs.from_runs(*find_pair(left, right, results or []), correction), "model_pairs", wanted)


def _listed(names: list[str] | None) -> list[str]:
    return [part.strip() for name in names or [] for part in name.split(",") if part.strip()]


def _medians(
    runs: "list[RunScores] | None", tokenizer: str | None, data: str | None
) -> dict[tuple[str, str], float] | None:
    """Subtokens of every language in the results, if a tokenizer was given."""
    from alee_mteb.errors import ResultsError

    if tokenizer is None:
        if data is not None:
            raise ResultsError("--data is for counting subtokens: name a --tokenizer")
        return None
    if runs is None:
        raise ResultsError("--tokenizer counts on the data of your results; --published has its own subtokens")
    from alee_mteb.cli.analyse_subtokens import medians_of

    return medians_of(runs, tokenizer, data)
