"""The Hub's HTTP interface, as far as reading and publishing a data set needs it.

Repository info, tree, paths-info, resolve (HEAD, GET, ranges; LFS content by a redirect to another host name, as to a
content network), preupload, LFS batch and upload, commit, create, branches, pull-request references, who am I, card
validation. One lock makes every request atomic.
"""

import base64
import fnmatch
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, unquote, urlsplit

if TYPE_CHECKING:
    from support.hub_server import HubServer

#: The only token that may write.
TOKEN = "hf_loopback"
#: Files that go through LFS, as in the Hub's default ``.gitattributes``.
LFS_PATTERNS = ("*.parquet", "*.arrow", "*.bin", "*.safetensors")


@dataclass(frozen=True)
class Refusal:
    """An answer instead of the data.

    Attributes:
        only: a part of the URL path; other requests are served as usual.
        times: how often to refuse; -1 for always.
        open_to: a token that is served all the same (gated repositories).
    """

    code: int
    headers: Mapping[str, str] = field(default_factory=dict)
    message: str = "refused by the test"
    only: str = ""
    times: int = -1
    open_to: str | None = None


def gated(open_to: str | None = TOKEN) -> Refusal:
    """Info is public, files need accepted terms: 403 with the Hub's error code."""
    message = "Access to dataset is restricted and you are not in the authorized list."
    return Refusal(403, {"X-Error-Code": "GatedRepo", "X-Error-Message": message}, message, "/resolve/", -1, open_to)


def status(code: int, *, only: str = "", times: int = -1, retry_after: int | None = None) -> Refusal:
    """A bare status, such as 401, 429 (with ``Retry-After``) or 500."""
    headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
    return Refusal(code, headers, only=only, times=times)


@dataclass
class Repository:
    """One dataset repository.

    Attributes:
        files: commit → path → content.
        references: branch, ``refs/pr/N`` → commit, newest state.
        log: (reference, commit, summary) in order.
    """

    files: dict[str, dict[str, bytes]] = field(default_factory=dict)
    references: dict[str, str] = field(default_factory=dict)
    log: list[tuple[str, str, str]] = field(default_factory=list)
    private: bool = False
    refuse: Refusal | None = None

    def at(self, revision: str = "main") -> dict[str, bytes]:
        """Path → content at a branch, pull request or commit; `KeyError` if there is none."""
        return self.files[self.references.get(revision, revision)]

    def commit(self, reference: str, files: dict[str, bytes], summary: str) -> str:
        """Record a new state and return its commit id, a hash of its content and history."""
        digest = hashlib.sha1(f"{reference}\0{len(self.log)}\0{summary}".encode(), usedforsecurity=False)
        for path in sorted(files):
            digest.update(path.encode() + b"\0" + files[path] + b"\0")
        commit = digest.hexdigest()
        self.files[commit] = files
        self.references[reference] = commit
        self.log.append((reference, commit, summary))
        return commit


class _RequestError(Exception):
    def __init__(self, code: int, error_code: str | None, message: str) -> None:
        super().__init__(message)
        self.code, self.error_code, self.message = code, error_code, message


class Handler(BaseHTTPRequestHandler):
    """Answers requests for the `HubServer` it is bound to."""

    server_hub: "HubServer"
    protocol_version = "HTTP/1.1"
    # Answers leave in one piece: with Nagle's algorithm every small one would wait 40 ms for an acknowledgement.
    disable_nagle_algorithm = True
    wbufsize = -1

    def log_message(self, format: str, *args: object) -> None:
        """Keep the test output clean."""

    def do_HEAD(self) -> None:
        self._answer("HEAD")

    def do_GET(self) -> None:
        self._answer("GET")

    def do_POST(self) -> None:
        self._answer("POST")

    def do_PUT(self) -> None:
        self._answer("PUT")

    def _answer(self, method: str) -> None:
        body = self._body()
        address = urlsplit(self.path)
        with self.server_hub.lock:
            self.server_hub.requests.append((method, address.path))
            try:
                self._route(method, address.path, parse_qs(address.query), body)
            except _RequestError as problem:
                headers = {"X-Error-Message": problem.message}
                if problem.error_code:
                    headers["X-Error-Code"] = problem.error_code
                self._send(problem.code, json.dumps({"error": problem.message}).encode(), headers)

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def _route(self, method: str, path: str, query: dict[str, list[str]], body: bytes) -> None:
        for pattern, verbs, handle in _ROUTES:
            match = pattern.fullmatch(path)
            if match and method in verbs:
                if "repo" not in match.groupdict() or not self._refused(match["repo"], path):
                    handle(self, match, query, body)
                return
        if re.match(r"/api/(models|spaces)/|/[\w.-]+/[\w.-]+/resolve/", path):
            raise _RequestError(404, "RepoNotFound", "Repository not found")
        raise _RequestError(404, None, f"no such interface: {method} {path}")

    # -- reading ------------------------------------------------------------------------------------------------

    def _info(self, match: re.Match[str], query: dict[str, list[str]], body: bytes) -> None:
        repository = self._repository(match["repo"])
        commit = self._commit(repository, unquote(match["revision"] or "main"))
        self._json(
            {
                "_id": "0" * 24,
                "id": match["repo"],
                "author": match["repo"].split("/")[0],
                "sha": commit,
                "lastModified": "2026-01-01T00:00:00.000Z",
                "createdAt": "2026-01-01T00:00:00.000Z",
                "private": repository.private,
                "gated": "auto" if repository.refuse and repository.refuse.open_to else False,
                "disabled": False,
                "downloads": 0,
                "likes": 0,
                "tags": [],
                "siblings": [{"rfilename": path} for path in sorted(repository.files[commit])],
            }
        )

    def _tree(self, match: re.Match[str], query: dict[str, list[str]], body: bytes) -> None:
        repository = self._repository(match["repo"])
        files = repository.files[self._commit(repository, unquote(match["revision"]))]
        folder = unquote(match["path"] or "").strip("/")
        prefix = f"{folder}/" if folder else ""
        inside = {path: data for path, data in files.items() if path.startswith(prefix)}
        if folder and not inside:
            raise _RequestError(404, "EntryNotFound", f"{folder} does not exist on {match['revision']!r}")
        recursive = query.get("recursive", ["false"])[0].lower() in {"1", "true"}
        folders = {path[: len(prefix) + at] for path in inside for at in _slashes(path[len(prefix) :])}
        if not recursive:
            folders = {name for name in folders if "/" not in name[len(prefix) :]}
            inside = {path: data for path, data in inside.items() if "/" not in path[len(prefix) :]}
        self._json([*map(_folder_entry, sorted(folders)), *(_file_entry(p, d) for p, d in sorted(inside.items()))])

    def _paths_info(self, match: re.Match[str], query: dict[str, list[str]], body: bytes) -> None:
        repository = self._repository(match["repo"])
        files = repository.files[self._commit(repository, unquote(match["revision"]))]
        if "json" in self.headers.get("Content-Type", ""):
            paths = json.loads(body)["paths"]
        else:
            paths = parse_qs(body.decode()).get("paths", [])
        entries = []
        for path in [paths] if isinstance(paths, str) else paths:
            if path in files:
                entries.append(_file_entry(path, files[path]))
            elif any(name.startswith(f"{path}/") for name in files):
                entries.append(_folder_entry(path))
        self._json(entries)

    def _resolve(self, match: re.Match[str], query: dict[str, list[str]], body: bytes) -> None:
        repository = self._repository(match["repo"])
        commit = self._commit(repository, unquote(match["revision"]))
        path = unquote(match["path"])
        headers = {"X-Repo-Commit": commit}
        if path not in repository.files[commit]:
            headers |= {"X-Error-Code": "EntryNotFound", "X-Error-Message": "Entry not found"}
            self._send(404, b"Entry not found", headers)
            return
        data = repository.files[commit][path]
        if _is_lfs(path):
            oid = hashlib.sha256(data).hexdigest()
            self.server_hub.objects[oid] = data
            headers |= {"X-Linked-Etag": f'"{oid}"', "X-Linked-Size": str(len(data))}
            self._send(302, b"", headers | {"Location": f"{self.server_hub.content_url}/objects/{oid}"})
            return
        self._data(data, headers | {"ETag": f'"{_blob_id(data)}"'})

    def _object(self, match: re.Match[str], query: dict[str, list[str]], body: bytes) -> None:
        if self.command == "PUT":
            if hashlib.sha256(body).hexdigest() != match["oid"]:
                raise _RequestError(400, None, "the content does not have the announced hash")
            self.server_hub.objects[match["oid"]] = body
            self._send(200, b"", {})
        elif match["oid"] in self.server_hub.objects:
            self._data(self.server_hub.objects[match["oid"]], {"ETag": f'"{match["oid"]}"'})
        else:
            raise _RequestError(404, None, "no such object")

    def _data(self, data: bytes, headers: Mapping[str, str]) -> None:
        wanted = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        if wanted is None:
            self._send(200, data, {**headers, "Accept-Ranges": "bytes"})
            return
        start, stop = int(wanted[1]), min(int(wanted[2] or len(data)) + 1, len(data))
        if start >= len(data):
            self._send(416, b"", {**headers, "Content-Range": f"bytes */{len(data)}"})
            return
        self._send(206, data[start:stop], {**headers, "Content-Range": f"bytes {start}-{stop - 1}/{len(data)}"})

    # -- writing ------------------------------------------------------------------------------------------------

    def _create(self, match: re.Match[str], query: dict[str, list[str]], body: bytes) -> None:
        self._authorise()
        wish = json.loads(body)
        name = f"{wish.get('organization') or 'tester'}/{wish['name']}"
        url = f"{self.server_hub.url}/datasets/{name}"
        if wish.get("type") != "dataset":
            raise _RequestError(400, None, "this Hub holds datasets only")
        if name in self.server_hub.repositories:
            self._json({"url": url, "error": "You already created this dataset repo"}, 409)
            return
        self.server_hub.add(name, {".gitattributes": b""}).private = wish.get("visibility") == "private"
        self._json({"url": url, "name": name})

    def _branch(self, match: re.Match[str], query: dict[str, list[str]], body: bytes) -> None:
        self._authorise()
        repository, name = self._repository(match["repo"]), unquote(match["name"])
        if name in repository.references:
            raise _RequestError(409, None, f"Reference already exists: {name}")
        start = json.loads(body or b"{}").get("startingPoint") or "main"
        repository.references[name] = self._commit(repository, start)
        self._json({})

    def _references(self, match: re.Match[str], query: dict[str, list[str]], body: bytes) -> None:
        found: dict[str, list[dict[str, str]]] = {"branches": [], "converts": [], "tags": [], "pullRequests": []}
        for name, commit in self._repository(match["repo"]).references.items():
            is_request = name.startswith("refs/pr/")
            entry = {"name": name, "ref": name if is_request else f"refs/heads/{name}", "targetCommit": commit}
            found["pullRequests" if is_request else "branches"].append(entry)
        self._json(found)

    def _preupload(self, match: re.Match[str], query: dict[str, list[str]], body: bytes) -> None:
        self._authorise()
        repository = self._repository(match["repo"])
        present = repository.files[self._commit(repository, unquote(match["revision"]))]
        answers = []
        for file in json.loads(body)["files"]:
            path = file["path"]
            answer = {"path": path, "uploadMode": "lfs" if _is_lfs(path) else "regular", "shouldIgnore": False}
            if path in present:
                answer["oid"] = hashlib.sha256(present[path]).hexdigest() if _is_lfs(path) else _blob_id(present[path])
            answers.append(answer)
        self._json({"files": answers, "commitOid": self._commit(repository, unquote(match["revision"]))})

    def _lfs_batch(self, match: re.Match[str], query: dict[str, list[str]], body: bytes) -> None:
        self._authorise()
        objects = []
        for wanted in json.loads(body)["objects"]:
            answer = {"oid": wanted["oid"], "size": wanted["size"], "authenticated": True}
            if wanted["oid"] not in self.server_hub.objects:
                answer["actions"] = {"upload": {"href": f"{self.server_hub.url}/objects/{wanted['oid']}", "header": {}}}
            objects.append(answer)
        self._json({"transfer": "basic", "objects": objects})

    def _write(self, match: re.Match[str], query: dict[str, list[str]], body: bytes) -> None:
        self._authorise()
        repository, reference = self._repository(match["repo"]), unquote(match["revision"])
        self._commit(repository, reference)
        files, summary = dict(repository.at(reference)), ""
        for line in body.splitlines():
            item = json.loads(line)
            key, value = item["key"], item["value"]
            if key == "header":
                summary = value["summary"]
                parent = value.get("parentCommit")
                if parent and parent != repository.references.get(reference):
                    raise _RequestError(412, None, "A commit has happened since. Please refresh and try again.")
            elif key == "file":
                files[value["path"]] = base64.b64decode(value["content"])
            elif key == "lfsFile":
                if value["oid"] not in self.server_hub.objects:
                    raise _RequestError(
                        400, None, f"LFS pointer pointed to a file that does not exist: {value['path']}"
                    )
                files[value["path"]] = self.server_hub.objects[value["oid"]]
            elif key == "deletedFile":
                if files.pop(value["path"], None) is None:
                    raise _RequestError(404, "EntryNotFound", "A file with this name doesn't exist")
            elif key == "deletedFolder":
                files = {path: data for path, data in files.items() if not path.startswith(value["path"])}
        answer: dict[str, Any] = {"success": True}
        if query.get("create_pr") == ["1"]:
            number = 1 + sum(name.startswith("refs/pr/") for name in repository.references)
            reference = f"refs/pr/{number}"
            answer["pullRequestUrl"] = f"{self.server_hub.url}/datasets/{match['repo']}/discussions/{number}"
        commit = repository.commit(reference, files, summary)
        url = f"{self.server_hub.url}/datasets/{match['repo']}/commit/{commit}"
        self._json(answer | {"commitOid": commit, "commitUrl": url, "hookOutput": ""})

    def _validate_yaml(self, match: re.Match[str], query: dict[str, list[str]], body: bytes) -> None:
        content = json.loads(body)["content"]
        ok = re.match(r"---\n.*?\n---\n", content, flags=re.DOTALL) is not None
        self._json({"errors": [] if ok else [{"message": "no metadata block"}], "warnings": []}, 200 if ok else 400)

    def _whoami(self, match: re.Match[str], query: dict[str, list[str]], body: bytes) -> None:
        self._authorise()
        self._json({"type": "user", "name": "tester", "orgs": [{"name": "org"}], "auth": {"type": "access_token"}})

    # -- common -------------------------------------------------------------------------------------------------

    def _token(self) -> str | None:
        return (self.headers.get("Authorization") or "").removeprefix("Bearer ") or None

    def _authorise(self) -> None:
        if self._token() != TOKEN:
            raise _RequestError(401, None, "Invalid username or password.")

    def _refused(self, name: str, path: str) -> bool:
        repository = self.server_hub.repositories.get(name)
        refusal = repository.refuse if repository else None
        if repository is None or refusal is None or refusal.only not in path or refusal.times == 0:
            return False
        if refusal.open_to is not None and self._token() == refusal.open_to:
            return False
        repository.refuse = replace(refusal, times=refusal.times - 1)
        self._send(refusal.code, json.dumps({"error": refusal.message}).encode(), dict(refusal.headers))
        return True

    def _repository(self, name: str) -> Repository:
        repository = self.server_hub.repositories.get(name)
        if repository is None or (repository.private and self._token() != TOKEN):
            raise _RequestError(404 if self._token() else 401, "RepoNotFound", "Repository not found")
        return repository

    def _commit(self, repository: Repository, revision: str) -> str:
        commit = repository.references.get(revision, revision)
        if commit not in repository.files:
            raise _RequestError(404, "RevisionNotFound", f"Invalid rev id: {revision}")
        return commit

    def _json(self, value: Any, code: int = 200) -> None:
        self._send(code, json.dumps(value).encode(), {"Content-Type": "application/json; charset=utf-8"})

    def _send(self, code: int, data: bytes, headers: Mapping[str, str]) -> None:
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)


_REPO = r"(?P<repo>[\w.-]+/[\w.-]+)"
_REVISION = r"(?P<revision>[^/]+)"
_ROUTES = [
    (re.compile(pattern), verbs, handle)
    for pattern, verbs, handle in [
        (rf"/api/datasets/{_REPO}(?:/revision/{_REVISION})?", {"GET"}, Handler._info),
        (rf"/api/datasets/{_REPO}/tree/{_REVISION}(?P<path>/.*)?", {"GET"}, Handler._tree),
        (rf"/api/datasets/{_REPO}/paths-info/{_REVISION}", {"POST"}, Handler._paths_info),
        (rf"/api/datasets/{_REPO}/refs", {"GET"}, Handler._references),
        (rf"/api/datasets/{_REPO}/branch/(?P<name>[^/]+)", {"POST"}, Handler._branch),
        (rf"/api/datasets/{_REPO}/preupload/{_REVISION}", {"POST"}, Handler._preupload),
        (rf"/api/datasets/{_REPO}/commit/{_REVISION}", {"POST"}, Handler._write),
        (rf"/datasets/{_REPO}\.git/info/lfs/objects/batch", {"POST"}, Handler._lfs_batch),
        (rf"/datasets/{_REPO}/resolve/{_REVISION}/(?P<path>.+)", {"GET", "HEAD"}, Handler._resolve),
        (r"/objects/(?P<oid>[0-9a-f]{64})", {"GET", "HEAD", "PUT"}, Handler._object),
        (r"/api/repos/create", {"POST"}, Handler._create),
        (r"/api/validate-yaml", {"POST"}, Handler._validate_yaml),
        (r"/api/whoami-v2", {"GET"}, Handler._whoami),
    ]
]


def _slashes(path: str) -> list[int]:
    return [at for at, character in enumerate(path) if character == "/"]


def _is_lfs(path: str) -> bool:
    return any(fnmatch.fnmatch(path, pattern) for pattern in LFS_PATTERNS)


def _blob_id(data: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _file_entry(path: str, data: bytes) -> dict[str, Any]:
    entry: dict[str, Any] = {"type": "file", "path": path, "size": len(data), "oid": _blob_id(data)}
    if _is_lfs(path):
        entry["lfs"] = {"oid": hashlib.sha256(data).hexdigest(), "size": len(data), "pointerSize": 130}
    return entry


def _folder_entry(path: str) -> dict[str, Any]:
    return {"type": "directory", "path": path, "size": 0, "oid": _blob_id(path.encode())}
