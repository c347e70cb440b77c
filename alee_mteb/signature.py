"""A signature states every setting that can change a score, in one line, as in sacrebleu.

ALEE-Sample|data:packaged@3f2a91c0|perturbations:PN+RS+AR+HS|languages:13|prompt:"query: "|similarity:cosine|…
"""

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from alee_mteb.version import __version__

_LIBRARIES = ("mteb", "sentence-transformers", "transformers", "torch")


def settings(task: str, data: str, commit: str, prompt: str | None) -> dict[str, Any]:
    """The settings of one run that every subset's scores carry."""
    return {
        "task": task,
        "data": data,
        "commit": commit,
        "prompt": prompt,
        "similarity": "cosine",
        "versions": {"alee-mteb": __version__, **{name: found for name in _LIBRARIES if (found := _version(name))}},
    }


def signature(settings: Mapping[str, Any], perturbations: Sequence[str], n_languages: int) -> str:
    """One line out of `settings`, the perturbations scored and the number of languages."""
    prompt = settings.get("prompt")
    parts = [
        str(settings["task"]),
        f"data:{settings['data']}@{str(settings['commit'])[:8]}",
        f"perturbations:{'+'.join(perturbations)}",
        f"languages:{n_languages}",
        "prompt:" + ("unknown" if prompt is None else '"' + " ".join(str(prompt).split("\n")).replace("|", "/") + '"'),
        f"similarity:{settings['similarity']}",
        *(f"{name}:{number}" for name, number in settings["versions"].items()),
    ]
    return "|".join(parts)


@cache
def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
