"""``manifest.json``: all that decides what a build holds, and the hashes that prove it is whole.

It is written last, so a folder with a manifest is a finished build. Nothing in it changes from run to run: no times,
hosts, batch sizes or paths of the machine.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from alee_mteb.errors import DataError
from alee_mteb.files import write_text
from alee_mteb.version import __version__
from builders.corpora import BaseCorpus
from builders.engines import Engine
from builders.recipes import BuildConfig
from builders.stages import Corpus
from builders.survey import Survey

FORMAT = 1
MANIFEST = "manifest.json"


def make_header(config: BuildConfig, name: str, corpus: Corpus, surveyed: Survey, engine: Engine) -> dict[str, Any]:
    """All that decides what a build holds, and nothing that does not."""
    return {
        "format": FORMAT,
        "engine": config.engine,
        "mode": config.mode,
        "seed": config.seed,
        **engine.names,
        "config": name,
        "corpus": {
            **_describe(corpus),
            "sha256": surveyed.sha256,
            "english": corpus.english,
            "languages": list(surveyed.languages),
            "rows": surveyed.n_rows,
        },
        "settings": {
            "perturbations": [kind.value for kind in config.perturbations],
            "control": config.control,
            "min_text": config.min_text,
            "min_sentence": config.min_sentence,
        },
        "versions": {"alee-mteb": __version__, **_versions(engine.packages)},
    }


def _describe(corpus: Corpus) -> dict[str, Any]:
    """Name, licence and revision, of all sources where the corpus has several; no paths of this machine."""
    if not isinstance(corpus, BaseCorpus):
        return {"name": _place_name(corpus.name), "license": corpus.license, "revision": None}
    sources = [{**asdict(source), "name": _place_name(source.name)} for source in corpus.sources]
    return {
        "name": _place_name(corpus.name),
        "license": corpus.license,
        "revision": corpus.revision,
        "sources": sources,
    }


def _place_name(name: str) -> str:
    """A Hub name as it is, of a local place only its last part."""
    return Path(name).resolve().name if Path(name).exists() or Path(name).is_absolute() else name


def _versions(packages: tuple[str, ...]) -> dict[str, str]:
    found = {}
    for package in packages:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def same_build(manifest: Mapping[str, Any], header: Mapping[str, Any]) -> bool:
    return {key: value for key, value in manifest.items() if key not in ("files", "counts")} == header


def difference(manifest: Mapping[str, Any], header: Mapping[str, Any]) -> str:
    different = [key for key in header if manifest.get(key) != header[key]]
    return f"it differs in {', '.join(different)}" if different else "of another kind"


def write_manifest(folder: Path, header: Mapping[str, Any], rows: Mapping[str, int], counts: Mapping[str, Any]) -> None:
    """Write ``manifest.json``: the header, a hash and row count per table, and the counts of Table 2."""
    files = {name: {"sha256": file_hash(folder / name), "rows": n} for name, n in rows.items()}
    content = {**header, "files": files, "counts": counts}
    write_text(folder / MANIFEST, json.dumps(content, indent=2, sort_keys=True, ensure_ascii=False) + "\n")


def read_manifest(folder: Path) -> dict[str, Any] | None:
    """The manifest of a build; ``None`` if there is none.

    Raises:
        DataError: it cannot be read, or is of a later format.
    """
    path = folder / MANIFEST
    if not path.is_file():
        return None
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"{path}: not a readable manifest ({error})") from error
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise DataError(f"{path}: not a manifest of format {FORMAT}; update alee-mteb or build again")
    return manifest


def changed_files(folder: Path, manifest: Mapping[str, Any]) -> list[str]:
    """Files of a build that are missing or differ from what its manifest says."""
    return [
        name
        for name, entry in manifest["files"].items()
        if not (folder / name).is_file() or file_hash(folder / name) != entry["sha256"]
    ]


def file_hash(path: Path) -> str:
    """Hexadecimal SHA-256 of a file."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()
