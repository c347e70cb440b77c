"""What scoring costs beside encoding, as ratios within one run.

    python benchmarks/scoring.py            everything, a few minutes
    python benchmarks/scoring.py sample     only the parts that run a real encoder
    python benchmarks/scoring.py scale      only the part at the size of BOUQuET (no model needed)

Parts:
    texts      texts passed to `encode` against distinct (language, text) pairs, on ALEE-Sample
    overhead   `mteb.evaluate` on ALEE-Sample against one bare `encode` call over the same distinct texts
    intervals  share of a run with a real encoder that goes into bootstrap intervals
    scale      864 sources, 1,927 foils, 275 languages: time, texts and peak memory against a straightforward mteb
               task, and peak memory at 275 languages against 25
"""

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

SOURCES, LANGUAGES = 864, 275
FOILS = {"PN": 640, "RS": 330, "AR": 450, "HS": 507}  # 1,927
E5 = "alee-mteb/multilingual-e5-small-q4"


class PoolEncoder:
    """Returns stored 768-d vectors at once and counts what it is asked for."""

    def __init__(self) -> None:
        from mteb.models.model_meta import ModelMeta

        self.mteb_model_meta = ModelMeta.create_empty(overwrites={"name": "benchmark/pool", "revision": "1"})
        self.pool = np.random.default_rng(0).normal(size=(4096, 768)).astype(np.float32)
        self.n_texts = 0

    def encode(self, inputs: Any, **kwargs: Any) -> Any:
        texts = [text for batch in inputs for text in batch["text"]]
        self.n_texts += len(texts)
        return self.pool[[zlib.crc32(text.encode()) % len(self.pool) for text in texts]]

    def similarity(self, left: Any, right: Any) -> Any:
        return left @ right.T

    def similarity_pairwise(self, left: Any, right: Any) -> Any:
        return (left * right).sum(axis=1)


class Counting:
    """Passes everything on to an encoder and remembers (hf_subset, text)."""

    def __init__(self, model: Any) -> None:
        self.model, self.mteb_model_meta, self.seen = model, model.mteb_model_meta, []

    def encode(self, inputs: Any, *, hf_subset: str, **kwargs: Any) -> Any:
        self.seen += [(hf_subset, text) for batch in inputs for text in batch["text"]]
        return self.model.encode(inputs, hf_subset=hf_subset, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.model, name)


def sample_parts() -> None:
    """The parts that run a real encoder on the packaged sample."""
    import mteb
    from datasets import Dataset
    from mteb.types import PromptType
    from torch.utils.data import DataLoader

    from alee_mteb import tacc

    options: dict[str, Any] = {"batch_size": 32, "show_progress_bar": False}
    counting = Counting(mteb.get_model(E5))

    def evaluate() -> Any:
        counting.seen.clear()
        return mteb.evaluate(
            counting,
            mteb.get_task("ALEE-Sample"),
            cache=None,
            co2_tracker=False,
            encode_kwargs=dict(options),
            show_progress_bar=False,
        )

    evaluate()
    distinct = list(dict.fromkeys(counting.seen))
    ratio = len(counting.seen) / len(distinct)
    print(f"texts: {len(counting.seen)} passed to encode, {len(distinct)} distinct (language, text): ratio {ratio:.3f}")

    metadata = mteb.get_task("ALEE-Sample").metadata
    texts = [text for _, text in distinct]
    whole, bare = [], []
    for _ in range(5):
        start = time.perf_counter()
        loader = DataLoader(Dataset.from_dict({"text": texts}), batch_size=32)
        counting.model.encode(
            loader,
            task_metadata=metadata,
            hf_split="test",
            hf_subset="eng_Latn",
            prompt_type=PromptType.query,
            **options,
        )
        bare.append(time.perf_counter() - start)
        start = time.perf_counter()
        evaluate()
        whole.append(time.perf_counter() - start)
    for name, figure in (
        ("shortest", min),
        ("median", statistics.median),
    ):  # the shortest is what a busy machine spares
        print(
            f"overhead: evaluate {figure(whole):.1f} s, bare encode {figure(bare):.1f} s ({name} of {len(bare)}): "
            f"ratio {figure(whole) / figure(bare):.3f} (at most 1.10)"
        )

    result = evaluate().task_results[0].scores["test"]
    from alee_mteb.outcomes import Outcomes

    outcomes = [Outcomes.from_json(scores["outcomes"], "here") for scores in result]
    tacc.resample_counts.cache_clear()
    start = time.perf_counter()
    for one in outcomes:
        samples = tacc.bootstrap_shares(one.passed, one.valid)
        [tacc.interval(samples[:, kind]) for kind in range(4)]
        tacc.interval(tacc.macro_samples(samples, np.ones(4, dtype=bool)))
    spent = time.perf_counter() - start
    print(
        f"intervals: {spent * 1000:.0f} ms for {len(outcomes)} languages: "
        f"{spent / statistics.median(whole):.2%} of the run (under 5 %)"
    )


def write_synthetic(path: Path) -> None:
    """A table of the size of ALEE-BQ275 in the wide layout."""
    import pyarrow as pa
    import pyarrow.parquet

    from alee_mteb.languages import official_languages
    from alee_mteb.perturbations import Perturbation

    rng = np.random.default_rng(1)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz    "))

    def text(name: str) -> str:
        return name + " " + "".join(rng.choice(letters, size=90))

    columns: dict[str, list[str | None]] = {
        "id": [str(row) for row in range(SOURCES)],
        "eng_Latn": [text(f"source {row}") for row in range(SOURCES)],
    }
    for kind in Perturbation:
        chosen = set(rng.choice(SOURCES, size=FOILS[kind.code], replace=False).tolist())
        columns[f"eng_{kind.value}_negative"] = [
            text(f"{kind.code} {row}") if row in chosen else None for row in range(SOURCES)
        ]
    first = next(iter(Perturbation))
    uncovered = [
        row
        for row in range(SOURCES)
        if all(columns[f"eng_{kind.value}_negative"][row] is None for kind in Perturbation)
    ]
    spare = [
        row
        for row in range(SOURCES)
        if all(columns[f"eng_{kind.value}_negative"][row] is not None for kind in Perturbation)
    ]
    for row, other in zip(uncovered, spare, strict=False):  # every source has a foil, the number of foils stays
        name = f"eng_{first.value}_negative"
        columns[name][row], columns[name][other] = text(f"{first.code} {row}"), None
    for language in official_languages("ALEE-BQ275"):
        if not language.is_english:
            columns[language.key] = [text(f"{language.key} {row}") for row in range(SOURCES)]
    pa.parquet.write_table(pa.table(columns), path)


def straightforward_task(path: Path, keys: list[str]) -> Any:
    """The mteb task one writes first: a data set per language, every side encoded for every perturbation."""
    import pyarrow.parquet
    from datasets import Dataset
    from mteb._create_dataloaders import _create_dataloader_from_texts
    from mteb.abstasks import AbsTask

    from alee_mteb.perturbations import Perturbation
    from alee_mteb.tasks import TASKS

    class Straightforward(AbsTask):
        metadata = TASKS["ALEE-BQ275"].metadata.model_copy(
            update={
                "name": "Straightforward",
                "eval_langs": {key: TASKS["ALEE-BQ275"].metadata.eval_langs[key] for key in keys},
            }
        )

        def load_data(self, num_proc: int | None = None, **kwargs: Any) -> None:
            table = pyarrow.parquet.read_table(path)
            self.dataset = {
                key: {"test": Dataset.from_dict({
                    "source": table["eng_Latn"].to_pylist(),
                    "target": table[key].to_pylist(),
                    **{kind.code: table[f"eng_{kind.value}_negative"].to_pylist() for kind in Perturbation},
                })}
                for key in keys
            }  # fmt: skip
            self.data_loaded = True

        def _evaluate_subset(
            self, model: Any, data_split: Any, *, hf_split: str, hf_subset: str, encode_kwargs: Any, **kwargs: Any
        ) -> Any:
            scores = {}
            for code in FOILS:
                rows = [row for row in data_split if row[code] is not None]
                vectors = {
                    side: model.encode(
                        _create_dataloader_from_texts([row[side] for row in rows]),
                        task_metadata=self.metadata, hf_split=hf_split, hf_subset=hf_subset, **encode_kwargs,
                    )
                    for side in ("source", code, "target")
                }  # fmt: skip
                unit = {side: v / np.linalg.norm(v, axis=1, keepdims=True) for side, v in vectors.items()}
                closer = (unit["source"] * unit["target"]).sum(axis=1) > (unit[code] * unit["target"]).sum(axis=1)
                scores[code] = float(closer.mean())
            return {**scores, "macro_tacc": sum(scores.values()) / 4}

        def _calculate_descriptive_statistics_from_split(self, *args: Any, **kwargs: Any) -> Any:
            raise RuntimeError("not part of the benchmark")

    return Straightforward()


def peak_mb() -> float:
    """Peak memory of this process since it was started; `ru_maxrss` would count that of its parent, too."""
    status = Path("/proc/self/status")
    if status.exists():
        kilobytes = next(line.split()[1] for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(kilobytes) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20  # macOS, in bytes


def child(which: str, path: str, n_languages: int) -> None:
    """One measured run in a process of its own; prints JSON."""
    import mteb

    from alee_mteb.languages import official_languages

    keys = [language.key for language in official_languages("ALEE-BQ275") if not language.is_english][: n_languages - 1]
    if which == "ours":
        task = mteb.get_task("ALEE-BQ275", hf_subsets=["eng_Latn", *keys])
    else:
        task = straightforward_task(Path(path), keys)
    import sentence_transformers  # noqa: F401 - mteb imports it at the first evaluation; not what is measured here

    encoder = PoolEncoder()
    with tempfile.TemporaryDirectory() as results:
        start = time.perf_counter()
        mteb.evaluate(encoder, task, cache=mteb.ResultCache(results), co2_tracker=False, show_progress_bar=False)
        spent = time.perf_counter() - start
    peak = peak_mb()
    print(json.dumps({"seconds": spent, "texts": encoder.n_texts, "peak_mb": peak}))


def measure(which: str, path: Path, n_languages: int) -> dict[str, float]:
    environment = {**os.environ, "ALEE_DATASET": str(path)}
    command = [sys.executable, __file__, "child", which, str(path), str(n_languages)]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if run.returncode:
        raise SystemExit(run.stderr)
    figures: dict[str, float] = json.loads(run.stdout.splitlines()[-1])
    return figures


def scale() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "alee_bq275.parquet"
        write_synthetic(path)
        ours, few, plain = (
            measure("ours", path, LANGUAGES),
            measure("ours", path, 25),
            measure("plain", path, LANGUAGES),
        )
    for name, figures in (("ours, 275 languages", ours), ("ours, 25 languages", few), ("straightforward, 275", plain)):
        print(f"scale: {name}: {figures['seconds']:.1f} s, {figures['texts']:,.0f} texts, {figures['peak_mb']:.0f} MB")
    print(f"scale: texts {plain['texts'] / ours['texts']:.1f} times fewer (at least 4)")
    print(f"scale: time {plain['seconds'] / ours['seconds']:.1f} times less")
    print(f"scale: peak memory at 275 languages / at 25: {ours['peak_mb'] / few['peak_mb']:.3f} (at most 1.1)")
    print(f"scale: peak memory of ours / straightforward: {ours['peak_mb'] / plain['peak_mb']:.3f}")


PARTS: dict[str, Callable[[], None]] = {"sample": sample_parts, "scale": scale}


def main(arguments: list[str]) -> None:
    if {"-h", "--help"} & set(arguments):
        print(__doc__)
        return
    if arguments[:1] == ["child"]:
        child(arguments[1], arguments[2], int(arguments[3]))
        return
    if unknown := set(arguments) - set(PARTS):
        raise SystemExit(f"no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    for name in arguments or PARTS:
        PARTS[name]()


if __name__ == "__main__":
    main(sys.argv[1:])
