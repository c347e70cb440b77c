"""Chat models as span extraction sees them, and the cache of their answers on disk."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from alee_mteb.errors import DataError
from alee_mteb.files import write_text


class ChatModel(Protocol):
    """Something that answers a question.

    Attributes:
        name: of the model.
        settings: everything beside model and question that can change an answer.
    """

    name: str
    settings: Mapping[str, Any]

    @property
    def last_problem(self) -> str | None:
        """Why a question last had no answer."""
        ...

    def answers(self, prompts: Sequence[str]) -> Iterator[tuple[int, str | None]]:
        """Number of the prompt and its answer, each as soon as it is there; ``None`` if the model gave none.

        Raises:
            ModelError: the model cannot be used at all.
        """
        ...


class CachedChat:
    """A chat model that is asked each question once, whichever run it is for.

    Each answer is a file of its own, named by the SHA-256 of model, settings and question, and written as soon as it
    is there. A question without an answer is asked again in the next run.

    Args:
        model: the one to ask.
        folder: of the cache; made when needed.
    """

    def __init__(self, model: ChatModel, folder: Path) -> None:
        self._model = model
        self._folder = folder
        self.name = model.name
        self.settings = model.settings

    @property
    def last_problem(self) -> str | None:
        """See `ChatModel`."""
        return self._model.last_problem

    def answers(self, prompts: Sequence[str]) -> Iterator[tuple[int, str | None]]:
        """See `ChatModel`; those in the cache come first.

        Raises:
            ModelError: see `ChatModel`.
            DataError: a file of the cache is broken.
        """
        paths = [self._path(prompt) for prompt in prompts]
        open_questions = []
        for number, path in enumerate(paths):
            if path.exists():
                yield number, _read(path)
            else:
                open_questions.append(number)
        if not open_questions:
            return
        for at, answer in self._model.answers([prompts[number] for number in open_questions]):
            number = open_questions[at]
            if answer is not None:
                stored = {"model": self.name, "settings": dict(self.settings), "prompt": prompts[number]}
                write_text(paths[number], json.dumps(stored | {"answer": answer}, ensure_ascii=True, indent=1))
            yield number, answer

    def _path(self, prompt: str) -> Path:
        content = json.dumps([self.name, dict(self.settings), prompt], sort_keys=True)
        key = hashlib.sha256(content.encode()).hexdigest()
        return self._folder / key[:2] / f"{key}.json"


def _read(path: Path) -> str:
    try:
        return str(json.loads(path.read_text(encoding="utf-8"))["answer"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataError(f"{path}: broken file in the cache of answers ({error}); delete it") from error
