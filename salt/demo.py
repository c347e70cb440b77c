"""`alee salt demo`: the whole way of SALT on a real small encoder, in a folder of its own.

    <folder>/encoder             multilingual-e5-small, from its PyPI wheel
             spans.parquet       CASE on ALEE-Sample: English with its translations, two sentences of three
             runs/seed-0         a short training
             model               the export
             models.json         the registry in which mteb finds both encoders
             results             ALEE-Sample, before and after
             retrieval.json      every third sentence and all paragraphs, which training did not see

What is there is not made again, so a stopped demo goes on.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from alee_mteb.encoders.folder import weights_revision
from alee_mteb.errors import ModelError
from alee_mteb.files import write_text
from alee_mteb.languages import ENGLISH_CODE
from alee_mteb.sample import sample_items, sample_languages
from salt.pairs import ParallelPair

BEFORE, AFTER = "alee-demo/e5-small", "alee-demo/salt-e5-small"
TASK = "ALEE-Sample"
STEPS = 40
_SCORE = "import sys; from alee_mteb.cli import main; main()"


@dataclass(frozen=True)
class Demo:
    """What came out.

    Attributes:
        results: mteb's results of both encoders.
        retrieval: encoder → share of unseen texts whose nearest English (or translated) text is not their own.
        registry: the file in which mteb finds the encoders.
    """

    results: Path
    retrieval: Mapping[str, float]
    registry: Path


def run_demo(folder: Path, say: Callable[[str], None], *, steps: int = STEPS, encoder: Path | None = None) -> Demo:
    """Go the whole way, or what is left of it.

    Args:
        folder: its own.
        say: told which stage begins.
        steps: updates.
        encoder: another encoder's folder, instead of the one from PyPI.

    Raises:
        MissingExtraError: a package is not installed.
        TrainingError, ModelError, DataError: see the stages.
    """
    base = encoder or _encoder(folder, say)
    spans = _spans(folder, base, say)
    run = _train(folder, base, spans, steps, say)
    model = _export(folder, run, say)
    registry = folder / "models.json"
    _register(registry, {BEFORE: base, AFTER: model}, say)
    results = folder / "results"
    for name, place in ((BEFORE, base), (AFTER, model)):
        scored = f"{name.replace('/', '__')}/{weights_revision(place)}/{TASK}.json"
        if next(results.rglob(scored), None) is None:
            say(f"scoring {name} on {TASK}, in a process of its own")
            _score(name, registry, results)
    return Demo(results, _retrieval(folder, {BEFORE: base, AFTER: model}, say), registry)


def training_pairs() -> list[ParallelPair]:
    """English with each of its translations: two sentences of every three of the sample."""
    return [
        ParallelPair(f"{item['id']}-{code}", ENGLISH_CODE, code, item[ENGLISH_CODE], item["translations"][code])
        for item, unseen in _split()
        if not unseen
        for code in sample_languages()[1:]
    ]


def unseen_texts() -> dict[tuple[str, str], tuple[list[str], list[str]]]:
    """The other sentences and all paragraphs, English and translations, by language pair."""
    items = [item for item, unseen in _split() if unseen]
    english = [item[ENGLISH_CODE] for item in items]
    return {
        (ENGLISH_CODE, code): (english, [item["translations"][code] for item in items])
        for code in sample_languages()[1:]
    }


def _split() -> Iterator[tuple[Mapping[str, Any], bool]]:
    """Every item of the sample, and whether training leaves it out."""
    n_sentences = 0
    for item in sample_items():
        is_sentence = item["level"] == "sentence"
        yield item, not is_sentence or n_sentences % 3 == 2
        n_sentences += is_sentence


def _encoder(folder: Path, say: Callable[[str], None]) -> Path:
    from salt.encoders.pypi import write_e5_small

    place = folder / "encoder"
    if not (place / "config.json").is_file():
        say("writing multilingual-e5-small from its PyPI wheel")
        write_e5_small(place)
    return place


def _spans(folder: Path, encoder: Path, say: Callable[[str], None]) -> Path:
    from salt.encoders.load import load_encoder
    from salt.losses.presets import DEFAULT
    from salt.spans.case_extractor import CaseExtractor
    from salt.spans.constituents import SpacyConstituents
    from salt.spans.table import SpanInfo, write_spans

    place = folder / "spans.parquet"
    if place.is_file():
        return place
    pairs = training_pairs()
    say(f"aligned spans of {len(pairs)} sentence pairs, by CASE")
    model = load_encoder(encoder)
    extractor = CaseExtractor(model, SpacyConstituents(), layer=DEFAULT.span_layer_of(model.n_layers))
    found = extractor.extract(pairs)
    info = SpanInfo(
        method=extractor.method,
        encoder=model.name,
        tokenizer=model.fingerprint,
        revision=weights_revision(encoder),
        layer=extractor.layer,
        settings=dict(extractor.settings),
        dropped=dict(found.dropped),
    )
    write_spans(place, found.pairs, info)
    return place


def _train(folder: Path, encoder: Path, spans: Path, steps: int, say: Callable[[str], None]) -> Path:
    from tqdm import tqdm

    from salt.training.config_file import make_config
    from salt.training.runs import run_all

    config = make_config(
        {
            "encoder": str(encoder),
            "output": str(folder / "runs"),
            "steps": steps,
            "tensorboard": False,
            "log_every": 1,
            "data": {"spans": str(spans), "license": "alee-sample"},
            "optimiser": {"warmup": max(1, steps // 10)},
            "checkpoints": {"every": 10, "keep": 1},
        }
    )
    say(f"training, {steps} updates")
    with tqdm(total=steps, unit="step", disable=None, leave=False) as bar:

        def show(seed: int, step: int, figures: Mapping[str, float]) -> None:
            bar.update(step - bar.n)
            bar.set_postfix(loss=f"{figures['loss']:.3f}")

        [done] = run_all(config, show)
    return done.folder


def _export(folder: Path, run: Path, say: Callable[[str], None]) -> Path:
    from salt.export.folder import FACTS, export_run, read_facts

    place = folder / "model"
    if not (place / FACTS).is_file():
        say("exporting")
        export_run(run, place, name=AFTER)
    read_facts(place)
    return place


def _register(registry: Path, models: Mapping[str, Path], say: Callable[[str], None]) -> None:
    """Put both encoders into the demo's own registry; the user's is left alone."""
    from alee_mteb.models import registry as module

    before = os.environ.get(module.REGISTRY_VARIABLE)
    os.environ[module.REGISTRY_VARIABLE] = str(registry)
    try:
        known = module.read_registry()
        for name, place in models.items():
            entry = known.get(name)
            if entry is not None and entry.revision != weights_revision(place):
                module.remove_model(name)
                entry = None
            if entry is None:
                say(f"registering {name}")
                module.add_model(place, name)
    finally:
        if before is None:
            del os.environ[module.REGISTRY_VARIABLE]
        else:
            os.environ[module.REGISTRY_VARIABLE] = before


def _score(name: str, registry: Path, results: Path) -> None:
    """`alee run` in a new process, which knows the encoder by its name alone.

    Raises:
        ModelError: it failed; with its last line.
    """
    from alee_mteb.models.registry import REGISTRY_VARIABLE

    command = [sys.executable, "-c", _SCORE, "run", "-m", name, "-t", TASK, "--output-folder", str(results)]
    environment = os.environ | {REGISTRY_VARIABLE: str(registry.resolve()), "TQDM_DISABLE": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.strip()] or ["no message"]
        raise ModelError(f"{name} could not be scored: {lines[-1]}")


def _retrieval(folder: Path, models: Mapping[str, Path], say: Callable[[str], None]) -> dict[str, float]:
    """Share of unseen texts that do not find their translation, by encoder; both ways, over all languages."""
    from salt.encoders.load import load_encoder
    from salt.training.evaluation import Watch, measure

    place = folder / "retrieval.json"
    revisions = {name: weights_revision(path) for name, path in models.items()}
    known = json.loads(place.read_text(encoding="utf-8")) if place.is_file() else {}
    if known.get("revisions") != revisions:
        say("retrieval of unseen texts")
        watch = Watch({}, unseen_texts())
        errors = {name: measure(load_encoder(path), watch)["retrieval_error"] for name, path in models.items()}
        known = {"revisions": revisions, "errors": errors}
        write_text(place, json.dumps(known, indent=1) + "\n")
    found: dict[str, float] = known["errors"]
    return found
