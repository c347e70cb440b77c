"""The engines that can make foils, by the name `alee build --engine` takes.

An engine opens its models once and hands back the stages of the pipeline. A further engine is a function and a line
in `ENGINES`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from penman import Graph

from alee_mteb.errors import DataError
from alee_mteb.perturbations import Perturbation
from builders.batching import Progress
from builders.edits import Mode, edits_to_try
from builders.lexicon import WordNetLexicon
from builders.paragraphs import punkt
from builders.pipeline import Stages
from builders.recipes import BuildConfig
from builders.stages import Edit, Lexicon


@dataclass(frozen=True)
class Engine:
    """Opened stages, and what the manifest says of them.

    Attributes:
        names: ``parser``, ``realiser``, ``validator`` and ``lexicon``, each with engine and model; ``None`` for one
            that is not needed.
        packages: distributions whose versions can change what comes out.
    """

    stages: Stages
    names: Mapping[str, str | None]
    packages: tuple[str, ...]


def open_engine(config: BuildConfig, progress: Progress | None = None) -> Engine:
    """The stages of the engine a configuration names, with their models loaded.

    Args:
        progress: told how the batches of each stage go on.

    Raises:
        DataError: there is no such engine or lexicon.
        AleeError: a model or package is missing or not what it should be.
    """
    if config.engine not in ENGINES:
        raise DataError(f"unknown engine {config.engine!r}; choose from {', '.join(ENGINES)}")
    return ENGINES[config.engine](config, progress)


@dataclass(frozen=True)
class AmrEditor:
    """The edits of `builders.edits` in the order of a seed."""

    seed: int
    mode: Mode
    lexicon: Lexicon | None

    def propose(self, graph: Graph, kind: Perturbation, source_id: str) -> list[Edit]:
        """The edits to try, depending on nothing but the arguments, seed, mode and lexicon."""
        return edits_to_try(graph, kind, self.seed, source_id, self.lexicon, self.mode)


def _amr(config: BuildConfig, progress: Progress | None) -> Engine:
    """amrlib's parser and generator, the edits on AMR graphs, and the NLI filter (paper, §3)."""
    from builders.amr import AmrlibParser, AmrlibRealiser
    from builders.nli import DEFAULT_MODEL, NliValidator

    # What is quickly found missing comes before the models, which take a while.
    lexicon = _lexicon(config) if _LEXICAL & set(config.perturbations) else None
    splitter = punkt()
    settings: dict[str, Any] = {"batch_size": config.batch_size, "device": config.device, "progress": progress}
    parser = AmrlibParser(config.parser, **settings)
    realiser = AmrlibRealiser(config.realiser, **settings)
    validator = NliValidator(config.nli or DEFAULT_MODEL, **settings)
    return Engine(
        stages=Stages(parser, AmrEditor(config.seed, config.mode, lexicon), realiser, validator, splitter),
        names={
            "parser": parser.name,
            "realiser": realiser.name,
            "validator": validator.name,
            "lexicon": lexicon.name if lexicon else None,
        },
        packages=("amrlib", "nltk", "penman", "tokenizers", "torch", "transformers"),
    )


def _lexicon(config: BuildConfig) -> Lexicon:
    if config.lexicon != "wordnet":
        raise DataError(f"unknown lexicon {config.lexicon!r}; the engine {config.engine} takes wordnet")
    return WordNetLexicon()


_LEXICAL = {Perturbation.ANTONYM_REPLACEMENT, Perturbation.HYPERNYM_SUBSTITUTION}

ENGINES: dict[str, Callable[[BuildConfig, Progress | None], Engine]] = {"amr": _amr}
