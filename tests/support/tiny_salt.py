"""Tiny encoders in the real formats, with random weights, made on the spot (a second each) and kept for the next run.

    sonar        M2M100Encoder alone, NLLB tokenizer               as the Transformers port of SONAR
    nllb         M2M100ForConditionalGeneration, same tokenizer    encoder and decoder; `sonar` is its encoder
    xlmr         XLMRobertaModel with masked-LM head, Unigram      as xlm-roberta-base
    bert         BertModel with pooler, word pieces                as LaBSE before sentence-transformers
    e5           BertModel, Unigram, sentence-transformers files   as multilingual-e5-small
    labse        BertModel, word pieces, dense layer on top        as sentence-transformers/LaBSE

The tokenizers are trained on `CORPUS` and have the published ones' normalisers, templates and control tokens.
"""

import hashlib
import json
import tempfile
import unicodedata
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from filelock import FileLock

DIMENSION, LAYERS, HEADS = 32, 3, 4
MAX_TOKENS = 64
LANGUAGES = ("eng_Latn", "deu_Latn", "fra_Latn", "jpn_Jpan", "zho_Hans", "rus_Cyrl", "arb_Arab", "tgl_Latn", "est_Latn")
CORPUS = (
    "The cat sat on the mat.",
    "The dog chased the cat through the old garden.",
    "Good morning, doctor. How are you today?",
    "She believes that the treatment works.",
    "Die Katze saß auf der Matte.",
    "Der Hund jagte die Katze durch den alten Garten.",
    "Guten Morgen, Frau Doktor. Wie geht es Ihnen heute?",
    "Sie glaubt, dass die Behandlung wirkt.",
    "Le chat était assis sur le tapis.",
    "Le chien a poursuivi le chat à travers le vieux jardin.",
    "猫がマットの上に座った。",
    "博物館は九時に開きます。",
    "猫坐在垫子上。",
    "博物馆九点开门。",
    "Кошка сидела на коврике.",
    "Собака гналась за кошкой через старый сад.",
    "جلست القطة على الحصيرة.",
)


def tiny_encoders(root: Path) -> dict[str, Path]:
    """All folders, by the names above, made under `root` if they are not there."""
    place = root / f"salt-{_key()}"
    place.mkdir(parents=True, exist_ok=True)
    with FileLock(place / ".lock"):
        for name, make in _MAKERS.items():
            if not (place / name).is_dir():
                with tempfile.TemporaryDirectory(dir=place) as scratch:
                    made = Path(scratch) / name
                    made.mkdir()
                    with torch.random.fork_rng(devices=[]):
                        torch.manual_seed(7)
                        if make is _make_sonar:
                            _make_sonar(made, place / "nllb")
                        else:
                            make(made)
                    made.rename(place / name)
    return {name: place / name for name in _MAKERS}


def default_root() -> Path:
    """Where the folders are kept between runs."""
    return Path(tempfile.gettempdir()) / "alee-tiny-models"


def m2m100_config(vocabulary: int) -> Any:
    """SONAR's architecture in small: pre-norm, scaled embeddings, sinusoidal positions, layer drop as published."""
    from transformers import M2M100Config

    return M2M100Config(
        vocab_size=vocabulary,
        d_model=DIMENSION,
        encoder_layers=LAYERS,
        decoder_layers=2,
        encoder_attention_heads=HEADS,
        decoder_attention_heads=HEADS,
        encoder_ffn_dim=2 * DIMENSION,
        decoder_ffn_dim=2 * DIMENSION,
        max_position_embeddings=MAX_TOKENS,
        encoder_layerdrop=0.5,
        decoder_layerdrop=0.5,
        init_std=0.2,
    )


def _make_nllb(folder: Path) -> None:
    from transformers.models.m2m_100.modeling_m2m_100 import M2M100ForConditionalGeneration

    tokenizer = nllb_tokenizer()
    model = M2M100ForConditionalGeneration(m2m100_config(len(tokenizer)))
    _stir(model)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def _make_sonar(folder: Path, nllb: Path) -> None:
    """The encoder of `nllb`, alone."""
    from transformers import AutoTokenizer
    from transformers.models.m2m_100.modeling_m2m_100 import M2M100ForConditionalGeneration

    M2M100ForConditionalGeneration.from_pretrained(nllb).model.encoder.save_pretrained(folder)
    AutoTokenizer.from_pretrained(nllb).save_pretrained(folder)


def _make_xlmr(folder: Path) -> None:
    from transformers import XLMRobertaConfig, XLMRobertaForMaskedLM

    tokenizer = unigram_tokenizer()
    config = XLMRobertaConfig(
        **_bert_sizes(len(tokenizer)), max_position_embeddings=MAX_TOKENS + 2, pad_token_id=1, type_vocab_size=1
    )
    model = XLMRobertaForMaskedLM(config)
    _stir(model)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def _make_bert(folder: Path, pooler: bool = True) -> None:
    from transformers import BertConfig, BertModel

    tokenizer = word_piece_tokenizer()
    model = BertModel(
        BertConfig(**_bert_sizes(len(tokenizer)), max_position_embeddings=MAX_TOKENS), add_pooling_layer=pooler
    )
    _stir(model)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def _make_e5(folder: Path) -> None:
    from transformers import BertConfig, BertModel

    tokenizer = unigram_tokenizer()
    config = BertConfig(**_bert_sizes(len(tokenizer)), max_position_embeddings=MAX_TOKENS, pad_token_id=1)
    model = BertModel(config)
    _stir(model)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    _sentence_transformers(folder, {"pooling_mode_mean_tokens": True}, ["2_Normalize"])
    _json(
        folder / "config_sentence_transformers.json",
        {"prompts": {"query": "query: ", "passage": "passage: "}, "default_prompt_name": "query"},
    )


def _make_labse(folder: Path) -> None:
    from safetensors.torch import save_file

    _make_bert(folder)
    _sentence_transformers(folder, {"pooling_mode_cls_token": True}, ["2_Dense", "3_Normalize"])
    dense = torch.nn.Linear(DIMENSION, DIMENSION)
    (folder / "2_Dense").mkdir()
    save_file(
        {"linear.weight": dense.weight.detach(), "linear.bias": dense.bias.detach()},
        folder / "2_Dense" / "model.safetensors",
    )
    _json(
        folder / "2_Dense" / "config.json",
        {
            "in_features": DIMENSION,
            "out_features": DIMENSION,
            "bias": True,
            "activation_function": "torch.nn.modules.activation.Tanh",
        },
    )


_MAKERS: dict[str, Callable[..., None]] = {
    "nllb": _make_nllb,
    "sonar": _make_sonar,
    "xlmr": _make_xlmr,
    "bert": _make_bert,
    "e5": _make_e5,
    "labse": _make_labse,
}


def nllb_tokenizer() -> Any:
    """NLLB's: bos 0, pad 1, eos 2, unk 3, pieces by byte-pair merging, then the languages and the mask."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers
    from transformers import NllbTokenizer

    special = ["<s>", "<pad>", "</s>", "<unk>"]
    trained = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True))
    trained.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always", split=True)
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=special, initial_alphabet=_alphabet(), show_progress=False
    )
    trained.train_from_iterator(CORPUS, trainer)
    state = json.loads(trained.to_str())["model"]
    return NllbTokenizer(
        vocab=state["vocab"],
        merges=[tuple(merge) for merge in state["merges"]],
        extra_special_tokens=list(LANGUAGES),
        _spm_precompiled_charsmap=_charsmap(),
        model_max_length=MAX_TOKENS,
    )


def unigram_tokenizer() -> Any:
    """XLM-R's: <s> 0, <pad> 1, </s> 2, <unk> 3, unigram pieces, NFKC, text between <s> and </s>."""
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    special = ["<s>", "<pad>", "</s>", "<unk>"]
    words = sorted({"▁" + word for text in (*CORPUS, "query: passage:") for word in text.split()})
    words += ["▁que", "ry", "ing", "東京", "タ", "ワー", "です"]
    pieces = [(token, 0.0) for token in special]
    pieces += [(word, -5.0) for word in words] + [(letter, -9.0) for letter in _alphabet()]
    pieces.append(("<mask>", 0.0))
    core = Tokenizer(models.Unigram(pieces, unk_id=3, byte_fallback=False))
    core.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(Regex(r"\s+"), " ")])
    core.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    core.post_processor = processors.TemplateProcessing(single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)])
    return PreTrainedTokenizerFast(
        tokenizer_object=core,
        bos_token="<s>",
        cls_token="<s>",
        eos_token="</s>",
        sep_token="</s>",
        pad_token="<pad>",
        unk_token="<unk>",
        mask_token="<mask>",
        model_max_length=MAX_TOKENS,
    )


def word_piece_tokenizer() -> Any:
    """BERT's, cased, as LaBSE's."""
    from transformers import BertTokenizer

    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    letters = [letter for letter in _alphabet() if letter != "▁"]
    words = sorted({word.strip(".,?。") for text in CORPUS for word in text.split()})
    entries = dict.fromkeys([*special, *words, *letters, *(f"##{letter}" for letter in letters)])
    return BertTokenizer(
        vocab={entry: index for index, entry in enumerate(entries)}, do_lower_case=False, model_max_length=MAX_TOKENS
    )


def _alphabet() -> list[str]:
    ascii_letters = [chr(code) for code in range(0x21, 0x7F)]
    others = sorted({letter for text in CORPUS for letter in text} - set(ascii_letters) - {" "})
    return ["▁", *ascii_letters, *others]


def _charsmap() -> bytes:
    """A compiled normaliser of SentencePiece: NFKC of what is common, as far as it is one character."""
    from alee_mteb.models.e5_tokenizer import decomposed_letters, precompile_charsmap

    changed = {}
    for code in [*range(0xA0, 0x2400), *range(0x3000, 0x3400), *range(0xFB00, 0xFB07), *range(0xFF01, 0xFFF0)]:
        letter = chr(code)
        normal = unicodedata.normalize("NFKC", letter)
        if normal != letter:
            changed[letter] = normal
    return precompile_charsmap(dict(decomposed_letters(changed)) | changed | {"\t": " ", "\n": " ", "\u200b": " "})


def _bert_sizes(vocabulary: int) -> dict[str, Any]:
    return {
        "vocab_size": vocabulary,
        "hidden_size": DIMENSION,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "intermediate_size": 2 * DIMENSION,
        "initializer_range": 0.2,
    }


def _stir(model: Any) -> None:
    """No weight is a neutral one: biases and norms differ from 0 and 1, so that a lost one shows."""
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.ndim == 1:
                parameter.add_(torch.randn(parameter.shape) * 0.1)
            elif "embed" in name or "shared" in name:
                parameter[:] = torch.randn(parameter.shape) * 0.2
    model.tie_weights()


def _sentence_transformers(folder: Path, pooling: dict[str, bool], further: list[str]) -> None:
    kind = "sentence_transformers.models"
    paths = ["", "1_Pooling", *further]
    names = ["Transformer", "Pooling", *(path.split("_")[1] for path in further)]
    modules = [
        {"idx": index, "name": str(index), "path": path, "type": f"{kind}.{name}"}
        for index, (name, path) in enumerate(zip(names, paths, strict=True))
    ]
    _json(folder / "modules.json", modules)
    flags = dict.fromkeys(("pooling_mode_cls_token", "pooling_mode_mean_tokens", "pooling_mode_max_tokens"), False)
    (folder / "1_Pooling").mkdir()
    _json(folder / "1_Pooling" / "config.json", {"word_embedding_dimension": DIMENSION, **flags, **pooling})
    _json(folder / "sentence_bert_config.json", {"max_seq_length": MAX_TOKENS, "do_lower_case": False})


def _json(path: Path, content: Any) -> None:
    path.write_text(json.dumps(content, indent=2))


def _key() -> str:
    digest = hashlib.sha256(Path(__file__).read_bytes())
    digest.update(" ".join(version(name) for name in ("tokenizers", "torch", "transformers")).encode())
    return digest.hexdigest()[:16]


def each_family() -> Iterator[str]:
    """The names of the encoders, for parametrised tests."""
    yield from ("sonar", "nllb", "xlmr", "bert", "e5", "labse")
