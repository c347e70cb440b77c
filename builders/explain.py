"""`alee explain`: one source with its graphs, edits, foils and verdicts, readable in a terminal."""

import difflib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from alee_mteb.errors import DataError
from alee_mteb.languages import language_of
from builders.folder import Configuration, only_configuration
from builders.tables import CONTROL
from builders.terminal import on_one_line, printable

_MEANINGS = {
    "success": "valid foil",
    "no_candidate": "nothing in the text can be edited this way",
    "parse_failed": "the parser gave no graph",
    "generation_failed": "no text came out of the edited graph, or it could not be validated",
    "no_change": "the new text says the same as the source",
    "rejected_bidirectional": "source and new text entail each other",
    "rejected_entailment": "one text entails the other too surely (P > 0.8)",
    "rejected_difference": "read again, the new text differs in another way than one edit",
}


def explain(folder: Path, source_id: str, config: str | None = None) -> str:
    """Everything known about one source of a build, as text.

    Raises:
        DataError: the folder has no such id, or no provenance table.
    """
    configuration = only_configuration(folder, config)
    if configuration.provenance is None:
        raise DataError(
            f"{folder}: no provenance table for {configuration.name}; only folders made by `alee build` have one"
        )
    rows = [row for row in configuration.provenance if row["id"] == source_id]
    if not rows:
        known = list(dict.fromkeys(row["id"] for row in configuration.provenance))
        close = difflib.get_close_matches(source_id, known, n=3) or known[:3]
        raise DataError(f"{folder}: no source {source_id!r} in {configuration.name}; there are e.g. {', '.join(close)}")
    return printable("\n".join(_explained(configuration, source_id, rows)))


def _explained(configuration: Configuration, source_id: str, rows: list[dict[str, Any]]) -> Iterator[str]:
    yield f"{configuration.name}  {source_id}"
    if source_id in configuration.ids:
        yield f"  source: {on_one_line(configuration.sources[configuration.ids.index(source_id)])}"
    else:
        yield "  source: empty, so it is not in the triplet table"
    languages = [name for name in configuration.columns if language_of(name) and name != configuration.english]
    yield f"  languages: {len(languages)}"
    shown: set[str] = set()
    for row in rows:
        yield ""
        yield from _row(row, shown)


def _row(row: dict[str, Any], shown: set[str]) -> Iterator[str]:
    status = row["status"]
    meaning = (
        "regenerated from the unedited graphs"
        if row["perturbation"] == CONTROL and status == "success"
        else _MEANINGS[status]
    )
    yield f"{row['perturbation']}: {status} ({meaning})"
    if row["n_candidates"]:
        yield f"  candidates: {row['n_candidates']} found, {row['n_tried']} tried"
    if row["sentence_index"] is not None:
        yield f"  sentence {row['sentence_index']}: {on_one_line(row['sentence'] or '')}".rstrip()
    graph = row["amr_before"]
    if graph and graph not in shown:
        shown.add(graph)
        yield "  graph:"
        yield from _indented(graph)
    if row["old"] is not None:
        yield f"  edit at {row['node']}: {row['old']} → {row['new']}"
    if row["amr_after"]:
        yield "  edited graph:"
        yield from _marked(graph or "", row["amr_after"])
    if row["foil_sentence"] and row["foil_sentence"] != row["foil"]:
        yield f"  new sentence: {on_one_line(row['foil_sentence'])}"
    if row["foil"]:
        yield f"  {_called(row)}: {on_one_line(row['foil'])}"
    if row["nli_forward"] is not None:
        yield (
            f"  NLI on the {row['nli_level']}: P(entailment) source → foil {row['nli_forward']:.4f}, "
            f"foil → source {row['nli_backward']:.4f}"
        )
    if row["problem"]:
        yield f"  remarks: {on_one_line(row['problem'])}"


def _called(row: dict[str, Any]) -> str:
    if row["perturbation"] == CONTROL:
        return "text"
    return "foil" if row["status"] == "success" else "new text"


def _indented(graph: str) -> Iterator[str]:
    return (f"    {line}" for line in graph.splitlines())


def _marked(before: str, after: str) -> Iterator[str]:
    """The edited graph with a mark at each line that the original does not have."""
    old = {line.strip().rstrip(")") for line in before.splitlines()}
    for line in after.splitlines():
        mark = " " if line.strip().rstrip(")") in old else "*"
        yield f"  {mark} {line}"
