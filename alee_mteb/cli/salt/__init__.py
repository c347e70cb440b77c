"""`alee salt …`: the sub-commands of post-training, one module each; they import `salt` only when called."""

import typer

from alee_mteb.cli.salt import compare, demo, encoders, evaluate, export, pairs, spans, train

group = typer.Typer(
    name="salt",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="""Post-train an encoder so that its token and span states align across languages.

\b
Examples:
  alee salt demo                                     the whole way on a real small encoder
  alee salt spans corpus.tsv -m my-encoder -o spans.parquet
  alee salt train config.yaml
  alee salt evaluate -m my-encoder
""",
)


def register(app: typer.Typer) -> None:
    """Add the group to the `alee` command."""
    app.add_typer(group)


pairs.register(group)
spans.register(group)
train.register(group)
demo.register(group)
export.register(group)
evaluate.register(group)
compare.register(group)
encoders.register(group)
