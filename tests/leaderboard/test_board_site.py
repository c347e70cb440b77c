"""The files of the site: nothing but what belongs there, the same bytes every time, hostile names as mere text."""

import base64
import csv
import gzip
import hashlib
import io
import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.board_entries import synthetic_entry
from typer.testing import CliRunner

from alee_mteb.cli.leaderboard import group
from alee_mteb.errors import ResultsError
from alee_mteb.languages import Language
from leaderboard.board.build import build_site
from leaderboard.board.site import site_files
from leaderboard.entries import Entry, ModelFacts, load_entries

LANGUAGES = [Language("deu_Latn", "deu_Latn"), Language("amh_Ethi", "amh_Ethi")]
HOSTILE = "=cmd()/</script><img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def entries() -> list[Entry]:
    """A harmless model and one with a hostile name."""
    first = synthetic_entry(1, "ALEE-Own", LANGUAGES, rows=20)
    second = synthetic_entry(2, "ALEE-Own", LANGUAGES, rows=20)
    return [first, replace(second, model=ModelFacts(HOSTILE, "1", licence="\u202eevil"))]


@pytest.fixture(scope="module")
def site(entries: list[Entry]) -> dict[str, bytes]:
    return site_files(entries)


def test_the_same_entries_give_the_same_bytes(entries: list[Entry], site: dict[str, bytes]) -> None:
    assert site_files(entries[::-1]) == site


def test_the_page_holds_the_board(site: dict[str, bytes]) -> None:
    (packed,) = re.findall(r'id="board-data">([A-Za-z0-9+/=]+)</script>', site["index.html"].decode())
    assert json.loads(gzip.decompress(base64.b64decode(packed))) == json.loads(site["board.json"])


def test_the_policy_names_the_very_style_and_script(site: dict[str, bytes]) -> None:
    page = site["index.html"].decode()
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]+)"', page)
    style = page[page.index("<style>") + 7 : page.index("</style>")]
    script = page[page.rindex("<script>") + 8 : page.rindex("</script>")]
    for text in (style, script):
        assert f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" in policy
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "connect-src" not in policy


def test_nothing_is_asked_from_elsewhere(site: dict[str, bytes]) -> None:
    page = site["index.html"].decode()
    assert not re.search(r"https?://(?!www\.w3\.org)", page.replace("https:\\/\\/", ""))
    assert not re.search(r"@import|url\(|\bfetch\(|XMLHttpRequest|innerHTML|\beval\(", page)


def test_a_hostile_name_is_in_no_file_as_markup(site: dict[str, bytes]) -> None:
    for name, content in site.items():
        if name.endswith((".html", ".js")):
            assert b"onerror=alert" not in content, name
    assert sorted(site) == sorted({"index.html", "board.json", "models.csv", "scores.csv"} | {*_outcomes(site)})
    assert all(re.fullmatch(r"outcomes/[0-9a-f]{16}\.js", name) for name in _outcomes(site))


def test_a_cell_that_looks_like_a_formula_is_text(site: dict[str, bytes]) -> None:
    names = {row["model"] for row in csv.DictReader(io.StringIO(site["models.csv"].decode()))}
    assert f"'{HOSTILE}" in names


def test_scores_per_language_come_with_intervals(site: dict[str, bytes], entries: list[Entry]) -> None:
    rows = list(csv.DictReader(io.StringIO(site["scores.csv"].decode())))
    assert len(rows) == 4
    subset = entries[0].subsets[0]
    (row,) = (one for one in rows if one["language"] == subset.key and one["model"] == entries[0].model.name)
    assert float(row["PN"]) == pytest.approx(subset.perturbations["PN"].tacc, abs=5e-4)
    assert float(row["macro"]) == pytest.approx(subset.macro, abs=5e-4)
    assert float(row["macro_low"]) < float(row["macro"]) < float(row["macro_high"])


def test_outcomes_come_back_bit_by_bit(site: dict[str, bytes], entries: list[Entry]) -> None:
    found = []
    for name in _outcomes(site):
        call = re.fullmatch(r'aleeOutcomes\("([0-9a-f]{16})","([A-Za-z0-9+/=]+)"\);\n', site[name].decode())
        assert call is not None
        assert name == f"outcomes/{call[1]}.js"
        block = json.loads(gzip.decompress(base64.b64decode(call[2])))["ALEE-Own"]
        bits = np.frombuffer(base64.b64decode(block["passed"]), dtype=np.uint8).reshape(2, 4, 3)
        found.append(np.unpackbits(bits, axis=-1, count=20).astype(bool))
    expected = [np.stack([one.outcomes.passed for one in entry.subsets if one.outcomes]) for entry in entries]
    assert any(np.array_equal(found[0], one) for one in expected)
    assert any(np.array_equal(found[1], one) for one in expected)
    assert not np.array_equal(found[0], found[1])


def _outcomes(site: dict[str, bytes]) -> list[str]:
    return [name for name in site if name.startswith("outcomes/")]


def test_a_build_replaces_an_earlier_one(tmp_path: Path) -> None:
    built = build_site(tmp_path / "site")
    stale = tmp_path / "site" / "outcomes" / "0123456789abcdef.js"
    stale.write_text("old")
    before = {path.name: path.read_bytes() for path in (tmp_path / "site").glob("*.*")}
    assert build_site(tmp_path / "site") == built
    assert not stale.exists()
    assert before == {path.name: path.read_bytes() for path in (tmp_path / "site").glob("*.*")}
    names = {(one.kind, one.model.name, one.model.revision) for one in load_entries()}
    assert built.models == len(names)


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("dear")
    with pytest.raises(ResultsError, match="holds other files"):
        build_site(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_what_an_interrupted_build_leaves_is_built_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site, replaced = tmp_path / "site", []
    real = Path.replace

    def killed(self: Path, target: Path) -> Path:
        if replaced:
            raise KeyboardInterrupt
        replaced.append(target.name)
        return real(self, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", killed)
        with pytest.raises(KeyboardInterrupt):
            build_site(site)
    assert [path.name for path in site.iterdir() if path.is_file()] == ["board.json"]
    assert build_site(site).page.is_file()


@pytest.mark.parametrize("name", ["index.html", ".board.json.abc.tmp"], ids=["foreign", "half-a-file-of-ours"])
def test_half_a_file_of_an_interrupted_build_is_no_foreign_file(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("half")
    if name == "index.html":
        with pytest.raises(ResultsError, match="holds other files"):
            build_site(tmp_path)
    else:
        assert build_site(tmp_path).page.is_file()


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ResultsError, match=r"file/site: cannot be written \(Not a directory\); give another folder"):
        build_site(tmp_path / "file" / "site")


def test_nothing_to_show_is_said(tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    with pytest.raises(ResultsError, match="no results to show"):
        build_site(tmp_path / "site", tmp_path / "results")
    assert not (tmp_path / "site").exists()


def test_the_command_says_what_it_wrote(tmp_path: Path) -> None:
    done = CliRunner().invoke(group, ["build", str(tmp_path / "site"), "--json"])
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert told["page"] == str(tmp_path / "site" / "index.html")
    assert told["page_bytes"] == (tmp_path / "site" / "index.html").stat().st_size
