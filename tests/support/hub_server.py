"""A dataset Hub on the loopback interface: enough of the HTTP interface for the real clients to read and to publish.

    with HubServer() as hub:
        hub.add("org/data", {"README.md": b"...", "alee_f200/test.parquet": b"..."})
        subprocess.run([...], env=os.environ | hub.environment(tmp_path))      # another process
        hub.patch(monkeypatch, tmp_path)                                       # this process

What it speaks is in `support.hub_protocol`. What a repository answers can be switched:
``repo.refuse = gated()`` or ``status(429, retry_after=0)``. Nothing is stored on disk.
"""

import re
import threading
from collections.abc import Mapping
from http.server import ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from urllib.parse import unquote

import pytest
from support.hub_protocol import TOKEN, Handler, Refusal, Repository, gated, status

__all__ = ["TOKEN", "HubServer", "Refusal", "Repository", "gated", "status"]


class HubServer:
    """The server in a thread of its own; a context manager. Requests are kept in `requests` as (method, path)."""

    def __init__(self) -> None:
        self.repositories: dict[str, Repository] = {}
        self.requests: list[tuple[str, str]] = []
        self.objects: dict[str, bytes] = {}
        self.lock = threading.RLock()
        hub = self

        class BoundHandler(Handler):
            server_hub = hub

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), BoundHandler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    @property
    def url(self) -> str:
        """``http://127.0.0.1:PORT``."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def content_url(self) -> str:
        """The same server by another host name: where LFS content is, as on a content network without the token."""
        return f"http://localhost:{self._server.server_address[1]}"

    def __enter__(self) -> "HubServer":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def add(self, name: str, files: Mapping[str, bytes], *, refuse: Refusal | None = None) -> Repository:
        """A repository with one commit on ``main``."""
        repository = Repository(refuse=refuse)
        repository.commit("main", dict(files), "initial commit")
        self.repositories[name] = repository
        return repository

    def add_folder(self, name: str, folder: Path) -> Repository:
        """A repository with the files of a folder."""
        paths = [path for path in sorted(folder.rglob("*")) if path.is_file()]
        return self.add(name, {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths})

    def environment(self, home: Path, *, token: str | None = TOKEN) -> dict[str, str]:
        """Variables for a process whose Hub is this one and whose caches are in `home`."""
        variables = {
            "HF_ENDPOINT": self.url,
            "HF_HOME": str(home),
            "HF_HUB_DISABLE_XET": "1",
            "HF_HUB_DISABLE_TELEMETRY": "1",
            "HF_HUB_DISABLE_PROGRESS_BARS": "1",
            "HF_DATASETS_DISABLE_PROGRESS_BARS": "1",
            "NO_PROXY": "127.0.0.1,localhost",
            "no_proxy": "127.0.0.1,localhost",
        }
        return variables | ({} if token is None else {"HF_TOKEN": token})

    def patch(self, monkeypatch: pytest.MonkeyPatch, home: Path, *, token: str | None = TOKEN) -> None:
        """Make this Hub the one that huggingface_hub talks to in this process."""
        from huggingface_hub import constants

        monkeypatch.setattr(constants, "ENDPOINT", self.url)
        monkeypatch.setattr(
            constants, "HUGGINGFACE_CO_URL_TEMPLATE", self.url + "/{repo_id}/resolve/{revision}/{filename}"
        )
        monkeypatch.setattr(constants, "HF_HUB_CACHE", str(home / "hub"))
        monkeypatch.setattr(constants, "HF_TOKEN_PATH", str(home / "token"))
        monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
        for name, value in self.environment(home, token=token).items():
            monkeypatch.setenv(name, value)
        if token is None:
            monkeypatch.delenv("HF_TOKEN", raising=False)

    def fetched(self) -> list[str]:
        """Paths of the files that were sent (GET on resolve), sorted."""
        found = (re.search(r"/resolve/[^/]+/(.+)$", path) for method, path in self.requests if method == "GET")
        return sorted({unquote(match[1]) for match in found if match})
