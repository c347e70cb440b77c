"""Where models are found; the Hub is a server on the loopback interface that holds one model repository."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from alee_mteb.errors import ModelError
from builders.model_folders import fingerprint, model_folder, models_folder

ROOT = Path(__file__).parents[2]
COMMIT = "0123456789abcdef0123456789abcdef01234567"
FILES = {
    "config.json": b"{}",
    "model.safetensors": b"tensors",
    "pytorch_model.bin": b"the same in a pickle",
    "modeling_evil.py": b"raise SystemExit",
    "onnx/model.safetensors": b"the same again",
    "tokenizer.json": b"{}",
}


class _Hub(BaseHTTPRequestHandler):
    """Just enough of the Hub for one public model, ``org/model``."""

    def do_GET(self) -> None:
        path = self.path.partition("?")[0].replace("%2F", "/")
        if path in ("/api/models/org/model", *(f"/api/models/org/model/revision/{r}" for r in ("main", COMMIT))):
            siblings = [{"rfilename": name} for name in FILES]
            self._send(json.dumps({"id": "org/model", "sha": COMMIT, "siblings": siblings}).encode())
        elif path in (f"/api/models/org/model/tree/{revision}" for revision in ("main", COMMIT)):
            entries = [{"type": "file", "path": p, "size": len(c), "oid": "0" * 40} for p, c in FILES.items()]
            self._send(json.dumps(entries).encode())
        elif path.startswith(f"/org/model/resolve/{COMMIT}/") and (name := path.split("/", 5)[5]) in FILES:
            self._send(FILES[name], {"ETag": f'"{name}"', "X-Repo-Commit": COMMIT})
        else:
            self.send_response(404)
            self.send_header("X-Error-Code", "RepoNotFound")
            self.send_header("Content-Length", "0")
            self.end_headers()

    do_HEAD = do_GET  # noqa: N815 - the name the server looks for

    def _send(self, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(200)
        for name, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[dict[str, str]]:
    """The environment in which the Hub client talks to the server."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Hub)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    yield {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "HF_ENDPOINT": f"http://127.0.0.1:{server.server_address[1]}",
        "HF_HOME": str(tmp_path / "hub"),
        "HF_HUB_DISABLE_XET": "1",
    }
    server.shutdown()


def resolve(name: str, environment: dict[str, str]) -> str:
    """What `model_folder` finds in another process: its folder and name, or its error."""
    script = (
        "import sys; from alee_mteb.errors import AleeError; from builders.model_folders import model_folder\n"
        "try:\n    found = model_folder(sys.argv[1], 'the NLI model'); print(found.path); print(found.name)\n"
        "except AleeError as error:\n    print('refused:', error)\n"
    )
    command = [sys.executable, "-c", script, name]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.strip()


def test_a_hub_name_is_fetched_once_without_code_and_without_weights_in_two_formats(hub) -> None:
    path, name = resolve("org/model", hub).splitlines()
    assert sorted(entry.name for entry in Path(path).rglob("*")) == [
        "config.json",
        "model.safetensors",
        "tokenizer.json",
    ]
    assert name == f"org/model@{fingerprint(Path(path))}"
    assert resolve("org/model", {**hub, "HF_HUB_OFFLINE": "1"}).splitlines() == [path, name]


def test_a_model_that_the_hub_does_not_have(hub) -> None:
    assert resolve("org/other", hub) == (
        "refused: the NLI model: no model org/other on the Hub, or no access to it; check its name"
    )


def test_a_cache_without_weights_is_no_model(hub, tmp_path: Path) -> None:
    path = Path(resolve("org/model", hub).splitlines()[0])
    (path / "model.safetensors").unlink()
    answer = resolve("org/model", {**hub, "HF_HUB_OFFLINE": "1"})
    assert answer.startswith(
        "refused: the NLI model: the Hugging Face Hub cannot be reached and org/model is not cached"
    )


def test_a_folder_is_named_after_its_files_and_not_its_place(tmp_path: Path) -> None:
    for place in ("here", "there"):
        folder = tmp_path / place / "model"
        folder.mkdir(parents=True)
        (folder / "config.json").write_text("{}")
        (folder / "notes.log").write_text(place)
    here, there = (model_folder(tmp_path / place / "model", "the parser").name for place in ("here", "there"))
    assert here == there
    (tmp_path / "there" / "model" / "config.json").write_text("{ }")
    assert model_folder(tmp_path / "there" / "model", "the parser").name != here


@pytest.mark.parametrize("name", ["nowhere", "../org/model", "./org/model", "a/b/c"])
def test_what_is_neither_folder_nor_repository(name: str, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ModelError, match="is not a folder and not a Hub repository"):
        model_folder(name, "the parser")


def test_the_place_of_models_can_be_chosen(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("ALEE_MODELS", str(tmp_path))
    assert models_folder() == tmp_path
