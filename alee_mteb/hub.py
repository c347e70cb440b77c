"""Writing to the Hugging Face Hub, wherever it is done: names that can be, pages, and refusals in one line."""

from collections.abc import Mapping

_NO_RIGHT = "no right to write there ({code}); `hf auth login` with a token that may write"
_ADVICE: Mapping[int, str] = {
    401: _NO_RIGHT,
    403: _NO_RIGHT,
    404: "no such repository, or no access to it (404); check its name, or `hf auth login`",
    409: "somebody else has written to it meanwhile; run the same command again",
    412: "somebody else has written to it meanwhile; run the same command again",
    429: "the Hugging Face Hub answers 429, too many requests; wait a while",
}
_UNREACHABLE = "the Hugging Face Hub cannot be reached or refused the files ({error})"
_FOLDERS = {"model": "", "dataset": "datasets/"}


def name_problem(repository: str) -> str | None:
    """Why a text cannot be the name of a repository that one writes to (``org/name``); ``None`` if it can."""
    from huggingface_hub.errors import HFValidationError
    from huggingface_hub.utils import validate_repo_id

    try:
        validate_repo_id(repository)
    except HFValidationError as error:
        return f"{repository}: not a name for a repository, use org/name ({error})"
    return None if "/" in repository else f"{repository}: not a name for a repository, use org/name"


def page(repository: str, kind: str, branch: str | None = None) -> str:
    """The address of a repository. `kind` is ``model`` or ``dataset``."""
    from huggingface_hub import constants

    return f"{constants.ENDPOINT}/{_FOLDERS[kind]}{repository}" + (f"/tree/{branch}" if branch else "")


def refusal(error: BaseException, otherwise: str = _UNREACHABLE) -> str:
    """What the Hub, the network or the client said, as half a line that says what to do.

    `otherwise` stands for errors without an answer of the Hub, ``{error}`` in it for the error.
    """
    code = _status(error)
    if code is None:
        return otherwise.format(error=error)
    return _ADVICE.get(code, "the Hugging Face Hub answers {code}; try again later").format(code=code)


def _status(error: BaseException) -> int | None:
    """The HTTP status of the answer that an error, or one that caused it, came from."""
    cause: BaseException | None = error
    while cause is not None:
        response = getattr(cause, "response", None)
        if response is not None:
            return int(response.status_code)
        cause = cause.__cause__
    return None
