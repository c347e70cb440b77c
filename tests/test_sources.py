from collections.abc import Callable
from pathlib import Path

import pytest
from support.ten_rows import wide_rows

from alee_mteb.errors import DataError
from alee_mteb.sources import DataRequest, configurations

CARD = """---
configs:
- config_name: alee_mt61
  data_files:
  - split: test
    path: data/mt61.csv
  - split: train
    path: data/train.csv
- config_name: alee_mt61_provenance
  data_files: data/provenance.csv
---
# Some data
"""


def test_a_readme_names_the_files(tmp_path: Path, write_csv: Callable[..., Path]):
    for name in ("data/mt61.csv", "data/train.csv", "data/provenance.csv"):
        write_csv(wide_rows(), name)
    (tmp_path / "README.md").write_text(CARD)
    assert configurations(tmp_path) == {"alee_mt61": (tmp_path / "data/mt61.csv",)}
    source = DataRequest(str(tmp_path)).resolve("alee_mt61")
    assert source.files == (tmp_path / "data/mt61.csv",)


def test_without_a_readme_names_of_folders_and_files_count(tmp_path: Path, write_csv: Callable[..., Path]):
    write_csv(wide_rows(), "alee_mt61/test-00000-of-00001.csv")
    write_csv(wide_rows(), "alee_mt61/notes.csv")
    write_csv(wide_rows(), "alee_f200.csv")
    write_csv(wide_rows(), "alee_f200_provenance.csv")
    assert {name: [path.name for path in files] for name, files in configurations(tmp_path).items()} == {
        "alee_f200": ["alee_f200.csv"],
        "alee_mt61": ["test-00000-of-00001.csv"],
    }


def test_the_hash_is_that_of_the_content(tmp_path: Path, write_csv: Callable[..., Path]):
    first = DataRequest(str(write_csv(wide_rows(), "one/a.csv"))).resolve("alee_mt61")
    second = DataRequest(str(write_csv(wide_rows(), "two/b.csv"))).resolve("alee_mt61")
    other = DataRequest(str(write_csv(wide_rows()[1:], "three/a.csv"))).resolve("alee_mt61")
    assert first.commit == second.commit != other.commit
    assert len(first.short_hash) == 8
    write_csv(wide_rows()[2:], "one/a.csv")
    assert DataRequest(first.path).resolve("alee_mt61").commit != first.commit


def test_environment(monkeypatch: pytest.MonkeyPatch):
    assert DataRequest.from_environment() is None
    monkeypatch.setenv("ALEE_DATASET", "org/name")
    assert DataRequest.from_environment() == DataRequest("org/name", None)
    monkeypatch.setenv("ALEE_REVISION", "v2")
    assert DataRequest.from_environment() == DataRequest("org/name", "v2")
    monkeypatch.delenv("ALEE_DATASET")
    assert DataRequest.from_environment() == DataRequest("Andrianos/alee_datasets", "v2")


def test_bad_places_are_one_clear_line(tmp_path: Path, write_csv: Callable[..., Path]):
    with pytest.raises(DataError, match=r"no such file or folder, and not a Hub repository"):
        DataRequest(str(tmp_path / "none")).resolve("alee_mt61")
    with pytest.raises(DataError, match=r"no data files"):
        DataRequest(str(tmp_path)).resolve("alee_mt61")
    write_csv(wide_rows(), "alee_f200.csv")
    with pytest.raises(DataError, match=r"no configuration 'alee_mt61'; it has alee_f200"):
        DataRequest(str(tmp_path)).resolve("alee_mt61")
    with pytest.raises(DataError, match=r"a revision .* only makes sense for a Hub repository"):
        DataRequest(str(tmp_path), "main").resolve("alee_f200")
    (tmp_path / "x.txt").write_text("x")
    with pytest.raises(DataError, match="not a table"):
        DataRequest(str(tmp_path / "x.txt")).resolve("alee_mt61")


@pytest.mark.parametrize("pattern", ["../secret.csv", "/etc/passwd", "data/../../x.csv"])
def test_patterns_cannot_lead_out_of_the_folder(tmp_path: Path, pattern: str):
    (tmp_path / "README.md").write_text(f"---\nconfigs:\n- config_name: a\n  data_files: {pattern}\n---\n")
    with pytest.raises(DataError, match="leads out of the folder"):
        configurations(tmp_path)


def test_without_a_network_the_line_says_what_to_download(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(DataError) as error:
        DataRequest("Andrianos/alee_datasets").resolve("alee_f200")
    assert str(error.value) == (
        "Andrianos/alee_datasets (alee_f200): the Hugging Face Hub cannot be reached and the data is not cached; where "
        "there is a network run `hf download Andrianos/alee_datasets --repo-type dataset --local-dir DIR`, copy DIR "
        "here and set ALEE_DATASET=DIR (there is no folder or file Andrianos/alee_datasets here)"
    )
