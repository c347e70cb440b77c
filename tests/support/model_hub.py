"""A server on the loopback interface that speaks as much of the Hub as it takes to fetch one public model."""

import hashlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

COMMIT = "0123456789abcdef0123456789abcdef01234567"


class ModelHub:
    """Serves the files of a folder as the model `name`; `fetched` holds what was asked for."""

    def __init__(self, name: str, folder: Path) -> None:
        paths = [path for path in sorted(folder.rglob("*")) if path.is_file()]
        files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}
        self.fetched: set[str] = set()
        hub = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                path = self.path.partition("?")[0].replace("%2F", "/")
                known = (f"/api/models/{name}", *(f"/api/models/{name}/revision/{r}" for r in ("main", COMMIT)))
                resolve = f"/{name}/resolve/{COMMIT}/"
                if path in known:
                    siblings = [{"rfilename": file} for file in files]
                    self.send(json.dumps({"id": name, "sha": COMMIT, "siblings": siblings}).encode())
                elif path in (f"/api/models/{name}/tree/{revision}" for revision in ("main", COMMIT)):
                    entries = [
                        {"type": "file", "path": file, "size": len(content), "oid": hashlib.sha1(content).hexdigest()}
                        for file, content in files.items()
                    ]
                    self.send(json.dumps(entries).encode())
                elif path.startswith(resolve) and path.removeprefix(resolve) in files:
                    file = path.removeprefix(resolve)
                    hub.fetched.add(file)
                    etag = hashlib.sha1(files[file]).hexdigest()
                    self.send(files[file], {"ETag": f'"{etag}"', "X-Repo-Commit": COMMIT})
                else:
                    self.send(b"", {"X-Error-Code": "RevisionNotFound" if name in path else "RepoNotFound"}, 404)

            do_HEAD = do_GET  # noqa: N815 - the name the server looks for

            def send(self, body: bytes, headers: dict[str, str] | None = None, status: int = 200) -> None:
                self.send_response(status)
                for key, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
                    self.send_header(key, value)
                self.end_headers()
                if self.command == "GET":
                    self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> "ModelHub":
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def patch(self, monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
        """Make this Hub the one that huggingface_hub talks to in this process."""
        from huggingface_hub import constants

        monkeypatch.setattr(constants, "ENDPOINT", self.url)
        template = self.url + "/{repo_id}/resolve/{revision}/{filename}"
        monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
        monkeypatch.setattr(constants, "HF_HUB_CACHE", str(home / "hub"))
        monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
        monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
        monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
        monkeypatch.setenv("no_proxy", "127.0.0.1,localhost")
