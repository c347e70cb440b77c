"""An exported model on the Hub: its files in one commit, whole or not at all."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from alee_mteb import hub
from alee_mteb.errors import AleeError
from salt.export.folder import read_facts


class PushError(AleeError):
    """A model that cannot be put on the Hub."""


@dataclass(frozen=True)
class Pushed:
    """What was, or would be, put on the Hub.

    Attributes:
        commit: ``None`` for a dry run.
        files: path → size in bytes.
        revision: the hash of the weights.
    """

    repository: str
    url: str
    commit: str | None
    files: Mapping[str, int]
    revision: str


def push_model(
    folder: Path,
    repository: str,
    *,
    private: bool = False,
    dry_run: bool = False,
    branch: str | None = None,
    create_pr: bool = False,
    token: str | None = None,
) -> Pushed:
    """Put the folder of `salt.export.folder.export_model` on the Hub as one commit.

    Files of the repository that the folder does not have are removed, so that no weights of another model stay.

    Args:
        repository: ``org/name``; made if it does not exist.
        private: make a new repository private; one that exists and is public is refused.
        dry_run: check everything; the Hub is not asked.
        branch: made if it does not exist; ``main`` by default.
        create_pr: open a pull request instead of writing to ``main``.

    Raises:
        TrainingError, PushError: the folder is no export, or the Hub does not take it; nothing was published.
    """
    if problem := hub.name_problem(repository):
        raise PushError(problem)
    if create_pr and branch not in (None, "main"):
        raise PushError(f"{repository}: a pull request goes to main, not to {branch}; drop one of the two options")
    revision = str(read_facts(folder)["revision"])
    paths = _uploads(folder)
    sizes = {name: path.stat().st_size for name, path in paths.items()}
    if dry_run:
        return Pushed(repository, hub.page(repository, "model"), None, sizes, revision)
    commit, url = _upload(paths, repository, private, branch, create_pr, revision, token)
    return Pushed(repository, url, commit, sizes, revision)


def _uploads(folder: Path) -> dict[str, Path]:
    """Path in the repository → local file."""
    return {
        path.relative_to(folder).as_posix(): path
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    }


def _upload(
    paths: Mapping[str, Path],
    repository: str,
    private: bool,
    branch: str | None,
    create_pr: bool,
    revision: str,
    token: str | None,
) -> tuple[str, str]:
    """Everything that talks to the Hub; the commit at its end is the only thing that readers can see."""
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi
    from huggingface_hub.errors import HTTPError

    api = HfApi(token=token)
    try:
        api.create_repo(repository, repo_type="model", private=private or None, exist_ok=True)
        if private and not api.model_info(repository).private:
            raise PushError(f"{repository}: exists and is public; make it private on its page, or choose another")
        if branch and not create_pr:
            api.create_branch(repository, branch=branch, repo_type="model", exist_ok=True)
        head = api.model_info(repository, revision=branch)
        present = [entry.rfilename for entry in head.siblings or []]
        commit = api.create_commit(
            repository,
            operations=[
                *(CommitOperationAdd(name, str(path)) for name, path in paths.items()),
                *(CommitOperationDelete(name) for name in present if name not in paths and not name.startswith(".")),
            ],
            commit_message=f"SALT encoder, weights {revision[:12]}",
            repo_type="model",
            revision=branch,
            create_pr=create_pr,
            parent_commit=None if create_pr else head.sha,
        )
    except (HTTPError, OSError, ValueError, RuntimeError) as error:
        raise PushError(f"{repository}: nothing was published, {hub.refusal(error)}") from error
    return commit.oid, commit.pr_url or hub.page(repository, "model", branch)
