"""Submissions that try something: each is refused with one line that names the field, and nothing is written."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from support.submissions import CARD, FOLDER, RESULT, Json, edit, real_run, snapshot, subset

from leaderboard.submission.collect import check_folder, read_submission
from leaderboard.submission.known import knowledge
from leaderboard.submission.problems import SubmissionError
from leaderboard.submission.store import file_in_checkout

Change = Callable[[Path], object]


def result(change: Callable[[Json], object]) -> Change:
    """Change the whole result file."""
    return lambda folder: edit(folder / RESULT, change)


def german(**fields: object) -> Change:
    """Set fields of the German scores."""
    return result(lambda content: subset(content).update(fields))


def negation(**fields: object) -> Change:
    """Set fields of the German scores on polarity negation."""
    return result(lambda content: subset(content)["perturbations"]["PN"].update(fields))


def settings(**fields: object) -> Change:
    """Set fields of the German settings."""
    return result(lambda content: subset(content)["settings"].update(fields))


def all_settings(**fields: object) -> Change:
    """Set fields of the settings of all languages."""
    return result(lambda content: [one["settings"].update(fields) for one in content["scores"]["test"]])


def outcomes(**fields: object) -> Change:
    """Set fields of the German outcomes."""
    return result(lambda content: subset(content)["outcomes"].update(fields))


def packed(bits: str) -> Change:
    """The same text for all perturbations."""
    return outcomes(passed=dict.fromkeys(("PN", "RS", "AR", "HS"), bits))


def card(**fields: object) -> Change:
    """Set fields of the model card."""
    return lambda folder: edit(folder / CARD, lambda content: content.update(fields))


def text(place: str, old: str, new: str) -> Change:
    """Replace text in a file, once."""

    def change(folder: Path) -> None:
        content = (folder / place).read_text(encoding="utf-8")
        assert old in content
        (folder / place).write_text(content.replace(old, new, 1), encoding="utf-8")

    return change


def english_score(number: str) -> Change:
    """Put a number there as text that no Python float gives."""
    return text(RESULT, '"main_score": 1.0', f'"main_score": {number}')


def content(place: str, data: bytes) -> Change:
    """Put other bytes in a file."""
    return lambda folder: (folder / place).write_bytes(data)


def huge(folder: Path) -> None:
    os.truncate(folder / RESULT, 100_000_000)


def linked_file(folder: Path) -> None:
    outside = folder.parent / "outside.json"
    (folder / RESULT).rename(outside)
    (folder / RESULT).symlink_to(outside)


def linked_card(folder: Path) -> None:
    outside = folder.parent / "outside.json"
    (folder / CARD).rename(outside)
    (folder / CARD).symlink_to(outside)


def linked_folder(folder: Path) -> None:
    outside = folder.parent / "outside"
    (folder / FOLDER).rename(outside)
    (folder / FOLDER).symlink_to(outside)


def pipe(folder: Path) -> None:
    (folder / RESULT).unlink()
    os.mkfifo(folder / RESULT)


def renamed(new: str) -> Change:
    return lambda folder: (folder / FOLDER).rename(folder / FOLDER.split("/")[0] / new)


def twice(content: Json) -> None:
    content["scores"]["test"].append(subset(content))


OTHER_COMMIT = "b" * 64


def other_commit(folder: Path) -> None:
    all_settings(commit=OTHER_COMMIT)(folder)
    result(lambda c: c.update(dataset_revision=OTHER_COMMIT[:8]))(folder)


KEY = "scores.test[deu_Latn]"
DEEP = b'{"a":' * 100_000 + b"1" + b"}" * 100_000

MANY_KEYS = b"{" + b",".join(b'"%d":1' % number for number in range(40_000)) + b',"z":1,"z":1}'

CASES: dict[str, tuple[Change, str, str]] = {
    # name: (what is done to a good submission, field, part of the message)
    "script_in_model_name": (card(name="<script>alert(1)</script>/x"), "name", "is not a"),
    "html_in_model_name": (card(name='org/<img src=x onerror="alert(1)">'), "name", "is not a"),
    "dots_in_model_name": (card(name="../../etc/passwd"), "name", "is not a"),
    "parent_as_organisation": (card(name="../x"), "name", "is not a"),
    "absolute_model_name": (card(name="/etc/passwd"), "name", "is not a"),
    "backslash_in_model_name": (card(name="org\\..\\x/y"), "name", "is not a"),
    "line_end_after_model_name": (card(name="org/x\n"), "name", "is not a"),
    "negative_dimension": (card(embed_dim=[-3]), "embed_dim[0]", "greater than 0"),
    "no_model_name": (card(name=None), "name", "should be a valid string"),
    "dots_in_revision": (card(revision="../../.."), "revision", "is not a"),
    "dot_as_revision": (card(revision=".."), "revision", "is not a"),
    "unknown_revision": (card(revision="no_revision_available"), "name", "the model has no revision"),
    "script_as_link": (card(reference="javascript:alert(1)"), "reference", "is not a"),
    "quote_in_link": (card(reference='https://x.org/"><script>'), "reference", "is not a"),
    "html_in_licence": (card(license="<b>mit</b>"), "license", "not plain text"),
    "terminal_codes_in_licence": (card(license="\x1b[2Jmit"), "license", "not plain text"),
    "right_to_left_override_in_licence": (card(license="mit\u202e"), "license", "not plain text"),
    "negative_parameters": (card(n_parameters=-1), "n_parameters", "greater than 0"),
    "parameters_as_text": (card(n_parameters="many"), "n_parameters", "valid integer"),
    "nan_dimension": (card(embed_dim=float("nan")), "embed_dim", "NaN is not a number"),
    "html_as_language": (card(languages=["<b>"]), "languages[0]", "is not a"),
    "card_is_a_list": (content(CARD, b"[]"), "file", "a JSON object is needed"),
    "card_is_missing": (lambda folder: (folder / CARD).unlink(), "file", "is missing"),
    "dots_in_task_name": (result(lambda c: c.update(task_name="ALEE-../../x")), "task_name", "is not the name"),
    "html_in_task_name": (result(lambda c: c.update(task_name="ALEE-<b>")), "task_name", "is not the name"),
    "other_task_name": (result(lambda c: c.update(task_name="ALEE-F200")), "path", "ALEE-F200.json"),
    "1e308": (german(main_score=1e308), f"{KEY}.main_score", "less than or equal to 1"),
    "1e999": (english_score("1e999"), "scores.test[eng_Latn].main_score", "1e999 is too large"),
    "minus_1e999": (english_score("-1e999"), "scores.test[eng_Latn].main_score", "-1e999 is too large"),
    "nan": (german(macro_tacc=float("nan")), f"{KEY}.macro_tacc", "NaN is not a number"),
    "infinity": (negation(margin=float("inf")), f"{KEY}.perturbations.PN.margin", "Infinity is not a number"),
    "minus_infinity": (negation(margin=float("-inf")), f"{KEY}.perturbations.PN.margin", "-Infinity is not a number"),
    "minus_one": (negation(tacc=-1), f"{KEY}.perturbations.PN.tacc", "greater than or equal to 0"),
    "above_one": (negation(tacc=1.000001), f"{KEY}.perturbations.PN.tacc", "less than or equal to 1"),
    "negative_count": (negation(n=-5), f"{KEY}.perturbations.PN.n", "greater than or equal to 0"),
    "fractional_count": (negation(n=78.5), f"{KEY}.perturbations.PN.n", "valid integer"),
    "true_as_score": (negation(tacc=True), f"{KEY}.perturbations.PN.tacc", "valid number"),
    "text_as_score": (negation(tacc="0.9"), f"{KEY}.perturbations.PN.tacc", "valid number"),
    "number_of_400_digits": (negation(n=10**400), f"{KEY}.perturbations.PN.n", "too large"),
    "unknown_field": (negation(note="<b>best</b>"), f"{KEY}.perturbations.PN.note", "not a field"),
    "unknown_perturbation": (
        result(lambda c: subset(c)["perturbations"].update(XX=subset(c)["perturbations"]["PN"])),
        f"{KEY}.perturbations.XX",
        "not one of PN, RS, AR, HS",
    ),
    "100_mb": (huge, "file", "100,000,000 bytes"),
    "deep_json": (content(RESULT, DEEP), "file", "nested deeper"),
    "deep_lists": (content(RESULT, b'{"a":' + b"[" * 900), "file", "nested deeper"),
    "brackets_in_an_endless_string": (content(RESULT, b'{"a":"' + b'\\"[{' * 100_000), "file", "not JSON"),
    "million_objects": (content(RESULT, b'{"a":[' + b"{}," * 1_000_000 + b"{}]}"), "file", "more than 500,000 values"),
    "many_keys_one_twice": (content(RESULT, MANY_KEYS), "file", "the key 'z' is there twice"),
    "many_nans": (content(RESULT, b'{"a":[' + b"NaN," * 40_000 + b"1]}"), "a[0]", "NaN is not a number"),
    "not_json": (content(RESULT, b"hello"), "file", "not JSON"),
    "empty": (content(RESULT, b""), "file", "not JSON"),
    "not_utf8": (content(RESULT, b'{"a": "\xff"}'), "file", "not UTF-8"),
    "a_list": (content(RESULT, b"[1, 2]"), "file", "a JSON object is needed"),
    "key_twice": (
        text(RESULT, '"task_name": "ALEE-Sample"', '"task_name": "ALEE-F200", "task_name": "ALEE-Sample"'),
        "file",
        "'task_name' is there twice",
    ),
    "key_twice_inside": (
        text(RESULT, '"rows": 80', '"rows": 80, "rows": 80'),
        "scores.test[eng_Latn].outcomes",
        "'rows' is there twice",
    ),
    "subset_twice": (result(twice), KEY, "is there twice"),
    "no_subset": (result(lambda c: c["scores"].update(test=[])), "scores.test", "at least 1 item"),
    "another_split": (result(lambda c: c["scores"].update(train=[])), "scores.train", "not a field"),
    "wrong_commit": (other_commit, "scores.test[eng_Latn].settings.commit", "no known commit"),
    "commit_of_one_language": (settings(commit=OTHER_COMMIT), f"{KEY}.settings.commit", "differs"),
    "no_commit": (settings(commit="main"), f"{KEY}.settings.commit", "is not a"),
    "wrong_dataset_revision": (result(lambda c: c.update(dataset_revision="12345678")), "dataset_revision", "neither"),
    "unknown_language": (
        german(hf_subset="xxx_Xxxx", language="xxx_Xxxx", languages=["xxx-Xxxx"]),
        "scores.test[xxx_Xxxx].hf_subset",
        "has no language 'xxx_Xxxx'",
    ),
    "language_of_another_data_set": (
        german(hf_subset="nld_Latn", language="nld_Latn", languages=["nld-Latn"]),
        "scores.test[nld_Latn].hf_subset",
        "has no language 'nld_Latn'",
    ),
    "path_as_language": (german(hf_subset="../../x"), "scores.test[../../x].hf_subset", "is not a"),
    "html_as_language_key": (german(hf_subset="<b>x</b>"), "scores.test[<b>x</b>].hf_subset", "is not a"),
    "other_code_behind_a_key": (german(language="fra_Latn"), f"{KEY}.language", "stands 'deu_Latn'"),
    "other_mteb_code_behind_a_key": (german(languages=["fra-Latn"]), f"{KEY}.languages", "stands 'deu-Latn'"),
    "other_prompt": (settings(prompt="passage: "), f"{KEY}.settings.prompt", "differs"),
    "other_similarity": (settings(similarity="dot"), f"{KEY}.settings.similarity", "'cosine'"),
    "settings_of_another_task": (all_settings(task="ALEE-F200"), "scores.test[eng_Latn].settings.task", "in a file of"),
    "other_data": (all_settings(data="org/mine"), "settings.data", "read from 'packaged'"),
    "no_mteb_version": (settings(versions={"alee-mteb": "1"}), f"{KEY}.settings.versions", "mteb is missing"),
    "html_as_version": (settings(versions={"mteb": "<b>"}), f"{KEY}.settings.versions.mteb", "is not a"),
    "linked_file": (linked_file, "path", "symbolic link"),
    "linked_card": (linked_card, "path", "symbolic link"),
    "linked_folder": (linked_folder, "path", "symbolic link"),
    "pipe": (pipe, "file", "not a plain file"),
    "other_folder_name": (renamed("other"), "path", "its content belongs at"),
    "no_outcomes": (result(lambda c: subset(c).pop("outcomes")), f"{KEY}.outcomes", "is missing"),
    "outcomes_not_base64": (packed("<b>"), f"{KEY}.outcomes.passed.PN", "is not base64"),
    "too_few_bits": (packed("AAAA"), f"{KEY}.outcomes", "3 bytes for 80"),
    "other_row_count": (outcomes(rows=81), f"{KEY}.outcomes", "10 bytes for 81 rows"),
    "bits_behind_the_last_row": (outcomes(rows=77), f"{KEY}.outcomes", "behind the last row"),
    "million_rows": (outcomes(rows=10**9), f"{KEY}.outcomes.rows", "less than or equal to 1000000"),
    "other_rows": (outcomes(ids="0" * 16), f"{KEY}.outcomes.ids", "other rows"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_refused_with_one_line_that_names_the_field_and_nothing_written(name: str, tmp_path: Path):
    change, field, message = CASES[name]
    change(real_run(tmp_path / "sent"))
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    with pytest.raises(SubmissionError) as refusal:
        file_in_checkout(read_submission(tmp_path / "sent", knowledge()), checkout, replace=True, dry_run=False)
    line = str(refusal.value)
    assert "\n" not in line
    assert len(line) < 700
    assert line.isprintable()
    assert field in {problem.field for problem in refusal.value.problems}
    assert any(problem.field == field and message in problem.message for problem in refusal.value.problems), line
    assert snapshot(checkout) == {}
    assert list(checkout.iterdir()) == []


@pytest.mark.parametrize("name", CASES)
def test_the_check_of_a_folder_finds_the_same(name: str, tmp_path: Path):
    change, field, message = CASES[name]
    change(real_run(tmp_path / "sent"))
    report = check_folder(tmp_path / "sent", knowledge())
    assert any(problem.field == field and message in problem.message for problem in report.problems), report.problems


def test_every_problem_of_a_file_is_listed(tmp_path: Path):
    sent = real_run(tmp_path / "sent")
    edit(sent / RESULT, lambda c: (subset(c)["perturbations"]["PN"].update(tacc=-1), subset(c).pop("main_score")))
    edit(sent / RESULT, lambda c: subset(c, "fra_Latn")["matched"].update(n=-2))
    with pytest.raises(SubmissionError) as refusal:
        read_submission(sent, knowledge())
    assert {problem.field for problem in refusal.value.problems} == {
        f"{KEY}.perturbations.PN.tacc",
        f"{KEY}.main_score",
        "scores.test[fra_Latn].matched.n",
    }
    assert str(refusal.value).endswith("(and 2 more: --json lists all)")


def test_one_bad_file_keeps_all_of_a_submission_out(tmp_path: Path):
    from leaderboard.entries import RESULTS

    sent = real_run(tmp_path / "sent")
    other = "alee-mteb__use-multilingual-v3"
    (sent / other).mkdir()
    (sent / other / "r").symlink_to(next((RESULTS / other).iterdir()))
    with pytest.raises(SubmissionError, match="symbolic link"):
        read_submission(sent, knowledge())


def test_what_mteb_may_write_is_let_be(tmp_path: Path):
    """Unlimited length is ``Infinity`` in mteb's cards, and new versions may add fields around ours."""
    sent = real_run(tmp_path / "sent")
    card(max_tokens=float("inf"), brand_new_field={"a": 1})(sent)
    result(lambda c: c.update(brand_new_field=[1, 2]))(sent)
    assert "Infinity" in (sent / CARD).read_text()
    assert len(read_submission(sent, knowledge()).entries) == 1


def test_infinity_elsewhere_in_a_card_is_refused(tmp_path: Path):
    sent = real_run(tmp_path / "sent")
    card(memory_usage_mb=float("inf"))(sent)
    with pytest.raises(SubmissionError, match=r"memory_usage_mb: Infinity"):
        read_submission(sent, knowledge())


def test_messages_show_nothing_that_moves_a_terminal(tmp_path: Path):
    sent = real_run(tmp_path / "sent")
    german(hf_subset="\x1b[2J\u202e\n")(sent)
    with pytest.raises(SubmissionError) as refusal:
        read_submission(sent, knowledge())
    assert all(str(problem).isprintable() for problem in refusal.value.problems)
    assert json.dumps([problem.field for problem in refusal.value.problems])
