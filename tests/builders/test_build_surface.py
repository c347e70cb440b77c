"""`alee build --engine surface`, from a file to scores: no model but spaCy's small one."""

import json
from pathlib import Path

import pyarrow.parquet
import pytest

from alee_mteb.errors import DataError
from alee_mteb.sample import sample_items
from builders.build import build
from builders.recipes import make_config


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sources of ALEE-Sample with their German."""
    path = tmp_path_factory.mktemp("corpus") / "sample.tsv"
    lines = ["id\teng_Latn\tdeu_Latn"]
    lines += [f"{item['id']}\t{item['eng_Latn']}\t{item['translations']['deu_Latn']}" for item in sample_items()]
    path.write_text("\n".join(lines).replace('"', "'") + "\n", encoding="utf-8")
    return path


def flags(corpus: Path, **more: object) -> dict[str, object]:
    return {"corpus": str(corpus), "engine": "surface", "license": "cc-by-4.0", "config_name": "alee_s_try", **more}


@pytest.fixture(scope="module")
def built(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("built") / "out"
    build(make_config(None, flags(corpus, seed=1)), out)
    return out


def test_most_sources_get_foils_that_change_few_words(built: Path):
    rows = pyarrow.parquet.read_table(built / "alee_s_try").to_pylist()
    assert len(rows) == 80
    names = ("PolarityNegation", "RoleSwap", "AntonymRepl", "HypernymSub")
    foils = {
        name: [(r["eng_Latn"], r[f"eng_{name}_negative"]) for r in rows if r[f"eng_{name}_negative"]] for name in names
    }
    assert len(foils["PolarityNegation"]) >= 60
    assert len(foils["RoleSwap"]) >= 40
    assert len(foils["AntonymRepl"]) >= 40
    for source, foil in (pair for name in ("PolarityNegation", "AntonymRepl", "HypernymSub") for pair in foils[name]):
        assert abs(len(source.split()) - len(foil.split())) <= 2
        assert source.split()[-1] == foil.split()[-1] or len(set(source.split()) ^ set(foil.split())) <= 6


def test_the_manifest_names_engine_lexicon_and_validator(built: Path):
    manifest = json.loads((built / "manifest.json").read_text())
    assert (manifest["engine"], manifest["lexicon"]) == ("surface", "curated")
    assert manifest["validator"].startswith("re-parse ")
    assert "surface engine" in (built / "README.md").read_text()


def test_it_is_scored_under_a_name_of_its_own_and_never_as_official_data(built: Path):
    import mteb  # noqa: F401 - registers the tasks

    from alee_mteb.sources import DataRequest
    from alee_mteb.tasks.data import own_data_task

    task = own_data_task(DataRequest(str(built)), "alee_s_try")
    assert task.metadata.name.startswith("ALEE-S-try@")
    assert len(task().table) >= 60


def test_the_same_command_gives_the_same_bytes(corpus: Path, built: Path, tmp_path: Path):
    build(make_config(None, flags(corpus, seed=1, batch_size=3)), tmp_path / "again")
    for path in sorted(built.rglob("*.*")):
        assert path.read_bytes() == (tmp_path / "again" / path.relative_to(built)).read_bytes(), path.name


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"mode": "released"}, "the engine surface has no mode released"),
        ({"control": True}, "the engine surface has no control texts"),
        ({"lexicon": "thesaurus"}, "unknown lexicon 'thesaurus'; choose from wordnet, curated"),
    ],
)
def test_what_it_cannot_do_is_refused(corpus: Path, tmp_path: Path, more: dict[str, object], message: str):
    with pytest.raises(DataError, match=message):
        build(make_config(None, flags(corpus, **more)), tmp_path / "out")
    assert not (tmp_path / "out" / "manifest.json").exists()
