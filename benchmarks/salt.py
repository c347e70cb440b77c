"""SALT on a real encoder, and what it costs.

    python benchmarks/salt.py real            150 updates of the `default` preset, all tests, all of the retrieval set
    python benchmarks/salt.py losses          60 updates per objective, 300 segments for retrieval
    python benchmarks/salt.py translation     the combinations of Table 6 with a translation term, on a tiny model
    python benchmarks/salt.py overhead        of the `real` run: time outside forward, backward and optimiser

What padding and the contrastive loss cost is in benchmarks/salt_losses.py.

The encoder is multilingual-e5-small, written from its PyPI wheel on the first run. Training text is that of XL-WA (es
it pt ru bg nl) without its gold links; AER is Itermax on the last layer over the six test sets, retrieval error plain
cosine over six directions of WMT24. Everything is kept in --work, and a stopped run goes on. Each part prints a table
for benchmarks/salt.md.
"""

import argparse
import json
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "benchmarks")]
SHARED = ROOT.parent / "shared" / "data"
LANGUAGES = {"es": "spa_Latn", "it": "ita_Latn", "pt": "por_Latn", "ru": "rus_Cyrl", "bg": "bul_Cyrl", "nl": "nld_Latn"}
RETRIEVAL = ("deu_Latn", "rus_Cyrl", "zho_Hans")
OBJECTIVES: Mapping[str, Mapping[str, Any]] = {
    "CON": {"combination": "con"},
    "INT": {"combination": "int"},
    "CON + INT": {"combination": "con+int"},
    "SO": {"name": "so"},
    "WordOT": {"name": "wordot"},
    "OmniSONAR-Token": {"name": "omnisonar-token"},
}


def encoder_folder(work: Path) -> Path:
    """The real encoder."""
    from salt.encoders.pypi import write_e5_small

    folder = work / "multilingual-e5-small"
    return folder if (folder / "config.json").is_file() else write_e5_small(folder)


def span_table(work: Path, encoder: Path, limit: int | None = None) -> Path:
    """CASE spans of the XL-WA training text from the middle layer (7 of 12); the gold links are not read."""
    from salt.encoders.load import load_encoder
    from salt.losses.presets import DEFAULT
    from salt.pairs import ParallelPair
    from salt.spans.case_extractor import CaseExtractor
    from salt.spans.constituents import SpacyConstituents
    from salt.spans.table import SpanInfo, write_spans

    path = work / "xl-wa.spans.parquet"
    if path.is_file():
        return path
    pairs = []
    for short, code in LANGUAGES.items():
        lines = (SHARED / "xl-wa" / short / "train.tsv").read_text(encoding="utf-8").splitlines()[:limit]
        for number, line in enumerate(lines):
            source, target, _ = line.split("\t")
            pairs.append(ParallelPair(f"{short}-{number}", "eng_Latn", code, source, target))
    model = load_encoder(encoder)
    extractor = CaseExtractor(model, SpacyConstituents(), layer=DEFAULT.span_layer_of(model.n_layers))
    began = time.perf_counter()
    found = [pair for at in range(0, len(pairs), 500) for pair in extractor.extract(pairs[at : at + 500]).pairs]
    print(f"spans: {len(found)} pairs, {sum(len(p.spans) for p in found)} spans, {time.perf_counter() - began:.0f} s")
    info = SpanInfo("case", model.name, model.fingerprint, layer=extractor.layer, settings=dict(extractor.settings))
    write_spans(path, found, info)
    return path


def run_settings(work: Path, name: str, **more: Any) -> dict[str, Any]:
    """A training run of the `default` preset."""
    encoder = encoder_folder(work)
    base: dict[str, Any] = {
        "preset": "default",
        "encoder": str(encoder),
        "output": str(work / "runs" / name),
        "tensorboard": False,
        "data": {"spans": str(span_table(work, encoder)), "license": "xl-wa"},
        "checkpoints": {"every": 10},
    }
    return base | more


def scores(model: Any, segments: int | None, part: str = "test") -> dict[str, float]:
    """AER per language and retrieval error per direction, with their means."""
    from salt.training.evaluation import Watch, measure, read_gold, read_parallel

    gold = {
        ("eng_Latn", code): read_gold(SHARED / "xl-wa" / short / f"{part}.tsv") for short, code in LANGUAGES.items()
    }
    pairs = [("eng_Latn", code) for code in RETRIEVAL]
    return measure(model, Watch(gold, read_parallel(SHARED / "wmt24_multiparallel.jsonl", pairs, segments)))


def kept_scores(place: Path, model: Any, segments: int | None) -> dict[str, float]:
    """Scores from a file, or measured and kept there."""
    from alee_mteb.files import write_text

    if not place.is_file():
        write_text(place, json.dumps(scores(model(), segments), indent=1) + "\n")
    found: dict[str, float] = json.loads(place.read_text(encoding="utf-8"))
    return found


def trained(work: Path, name: str, **more: Any) -> tuple[Any, Path, float]:
    """What loads the encoder of a run, its folder, and its seconds in updates."""
    from salt.training.config_file import make_config
    from salt.training.log import read_log
    from salt.training.runs import load_trained, run_all

    config = make_config(run_settings(work, name, **more))
    [done] = run_all(config, lambda seed, step, figures: print(f"  {name} {step}", file=sys.stderr, flush=True))
    lines = [line for line in read_log(done.folder) if line["kind"] == "train"]
    steps = [0, *(line["step"] for line in lines)]
    seconds = sum(
        line["seconds"] * (after - before) for line, before, after in zip(lines, steps, steps[1:], strict=False)
    )
    return (lambda: load_trained(done.folder)[0]), done.folder, seconds


def real(work: Path) -> None:
    """The run that the issue asks for."""
    from salt.encoders.load import load_encoder

    model, folder, seconds = trained(work, "real")
    before = kept_scores(work / "before.json", lambda: load_encoder(encoder_folder(work)), None)
    after = kept_scores(folder / "test.json", model, None)
    print(f"\n150 updates in {seconds:.0f} s\n\n| | before | after | change |\n|---|---|---|---|")
    for name, value in before.items():
        print(f"| {name} | {value:.4f} | {after[name]:.4f} | {after[name] - value:+.4f} |")
    falls = {name: before[name] - after[name] for name in before if name.startswith("aer")}
    least = min(fall for name, fall in falls.items() if "/" in name)
    print(f"\nAER falls by {falls['aer']:.4f} in the mean, by {least:.4f} or more in every language")


def losses(work: Path) -> None:
    """60 updates of each objective, one seed; two of CON + INT."""
    from salt.encoders.load import load_encoder

    runs = [(name, seed) for name in OBJECTIVES for seed in ((0, 1) if name == "CON + INT" else (0,))]
    rows = [("before", "", kept_scores(work / "before-300.json", lambda: load_encoder(encoder_folder(work)), 300), 0.0)]
    for name, seed in runs:
        short = "".join(letter if letter.isalnum() else "-" for letter in name.lower())
        settings = {"steps": 60, "optimiser": {"warmup": 6}, "loss": dict(OBJECTIVES[name]), "seeds": [seed]}
        model, folder, seconds = trained(work, short, **settings)
        rows.append((name, str(seed), kept_scores(folder / "test-300.json", model, 300), seconds / 60))
        print(row(*rows[-1]), flush=True)
    columns = ["objective", "seed", "AER", *LANGUAGES, "retrieval error", "s / update"]
    print(f"\n| {' | '.join(columns)} |\n|{'---|' * len(columns)}")
    print("\n".join(row(*entry) for entry in rows))


def row(name: str, seed: str, figures: Mapping[str, float], seconds: float) -> str:
    """A line of the table of objectives."""
    cells = [f"{figures['aer']:.3f}", *(f"{figures[f'aer/eng_Latn-{code}']:.3f}" for code in LANGUAGES.values())]
    return f"| {name} | {seed} | {' | '.join(cells)} | {figures['retrieval_error']:.4f} | {seconds:.1f} |"


def translation(work: Path) -> None:
    """See `salt_translation`."""
    import salt_translation

    salt_translation.run(work, SHARED / "xl-wa", LANGUAGES)


def overhead(work: Path) -> None:
    """Share of the time of the `real` run that went to neither network nor optimiser (at most 10 %)."""
    from salt.training.log import read_log

    lines = [line for line in read_log(work / "runs" / "real" / "seed-0") if line["kind"] == "train"]
    whole = sum(line["seconds"] for line in lines)
    share = sum(line["overhead"] * line["seconds"] for line in lines) / whole
    print(f"overhead: {100 * share:.2f} % of the time outside forward, backward and optimiser")
    assert share <= 0.1


PARTS = {"real": real, "losses": losses, "translation": translation, "overhead": overhead}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the parts asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="+", choices=list(PARTS))
    parser.add_argument("--work", type=Path, default=Path("salt-benchmark"), help="folder for models, runs and scores")
    options = parser.parse_args(arguments)
    for part in options.parts:
        PARTS[part](options.work)


if __name__ == "__main__":
    main()
