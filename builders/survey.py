"""One look through a corpus before any model is loaded: how much there is, and that it can be built from."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice

from alee_mteb.errors import DataError
from builders.corpora import BaseCorpus
from builders.stages import Corpus, SourceText


@dataclass(frozen=True)
class Survey:
    """What a corpus holds.

    Attributes:
        metadata: names of the metadata columns, in order of appearance.
        left_out: why rows of the corpus are not used → how many.
        translations_left_out: the same of single translations.
        sha256: over every id, text, translation and metadata value of the selected rows and languages, in order.
    """

    n_rows: int
    languages: tuple[str, ...]
    metadata: tuple[str, ...]
    left_out: Mapping[str, int]
    translations_left_out: Mapping[str, int]
    sha256: str


@dataclass(frozen=True)
class Selection:
    """The rows of a corpus that a build uses."""

    corpus: Corpus
    limit: int | None = None

    @property
    def languages(self) -> tuple[str, ...]:
        """Target languages; English stands in the table as the source, and is a target under that name as well."""
        return tuple(key for key in self.corpus.languages if key != self.corpus.english)

    def rows(self) -> Iterator[SourceText]:
        """The selected rows, with a translation or ``None`` for each language."""
        languages = self.languages
        for row in islice(self.corpus.rows(), self.limit):
            yield replace(row, translations={key: row.translations.get(key) for key in languages})

    def chunks(self, size: int) -> Iterator[list[SourceText]]:
        """The selected rows in lists of `size`, the last one shorter."""
        rows = self.rows()
        while chunk := list(islice(rows, size)):
            yield chunk


def survey(selection: Selection) -> Survey:
    """Look through all selected rows once.

    Raises:
        DataError: there are none, or two have the same id.
    """
    name = selection.corpus.name
    digest = hashlib.sha256()
    seen: set[str] = set()
    metadata: dict[str, None] = {}
    for row in selection.rows():
        if not row.id.strip():
            raise DataError(f"{name}: row {len(seen) + 1} has no id")
        if row.id in seen:
            raise DataError(f"{name}: duplicate id {row.id!r}; ids must be unique")
        seen.add(row.id)
        metadata.update(dict.fromkeys(row.metadata))
        values = [row.id, row.text, list(row.translations.items()), list(row.metadata.items())]
        digest.update(json.dumps(values, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n")
    if not seen:
        raise DataError(f"{name}: no usable rows; a build needs at least one English text")
    corpus = selection.corpus
    return Survey(
        n_rows=len(seen),
        languages=selection.languages,
        metadata=tuple(metadata),
        left_out=dict(corpus.dropped) if isinstance(corpus, BaseCorpus) else {},
        translations_left_out=dict(corpus.left_out) if isinstance(corpus, BaseCorpus) else {},
        sha256=digest.hexdigest(),
    )
