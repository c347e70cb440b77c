"""`alee salt spans`: extract aligned spans, count them, have them rated."""

from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from alee_mteb.cli.salt.span_review import review

if TYPE_CHECKING:
    from salt.spans.run import Ran

_HELP = ["-h", "--help"]
Json = Annotated[bool, typer.Option("--json", help="Machine-readable output.")]


class _ExtractByDefault(TyperGroup):
    """`alee salt spans INPUT …` is `alee salt spans extract INPUT …`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in _HELP:
            args = ["extract", *args]
        return super().parse_args(ctx, args)


group = typer.Typer(
    name="spans",
    cls=_ExtractByDefault,
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": _HELP},
    help="""Find spans of parallel sentences that mean the same, count them, have them rated.

The word `extract` may be left out.

\b
Examples:
  alee salt spans corpus.tsv -m my-encoder -o spans.parquet
  alee salt spans extract --help
  alee salt spans stats spans.parquet
  alee salt spans review draw spans.parquet -n 200
""",
)
group.add_typer(review)


def register(app: typer.Typer) -> None:
    """Add the group to `alee salt`."""
    app.add_typer(group)


@group.command()
def extract(
    input: Annotated[str, typer.Argument(help="Sentence pairs: TSV, JSONL, Parquet or Moses files.")],
    model: Annotated[str, typer.Option("--model", "-m", help="Encoder: folder or Hub name.", show_default=False)],
    output: Annotated[str, typer.Option("--output", "-o", help="Parquet file of spans.", show_default=False)],
    method: Annotated[
        str, typer.Option("--method", help="`case` (from the encoder) or `llm` (a chat model).")
    ] = "case",
    source_language: Annotated[
        str | None, typer.Option("--source-language", help="Where the input does not tell, e.g. eng_Latn.")
    ] = None,
    target_language: Annotated[str | None, typer.Option("--target-language", help="Likewise, e.g. spa_Latn.")] = None,
    layer: Annotated[
        int | None,
        typer.Option("--layer", help="case: whose states are aligned; -1 is the last. By default 7 of 12, or alike."),
    ] = None,
    constituents: Annotated[str, typer.Option("--constituents", help="case: `spacy` or `benepar`.")] = "spacy",
    constituents_model: Annotated[
        str | None,
        typer.Option("--constituents-model", help="case: model for one side's language; an English one by default."),
    ] = None,
    nested: Annotated[str, typer.Option("--nested", help="case: `all` spans, or only the `maximal` ones.")] = "all",
    coverage: Annotated[
        float, typer.Option("--coverage", help="case: least share of words with a link.", min=0, max=1)
    ] = 0.7,
    whole: Annotated[bool, typer.Option("--whole", help="case: keep spans that are the whole sentence.")] = False,
    min_words: Annotated[int, typer.Option("--min-words", help="case: shortest constituent.", min=1)] = 1,
    max_words: Annotated[int | None, typer.Option("--max-words", help="case: longest constituent.", min=1)] = None,
    llm: Annotated[
        str | None, typer.Option("--llm", help="llm: chat model, a folder or Hub name; its name at the --endpoint.")
    ] = None,
    endpoint: Annotated[
        str | None, typer.Option("--endpoint", help="llm: OpenAI-compatible address, e.g. http://localhost:8000/v1.")
    ] = None,
    api_key_env: Annotated[
        str, typer.Option("--api-key-env", help="llm: environment variable that holds the endpoint's key, if any.")
    ] = "OPENAI_API_KEY",
    cache: Annotated[str | None, typer.Option("--cache", help="llm: folder of answers that are kept.")] = None,
    concurrency: Annotated[int, typer.Option("--concurrency", help="llm: questions at once.", min=1)] = 8,
    timeout: Annotated[float, typer.Option("--timeout", help="llm: seconds for an answer.", min=0.001)] = 120.0,
    tries: Annotated[int, typer.Option("--tries", help="llm: for one question.", min=1)] = 5,
    retry_wait: Annotated[
        float, typer.Option("--retry-wait", help="llm: seconds before the second try; doubled each time.", min=0)
    ] = 1.0,
    max_answer: Annotated[int, typer.Option("--max-answer", help="llm: longest answer in tokens.", min=1)] = 1024,
    budget: Annotated[int, typer.Option("--budget", help="Most tokens the encoder is given at once.", min=1)] = 4096,
    device: Annotated[str, typer.Option("--device", help="cpu, cuda, cuda:1, mps.")] = "cpu",
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a file that was made otherwise.")] = False,
    as_json: Json = False,
) -> None:
    """Find aligned spans. A stopped run goes on when the same command is run again.

    `case`: constituents of one side (English by default) whose words are linked, by the encoder, to neighbouring
    words of the other side and to nothing else. `llm`: spans that a chat model lists, found again in the sentences.

    \b
    Examples:
      alee salt spans corpus.tsv -m my-encoder -o spans.parquet --source-language eng_Latn --target-language spa_Latn
      alee salt spans corpus.jsonl -m my-encoder -o spans.parquet --layer 7 --nested maximal
      alee salt spans corpus.jsonl -m my-encoder -o llm.parquet --method llm --llm org/chat-model --device cuda
      alee salt spans corpus.jsonl -m my-encoder -o llm.parquet --method llm --llm NAME --endpoint http://localhost:8000/v1
    """
    from pathlib import Path

    from alee_mteb.cli.salt.span_extraction import CaseOptions, LlmOptions, make_extractor, progress, run_extraction
    from salt.encoders.load import load_encoder
    from salt.spans.case import CaseSettings, nesting

    settings = CaseSettings(coverage, nesting(nested), whole, min_words, max_words)
    case = CaseOptions(layer, settings, constituents, constituents_model)
    chat = LlmOptions(llm, endpoint, api_key_env, cache, concurrency, timeout, tries, retry_wait, max_answer)
    encoder = load_encoder(model, device=device)
    with progress(with_answers=method == "llm") as bar:
        extractor = make_extractor(method, encoder, case, chat, budget=budget, device=device, watch=bar.answered)
        languages = source_language, target_language
        ran = run_extraction(Path(input), Path(output), extractor, languages, overwrite, bar)
    _tell(Path(output), ran, as_json)


@group.command()
def stats(
    file: Annotated[str, typer.Argument(help="File of spans.", show_default=False)],
    parts_of_speech: Annotated[
        bool, typer.Option("--pos/--no-pos", help="Tag the side in the language of the spaCy model.")
    ] = True,
    spacy_model: Annotated[
        str | None, typer.Option("--spacy-model", help="spaCy model; an English one by default.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Spans per sentence, their lengths, and their parts of speech by language, as in Tables 14 and 15 of the paper.

    Lengths are in words; for scripts without spaces in tokens. A part of speech counts once per span that holds it.

    \b
    Examples:
      alee salt spans stats spans.parquet
      alee salt spans stats spans.parquet --no-pos --json
    """
    import json
    from dataclasses import asdict
    from pathlib import Path

    from salt.spans.constituents import SpacyTagger
    from salt.spans.stats import as_rows, span_stats
    from salt.spans.table import read_found, read_info
    from salt.spans.terminal import aligned

    info = read_info(Path(file))
    entries = span_stats(read_found(Path(file)), SpacyTagger(spacy_model) if parts_of_speech else None)
    if as_json:
        how = {name: value for name, value in vars(info).items() if name != "format"}
        typer.echo(json.dumps({"made": how, "languages": [asdict(entry) for entry in entries]}, indent=1, default=dict))
        return
    typer.echo(f"{file}: {_made(info)}")
    typer.echo(aligned(as_rows(entries)))
    for line in _dropped(info.dropped):
        typer.echo(line)


def _tell(out: Any, ran: "Ran", as_json: bool) -> None:
    """What came out, in a few lines."""
    import json

    from salt.spans.stats import span_stats
    from salt.spans.table import read_found

    entry = span_stats(read_found(out))[-1]
    if as_json:
        found = {"pairs": entry.pairs, "without_spans": entry.without_spans, "spans": entry.spans}
        told = {"file": str(out), "was_there": ran.was_there, **found, "dropped": dict(ran.info.dropped)}
        typer.echo(json.dumps(told, indent=1))
        return
    there = " (there already)" if ran.was_there else ""
    typer.echo(f"{out}{there}: {entry.spans} spans of {entry.pairs} pairs, {entry.per_sentence:.2f} per pair")
    for line in _dropped(ran.info.dropped):
        typer.echo(line)
    typer.echo(f"More: alee salt spans stats {out}")


def _made(info: Any) -> str:
    from salt.spans.review import method_name

    return f"{method_name(info)}, tokens of {info.encoder}"


def _dropped(dropped: Any) -> list[str]:
    """What was left out, in words."""
    from salt.spans.batches import TOO_LONG
    from salt.spans.llm import UNANSWERED
    from salt.spans.prompt import explain

    lines = list(explain(dropped))
    if dropped.get(TOO_LONG):
        lines.append(f"{dropped[TOO_LONG]} pairs longer than the encoder takes")
    if dropped.get(UNANSWERED):
        lines.append(
            f"{dropped[UNANSWERED]} pairs without an answer; run the command again with --overwrite to ask again"
        )
    return [f"  left out: {line}" for line in lines]
