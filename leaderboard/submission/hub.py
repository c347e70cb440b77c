"""Filing a checked submission as a pull request on a Hub data-set repository."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from alee_mteb.errors import AleeError
from alee_mteb.hub import name_problem, refusal
from leaderboard.submission.collect import Submission
from leaderboard.submission.layout import META
from leaderboard.submission.problems import Problem, SubmissionError
from leaderboard.submission.store import Filed, State, same_content
from leaderboard.submission.strict_json import MAX_BYTES

if TYPE_CHECKING:
    from huggingface_hub import HfApi

#: Where results lie in a repository of their own, as in mteb's.
FOLDER = "results"
_UNREACHABLE = "the Hugging Face Hub cannot be reached; try again, or file it in a checkout with --to"


class HubError(AleeError):
    """A submission that the Hub does not take."""


@dataclass(frozen=True)
class PullRequest:
    """What was, or would be, asked for.

    Attributes:
        url: of the pull request; ``None`` for a dry run, or where everything is there already.
        files: what would become of each file once it is merged; in a dry run, where the Hub is not asked, all ``new``.
    """

    repository: str
    url: str | None
    files: tuple[Filed, ...]


def open_pull_request(
    submission: Submission, repository: str, *, replace: bool, dry_run: bool, token: str | None = None
) -> PullRequest:
    """Ask a repository to take a submission, in one commit on a pull request of its own.

    Only the files at the same places are looked at there; whether an entry is a copy of another one is for the
    repository's own CI to find (`alee leaderboard check`).

    Args:
        repository: ``org/name`` of a data-set repository.
        replace: also where a file is there with other content.
        dry_run: the Hub is not asked.
        token: instead of the one that is logged in.

    Raises:
        HubError: no such repository, no right to write, or no network; nothing was sent.
        SubmissionError: a file is there with other content and `replace` is false.
    """
    from huggingface_hub import CommitOperationAdd, HfApi
    from huggingface_hub.errors import HTTPError

    if problem := name_problem(repository):
        raise HubError(f"--repo {problem}")
    uploads = {f"{FOLDER}/{place}": data for place, data in sorted(submission.files.items())}
    if dry_run:
        return PullRequest(repository, None, tuple(Filed(path, len(data), "new") for path, data in uploads.items()))
    api = HfApi(token=token)
    try:
        head = api.dataset_info(repository).sha
        filed = [
            Filed(path, len(uploads[path]), state) for path, state in _states(api, repository, head, uploads).items()
        ]
        _refuse_differing(filed, replace)
        if all(one.state == "unchanged" for one in filed):
            return PullRequest(repository, None, tuple(filed))
        info = api.create_commit(
            repository,
            [CommitOperationAdd(one.path, uploads[one.path]) for one in filed if one.state != "unchanged"],
            repo_type="dataset",
            commit_message=_title(submission),
            commit_description=_description(submission),
            create_pr=True,
            parent_commit=head,
        )
    except (HTTPError, OSError) as error:
        raise HubError(f"{repository}: nothing was sent, {refusal(error, _UNREACHABLE)}") from error
    return PullRequest(repository, info.pr_url, tuple(filed))


def _states(api: "HfApi", repository: str, head: str | None, uploads: dict[str, bytes]) -> dict[str, State]:
    """Each file against the one in the repository, by Git's or LFS's hash; only cards that differ are fetched."""
    states: dict[str, State] = dict.fromkeys(uploads, "new")
    for entry in api.get_paths_info(repository, list(uploads), repo_type="dataset", revision=head):
        data = uploads[entry.path]
        lfs = getattr(entry, "lfs", None)
        if lfs is not None:
            same = lfs.sha256 == hashlib.sha256(data).hexdigest()
        else:
            blob = hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False)
            same = getattr(entry, "blob_id", None) == blob.hexdigest()
        if not same and entry.path.endswith(f"/{META}") and getattr(entry, "size", MAX_BYTES) < MAX_BYTES:
            there = api.hf_hub_download(repository, entry.path, repo_type="dataset", revision=head)
            same = same_content(entry.path, Path(there).read_bytes(), data)
        states[entry.path] = "unchanged" if same else "replaced"
    return states


def _refuse_differing(filed: list[Filed], replace: bool) -> None:
    differing = [one.path for one in filed if one.state == "replaced"]
    if differing and not replace:
        message = "is there with other content; --replace asks to overwrite it"
        raise SubmissionError([Problem(path, "file", message) for path in differing])


def _title(submission: Submission) -> str:
    models = sorted({entry.card.name for entry in submission.entries})
    tasks = sorted({entry.task for entry in submission.entries})
    return f"Add {', '.join(tasks[:4])} results of {', '.join(models[:3])}"[:200]


def _description(submission: Submission) -> str:
    lines = ["| Model | Revision | Task | Languages | Macro-TACC |", "| --- | --- | --- | --- | --- |"]
    lines += [
        f"| {one.card.name} | {one.card.revision} | {one.task} | {len(one.passed)} | {one.macro:.3f} |"
        for one in submission.entries
    ]
    return "\n".join([*lines, "", "Checked with `alee submit`; `alee leaderboard check` does the same for the folder."])
