"""What is wrong with a submission: always a file, a field and what to do."""

from collections.abc import Sequence
from dataclasses import dataclass

from alee_mteb.errors import ResultsError


@dataclass(frozen=True, order=True)
class Problem:
    """One thing that keeps a file out of the leaderboard.

    Attributes:
        file: path inside the folder that was looked at.
        field: where in the file, e.g. ``scores.test[deu_Latn].perturbations.PN.tacc``; ``file`` or ``path`` where the
            trouble is the file itself.
        message: what is wrong and what to do, one line.
    """

    file: str
    field: str
    message: str

    def __str__(self) -> str:
        return shown(f"{self.file}: {self.field}: {self.message}", 600)


class SubmissionError(ResultsError):
    """A submission that was refused; `problems` has everything that was found, the message the first."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        more = f" (and {len(problems) - 1} more: --json lists all)" if len(problems) > 1 else ""
        super().__init__(f"{problems[0]}{more}")


def shown(text: object, limit: int = 80) -> str:
    """Text of a stranger made fit for a terminal: one line, printable, cut to `limit` characters.

    >>> shown("a\\x1b[31mb\\n<script>")
    'a?[31mb?<script>'
    """
    clean = "".join(character if character.isprintable() else "?" for character in str(text)[: limit + 1])
    return clean if len(clean) <= limit else clean[: limit - 1] + "…"
