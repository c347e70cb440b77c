"""`alee data`: release archives from a loopback server, whole or not at all."""

import io
import tarfile
import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from alee_mteb.errors import DataError, ModelError
from builders import fetch
from builders.amr.models import PARSER


def archive(**files: str) -> bytes:
    """A .tar.gz with these files (``__`` stands for a slash)."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        for name, text in files.items():
            info = tarfile.TarInfo(name.replace("__", "/").replace("UP", ".."))
            info.size = len(text)
            tar.addfile(info, io.BytesIO(text.encode()))
    return buffer.getvalue()


GOOD = archive(model_x__amrlib_meta_json="{}", model_x__sub__config_json="{}")


@pytest.fixture
def server():
    """Serves what is put into ``answers``; ``cut`` ends the connection early."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            status, body, length = self.server.answers.get(self.path, (404, b"", 0))
            self.send_response(status)
            self.send_header("Content-Length", str(length))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments):
            pass

    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    running.answers = {}
    threading.Thread(target=running.serve_forever, daemon=True).start()
    yield running
    running.shutdown()
    running.server_close()


@pytest.fixture
def release(server):
    return replace(PARSER, url=f"http://127.0.0.1:{server.server_port}/model.tar.gz")


def serve(server, body: bytes, length: int | None = None) -> None:
    server.answers["/model.tar.gz"] = (200, body, len(body) if length is None else length)


def meta_archive(**files: str) -> bytes:
    return archive(**{"model_x__amrlib_meta.json": "{}", **files})


def test_an_archive_becomes_the_folder_that_the_parser_looks_for(server, release, tmp_path):
    serve(server, meta_archive(**{"model_x__sub__config.json": "[1]"}))
    folder = fetch.unpack(release, tmp_path / "models")
    assert folder == tmp_path / "models" / "model_parse_xfm_bart_large-v0_1_0"
    assert {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*.json")} == {
        "amrlib_meta.json": "{}",
        "sub/config.json": "[1]",
    }


@pytest.mark.parametrize(
    ("body", "length", "message"),
    [
        (meta_archive()[:60], None, "no whole archive"),
        (b"<html>", None, "no whole archive"),
        (meta_archive(), 10_000, "cannot be downloaded"),
        (GOOD, None, "has no amrlib_meta.json"),
        (meta_archive(model_x__UP__UP__evil="x"), None, "leads out of it"),
    ],
    ids=["truncated", "page", "interrupted", "not a model", "leads out"],
)
def test_what_is_not_whole_leaves_nothing_behind(server, release, tmp_path, body, length, message):
    serve(server, body, length)
    with pytest.raises(ModelError, match=message) as caught:
        fetch.unpack(release, tmp_path / "models")
    assert f"download {release.url} and unpack it into {tmp_path / 'models'}" in str(caught.value)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
    assert list((tmp_path / "models").iterdir()) == []


def test_a_server_that_does_not_have_it(release, tmp_path):
    with pytest.raises(ModelError, match="cannot be downloaded \\(Not Found\\)"):
        fetch.unpack(release, tmp_path)


def test_nobody_there(tmp_path):
    closed = replace(PARSER, url="http://127.0.0.1:9/model.tar.gz")
    with pytest.raises(ModelError, match=r"cannot be downloaded .*unpack it into"):
        fetch.unpack(closed, tmp_path)


def test_a_folder_that_cannot_be_written(release, tmp_path):
    (tmp_path / "models").write_text("")
    with pytest.raises(ModelError, match="cannot be written"):
        fetch.unpack(release, tmp_path / "models")


def test_links_in_an_archive_are_left_out(server, release, tmp_path):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        meta = tarfile.TarInfo("m/amrlib_meta.json")
        tar.addfile(meta, io.BytesIO(b""))
        link = tarfile.TarInfo("m/link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
    serve(server, buffer.getvalue())
    folder = fetch.unpack(release, tmp_path)
    assert [path.name for path in folder.iterdir()] == ["amrlib_meta.json"]


def test_one_missing_thing_does_not_stop_the_others(monkeypatch):
    def missing(progress):
        raise ModelError("it is nowhere; put it there")

    monkeypatch.setattr(fetch, "_FETCHERS", {"a": missing, "b": lambda progress: "/here"})
    assert fetch.fetch() == [fetch.Fetched("a", None, "it is nowhere; put it there"), fetch.Fetched("b", "/here")]
    assert fetch.fetch(["b"]) == [fetch.Fetched("b", "/here")]


def test_a_name_that_is_none():
    with pytest.raises(DataError, match="there is no 'words'; choose from wordnet, punkt, parser, realiser, nli"):
        fetch.fetch(["words"])
