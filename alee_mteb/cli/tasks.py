"""`alee tasks`: what there is to score on."""

import difflib
import json
import os
from typing import Any

from rich.console import Console
from rich.table import Table

from alee_mteb.errors import AleeError, TaskError


def show_tasks(name: str | None, as_json: bool) -> None:
    """Print all tasks, or the languages of one.

    Raises:
        TaskError: no task of that name.
    """
    from alee_mteb.tasks import TASKS

    if name is not None and name not in TASKS:
        close = difflib.get_close_matches(name, TASKS, n=1, cutoff=0.4)
        raise TaskError(
            f"unknown task {name!r}; " + (f"did you mean {close[0]!r}?" if close else f"there are {', '.join(TASKS)}")
        )
    rows = [_describe(TASKS[key]) for key in ([name] if name else TASKS)]
    if as_json:
        print(json.dumps(rows[0] if name else rows, indent=2, ensure_ascii=False))
    elif name:
        _print_languages(rows[0])
    else:
        _print_overview(rows)


def _describe(cls: Any) -> dict[str, Any]:
    try:
        with _hub_offline():
            task = cls()
    except AleeError as error:
        return _undescribed(cls, str(error))
    languages = {key: codes[0] for key, codes in task.metadata.hf_subsets_to_langscripts.items()}
    row: dict[str, Any] = {
        "task": task.metadata.name,
        "languages": languages,
        "data": task.metadata.dataset["path"],
        "revision": task.metadata.dataset["revision"],
        "triplets": None,
        "sources": None,
        "note": None,
    }
    try:
        with _hub_offline():
            row["sources"] = len(task.table)
            row["triplets"] = {kind.code: int(mask.sum()) for kind, mask in task.table.has_foil.items()}
    except AleeError as error:
        row["note"] = str(error)
    return row


def _undescribed(cls: Any, note: str) -> dict[str, Any]:
    """A task whose data, named by ``ALEE_DATASET``, is not there."""
    return {"task": cls.spec.name, "languages": {}, "data": "", "revision": "", "triplets": None, "sources": None} | {
        "note": note
    }


class _hub_offline:  # noqa: N801 - used like a function
    """Look only at what is on this machine: a listing must not download anything."""

    def __enter__(self) -> None:
        from huggingface_hub import constants

        self._before = constants.HF_HUB_OFFLINE
        constants.HF_HUB_OFFLINE = True

    def __exit__(self, *exception: object) -> None:
        from huggingface_hub import constants

        constants.HF_HUB_OFFLINE = self._before


def _print_overview(rows: list[dict[str, Any]]) -> None:
    console = Console(width=None if os.isatty(1) else 140)
    table = Table(box=None, header_style="bold")
    for heading in ("task", "languages", "sources", "triplets PN / RS / AR / HS", "data"):
        table.add_column(heading)
    for row in rows:
        triplets = " / ".join(str(n) for n in row["triplets"].values()) if row["triplets"] else "not on this machine"
        table.add_row(
            row["task"],
            str(len(row["languages"])),
            str(row["sources"] or ""),
            triplets,
            f"{row['data']}@{row['revision'][:8]}",
        )
    console.print(table)
    console.print("\nLanguages of one task: alee tasks ALEE-MT61. Score a model: alee run -m MODEL -t ALEE-Sample")


def _print_languages(row: dict[str, Any]) -> None:
    console = Console(highlight=False)
    console.print(f"[bold]{row['task']}[/]: {len(row['languages'])} languages, data {row['data']}")
    for key, code in row["languages"].items():
        console.print(f"  {key}" + (f"  ({code})" if key.replace("_", "-") != code else ""))
