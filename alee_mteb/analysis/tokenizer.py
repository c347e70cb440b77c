"""Median subtokens of a data set's translations, by a tokenizer of the user's (paper, §5.4)."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from alee_mteb.errors import MissingExtraError, ModelError
from alee_mteb.triplets import TripletTable

Tokenize = Callable[[str], Sequence[object]]


def load_tokenizer(name: str) -> Tokenize:
    """The `tokenize` of a Hugging Face tokenizer: a folder, a ``tokenizer.json``, or a name on the Hub.

    No special tokens are added.

    Raises:
        MissingExtraError: tokenizers or transformers is not installed.
        ModelError: there is no such tokenizer.
    """
    path = Path(name)
    file = path / "tokenizer.json" if path.is_dir() else path
    if file.is_file():
        return _from_file(file)
    try:
        from transformers import AutoTokenizer
    except ImportError as error:
        raise MissingExtraError("transformers", "builders", "a tokenizer by name") from error
    try:
        tokenizer: Any = AutoTokenizer.from_pretrained(name)
    except (OSError, ValueError) as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise ModelError(f"{name}: no tokenizer can be loaded ({reason}); give a folder or a Hub name") from error
    tokenize: Tokenize = tokenizer.tokenize
    return tokenize


def count_subtokens(
    table: TripletTable, task: str, keys: Iterable[str], tokenize: Tokenize
) -> dict[tuple[str, str], float]:
    """(task, language key) → median of ``len(tokenize(text))`` over the language's texts in rows with a foil.

    Raises:
        LanguageError, DataError: the table has no such language, or no text in it.
    """
    return {
        (task, key): float(median(len(tokenize(text)) for text in table.targets(key).texts if text is not None))
        for key in keys
    }


def _from_file(file: Path) -> Tokenize:
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise MissingExtraError("tokenizers", "demo", "a tokenizer file") from error
    try:
        tokenizer = Tokenizer.from_file(str(file))
    except Exception as error:  # the library raises bare Exception for a broken file
        raise ModelError(f"{file}: not a tokenizer ({error})") from error

    def tokenize(text: str) -> Sequence[object]:
        tokens: Sequence[object] = tokenizer.encode(text, add_special_tokens=False).tokens
        return tokens

    return tokenize
