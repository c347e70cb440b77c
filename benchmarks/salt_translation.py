"""The translation term of SALT where no real decoder is at hand: a tiny M2M100 trained on the spot.

    XL-WA text ──a few minutes──▶ encoder ─ mean ─ decoder (as SONAR: the decoder sees one vector)
                                     │                └── frozen from here on
                                     └──SALT with MT──▶ span cross-entropy on pairs held out, before and after

Part of `benchmarks/salt.py translation`.
"""

import json
import random
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

STEPS, BATCH, RATE = 1_500, 32, 1e-3
SALT_STEPS = 150
COMBINATIONS = ("mt", "con+mt", "mt+int", "con+mt+int", "con", "int", "con+int")


def run(work: Path, texts: Path, languages: Mapping[str, str]) -> None:
    """Train the tiny model, then the encoder with each row of Table 6, and print the table."""
    from salt.spans.table import read_found, read_info, write_spans

    pairs = _pairs(texts, languages)
    folder = work / "tiny-m2m100"
    if not (folder / "encoder" / "config.json").is_file():
        _train_tiny(folder, pairs, ["eng_Latn", *languages.values()])
    spans, held = work / "tiny.spans.parquet", work / "tiny-held-out.spans.parquet"
    found = list(read_found(work / "xl-wa.spans.parquet"))
    info = read_info(work / "xl-wa.spans.parquet")
    write_spans(spans, [pair for pair in found if _number(pair.pair.id) % 10], info)
    write_spans(held, [pair for pair in found if not _number(pair.pair.id) % 10], info)
    rows = []
    for combination in COMBINATIONS:
        figures = _salt(work, folder, spans, held, combination)
        rows.append(f"| {combination} | {figures['before']:.3f} | {figures['after']:.3f} | {figures['decoder']} |")
        print(rows[-1], flush=True)
    print("\n| terms | before | after | decoder |\n|---|---|---|---|")
    print("\n".join(rows))


def _pairs(texts: Path, languages: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """(language, English, translation), without every tenth line of a file: these are held out."""
    pairs = []
    for short, code in languages.items():
        lines = (texts / short / "train.tsv").read_text(encoding="utf-8").splitlines()
        for source, target, _ in (line.split("\t") for number, line in enumerate(lines) if number % 10):
            pairs.append((code, source, target))
    return pairs


def _number(identifier: str) -> int:
    """The line of a pair in its file."""
    return int(identifier.rsplit("-", 1)[1])


def _tokenizer(pairs: Sequence[tuple[str, str, str]], languages: list[str]) -> Any:
    """NLLB's layout, with pieces of these texts."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers
    from transformers import NllbTokenizer

    trained = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True))
    trained.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always", split=True)
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    trainer = trainers.BpeTrainer(vocab_size=4_000, special_tokens=special, show_progress=False)
    trained.train_from_iterator((text for _, *both in pairs for text in both), trainer)
    state = json.loads(trained.to_str())["model"]
    merges = [tuple(merge) for merge in state["merges"]]
    return NllbTokenizer(vocab=state["vocab"], merges=merges, extra_special_tokens=languages, model_max_length=512)


def _train_tiny(folder: Path, pairs: Sequence[tuple[str, str, str]], languages: list[str]) -> None:
    """Whole sentences and short stretches, said in the other language from one pooled vector."""
    from transformers import M2M100Config
    from transformers.models.m2m_100.modeling_m2m_100 import M2M100ForConditionalGeneration

    torch.manual_seed(0)
    chance = random.Random(0)
    tokenizer = _tokenizer(pairs, languages)
    ids = tokenizer.get_vocab()
    config = M2M100Config(
        vocab_size=len(tokenizer),
        d_model=128,
        encoder_layers=2,
        decoder_layers=2,
        encoder_attention_heads=4,
        decoder_attention_heads=4,
        encoder_ffn_dim=256,
        decoder_ffn_dim=256,
        encoder_layerdrop=0.0,
        decoder_layerdrop=0.0,
        max_position_embeddings=512,
        init_std=0.05,
    )
    model = M2M100ForConditionalGeneration(config).train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, fused=True)

    def encoded(text: str, language: str) -> list[int]:
        return [ids[language], *tokenizer(text, add_special_tokens=False)["input_ids"][:60], 2]

    began = time.perf_counter()
    for step in range(STEPS):
        batch = []
        for language, english, other in chance.sample(list(pairs), BATCH):
            text, code = chance.choice(((english, "eng_Latn"), (other, language)))
            words = text.split()
            start = chance.randrange(len(words))
            piece = " ".join(words[start : start + chance.randint(1, 8)])
            # Half translation of whole sentences, half saying a short stretch again: spans are short.
            source, target = (
                ((english, "eng_Latn"), (other, language)) if chance.random() < 0.5 else ((piece, code),) * 2
            )
            batch.append((encoded(*source), [2, *encoded(*target)]))
        loss = _loss(model, batch)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for group in optimizer.param_groups:
            group["lr"] = RATE * min((step + 1) / 100, (STEPS - step) / STEPS)
        optimizer.step()
        optimizer.zero_grad()
        if step % 100 == 0:
            print(f"  tiny model {step}: {loss.item():.2f}", flush=True)
    print(f"tiny model: {STEPS} updates in {time.perf_counter() - began:.0f} s")
    for name, part in (("decoder", model), ("encoder", model.model.encoder)):
        part.save_pretrained(folder / name)
        tokenizer.save_pretrained(folder / name)


def _loss(model: Any, batch: Sequence[tuple[list[int], list[int]]]) -> Tensor:
    """Cross-entropy of the targets after their prefix of two, mean over tokens."""
    sources, targets = (_padded([pair[side] for pair in batch], 1) for side in (0, 1))
    mask = (sources != 1).long()
    states = model.model.encoder(input_ids=sources, attention_mask=mask).last_hidden_state
    weights = mask.unsqueeze(-1).float()
    pooled = (states * weights).sum(1, keepdim=True) / weights.sum(1, keepdim=True)
    output = model.model.decoder(input_ids=targets[:, :-1], encoder_hidden_states=pooled, use_cache=False)
    labels = targets[:, 1:].masked_fill(targets[:, 1:] == 1, -100)
    labels[:, 0] = -100  # the language token is given
    logits = model.lm_head(output.last_hidden_state)
    return torch.nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten())


def _padded(rows: Sequence[Sequence[int]], value: int) -> Tensor:
    width = max(map(len, rows))
    return torch.tensor([[*row, *[value] * (width - len(row))] for row in rows])


def _salt(work: Path, folder: Path, spans: Path, held: Path, combination: str) -> dict[str, Any]:
    """Span cross-entropy a token on held-out pairs before and after, and whether the decoder is as it was."""
    from salt.encoders.load import load_decoder, load_encoder
    from salt.training.config_file import make_config
    from salt.training.runs import load_trained, run_all

    config = make_config(
        {
            "encoder": str(folder / "encoder"),
            "decoder": str(folder / "decoder"),
            "output": str(work / "runs" / f"tiny-{combination}"),
            "steps": SALT_STEPS,
            "tensorboard": False,
            "data": {"spans": str(spans), "retokenize": True},
            "loss": {"combination": combination},
            "optimiser": {"learning_rate": 5e-4},
            "checkpoints": {"every": 50},
        }
    )
    [done] = run_all(config, lambda *_: None)
    decoder = load_decoder(folder / "decoder")
    before = {name: tensor.clone() for name, tensor in decoder.module.state_dict().items()}
    encoder = load_encoder(folder / "encoder")
    trained, _ = load_trained(done.folder)
    figures: dict[str, Any] = {
        "before": span_cross_entropy(encoder, decoder, held),
        "after": span_cross_entropy(trained, decoder, held, backward=True),
    }
    reached = any(parameter.grad is not None for parameter in trained.module.parameters())
    untouched = all(parameter.grad is None for parameter in decoder.module.parameters())
    same = all(torch.equal(before[name], tensor) for name, tensor in decoder.module.state_dict().items())
    figures["decoder"] = "no gradient, unchanged" if reached and untouched and same else "CHANGED"
    return figures


def span_cross_entropy(encoder: Any, decoder: Any, held: Path, *, backward: bool = False) -> float:
    """Mean cross-entropy of the tokens of the held-out target spans (Eq. 4, a token); one gradient with `backward`."""
    from salt.losses.batch import pool_spans
    from salt.losses.translation import translation
    from salt.spans.table import read_spans
    from salt.training.prepare import prepare

    total, tokens = 0.0, 0
    pairs = list(read_spans(held))
    for at in range(0, len(pairs), 32):
        batch = prepare(encoder, pairs[at : at + 32], {"spans", "span_targets"}, decoder)
        assert batch.spans is not None
        assert batch.span_targets is not None
        with torch.set_grad_enabled(backward and at == 0):
            states = [encoder.states(side)[-1] for side in (batch.source, batch.target)]
            vectors, _ = pool_spans(states[0], states[1], batch.spans).positives()
            sums = translation(vectors, batch.span_targets, decoder.decode)
        if backward and at == 0:
            sums.mean().backward()
        total += float(sums.detach().sum())
        tokens += int((batch.span_targets.labels != -100).sum())
    return total / tokens
