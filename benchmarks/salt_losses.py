"""What packing wastes and what the span losses cost, as ratios within one run.

    python benchmarks/salt_losses.py              both parts
    python benchmarks/salt_losses.py packing      useful tokens out of padded tokens (at least 90 %)
    python benchmarks/salt_losses.py contrastive  CON over a packed batch against a loop over its pairs (at least 3 ×,
                                                  equal to 1e-6)
    python benchmarks/salt_losses.py --encoder DIR    lengths by this encoder's tokenizer, not by characters

The text is XL-WA's training text (../shared/data/xl-wa); its gold links are not read.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
TEXTS = ROOT.parent / "shared" / "data" / "xl-wa"
LANGUAGES = ("es", "it", "pt", "ru", "bg", "nl")
BUDGET, BUFFERS, DIMENSION, ROUNDS = 1_400, (1_000, 2_000), 384, 15
LEAST_USEFUL, LEAST_SPEEDUP, MOST_DIFFERENCE = 0.90, 3.0, 1e-6


def pairs() -> list[Any]:
    """All training pairs of the six languages."""
    from salt.data.readers import read_pairs

    if not TEXTS.is_dir():
        sys.exit(f"{TEXTS}: not found; put XL-WA there")
    return [
        pair
        for language in LANGUAGES
        for pair in read_pairs(TEXTS / language / "train.tsv", source_language="en", target_language=language)
    ]


def measured(items: Sequence[Any], encoder: str | None) -> list[tuple[int, int]]:
    """Lengths in tokens; without an encoder four characters count as one, and two special tokens are added."""
    if encoder is None:
        return [(len(pair.source) // 4 + 3, len(pair.target) // 4 + 3) for pair in items]
    from salt.data.filters import measure
    from salt.encoders.load import load_encoder

    return measure(load_encoder(encoder), items)


def packing(encoder: str | None) -> dict[str, Any]:
    """Useful tokens out of padded ones over as many batches as hold every pair once, on average."""
    from salt.data.packing import cost
    from salt.data.stream import PackedStream

    items = pairs()
    of_items: dict[tuple[str, str], list[Any]] = {}
    lengths: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for pair, length in zip(items, measured(items, encoder), strict=True):
        of_items.setdefault(pair.languages, []).append(pair)
        lengths.setdefault(pair.languages, []).append(length)
    found: dict[str, Any] = {"pairs": len(items), "budget": BUDGET}
    for buffer in BUFFERS:
        stream = PackedStream(of_items, lengths, budget=BUDGET, buffer=buffer, temperature=5.0)
        useful = own = joint = seen = batches = 0
        while seen < len(items):
            batch = stream.next_lengths()
            seen, batches = seen + len(batch), batches + 1
            useful += sum(map(sum, batch))
            own += len(batch) * (max(x for x, _ in batch) + max(y for _, y in batch))
            joint += 2 * len(batch) * max(map(cost, batch))
        found[f"buffer {buffer}"] = {
            "pairs a batch": round(seen / batches, 1),
            "useful, each side padded to its own longest": round(useful / own, 4),
            "useful, both sides padded to the longest of both": round(useful / joint, 4),
        }
    shares = [found[f"buffer {buffer}"]["useful, each side padded to its own longest"] for buffer in BUFFERS]
    found["passed"] = min(shares) >= LEAST_USEFUL
    return found


def contrastive() -> dict[str, Any]:
    """Forward and backward of CON on pooled spans: 50 pairs of 28 tokens, with 7 aligned spans each."""
    import torch
    from support.span_batches import aligned, cut_at_spaces, numbered

    from salt.losses.batch import SpanBatch, lay_out_spans, pool_spans
    from salt.losses.contrastive import SpanContrastiveLoss, span_contrastive

    spans = [
        (0, 3, 0, 2),
        (1, 2, 1, 1),
        (5, 6, 6, 7),
        (8, 8, 4, 4),
        (10, 15, 10, 14),
        (11, 12, 11, 13),
        (20, 24, 20, 22),
    ]
    batch = [aligned(numbered("a", 26), numbered("b", 26), *spans) for _ in range(50)]
    source, target = (cut_at_spaces([getattr(one.pair, side) for one in batch]) for side in ("source", "target"))
    layout = lay_out_spans(batch, source, target)
    source_states, target_states = (torch.randn(50, 28, DIMENSION, generator=seeded(seed)) for seed in (0, 1))
    pooled = pool_spans(source_states, target_states, layout)
    states = [side.clone().requires_grad_() for side in (pooled.source, pooled.target)]
    settings = SpanContrastiveLoss()

    def packed() -> Any:
        return span_contrastive(SpanBatch(states[0], states[1], layout), settings)

    def looped() -> Any:
        """Equation 3 written down for one pair after another."""
        parts = []
        for pair in range(len(batch)):
            left = states[0][layout.source.row == pair]
            right = states[1][layout.target.row == pair]
            p = len(batch[pair].spans)
            logits = left @ right.T / settings.temperature
            hidden = layout.nested[pair, : len(left), : len(right)]
            logits = logits.masked_fill(hidden, -torch.inf)
            rows, columns = logits[:p].log_softmax(1), logits[:, :p].log_softmax(0)
            parts.append(-(rows.diagonal() + columns.diagonal()).mean())
        return torch.stack(parts).mean()

    torch.set_num_threads(1)
    times: dict[str, list[float]] = {"packed": [], "loop": []}
    values: dict[str, float] = {}
    gradients: dict[str, Any] = {}
    for _ in range(ROUNDS):
        for name, compute in (("packed", packed), ("loop", looped)):
            seconds, values[name], gradients[name] = timed(compute, states)
            times[name].append(seconds)
    difference = abs(values["packed"] - values["loop"]) / abs(values["loop"])
    apart = max(float((a - b).abs().max()) for a, b in zip(gradients["packed"], gradients["loop"], strict=True))
    fast, slow = median(times["packed"]), median(times["loop"])
    return {
        "pairs": 50,
        "spans and gaps": len(layout.source) + len(layout.target),
        "dimension": DIMENSION,
        "packed, ms": round(1e3 * fast, 2),
        "loop, ms": round(1e3 * slow, 2),
        "speed-up": round(slow / fast, 1),
        "relative difference": difference,
        "largest difference of a gradient": apart,
        "passed": slow / fast >= LEAST_SPEEDUP and max(difference, apart) <= MOST_DIFFERENCE,
    }


def seeded(seed: int) -> Any:
    """A generator of random numbers."""
    import torch

    return torch.Generator().manual_seed(seed)


def timed(compute: Callable[[], Any], states: Sequence[Any]) -> tuple[float, float, list[Any]]:
    """Processor seconds (whatever else the machine does) of forward and backward, the value, and the gradients."""
    for side in states:
        side.grad = None
    start = time.process_time()
    loss = compute()
    loss.backward()
    return time.process_time() - start, loss.item(), [side.grad for side in states]


def main() -> None:
    """Run the parts asked for; exit with 1 if a limit is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", choices=["packing", "contrastive", []], help="default: all")
    parser.add_argument("--encoder", help="folder or Hub name of an encoder whose tokenizer measures lengths")
    arguments = parser.parse_args()
    parts = arguments.parts or ["packing", "contrastive"]
    results = {part: packing(arguments.encoder) if part == "packing" else contrastive() for part in parts}
    print(json.dumps(results, indent=2))
    sys.exit(0 if all(result["passed"] for result in results.values()) else 1)


if __name__ == "__main__":
    main()
