"""`alee stats`: how many foils a build yielded, why the others failed, how long the texts are (paper, Table 2)."""

import json
import random
import re
import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from alee_mteb.perturbations import Perturbation
from builders.folder import Configuration, open_folder
from builders.stages import Status
from builders.terminal import aligned, on_one_line

_TOKEN = re.compile(r"\w+|[^\w\s]")
#: Characters of an example that are shown.
_SHOWN = 240


@dataclass(frozen=True)
class Lengths:
    """Median and quartiles of text lengths in tokens (runs of letters and digits, or single other marks)."""

    n: int
    q1: float
    median: float
    q3: float


@dataclass(frozen=True)
class Example:
    """A source, its foil and the edit behind it."""

    id: str
    source: str
    foil: str
    edit: str | None


@dataclass(frozen=True)
class PerturbationStats:
    """One perturbation.

    Attributes:
        foils: validated foils, and their share of the sources.
        statuses: status → sources, successes included; empty without a provenance table.
    """

    perturbation: str
    code: str
    foils: int
    share: float
    statuses: dict[str, int]
    lengths: Lengths | None
    examples: list[Example]


@dataclass(frozen=True)
class BuildStats:
    """One configuration."""

    config: str
    sources: int
    source_lengths: Lengths | None
    foil_lengths: Lengths | None
    perturbations: list[PerturbationStats]
    control: dict[str, int]


def folder_stats(folder: Path, n_examples: int = 2, seed: int = 0) -> list[BuildStats]:
    """The statistics of every configuration in a folder; examples are drawn with the seed.

    Raises:
        DataError: see `builders.folder.open_folder`.
    """
    return [build_stats(configuration, n_examples, seed) for configuration in open_folder(folder)]


def build_stats(configuration: Configuration, n_examples: int, seed: int) -> BuildStats:
    """The statistics of one configuration."""
    rows = configuration.provenance or []
    statuses = {kind: Counter[str]() for kind in {row["perturbation"] for row in rows}}
    edits = {}
    for row in rows:
        statuses[row["perturbation"]][row["status"]] += 1
        edits[row["id"], row["perturbation"]] = f"{row['old']} → {row['new']}" if row["old"] is not None else None
    # Sources without text have a row in the provenance table only.
    n_sources = len({row["id"] for row in rows}) or len(configuration.ids)
    foils = {
        kind: [pair for pair in configuration.pairs() if pair.perturbation is kind] for kind in configuration.foils
    }
    perturbations = []
    for kind, pairs in foils.items():
        # A generator per perturbation, so that its examples do not depend on how many another has.
        drawn = random.Random(f"{seed} {kind.value}").sample(pairs, min(n_examples, len(pairs)))
        perturbations.append(
            PerturbationStats(
                perturbation=kind.value,
                code=kind.code,
                foils=len(pairs),
                share=len(pairs) / n_sources if n_sources else 0.0,
                statuses=_in_order(statuses.get(kind.value)),
                lengths=token_lengths(pair.foil for pair in pairs),
                examples=[Example(p.id, p.source, p.foil, edits.get((p.id, kind.value))) for p in drawn],
            )
        )
    control = next((counts for name, counts in statuses.items() if name not in _KINDS), None)
    return BuildStats(
        config=configuration.name,
        sources=n_sources,
        source_lengths=token_lengths(configuration.sources),
        foil_lengths=token_lengths(pair.foil for pairs in foils.values() for pair in pairs),
        perturbations=perturbations,
        control=_in_order(control),
    )


_KINDS = {kind.value for kind in Perturbation}


def token_lengths(texts: Iterable[str]) -> Lengths | None:
    """Median and quartiles (inclusive method, as numpy's and R's default); ``None`` without texts."""
    counts = sorted(len(_TOKEN.findall(text)) for text in texts)
    if not counts:
        return None
    if len(counts) == 1:
        return Lengths(1, *(float(counts[0]),) * 3)
    q1, median, q3 = statistics.quantiles(counts, n=4, method="inclusive")
    return Lengths(len(counts), q1, median, q3)


def _in_order(counts: Counter[str] | None) -> dict[str, int]:
    return {status.value: counts[status.value] for status in Status if counts[status.value]} if counts else {}


def as_json(stats: Sequence[BuildStats]) -> str:
    """All statistics, machine-readable."""
    return json.dumps([asdict(entry) for entry in stats], indent=2, ensure_ascii=False)


def as_text(stats: BuildStats) -> str:
    """The statistics of one configuration for the terminal."""
    lines = [f"{stats.config}: {stats.sources} sources, {sum(p.foils for p in stats.perturbations)} foils", ""]
    reasons = [
        s.value for s in Status if s is not Status.SUCCESS and any(p.statuses.get(s.value) for p in stats.perturbations)
    ]
    header = ["", "foils", "share", *(reason.replace("_", " ") for reason in reasons)]
    table = [header]
    for entry in stats.perturbations:
        title = f"{entry.code} {Perturbation(entry.perturbation).title}"
        table.append([title, str(entry.foils), f"{entry.share:.1%}", *(str(entry.statuses.get(r, 0)) for r in reasons)])
    lines += aligned(table)
    if stats.control:
        lines += [
            "",
            "control texts: " + ", ".join(f"{n} {status.replace('_', ' ')}" for status, n in stats.control.items()),
        ]
    lines += ["", *aligned([["tokens", "texts", "median", "quartiles"], *_length_rows(stats)])]
    for entry in stats.perturbations:
        for example in entry.examples:
            lines += ["", f"{entry.code} {example.id}" + (f"  {example.edit}" if example.edit else "")]
            lines += [
                f"   source  {on_one_line(example.source, _SHOWN)}",
                f"   foil    {on_one_line(example.foil, _SHOWN)}",
            ]
    return "\n".join(lines)


def _length_rows(stats: BuildStats) -> list[list[str]]:
    named = [("sources", stats.source_lengths), ("foils", stats.foil_lengths)]
    named += [(f"  {entry.code}", entry.lengths) for entry in stats.perturbations]
    return [[name, str(n.n), f"{n.median:g}", f"{n.q1:g}–{n.q3:g}"] for name, n in named if n is not None]
