"""A preview of the board on this machine: built in memory, rebuilt when a result file changes.

Only files of the site are served, looked up by their whole name: there is no path into the file system. The server
listens on the loopback interface and answers only to its own name, so that no page from elsewhere can read it.
"""

import hashlib
import threading
import time
from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from alee_mteb.errors import AleeError, ResultsError
from leaderboard.board.site import site_files
from leaderboard.entries import load_entries

HOST = "127.0.0.1"
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".csv": "text/csv; charset=utf-8",
}


class Preview:
    """The site of a results folder, as it is now."""

    def __init__(self, results: Path, report: Callable[[str], None]) -> None:
        """Build the first time.

        Args:
            results: the folder.
            report: told in one line when the site is rebuilt or cannot be.

        Raises:
            AleeError: there is nothing to show, or a file that breaks the format.
        """
        self.results = results
        self._report = report
        self._lock = threading.Lock()
        self.mark = fingerprint(results)
        self._site = self._build()

    def file(self, name: str) -> bytes | None:
        """A file of the site, after a look whether results have changed; ``None`` if there is none of this name."""
        self.refresh()
        return self._site.get(name)

    def refresh(self) -> str:
        """Rebuild if a file changed; the mark of what is shown. While the folder is broken the last good site stays."""
        with self._lock:
            mark = fingerprint(self.results)
            if mark != self.mark:
                self.mark = mark
                try:
                    self._site = self._build()
                    self._report("rebuilt")
                except AleeError as error:
                    self._report(f"not rebuilt: {error}")
            return self.mark

    def _build(self) -> dict[str, bytes]:
        entries = load_entries(self.results)
        if not entries:
            raise ResultsError(f"{self.results}: no results to show; put some there with `alee submit`")
        return site_files(entries, live=True)


def fingerprint(folder: Path) -> str:
    """A digest of names, sizes and times of all files below a folder."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        try:
            found = path.stat()
        except OSError:  # removed meanwhile
            continue
        digest.update(f"{path.relative_to(folder)} {found.st_size} {found.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def make_server(preview: Preview, port: int = 0) -> ThreadingHTTPServer:
    """A server of the preview, not yet running; with port 0 on a free one (see ``server_port``).

    Raises:
        ResultsError: the port is taken.
    """
    try:
        server = ThreadingHTTPServer((HOST, port), partial(_Handler, preview))
    except OSError as error:
        raise ResultsError(f"port {port} cannot be used ({error.strerror}); choose another with --port") from error
    server.daemon_threads = True
    return server


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def __init__(self, preview: Preview, *arguments: Any) -> None:
        self.preview = preview
        super().__init__(*arguments)

    def do_GET(self) -> None:
        port = self.connection.getsockname()[1]
        if self.headers.get("Host", "") not in (f"{HOST}:{port}", f"localhost:{port}"):
            self._answer(HTTPStatus.FORBIDDEN, b"only for this machine\n", "text/plain")
            return
        path = unquote(urlsplit(self.path).path)
        if path == "/changes":
            self._tell_changes()
            return
        name = "index.html" if path == "/" else path.removeprefix("/")
        content = self.preview.file(name)
        if content is None:
            self._answer(HTTPStatus.NOT_FOUND, b"no such file\n", "text/plain")
        else:
            self._answer(HTTPStatus.OK, content, _TYPES[name[name.rindex(".") :]])

    def log_message(self, format: str, *args: Any) -> None:
        """Requests are not worth a line each."""

    def _answer(self, status: HTTPStatus, content: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        self.wfile.write(content)

    def _tell_changes(self) -> None:
        """One event when the results change; then the page reloads and asks again."""
        self.close_connection = True
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        shown = self.preview.mark
        try:
            while self.preview.refresh() == shown:
                self.wfile.write(b": unchanged\n\n")
                self.wfile.flush()
                time.sleep(1)
            self.wfile.write(b"data: changed\n\n")
            self.wfile.flush()
        except OSError:  # the page was closed
            return
