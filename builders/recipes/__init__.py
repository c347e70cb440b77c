"""What a build is asked for: a YAML recipe, checked, with the flags of the command laid over it."""

import difflib
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, cast

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from alee_mteb.errors import DataError
from alee_mteb.perturbations import CODES, Perturbation
from builders.corpora import open_corpus
from builders.corpora.base import Duplicates
from builders.corpora.bouquet import Level
from builders.stages import Corpus

_KINDS = {
    **{kind.value.lower(): kind for kind in Perturbation},
    **{kind.code.lower(): kind for kind in Perturbation},
    **{kind.name.lower(): kind for kind in Perturbation},
}

#: Characters of the shortest text and of the shortest sentence, by engine.
_MINIMUMS = {"amr": (25, 20), "surface": (1, 1)}


class BuildConfig(BaseModel):
    """A build configuration.

    Attributes:
        corpus: a name that `builders.corpora.open_corpus` knows, or a file of parallel text.
        config_name: the configuration the tables go under; the corpus's own by default.
        engine: see `builders.engines.ENGINES`.
        mode: ``paper`` tries candidates until one validates; ``released`` does as the authors' scripts did.
        parser, realiser, nli: model folders or Hub names; the engine's own choice where ``None``.
        lexicon: where antonyms and hypernyms come from, ``wordnet`` or ``curated``; the engine's own choice by default.
        languages: target languages to keep, all by default.
        limit: only the first so many sources.
        perturbations: which foils, by code (``PN``) or name.
        batch_size: for all three models. It never changes what comes out.
        device: ``cpu``, ``cuda``, …; the best there is by default.
        control: also regenerate each source from its unedited graph.
        min_text, min_sentence: shorter texts yield no foil, shorter sentences are skipped (characters). By default
            25 and 20 as in the paper (§3.4), whose models damage short texts; 1 with the engine surface, which does
            not write anew what it does not change.

    The others are options of the corpus, see `builders.corpora.open_corpus`.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    corpus: str = Field(min_length=1)
    config_name: str | None = Field(default=None, pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$")
    engine: str = "amr"
    mode: Literal["paper", "released"] = "paper"
    parser: str | None = None
    realiser: str | None = None
    nli: str | None = None
    lexicon: str | None = None
    seed: int = 0
    languages: tuple[str, ...] | None = None
    limit: int | None = Field(default=None, ge=1)
    perturbations: tuple[Perturbation, ...] = tuple(Perturbation)
    batch_size: int = Field(default=16, ge=1)
    device: str | None = None
    control: bool = False
    min_text: int = Field(ge=0)
    min_sentence: int = Field(ge=0)

    revision: str | None = None
    romansh: str | None = None
    romansh_revision: str | None = None
    levels: tuple[Level, ...] | None = Field(default=None, min_length=1)
    subset: str | None = None
    english_column: str | None = None
    id_column: str | None = None
    columns: dict[str, str] | None = None
    license: str | None = None
    duplicates: Duplicates | None = None

    @model_validator(mode="before")
    @classmethod
    def _minimums(cls, settings: Any) -> Any:
        """What is not said is the engine's own."""
        if not isinstance(settings, Mapping):
            return settings
        text, sentence = _MINIMUMS.get(str(settings.get("engine", "amr")), _MINIMUMS["amr"])
        return {"min_text": text, "min_sentence": sentence, **settings}

    @field_validator("languages", "levels", mode="before")
    @classmethod
    def _as_tuple(cls, value: Any) -> Any:
        return tuple(dict.fromkeys(value)) if isinstance(value, list | tuple) else value

    @field_validator("perturbations", mode="before")
    @classmethod
    def _perturbations(cls, value: Any) -> Any:
        if not isinstance(value, list | tuple) or not value:
            raise ValueError(f"expected a list of {', '.join(CODES)}")
        unknown = [name for name in value if not isinstance(name, Perturbation) and str(name).lower() not in _KINDS]
        if unknown:
            raise ValueError(f"unknown perturbation {unknown[0]!r}; choose from {', '.join(CODES)}")
        chosen = {name if isinstance(name, Perturbation) else _KINDS[str(name).lower()] for name in value}
        return tuple(kind for kind in Perturbation if kind in chosen)

    @field_validator("config_name")
    @classmethod
    def _config_name(cls, value: str | None) -> str | None:
        if value is not None and value.endswith("_provenance"):
            raise ValueError("names ending in _provenance are taken by provenance tables")
        return value


#: Settings that `open_corpus` takes under the same names.
_CORPUS_OPTIONS = {
    "languages",
    "revision",
    "romansh_revision",
    "levels",
    "subset",
    "english_column",
    "id_column",
    "columns",
    "license",
    "duplicates",
}


def corpus_of(config: BuildConfig) -> Corpus:
    """The corpus that a configuration names, opened.

    Raises:
        DataError, LanguageError: see `builders.corpora.open_corpus`.
    """
    options = config.model_dump(include=_CORPUS_OPTIONS, exclude_none=True)
    if config.romansh is not None:
        options["romansh"] = Path(config.romansh)
    return cast(Corpus, open_corpus(config.corpus, config=config.config_name, **options))


def shipped_recipes() -> tuple[str, ...]:
    """Names of the recipes in this package."""
    folder = files("builders").joinpath("recipes")
    return tuple(sorted(entry.name.removesuffix(".yaml") for entry in folder.iterdir() if entry.name.endswith(".yaml")))


def make_config(recipe: str | None, flags: Mapping[str, Any]) -> BuildConfig:
    """The configuration of a recipe with flags laid over it; flags that are ``None`` were not given.

    Args:
        recipe: the name of a shipped recipe or the path of a YAML file.

    Raises:
        DataError: there is no such recipe, or something in it or in the flags is wrong.
    """
    given = {key: value for key, value in flags.items() if value is not None}
    place, settings = _read(recipe) if recipe is not None else ("alee build", {})
    if "corpus" not in {**settings, **given}:
        raise DataError(
            f"{place}: no corpus; name one with --corpus, or a recipe with --recipe ({', '.join(shipped_recipes())})"
        )
    try:
        return BuildConfig(**{**settings, **given})
    except ValidationError as error:
        raise DataError(_one_line(error, place, given)) from error


def _read(recipe: str) -> tuple[str, dict[str, Any]]:
    """What to call a recipe in messages, and its settings."""
    path = Path(recipe)
    if recipe in shipped_recipes():
        place, text = (
            f"recipe {recipe}",
            files("builders").joinpath("recipes", f"{recipe}.yaml").read_text(encoding="utf-8"),
        )
    elif path.is_file():
        try:
            place, text = str(path), path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise DataError(f"{path}: cannot be read ({error}); a recipe is a YAML file in UTF-8") from error
    else:
        raise DataError(f"no recipe {recipe!r}: neither a file nor one of {', '.join(shipped_recipes())}")
    try:
        settings = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise DataError(f"{place}: not valid YAML ({error})") from error
    if not isinstance(settings, dict) or not all(isinstance(key, str) for key in settings):
        raise DataError(
            f"{place}: expected settings such as `corpus: my.tsv`, one a line, got {type(settings).__name__}"
        )
    return place, settings


def _one_line(error: ValidationError, place: str, flags: Mapping[str, Any]) -> str:
    """The first thing wrong, with the name it goes by where the user wrote it."""
    first, n_more = error.errors(include_url=False)[0], error.error_count() - 1
    name = str(first["loc"][0])
    where = f"--{name.replace('_', '-')}" if name in flags else f"{place}: {name}"
    more = f" (and {n_more} more)" if n_more else ""
    if first["type"] == "extra_forbidden":
        close = difflib.get_close_matches(name, BuildConfig.model_fields, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"the settings are {', '.join(BuildConfig.model_fields)}"
        return f"{place}: unknown setting {name!r}; {hint}{more}"
    text = first["msg"].removeprefix("Value error, ")
    return f"{where}: {text[0].lower()}{text[1:]}, got {first['input']!r}{more}"
