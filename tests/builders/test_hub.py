"""Corpora from a Hub and builds to a Hub: the real clients against a loopback server."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.builds import make_build
from support.hub_server import TOKEN, HubServer, gated, status

import builders.publish
from alee_mteb.errors import AleeError, DataError
from alee_mteb.sources import DataRequest, configurations
from alee_mteb.tables import TableReader
from alee_mteb.triplets import load_triplets
from builders.corpora import BaseCorpus, open_corpus
from builders.publish import PublishError, publish

PNG = "test-00000-of-00001.parquet"


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[HubServer]:
    with HubServer() as server:
        server.patch(monkeypatch, tmp_path / "home")
        yield server


def jsonl(*rows: dict[str, Any]) -> bytes:
    import json

    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def parquet(*rows: dict[str, Any]) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_pylist(list(rows)), sink)
    return sink.getvalue().to_pybytes()


def fetched(hub: HubServer, name: str) -> set[str]:
    """Files of a repository that were asked for, small and large alike."""
    marks = [
        path.split(f"/datasets/{name}/resolve/")[1].split("/", 1)[1]
        for _, path in hub.requests
        if name in path and "/resolve/" in path
    ]
    return set(marks)


def rows_of(corpus: BaseCorpus) -> list[tuple[str, str, dict[str, str | None]]]:
    return [(row.id, row.text, dict(row.translations)) for row in corpus.rows()]


# -- corpora --------------------------------------------------------------------------------------------------------


def add_flores(hub: HubServer, **options: Any) -> None:
    files = {"README.md": b"---\nlicense: cc-by-sa-4.0\n---\n"}
    for key, text in {"eng_Latn": "One.", "deu_Latn": "Eins.", "zho_Hans": "\u4e00\u3002"}.items():
        files[f"{key}/devtest-00000-of-00001.parquet"] = parquet({"id": 1, "URL": "https://x", "sentence": text})
        files[f"{key}/dev-00000-of-00001.parquet"] = parquet({"id": 1, "sentence": "dev"})
    files["all/devtest-00000-of-00001.parquet"] = parquet({"id": 1, "sentence_eng_Latn": "One."})
    hub.add("facebook/flores", files, **options)


def test_flores_from_the_hub(hub: HubServer):
    add_flores(hub)
    corpus = open_corpus("flores200")
    assert rows_of(corpus) == [("1", "One.", {"deu_Latn": "Eins.", "zho_Hans": "\u4e00\u3002"})]
    assert (corpus.name, corpus.license) == ("facebook/flores", "cc-by-sa-4.0")
    assert corpus.revision == hub.repositories["facebook/flores"].references["main"]
    assert fetched(hub, "facebook/flores") == {
        "README.md",
        "eng_Latn/devtest-00000-of-00001.parquet",
        "deu_Latn/devtest-00000-of-00001.parquet",
        "zho_Hans/devtest-00000-of-00001.parquet",
    }


def test_only_the_wanted_languages_travel(hub: HubServer):
    add_flores(hub)
    assert open_corpus("facebook/flores", languages=["deu_Latn"]).languages == ("deu_Latn",)
    assert not any("zho_Hans" in path for path in fetched(hub, "facebook/flores"))


def test_flores_plus_from_the_hub_under_old_keys(hub: HubServer):
    files = {
        f"devtest/{key}.jsonl": jsonl({"id": 0, "text": text, "url": "https://x", "split": "devtest"})
        for key, text in {"eng_Latn": "One.", "cmn_Hans": "\u4e00\u3002", "deu_Latn": "Eins."}.items()
    }
    hub.add("openlanguagedata/flores_plus", files)
    corpus = open_corpus("flores_plus", languages=["zho_Hans"])
    assert rows_of(corpus) == [("1", "One.", {"zho_Hans": "\u4e00\u3002"})]
    assert fetched(hub, "openlanguagedata/flores_plus") == {"devtest/eng_Latn.jsonl", "devtest/cmn_Hans.jsonl"}


def test_gated_text_says_how_to_get_it(hub: HubServer):
    add_flores(hub, refuse=gated(open_to="hf_accepted"))
    with pytest.raises(DataError) as error:
        open_corpus("flores200")
    assert str(error.value) == (
        f"facebook/flores: the data set is gated; accept its terms at {hub.url}/datasets/facebook/flores, "
        "then `hf auth login`"
    )
    assert len(rows_of(open_corpus("flores200", token="hf_accepted"))) == 1


def test_a_corpus_without_a_network(hub: HubServer, monkeypatch: pytest.MonkeyPatch):
    add_flores(hub)
    first = rows_of(open_corpus("flores200"))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    assert rows_of(open_corpus("flores200")) == first
    with pytest.raises(DataError) as error:
        open_corpus("bouquet")
    assert str(error.value) == (
        "facebook/bouquet: the Hugging Face Hub cannot be reached and the data is not cached; where there is a network "
        "run `hf download facebook/bouquet --repo-type dataset --local-dir DIR`, copy DIR here and set --corpus=DIR "
        "(there is no folder or file facebook/bouquet here)"
    )


def wmt(number: int, source: str, target: str, *, bad: bool = False) -> dict[str, Any]:
    row = {"lp": "x", "domain": "news", "document_id": "d", "segment_id": number, "is_bad_source": bad}
    return {**row, "source": source, "target": target}


def add_wmt(hub: HubServer) -> None:
    english = ["Bad.", "Two.", "Three."]
    files = {
        f"en-{key}.jsonl": jsonl(*(wmt(n, text, f"{key} {n}", bad=n == 1) for n, text in enumerate(english, 1)))
        for key in ("de_DE", "fil_PH")
    }
    hub.add("google/wmt24pp", {"README.md": b"---\nlicense: apache-2.0\n---\n", **files})
    rows = [wmt(2, "Zwei.", "Two."), wmt(3, "Drei.", "Trais.")]
    hub.add("ZurichNLP/wmt24pp-rm", {"de_DE-rm-puter.jsonl": jsonl(*rows)})


def test_wmt24pp_with_romansh_from_the_hub(hub: HubServer):
    add_wmt(hub)
    corpus = open_corpus("wmt24pp")
    assert rows_of(corpus) == [
        ("2", "Two.", {"de_DE": "de_DE 2", "fil_PH": "fil_PH 2", "roh_puter": None}),
        ("3", "Three.", {"de_DE": "de_DE 3", "fil_PH": "fil_PH 3", "roh_puter": "Trais."}),
    ]
    assert (corpus.dropped, corpus.left_out) == ({"bad_source": 1}, {"untranslated": 1})
    assert [(source.name, source.revision) for source in corpus.sources] == [
        (name, hub.repositories[name].references["main"]) for name in ("google/wmt24pp", "ZurichNLP/wmt24pp-rm")
    ]


def test_romansh_alone_takes_its_english_from_the_german_file(hub: HubServer):
    add_wmt(hub)
    corpus = open_corpus("wmt24pp", languages=["roh_puter"])
    assert rows_of(corpus)[1] == ("3", "Three.", {"roh_puter": "Trais."})
    assert fetched(hub, "google/wmt24pp") == {"README.md", "en-de_DE.jsonl"}


def test_no_romansh_no_second_repository(hub: HubServer):
    add_wmt(hub)
    assert open_corpus("wmt24pp", languages=["deu_Latn"]).languages == ("de_DE",)
    assert fetched(hub, "ZurichNLP/wmt24pp-rm") == set()


def test_revisions_are_kept_apart(hub: HubServer):
    add_wmt(hub)
    main = hub.repositories["google/wmt24pp"]
    main.commit("v2", {"en-de_DE.jsonl": jsonl(wmt(5, "Five.", "F\u00fcnf."))}, "v2")
    corpus = open_corpus("google/wmt24pp", languages=["de_DE"], revision="v2")
    assert rows_of(corpus) == [("5", "Five.", {"de_DE": "F\u00fcnf."})]
    assert corpus.revision == main.references["v2"]
    with pytest.raises(DataError, match="google/wmt24pp: no revision 'v3'; check --revision"):
        open_corpus("google/wmt24pp", revision="v3")


def test_bouquet_from_the_hub(hub: HubServer):
    def unit(key: str, name: str, text: str, english: str) -> bytes:
        row = {"uniq_id": name, "src_lang": key, "src_text": text, "tgt_lang": "eng_Latn", "tgt_text": english}
        return parquet({**row, "split": "test", "domain": "d", "par_id": "P1"})

    files = {}
    for level, name, english in (("sentence_level", "P1-S1", "Hi."), ("paragraph_level", "P1", "Hi. Bye.")):
        for key, text in {"eng_Latn": english, "por_Latn_braz1246": "Oi.", "deu_Latn": "Hallo."}.items():
            files[f"data/{level}/test/{key}.parquet"] = unit(key, name, text, english)
        files[f"benchmark_data/{level}/test/deu_Latn-fra_Latn.parquet"] = unit("deu_Latn", name, "x", "y")
    hub.add("facebook/bouquet", files)
    corpus = open_corpus("bouquet", languages=["por_Latn_braz1246"])
    assert rows_of(corpus) == [
        ("P1-S1", "Hi.", {"por_Latn_braz1246": "Oi."}),
        ("P1", "Hi. Bye.", {"por_Latn_braz1246": "Oi."}),
    ]
    wanted = {"eng_Latn", "por_Latn_braz1246"}
    assert {Path(path).stem for path in fetched(hub, "facebook/bouquet")} == wanted


def test_any_other_repository_is_a_table(hub: HubServer):
    card = b"---\nlicense: mit\nconfigs:\n- {config_name: news, data_files: news/test.csv}\n---\n"
    hub.add("org/parallel", {"README.md": card, "news/test.csv": b"id,en,deu_Latn\n1,Hello,Hallo\n"})
    corpus = open_corpus("org/parallel", subset="news")
    assert rows_of(corpus) == [("1", "Hello", {"deu_Latn": "Hallo"})]
    assert (corpus.name, corpus.license, corpus.config) == ("org/parallel", "mit", "alee_parallel")


# -- publishing -----------------------------------------------------------------------------------------------------


def test_a_published_build_is_read_back_by_the_tasks(hub: HubServer, tmp_path: Path):
    said: list[str] = []
    folder = make_build(tmp_path / "out")
    done = publish(folder, "org/data", say=said.append)
    repository = hub.repositories["org/data"]
    assert said == [f"{hub.url}/datasets/org/data"]
    assert done.commit == repository.references["main"]
    # One commit after the empty one that made the repository: nothing was ever half there.
    assert [summary for _, _, summary in repository.log] == ["initial commit", "Publish alee_mt61"]
    for name in ("alee_mt61/" + PNG, "alee_mt61_provenance/" + PNG):
        assert repository.at()[name] == (folder / name).read_bytes()
    assert repository.at()["alee_mt61/manifest.json"] == (folder / "manifest.json").read_bytes()

    source = DataRequest("org/data").resolve("alee_mt61")
    assert source.commit == done.commit
    table = load_triplets(TableReader(source.files), "ALEE-MT61", "org/data")
    assert table.ids == ("1", "2", "3")
    assert table.targets("de_DE").texts == ("de_DE one", "de_DE two", "de_DE three")
    assert (source.folder / "alee_mt61/manifest.json").is_file()


def test_load_dataset_finds_it(hub: HubServer, tmp_path: Path):
    publish(make_build(tmp_path / "out"), "org/data", say=lambda _: None)
    program = (
        "from datasets import load_dataset\n"
        "data = load_dataset('org/data', 'alee_mt61', split='test')\n"
        "print(data.num_rows, data[1]['en_RoleSwap_negative'])\n"
        "print(load_dataset('org/data', split='test').num_rows)\n"
        "print(load_dataset('org/data', 'alee_mt61_provenance', split='test')[0]['status'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **hub.environment(tmp_path / "other-home")},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.stdout.splitlines() == ["3 He paid her.", "3", "success"], done.stderr


def test_three_configurations_share_a_repository(hub: HubServer, tmp_path: Path):
    publish(make_build(tmp_path / "a"), "org/data", say=lambda _: None)
    other = make_build(tmp_path / "b", config="alee_f200", english="eng_Latn", languages=("fra_Latn",))
    publish(other, "org/data", say=lambda _: None)
    source = DataRequest("org/data").resolve("alee_f200")
    assert set(configurations(source.folder)) == {"alee_f200"}
    assert DataRequest("org/data").resolve("alee_mt61").files[0].name == PNG
    assert {"alee_f200/manifest.json", "alee_mt61/manifest.json"} <= set(hub.repositories["org/data"].at())


def test_publishing_again_replaces_and_what_is_gone_goes(hub: HubServer, tmp_path: Path):
    publish(make_build(tmp_path / "a"), "org/data", say=lambda _: None)
    repository = hub.repositories["org/data"]
    shards = {**repository.at(), "alee_mt61/test-00001-of-00002.parquet": b"old", "notes.txt": b"by hand"}
    repository.commit("main", shards, "an older state")
    done = publish(make_build(tmp_path / "b", languages=("de_DE",)), "org/data", say=lambda _: None)
    assert done.removed == ("alee_mt61/test-00001-of-00002.parquet",)
    assert set(repository.at()) == {
        ".gitattributes",
        "README.md",
        "notes.txt",
        "alee_mt61/manifest.json",
        "alee_mt61/" + PNG,
        "alee_mt61_provenance/" + PNG,
    }
    again = publish(tmp_path / "b", "org/data", say=lambda _: None)
    assert again.commit == done.commit


def test_a_pull_request_leaves_main_alone(hub: HubServer, tmp_path: Path):
    hub.add("org/data", {"README.md": b"# Theirs\n"})
    said: list[str] = []
    publish(make_build(tmp_path / "out"), "org/data", create_pr=True, say=said.append)
    repository = hub.repositories["org/data"]
    assert set(repository.at()) == {"README.md"}
    assert b"# Theirs" in repository.at("refs/pr/1")["README.md"]
    assert "alee_mt61/" + PNG in repository.at("refs/pr/1")
    assert said == [f"{hub.url}/datasets/org/data/discussions/1"]


def test_a_branch_is_made(hub: HubServer, tmp_path: Path):
    done = publish(make_build(tmp_path / "out"), "org/data", revision="v2", say=lambda _: None)
    repository = hub.repositories["org/data"]
    assert repository.references["v2"] == done.commit != repository.references["main"]
    assert DataRequest("org/data", "v2").resolve("alee_mt61").commit == done.commit
    assert done.url == f"{hub.url}/datasets/org/data/tree/v2"


def test_private_means_private(hub: HubServer, tmp_path: Path):
    publish(make_build(tmp_path / "out"), "org/secret", private=True, say=lambda _: None)
    assert hub.repositories["org/secret"].private
    hub.add("org/open", {})
    with pytest.raises(PublishError, match="org/open: exists and is public; make it private on its page"):
        publish(tmp_path / "out", "org/open", private=True)
    assert hub.repositories["org/open"].at() == {}


def test_a_dry_run_asks_nothing_of_the_hub(hub: HubServer, tmp_path: Path):
    publish(make_build(tmp_path / "out"), "org/data", dry_run=True, say=lambda _: None)
    assert hub.requests == []


@pytest.mark.parametrize(
    ("refuse", "message"),
    [
        (status(403, only="/commit/"), r"no right to write there \(403\); `hf auth login` with a token that may write"),
        (status(412, only="/commit/"), r"somebody else has written to it meanwhile; run the same command again"),
        (status(400, only="/commit/"), r"the Hugging Face Hub answers 400; try again later"),
        (status(403, only="/info/lfs/"), r"no right to write there \(403\)"),
    ],
)
def test_what_the_hub_refuses_leaves_nothing_behind(hub: HubServer, tmp_path: Path, refuse: Any, message: str):
    repository = hub.add("org/data", {"README.md": b"# Theirs\n"}, refuse=refuse)
    with pytest.raises(PublishError, match=message) as error:
        publish(make_build(tmp_path / "out"), "org/data")
    assert str(error.value).startswith("org/data: nothing was published, ")
    assert "\n" not in str(error.value)
    assert repository.at() == {"README.md": b"# Theirs\n"}
    assert len(repository.log) == 1


def test_somebody_who_writes_at_the_same_time_is_not_overwritten(
    hub: HubServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    repository = hub.add("org/data", {"README.md": b"# Theirs\n"})
    make_card = builders.publish.dataset_card

    def meanwhile(*args: Any) -> str:
        repository.commit("main", {**repository.at(), "alee_mt61/notes.txt": b"new"}, "theirs")
        return make_card(*args)

    monkeypatch.setattr(builders.publish, "dataset_card", meanwhile)
    with pytest.raises(PublishError, match="somebody else has written to it meanwhile; run the same command again"):
        publish(make_build(tmp_path / "out"), "org/data")
    assert set(repository.at()) == {"README.md", "alee_mt61/notes.txt"}


def test_without_a_token(hub: HubServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    hub.patch(monkeypatch, tmp_path / "home", token=None)
    with pytest.raises(AleeError, match=r"org/data: nothing was published, no right to write there \(401\)"):
        publish(make_build(tmp_path / "out"), "org/data")
    assert hub.repositories == {}
    publish(tmp_path / "out", "org/data", token=TOKEN, say=lambda _: None)
    assert "org/data" in hub.repositories


def test_without_a_hub(hub: HubServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(PublishError, match="nothing was published, the Hugging Face Hub cannot be reached or refused"):
        publish(make_build(tmp_path / "out"), "org/data")
