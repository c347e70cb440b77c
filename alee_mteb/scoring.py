"""The scores of one model on one target language (DESIGN.md §3).

TripletTable + Targets + vectors ──compare──▶ Comparison ──score──▶ dict for mteb
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from alee_mteb import tacc
from alee_mteb.encoding import TextVectors
from alee_mteb.outcomes import Outcomes, digest_ids
from alee_mteb.perturbations import CODES, Perturbation
from alee_mteb.tacc import Bools, Comparison, Floats
from alee_mteb.triplets import Targets, TripletTable, words_of

#: Length bins by characters of the source: below 115, 115 to 314, 315 and more (DESIGN.md §3).
LENGTH_BINS = (("<115", 0, 115), ("115-314", 115, 315), (">=315", 315, math.inf))


def compare(
    table: TripletTable, targets: Targets, english: TextVectors, translations: TextVectors, shift: int = 0
) -> Comparison:
    """Similarities of every source and foil to the row's translation.

    With ``shift=1`` each row is compared with the translation of the next translated row instead (rows in id order,
    cyclic): the unrelated-target control.
    """
    rows = np.array([row for row, text in enumerate(targets.texts) if text is not None])
    positive = np.full(len(table), np.nan)
    negative = np.full((len(CODES), len(table)), np.nan)
    aligned = translations.of(str(targets.texts[row]) for row in np.roll(rows, -shift))
    position = {row: place for place, row in enumerate(rows)}
    positive[rows] = tacc.row_cosines(english.of(table.sources[row] for row in rows), aligned)
    for kind, texts in enumerate(table.foils.values()):
        present = [row for row in rows if texts[row] is not None]
        if present:
            vectors = english.of(str(texts[row]) for row in present)
            negative[kind, present] = tacc.row_cosines(vectors, aligned[[position[row] for row in present]])
    return Comparison(positive, negative)


def overlap_baseline(table: TripletTable, targets: Targets) -> Floats:
    """Outcomes of the word-overlap baseline, shape (P, R), halves for ties."""
    sources, *foils = table.english_words
    return tacc.overlap_scores(sources, foils, [None if text is None else words_of(text) for text in targets.texts])


def score(
    table: TripletTable, targets: Targets, comparison: Comparison, control: Comparison, overlap: Floats
) -> dict[str, Any]:
    """Every figure of one language, ready for JSON; shares and margins as Python floats, ``None`` where undefined."""
    valid, passed = comparison.valid, comparison.passed
    has_triplets = tacc.any_along(valid, axis=1)
    samples = tacc.bootstrap_shares(passed, valid)
    values = tacc.shares(passed, valid)
    intervals = [tacc.interval(samples[:, kind]) for kind in range(len(CODES))]
    macro_interval = tacc.interval(tacc.macro_samples(samples, has_triplets))
    controls = tacc.shares(control.passed, control.valid)
    overlaps = tacc.shares(overlap, valid)
    result: dict[str, Any] = {
        "macro_tacc": tacc.macro(values),
        "macro_tacc_low": macro_interval[0],
        "macro_tacc_high": macro_interval[1],
        **{f"tacc_{code}": values[kind] for kind, code in enumerate(CODES) if has_triplets[kind]},
        "n_sources": int(valid.any(axis=0).sum()),
        "n_missing_translations": targets.n_missing,
        "left_out": [code for kind, code in enumerate(CODES) if not has_triplets[kind]],
        "perturbations": {
            code: {
                "tacc": values[kind],
                "low": intervals[kind][0],
                "high": intervals[kind][1],
                "n": int(valid[kind].sum()),
                "ties": int(comparison.ties[kind]),
                "margin": comparison.margins[kind],
                "unrelated_target": controls[kind],
                "overlap": overlaps[kind],
            }
            for kind, code in enumerate(CODES)
            if has_triplets[kind]
        },
        "macro_unrelated_target": tacc.macro(controls),
        "macro_overlap": tacc.macro(overlaps),
        "matched": _on_rows(passed, valid, tacc.matched_rows(valid)),
        "by_length": {
            name: _on_rows(passed, valid, _length_mask(table.sources, low, high)) for name, low, high in LENGTH_BINS
        },
        "outcomes": Outcomes(digest_ids(table.ids), valid, passed).to_json(),
    }
    if "level" in table.metadata:
        labels = np.array([label or "" for label in table.metadata["level"]])
        result["by_level"] = {
            label: _on_rows(passed, valid, labels == label) for label in sorted(set(labels.tolist()) - {""})
        }
    return _plain(result)


def regeneration_control(
    table: TripletTable, targets: Targets, comparison: Comparison, english: TextVectors, translations: TextVectors
) -> dict[str, Any] | None:
    """How often the source is preferred over its mere regeneration (DESIGN.md §4); ``None`` without such texts."""
    if table.regenerated is None:
        return None
    rows = [
        row
        for row, (text, target) in enumerate(zip(table.regenerated, targets.texts, strict=True))
        if text is not None and target is not None and text != table.sources[row]
    ]
    if not rows:
        return None
    aligned = translations.of(str(targets.texts[row]) for row in rows)
    regenerated = tacc.row_cosines(english.of(str(table.regenerated[row]) for row in rows), aligned)
    return {"tacc": float((comparison.positive[rows] > regenerated).mean()), "n": len(rows)}


def _on_rows(passed: Bools, valid: Bools, rows: Bools) -> dict[str, Any]:
    """TACC per perturbation, macro and number of sources on some of the rows."""
    values = tacc.shares(passed[:, rows], valid[:, rows])
    return {
        "macro_tacc": tacc.macro(values),
        **{code: values[kind] for kind, code in enumerate(CODES) if not np.isnan(values[kind])},
        "n": int(valid[:, rows].any(axis=0).sum()),
    }


def _length_mask(sources: Sequence[str], low: float, high: float) -> Bools:
    lengths = np.array([len(text) for text in sources])
    return (lengths >= low) & (lengths < high)


def _plain(value: Any) -> Any:
    """NumPy numbers as Python numbers, NaN as ``None``: mteb rounds only Python floats, and JSON has no NaN."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float | np.floating):
        return None if math.isnan(value) else float(value)
    return value


assert tuple(kind.code for kind in Perturbation) == CODES
