"""What building costs, as ratios within one run.

    python benchmarks/building.py             everything; the tiny models of the tests are trained first (minutes)
    python benchmarks/building.py batching    one part
    python benchmarks/building.py --models DIR    keep the tiny models there for the next time

Parts:
    batching    the pipeline against the same stages called with one item at a time (at least 5 times as fast)
    loads       how often a build loads each model (once)
    edits       graphs a second through all four edits, on the Little Prince graphs
    memory      peak memory of a build with 10 times the rows (within 10 %)
"""

import argparse
import json
import logging
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
GRAPHS = ROOT.parent / "shared" / "data" / "amr" / "little-prince-training.txt"
PARTS = ("batching", "loads", "edits", "memory")
ROWS, MORE = 1_000, 10


@dataclass
class OneByOne:
    """A stage whose batch method is given one item at a time."""

    stage: Any
    method: str

    def __call__(self, items: Sequence[Any]) -> list[Any]:
        return [getattr(self.stage, self.method)([item])[0] for item in items]


class Single:
    """Stages that never see more than one item."""

    def __init__(self, parser: Any, realiser: Any, validator: Any) -> None:
        self.name = "one by one"
        self.parse = OneByOne(parser, "parse")
        self.realise = OneByOne(realiser, "realise")
        self.validate = OneByOne(validator, "validate")


def sources(n: int) -> list[Any]:
    """So many different sentences of the tiny language."""
    import random

    from support.tiny_language import meanings, sentence

    from builders.stages import SourceText

    random_meanings = meanings(random.Random(1), wide=False)
    texts: dict[str, None] = {}
    while len(texts) < n:
        text = sentence(next(random_meanings))
        if len(text) >= 25:
            texts[text] = None
    return [SourceText(str(i), text) for i, text in enumerate(texts)]


def models(folder: Path) -> dict[str, str]:
    """Folders of the tiny models, trained if they are not there (a minute or two)."""
    from support.tiny_cache import tiny_folders

    return {name: str(place) for name, place in tiny_folders(folder).items()}


def batching(folder: Path) -> None:
    """Time per source of the pipeline and of single calls; both must come to the same foils."""
    import torch

    from builders.engines import open_engine
    from builders.pipeline import Rules, run
    from builders.recipes import BuildConfig

    # One thread and its own time: the ratio is that of the work, whatever else the machine does.
    torch.set_num_threads(1)
    logging.getLogger("amrlib").setLevel(logging.ERROR)
    config = BuildConfig(corpus="unused", batch_size=64, **models(folder))
    stages = open_engine(config).stages
    single = Single(stages.parser, stages.realiser, stages.validator)
    alone = replace(stages, parser=single, realiser=single, validator=single)
    rows = sources(256)
    rules = Rules(min_text=1, min_sentence=1)
    run(rows[:8], stages, rules)  # warm-up
    start = time.process_time()
    together = run(rows, stages, rules)
    batched = (time.process_time() - start) / len(rows)
    start = time.process_time()
    one_by_one = [result for row in rows[:64] for result in run([row], alone, rules)]
    single_time = (time.process_time() - start) / len(one_by_one)
    assert [r.outcomes for r in one_by_one] == [r.outcomes for r in together[: len(one_by_one)]], (
        "batches changed a foil"
    )
    n_foils = sum(outcome.status.value == "success" for result in together for outcome in result.outcomes)
    print(
        f"batching: {1000 * batched:.1f} ms a source in batches, {1000 * single_time:.1f} ms one by one: "
        f"{single_time / batched:.1f} times as fast ({n_foils} foils of {len(rows)} sources)"
    )
    assert single_time / batched >= 5


def loads(folder: Path) -> None:
    """Count calls of `from_pretrained` that load weights, over a whole build of several chunks."""
    import transformers

    from builders.build import build
    from builders.recipes import BuildConfig

    counts: Counter[str] = Counter()
    places = models(folder)

    def counting(kind: Any) -> Any:
        real = kind.from_pretrained.__func__

        def from_pretrained(cls: Any, name: Any, *arguments: Any, **options: Any) -> Any:
            counts[Path(name).name] += 1
            return real(cls, name, *arguments, **options)

        return classmethod(from_pretrained)

    for kind in (transformers.AutoModelForSeq2SeqLM, transformers.AutoModelForSequenceClassification):
        kind.from_pretrained = counting(kind)
    with tempfile.TemporaryDirectory() as scratch:
        corpus = Path(scratch) / "corpus.tsv"
        corpus.write_text(
            "".join(f"{s.id}\t{s.text}\n" for s in [replace(sources(1)[0], id="id", text="eng_Latn"), *sources(40)])
        )
        config = BuildConfig(corpus=str(corpus), min_text=1, min_sentence=1, **places)
        build(config, Path(scratch) / "out", chunk_size=8)
    print(f"loads: {', '.join(f'{name} {n}' for name, n in sorted(counts.items()))}, over 5 chunks")
    assert set(counts.values()) == {1}
    assert len(counts) == 3


def edits(folder: Path) -> None:
    """All four edits with all candidates, in `paper` mode: first with WordNet on disk, then with its answers known."""
    import penman

    from alee_mteb.perturbations import Perturbation
    from builders.edits import edits_to_try
    from builders.lexicon import WordNetLexicon

    if not GRAPHS.is_file():
        print(f"edits: {GRAPHS.name} is not beside the checkout, left out")
        return
    graphs = penman.loads(GRAPHS.read_text(encoding="utf-8"))
    lexicon = WordNetLexicon()
    for words in ("read from disk", "known"):
        found: Counter[str] = Counter()
        start = time.process_time()
        for number, graph in enumerate(graphs):
            for kind in Perturbation:
                found[kind.code] += len(edits_to_try(graph, kind, 0, str(number), lexicon))
        seconds = time.process_time() - start
        counts = ", ".join(f"{code} {n}" for code, n in found.items())
        print(
            f"edits: {len(graphs)} graphs, {found.total()} candidates ({counts}), words {words}: "
            f"{len(graphs) / seconds:.0f} graphs a second, {found.total() / seconds:.0f} edits a second"
        )


def memory(folder: Path) -> None:
    """Peak memory of a process that builds from a table of 50 languages, with rules in place of models."""
    peaks = {}
    with tempfile.TemporaryDirectory() as scratch:
        for rows in (ROWS, ROWS * MORE):
            command = [sys.executable, __file__, "child", "--rows", str(rows), "--scratch", scratch]
            done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
            peaks[rows] = json.loads(done.stdout)["peak"]
    few, many = peaks.values()
    print(f"memory: {few:.0f} MB at {ROWS:,} rows, {many:.0f} MB at {ROWS * MORE:,}: {many / few:.3f}")
    assert many / few <= 1.1


class Forgetful(list[Any]):
    """A list that keeps nothing: the stand-ins of the tests remember all they are asked."""

    def append(self, item: Any) -> None:
        """Keep nothing."""


def memory_child(rows: int, scratch: Path) -> None:
    """Write a table of so many rows, build from it, and print the peak."""
    from support.doubles import engine, stages

    from alee_mteb.languages import official_languages
    from builders.build import build
    from builders.recipes import BuildConfig

    languages = [language.key for language in official_languages("ALEE-F200")][:50]
    path = scratch / f"corpus-{rows}.tsv"
    with path.open("w", encoding="utf-8") as table:
        table.write("\t".join(["id", "eng_Latn", *(key for key in languages if key != "eng_Latn")]) + "\n")
        for row in range(rows):
            texts = [f"The boy believes girl number {row}. {'word ' * 20}"] * len(languages)
            table.write("\t".join([str(row), *texts][: len(languages) + 1]) + "\n")
    config = BuildConfig(corpus=str(path))
    made = stages()
    for stage in (made.parser, made.realiser, made.validator):
        stage.calls = Forgetful()
    build(config, scratch / f"out-{rows}", open_stages=lambda config, progress: engine(made))
    print(json.dumps({"peak": _peak()}))


def _peak() -> float:
    """Peak memory of this process in MB; what `getrusage` tells includes the process that it was forked from."""
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"VmHWM:\s*(\d+) kB", status)[1]) / 1024  # type: ignore[index]


def main() -> None:
    """Run the parts asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", help=f"some of {', '.join(PARTS)}; all by default")
    parser.add_argument("--models", type=Path, help="folder of the tiny models")
    parser.add_argument("--rows", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--scratch", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    unknown = set(options.parts) - {*PARTS, "child"}
    if unknown:
        parser.error(f"no part {min(unknown)!r}")
    if options.parts == ["child"]:
        memory_child(options.rows, options.scratch)
        return
    with tempfile.TemporaryDirectory() as scratch:
        for part in options.parts or PARTS:
            globals()[part](options.models or Path(scratch))


if __name__ == "__main__":
    main()
