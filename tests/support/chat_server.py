"""An OpenAI-compatible chat endpoint on the loopback interface, whose answers a test writes down."""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Reply:
    """What the server says to one request.

    Attributes:
        text: content of the answer; with another status than 200, the body.
        status: of HTTP.
        headers: further ones.
        hang: say nothing until the server is closed.
        raw: send `text` as it is, instead of as a chat completion.
    """

    text: str = ""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    hang: bool = False
    raw: bool = False


@dataclass
class ChatServer:
    """A server that is up.

    Attributes:
        url: base address, ending in ``/v1``.
        requests: bodies so far, in order of arrival.
        headers: of each request.
        paths: of each request.
        most_at_once: requests that were answered at the same time, at most.
    """

    url: str
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    most_at_once: int = 0

    @property
    def prompts(self) -> list[str]:
        """The questions so far."""
        return [request["messages"][-1]["content"] for request in self.requests]


#: Prompt and how often it was asked before → the reply.
Script = Callable[[str, int], Reply]


@contextmanager
def chat_server(script: Script) -> Iterator[ChatServer]:
    """Serve until the block is left."""
    closing, lock = threading.Event(), threading.Lock()
    busy = 0

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            nonlocal busy
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            prompt = body["messages"][-1]["content"]
            with lock:
                asked = server.prompts.count(prompt)
                server.requests.append(body)
                server.headers.append(dict(self.headers.items()))
                server.paths.append(self.path)
                busy += 1
                server.most_at_once = max(server.most_at_once, busy)
            try:
                self._say(script(prompt, asked))
            finally:
                with lock:
                    busy -= 1

        def _say(self, reply: Reply) -> None:
            if reply.hang:
                closing.wait()
                self.close_connection = True
                return
            content = reply.text
            if reply.status == 200 and not reply.raw:
                message = {"role": "assistant", "content": reply.text}
                content = json.dumps({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})
            data = content.encode()
            self.send_response(reply.status)
            for name, value in {**reply.headers, "Content-Length": str(len(data))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        http.daemon_threads = True
        server = ChatServer(f"http://127.0.0.1:{http.server_port}/v1")
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            closing.set()
            http.shutdown()
            thread.join()
