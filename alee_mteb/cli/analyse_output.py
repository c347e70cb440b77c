"""`alee analyse`: from the command's arguments to files, or to text on the terminal."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from alee_mteb.analysis import inputs, output
from alee_mteb.analysis.figures import style
from alee_mteb.analysis.kinds import KINDS, Choices, Kind, draw
from alee_mteb.analysis.table import Analysis
from alee_mteb.errors import AleeError, ResultsError
from alee_mteb.files import write_text
from alee_mteb.report.results import RunScores


@dataclass(frozen=True)
class Wanted:
    """Where the outcome goes, and in what form."""

    out: str | None
    theme: str
    format: str
    json: bool
    csv: bool

    def check(self) -> None:
        """Refuse what does not exist before anything is computed.

        Raises:
            ResultsError: an unknown theme or format, or two forms of output at once.
        """
        if self.theme not in style.THEMES:
            raise ResultsError(f"unknown theme {self.theme!r}; choose one of {', '.join(style.THEMES)}")
        if self.format not in style.FORMATS:
            raise ResultsError(f"unknown format {self.format!r}; choose one of {', '.join(style.FORMATS)}")
        if self.json and self.csv:
            raise ResultsError("--json and --csv exclude each other; -o FOLDER writes both")


def analyse(kind: str, runs: Sequence[RunScores] | None, choices: Choices, wanted: Wanted) -> None:
    """One kind of analysis, or ``all``: files into a folder with their names on standard output, else text.

    Args:
        kind: the name of one of `KINDS`, or ``all``.
        runs: results; ``None`` for the published figures.
        choices: settings of single kinds.
        wanted: what to write.

    Raises:
        AleeError: nothing could be computed from these results.
    """
    wanted.check()
    if kind == "all":
        _everything(runs, choices, wanted)
        return
    (chosen,) = (one for one in KINDS if one.name == kind)
    deliver(_compute(chosen, runs, choices), chosen.module, wanted)


def deliver(analysis: Analysis, module: str, wanted: Wanted) -> None:
    """Files (data and figures) if a folder was given, then whatever text was asked for."""
    if wanted.out is not None:
        for path in _files(analysis, module, wanted):
            print(path, file=sys.stderr if wanted.json or wanted.csv else sys.stdout)
        for note in analysis.notes:
            print(f"note: {note}", file=sys.stderr)
    if wanted.json:
        print(output.as_json(analysis), end="")
    elif wanted.csv:
        print(output.as_csv(analysis.rows), end="")
    elif wanted.out is None:
        print(output.as_text(analysis), end="")


def load_runs(results: Sequence[str], published: bool) -> list[RunScores] | None:
    """The runs behind the arguments, ``None`` for the published figures; ``results`` where nothing is named.

    Raises:
        ResultsError: both or neither of the two, or see `inputs.load`.
    """
    if published:
        if results:
            raise ResultsError(f"--published and {results[0]} exclude each other; analyse them apart")
        return None
    if not results and not Path("results").exists():
        raise ResultsError("no results folder here; name one, or take the paper's figures with --published")
    return inputs.load([Path(name) for name in results or ["results"]])


def _everything(runs: Sequence[RunScores] | None, choices: Choices, wanted: Wanted) -> None:
    if wanted.out is None or wanted.json or wanted.csv:
        raise ResultsError("`all` writes files only: name a folder with -o; it will hold CSV and JSON besides figures")
    problems: list[tuple[str, AleeError]] = []
    with _progress(len(KINDS)) as advance:
        for kind in KINDS:
            try:
                deliver(_compute(kind, runs, choices), kind.module, wanted)
            except AleeError as error:  # one that these results do not allow must not stop the others
                problems.append((kind.name, error))
            advance()
    for name, problem in problems:
        print(f"left out: {name}: {problem}", file=sys.stderr)
    if len(problems) == len(KINDS):
        raise problems[0][1]


def _compute(kind: Kind, runs: Sequence[RunScores] | None, choices: Choices) -> Analysis:
    return kind.published(choices) if runs is None else kind.compute(runs, choices)


def _files(analysis: Analysis, module: str, wanted: Wanted) -> Iterator[Path]:
    folder = Path(str(wanted.out))
    texts = {f"{analysis.kind}.csv": output.as_csv(analysis.rows), f"{analysis.kind}.json": output.as_json(analysis)}
    if analysis.summary:
        texts[f"{analysis.kind}-summary.csv"] = output.as_csv(analysis.summary)
    for name, text in texts.items():
        try:
            write_text(folder / name, text)
        except OSError as error:
            raise ResultsError(f"{folder / name}: cannot be written ({error.strerror or error})") from error
        yield folder / name
    for theme in style.THEMES[wanted.theme]:
        path = folder / f"{analysis.kind}-{theme.name}.{wanted.format}"
        with style.drawing(theme):
            style.save(draw(analysis, theme, module), path, wanted.format)
        yield path


@contextmanager
def _progress(total: int) -> Iterator[Any]:
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("figures", total=total)
        yield lambda: bar.update(task, advance=1)
