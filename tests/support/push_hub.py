"""The loopback Hub for publishing models: paths of model repositories on the handler for data sets.

with PushHub() as hub:
    hub.patch(monkeypatch, tmp_path)
    push_model(folder, "org/model")
    hub.repositories["org/model"].at("main")
"""

import json
import re

from support.hub_protocol import Handler
from support.hub_server import HubServer

_RESERVED = "api|datasets|objects"


class _ModelHandler(Handler):
    """Model repositories have no ``datasets/`` in their paths, and say so when they are made."""

    def _answer(self, method: str) -> None:
        self.path = re.sub(r"^/api/models/", "/api/datasets/", self.path)
        self.path = re.sub(
            rf"^/(?!(?:{_RESERVED})/)([\w.-]+/[\w.-]+(?:\.git/info/lfs|/resolve)/)", r"/datasets/\1", self.path
        )
        super()._answer(method)

    def _body(self) -> bytes:
        body = super()._body()
        if self.path == "/api/repos/create" and body:
            wish = json.loads(body)
            body = json.dumps(wish | {"type": "dataset"}).encode() if wish.get("type", "model") == "model" else body
        return body


class PushHub(HubServer):
    """A `HubServer` for models."""

    def __init__(self) -> None:
        super().__init__()
        hub = self

        class BoundHandler(_ModelHandler):
            server_hub = hub

        self._server.RequestHandlerClass = BoundHandler
