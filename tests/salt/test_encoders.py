"""Encoders of each family on tiny models: all weights, the right pooling, the states that Transformers itself gives."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from support import tiny_salt
from support.model_hub import ModelHub

from alee_mteb.errors import DataError, LanguageError, ModelError
from salt.encoders.base import TokenEncoder
from salt.encoders.load import FolderEncoder, load_decoder, load_encoder

TEXTS = ["The cat sat on the mat.", "Guten Morgen.", "Der Hund jagte die Katze durch den alten Garten."]
FAMILIES = ("sonar", "nllb", "xlmr", "bert", "e5", "labse")
needs_language = {"sonar", "nllb"}


@pytest.fixture(scope="module")
def folders() -> dict[str, Path]:
    return tiny_salt.tiny_encoders(tiny_salt.default_root())


@pytest.fixture(scope="module")
def encoders(folders: dict[str, Path]) -> dict[str, FolderEncoder]:
    return {name: load_encoder(folder) for name, folder in folders.items()}


@pytest.fixture
def copy_of(folders: dict[str, Path], tmp_path: Path) -> Callable[[str], Path]:
    """A copy of a folder that may be spoilt."""

    def copied(name: str) -> Path:
        return Path(shutil.copytree(folders[name], tmp_path / name))

    return copied


def language(name: str) -> str | None:
    return "deu_Latn" if name in needs_language else None


def change_weights(folder: Path, change: Callable[[dict[str, torch.Tensor]], Any]) -> None:
    state = load_file(folder / "model.safetensors")
    change(state)
    save_file(state, folder / "model.safetensors", {"format": "pt"})


def reference_states(name: str, folder: Path, text: str) -> torch.Tensor:
    """States of all layers, (layers + 1, t, d), by Transformers alone, one text at a time."""
    from transformers import AutoTokenizer, BertModel, M2M100Model, XLMRobertaModel
    from transformers.models.m2m_100.modeling_m2m_100 import M2M100Encoder

    tokenizer = AutoTokenizer.from_pretrained(folder)
    if name in needs_language:
        tokenizer.src_lang = "deu_Latn"
    model: Any
    if name == "sonar":
        model = M2M100Encoder.from_pretrained(folder)
    elif name == "nllb":
        model = M2M100Model.from_pretrained(folder).encoder
    else:
        model = (XLMRobertaModel if name == "xlmr" else BertModel).from_pretrained(folder)
    prompt = "query: " if name == "e5" else ""
    with torch.no_grad():
        output = model.eval()(**tokenizer(prompt + text, return_tensors="pt"), output_hidden_states=True)
    return torch.stack([layer[0] for layer in output.hidden_states])


@pytest.mark.parametrize("name", FAMILIES)
def test_states_are_those_of_transformers_whatever_the_padding(
    name: str, folders: dict[str, Path], encoders: dict[str, FolderEncoder]
) -> None:
    encoder = encoders[name]
    tokens = encoder.tokenize(TEXTS, language(name))
    layers = range(encoder.n_layers + 1)
    with torch.no_grad():
        states = encoder.states(tokens, layers)
    for row, text in enumerate(TEXTS):
        expected = reference_states(name, folders[name], text)
        length = int(tokens.mask[row].sum())
        assert expected.shape == (encoder.n_layers + 1, length, encoder.dimension)
        for layer in layers:
            torch.testing.assert_close(states[layer][row, :length], expected[layer], atol=2e-5, rtol=1e-4)


@pytest.mark.parametrize("name", FAMILIES)
def test_the_contract(name: str, encoders: dict[str, FolderEncoder]) -> None:
    encoder = encoders[name]
    assert isinstance(encoder, TokenEncoder)
    assert (encoder.dimension, encoder.n_layers, encoder.max_tokens) == (32, 3, 64)
    expected = {"sonar": "sonar", "nllb": "sonar", "xlmr": "xlm-roberta"}
    assert encoder.family == expected.get(name, "bert")
    assert not encoder.module.training
    tokens = encoder.tokenize(TEXTS, language(name))
    assert tokens.mask.sum(dim=1).tolist() == encoder.lengths(TEXTS, language(name))
    assert [len(offsets) for offsets in tokens.offsets] == encoder.lengths(TEXTS, language(name))
    (words,) = encoder.embedding_parameters()
    assert words.shape == (words.shape[0], 32)
    assert any(words is parameter for parameter in encoder.module.parameters())
    states = encoder.states(tokens, (-1, 3, 1))
    assert torch.equal(states[-1], states[3])
    encoder.pool(states[-1], tokens).sum().backward()
    assert words.grad is not None
    encoder.module.zero_grad()


def test_sonar_pools_language_and_end_tokens_and_leaves_out_padding(encoders: dict[str, FolderEncoder]) -> None:
    encoder = encoders["sonar"]
    tokens = encoder.tokenize(TEXTS, "deu_Latn")
    vocabulary = encoder.encoder.tokenizer.backend.get_vocab()
    with torch.no_grad():
        states = encoder.states(tokens)[-1]
        pooled = encoder.pool(states, tokens)
    for row in range(len(TEXTS)):
        length = encoder.lengths(TEXTS, "deu_Latn")[row]
        ids = tokens.ids[row].tolist()
        assert ids[0] == vocabulary["deu_Latn"]
        assert ids[length - 1] == 2
        assert ids[length:] == [1] * (len(ids) - length)
        by_hand = sum(states[row, at].numpy() for at in range(length)) / length
        np.testing.assert_allclose(pooled[row].numpy(), by_hand, atol=1e-6)


def test_sonar_tokens_are_those_of_the_nllb_tokenizer(encoders: dict[str, FolderEncoder]) -> None:
    encoder = encoders["sonar"]
    backend = encoder.encoder.tokenizer.backend
    for code, text in (("deu_Latn", TEXTS[1]), ("eng_Latn", TEXTS[0]), ("jpn_Jpan", "猫がマットの上に座った。")):
        backend.src_lang = code
        tokens = encoder.tokenize([text], code)
        assert tokens.ids[0].tolist() == backend(text)["input_ids"]
        assert tokens.language == code


def test_mean_pooling_by_hand_is_what_sentence_transformers_computes(
    folders: dict[str, Path], encoders: dict[str, FolderEncoder]
) -> None:
    """e5: prompt, mean, unit length. LaBSE: first state, dense layer, unit length."""
    from sentence_transformers import SentenceTransformer

    for name in ("e5", "labse"):
        encoder = encoders[name]
        tokens = encoder.tokenize(TEXTS)
        with torch.no_grad():
            vectors = encoder.encoder.finish(encoder.pool(encoder.states(tokens)[-1], tokens))
        expected = SentenceTransformer(str(folders[name]), device="cpu").encode(TEXTS)
        np.testing.assert_allclose(vectors.numpy(), expected, atol=1e-5)


def test_a_mexma_style_encoder_takes_the_first_state(folders: dict[str, Path], tmp_path: Path) -> None:
    encoder = load_encoder(shutil.copytree(folders["xlmr"], tmp_path / "MEXMA"))
    assert encoder.encoder.recipe.pooling == "cls"
    tokens = encoder.tokenize(TEXTS)
    with torch.no_grad():
        states = encoder.states(tokens)[-1]
        assert torch.equal(encoder.pool(states, tokens), states[:, 0])


def test_labse_without_sentence_transformers_files_pools_with_bert_itself(folders: dict[str, Path]) -> None:
    from transformers import AutoTokenizer, BertModel

    encoder = load_encoder(folders["bert"], pooling="pooler")
    tokens = encoder.tokenize(TEXTS)
    inputs = AutoTokenizer.from_pretrained(folders["bert"])(TEXTS, padding=True, return_tensors="pt")
    with torch.no_grad():
        pooled = encoder.pool(encoder.states(tokens)[-1], tokens)
        expected = BertModel.from_pretrained(folders["bert"]).eval()(**inputs).pooler_output
    torch.testing.assert_close(pooled, expected, atol=1e-5, rtol=1e-4)


def test_automodel_would_make_sonar_of_random_numbers(
    folders: dict[str, Path], encoders: dict[str, FolderEncoder]
) -> None:
    from transformers import AutoModel

    stored = load_file(folders["sonar"] / "model.safetensors")["layers.0.fc1.weight"]
    trap = AutoModel.from_pretrained(folders["sonar"])
    assert not torch.allclose(trap.encoder.layers[0].fc1.weight, stored)
    assert torch.equal(encoders["sonar"].module.layers[0].fc1.weight, stored)  # type: ignore[index, union-attr]


def test_the_encoder_of_a_whole_m2m100_is_the_encoder_alone(encoders: dict[str, FolderEncoder]) -> None:
    tokens = encoders["sonar"].tokenize(TEXTS, "deu_Latn")
    with torch.no_grad():
        alone, of_whole = (encoders[name].states(tokens)[-1] for name in ("sonar", "nllb"))
    assert torch.equal(alone, of_whole)
    assert encoders["sonar"].fingerprint == encoders["nllb"].fingerprint


def test_layer_drop_is_off_in_training(folders: dict[str, Path]) -> None:
    """The published configuration drops layers; here half of them would go."""
    assert json.loads((folders["sonar"] / "config.json").read_text())["encoder_layerdrop"] == 0.5
    encoder = load_encoder(folders["sonar"])
    for module in encoder.module.modules():
        for attribute in ("dropout", "activation_dropout"):
            if isinstance(getattr(module, attribute, None), float):
                setattr(module, attribute, 0.0)
    tokens = encoder.tokenize(TEXTS, "deu_Latn")
    with torch.no_grad():
        quiet = encoder.states(tokens)[-1]
        encoder.module.train()
        assert all(torch.equal(encoder.states(tokens)[-1], quiet) for _ in range(8))


@pytest.mark.parametrize("name", FAMILIES)
def test_saved_and_loaded_it_is_the_same_encoder(name: str, encoders: dict[str, FolderEncoder], tmp_path: Path) -> None:
    encoder = encoders[name]
    encoder.save(tmp_path / "saved")
    encoder.save(tmp_path / "saved")  # exchanged, not mixed
    again = load_encoder(tmp_path / "saved")
    assert again.fingerprint == encoder.fingerprint
    assert again.max_tokens == encoder.max_tokens
    tokens = encoder.tokenize(TEXTS, language(name))
    assert torch.equal(again.tokenize(TEXTS, language(name)).ids, tokens.ids)
    with torch.no_grad():
        one, other = (e.encoder.finish(e.pool(e.states(tokens)[-1], tokens)) for e in (encoder, again))
    assert torch.equal(one, other)
    assert [path.name for path in tmp_path.iterdir()] == ["saved"]
    assert (tmp_path / "saved" / "modules.json").exists() == (encoder.family != "sonar")


def test_a_folder_with_something_else_is_not_written_into(encoders: dict[str, FolderEncoder], tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(ModelError, match="not empty"):
        encoders["e5"].save(tmp_path)
    assert (tmp_path / "thesis.txt").read_text() == "years of work"


@pytest.mark.parametrize("name", FAMILIES)
def test_a_missing_an_unknown_and_a_misshapen_weight_are_refused(name: str, copy_of: Callable[[str], Path]) -> None:
    folder = copy_of(name)
    state = load_file(folder / "model.safetensors")
    lost = next(key for key in sorted(state) if ".layer." in key or "layers." in key if key.endswith("bias"))

    change_weights(folder, lambda state: state.pop(lost))
    with pytest.raises(ModelError, match=f"weights missing from its files: {lost.removeprefix('roberta.')}$"):
        load_encoder(folder)

    change_weights(folder, lambda s: s.update({lost: torch.zeros(5)}))
    with pytest.raises(ModelError, match=r"weights of another shape than config.json says: \S+bias$"):
        load_encoder(folder)

    change_weights(folder, lambda s: s.update({lost: state[lost], "adapter.weight": torch.zeros(2)}))
    with pytest.raises(ModelError, match=r"weights not of the network that config\.json describes: adapter\.weight"):
        load_encoder(folder)


@pytest.mark.parametrize("bad", [float("nan"), float("-inf")], ids=["nan", "infinite"])
@pytest.mark.parametrize("name", FAMILIES)
def test_weights_that_are_no_numbers_are_refused(name: str, bad: float, copy_of: Callable[[str], Path]) -> None:
    """All states would be NaN: no word would be linked and every score be 0, without a word of warning."""
    folder = copy_of(name)
    weight = next(
        key
        for key in sorted(load_file(folder / "model.safetensors"))
        if key.endswith("fc1.weight" if name in ("sonar", "nllb") else "layer.1.output.dense.weight")
    )
    change_weights(folder, lambda state: state[weight].view(-1)[-1:].fill_(bad))
    with pytest.raises(ModelError, match=r"weight \S+(fc1|dense)\.weight holds NaN or infinite numbers"):
        load_encoder(folder)


def test_a_dense_layer_on_top_must_hold_numbers_too(copy_of: Callable[[str], Path]) -> None:
    folder = copy_of("labse")
    change_weights(folder / "2_Dense", lambda state: state["linear.bias"][:1].fill_(float("nan")))
    with pytest.raises(ModelError, match=r"2_Dense: weight 0?\.?bias holds NaN"):
        load_encoder(folder)


def test_heads_for_other_purposes_are_harmless(encoders: dict[str, FolderEncoder], folders: dict[str, Path]) -> None:
    """`xlmr` has a masked-LM head and `bert` a pooler, as the published checkpoints do."""
    assert any(key.startswith("lm_head.") for key in load_file(folders["xlmr"] / "model.safetensors"))
    assert any(key.startswith("pooler.") for key in load_file(folders["bert"] / "model.safetensors"))
    assert not any("pooler" in key or "lm_head" in key for key in encoders["bert"].module.state_dict())


def test_damaged_and_absent_files_are_one_line(copy_of: Callable[[str], Path]) -> None:
    folder = copy_of("e5")
    (folder / "model.safetensors").write_bytes(b"not tensors")
    with pytest.raises(ModelError, match="the model cannot be loaded"):
        load_encoder(folder)
    (folder / "model.safetensors").unlink()
    with pytest.raises(ModelError, match="the model cannot be loaded"):
        load_encoder(folder)
    (folder / "tokenizer.json").write_text("[" * 100_000)
    with pytest.raises(ModelError, match="its tokenizer cannot be loaded"):
        load_encoder(folder)
    (folder / "tokenizer.json").unlink()
    with pytest.raises(ModelError, match="tokenizer"):
        load_encoder(folder)
    (folder / "config.json").write_text("[" * 100_000)
    with pytest.raises(ModelError, match=r"config\.json: cannot be read as JSON"):
        load_encoder(folder)
    (folder / "config.json").write_text('{"model_type": "bert", "hidden_size": "x"}')
    with pytest.raises(ModelError, match=r"cannot be (read|loaded)"):
        load_encoder(folder)
    (folder / "config.json").unlink()
    with pytest.raises(ModelError, match=r"no config\.json"):
        load_encoder(folder)


def test_a_tokenizer_of_another_model_is_refused(copy_of: Callable[[str], Path], folders: dict[str, Path]) -> None:
    folder = copy_of("xlmr")
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(folders["sonar"] / name, folder / name)
    with pytest.raises(ModelError, match="the tokenizer has 410 tokens and the network 262"):
        load_encoder(folder)


def test_a_tokenizer_without_offsets_is_refused(copy_of: Callable[[str], Path]) -> None:
    folder = copy_of("xlmr")
    (folder / "tokenizer.json").unlink()
    (folder / "tokenizer_config.json").write_text('{"tokenizer_class": "ByT5Tokenizer"}')
    with pytest.raises(ModelError, match=r"ByT5Tokenizer\) gives no character offsets"):
        load_encoder(folder)


def test_encoder_decoders_of_other_kinds_are_refused(copy_of: Callable[[str], Path]) -> None:
    folder = copy_of("xlmr")
    (folder / "config.json").write_text('{"model_type": "t5", "vocab_size": 262}')
    with pytest.raises(ModelError, match="a t5 is an encoder with a decoder; of these only M2M100 is supported"):
        load_encoder(folder)
    (folder / "config.json").write_text('{"model_type": "unheard-of"}')
    with pytest.raises(ModelError, match=r"config\.json"):
        load_encoder(folder)


@pytest.mark.parametrize(
    ("module", "message"),
    [
        ({"idx": 1, "name": "1", "path": "1_WordWeights", "type": "a.WordWeights"}, "module 'WordWeights'"),
        ({"idx": 1, "name": "1", "path": "9_Pooling", "type": "a.Pooling"}, "no such file, but modules.json names it"),
    ],
    ids=["unknown-module", "no-pooling-file"],
)
def test_a_recipe_that_cannot_be_followed_is_refused(
    module: dict[str, Any], message: str, copy_of: Callable[[str], Path]
) -> None:
    folder = copy_of("e5")
    modules = json.loads((folder / "modules.json").read_text())
    (folder / "modules.json").write_text(json.dumps([modules[0], module]))
    with pytest.raises(ModelError, match=message):
        load_encoder(folder)


def test_max_pooling_is_refused(copy_of: Callable[[str], Path]) -> None:
    folder = copy_of("e5")
    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode_max_tokens": true}')
    with pytest.raises(ModelError, match="pooling max_tokens; mean and cls are supported"):
        load_encoder(folder)
    (folder / "1_Pooling" / "config.json").write_text('{"embedding_dimension": 32, "pooling_mode": "cls"}')
    assert load_encoder(folder).encoder.recipe.pooling == "cls"


def test_texts_that_cannot_be_tokenized_are_named(encoders: dict[str, FolderEncoder]) -> None:
    e5, sonar = encoders["e5"], encoders["sonar"]
    with pytest.raises(DataError, match="text 1 of 2 is empty"):
        e5.tokenize(["The cat", " "])
    long = "The cat " * 40
    with pytest.raises(DataError, match=r"has 84 tokens, the longest that .*e5 takes is 64"):
        e5.tokenize(["The cat", long])
    assert e5.lengths([long]) == [84]  # <s>, the prompt, twice forty words, the space at the end, </s>
    with pytest.raises(LanguageError, match="needs to know the language"):
        sonar.tokenize(TEXTS)
    with pytest.raises(LanguageError, match="no language token"):
        sonar.tokenize(TEXTS, "roh_sursilv")


def test_no_such_layer(encoders: dict[str, FolderEncoder]) -> None:
    tokens = encoders["e5"].tokenize(TEXTS)
    with pytest.raises(ModelError, match=r"layer 4: .* has layers 0"):
        encoders["e5"].states(tokens, (4,))


def test_names_that_lead_nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "cache"))
    with pytest.raises(ModelError, match="hf download org/model --local-dir DIR"):
        load_encoder("org/model")
    for name in ("model", "../x/y", "a/b/c"):
        with pytest.raises(ModelError, match="no such folder"):
            load_encoder(name)
    (tmp_path / "file").write_text("")
    with pytest.raises(ModelError, match="a file; give the folder"):
        load_encoder(tmp_path / "file")


def test_from_the_hub_comes_what_is_needed_and_no_more(
    folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    place = Path(shutil.copytree(folders["labse"], tmp_path / "labse"))
    (place / "pytorch_model.bin").write_bytes(b"the same weights once more")
    (place / "modeling_evil.py").write_text("raise SystemExit")
    (place / "onnx").mkdir()
    (place / "onnx" / "model.safetensors").write_bytes(b"and again")
    with ModelHub("org/tiny-labse", place) as hub:
        hub.patch(monkeypatch, tmp_path / "home")
        encoder = load_encoder("org/tiny-labse")
        assert {"model.safetensors", "2_Dense/model.safetensors", "1_Pooling/config.json"} <= hub.fetched
        assert not {"pytorch_model.bin", "modeling_evil.py", "onnx/model.safetensors"} & hub.fetched
        with pytest.raises(ModelError, match="no such model on the Hub"):
            load_encoder("org/other")
        with pytest.raises(ModelError, match="has no revision 'v2' on the Hub"):
            load_encoder("org/tiny-labse", revision="v2")
    assert encoder.encoder.head is not None
    again = load_encoder("org/tiny-labse")  # the server is gone: from the cache
    assert torch.equal(again.encoder.head[0].weight, encoder.encoder.head[0].weight)


def test_a_decoder_is_refused_where_there_is_none(folders: dict[str, Path]) -> None:
    with pytest.raises(ModelError, match="an encoder without a decoder"):
        load_decoder(folders["sonar"])
    with pytest.raises(ModelError, match="a bert has no decoder"):
        load_decoder(folders["e5"])


def test_teacher_forcing_is_what_transformers_computes(
    folders: dict[str, Path], encoders: dict[str, FolderEncoder]
) -> None:
    from transformers import M2M100ForConditionalGeneration
    from transformers.modeling_outputs import BaseModelOutput

    decoder = load_decoder(folders["nllb"])
    memory = torch.randn(1, 32, generator=torch.Generator().manual_seed(0))
    (target,) = decoder.target_ids(["Die Katze saß"])
    prefix = decoder.prefix("deu_Latn")
    vocabulary = decoder.tokenizer.backend.get_vocab()
    assert prefix == [2, vocabulary["deu_Latn"]]
    assert target[-1] == 2
    inputs = torch.tensor([[*prefix, *target[:-1]]])
    logits = decoder.decode(memory, inputs)
    whole = M2M100ForConditionalGeneration.from_pretrained(folders["nllb"]).eval()
    with torch.no_grad():
        expected = whole(
            encoder_outputs=BaseModelOutput(last_hidden_state=memory.unsqueeze(1)), decoder_input_ids=inputs
        ).logits
    torch.testing.assert_close(logits, expected, atol=1e-5, rtol=1e-4)
    padded = torch.cat([inputs, torch.ones(1, 3, dtype=torch.long)], dim=1)
    mask = (torch.arange(padded.shape[1]) < inputs.shape[1]).long()[None]
    torch.testing.assert_close(decoder.decode(memory, padded, mask)[:, : inputs.shape[1]], logits, atol=1e-5, rtol=1e-4)


def test_greedy_generation_is_one_argmax_after_another(folders: dict[str, Path]) -> None:
    decoder = load_decoder(folders["nllb"])
    memory = torch.randn(3, 32, generator=torch.Generator().manual_seed(1))
    texts = decoder.generate(memory, "deu_Latn", max_tokens=6)
    for row, text in enumerate(texts):
        ids = decoder.prefix("deu_Latn")
        for _ in range(6):
            with torch.no_grad():
                ids.append(int(decoder.decode(memory[row : row + 1], torch.tensor([ids]))[0, -1].argmax()))
            if ids[-1] == 2:
                break
        assert text == decoder.tokenizer.backend.decode(ids[2:], skip_special_tokens=True).strip()
    assert len(decoder.generate(memory, "deu_Latn", beams=3, max_tokens=6)) == 3


def test_gradients_pass_through_the_decoder_and_stay_out_of_it(folders: dict[str, Path]) -> None:
    decoder = load_decoder(folders["nllb"])
    memory = torch.randn(1, 1, 32, requires_grad=True)
    decoder.decode(memory, torch.tensor([decoder.prefix("deu_Latn")])).square().sum().backward()
    assert memory.grad is not None
    assert memory.grad.abs().sum() > 0
    assert not any(parameter.requires_grad for parameter in decoder.module.parameters())


def test_states_of_another_size_and_empty_texts_are_refused(folders: dict[str, Path]) -> None:
    decoder = load_decoder(folders["nllb"])
    with pytest.raises(ModelError, match="reads states of 32 dimensions, these have 16"):
        decoder.decode(torch.zeros(1, 16), torch.tensor([[2]]))
    with pytest.raises(DataError, match="text 0 of 1 is empty"):
        decoder.target_ids([" "])
    with pytest.raises(LanguageError, match="no language token"):
        decoder.prefix("roh_sursilv")
