"""The re-parse validator: one edit and nothing else."""

import pytest
from surface_pairs import PAIRS

pytest.importorskip("spacy", reason="needs spaCy")
pytest.importorskip("lemminflect", reason="needs lemminflect")

from builders.stages import Status
from builders.surface import Reader, SurfaceValidator
from builders.surface.comparison import Difference
from builders.surface.validator import difference_between


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader()


@pytest.mark.parametrize(
    ("source", "foil", "expected"),
    [
        ("The dog chased the cat.", "The dog did not chase the cat.", Difference.POLARITY),
        ("The dog did not chase the cat.", "The dog chased the cat.", Difference.POLARITY),
        ("The dog chased the cat.", "The cat chased the dog.", Difference.ROLES),
        ("The dog chased the cat.", "The dog was chased by the cat.", Difference.ROLES),
        ("The big dog slept.", "The small dog slept.", Difference.CONCEPT),
        ("The bank rejects such offers.", "The bank accepts such offers.", Difference.CONCEPT),
        ("The cheaper hotel was closed.", "The more expensive hotel was closed.", Difference.CONCEPT),
        ("The dog chased the cat.", "The dog chased the cat.", Difference.NONE),
        ("The dog chased the cat.", "The cat did not chase the dog.", Difference.OTHER),
        ("The dog chased the cat.", "The dog chased the mouse and the cat.", Difference.OTHER),
        ("The big dog chased the cat.", "The small dog chased the bird.", Difference.OTHER),
        ("The dog chased the cat.", "", Difference.OTHER),
    ],
)
def test_differences(reader: Reader, source: str, foil: str, expected: Difference) -> None:
    assert difference_between(reader, source, foil) is expected


def test_at_least_95_percent_of_the_hand_written_pairs_are_accepted(reader: Reader) -> None:
    pairs = [(pair.source, pair.foil) for pair in PAIRS if pair.foil is not None]
    verdicts = SurfaceValidator(reader=reader).validate(pairs)
    accepted = sum(verdict.status is Status.SUCCESS for verdict in verdicts)
    assert accepted >= 0.95 * len(pairs)


def test_only_the_sentence_that_differs_is_compared(reader: Reader) -> None:
    def by_full_stop(text: str) -> list[tuple[int, int]]:
        end = text.index(". ") + 1
        return [(0, end), (end + 1, len(text))]

    validator = SurfaceValidator(reader=reader, split=by_full_stop)
    source = "It rained all day. The dog chased the cat."
    one = "It rained all day. The cat chased the dog."
    both = "It did not rain all day. The cat chased the dog."
    found = [verdict.status for verdict in validator.validate([(source, one), (source, both), (source, source)])]
    assert found == [Status.SUCCESS, Status.REJECTED_DIFFERENCE, Status.NO_CHANGE]
