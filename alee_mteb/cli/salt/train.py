"""`alee salt train`: one configuration file, one run per seed."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Callable

    from salt.training.config import TrainConfig
    from salt.training.runs import Finished


def train(
    context: typer.Context,
    config: Annotated[str, typer.Argument(help="YAML file of settings.", show_default=False)],
    seeds: Annotated[
        list[str] | None,
        typer.Option("--seeds", help="One run each, instead of those of the file: --seeds 0 1 2.", show_default=False),
    ] = None,
    output: Annotated[str | None, typer.Option("--output", "-o", help="Folder of the runs.")] = None,
    steps: Annotated[int | None, typer.Option("--steps", help="Updates, instead of those of the file.")] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Delete runs of other settings in the folder.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Machine-readable output.")] = False,
) -> None:
    """Post-train an encoder. A stopped run goes on when the same command is given again.

    Several processes or GPUs: `torchrun --nproc-per-node 2 --no-python alee salt train config.yaml`.

    \b
    Examples:
      alee salt train config.yaml
      alee salt train config.yaml --seeds 0 1 2
      alee salt train config.yaml --output runs/try --steps 60 --json
    """
    import json
    from pathlib import Path

    from salt.training.config_file import read_config
    from salt.training.group import Group
    from salt.training.runs import run_all, summary

    path, numbers = _arguments([*(seeds or []), config, *context.args])
    settings = read_config(Path(path), {"seeds": numbers, "output": output, "steps": steps})
    group = Group(settings.precision)
    try:
        with _progress(settings, quiet=not group.is_main) as say:
            done = run_all(settings, say, overwrite=overwrite, group=group)
    finally:
        group.close()
    if not group.is_main:
        return
    if as_json:
        runs = {str(run.seed): str(run.folder) for run in done}
        typer.echo(json.dumps({"output": settings.output, "runs": runs, **summary(done)}, indent=1))
    else:
        typer.echo("\n".join(_table(settings, done)))


def _arguments(given: list[str]) -> tuple[str, list[int] | None]:
    """The file, and the seeds: ``--seeds 0 1 2 config.yaml`` is as good as ``config.yaml --seeds 0 1 2``."""
    from salt.training.errors import ConfigError

    words = [part for text in given for part in ([text] if text.endswith((".yaml", ".yml")) else _parts(text))]
    files = [word for word in words if not word.lstrip("-").isdigit()]
    if len(files) != 1:
        odd = [word for word in files if not word.endswith((".yaml", ".yml"))] or files[1:]
        what = f"unexpected {odd[0]!r}" if odd else "no configuration file"
        raise ConfigError(f"{what}; the command is alee salt train CONFIG.yaml [--seeds 0 1 2]")
    numbers = [int(word) for word in words if word not in files]
    return files[0], numbers or None


def _parts(text: str) -> list[str]:
    """``0,1,2`` is three seeds; anything else stays as it is."""
    parts = text.split(",")
    return parts if all(part.isdigit() for part in parts) else [text]


@contextmanager
def _progress(config: "TrainConfig", *, quiet: bool) -> Iterator["Callable[[int, int, Mapping[str, float]], None]"]:
    """A bar over the updates of all seeds on standard error, with the last figures."""
    from tqdm import tqdm

    with tqdm(total=config.steps, unit="step", desc="training", disable=True if quiet else None) as bar:

        def say(seed: int, step: int, figures: Mapping[str, float]) -> None:
            shown = {name: f"{figures[name]:.3f}" for name in ("loss", "aer", "retrieval_error") if name in figures}
            bar.set_description(f"seed {seed}", refresh=False)
            if shown:
                bar.set_postfix(shown, refresh=False)
            bar.n = step
            bar.refresh()

        yield say


def _table(config: "TrainConfig", done: "list[Finished]") -> list[str]:
    """What came out: mean ± sd over the seeds, and where it is."""
    from salt.training.runs import summary

    figures = summary(done)["figures"]
    seeds = ", ".join(str(run.seed) for run in done)
    lines = [f"{config.output}: {config.steps:,} updates, {'seeds' if len(done) > 1 else 'seed'} {seeds}"]
    for name, label in (("loss", "loss"), ("aer", "AER"), ("retrieval_error", "retrieval error")):
        if name in figures:
            spread = "" if figures[name]["sd"] is None else f" ± {figures[name]['sd']:.4f}"
            before = figures.get(f"before/{name}")
            was = "" if before is None else f"  (before: {before['mean']:.4f})"
            lines.append(f"  {label}: {figures[name]['mean']:.4f}{spread}{was}")
    lines.append(f"Export: alee salt export {done[0].folder} --name ORG/NAME --output FOLDER")
    return lines


def register(group: typer.Typer) -> None:
    """Add the command to `alee salt`."""
    # What is left over are seeds: ``--seeds 0 1 2``.
    group.command(context_settings={"allow_extra_args": True, "help_option_names": ["-h", "--help"]})(train)
