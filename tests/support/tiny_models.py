"""Tiny models in the real formats, trained on the spot: a BART and a T5 in amrlib's folder layout, an NLI DeBERTa.

    make_parser(folder, seed)      sentence → graph        BartForConditionalGeneration, byte-level BPE
    make_realiser(folder, seed)    graph → sentence        T5ForConditionalGeneration, Unigram
    make_nli(folder, seed)         source, foil → labels   DebertaV2ForSequenceClassification, Unigram

What they know is in `tiny_corpus`: the sentences of `tiny_language`, a few of ALEE-Sample, and some that are there to
fail. The same seed gives the same weights on the same machine.
"""

import json
import random
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from support import tiny_corpus
from tokenizers import ByteLevelBPETokenizer
from transformers import (
    BartConfig,
    BartForConditionalGeneration,
    BartTokenizer,
    DebertaV2Config,
    DebertaV2ForSequenceClassification,
    DebertaV2Tokenizer,
    PreTrainedModel,
    T5Config,
    T5ForConditionalGeneration,
    T5Tokenizer,
)

PARSER, REALISER, NLI = "tiny-parser", "tiny-realiser", "tiny-nli"
#: In tokens; small enough that a test can overrun them.
PARSER_LENGTHS = {"max_in_len": 96, "max_out_len": 128}
REALISER_LENGTHS = {"max_in_len": 160, "max_out_len": 64}
_IGNORED = -100


def make_parser(folder: Path, seed: int = 0, steps: int = 650) -> Path:
    """A sentence-to-graph model as amrlib's ``model_parse_xfm_bart_large`` is laid out; returns its folder."""
    pairs = tiny_corpus.parser_pairs(random.Random(seed))
    pool = [next(pairs) for _ in range(4000)]
    tokenizer = _byte_level(text for pair in pool for text in pair)
    config = BartConfig(
        vocab_size=len(tokenizer),
        d_model=96,
        encoder_layers=2,
        decoder_layers=2,
        encoder_attention_heads=8,
        decoder_attention_heads=8,
        encoder_ffn_dim=192,
        decoder_ffn_dim=192,
        max_position_embeddings=160,
        init_std=0.1,  # with the usual 0.02 so small a model does not look at its input for hundreds of steps
        dropout=0.0,
        bos_token_id=0,
        pad_token_id=1,
        eos_token_id=2,
        decoder_start_token_id=2,
        forced_eos_token_id=2,
        task_specific_params={"parse_amr": {"model_name_or_path": "facebook/bart-large", **PARSER_LENGTHS}},
    )
    with _reproducibly(seed):
        model = BartForConditionalGeneration(config)
        _fit_seq2seq(model, tokenizer, pool, random.Random(seed), steps, start=2, rate=3e-3)
    return _save(folder, model, tokenizer, _meta("stog", ".parse_xfm.inference"))


def make_realiser(folder: Path, seed: int = 0, steps: int = 700) -> Path:
    """A graph-to-sentence model as amrlib's ``model_generate_t5wtense`` is laid out; returns its folder."""
    pairs = tiny_corpus.realiser_pairs(random.Random(seed))
    pool = [next(pairs) for _ in range(8000)]
    tokenizer = T5Tokenizer(vocab=_pieces(pool, ("<pad>", "</s>", "<unk>")), extra_ids=0, additional_special_tokens=[])
    config = T5Config(
        vocab_size=len(tokenizer),
        d_model=128,
        d_kv=16,
        d_ff=256,
        num_layers=2,
        num_decoder_layers=2,
        num_heads=8,
        dropout_rate=0.0,
        decoder_start_token_id=0,
        task_specific_params={"translation_amr_to_text": {"model_name_or_path": "t5-base", **REALISER_LENGTHS}},
    )
    with _reproducibly(seed):
        model = T5ForConditionalGeneration(config)
        _look_back(model)
        _fit_seq2seq(model, tokenizer, pool, random.Random(seed), steps, start=0, rate=2e-3)
    return _save(folder, model, tokenizer, _meta("gtos", ".generate_xfm.inference"))


def make_nli(folder: Path, seed: int = 0, steps: int = 1400) -> Path:
    """An entailment classifier with the labels of the real one; returns its folder."""
    examples = tiny_corpus.nli_pairs(random.Random(seed))
    pool = [next(examples) for _ in range(16000)]
    special = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
    tokenizer = DebertaV2Tokenizer(vocab=_pieces([pair for pair, _ in pool], special), unk_id=1)
    config = DebertaV2Config(
        vocab_size=len(tokenizer),
        hidden_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=128,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        pooler_dropout=0.0,
        pooler_hidden_size=64,
        max_position_embeddings=128,
        type_vocab_size=2,
        relative_attention=False,
        pos_att_type=[],
        initializer_range=0.1,
        id2label=dict(enumerate(tiny_corpus.LABELS)),
        label2id={label: index for index, label in enumerate(tiny_corpus.LABELS)},
        pad_token_id=0,
    )
    with _reproducibly(seed):
        model = DebertaV2ForSequenceClassification(config)
        _fit_classifier(model, tokenizer, pool, random.Random(seed), steps)
    return _save(folder, model, tokenizer, None)


@contextmanager
def _reproducibly(seed: int) -> Iterator[None]:
    """Own random numbers, and one thread: faster for models so small, and sums always add up in the same order."""
    threads = torch.get_num_threads()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        torch.set_num_threads(1)
        try:
            yield
        finally:
            torch.set_num_threads(threads)


def _look_back(model: Any) -> None:
    """Start each head off looking a fixed number of tokens back: which role a noun fills is three tokens away."""
    with torch.no_grad():
        for stack, nearest in ((model.encoder, 1), (model.decoder, 0)):
            bias = stack.block[0].layer[0].SelfAttention.relative_attention_bias.weight  # (buckets, heads)
            for head in range(bias.shape[1]):
                bias[head + nearest, head] += 4.0


def _fit_seq2seq(
    model: PreTrainedModel,
    tokenizer: Any,
    pairs: Sequence[tuple[str, str]],
    rng: random.Random,
    steps: int,
    *,
    start: int,
    rate: float,
) -> None:
    """Teacher forcing; targets end in ``</s>`` and have no ``<s>``, as amrlib's trainers make them."""
    end = tokenizer.eos_token_id
    sources = [tokenizer(source)["input_ids"] for source, _ in pairs]
    targets = [[*tokenizer(target, add_special_tokens=False)["input_ids"], end] for _, target in pairs]

    def loss(batch: list[int]) -> torch.Tensor:
        inputs = _padded([sources[i] for i in batch], tokenizer.pad_token_id)
        labels = _padded([targets[i] for i in batch], _IGNORED)
        prefixes = _padded([[start, *targets[i][:-1]] for i in batch], tokenizer.pad_token_id)
        mask = _padded([[1] * len(sources[i]) for i in batch], 0)
        logits = model(input_ids=inputs, attention_mask=mask, decoder_input_ids=prefixes).logits
        return torch.nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=_IGNORED)

    _train(model, loss, [len(s) + len(t) for s, t in zip(sources, targets, strict=True)], rng, steps, 32, rate)


def _fit_classifier(
    model: PreTrainedModel,
    tokenizer: Any,
    examples: Sequence[tuple[tuple[str, str], int]],
    rng: random.Random,
    steps: int,
) -> None:
    encoded = [tokenizer(*pair) for pair, _ in examples]

    def loss(batch: list[int]) -> torch.Tensor:
        inputs = _padded([encoded[i]["input_ids"] for i in batch], 0)
        mask = _padded([encoded[i]["attention_mask"] for i in batch], 0)
        kinds = _padded([encoded[i]["token_type_ids"] for i in batch], 0)
        logits = model(input_ids=inputs, attention_mask=mask, token_type_ids=kinds).logits
        return torch.nn.functional.cross_entropy(logits, torch.tensor([examples[i][1] for i in batch]))

    _train(model, loss, [len(e["input_ids"]) for e in encoded], rng, steps, 64, 3e-3)


def _train(
    model: PreTrainedModel,
    loss: Any,
    lengths: Sequence[int],
    rng: random.Random,
    steps: int,
    batch_size: int,
    rate: float,
) -> None:
    """AdamW with warm-up and linear decay over batches of like length."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=1.0, weight_decay=0.01, fused=True)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: rate * min((step + 1) / 50, (steps - step) / steps)
    )
    model.train()
    batches = _batches(lengths, batch_size, rng)
    for step in range(steps):
        value = loss(next(batches))
        value.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()
        if VERBOSE and step % 50 == 0:
            print(step, round(value.item(), 4), flush=True)
    model.eval()


VERBOSE = False


def _batches(lengths: Sequence[int], size: int, rng: random.Random) -> Iterator[list[int]]:
    while True:
        order = sorted(range(len(lengths)), key=lambda i: (lengths[i], rng.random()))
        batches = [order[i : i + size] for i in range(0, len(order), size)]
        rng.shuffle(batches)
        yield from batches


def _padded(rows: Sequence[Sequence[int]], value: int) -> torch.Tensor:
    width = max(map(len, rows))
    return torch.tensor([[*row, *[value] * (width - len(row))] for row in rows])


def _byte_level(texts: Iterable[str]) -> Any:
    trainer = ByteLevelBPETokenizer()
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    trainer.train_from_iterator(texts, vocab_size=3000, min_frequency=1, special_tokens=special, show_progress=False)
    model = json.loads(trainer.to_str())["model"]
    return BartTokenizer(vocab=model["vocab"], merges=[tuple(merge) for merge in model["merges"]])


def _pieces(pairs: Iterable[tuple[str, str]], special: Sequence[str]) -> list[tuple[str, float]]:
    """A Unigram vocabulary in which every word is one piece and every character a fallback."""
    words: set[str] = set()
    for text in {text for pair in pairs for text in pair}:
        for word in text.split():
            if word.startswith(("(", ":")):
                words.add(f"▁{word}" if word.startswith(":") else f"▁{word[:2]}")
            else:
                stem, hyphen, sense = word.strip('").').partition("-")
                words |= {f"▁{stem}", hyphen + sense} - {"", "▁"}
    characters = sorted({c for word in words for c in word} | set('▁()./"-:0123456789abcdefghijklmnopqrstuvwxyz'))
    words -= set(characters)
    return [*((token, 0.0) for token in special), *((w, -4.0) for w in sorted(words)), *((c, -9.0) for c in characters)]


def _meta(kind: str, module: str) -> dict[str, Any]:
    return {
        "model_type": kind,
        "version": "0.1.0",
        "date": "2026-01-01",
        "inference_module": module,
        "inference_class": "Inference",
        "model_fn": "model.safetensors",
        "base_model": "tiny",
        "kwargs": {},
    }


def _save(folder: Path, model: PreTrainedModel, tokenizer: Any, meta: dict[str, Any] | None) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    if meta is not None:
        (folder / "amrlib_meta.json").write_text(json.dumps(meta, indent=1))
    return folder
