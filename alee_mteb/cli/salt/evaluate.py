"""`alee salt evaluate`: token-level evaluation of an encoder, beside the figures of the paper."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from alee_mteb.cli.salt.compare import one_of

if TYPE_CHECKING:
    from salt.evaluation.results import Run
    from salt.evaluation.run import Watcher
    from salt.evaluation.work import Options


def evaluate(
    context: typer.Context,
    model: Annotated[str, typer.Option("--model", "-m", help="Folder or Hub name of the encoder.", show_default=False)],
    data: Annotated[
        list[str] | None,
        typer.Option(
            "--data",
            help="Data, as PATH, KIND=PATH or KIND=hub:org/name[:config,…] (repeatable, several after one --data). "
            "Kinds: xl-wa, simalign, awesome-align, kftt, massive, pan-x, udpos, wic, mcl-wic, xl-wic, flores, xsim++, "
            "spans. Without it, what the Hub has.",
            show_default=False,
        ),
    ] = None,
    tasks: Annotated[
        str | None,
        typer.Option(
            "--tasks",
            help="With commas: alignment, word-retrieval, massive, pan-x, udpos, wic, mcl-wic, xl-wic, xsim, xsim++, "
            "span-similarity, span-translation, geometry, neighbours, pca, xnli, sts17, massive-intent. All that the "
            "data allow by default, without the last three, which mteb runs.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[str, typer.Option("--output", "-o", help="Folder of the results.")] = "salt-results",
    languages: Annotated[
        str | None, typer.Option("--languages", help="Only these beside English, with commas: es,deu_Latn.")
    ] = None,
    layers: Annotated[
        str, typer.Option("--layers", help="Of alignment and span similarity: last, all, or numbers with commas.")
    ] = "last",
    layer: Annotated[
        int, typer.Option("--layer", help="Of everything else; negative numbers count from the end.")
    ] = -1,
    settings: Annotated[
        str, typer.Option("--settings", help="What probes are trained on: english, all, single, with commas.")
    ] = "english,all,single",
    train_limit: Annotated[int, typer.Option("--train-limit", help="Training sequences per language.", min=2)] = 10_000,
    test_limit: Annotated[int, typer.Option("--test-limit", help="Test sequences per language.", min=1)] = 5_000,
    max_epochs: Annotated[
        int,
        typer.Option("--max-epochs", help="Of a probe that keeps getting better; noted where it is reached.", min=1),
    ] = 5000,
    unseen_labels: Annotated[
        str, typer.Option("--unseen-labels", help="Test labels that training has not: refuse, or count as wrong.")
    ] = "refuse",
    seen: Annotated[
        str,
        typer.Option(
            "--seen",
            help="Languages the model was trained on, with commas, to report them and all others apart; `paper` for "
            "those of Table 16.",
        ),
    ] = "",
    decoder: Annotated[
        str | None, typer.Option("--decoder", help="Frozen decoder for span translation: folder or Hub name.")
    ] = None,
    queries: Annotated[
        list[str] | None,
        typer.Option("--query", help="English word whose neighbours to list; word@12 for that of sentence 12."),
    ] = None,
    pca_sentence: Annotated[
        int | None, typer.Option("--pca-sentence", help="Number of a sentence to project, from 0.", min=0)
    ] = None,
    probe_sentences: Annotated[
        int, typer.Option("--probe-sentences", help="Sentences per language that train the language probe.", min=2)
    ] = 500,
    log: Annotated[str | None, typer.Option("--log", help="Run folder of the trainer, to plot its figures.")] = None,
    precision: Annotated[str, typer.Option("--precision", help="How states are kept: float16 or float32.")] = "float16",
    cache: Annotated[
        str | None, typer.Option("--cache", help="Folder of encoded states; OUT/states by default.", show_default=False)
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Seed of every random choice.")] = 0,
    revision: Annotated[str | None, typer.Option("--revision", help="Revision of a Hub encoder.")] = None,
    pooling: Annotated[
        str | None, typer.Option("--pooling", help="mean, cls or pooler; the model's own by default.")
    ] = None,
    prompt: Annotated[
        str | None, typer.Option("--prompt", help="Put before every text; the model's own by default.")
    ] = None,
    device: Annotated[str, typer.Option("--device", help="cpu, cuda, cuda:1, mps.")] = "cpu",
    plots: Annotated[bool, typer.Option("--plots/--no-plots", help="Draw figures.")] = True,
    as_json: Annotated[bool, typer.Option("--json", help="Machine-readable output.")] = False,
) -> None:
    """Measure an encoder's token states as the SALT paper does, beside the paper's figures.

    Each sentence is encoded once for all tasks and layers. A stopped run goes on when the same command is given again.

    \b
    Examples:
      alee salt evaluate -m my-encoder --data xl-wa/ awesome-align/ --layers all -o results/mine
      alee salt evaluate -m my-encoder --data massive=massive/ --data pan-x=panx/ --settings english
      alee salt evaluate -m my-encoder --data flores200/ --tasks xsim,xsim++,geometry --query fold --pca-sentence 3
      alee salt evaluate -m my-encoder --tasks xnli,sts17,massive-intent
    """

    from salt.evaluation.probes import SETTINGS

    one_of(unseen_labels, ("refuse", "wrong"), "--unseen-labels")
    for setting in _words(settings):
        one_of(setting, SETTINGS, "--settings")
    out = Path(output)
    states = Path(cache) if cache else out / "states"
    options = _options(layer, settings, train_limit, test_limit, max_epochs, unseen_labels, seed, states)
    options = _replaced(
        options, probe_sentences=probe_sentences, queries=tuple(queries or ()), pca_sentence=pca_sentence
    )
    loading = {"revision": revision, "device": device, "pooling": pooling, "prompt": prompt}
    run, headline, encoded = _run(
        model, [*(data or []), *context.args], _words(tasks), _words(languages), layers, options, out,
        decoder=decoder, states=states, precision=precision, loading=loading,
    )  # fmt: skip
    _show(run, headline, encoded, options, out, _seen(seen), Path(log) if log else None, plots, as_json)


def _run(
    model: str,
    specs: list[str],
    tasks: list[str],
    languages: list[str],
    layers: str,
    options: "Options",
    out: Path,
    *,
    decoder: str | None,
    states: Path,
    precision: str,
    loading: dict[str, Any],
) -> "tuple[Run, int, int]":
    """The run, its headline layer, and how many sentences were encoded for it."""
    from salt.encoders.load import load_decoder, load_encoder
    from salt.evaluation.run import evaluate
    from salt.evaluation.sources import HUB, read_sources
    from salt.evaluation.states import StateStore
    from salt.evaluation.work import MTEB, TASKS, units_of

    if not specs and not (tasks and set(tasks) <= set(MTEB)):
        specs = list(HUB)
        sources = read_sources(specs, languages or None)
        tasks = tasks or [*{unit.id.split("/")[0] for unit in units_of(sources, [], options)} & set(TASKS), *MTEB]
    else:
        sources = read_sources(specs, languages or None)
    if decoder is not None:
        options = _replaced(options, decoder=load_decoder(decoder, device=loading["device"]))
    _layers(layers, 0)
    units_of(sources, tasks, options)  # refuses what cannot be done before the model is loaded
    encoder = load_encoder(model, **loading)
    options = _replaced(options, layers=_layers(layers, encoder.n_layers))
    with _progress() as (progress, watcher):
        store = StateStore(encoder, states, precision, progress=progress)
        try:
            run = evaluate(store, units_of(sources, tasks, options), options, out, watcher)
        finally:
            store.close()
    return run, store.layers((options.layer,))[0], store.encoded


def _show(
    run: "Run",
    layer: int,
    encoded: int,
    options: "Options",
    out: Path,
    seen: frozenset[str],
    log: Path | None,
    plots: bool,
    as_json: bool,
) -> None:
    """Write the reports and print the summary."""
    from salt.evaluation.run import neighbour_tables, write_reports
    from salt.evaluation.summary import layer_lines
    from salt.evaluation.tables import layer_cells, neighbour_cells, summary_cells, terminal

    rows = write_reports(out, run, options, layer, seen, log, plots)
    if as_json:
        typer.echo((out / "results.json").read_text(encoding="utf-8"), nl=False)
        return
    typer.echo(terminal(*summary_cells(rows, "this model")), nl=False)
    for title, lines in layer_lines(run.scores):
        typer.echo(terminal(*layer_cells(lines), title=title), nl=False)
    for table in neighbour_tables(run):
        title = f"Neighbours of {table.query!r} ({table.language}, sentence {table.sentence})"
        typer.echo(terminal(*neighbour_cells(table), title=title), nl=False)
    typer.echo(f"The paper's figures are means over its own languages. {encoded:,} sentences encoded now.")
    typer.echo(f"{out}: results.json, report.md, report.tex{', plots' if plots else ''}")
    typer.echo(run.signature)


def _options(
    layer: int,
    settings: str,
    train_limit: int,
    test_limit: int,
    max_epochs: int,
    unseen_labels: str,
    seed: int,
    folder: Path,
) -> "Options":
    from salt.evaluation.linear import PROBE, quick
    from salt.evaluation.probes import Probing
    from salt.evaluation.work import Options

    probing = Probing(
        settings=tuple(_words(settings)),
        limits={"train": train_limit, "test": test_limit},
        recipe=quick(PROBE, max_epochs),
        unseen_labels=unseen_labels,
        seed=seed,
        folder=folder,
    )
    return Options(layer=layer, probing=probing, seed=seed)


def _replaced(options: "Options", **fields: Any) -> "Options":
    from dataclasses import replace

    return replace(options, **fields)


def _layers(text: str, n_layers: int) -> tuple[int, ...]:
    from alee_mteb.errors import ModelError

    if text == "last":
        return (-1,)
    if text == "all":
        return tuple(range(n_layers + 1))
    try:
        return tuple(int(word) for word in _words(text))
    except ValueError:
        raise ModelError(f"--layers {text}: give last, all, or numbers with commas, such as 6,7,-1") from None


def _seen(text: str) -> frozenset[str]:
    from salt.evaluation.codes import paper_training_languages, subset_code

    return paper_training_languages() if text == "paper" else frozenset(subset_code(name) for name in _words(text))


def _words(text: str | None) -> list[str]:
    return [word.strip() for word in (text or "").split(",") if word.strip()]


@contextmanager
def _progress() -> "Iterator[tuple[Any, Watcher]]":
    """A bar on standard error: sentences encoded, and the part that is being computed."""
    from tqdm import tqdm

    from salt.evaluation.run import Watcher

    with tqdm(unit=" sentences", desc="evaluating", disable=None) as bar:

        def begin(unit: str) -> None:
            bar.set_description(unit)

        yield bar.update, Watcher(begin=begin)


def register(group: typer.Typer) -> None:
    """Add the command to `alee salt`."""
    # Several places after one --data: what is left over are those.
    group.command(context_settings={"allow_extra_args": True, "help_option_names": ["-h", "--help"]})(evaluate)
