"""Per-triplet similarities, one Parquet file per language.

mteb's own prediction writer rewrites one growing JSON file per subset; at the size of ALEE-BQ275 that is minutes and
gigabytes. Each file here is written once and holds:

    id, perturbation (PN, RS, AR, HS), similarity_source, similarity_foil, passed
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from alee_mteb.errors import ResultsError
from alee_mteb.files import atomic_path
from alee_mteb.perturbations import CODES
from alee_mteb.tacc import Comparison
from alee_mteb.triplets import TripletTable


def write_predictions(
    folder: Path, subset: str, table: TripletTable, comparison: Comparison, model: str, settings: dict[str, Any]
) -> Path:
    """Write the similarities of one language to ``FOLDER/org__model/SUBSET.parquet`` and return that path.

    Raises:
        ResultsError: the file cannot be written.
    """
    path = folder / _safe(model) / f"{_safe(subset)}.parquet"
    kinds, rows = np.nonzero(comparison.valid)
    similarities = pa.table(
        {
            "id": [table.ids[row] for row in rows],
            "perturbation": [CODES[kind] for kind in kinds],
            "similarity_source": comparison.positive[rows],
            "similarity_foil": comparison.negative[kinds, rows],
            "passed": comparison.passed[kinds, rows],
        }
    ).replace_schema_metadata({"alee": json.dumps({"model": model, "subset": subset, **settings}, sort_keys=True)})
    try:
        with atomic_path(path) as temporary:
            pa.parquet.write_table(similarities, temporary)
    except OSError as error:
        raise ResultsError(f"{path}: the predictions cannot be written ({error.strerror or error})") from error
    return path


def _safe(name: str) -> str:
    """A name as one path component: slashes become ``__`` as in mteb's results, leading dots go."""
    return name.replace("/", "__").replace("\\", "__").replace(" ", "_").lstrip(".") or "unnamed"
