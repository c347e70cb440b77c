"""What token-level evaluation costs, and whether its figures on a real encoder are right.

    python benchmarks/evaluation.py speed                                no model needed, under a minute
    python benchmarks/evaluation.py aer ENCODER DATA [LAYER …]           real sets, a few minutes
    python benchmarks/evaluation.py once ENCODER DATA                    sentences encoded against distinct sentences

Parts:
    speed   AER of 1,000 sentence pairs after encoding; xsim of 1,000 × 1,000; hubness over 50,000 words, peak memory
    aer     AER by layer on XL-WA and awesome-align, the best layer, and the difference to an implementation that
            shares no code with the project (tests/support/independent_aer.py) at the given layers (6 and 12)
    once    all tasks and layers that XL-WA, awesome-align and a multi-parallel file allow, in one run

ENCODER is a folder of multilingual-e5-small (`alee salt encoder-from-pypi`); DATA holds `xl-wa` and `awesome-align`.
"""

import json
import multiprocessing
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
PROMPT = "query: "
# The folder of this file has a salt.py of its own, which would hide the package.
sys.path[0] = str(ROOT)


def speed() -> dict[str, Any]:
    """Seconds and megabytes on made-up states."""
    return {
        "AER of 1,000 pairs after encoding, one layer, Argmax and Itermax": _aer_seconds(),
        "xsim of 1,000 x 1,000, d = 1,024": _xsim_seconds(),
        "hubness over 50,000 words, d = 1,024": _in_own_process(_hubness),
    }


def _aer_seconds() -> dict[str, float]:
    sys.path.insert(0, str(ROOT / "tests"))
    from support.word_encoder import WordEncoder  # type: ignore[import-not-found]

    from salt.evaluation.alignment import evaluate_alignment
    from salt.evaluation.gold import GoldPair, GoldSet
    from salt.evaluation.states import StateStore

    generator = np.random.default_rng(0)
    pairs = []
    for _ in range(1000):
        source, target = ([f"w{at}" for at in generator.integers(0, 5000, size=25)] for _ in range(2))
        links = frozenset((int(i), int(j)) for i, j in generator.integers(0, 25, size=(25, 2)))
        pairs.append(GoldPair(" ".join(source), " ".join(target), links, links))
    gold = GoldSet("made up", "eng_Latn", "deu_Latn", tuple(pairs))
    with tempfile.TemporaryDirectory() as folder:
        store = StateStore(WordEncoder(dimension=1024), Path(folder))
        store.get([pair.source for pair in pairs], "eng_Latn", (1,))
        store.get([pair.target for pair in pairs], "deu_Latn", (1,))
        return _timed(lambda: evaluate_alignment(gold, store, (1,)))


def _xsim_seconds() -> dict[str, float]:
    from salt.evaluation.mining import mine

    generator = np.random.default_rng(0)
    sources, targets = generator.normal(size=(2, 1000, 1024)).astype(np.float32)
    return _timed(lambda: mine(sources, targets, faiss=False))


def _hubness() -> dict[str, float]:
    from salt.evaluation.geometry import k_occurrence, skewness

    vectors = np.random.default_rng(0).normal(size=(50_000, 1024)).astype(np.float32)
    before = _peak()
    seconds = _timed(lambda: skewness(k_occurrence(vectors, faiss=False)))
    return seconds | {"peak MB": round(_peak()), "of which before the search": round(before)}


def aer(encoder: Path, data: Path, layers: list[int]) -> dict[str, Any]:
    """Our figures by layer on all sets, and the other implementation's at some layers."""
    sys.path.insert(0, str(ROOT / "tests"))
    from support.independent_aer import all_aers  # type: ignore[import-not-found]

    from salt.encoders.load import load_encoder
    from salt.evaluation.alignment import evaluate_alignment
    from salt.evaluation.gold import read_awesome, read_xl_wa
    from salt.evaluation.states import StateStore

    model = load_encoder(encoder, prompt=PROMPT)
    tables: dict[str, dict[int, float]] = {}
    largest = 0.0
    with tempfile.TemporaryDirectory() as folder:
        store = StateStore(model, Path(folder))
        for gold in [*read_xl_wa(data / "xl-wa"), *read_awesome(data / "awesome-align")]:
            scores = evaluate_alignment(gold, store, range(model.n_layers + 1))
            ours = {(score.layer, score.method): score.value for score in scores if score.metric == "aer"}
            tables[f"{gold.name} {gold.language}"] = {
                layer: value for (layer, method), value in ours.items() if layer is not None and method == "itermax"
            }
            theirs = all_aers(encoder, *_raw_rows(gold.name, gold.language, data), layers, PROMPT)
            largest = max(largest, *(abs(ours[key] - value) for key, value in theirs.items()))
            print(gold.language, {key: (round(ours[key], 4), round(value, 4)) for key, value in theirs.items()})
    xl_wa = [table for name, table in tables.items() if name.startswith("xl-wa")]
    mean = {layer: float(np.mean([table[layer] for table in xl_wa])) for layer in xl_wa[0]}
    best = min(mean, key=lambda layer: mean[layer])
    return {
        "AER (Itermax) by layer": {
            name: {layer: round(value, 4) for layer, value in table.items()} for name, table in tables.items()
        },
        "mean over XL-WA": {layer: round(value, 4) for layer, value in mean.items()},
        "best layer": best,
        "last layer minus best": round(mean[max(mean)] - mean[best], 4),
        "largest difference to the other implementation": round(largest, 6),
    }


def _raw_rows(name: str, language: str, data: Path) -> tuple[list[tuple[str, str, str]], int]:
    """Source, target and links straight from the files, and where their links count from."""
    if name == "xl-wa":
        folder = {"bul": "bg", "spa": "es", "ita": "it", "nld": "nl", "por": "pt", "rus": "ru"}[language[9:12]]
        lines = (data / "xl-wa" / folder / "test.tsv").read_text(encoding="utf-8").splitlines()
        fields = [line.split("\t") for line in lines if line.strip()]
        return [(source, target, links) for source, target, links in fields], 0
    stem = {"eng_Latn-fra_Latn": "enfr", "ron_Latn-eng_Latn": "roen"}[language]
    texts = (data / "awesome-align" / f"{stem}.src-tgt").read_text(encoding="utf-8").splitlines()
    gold = (data / "awesome-align" / f"{stem}.gold").read_text(encoding="utf-8").splitlines()
    return [(*text.split("|||"), links) for text, links in zip(texts, gold, strict=True)], 1  # type: ignore[misc]


def once(encoder: Path, data: Path) -> dict[str, Any]:
    """How often a sentence is encoded when every task wants it."""
    from salt.encoders.load import load_encoder
    from salt.evaluation.run import evaluate
    from salt.evaluation.sources import read_sources
    from salt.evaluation.states import StateStore
    from salt.evaluation.work import Options, units_of

    model = load_encoder(encoder)
    sources = read_sources([str(data / "xl-wa"), str(data / "awesome-align")], ["es", "fr"])
    options = Options(layers=tuple(range(model.n_layers + 1)))
    units = units_of(sources, [], options)
    distinct = {(language, text) for unit in units for language, texts, _ in unit.texts() for text in texts}
    wanted = sum(len(texts) * len(layers) for unit in units for _, texts, layers in unit.texts())
    with tempfile.TemporaryDirectory() as folder:
        store = StateStore(model, Path(folder) / "states")
        evaluate(store, units, options, Path(folder))
        return {
            "tasks": [unit.id for unit in units],
            "states asked for (sentence and layer)": wanted,
            "distinct sentences": len(distinct),
            "encoded": store.encoded,
            "peak MB": round(_peak()),
        }


def _in_own_process(work: Callable[[], dict[str, float]]) -> dict[str, float]:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(work)


def _timed(work: Callable[[], Any]) -> dict[str, float]:
    """Seconds on the clock and of processor time, which a busy machine does not change."""
    start, start_cpu = time.perf_counter(), time.process_time()
    work()
    return {"seconds": round(time.perf_counter() - start, 2), "CPU seconds": round(time.process_time() - start_cpu, 2)}


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Run the part named on the command line and print what it found as JSON."""
    match sys.argv[1:]:
        case ["speed"]:
            found = speed()
        case ["aer", encoder, data, *layers]:
            found = aer(Path(encoder), Path(data), [int(layer) for layer in layers] or [6, 12])
        case ["once", encoder, data]:
            found = once(Path(encoder), Path(data))
        case _:
            sys.exit(__doc__)
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
