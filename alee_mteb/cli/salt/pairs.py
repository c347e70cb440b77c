"""`alee salt pairs`: which sentence pairs are trained on."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from salt.data.selection import Selected, SelectionSettings
    from salt.pairs import ParallelPair


def register(app: typer.Typer) -> None:
    """Add the command to `alee salt`."""
    app.command()(pairs)


def pairs(
    inputs: Annotated[
        list[str], typer.Argument(help="TSV, JSONL, Parquet or Moses files, or folders of language pairs (NLLB).")
    ],
    output: Annotated[str, typer.Option("--output", "-o", help="JSONL file to write.", show_default=False)],
    source_language: Annotated[
        str | None, typer.Option("--source-language", help="Where the inputs do not tell, e.g. eng_Latn or en.")
    ] = None,
    target_language: Annotated[str | None, typer.Option("--target-language", help="Likewise, e.g. spa_Latn.")] = None,
    score_column: Annotated[
        str | None, typer.Option("--score-column", help="Column of scores; in files without a header its number.")
    ] = None,
    test_languages: Annotated[
        bool, typer.Option("--test-languages", help="Only language pairs that touch one of SALT's 57 test languages.")
    ] = False,
    max_pairs: Annotated[int, typer.Option("--max-pairs", help="Most pairs of a language pair.", min=1)] = 40_000,
    deviations: Annotated[
        float | None,
        typer.Option("--deviations", help="Drop scores further than so many standard deviations from the mean."),
    ] = None,
    model: Annotated[
        str | None, typer.Option("--model", "-m", help="Encoder that measures lengths (and makes BLASER's vectors).")
    ] = None,
    max_tokens: Annotated[
        int, typer.Option("--max-tokens", help="Longest side, in the encoder's tokens.", min=1)
    ] = 512,
    blaser: Annotated[
        str | None, typer.Option("--blaser", help="Score pairs anew with these BLASER 2.0 QE weights; needs --model.")
    ] = None,
    skip_empty: Annotated[bool, typer.Option("--skip-empty", help="Pass over pairs with an empty side.")] = False,
    seed: Annotated[int, typer.Option("--seed", help="Of the choice under --max-pairs.")] = 0,
    device: Annotated[str, typer.Option("--device", help="cpu, cuda, cuda:1, mps.")] = "cpu",
    as_json: Annotated[bool, typer.Option("--json", help="Machine-readable output.")] = False,
) -> None:
    """Choose the sentence pairs to train on, by the rules of the SALT paper, and write them as one JSONL file.

    In this order: language pairs that touch a test language, at most 40,000 pairs each, no side over 512 tokens,
    scores within so many standard deviations of the mean of their language pair. `alee salt spans` reads the result.

    \b
    Examples:
      alee salt pairs nllb/ -o pairs.jsonl --test-languages --deviations 1
      alee salt pairs corpus.en -o pairs.jsonl -m my-encoder --skip-empty
      alee salt pairs a.tsv b.tsv -o pairs.jsonl --source-language en --target-language es --max-pairs 1000
      alee salt pairs nllb/ -o pairs.jsonl -m sonar --blaser model.pt --deviations 1
    """
    from collections import Counter
    from dataclasses import replace
    from pathlib import Path

    from salt.data.readers import read_pairs
    from salt.data.selection import SelectionSettings
    from salt.data.writing import write_pairs

    settings = SelectionSettings(test_languages, max_pairs, deviations, max_tokens, seed)
    skipped: Counter[str] = Counter()
    alike = len({Path(path).name for path in inputs}) < len(inputs)
    read = (
        # Rows are named by file and number: files of one name need their folders as well.
        replace(pair, id=f"{path}/{pair.id}") if alike else pair
        for path in inputs
        for pair in read_pairs(
            Path(path),
            source_language=source_language,
            target_language=target_language,
            score_column=score_column,
            skip_empty=skip_empty,
            skipped=skipped,
        )
    )
    found = _select(read, settings, model, blaser, device)
    write_pairs(Path(output), (pair for of_languages in found.items.values() for pair in of_languages))
    _report(output, found, skipped["empty"], as_json=as_json)


def _select(
    read: Any, settings: "SelectionSettings", model: str | None, blaser: str | None, device: str
) -> "Selected[ParallelPair]":
    """Read and choose, with bars on standard error where that is a terminal."""
    from pathlib import Path

    from tqdm import tqdm

    from alee_mteb.errors import ModelError
    from salt.data.selection import select

    if blaser is not None and model is None:
        raise ModelError("--blaser needs --model: the SONAR encoder whose vectors it scores")
    encoder = score = None
    with (
        tqdm(desc="read", unit=" pairs", disable=None) as reading,
        tqdm(desc="measured", unit=" texts", disable=None if model else True) as measuring,
        tqdm(desc="encoded", unit=" texts", disable=None if blaser else True) as encoding,
    ):
        if model is not None:
            from salt.encoders.load import load_encoder

            encoder = load_encoder(model, device=device)
        if blaser is not None and encoder is not None:
            from salt.data.blaser import load_blaser, score_pairs

            head, sonar = load_blaser(Path(blaser)), encoder

            def score(items: "list[ParallelPair]") -> "list[ParallelPair]":
                return score_pairs(items, sonar, head, progress=encoding.update)

        counted = (pair for pair in read if not reading.update(1) or True)
        return select(counted, encoder, settings, score=score, progress=measuring.update)


def _report(output: str, found: "Selected[ParallelPair]", empty: int, *, as_json: bool) -> None:
    import json

    counts = {"-".join(languages): len(items) for languages, items in found.items.items()}
    dropped = {"empty": empty, **found.dropped}
    if as_json:
        result = {"output": output, "read": found.read, "kept": found.kept, "dropped": dropped, "pairs": counts}
        typer.echo(json.dumps(result, indent=2))
        return
    for languages, count in counts.items():
        typer.echo(f"{languages}  {count:,}")
    told = ", ".join(f"{rule} {count:,}" for rule, count in dropped.items() if count) or "none"
    typer.echo(f"{output}: {found.kept:,} of {found.read:,} pairs; dropped: {told}")
