"""What all corpora share: the promise to the pipeline, the checks on every row, and how bad rows are counted.

A corpus yields `RawRow`s in a fixed order; `BaseCorpus.rows` cleans them and leaves out what cannot be used:

    _raw_rows() ──▶ flagged bad? ──▶ clean ──▶ blank source? ──▶ id seen before? ──▶ SourceText
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from alee_mteb.errors import DataError, LanguageError
from alee_mteb.languages import canonical_key, language_of
from builders.corpora.cleaning import clean_or_none, clean_text
from builders.stages import SourceText

#: What to do with a second row of the same id: an error, or leave it out and count it.
Duplicates = Literal["refuse", "first"]


@dataclass(frozen=True)
class RawRow:
    """A row as it stands in the files.

    Attributes:
        place: where it is, for messages, e.g. ``data.tsv, row 12``.
        flaw: why it is not to be used (a key of `BaseCorpus.dropped`), or ``None``.
    """

    id: str
    text: str | None
    translations: Mapping[str, str | None]
    metadata: Mapping[str, str | None]
    place: str
    flaw: str | None = None


@dataclass(frozen=True)
class TextSource:
    """Where text came from: a Hub repository or a local place, its licence, and the revision read.

    Attributes:
        revision: a commit, or ``None`` for local files.
        origin: the Hub repository that a local copy is a copy of, as its layout tells; terms of use follow the text.
    """

    name: str
    license: str
    revision: str | None
    origin: str | None = None


class BaseCorpus(ABC):
    """Fulfils `builders.stages.Corpus`.

    Attributes:
        sources: where the text came from; the first gives the corpus its name.
        absent: languages of the official data set that these files lack.
        dropped: reason → rows left out by the last run of `rows` so far: ``bad_source``, ``empty_source``,
            ``duplicate_id``.
        left_out: reason → single translations left out: ``untranslated`` (the English text stands in its place),
            ``other_source`` (it stands beside another English text than the row's), ``no_source`` (its id has none).
    """

    def __init__(
        self,
        *,
        config: str,
        english: str,
        languages: Sequence[str],
        sources: Sequence[TextSource],
        duplicates: Duplicates = "refuse",
        absent: Sequence[str] = (),
    ) -> None:
        self.name = sources[0].name
        self.config = config
        self.english = english
        self.languages = tuple(languages)
        self.license = " AND ".join(dict.fromkeys(source.license for source in sources))
        self.revision = sources[0].revision
        self.sources = tuple(sources)
        self.absent = tuple(absent)
        self.dropped: Counter[str] = Counter()
        self.left_out: Counter[str] = Counter()
        self._duplicates = duplicates

    @abstractmethod
    def _raw_rows(self) -> Iterator[RawRow]:
        """The rows in a fixed order, uncleaned; may count in `left_out`."""

    def rows(self) -> Iterator[SourceText]:
        """The usable rows, cleaned (`builders.corpora.cleaning`), in the order of the files.

        Raises:
            DataError: two rows have the same id (unless ``duplicates="first"``); a file cannot be read.
        """
        self.dropped, self.left_out = Counter(), Counter()
        seen: set[str] = set()
        for raw in self._raw_rows():
            text = clean_or_none(raw.text)
            if raw.flaw is not None or text is None:
                self.dropped[raw.flaw or "empty_source"] += 1
            elif raw.id in seen:
                if self._duplicates == "refuse":
                    raise DataError(
                        f"{raw.place}: the id {raw.id!r} has been used before; make ids unique, name another id "
                        "column, or keep the first row of each id (duplicates: first)"
                    )
                self.dropped["duplicate_id"] += 1
            else:
                seen.add(raw.id)
                yield SourceText(
                    id=raw.id,
                    text=text,
                    translations={key: clean_or_none(raw.translations.get(key)) for key in self.languages},
                    metadata={key: None if value is None else clean_text(value) for key, value in raw.metadata.items()},
                )


@dataclass
class Choice:
    """Which of the languages on offer were asked for."""

    chosen: tuple[str, ...]
    absent: tuple[str, ...] = field(default=())


def choose_languages(
    offered: Sequence[str], wanted: Sequence[str] | None, official: Sequence[str], dataset: str, place: str
) -> Choice:
    """The target languages to read, in official order first, then as offered.

    Args:
        offered: keys the files have, English excluded.
        wanted: keys or unambiguous codes (``deu_Latn`` for ``de_DE``); ``["all"]`` for everything on offer; ``None``
            for the languages of the official data set, or everything where there is none.
        official: keys of the official data set, English excluded.
        dataset: its name, for the spelling of keys.

    Raises:
        LanguageError: a wanted language is not on offer.
    """
    order = [key for key in official if key in offered] + [key for key in offered if key not in official]
    if wanted is None:
        chosen = [key for key in order if key in official] if official else order
        return Choice(tuple(chosen), tuple(key for key in official if key not in offered))
    if list(wanted) == ["all"]:
        return Choice(tuple(order))
    keys = {key if key in offered else canonical_key(key, dataset) for key in wanted if not _is_english(key)}
    missing = sorted(keys - set(offered))
    if missing:
        shown = ", ".join(order[:12]) + (f", … ({len(order)} in all)" if len(order) > 12 else "")
        raise LanguageError(f"{place}: no language {missing[0]!r}; it has {shown}")
    return Choice(tuple(key for key in order if key in keys))


def _is_english(key: str) -> bool:
    language = language_of(key)
    return language is not None and language.is_english
