"""What the surface engine makes: how fast, how much, how near to the source, and what encoders score on it.

    python benchmarks/surface.py             everything that the data at hand allows (TACC takes minutes)
    python benchmarks/surface.py yield       one part

Parts:
    yield      segments a second on one core after loading, foils per perturbation, word edits per foil
               (shared data: wmt24_multiparallel.jsonl)
    distance   word edits per foil against the released neural foils of the same sources
               (shared data: sentence-smith/paws_samples.csv)
    sample     foils of ALEE-S-Sample against the hand-written ones: identical, another valid edit, wrong
    tacc       TACC of both PyPI encoders on German and Romansh (Sursilvan), segments with all four foils apart
"""

import argparse
import csv
import json
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT)]
SHARED = ROOT.parent / "shared" / "data"
WMT24 = SHARED / "wmt24_multiparallel.jsonl"
PAWS = SHARED / "sentence-smith" / "paws_samples.csv"
VERDICTS = ROOT / "builders" / "quality" / "sample_verdicts.csv"
PARTS = ("yield", "distance", "sample", "tacc")
#: The names of the release; its ``RS`` swaps two leaves of the graph.
KINDS = {"polarity_negation": "PN", "RS": "RS", "antonym": "AR", "hypernym": "HS"}


def word_edits(left: str, right: str) -> int:
    """Words to insert, delete or replace."""
    a, b = left.split(), right.split()
    row = list(range(len(b) + 1))
    for i, word in enumerate(a, 1):
        before, row[0] = row[0], i
        for j, other in enumerate(b, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (word != other))
    return row[-1]


def run(texts: Iterable[tuple[str, str]]) -> tuple[list[tuple[str, str, str, str]], float, int]:
    """(id, source, perturbation, foil) of all foils, seconds after loading, number of texts."""
    from builders.engines import open_engine
    from builders.pipeline import Rules
    from builders.pipeline import run as pipeline
    from builders.recipes import make_config
    from builders.stages import SourceText, Status

    config = make_config(None, {"corpus": "none", "engine": "surface"})
    stages = open_engine(config).stages
    sources = [SourceText(name, text) for name, text in texts]
    pipeline(sources[:3], stages, Rules())  # lemminflect loads its tables at the first use
    rules = Rules(min_text=config.min_text, min_sentence=config.min_sentence)
    start = time.process_time()
    found = [result for at in range(0, len(sources), 64) for result in pipeline(sources[at : at + 64], stages, rules)]
    seconds = time.process_time() - start
    foils = [
        (result.source.id, result.source.text, outcome.kind.code, outcome.foil)
        for result in found
        for outcome in result.outcomes
        if outcome.status is Status.SUCCESS and outcome.foil is not None
    ]
    return foils, seconds, len(sources)


def yields() -> None:
    """Speed, yield and edits on the WMT24 segments."""
    rows = [json.loads(line) for line in WMT24.read_text(encoding="utf-8").splitlines()]
    foils, seconds, n = run((str(row["segment_id"]), row["eng_Latn"]) for row in rows)
    print(f"{n} segments in {seconds:.1f} s of one core: {n / seconds:.1f} a second")
    for code in KINDS.values():
        edits = [word_edits(source, foil) for _, source, kind, foil in foils if kind == code]
        print(f"  {code}: {len(edits)} foils ({len(edits) / n:.3f}), {statistics.mean(edits):.2f} word edits each")


def distance() -> None:
    """Edits against those of the released neural foils, on the sources that both have a foil for."""
    with PAWS.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["modification_type"] in KINDS]
    texts = list(dict.fromkeys(row["original_sentence"] for row in rows))
    foils, _, n = run((str(at), text) for at, text in enumerate(texts))
    mine = {(source, kind): foil for _, source, kind, foil in foils}
    print(f"{n} sources")
    for code in KINDS.values():
        pairs = [
            (
                word_edits(row["original_sentence"], mine[row["original_sentence"], code]),
                word_edits(row["original_sentence"], row["modified_sentence"]),
            )
            for row in rows
            if KINDS[row["modification_type"]] == code and (row["original_sentence"], code) in mine
        ]
        own, neural = (statistics.mean(side) for side in zip(*pairs, strict=True))
        print(
            f"  {code}: {len(pairs)} sources with both; {own:.2f} word edits against {neural:.2f}: "
            f"ratio {neural / own:.1f}"
        )


def sample() -> None:
    """The engine's foils of the packaged sources against the hand-written ones; verdicts on the others by hand."""
    from alee_mteb.perturbations import Perturbation
    from alee_mteb.sample import sample_items, surface_foils

    with VERDICTS.open(encoding="utf-8", newline="") as file:
        verdicts = {(row["id"], row["perturbation"], row["foil"]): row["verdict"] for row in csv.DictReader(file)}
    foils = surface_foils()
    for kind in Perturbation:
        counts: Counter[str] = Counter()
        for item in sample_items():
            foil = foils[item["id"]].get(kind.value)
            if foil is None:
                counts["no foil"] += 1
            elif foil == item["foils"].get(kind.value):
                counts["identical"] += 1
            else:
                counts[verdicts.get((item["id"], kind.value, foil), "not judged")] += 1
        made = sum(counts.values()) - counts["no foil"]
        shares = ", ".join(
            f"{name} {counts[name]} ({counts[name] / made:.1%})" for name in ("identical", "valid", "wrong")
        )
        print(f"  {kind.code}: {made} foils: {shares}; no foil {counts['no foil']}, not judged {counts['not judged']}")


def tacc() -> None:
    """Both encoders on the WMT24 segments in German and Sursilvan, through mteb."""
    import mteb

    from alee_mteb.report.render import render_report
    from alee_mteb.sources import DataRequest
    from alee_mteb.tasks.data import own_data_task
    from builders.build import build
    from builders.recipes import make_config

    with tempfile.TemporaryDirectory() as folder:
        out, results = Path(folder) / "wmt24", Path(folder) / "results"
        settings = {"corpus": str(WMT24), "config_name": "wmt24", "engine": "surface", "id_column": "segment_id"}
        build(make_config(None, {**settings, "english_column": "eng_Latn", "license": "apache-2.0"}), out)
        name = own_data_task(DataRequest(str(out)), "wmt24").metadata.name
        for model in ("alee-mteb/multilingual-e5-small-q4", "alee-mteb/use-multilingual-v3"):
            mteb.evaluate(
                mteb.get_model(model),
                mteb.get_task(name, hf_subsets=["deu_Latn", "roh_sursilv"]),
                cache=mteb.ResultCache(results),
                encode_kwargs={"batch_size": 32},
                co2_tracker=False,
            )
        print(render_report(results, "table", by_language=True))


def available(parts: Iterable[str]) -> Iterator[tuple[str, Any]]:
    """The parts whose data is there, each with its function."""
    needs = {"yield": WMT24, "distance": PAWS, "sample": VERDICTS, "tacc": WMT24}
    functions = {"yield": yields, "distance": distance, "sample": sample, "tacc": tacc}
    for part in parts:
        if needs[part].exists():
            yield part, functions[part]
        else:
            print(f"== {part}: left out, {needs[part].name} is not there")


def main() -> None:
    """Run the parts asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="all by default")
    for part, function in available(parser.parse_args().parts or PARTS):
        print(f"== {part}", flush=True)
        function()


if __name__ == "__main__":
    main()
