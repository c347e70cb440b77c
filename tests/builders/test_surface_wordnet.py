"""WordNet with care: what it gives, and what it leaves out."""

from pathlib import Path

import pytest

from builders.surface.wordnet import CarefulWordNet

pytestmark = pytest.mark.wordnet


@pytest.fixture(scope="module")
def careful(wordnet_folder: Path) -> CarefulWordNet:
    return CarefulWordNet(wordnet_folder)


def test_antonyms_of_the_usual_sense_alone(careful: CarefulWordNet) -> None:
    assert careful.antonyms("happy", "a") == ["unhappy"]
    assert careful.antonyms("increase", "v") == ["decrease"]
    assert careful.antonyms("light", "n") == []  # its antonym, dark, belongs to a rare sense


def test_hypernyms_in_their_own_first_sense_and_not_near_the_top(careful: CarefulWordNet) -> None:
    assert careful.hypernyms("rifle", "n") == ["firearm"]
    assert careful.hypernyms("violin", "n") == []  # "bowed stringed instrument" is no single word
    assert careful.hypernyms("person", "n") == []  # "organism" is too near to the top
    assert careful.hypernyms("run", "v") == []
