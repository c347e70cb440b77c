"""Reading triplets from a Hub: the real client against a loopback server."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.hub_server import TOKEN, HubServer, Repository, gated, status

from alee_mteb.errors import DataError
from alee_mteb.sample import sample_table
from alee_mteb.sources import DataRequest, DataSource
from alee_mteb.tables import TableReader

CARD = b"""---
configs:
- config_name: alee_f200
  data_files:
  - split: test
    path: alee_f200/test-*.parquet
- config_name: alee_mt61
  data_files:
  - split: test
    path: alee_mt61/test-*.parquet
- config_name: alee_mt61_provenance
  data_files:
  - split: test
    path: alee_mt61_provenance/test-*.parquet
---
# Triplets
"""


def parquet(rows: int) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(sample_table().slice(0, rows), sink)
    return sink.getvalue().to_pybytes()


@pytest.fixture
def hub() -> Iterator[HubServer]:
    with HubServer() as server:
        yield server


@pytest.fixture
def data(hub: HubServer) -> Repository:
    return hub.add(
        "org/triplets",
        {
            "README.md": CARD,
            "manifest.json": b'{"engine": "amr"}',
            "alee_f200/test-00000-of-00001.parquet": parquet(3),
            "alee_mt61/test-00000-of-00001.parquet": parquet(5),
            "alee_mt61_provenance/test-00000-of-00001.parquet": parquet(1),
        },
    )


class Reader:
    """Reads a configuration as the tasks do; every test has a cache of its own."""

    def __init__(self, hub: HubServer, patch: pytest.MonkeyPatch, home: Path) -> None:
        self.hub, self.patch, self.home = hub, patch, home

    def __call__(
        self, name: str = "org/triplets", revision: str = "", config: str = "alee_mt61", token: str | None = TOKEN
    ) -> DataSource:
        self.hub.patch(self.patch, self.home, token=token)
        return DataRequest(name, revision or None).resolve(config)

    def rows(self, *args: str, **kwargs: Any) -> int:
        return TableReader(self(*args, **kwargs).files).read(["id"]).num_rows

    def error(self, *args: str, **kwargs: Any) -> str:
        with pytest.raises(DataError) as caught:
            self(*args, **kwargs)
        assert "\n" not in str(caught.value)
        return str(caught.value)


@pytest.fixture
def read(hub: HubServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Reader:
    return Reader(hub, monkeypatch, tmp_path)


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    return lambda: monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)


def test_the_commit_is_resolved_and_only_the_files_of_the_configuration_travel(
    hub: HubServer, data: Repository, read: Reader
):
    source = read()
    assert source.commit == data.references["main"]
    assert [path.relative_to(source.folder).as_posix() for path in source.files] == [
        "alee_mt61/test-00000-of-00001.parquet"
    ]
    assert read.rows() == 5
    assert hub.fetched() == ["README.md", "manifest.json"]
    assert sum(method == "GET" and path.startswith("/objects/") for method, path in hub.requests) == 1


def test_a_second_reading_and_one_without_a_network_use_the_cache(
    hub: HubServer, data: Repository, read: Reader, offline: Callable[[], None]
):
    first = read()
    hub.requests.clear()
    assert read() == first
    assert hub.fetched() == []
    data.refuse = status(500, retry_after=0)
    assert read() == first
    hub.requests.clear()
    offline()
    assert read() == first
    assert hub.requests == []


def test_another_process_finds_the_hub_by_its_environment(hub: HubServer, data: Repository, tmp_path: Path):
    program = (
        "from alee_mteb.sources import DataRequest; print(DataRequest('org/triplets').resolve('alee_f200').commit)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **hub.environment(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout.strip() == data.references["main"], done.stderr


def test_a_configuration_that_was_never_fetched_is_not_taken_for_missing_without_a_network(
    data: Repository, read: Reader, offline: Callable[[], None]
):
    read()
    offline()
    assert read.error(config="alee_f200").startswith(
        "org/triplets (alee_f200): the Hugging Face Hub cannot be reached and the data is not cached; where there"
    )


def test_a_branch_and_a_commit_are_revisions(data: Repository, read: Reader):
    old = data.references["main"]
    data.commit("v2", {**data.at(), "alee_mt61/test-00000-of-00001.parquet": parquet(7)}, "more")
    assert read.rows(revision="v2") == 7
    assert read(revision="v2").commit == data.references["v2"]
    assert read.rows(revision=old) == 5


def test_a_new_commit_is_noticed(data: Repository, read: Reader):
    assert read.rows() == 5
    data.commit("main", {**data.at(), "alee_mt61/test-00000-of-00001.parquet": parquet(6)}, "more")
    assert read.rows() == 6


def test_a_repository_without_a_card_is_read_by_names(hub: HubServer, read: Reader):
    hub.add("org/bare", {"alee_f200.parquet": parquet(2), "other/test.parquet": parquet(4)})
    assert read.rows("org/bare", config="alee_f200") == 2
    assert read.rows("org/bare", config="other") == 4


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (
            {"config": "alee_bq275"},
            "org/triplets: no configuration 'alee_bq275'; it has alee_f200, alee_mt61, alee_mt61_provenance",
        ),
        (
            {"name": "org/none"},
            "org/none: no such data set on the Hub, or no access to it, and no folder or file of this name here; "
            "check ALEE_DATASET",
        ),
        ({"revision": "v9"}, "org/triplets: no revision 'v9'; check ALEE_REVISION"),
    ],
)
def test_what_is_not_there_is_one_line(data: Repository, read: Reader, asked: dict[str, str], expected: str):
    assert read.error(**asked) == expected


def test_a_name_the_hub_does_not_allow_is_one_line(read: Reader):
    assert read.error("org/a..b").startswith("org/a..b: not a name the Hub allows (")


def test_a_private_repository_looks_missing_without_a_token(data: Repository, read: Reader):
    data.private = True
    assert "no such data set on the Hub, or no access to it" in read.error(token=None)
    assert read.rows() == 5


def test_a_gated_repository_says_how_to_get_in(hub: HubServer, data: Repository, read: Reader):
    data.refuse = gated(open_to="hf_accepted")
    terms = f"accept its terms at {hub.url}/datasets/org/triplets, then `hf auth login`"
    assert read.error() == f"org/triplets: the data set is gated; {terms}"
    assert read.rows(token="hf_accepted") == 5


@pytest.mark.parametrize(
    ("code", "says"),
    [
        (500, "the Hugging Face Hub answers 500 and the data is not cached; try again later, or where there is a"),
        (429, "the Hugging Face Hub answers 429, too many requests; wait a while, or `hf auth login` for a higher"),
        (401, "the Hugging Face Hub answers 401, access refused; `hf auth login` with a valid token"),
    ],
)
@pytest.mark.parametrize("where", ["/api/", "/resolve/"])
def test_an_answer_of_the_hub_is_named(data: Repository, read: Reader, code: int, says: str, where: str):
    data.refuse = status(code, only=where, retry_after=0)
    message = read.error()
    assert message.startswith("org/triplets (alee_mt61): ")
    assert says in message


def test_a_passing_429_is_waited_out(data: Repository, read: Reader):
    data.refuse = status(429, only="/tree/", times=1, retry_after=0)
    assert read.rows() == 5


def test_a_full_disk_is_not_called_a_network_problem(data: Repository, read: Reader, tmp_path: Path):
    (tmp_path / "hub").write_text("a file where the cache folder should be")
    assert "cannot be stored (" in read.error()


def test_no_hub_at_all_says_what_to_download(read: Reader, hub: HubServer, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(HubServer, "url", "http://127.0.0.1:9")
    assert read.error() == (
        "org/triplets (alee_mt61): the Hugging Face Hub cannot be reached and the data is not cached; where there is a "
        "network run `hf download org/triplets --repo-type dataset --local-dir DIR`, copy DIR here and set "
        "ALEE_DATASET=DIR (there is no folder or file org/triplets here)"
    )
