"""What may be published, and what the card says."""

import json
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from support.builds import make_build

from alee_mteb.errors import DataError
from alee_mteb.sources import readme_configs
from builders.card import dataset_card
from builders.licenses import RightsError, check_rehosting, license_of, published_license
from builders.publish import PublishError, publish


def manifest_of(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "manifest.json").read_text())


def change_manifest(folder: Path, **changes: Any) -> None:
    (folder / "manifest.json").write_text(json.dumps(manifest_of(folder) | changes))


# -- licences -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expression", "published"),
    [
        ("apache-2.0", "apache-2.0"),
        ("CC-BY-SA-4.0", "CC-BY-SA-4.0"),
        ("apache-2.0 AND apache-2.0", "apache-2.0"),
        ("apache-2.0 AND cc-by-sa-4.0", "cc-by-sa-4.0"),
        ("cc-by-4.0 AND cc-by-nc-4.0", "cc-by-nc-4.0"),
        ("mit AND cc-by-nc-sa-4.0", "cc-by-nc-sa-4.0"),
        ("cc0-1.0", "cc0-1.0"),
        ("bsd-3-clause", "bsd-3-clause"),
    ],
)
def test_the_licence_of_what_is_published(expression: str, published: str):
    assert published_license(expression) == published


@pytest.mark.parametrize(
    ("expression", "why"),
    [
        ("cc-by-nd-4.0", "does not allow derivatives"),
        ("cc-by-nc-nd-4.0", "does not allow derivatives"),
        ("apache-2.0 AND cc-by-nd-4.0", "does not allow derivatives"),
        ("unknown", "'unknown', which is not known to allow re-hosting"),
        ("other", "'other', which is not known"),
        ("", "not known, so nothing allows"),
        ("cc-by-sa-4.0 AND cc-by-nc-sa-4.0", "each ask to be the licence of the whole"),
        ("cc-by-sa-4.0 AND cc-by-nc-4.0", "cc-by-sa-4.0 allows no further conditions, but cc-by-nc-4.0 has one"),
    ],
)
def test_licences_that_do_not_allow_it(expression: str, why: str):
    with pytest.raises(RightsError, match=re.escape(why)):
        published_license(expression)


def test_unknown_licences_are_not_guessed_from_their_beginning():
    assert license_of("cc-by-xx-4.0") is None
    assert license_of("mit-license-with-extras") is None


def test_text_behind_a_gate_may_go_where_only_members_see_it():
    with pytest.raises(RightsError, match="access terms of facebook/bouquet ask to keep its text from crawlers"):
        check_rehosting("cc-by-sa-4.0", ["facebook/bouquet"], private=False)
    check_rehosting("cc-by-sa-4.0", ["facebook/bouquet"], private=True)
    check_rehosting("apache-2.0", ["google/wmt24pp"], private=False)


# -- refusals -------------------------------------------------------------------------------------------------------


def test_a_dry_run_lists_what_would_go_up(tmp_path: Path):
    said: list[str] = []
    done = publish(make_build(tmp_path), "org/data", dry_run=True, say=said.append)
    assert sorted(done.files) == [
        "README.md",
        "alee_mt61/manifest.json",
        "alee_mt61/test-00000-of-00001.parquet",
        "alee_mt61_provenance/test-00000-of-00001.parquet",
    ]
    assert done.commit is None
    assert said[0] == "would publish alee_mt61 from google/wmt24pp to org/data, 4 files:"
    size = (tmp_path / "alee_mt61/test-00000-of-00001.parquet").stat().st_size
    assert f"  alee_mt61/test-00000-of-00001.parquet  {size:,} bytes" in said


def _truncate(folder: Path) -> None:
    path = folder / "alee_mt61/test-00000-of-00001.parquet"
    path.write_bytes(path.read_bytes()[:-1])


def _remove(folder: Path) -> None:
    (folder / "alee_mt61_provenance/test-00000-of-00001.parquet").unlink()


def _stray(folder: Path) -> None:
    pq.write_table(pa.table({"a": [1]}), folder / "alee_mt61/test-00001-of-00002.parquet")


def _rows(folder: Path) -> None:
    files = manifest_of(folder)["files"]
    files["alee_mt61/test-00000-of-00001.parquet"]["rows"] = 99
    change_manifest(folder, files=files)


def _outside(folder: Path) -> None:
    change_manifest(folder, files={**manifest_of(folder)["files"], "../../secret.parquet": {"sha256": "", "rows": 1}})


def _other_config(folder: Path) -> None:
    change_manifest(folder, config="alee_f200")


def _no_manifest(folder: Path) -> None:
    (folder / "manifest.json").unlink()


def _broken_manifest(folder: Path) -> None:
    (folder / "manifest.json").write_text("{")


def _later_format(folder: Path) -> None:
    change_manifest(folder, format=2)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (_truncate, "missing, or not the file that manifest.json describes; build again"),
        (_remove, "missing, or not the file that manifest.json describes; build again"),
        (_stray, "not in manifest.json; move it out of the folder, or build again"),
        (_rows, "rows where manifest.json says 99; build again"),
        (_outside, "the file '../../secret.parquet' does not belong to configuration 'alee_mt61'"),
        (_other_config, "does not belong to configuration 'alee_f200'"),
        (_no_manifest, "no manifest.json; only a finished build can be published"),
        (_broken_manifest, "not a readable manifest"),
        (_later_format, "not a manifest of format 1; update alee-mteb"),
    ],
)
def test_a_folder_that_is_not_what_its_manifest_says_is_refused(tmp_path: Path, damage: Any, message: str):
    damage(make_build(tmp_path))
    with pytest.raises(DataError, match=re.escape(message)) as error:
        publish(tmp_path, "org/data", dry_run=True)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", ["data", "org/", "org/a/b", "org/../x", "-org/x", "org/x--y"])
def test_a_name_that_is_no_repository_is_refused(tmp_path: Path, name: str):
    with pytest.raises(PublishError, match=re.escape("not a name for a repository, use org/name")):
        publish(make_build(tmp_path), name, dry_run=True)


def test_a_pull_request_goes_to_main(tmp_path: Path):
    with pytest.raises(PublishError, match="a pull request goes to main, not to v2"):
        publish(make_build(tmp_path), "org/data", dry_run=True, create_pr=True, revision="v2")


def test_text_that_may_not_be_rehosted_needs_a_word_from_the_user(tmp_path: Path):
    folder = make_build(tmp_path, corpus={"name": "private.tsv", "license": "unknown"})
    with pytest.raises(RightsError, match=r"not known to allow re-hosting it; .* with --i-have-the-right if you have"):
        publish(folder, "org/data", dry_run=True)
    with pytest.raises(RightsError):
        publish(folder, "org/data", dry_run=True, private=True)
    publish(folder, "org/data", dry_run=True, i_have_the_right=True, say=lambda _: None)


def test_a_local_copy_of_gated_text_is_still_gated_text(tmp_path: Path):
    source = {"name": "my-copy", "license": "cc-by-sa-4.0", "revision": None, "origin": "facebook/flores"}
    folder = make_build(tmp_path, corpus={**source, "sources": [source]})
    with pytest.raises(RightsError, match=r"access terms of facebook/flores .* publish with --private where that is"):
        publish(folder, "org/data", dry_run=True)
    publish(folder, "org/data", dry_run=True, private=True, say=lambda _: None)


# -- the card -------------------------------------------------------------------------------------------------------


def card_block(card: str) -> dict[str, Any]:
    return yaml.safe_load(card.split("---\n")[1])


def test_the_card_says_what_is_where(tmp_path: Path):
    folder = make_build(tmp_path)
    card = dataset_card(manifest_of(folder), "org/data")
    block = card_block(card)
    assert block["license"] == "apache-2.0"
    assert block["language"] == ["deu", "eng", "roh"]
    assert block["size_categories"] == ["n<1K"]
    assert [(entry["config_name"], entry["data_files"][0]["path"]) for entry in block["configs"]] == [
        ("alee_mt61", "alee_mt61/test-*.parquet"),
        ("alee_mt61_provenance", "alee_mt61_provenance/test-*.parquet"),
    ]
    assert block["configs"][0]["default"] is True
    for text in (
        "3 sources (`en_EN`), 2 target languages, from `google/wmt24pp` and `ZurichNLP/wmt24pp-rm`",
        "`en_PolarityNegation_negative` (polarity negation)",
        "| | success | no candidate | rejected entailment |",
        "| PolarityNegation | 3 | 0 | 0 |\n| RoleSwap | 1 | 1 | 1 |",
        "Rows of the corpus left out: 180 bad source.",
        "| engine | amr |",
        "| validator | nli juliussteen/DeBERTa-v3-FaithAug |",
        "| seed | 7 |",
        "| penman version | 1.3.1 |",
        "| ZurichNLP/wmt24pp-rm | apache-2.0 | bbbb |",
        'load_dataset("org/data", "alee_mt61", split="test")',
        "ALEE_DATASET=org/data mteb run -m intfloat/multilingual-e5-small -t ALEE-MT61",
        "@misc{alee2026,",
        "@inproceedings{deutsch2025wmt24pp,",
        "@inproceedings{vamvas2025romansh,",
    ):
        assert text in card
    assert "salt2026" not in card
    assert "surface" not in card


def test_surface_data_is_called_so(tmp_path: Path):
    card = dataset_card(manifest_of(make_build(tmp_path, engine="surface")), "org/data")
    assert "Made by the surface engine" in card
    assert "alee run -m intfloat/multilingual-e5-small --data org/data" in card
    assert "-t ALEE-MT61" not in card


def test_the_card_serves_the_folder_it_lies_in(tmp_path: Path):
    folder = make_build(tmp_path)
    (folder / "README.md").write_text(dataset_card(manifest_of(folder)))
    assert [entry["config_name"] for entry in readme_configs(folder)] == ["alee_mt61", "alee_mt61_provenance"]


def test_configurations_of_one_repository_keep_to_their_sections(tmp_path: Path):
    manifest = manifest_of(make_build(tmp_path))
    corpus = {**manifest["corpus"], "license": "cc-by-sa-4.0", "languages": ["fra_Latn"], "english": "eng_Latn"}
    other = {**manifest, "config": "alee_f200", "corpus": corpus}
    first = dataset_card(manifest, "org/data")
    both = dataset_card(other, "org/data", first)
    block = card_block(both)
    assert [entry["config_name"] for entry in block["configs"]] == [
        "alee_f200",
        "alee_f200_provenance",
        "alee_mt61",
        "alee_mt61_provenance",
    ]
    assert [entry["config_name"] for entry in block["configs"] if entry.get("default")] == ["alee_mt61"]
    assert block["license"] == ["apache-2.0", "cc-by-sa-4.0"]
    assert block["language"] == ["deu", "eng", "fra", "roh"]
    assert both.count("## alee_mt61\n") == both.count("## alee_f200\n") == 1
    assert dataset_card(other, "org/data", both) == both
    assert dataset_card(manifest, "org/data", both).count("## alee_mt61\n") == 1


def test_what_people_wrote_on_the_card_stays(tmp_path: Path):
    manifest = manifest_of(make_build(tmp_path))
    card = dataset_card(manifest, "org/data").replace("# Cross-lingual minimal pairs", "# Our pairs\n\nWith \\1 care.")
    card = card.replace("pretty_name: ALEE triplets", "pretty_name: Ours\nannotations_creators:\n- expert-generated")
    again = dataset_card({**manifest, "seed": 8, "parser": r"C:\models\1"}, "org/data", card)
    assert "# Our pairs\n\nWith \\1 care." in again
    assert card_block(again)["pretty_name"] == "Ours"
    assert card_block(again)["annotations_creators"] == ["expert-generated"]
    assert "| seed | 8 |" in again
    assert r"| parser | C:\models\1 |" in again
    assert "| seed | 7 |" not in again
    assert dataset_card(manifest, "org/data", "---\nlicense: mit\n---\n# By hand\n").count("# By hand") == 1


def test_a_card_that_is_no_yaml_is_one_line(tmp_path: Path):
    with pytest.raises(DataError, match=r"README\.md: its metadata block is not valid YAML"):
        dataset_card(manifest_of(make_build(tmp_path)), "org/data", "---\na: [\n---\n")
