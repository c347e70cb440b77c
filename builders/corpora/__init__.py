"""Parallel text with English on one side, from the Hub or from files: the first stage of building triplets.

open_corpus("flores200")                         facebook/flores from the Hub (gated)
open_corpus("wmt24pp", revision="…")             google/wmt24pp + ZurichNLP/wmt24pp-rm
open_corpus("copies/bouquet")                    a local copy, recognised by its layout
open_corpus("corpus.tsv", english_column="EN")   any table
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from alee_mteb.errors import DataError
from alee_mteb.sources import DataRequest
from builders.corpora import bouquet, flores, wmt24pp
from builders.corpora.base import BaseCorpus, Duplicates, TextSource
from builders.corpora.files import UNKNOWN_LICENSE, FileCorpus, table_files
from builders.corpora.places import Place, card_license, is_hub_name, local_place

__all__ = ["KNOWN", "BaseCorpus", "open_corpus"]

#: Short names of the corpora behind the three data sets, and their Hub repositories.
KNOWN = {
    "flores200": flores.REPOSITORY,
    "flores_plus": flores.PLUS_REPOSITORY,
    "wmt24pp": wmt24pp.REPOSITORY,
    "bouquet": bouquet.REPOSITORY,
}


def open_corpus(
    name_or_path: str | Path,
    *,
    languages: Sequence[str] | None = None,
    revision: str | None = None,
    romansh_revision: str | None = None,
    romansh: Path | None = None,
    levels: Sequence[bouquet.Level] = bouquet.LEVELS,
    subset: str | None = None,
    english_column: str | None = None,
    id_column: str | None = None,
    columns: Mapping[str, str] | None = None,
    config: str | None = None,
    license: str | None = None,
    duplicates: Duplicates = "refuse",
    token: str | None = None,
) -> BaseCorpus:
    """A corpus by short name (`KNOWN`), Hub repository, or path; a path is recognised by its layout.

    Args:
        languages: target keys; ``None`` for those of the official data set (all there are, for other tables),
            ``["all"]`` for everything the files have.
        revision, romansh_revision: Hub revisions; ``main`` by default.
        romansh: folder of the Romansh files of WMT24++, if it is not in or beside the main folder.
        levels: BOUQuET: sentences, paragraphs, or both.
        subset: configuration of a Hub repository that is none of the known corpora.
        english_column, id_column, columns: see `builders.corpora.files`; for tables only.
        config: configuration of the triplets; by default the official one, or ``alee_`` and the file name.
        license: licence of a table's text (SPDX, or the Hub's spelling); ``unknown`` by default.
        duplicates: whether a repeated id is an error or all rows but its first are left out.
        token: Hub token instead of the one that is logged in.

    Raises:
        DataError: there is no such corpus, it cannot be fetched, or it is not in order; one line that says what to do.
        LanguageError: a wanted language is not there.
    """
    name = KNOWN.get(str(name_or_path), str(name_or_path))
    hub = is_hub_name(name)
    table_options = {"english_column": english_column, "id_column": id_column, "columns": columns}
    if not hub and revision is not None:
        raise DataError(f"{name}: a revision ({revision}) only makes sense for a Hub repository")
    place = _known_place(name, hub, revision, languages, levels, token)
    if place is None:
        return _table(
            name,
            hub,
            subset=subset,
            revision=revision,
            license=license,
            config=config,
            languages=languages,
            duplicates=duplicates,
            english_column=english_column,
            id_column=id_column,
            columns=columns,
        )
    for option, value in {**table_options, "license": license, "subset": subset}.items():
        if value is not None:
            raise DataError(f"{name}: {option} is for other tables; this corpus has columns and a licence of its own")
    corpus: BaseCorpus
    if flores.language_files(place):
        corpus = flores.FloresCorpus(place, languages, duplicates=duplicates)
    elif wmt24pp.looks_like_wmt24pp(place):
        beside = _romansh_place(place, hub, romansh, romansh_revision, languages, token)
        corpus = wmt24pp.Wmt24ppCorpus(place, beside, languages, duplicates=duplicates)
    else:
        corpus = bouquet.BouquetCorpus(place, languages, levels=levels, duplicates=duplicates)
    corpus.config = config or corpus.config
    if not corpus.languages:
        raise DataError(f"{name}: none of the languages of {corpus.config} is there; `languages: [all]` takes any")
    return corpus


def _known_place(
    name: str,
    hub: bool,
    revision: str | None,
    languages: Sequence[str] | None,
    levels: Sequence[bouquet.Level],
    token: str | None,
) -> Place | None:
    """The files of one of the three corpora; ``None`` if the name means something else."""
    if hub:
        if name in flores.REPOSITORIES:
            return flores.hub_flores(name, revision, languages, token)
        if name == wmt24pp.REPOSITORY:
            return wmt24pp.hub_wmt24pp(revision, languages, token)
        return bouquet.hub_bouquet(revision, languages, levels, token) if name == bouquet.REPOSITORY else None
    if not Path(name).is_dir():
        return None
    place = local_place(Path(name))
    known = (
        flores.language_files(place)
        or wmt24pp.looks_like_wmt24pp(place)
        or any(bouquet.level_files(place, level) for level in bouquet.LEVELS)
    )
    return place if known else None


def _romansh_place(
    place: Place,
    hub: bool,
    folder: Path | None,
    revision: str | None,
    languages: Sequence[str] | None,
    token: str | None,
) -> Place | None:
    if folder is not None:
        return local_place(folder)
    if not hub:
        return wmt24pp.romansh_beside(place)
    wanted = languages is None or list(languages) == ["all"] or any(key.startswith("roh_") for key in languages)
    return wmt24pp.hub_romansh(revision, token) if wanted else None


def _table(
    name: str,
    hub: bool,
    *,
    subset: str | None,
    revision: str | None,
    license: str | None,
    config: str | None,
    languages: Sequence[str] | None,
    duplicates: Duplicates,
    english_column: str | None,
    id_column: str | None,
    columns: Mapping[str, str] | None,
) -> FileCorpus:
    """Any other table, local or on the Hub."""
    if hub:
        found = DataRequest(name, revision).resolve(subset or "default")
        files, commit = list(found.files), found.commit
        license = license or card_license(Place(name, found.folder, commit), UNKNOWN_LICENSE)
    else:
        files, commit = table_files(Path(name)), None
    stem = re.sub(r"\W+", "_", Path(name).stem.lower()).strip("_") or "corpus"
    return FileCorpus(
        files,
        config=config or f"alee_{stem.removeprefix('alee_')}",
        languages=languages,
        english_column=english_column,
        id_column=id_column,
        columns=columns,
        source=TextSource(name, license or UNKNOWN_LICENSE, commit),
        duplicates=duplicates,
    )
