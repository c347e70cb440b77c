"""The preview: only the site's own files, only for this machine, rebuilt when results change."""

import http.client
import shutil
import threading
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest

from alee_mteb.errors import ResultsError
from leaderboard.board.serve import HOST, Preview, make_server
from leaderboard.entries import RESULTS


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """A copy of the results that come with the package."""
    return Path(shutil.copytree(RESULTS, tmp_path / "results"))


@pytest.fixture
def told() -> list[str]:
    return []


@pytest.fixture
def server(results: Path, told: list[str]) -> Iterator[ThreadingHTTPServer]:
    running = make_server(Preview(results, told.append))
    thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield running
    running.shutdown()
    running.server_close()
    thread.join()


def ask(server: ThreadingHTTPServer, path: str, host: str | None = None) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(HOST, server.server_port, timeout=20)
    connection.putrequest("GET", path, skip_host=True)
    connection.putheader("Host", host or f"{HOST}:{server.server_port}")
    connection.endheaders()
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    return answer.status, content


def test_the_page_and_its_files_are_served(server: ThreadingHTTPServer) -> None:
    status, page = ask(server, "/")
    assert status == 200
    assert page.startswith(b"<!doctype html>")
    assert b"connect-src 'self'" in page
    assert ask(server, "/models.csv")[1].startswith(b"model,revision,kind,data,macro")


@pytest.mark.parametrize(
    "path",
    [
        "/../results/published/models.csv",
        "/..%2fresults%2fpublished%2fmodels.csv",
        "//etc/passwd",
        "/outcomes/../index.html",
        "/etc/passwd",
        "/nothing",
    ],
    ids=["dots", "escaped", "double-slash", "inside", "root", "unknown"],
)
def test_no_path_leads_out_of_the_site(server: ThreadingHTTPServer, path: str) -> None:
    assert ask(server, path)[0] == 404


def test_it_answers_only_to_its_own_name(server: ThreadingHTTPServer) -> None:
    assert server.server_address[0] == "127.0.0.1"
    assert ask(server, "/", "evil.example")[0] == 403
    assert ask(server, "/", f"localhost:{server.server_port}")[0] == 200


def test_a_change_is_shown_and_announced(server: ThreadingHTTPServer, results: Path, told: list[str]) -> None:
    assert b"use-multilingual-v3" in ask(server, "/models.csv")[1]
    connection = http.client.HTTPConnection(HOST, server.server_port, timeout=20)
    connection.request("GET", "/changes")
    answer = connection.getresponse()
    assert answer.readline() == b": unchanged\n"
    shutil.rmtree(results / "alee-mteb__use-multilingual-v3")
    assert b"data: changed" in answer.read()
    connection.close()
    assert b"use-multilingual-v3" not in ask(server, "/models.csv")[1]
    assert told == ["rebuilt"]


def test_a_broken_file_leaves_the_last_good_site(server: ThreadingHTTPServer, results: Path, told: list[str]) -> None:
    (broken,) = results.glob("alee-mteb__use-*/*/ALEE-Sample.json")
    broken.write_text("{")
    assert b"use-multilingual-v3" in ask(server, "/models.csv")[1]
    assert len(told) == 1
    assert told[0].startswith("not rebuilt: ")
    assert "ALEE-Sample.json" in told[0]


def test_a_taken_port_is_said(server: ThreadingHTTPServer, results: Path) -> None:
    with pytest.raises(ResultsError, match="choose another with --port"):
        make_server(Preview(results, print), server.server_port)


def test_a_folder_without_results_is_said(tmp_path: Path) -> None:
    with pytest.raises(ResultsError, match="no results to show"):
        Preview(tmp_path, print)
