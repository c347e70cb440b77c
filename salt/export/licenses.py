"""Under which terms a trained encoder can be passed on: those of the weights it began from, and of its text."""

import re
from pathlib import Path

import yaml

from alee_mteb.encoders.recipe import SONAR

#: Weights whose folders may not say it.
_BASES = {
    "sonar": "cc-by-nc-4.0",
    "multilingual-e5": "mit",
    "labse": "apache-2.0",
    "mexma": "mit",
    "xlm-roberta": "mit",
}
#: Data sets by a part of their names.
_DATA = {"xl-wa": "cc-by-nc-sa-4.0", "xlwa": "cc-by-nc-sa-4.0", "alee-sample": "apache-2.0"}


def base_license(folder: Path, name: str, family: str) -> str | None:
    """The licence of the weights: as their card states it, or as it is known; ``None`` if neither.

    SONAR's text encoder is CC-BY-NC 4.0 whatever a copy of it says.
    """
    if family == SONAR:
        return _BASES["sonar"]
    stated = _stated(folder / "README.md")
    return stated or next((known for part, known in _BASES.items() if part in name.lower()), None)


def data_license(stated: str | None) -> str | None:
    """The licence of the text, by its identifier or the name of a data set that is known here."""
    if stated is None:
        return None
    return next((known for part, known in _DATA.items() if part == stated.lower()), stated.lower())


def forbids_commerce(license: str | None) -> bool:
    """Whether a licence allows non-commercial use alone."""
    return license is not None and re.search(r"(^|-)nc(-|$)", license) is not None


def _stated(card: Path) -> str | None:
    if not card.is_file():
        return None
    match = re.match(r"---\n(.*?)\n---\n", card.read_text(encoding="utf-8", errors="replace"), flags=re.DOTALL)
    try:
        metadata = yaml.safe_load(match[1]) if match else None
    except yaml.YAMLError:
        return None
    stated = metadata.get("license") if isinstance(metadata, dict) else None
    return str(stated).lower() if stated else None
