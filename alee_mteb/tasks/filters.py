"""Which subsets of a task a language filter keeps."""

import difflib
from collections.abc import Mapping, Sequence

from mteb.languages.check_language_code import check_language_code

from alee_mteb.errors import LanguageError


def select_subsets(
    task: str,
    languages_of: Mapping[str, str],
    languages: Sequence[str] | None,
    scripts: Sequence[str] | None = None,
    subsets: Sequence[str] | None = None,
) -> list[str]:
    """Subset keys that match, in the task's order.

    Args:
        task: task name, for messages.
        languages_of: subset key → mteb language code (``deu-Latn``).
        languages: ISO 639-3 codes (``deu``), with script (``deu-Latn``, ``deu_Latn``), or subset keys (``de_DE``).
        scripts: ISO 15924 codes; a language given with its script ignores them.
        subsets: only these subset keys.

    Raises:
        LanguageError: a language, script or subset that does not exist, or nothing is left.
    """
    for key in subsets or ():
        if key not in languages_of:
            raise LanguageError(f"{task}: no subset {key!r}{_suggestion(key, languages_of)}")
    for code in (*(languages or ()), *(scripts or ())):
        if code not in languages_of:
            _check_code(task, code, languages_of)
    kept = [
        key
        for key, code in languages_of.items()
        if (subsets is None or key in subsets) and _matches(key, code, languages, scripts)
    ]
    if not kept:
        asked = [*(languages or ()), *(scripts or ()), *(subsets or ())]
        raise LanguageError(
            f"{task}: no subset matches {' '.join(asked)}; it has {len(languages_of)} languages, "
            f"list them with `alee tasks {task}`"
        )
    return kept


def _matches(key: str, code: str, languages: Sequence[str] | None, scripts: Sequence[str] | None) -> bool:
    language, script = code.split("-")
    in_script = not scripts or script in scripts
    if not languages:
        return in_script
    for wanted in languages:
        if wanted == key or wanted.replace("_", "-") == code:
            return True
        if wanted == language and in_script:
            return True
    return False


def _check_code(task: str, code: str, languages_of: Mapping[str, str]) -> None:
    try:
        check_language_code(code.replace("_", "-"))
    except ValueError as error:
        raise LanguageError(
            f"{task}: unknown language {code!r}{_suggestion(code, languages_of)}; use ISO 639-3 codes such as deu"
        ) from error


def _suggestion(code: str, languages_of: Mapping[str, str]) -> str:
    known = [*languages_of, *{value.split("-")[0] for value in languages_of.values()}]
    close = difflib.get_close_matches(code, known, n=1)
    return f", did you mean {close[0]!r}?" if close else ""
