"""One run: encode once, compute every unit that is not done yet, write results and reports."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from alee_mteb.files import write_text
from salt.evaluation import tables
from salt.evaluation.neighbours import Neighbour, NeighbourTable
from salt.evaluation.plots import draw_run
from salt.evaluation.results import Part, Run, digest, finished_part, make_signature, write_part, write_run
from salt.evaluation.states import StateStore
from salt.evaluation.summary import Row, layer_lines, summarise
from salt.evaluation.work import Options, Unit

#: Raised when a metric changes its meaning, so that parts of earlier versions are computed again.
METRICS = 1


@dataclass(frozen=True)
class Watcher:
    """Who wants to know how far it is.

    Attributes:
        begin: called with a unit's id before it is computed.
        skip: called with the id of a unit that an earlier run finished.
    """

    begin: Callable[[str], None] = lambda _: None
    skip: Callable[[str], None] = lambda _: None


def evaluate(
    store: StateStore, units: Sequence[Unit], options: Options, out: Path, watcher: Watcher | None = None
) -> Run:
    """Compute what is missing in `out`, one file per unit as soon as it is done, then ``results.json``."""
    watcher = watcher or Watcher()
    prints = {unit.id: _fingerprint(unit, store) for unit in units}
    parts = {unit.id: finished_part(out, unit.id, prints[unit.id]) for unit in units}
    for unit in units:
        if parts[unit.id] is None:
            for language, texts, layers in unit.texts():
                store.plan(texts, language, layers)
    for unit in units:
        if parts[unit.id] is not None:
            watcher.skip(unit.id)
            continue
        watcher.begin(unit.id)
        scores, extras = unit.compute(store)
        part = Part(unit.id, prints[unit.id], unit.data, tuple(scores), extras)
        write_part(out, part)
        parts[unit.id] = part
    done = tuple(part for part in parts.values() if part is not None)
    run = _run(store, options, done)
    write_run(out, run)
    return run


def write_reports(
    out: Path, run: Run, options: Options, layer: int, seen: frozenset[str], log: Path | None, plots: bool = True
) -> list[Row]:
    """``report.md``, ``report.tex`` and plots; returns the summary that they show.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    rows = summarise(run.scores, layer, seen, options.seed)
    header, cells = tables.summary_cells(rows, str(run.model["name"]))
    found = neighbour_tables(run)
    blocks = [f"# Token-level evaluation of {run.model['name']}\n", tables.markdown(header, cells)]
    by_layer = layer_lines(run.scores)
    for title, lines in by_layer:
        blocks += [f"\n## {title}\n", tables.markdown(*tables.layer_cells(lines))]
    for table in found:
        title = f"\n## Neighbours of “{table.query}” ({table.language}, sentence {table.sentence})\n"
        blocks += [title, tables.markdown(*tables.neighbour_cells(table))]
    blocks += ["\n## By language\n", tables.markdown(*tables.score_cells(run.scores, layer))]
    extras = {part.id: part.extras for part in run.parts}
    if plots:
        drawn = draw_run(out, run.scores, layer, extras, log)
        blocks += ["\n", *(f"![{path.stem}]({path.relative_to(out)})\n" for path in drawn)]
    blocks.append(f"\nSignature: `{run.signature}`\n")
    write_text(out / "report.md", "\n".join(blocks))
    latex = [f"% {run.signature}\n", tables.latex(header, cells)]
    latex += [tables.latex(*tables.layer_cells(lines)) for _, lines in by_layer]
    latex += [tables.latex(*tables.neighbour_cells(table)) for table in found]
    write_text(out / "report.tex", "\n".join(latex))
    return rows


def neighbour_tables(run: Run) -> list[NeighbourTable]:
    """The neighbour tables of a run."""
    records = [part.extras["neighbours"] for part in run.parts if "neighbours" in part.extras]
    return [
        NeighbourTable(**(record | {"neighbours": tuple(Neighbour(**row) for row in record["neighbours"])}))
        for record in records
    ]


def _run(store: StateStore, options: Options, parts: Sequence[Part]) -> Run:
    encoder = store.encoder
    model = {
        "name": encoder.name,
        "revision": store.revision,
        "family": encoder.family,
        "layers": encoder.n_layers,
        "dimension": encoder.dimension,
    }
    settings: Mapping[str, Any] = {
        "layer": store.layers((options.layer,))[0],
        "layers": ",".join(map(str, store.layers(options.layers))),
        "precision": store.precision,
        "words": "white space, tokens where scripts have none",
        "similarity": "(cos+1)/2",
        "itermax": "2 passes, 0.9",
        "margin": "ratio, k 4",
        "probe": options.probing.recipe.describe(),
        "intervals": "percentile bootstrap, 1000",
        "seed": options.seed,
    }
    return Run(model, make_signature(model, settings, parts), settings, tuple(parts))


def _fingerprint(unit: Unit, store: StateStore) -> str:
    layers = {
        name: store.layers(value if isinstance(value, tuple) else (value,))
        for name, value in unit.settings.items()
        if name in ("layer", "layers")
    }
    return digest([METRICS, store.revision, store.precision, unit.id, unit.data, dict(unit.settings) | layers])
