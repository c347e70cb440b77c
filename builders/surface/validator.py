"""Validation without a further model: the foil is read again, and must differ as an edit does.

An NLI model asks whether the meaning changed; this asks whether exactly one thing did. Both can be put one after the
other. Only sentences that differ are compared, so that a text and its edited sentence get the same answer.
"""

from collections.abc import Sequence

from builders.paragraphs import Splitter, split
from builders.stages import Status, Verdict
from builders.surface.comparison import Difference, difference, summarise
from builders.surface.drawing import draw
from builders.surface.reading import Reader

_REMEMBERED = 1 << 14
#: Every other difference is one edit.
_STATUS = {Difference.NONE: Status.NO_CHANGE, Difference.OTHER: Status.REJECTED_DIFFERENCE}


class SurfaceValidator:
    """Accepts a foil whose graph differs from the source's by exactly one of the four edits.

    A foil that reads the same is ``NO_CHANGE``; one that differs in another way, or that the parser reads another way,
    is ``REJECTED_DIFFERENCE``: what the edit asked for is not what was found.

    Args:
        model: as for `SurfaceParser`.
        reader: the parser's, so that each sentence is read once.
        split: the splitter of the pipeline; without one, texts are compared as they are.
    """

    def __init__(
        self, model: str | None = None, *, reader: Reader | None = None, split: Splitter | None = None
    ) -> None:
        self.reader = reader or Reader(model)
        self.name = f"re-parse {self.reader.name}"
        self._split = split
        self._known: dict[tuple[str, str], Status] = {}

    def validate(self, pairs: Sequence[tuple[str, str]]) -> list[Verdict]:
        """One `Verdict` per (source, foil), in order."""
        return [Verdict(self._status(source, foil)) for source, foil in pairs]

    def _status(self, source: str, foil: str) -> Status:
        differing = self._differing(source, foil)
        if not differing:
            return Status.NO_CHANGE
        found = [self._compare(*pair) for pair in differing]
        return found[0] if len(found) == 1 else Status.REJECTED_DIFFERENCE

    def _differing(self, source: str, foil: str) -> list[tuple[str, str]]:
        """The pairs of sentences that are not the same; the whole texts if they split differently."""
        if self._split is None:
            return [(source, foil)] if source != foil else []
        left, right = split(source, self._split), split(foil, self._split)
        if len(left) != len(right):
            return [(source, foil)]
        return [(a.text, b.text) for a, b in zip(left, right, strict=True) if a.text != b.text]

    def _compare(self, source: str, foil: str) -> Status:
        pair = (source, foil)
        if pair not in self._known:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            self._known[pair] = _STATUS.get(difference_between(self.reader, source, foil), Status.SUCCESS)
        return self._known[pair]


def difference_between(reader: Reader, source: str, foil: str) -> Difference:
    """What a foil differs from its source by; ``OTHER`` where one of them cannot be read."""
    first, second = reader.read(source), reader.read(foil, names=False)
    before, after = draw(first), draw(second)
    if before is None or after is None:
        return Difference.OTHER
    return difference(summarise(first, before), summarise(second, after))
