"""What can go wrong, as one class tree.

Every message is one line: what is wrong, where (file, row, language, column), what to do. The command line prints
it and exits with `exit_code`; under ``mteb run`` it is the last line of the traceback. None of these is a
`ValueError` or `KeyError`: mteb catches some of those and goes on with less than was asked for.
"""


class AleeError(Exception):
    """Base of all errors that a user can do something about."""

    exit_code = 1

    def __init__(self, message: str) -> None:
        super().__init__(" ".join(message.split()))


class DataError(AleeError):
    """A triplet table that is missing, cannot be read, or breaks a rule of the format."""


class LanguageError(AleeError):
    """A language, script or subset that is unknown, or a filter that leaves nothing."""


class TaskError(AleeError):
    """A task or benchmark name that does not exist."""


class EncoderError(AleeError):
    """An encoder that returned something that is not one finite, non-zero vector per text."""


class ModelError(AleeError):
    """A model that cannot be found or loaded."""


class ResultsError(AleeError):
    """A results folder or file that cannot be read or written."""


class MissingExtraError(AleeError):
    """An optional dependency that is not installed."""

    def __init__(self, module: str, extra: str, purpose: str) -> None:
        super().__init__(f"{purpose} needs the Python package {module!r}: pip install 'alee-mteb[{extra}]'")
