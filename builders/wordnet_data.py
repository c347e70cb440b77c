"""Where WordNet is, and putting it where NLTK can read it.

NLTK reads WordNet only from its data folders, from files that nobody else can write. Debian's package `wordnet-base`
has the same database files in another place, without two small ones that NLTK also wants (DESIGN.md §7):

    /usr/share/wordnet/{data,index}.*, *.exc, cntlist.rev        nltk_data/corpora/wordnet/ the same
                                                          ──▶                               + lexnames, index.sense
"""

import os
import shutil
import tempfile
import warnings
from pathlib import Path
from typing import Any

import platformdirs

from alee_mteb.errors import DataError, MissingExtraError

#: Where Debian's `wordnet-base` puts the database.
DEBIAN_FOLDER = Path("/usr/share/wordnet")
_PARTS = ("adj", "adv", "noun", "verb")
_DATABASE = (*(f"{kind}.{part}" for kind in ("data", "index") for part in _PARTS), *(f"{part}.exc" for part in _PARTS))
_COUNTS = "cntlist.rev"
#: Lexicographer files in the order of their numbers, from the manual page lexnames(5WN).
_LEXNAMES = """adj.all adj.pert adv.all noun.Tops noun.act noun.animal noun.artifact noun.attribute noun.body
noun.cognition noun.communication noun.event noun.feeling noun.food noun.group noun.location noun.motive noun.object
noun.person noun.phenomenon noun.plant noun.possession noun.process noun.quantity noun.relation noun.shape noun.state
noun.substance noun.time verb.body verb.change verb.cognition verb.communication verb.competition verb.consumption
verb.contact verb.creation verb.emotion verb.motion verb.perception verb.possession verb.social verb.stative
verb.weather adj.ppl"""
_CATEGORIES = {"noun": 1, "verb": 2, "adj": 3, "adv": 4}
_HOW_TO_GET_IT = "run `alee data wordnet`"


def user_folder() -> Path:
    """The ``nltk_data`` folder of this package in the user's data folder."""
    return Path(platformdirs.user_data_dir("alee-mteb")) / "nltk_data"


def has_wordnet(folder: Path) -> bool:
    """Whether an ``nltk_data`` folder has all of WordNet, as files or as NLTK's own archive."""
    corpora = folder / "corpora"
    if (corpora / "wordnet.zip").is_file():
        return True
    return all((corpora / "wordnet" / name).is_file() for name in (*_DATABASE, _COUNTS, "lexnames", "index.sense"))


def find_folder() -> Path | None:
    """The first ``nltk_data`` folder with WordNet: the user's, then ``NLTK_DATA``, then NLTK's search path."""
    named = [Path(name).expanduser() for name in os.environ.get("NLTK_DATA", "").split(os.pathsep) if name]
    places = [user_folder(), *named, *(Path(str(name)) for name in _nltk().data.path)]
    return next((place for place in places if has_wordnet(place)), None)


def install_wordnet(source: Path | None = None, folder: Path | None = None) -> Path:
    """Lay out WordNet in an ``nltk_data`` folder (the user's by default) and return that folder.

    Taken from `source`, a folder with WordNet's database files; by default from Debian's package if it is installed,
    else downloaded by NLTK. Nothing is done if the folder has WordNet already.

    Raises:
        DataError: there is no source, it is not complete, or the folder cannot be written.
    """
    folder = folder or user_folder()
    if has_wordnet(folder):
        return folder
    if source is None and (DEBIAN_FOLDER / "data.noun").is_file():
        source = DEBIAN_FOLDER
    if source is None:
        return _download(folder)
    try:
        return lay_out(source, folder)
    except OSError as error:
        raise DataError(f"{folder}: WordNet cannot be written there ({error.strerror or error})") from error


def lay_out(source: Path, folder: Path) -> Path:
    """Copy WordNet's database files into an ``nltk_data`` folder, whole or not at all, and return that folder.

    Raises:
        DataError: a database file is missing in `source`.
        OSError: a file cannot be read or written.
    """
    missing = [name for name in (*_DATABASE, _COUNTS) if not (source / name).is_file()]
    if missing:
        raise DataError(
            f"{source}: no WordNet database, {missing[0]} is missing "
            f"({len(missing)} files in all): install the package wordnet-base, or name another folder"
        )
    target = folder / "corpora" / "wordnet"
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".wordnet.", suffix=".tmp", dir=target.parent) as temporary:
        fresh = Path(temporary) / "wordnet"
        fresh.mkdir()
        for name in (*_DATABASE, _COUNTS):
            shutil.copyfile(source / name, fresh / name)
        (fresh / "lexnames").write_text(lexnames(), encoding="ascii", newline="\n")
        (fresh / "index.sense").touch()  # sense keys are not looked up; NLTK only wants to open it
        _make_private(fresh)
        if target.exists() and not has_wordnet(folder):
            target.rename(Path(temporary) / "incomplete")
        try:
            fresh.rename(target)
        except OSError:
            if not has_wordnet(folder):  # else another process was faster
                raise
    return folder


def lexnames() -> str:
    """The file ``lexnames``: number, name and part of speech of each lexicographer file."""
    return "".join(
        f"{number:02d}\t{name}\t{_CATEGORIES[name.partition('.')[0]]}\n"
        for number, name in enumerate(_LEXNAMES.split())
    )


def open_reader(folder: Path | None = None) -> Any:
    """NLTK's WordNet reader for an ``nltk_data`` folder, by default the one that `find_folder` finds.

    The folder joins NLTK's search path, outside of which NLTK reads nothing.

    Raises:
        MissingExtraError: NLTK is not installed.
        DataError: there is no WordNet, or NLTK cannot read it.
    """
    nltk = _nltk()
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    found = folder or find_folder()
    if found is None:
        raise DataError(f"WordNet is not installed: {_HOW_TO_GET_IT}")
    if not has_wordnet(found):
        raise DataError(
            f"{found}: no WordNet in this folder: {_HOW_TO_GET_IT}, or name an nltk_data folder that has it"
        )
    if str(found) not in nltk.data.path:
        nltk.data.path.insert(0, str(found))
    name = "corpora/wordnet" if (found / "corpora" / "wordnet").is_dir() else "corpora/wordnet.zip/wordnet/"
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="The multilingual functions are not available")
            return WordNetCorpusReader(nltk.data.find(name, paths=[str(found)]), None)
    except (OSError, LookupError, ValueError, AssertionError) as error:
        raise DataError(f"{found}: NLTK cannot read this WordNet ({error}): remove it and {_HOW_TO_GET_IT}") from error


def _nltk() -> Any:
    try:
        import nltk
    except ImportError as error:
        raise MissingExtraError("nltk", "builders", "The WordNet lexicon") from error
    return nltk


def _download(folder: Path) -> Path:
    """Let NLTK fetch WordNet, then check that it is there (NLTK reports a failure on standard output alone)."""
    nltk = _nltk()
    folder.mkdir(parents=True, exist_ok=True)
    nltk.download("wordnet", download_dir=str(folder), quiet=True)
    if not has_wordnet(folder):
        raise DataError(
            f"WordNet could not be downloaded to {folder}: install Debian's package wordnet-base, or put NLTK's "
            "wordnet.zip into its folder corpora/, and run `alee data wordnet` again"
        )
    return folder


def _make_private(folder: Path) -> None:
    """NLTK reads no file that others could write, whatever the umask."""
    folder.chmod(0o755)
    for path in folder.iterdir():
        path.chmod(0o644)
