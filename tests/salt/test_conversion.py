"""SONAR between fairseq2 and Transformers: names, rows, and what an independent network computes from them."""

import math
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file
from support import tiny_salt
from torch import Tensor

from alee_mteb.cli import main
from alee_mteb.encoders.network import load_network
from alee_mteb.errors import ModelError
from salt.conversion.files import read_checkpoint, write_fairseq2, write_transformers
from salt.conversion.layout import with_rows
from salt.encoders.load import load_decoder, load_encoder

D, FEED_FORWARD, HEADS, LAYERS, TOKENS = 16, 40, 4, 2, 410
PAD, UNK, BOS, EOS = range(4)  # fairseq2's rows


@pytest.fixture(scope="module")
def folders() -> dict[str, Path]:
    return tiny_salt.tiny_encoders(tiny_salt.default_root())


def fairseq2_state(kind: str, seed: int = 0) -> dict[str, Tensor]:
    """A state with SONAR's names in fairseq2, written down here and not derived from the code under test."""
    generator = torch.Generator().manual_seed(seed)

    def random(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=generator) * 0.3

    state = {f"{kind}_frontend.embed.weight": random(TOKENS, D)}
    for layer in range(LAYERS):
        at = f"{kind}.layers.{layer}."
        for attention in ["self_attn"] + ["encoder_decoder_attn"] * (kind == "decoder"):
            for part in ("q_proj", "k_proj", "v_proj", "output_proj"):
                state[f"{at}{attention}.{part}.weight"] = random(D, D)
                state[f"{at}{attention}.{part}.bias"] = random(D)
            state[f"{at}{attention}_layer_norm.weight"] = 1 + random(D)
            state[f"{at}{attention}_layer_norm.bias"] = random(D)
        state[f"{at}ffn.inner_proj.weight"], state[f"{at}ffn.inner_proj.bias"] = (
            random(FEED_FORWARD, D),
            random(FEED_FORWARD),
        )
        state[f"{at}ffn.output_proj.weight"], state[f"{at}ffn.output_proj.bias"] = random(D, FEED_FORWARD), random(D)
        state[f"{at}ffn_layer_norm.weight"], state[f"{at}ffn_layer_norm.bias"] = 1 + random(D), random(D)
    last = "layer_norm" if kind == "encoder" else "decoder.layer_norm"
    state[f"{last}.weight"], state[f"{last}.bias"] = 1 + random(D), random(D)
    if kind == "decoder":
        state["final_proj.weight"] = state["decoder_frontend.embed.weight"]
    return state


class Fairseq2Network:
    """A pre-norm Transformer on fairseq2's names, with loops over heads and positions instead of a library."""

    def __init__(self, state: dict[str, Tensor], kind: str) -> None:
        self.state, self.kind = state, kind

    def linear(self, name: str, x: Tensor) -> Tensor:
        return x @ self.state[f"{name}.weight"].T + self.state[f"{name}.bias"]

    def norm(self, name: str, x: Tensor) -> Tensor:
        centred = x - x.mean(dim=-1, keepdim=True)
        scaled = centred / (centred.square().mean(dim=-1, keepdim=True) + 1e-5).sqrt()
        return scaled * self.state[f"{name}.weight"] + self.state[f"{name}.bias"]

    def attend(self, name: str, x: Tensor, memory: Tensor, causal: bool) -> Tensor:
        query, key, value = (
            self.linear(f"{name}.{part}_proj", y) for part, y in (("q", x), ("k", memory), ("v", memory))
        )
        size = D // HEADS
        heads = []
        for head in range(HEADS):
            at = slice(head * size, (head + 1) * size)
            scores = query[:, at] @ key[:, at].T / math.sqrt(size)
            if causal:
                scores = scores.masked_fill(torch.ones_like(scores).triu(1).bool(), -math.inf)
            heads.append(scores.softmax(dim=-1) @ value[:, at])
        return self.linear(f"{name}.output_proj", torch.cat(heads, dim=-1))

    def embed(self, ids: list[int]) -> Tensor:
        rows = []
        for at, token in enumerate(ids):
            position = at + 2
            steps = [math.exp(-math.log(10000) / (D / 2 - 1) * i) for i in range(D // 2)]
            waves = [math.sin(position * s) for s in steps] + [math.cos(position * s) for s in steps]
            rows.append(self.state[f"{self.kind}_frontend.embed.weight"][token] * math.sqrt(D) + torch.tensor(waves))
        return torch.stack(rows)

    def __call__(self, ids: list[int], memory: Tensor | None = None) -> Tensor:
        x = self.embed(ids)
        for layer in range(LAYERS):
            at = f"{self.kind}.layers.{layer}."
            y = self.norm(f"{at}self_attn_layer_norm", x)
            x = x + self.attend(f"{at}self_attn", y, y, causal=memory is not None)
            if memory is not None:
                y = self.norm(f"{at}encoder_decoder_attn_layer_norm", x)
                x = x + self.attend(f"{at}encoder_decoder_attn", y, memory, causal=False)
            y = self.norm(f"{at}ffn_layer_norm", x)
            x = x + self.linear(f"{at}ffn.output_proj", self.linear(f"{at}ffn.inner_proj", y).relu())
        return self.norm("layer_norm" if self.kind == "encoder" else "decoder.layer_norm", x)


def convert(state: Any, folders: dict[str, Path], tmp_path: Path, **settings: Any) -> Path:
    torch.save(state, tmp_path / "sonar.pt")
    arguments = {"tokenizer": str(folders["sonar"]), "n_heads": HEADS, "max_tokens": 64} | settings
    return write_transformers(tmp_path / "sonar.pt", tmp_path / "folder", overwrite=True, **arguments).path


def fairseq2_ids(ids: list[int]) -> list[int]:
    """NLLB's ids as fairseq2 has them: only the control tokens differ."""
    return [{0: BOS, 1: PAD, 2: EOS, 3: UNK}.get(token, token) for token in ids]


def test_the_encoder_computes_the_same(folders: dict[str, Path], tmp_path: Path) -> None:
    state = fairseq2_state("encoder")
    encoder = load_encoder(convert({"model": state}, folders, tmp_path))
    reference = Fairseq2Network(state, "encoder")
    texts = ["Guten Morgen.", "Die Katze ☃ saß auf der Matte."]  # the snowman is unknown
    tokens = encoder.tokenize(texts, "deu_Latn")
    assert 3 in tokens.ids[1].tolist()
    with torch.no_grad():
        states = encoder.states(tokens)[-1]
        pooled = encoder.pool(states, tokens)
    for row in range(2):
        ids = tokens.ids[row, : encoder.lengths(texts, "deu_Latn")[row]].tolist()
        expected = reference(fairseq2_ids(ids))
        torch.testing.assert_close(states[row, : len(ids)], expected, atol=1e-4, rtol=1e-4)
        torch.testing.assert_close(pooled[row], expected.mean(dim=0), atol=1e-4, rtol=1e-4)


def test_the_decoder_computes_the_same(folders: dict[str, Path], tmp_path: Path) -> None:
    state = fairseq2_state("decoder")
    decoder = load_decoder(convert(state, folders, tmp_path))
    memory = torch.randn(1, D, generator=torch.Generator().manual_seed(3))
    ids = [*decoder.prefix("deu_Latn"), *decoder.target_ids(["Die Katze saß"])[0]]
    states = Fairseq2Network(state, "decoder")(fairseq2_ids(ids), memory)
    expected = states @ state["final_proj.weight"].T
    with torch.no_grad():
        logits = decoder.decode(memory, torch.tensor([ids]))[0]
    torch.testing.assert_close(logits[:, 4:], expected[:, 4:], atol=1e-3, rtol=1e-4)
    torch.testing.assert_close(logits[:, [1, 3, 0, 2]], expected[:, :4], atol=1e-3, rtol=1e-4)
    assert len(decoder.generate(memory, "deu_Latn", max_tokens=5)) == 1
    with pytest.raises(ModelError, match="a decoder without an encoder"):
        load_encoder(tmp_path / "folder")


@pytest.mark.parametrize("kind", ["encoder", "decoder"])
@pytest.mark.parametrize("suffix", [".pt", ".safetensors"])
def test_there_and_back_every_bit_is_the_same(kind: str, suffix: str, folders: dict[str, Path], tmp_path: Path) -> None:
    state = fairseq2_state(kind)
    folder = convert({"model": state}, folders, tmp_path)
    written = write_fairseq2(folder, tmp_path / f"back{suffix}")
    assert (written.kind, written.n_layers, written.dimension) == (kind, LAYERS, D)
    back = read_checkpoint(tmp_path / f"back{suffix}")
    assert sorted(back) == sorted(state)
    assert all(torch.equal(back[name], state[name]) for name in state)


def test_back_and_there_from_transformers(folders: dict[str, Path], tmp_path: Path) -> None:
    for kind in ("encoder", "decoder"):
        write_fairseq2(folders["nllb"], tmp_path / f"{kind}.pt", part=kind)
    settings = {"tokenizer": str(folders["sonar"]), "n_heads": tiny_salt.HEADS, "max_tokens": tiny_salt.MAX_TOKENS}
    write_transformers(tmp_path / "encoder.pt", tmp_path / "encoder", **settings)
    one, other = load_network(folders["sonar"]).state_dict(), load_network(tmp_path / "encoder").state_dict()
    assert list(one) == list(other)
    assert all(torch.equal(one[name], other[name]) for name in one)
    write_transformers(tmp_path / "decoder.pt", tmp_path / "decoder", **settings)
    memory = torch.randn(2, tiny_salt.DIMENSION)
    assert load_decoder(tmp_path / "decoder").generate(memory, "deu_Latn") == load_decoder(folders["nllb"]).generate(
        memory, "deu_Latn"
    )


def test_control_rows_change_places(folders: dict[str, Path], tmp_path: Path) -> None:
    state = fairseq2_state("encoder")
    rows = state["encoder_frontend.embed.weight"]
    converted = load_network(convert(state, folders, tmp_path)).state_dict()["embed_tokens.weight"]
    by_hand = torch.stack([rows[BOS], rows[PAD], rows[EOS], rows[UNK], *rows[4:]])
    assert torch.equal(converted, by_hand)
    assert with_rows(torch.tensor([[0], [1], [2], [3], [9]]), (2, 0, 3, 1)).flatten().tolist() == [2, 0, 3, 1, 9]


def test_the_same_bytes_every_time(folders: dict[str, Path], tmp_path: Path) -> None:
    for name in ("one.pt", "two.pt"):
        write_fairseq2(folders["sonar"], tmp_path / name)
    assert (tmp_path / "one.pt").read_bytes() == (tmp_path / "two.pt").read_bytes()


class NotATensor:
    """Something a checkpoint must not be able to bring to life."""

    def __reduce__(self) -> tuple[Any, ...]:
        return (print, ("run by a checkpoint",))


def test_nothing_but_tensors_is_unpickled(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    torch.save({"model": fairseq2_state("encoder"), "extra": NotATensor()}, tmp_path / "evil.pt")
    with pytest.raises(ModelError, match="only tensors are read"):
        read_checkpoint(tmp_path / "evil.pt")
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda s: s.pop("encoder.layers.1.ffn.output_proj.bias"), r"Missing key.*layers\.1\.fc2\.bias"),
        (lambda s: s.update({"encoder.layers.1.adapter.weight": torch.zeros(2)}), "adapter.weight: SONAR's text"),
        (lambda s: s.update({"encoder.layers.0.encoder_decoder_attn.q_proj.bias": torch.zeros(2)}), "no such weight"),
        (lambda s: s.update({"layer_norm.bias": torch.zeros(3)}), r"size mismatch for layer_norm\.bias"),
        (lambda s: s.update({"encoder.layer_norm.bias": torch.zeros(D)}), "same place"),
        (lambda s: s.pop("encoder_frontend.embed.weight"), "not a SONAR text encoder or decoder"),
        (lambda s: s.clear(), "holds no state of a model"),
    ],
    ids=["missing", "extra", "decoder's", "shape", "two-norms", "no-embeddings", "empty"],
)
def test_states_that_are_not_sonars(change: Any, message: str, folders: dict[str, Path], tmp_path: Path) -> None:
    state = fairseq2_state("encoder")
    change(state)
    with pytest.raises(ModelError, match=message):
        convert({"model": state}, folders, tmp_path)
    assert not (tmp_path / "folder").exists()


def test_a_projection_of_its_own_is_refused(folders: dict[str, Path], tmp_path: Path) -> None:
    state = fairseq2_state("decoder")
    state["final_proj.weight"] = state["final_proj.weight"] + 1
    with pytest.raises(ModelError, match=r"final_proj and decoder_frontend\.embed differ"):
        convert(state, folders, tmp_path)


def test_arguments_that_do_not_fit(folders: dict[str, Path], tmp_path: Path) -> None:
    state = fairseq2_state("encoder")
    with pytest.raises(ModelError, match="16 dimensions cannot be split among 5"):
        convert(state, folders, tmp_path, n_heads=5)
    with pytest.raises(ModelError, match="name a folder or Hub repository with NLLB's"):
        convert(state, folders, tmp_path, tokenizer=None)
    with pytest.raises(ModelError, match="not NLLB's tokenizer"):
        convert(state, folders, tmp_path, tokenizer=str(folders["bert"]))
    small = {**state, "encoder_frontend.embed.weight": torch.zeros(300, D)}
    with pytest.raises(ModelError, match="a tokenizer of 410 tokens, but the checkpoint has 300 rows"):
        convert(small, folders, tmp_path)
    with pytest.raises(ModelError, match="no such file"):
        read_checkpoint(tmp_path / "nowhere.pt")
    (tmp_path / "text.pt").write_text("hello")
    with pytest.raises(ModelError, match=r"text\.pt"):
        read_checkpoint(tmp_path / "text.pt")
    with pytest.raises(ModelError, match="say --part encoder or --part decoder"):
        write_fairseq2(folders["nllb"], tmp_path / "x.pt")
    with pytest.raises(ModelError, match="no decoder in it"):
        write_fairseq2(folders["sonar"], tmp_path / "x.pt", part="decoder")
    with pytest.raises(ModelError, match="only an M2M100"):
        write_fairseq2(folders["e5"], tmp_path / "x.pt")
    with pytest.raises(ModelError, match=r"ends in \.pt"):
        write_fairseq2(folders["sonar"], tmp_path / "x.bin")
    (tmp_path / "there.pt").write_text("")
    with pytest.raises(ModelError, match="exists already"):
        write_fairseq2(folders["sonar"], tmp_path / "there.pt")


def test_the_command_both_ways(
    folders: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(folders["sonar"], tmp_path / "sonar")
    monkeypatch.chdir(tmp_path)

    def alee(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["alee", "salt", "convert", *arguments])
        with pytest.raises(SystemExit) as stop:
            main()
        captured = capsys.readouterr()
        return int(stop.value.code or 0), captured.out.strip(), captured.err

    assert alee("sonar", "sonar.pt")[:2] == (0, "sonar.pt: encoder, 3 layers of 32 dimensions")
    settings = ("--tokenizer", "sonar", "--heads", "4", "--max-tokens", "64")
    assert alee("sonar.pt", "again", *settings)[:2] == (0, "again: encoder, 3 layers of 32 dimensions")
    assert load_encoder(tmp_path / "again").max_tokens == 64
    code, _, complaint = alee("sonar.pt", "again", *settings)
    assert code == 1
    assert complaint.startswith("alee: again: not empty")
    save_file({"x": torch.zeros(1)}, tmp_path / "other.safetensors")
    assert "not a SONAR text encoder" in alee("other.safetensors", "x", "--tokenizer", "sonar")[2]
