"""WordNet for the tests that need it, laid out once from Debian's package."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from builders import wordnet_data
from builders.lexicon import WordNetLexicon


@pytest.fixture(scope="session")
def wordnet_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """An ``nltk_data`` folder with WordNet; only for tests marked `wordnet`."""
    if not (wordnet_data.DEBIAN_FOLDER / "data.noun").is_file():
        pytest.skip("Debian's package wordnet-base is not installed")
    nltk = pytest.importorskip("nltk")
    paths = list(nltk.data.path)
    yield wordnet_data.lay_out(wordnet_data.DEBIAN_FOLDER, tmp_path_factory.mktemp("nltk_data"))
    nltk.data.path[:] = paths


@pytest.fixture(scope="session")
def wordnet(wordnet_folder: Path) -> WordNetLexicon:
    """The WordNet lexicon; only for tests marked `wordnet`."""
    return WordNetLexicon(wordnet_folder)


@pytest.fixture(scope="session")
def tiny_models(request: pytest.FixtureRequest) -> dict[str, Path]:
    """Folders of the tiny ``parser``, ``realiser`` and ``nli`` (see `support.tiny_models`)."""
    for name in ("amrlib", "torch", "transformers"):
        pytest.importorskip(name, reason="the extra `builders` is not installed")
    from support.tiny_cache import tiny_folders

    return tiny_folders(request.config.cache.mkdir("tiny-models"))
