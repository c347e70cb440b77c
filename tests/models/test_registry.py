"""Models of one's own by name: added, listed, removed, found by mteb in a new process, refused where they changed."""

import json
import logging
import os
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from support import tiny_salt

from alee_mteb.encoders.folder import weights_revision
from alee_mteb.errors import LanguageError, ModelError
from alee_mteb.models.registry import (
    add_model,
    load_registered,
    read_registry,
    registered_metas,
    registry_path,
    remove_model,
)

ROOT = Path(__file__).parents[2]
TEXTS = ["The cat sat on the mat.", "Guten Morgen.", "The dog chased the cat through the old garden. " * 9]


@pytest.fixture(scope="module")
def folders() -> dict[str, Path]:
    return tiny_salt.tiny_encoders(tiny_salt.default_root())


@pytest.fixture(autouse=True)
def registry(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("ALEE_MODEL_REGISTRY", str(tmp_path / "data" / "models.json"))
    return tmp_path / "data" / "models.json"


@pytest.fixture
def folder(folders: dict[str, Path], tmp_path: Path) -> Callable[[str], Path]:
    return lambda name: Path(shutil.copytree(folders[name], tmp_path / name))


def encode(
    model: Any, texts: list[str], subset: str = "deu_Latn", prompt_type: Any = None, **kwargs: Any
) -> np.ndarray:
    batches = [{"text": texts[start : start + 2]} for start in range(0, len(texts), 2)]
    return model.encode(
        batches, task_metadata=kwargs.pop("task_metadata", None), hf_split="test", hf_subset=subset,
        prompt_type=prompt_type, show_progress_bar=False, **kwargs,
    )  # fmt: skip


def python(code: str, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    """Code in a process whose site folder holds our `.pth`, as an installation would have it."""
    site = tmp_path / "site"
    site.mkdir(exist_ok=True)
    (site / "alee_mteb.pth").write_text((ROOT / "alee_mteb.pth").read_text())
    script = f"import site, sys; sys.path.insert(0, {str(ROOT)!r}); site.addsitedir({str(site)!r})\n"
    return subprocess.run(
        [sys.executable, "-c", script + textwrap.dedent(code)],
        capture_output=True, text=True, cwd=tmp_path, check=False,
        env={**os.environ, "PYTHONPATH": "", "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"},
    )  # fmt: skip


def test_added_listed_removed(folder: Callable[[str], Path], registry: Path) -> None:
    assert read_registry() == {}
    path = folder("e5")
    model = add_model(path, "my-org/tiny")
    assert (model.path, model.family, model.dimension, model.max_tokens) == (str(path), "bert", 32, 64)
    assert model.uses_prompts
    assert model.revision == weights_revision(path)
    assert read_registry() == {"my-org/tiny": model}
    assert registry_path() == registry
    (meta,) = registered_metas()
    assert (meta.name, meta.revision, meta.embed_dim, meta.max_tokens) == ("my-org/tiny", model.revision, 32, 64)
    remove_model("my-org/tiny")
    assert read_registry() == {}
    assert path.is_dir()
    with pytest.raises(ModelError, match="my-org/tiny: not registered; registered are: none"):
        remove_model("my-org/tiny")


def test_the_revision_is_a_hash_of_the_weights_alone(tmp_path: Path) -> None:
    """SHA-256 over each file's name, a zero byte, and the SHA-256 of its content; computed here by hand."""
    import hashlib

    (tmp_path / "2_Dense").mkdir()
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    (tmp_path / "2_Dense" / "model.safetensors").write_bytes(b"more")
    expected = hashlib.sha256(
        b"2_Dense/model.safetensors\0" + hashlib.sha256(b"more").digest()
        + b"model.safetensors\0" + hashlib.sha256(b"weights").digest()
    ).hexdigest()[:16]  # fmt: skip
    assert weights_revision(tmp_path) == expected
    (tmp_path / "README.md").write_text("a new card")
    assert weights_revision(tmp_path) == expected
    (tmp_path / "model.safetensors").write_bytes(b"weightS")
    assert weights_revision(tmp_path) != expected
    with pytest.raises(ModelError, match="no safetensors weights in it"):
        weights_revision(tmp_path / "nowhere")


@pytest.mark.parametrize(
    "name", ["../x", "x", "a b/c", "a/b/c", "/a", "a/", "a/..", "ä/b", "a/b\n", "", "-a/b", "a/.b"]
)
def test_bad_names(name: str, folders: dict[str, Path]) -> None:
    with pytest.raises(ModelError, match="a name is org/name"):
        add_model(folders["e5"], name)


def test_names_that_are_taken(folders: dict[str, Path]) -> None:
    add_model(folders["e5"], "my-org/tiny")
    with pytest.raises(ModelError, match=r"my-org/tiny: registered already, for .*e5; `alee models remove"):
        add_model(folders["bert"], "my-org/tiny")
    for name in ("sentence-transformers/LaBSE", "alee-mteb/multilingual-e5-small-q4"):
        with pytest.raises(ModelError, match=f"{name}: mteb has a model of that name"):
            add_model(folders["e5"], name)
    assert list(read_registry()) == ["my-org/tiny"]


def test_folders_that_are_no_encoders(folders: dict[str, Path], folder: Callable[[str], Path], tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no such folder"):
        add_model(tmp_path / "nowhere", "a/b")
    spoilt = folder("xlmr")
    state = load_file(spoilt / "model.safetensors")
    del state["roberta.encoder.layer.0.output.dense.bias"]
    save_file(state, spoilt / "model.safetensors", {"format": "pt"})
    with pytest.raises(ModelError, match="weights missing from its files"):
        add_model(spoilt, "a/b")
    with pytest.raises(LanguageError, match="takes no language, so it needs no stand-in"):
        add_model(folders["e5"], "a/b", stand_in="deu_Latn")
    with pytest.raises(LanguageError, match="no language token"):
        add_model(folders["sonar"], "a/b", stand_in="roh_Latn")
    assert read_registry() == {}


def test_changed_weights_and_lost_folders_are_refused(folder: Callable[[str], Path]) -> None:
    path = folder("e5")
    model = add_model(path, "my-org/tiny")
    with pytest.raises(ModelError, match=f"registered with revision {model.revision}, not main"):
        load_registered("my-org/tiny", "main")
    state = load_file(path / "model.safetensors")
    state["encoder.layer.0.output.dense.bias"] += 1
    save_file(state, path / "model.safetensors", {"format": "pt"})
    with pytest.raises(ModelError, match="changed since it was registered"):
        load_registered("my-org/tiny", model.revision, "cpu")
    shutil.rmtree(path)
    with pytest.raises(ModelError, match=r"its folder .* is gone"):
        load_registered("my-org/tiny", model.revision, "cpu")
    assert read_registry()["my-org/tiny"].state == "folder is gone"
    with pytest.raises(ModelError, match="a/b: not registered"):
        load_registered("a/b")


def test_encodes_as_sentence_transformers_does(folders: dict[str, Path]) -> None:
    """Prompts by use, mean, unit length, long texts cut; order and batches do not matter."""
    from mteb.types import PromptType
    from sentence_transformers import SentenceTransformer

    add_model(folders["e5"], "my-org/e5")
    model = load_registered("my-org/e5", device="cpu")
    reference = SentenceTransformer(str(folders["e5"]), device="cpu")
    for prompt_type, prompt in ((None, "query: "), (PromptType.query, "query: "), (PromptType.document, "passage: ")):
        expected = reference.encode(TEXTS, prompt=prompt)
        np.testing.assert_allclose(encode(model, TEXTS, "x", prompt_type), expected, atol=1e-5)
        np.testing.assert_allclose(encode(model, TEXTS[::-1], "x", prompt_type)[::-1], expected, atol=1e-5)
    assert model.model_prompts == {"query": "query: ", "document": "passage: "}
    np.testing.assert_allclose(encode(model, TEXTS, batch_size=1), encode(model, TEXTS), atol=1e-5)


def test_sonar_takes_its_language_from_the_subset(folders: dict[str, Path]) -> None:
    from transformers import AutoTokenizer
    from transformers.models.m2m_100.modeling_m2m_100 import M2M100Encoder

    add_model(folders["sonar"], "my-org/sonar")
    model = load_registered("my-org/sonar", device="cpu")
    tokenizer = AutoTokenizer.from_pretrained(folders["sonar"])
    network = M2M100Encoder.from_pretrained(folders["sonar"]).eval()
    for subset, code in (
        ("deu_Latn", "deu_Latn"), ("de_DE", "deu_Latn"), ("fil_PH", "tgl_Latn"), ("ekk_Latn", "est_Latn"),
        ("eng-Latn", "eng_Latn"), ("sentence_fra_Latn", "fra_Latn"),
    ):  # fmt: skip
        tokenizer.src_lang = code
        with torch.no_grad():
            expected = [
                network(**tokenizer(text, return_tensors="pt")).last_hidden_state[0].mean(dim=0) for text in TEXTS[:2]
            ]
        np.testing.assert_allclose(encode(model, TEXTS[:2], subset), torch.stack(expected).numpy(), atol=1e-5)


def test_languages_without_a_token(folders: dict[str, Path]) -> None:
    class Metadata:
        hf_subsets_to_langscripts = {"default": ["deu-Latn"], "de-en": ["deu-Latn", "eng-Latn"]}  # noqa: RUF012

    add_model(folders["sonar"], "my-org/sonar")
    model = load_registered("my-org/sonar", device="cpu")
    german = encode(model, TEXTS[:2], "deu_Latn")
    np.testing.assert_array_equal(encode(model, TEXTS[:2], "default", task_metadata=Metadata()), german)
    for subset in ("roh_sursilv", "de-en"):
        with pytest.raises(LanguageError, match=f"my-org/sonar: language '{subset}'.*--stand-in CODE"):
            encode(model, TEXTS[:2], subset, task_metadata=Metadata())
    add_model(folders["sonar"], "my-org/standing-in", stand_in="de_DE")
    model = load_registered("my-org/standing-in", device="cpu")
    np.testing.assert_array_equal(encode(model, TEXTS[:2], "roh_sursilv"), german)


@pytest.mark.parametrize(
    ("content", "warning"),
    [
        ("{", "cannot be read"),
        ("[" * 100_000, "cannot be read"),
        ("[]", "not a registry of models"),
        ('{"version": 9, "models": {}}', "version 9 of the registry"),
        ('{"version": 1, "models": {"a/b": {}}}', "entry 'a/b' is damaged"),
    ],
    ids=["no-json", "deep", "list", "version", "no-fields"],
)
def test_a_broken_registry_is_one_warning(
    content: str, warning: str, registry: Path, caplog: pytest.LogCaptureFixture
) -> None:
    registry.parent.mkdir()
    registry.write_text(content)
    with caplog.at_level(logging.WARNING):
        assert registered_metas() == []
    (record,) = caplog.records
    assert warning in record.getMessage()
    with pytest.raises(ModelError, match=warning):
        read_registry()


def test_a_broken_entry_leaves_the_others_and_can_be_removed(
    folders: dict[str, Path], registry: Path, caplog: pytest.LogCaptureFixture
) -> None:
    add_model(folders["e5"], "my-org/good")
    content = json.loads(registry.read_text())
    content["models"]["my-org/bad"] = {**content["models"]["my-org/good"], "dimension": "many"}
    registry.write_text(json.dumps(content))
    assert [meta.name for meta in registered_metas()] == ["my-org/good"]
    (record,) = caplog.records
    assert "entry 'my-org/bad'" in record.getMessage()
    remove_model("my-org/bad")
    assert list(read_registry()) == ["my-org/good"]


def test_mteb_runs_a_registered_model_by_name_in_a_new_process(
    folders: dict[str, Path], registry: Path, tmp_path: Path
) -> None:
    model = add_model(folders["sonar"], "my-org/tiny-sonar")
    content = json.loads(registry.read_text())
    content["models"]["my-org/broken"] = None
    registry.write_text(json.dumps(content))
    run = python(
        """
        from mteb.cli import main
        sys.argv = ["mteb", *"run -m my-org/tiny-sonar -t ALEE-Sample -l deu --output-folder out".split()]
        main()
        """,
        tmp_path,
    )
    assert run.returncode == 0, run.stderr
    (file,) = (tmp_path / "out").rglob("ALEE-Sample.json")
    assert file.parent.parent.name == "my-org__tiny-sonar", run.stderr
    assert file.parent.name == model.revision
    subsets = {scores["hf_subset"] for scores in json.loads(file.read_text())["scores"]["test"]}
    assert subsets == {"deu_Latn"}
    assert run.stderr.count("registered models left out") == 1


def test_a_broken_registry_does_not_stop_mteb(registry: Path, tmp_path: Path) -> None:
    registry.parent.mkdir()
    registry.write_text("not json")
    run = python("import mteb; print(mteb.get_task('ALEE-Sample').metadata.name)", tmp_path)
    assert run.stdout.strip() == "ALEE-Sample", run.stderr
    (line,) = run.stderr.strip().splitlines()
    assert "mend or delete the file" in line


def test_the_command(
    folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from alee_mteb.cli import main

    def alee(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["alee", "models", *arguments])
        with pytest.raises(SystemExit) as stop:
            main()
        captured = capsys.readouterr()
        return int(stop.value.code or 0), captured.out, captured.err

    assert "No models are registered" in alee("list")[1]
    code, out, _ = alee("add", str(folders["e5"]), "--name", "my-org/tiny")
    assert (code, out.splitlines()[1]) == (0, "Score it: mteb run -m my-org/tiny -t ALEE-Sample")
    (listed,) = json.loads(alee("list", "--json")[1])
    assert (listed["name"], listed["state"], listed["dimension"]) == ("my-org/tiny", "ok", 32)
    assert "my-org/tiny" in alee("list")[1]
    code, _, err = alee("add", str(folders["e5"]), "--name", "../x")
    assert code == 1
    assert err.startswith("alee: '../x': a name is org/name")
    assert len(err.strip().splitlines()) == 1
    assert alee("remove", "my-org/tiny")[0] == 0
    assert alee("list", "--json")[1].strip() == "[]"


def test_listing_and_removing_start_without_mteb(registry: Path, tmp_path: Path) -> None:
    entry = {
        "name": "a/b", "path": "/nowhere", "revision": "0" * 16, "family": "bert", "dimension": 3, "max_tokens": 9,
        "n_parameters": 5, "n_embedding_parameters": 4, "uses_prompts": False, "stand_in": None,
    }  # fmt: skip
    registry.parent.mkdir()
    registry.write_text(json.dumps({"version": 1, "models": {"a/b": entry, "c/d": entry | {"name": "c/d"}}}))
    run = python(
        """
        from typer.testing import CliRunner
        from alee_mteb.cli.models import group
        runner = CliRunner()
        assert runner.invoke(group, ["remove", "a/b"]).exit_code == 0
        print(runner.invoke(group, ["list"]).output.splitlines()[-1])
        print(sorted({"mteb", "torch", "transformers", "datasets"} & set(sys.modules)))
        """,
        tmp_path,
    )
    row, heavy = run.stdout.splitlines()
    assert (row.split(), heavy) == (["c/d", "0" * 16, "bert", "/nowhere", "folder", "is", "gone"], "[]"), run.stderr
