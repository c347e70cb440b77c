"""Exports: the same vectors in every library, a card that says what is in it, and the way to the Hub."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
import yaml
from safetensors.torch import load_file
from support import salt_training, tiny_salt
from support.hub_server import status
from support.push_hub import PushHub
from typer.testing import CliRunner

from alee_mteb.cli.app import app
from alee_mteb.encoders.folder import weights_revision
from salt.encoders.load import load_encoder
from salt.export.folder import Exported, export_run, read_facts
from salt.export.licenses import base_license, data_license, forbids_commerce
from salt.export.push import PushError, push_model
from salt.training.checkpoints import list_checkpoints
from salt.training.config_file import make_config
from salt.training.errors import TrainingError
from salt.training.runs import run_all

TEXTS = ["The cat sat on the mat.", "Die Katze saß", "the old garden"]


@pytest.fixture(scope="module")
def models() -> dict[str, Path]:
    return tiny_salt.tiny_encoders(tiny_salt.default_root())


def trained(models: dict[str, Path], name: str, folder: Path, **more: Any) -> Path:
    table = salt_training.write_pairs(folder / "spans.parquet", load_encoder(models[name]))
    dev = folder / "dev.tsv"
    dev.write_text("The cat sat\tDie Katze saß\t0-0 1-1 2-2\n", encoding="utf-8")
    settings = salt_training.settings(
        models[name],
        table,
        folder / "runs",
        steps=4,
        data={"license": "xl-wa"},
        evaluation={"every": 4, "alignment": {"eng_Latn-deu_Latn": str(dev)}},
        **more,
    )
    [done] = run_all(make_config(settings), lambda *_: None)
    return done.folder


@pytest.fixture(scope="module")
def run(models: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return trained(models, "e5", tmp_path_factory.mktemp("e5"))


@pytest.fixture(scope="module")
def exported(run: Path, tmp_path_factory: pytest.TempPathFactory) -> Exported:
    return export_run(run, tmp_path_factory.mktemp("export") / "model", name="my-org/salt-e5")


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[PushHub]:
    with PushHub() as server:
        server.patch(monkeypatch, tmp_path / "home")
        yield server


def our_vectors(folder: Path, language: str | None = None) -> torch.Tensor:
    encoder = load_encoder(folder)
    tokens = encoder.tokenize(TEXTS, language)
    with torch.no_grad():
        return torch.nn.functional.normalize(encoder.pool(encoder.states(tokens)[-1], tokens), dim=-1)


# -- the folder -----------------------------------------------------------------------------------------------------


def test_the_weights_are_those_of_the_checkpoint(run: Path, exported: Exported):
    weights = load_file(exported.folder / "model.safetensors")
    trained = load_file(list_checkpoints(run)[-1] / "model.safetensors")
    assert trained
    assert all(torch.equal(weights[name], tensor) for name, tensor in trained.items())


def test_transformers_loads_the_whole_of_it(exported: Exported):
    from transformers import AutoModel

    model, told = AutoModel.from_pretrained(exported.folder, output_loading_info=True)
    assert not told["unexpected_keys"]
    assert all("pooler" in name for name in told["missing_keys"])
    weights = load_file(exported.folder / "model.safetensors")
    assert torch.equal(
        model.state_dict()["encoder.layer.0.output.dense.weight"], weights["encoder.layer.0.output.dense.weight"]
    )


def test_sentence_transformers_makes_the_same_vectors(exported: Exported):
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(exported.folder), device="cpu")
    assert model.prompts["query"] == "query: "
    vectors = model.encode(TEXTS, prompt_name="query", convert_to_tensor=True)
    torch.testing.assert_close(vectors, our_vectors(exported.folder), rtol=1e-4, atol=1e-5)


def test_the_revision_is_the_hash_of_the_weights(exported: Exported):
    assert exported.revision == weights_revision(exported.folder) == read_facts(exported.folder)["revision"]
    weights = load_file(exported.folder / "model.safetensors")
    assert len(exported.revision) == 16
    assert weights["encoder.layer.0.output.dense.weight"].dtype == torch.float32


def test_the_same_run_gives_the_same_bytes(run: Path, exported: Exported, tmp_path: Path):
    export_run(run, tmp_path / "again", name="my-org/salt-e5")
    files = {path.relative_to(exported.folder): path for path in exported.folder.rglob("*") if path.is_file()}
    assert {path.relative_to(tmp_path / "again") for path in (tmp_path / "again").rglob("*") if path.is_file()} == set(
        files
    )
    assert all((tmp_path / "again" / name).read_bytes() == path.read_bytes() for name, path in files.items())


def test_an_earlier_checkpoint(run: Path, tmp_path: Path):
    done = export_run(run, tmp_path / "third", name="my-org/third", step=3)
    assert read_facts(done.folder)["step"] == 3
    trained = load_file(list_checkpoints(run)[0] / "model.safetensors")
    weights = load_file(done.folder / "model.safetensors")
    assert all(torch.equal(weights[name], tensor) for name, tensor in trained.items())
    with pytest.raises(TrainingError, match="no checkpoint of step 2; there are 3, 4"):
        export_run(run, tmp_path / "second", name="my-org/second", step=2)


def test_the_card_says_what_is_in_it(exported: Exported, run: Path):
    card = (exported.folder / "README.md").read_text(encoding="utf-8")
    head = yaml.safe_load(card.split("---\n")[1])
    assert head["library_name"] == "sentence-transformers"
    assert "base_model" not in head  # a local folder
    for part in (
        exported.revision,
        "4 updates (seed 0)",
        '"temperature": 1.0',
        "spans.parquet",
        "spans by case from layer 2",
    ):
        assert part in card
    assert "| alignment error rate, eng_Latn-deu_Latn | " in card
    assert "`cc-by-nc-sa-4.0`" in card
    assert "The text may be used for non-commercial purposes only." in card
    assert str(run.parent) not in card
    assert str(run.parent) not in (exported.folder / "salt.json").read_text()


def test_sonar_stays_non_commercial(models: dict[str, Path], tmp_path: Path):
    run = trained(models, "sonar", tmp_path, loss={"combination": "con+int"})
    done = export_run(run, tmp_path / "model", name="my-org/salt-sonar")
    assert done.license == "cc-by-nc-4.0"
    torch.testing.assert_close(our_vectors(done.folder, "eng_Latn").norm(dim=-1), torch.ones(3))
    command = ["salt", "export", str(run), "--name", "my-org/salt-sonar", "-o", str(tmp_path / "model"), "--overwrite"]
    result = CliRunner().invoke(app, [*command, "--fairseq2", str(tmp_path / "sonar.safetensors")])
    assert result.exit_code == 0, result.output
    state = load_file(tmp_path / "sonar.safetensors")
    assert any("encoder" in name for name in state)


# -- licences -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("card", "name", "family", "expected"),
    [
        ("---\nlicense: mit\n---\n", "anything", "bert", "mit"),
        ("---\nlicense: mit\n---\n", "a-copy-of-sonar", "sonar", "cc-by-nc-4.0"),
        (None, "intfloat/multilingual-e5-small", "bert", "mit"),
        (None, "sentence-transformers/LaBSE", "bert", "apache-2.0"),
        ("no metadata", "my-own", "bert", None),
        ("---\na: [\n---\n", "my-own", "bert", None),
    ],
    ids=["stated", "sonar", "e5", "labse", "unknown", "broken"],
)
def test_the_licence_of_the_base(tmp_path: Path, card: str | None, name: str, family: str, expected: str | None):
    if card is not None:
        (tmp_path / "README.md").write_text(card)
    assert base_license(tmp_path, name, family) == expected


def test_licences_of_text():
    assert data_license("XL-WA") == "cc-by-nc-sa-4.0"
    assert data_license("CC0-1.0") == "cc0-1.0"
    assert data_license(None) is None
    assert [forbids_commerce(name) for name in ("cc-by-nc-4.0", "mit", "cc-by-sa-4.0", None)] == [
        True,
        False,
        False,
        False,
    ]


# -- refusals -------------------------------------------------------------------------------------------------------


def test_what_cannot_be_exported(run: Path, exported: Exported, tmp_path: Path):
    with pytest.raises(TrainingError, match="not the folder of a run"):
        export_run(tmp_path, tmp_path / "out", name="org/x")
    with pytest.raises(TrainingError, match="use org/name"):
        export_run(run, tmp_path / "out", name="x")
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(TrainingError, match="it is no export, so it is left alone"):
        export_run(run, tmp_path, name="org/x", overwrite=True)
    with pytest.raises(TrainingError, match="--overwrite replaces an earlier export"):
        export_run(run, exported.folder, name="org/x")


# -- the Hub --------------------------------------------------------------------------------------------------------


def test_an_export_goes_up_whole_and_comes_back(hub: PushHub, exported: Exported):
    done = push_model(exported.folder, "org/salt-e5")
    here = {
        p.relative_to(exported.folder).as_posix(): p.read_bytes() for p in exported.folder.rglob("*") if p.is_file()
    }
    there = hub.repositories["org/salt-e5"].at("main")
    assert {name: data for name, data in there.items() if not name.startswith(".")} == here
    assert done.revision == exported.revision
    assert done.url == f"{hub.url}/org/salt-e5"
    torch.testing.assert_close(our_vectors(Path("org/salt-e5")), our_vectors(exported.folder))


def test_pushing_again_removes_what_is_gone(hub: PushHub, exported: Exported):
    hub.add("org/model", {"old.safetensors": b"old", ".gitattributes": b""})
    push_model(exported.folder, "org/model")
    assert "old.safetensors" not in hub.repositories["org/model"].at("main")


def test_a_dry_run_asks_nobody(hub: PushHub, exported: Exported):
    result = CliRunner().invoke(app, ["salt", "push", str(exported.folder), "--repo", "org/x", "--dry-run"])
    assert result.exit_code == 0, result.output
    assert "model.safetensors" in result.output
    assert hub.requests == []


def test_refusals_of_the_hub_are_one_line(hub: PushHub, exported: Exported, monkeypatch: pytest.MonkeyPatch):
    hub.add("org/model", {}, refuse=status(403, only="/commit/"))
    with pytest.raises(PushError, match=r"org/model: nothing was published, no right to write there \(403\)"):
        push_model(exported.folder, "org/model")
    hub.add("org/public", {})
    with pytest.raises(PushError, match="exists and is public"):
        push_model(exported.folder, "org/public", private=True)
    with pytest.raises(PushError, match="use org/name"):
        push_model(exported.folder, "name")


def test_only_exports_are_pushed(run: Path, exported: Exported, models: dict[str, Path], tmp_path: Path):
    with pytest.raises(TrainingError, match=r"no salt.json; give a folder that `alee salt export` wrote"):
        push_model(models["e5"], "org/x")
    done = export_run(run, tmp_path / "model", name="org/x")
    load_encoder(models["e5"]).module.save_pretrained(done.folder)
    with pytest.raises(TrainingError, match="its weights are not those"):
        push_model(done.folder, "org/x")


def test_the_command_says_what_to_do_next(run: Path, tmp_path: Path):
    command = ["salt", "export", str(run), "--name", "my-org/x", "-o", str(tmp_path / "model")]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 0, result.output
    assert f"Register: alee models add {tmp_path / 'model'} --name my-org/x" in result.output
    result = CliRunner().invoke(app, [*command, "--overwrite", "--json"])
    assert json.loads(result.stdout)["name"] == "my-org/x"
