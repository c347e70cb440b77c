"""The shape of a result file and of the model card beside it, as pydantic models.

What mteb itself writes around our scores may grow from version to version: fields that are not known at those places
are let be, and nothing is read out of them. What our tasks write is known exactly, and anything else there is refused.
"""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from alee_mteb.perturbations import CODES
from alee_mteb.scoring import LENGTH_BINS
from leaderboard.submission.problems import Problem, SubmissionError, shown
from leaderboard.submission.strict_json import MAX_PROBLEMS, parse_object

Model = TypeVar("Model", bound=BaseModel)


def _printable(text: str) -> str:
    if not text.isprintable() or "<" in text or ">" in text:
        raise ValueError("has characters that are not plain text (control characters, < or >)")
    return text


def _prompt(text: str) -> str:
    if not text.replace("\n", " ").replace("\t", " ").isprintable():
        raise ValueError("has control characters")
    return text


def _one_of(*names: str) -> Callable[[str], str]:
    def check(text: str) -> str:
        if text not in names:
            raise ValueError(f"not one of {', '.join(names)}")
        return text

    return check


Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=0, le=1_000_000)]
Dimension = Annotated[int, Field(gt=0, le=10**7)]
Margin = Annotated[float, Field(ge=-2, le=2)]
Code = Annotated[str, AfterValidator(_one_of(*CODES))]
LengthBin = Annotated[str, AfterValidator(_one_of(*(label for label, _, _ in LENGTH_BINS)))]
Plain = Annotated[str, StringConstraints(min_length=1, max_length=200), AfterValidator(_printable)]
Prompt = Annotated[str, StringConstraints(max_length=4000), AfterValidator(_prompt)]
Base64 = Annotated[str, StringConstraints(max_length=200_000, pattern=r"^[A-Za-z0-9+/]*={0,2}$")]
ModelName = Annotated[
    str, StringConstraints(max_length=128, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*/[A-Za-z0-9][A-Za-z0-9._-]*$")
]
Revision = Annotated[str, StringConstraints(max_length=100, pattern=r"^[A-Za-z0-9][A-Za-z0-9._+-]*$")]
TaskName = Annotated[
    str, StringConstraints(max_length=100, pattern=r"^ALEE-[A-Za-z0-9][A-Za-z0-9._-]*(@[0-9a-f]{8})?$")
]
SubsetKey = Annotated[str, StringConstraints(max_length=40, pattern=r"^[A-Za-z][A-Za-z0-9_]*$")]
LanguageCode = Annotated[str, StringConstraints(pattern=r"^[a-z]{3}_[A-Z][a-z]{3}$")]
MtebCode = Annotated[str, StringConstraints(pattern=r"^[a-z]{3}-[A-Z][a-z]{3}$")]
Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{16}$")]
Commit = Annotated[str, StringConstraints(pattern=r"^([0-9a-f]{40}|[0-9a-f]{64})$")]
Link = Annotated[
    str,
    StringConstraints(
        max_length=500, pattern=r"^https?://[A-Za-z0-9.-]+(:[0-9]+)?(/[A-Za-z0-9._~%!$&()*+,;=:@/?#-]*)?$"
    ),
]
LibraryName = Annotated[str, StringConstraints(max_length=60, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
Version = Annotated[str, StringConstraints(max_length=60, pattern=r"^[A-Za-z0-9][A-Za-z0-9._+!-]*$")]


class _Ours(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class _Mteb(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)


class PerturbationScores(_Ours):
    """The figures of one perturbation of one language."""

    tacc: Share
    low: Share
    high: Share
    n: Count
    ties: Count
    margin: Margin
    unrelated_target: Share | None
    overlap: Share | None


class RowScores(_Ours):
    """TACC on some of the rows: matched rows, a length bin, a level."""

    macro_tacc: Share | None
    n: Count
    PN: Share | None = None
    RS: Share | None = None
    AR: Share | None = None
    HS: Share | None = None

    @property
    def perturbations(self) -> dict[str, float]:
        """Those that have a figure."""
        return {code: value for code in CODES if (value := getattr(self, code)) is not None}


class PackedOutcomes(_Ours):
    """Per-triplet outcomes, see `alee_mteb.outcomes`."""

    rows: Annotated[int, Field(gt=0, le=1_000_000)]
    ids: Digest
    valid: dict[Code, Base64]
    passed: dict[Code, Base64]


class Settings(_Ours):
    """What the scores were made with, see `alee_mteb.signature`."""

    task: TaskName
    data: Plain
    commit: Commit
    prompt: Prompt | None
    similarity: Literal["cosine"]
    versions: Annotated[dict[LibraryName, Version], Field(min_length=1, max_length=20)]


class Regeneration(_Ours):
    """How often a source is preferred over its own regeneration."""

    tacc: Share
    n: Count


class SubsetScores(_Mteb):
    """Everything about one language."""

    hf_subset: SubsetKey
    language: LanguageCode
    languages: Annotated[list[MtebCode], Field(min_length=1, max_length=1)]
    main_score: Share
    macro_tacc: Share
    macro_tacc_low: Share
    macro_tacc_high: Share
    tacc_PN: Share | None = None  # noqa: N815 - as it stands in the files
    tacc_RS: Share | None = None  # noqa: N815 - as it stands in the files
    tacc_AR: Share | None = None  # noqa: N815 - as it stands in the files
    tacc_HS: Share | None = None  # noqa: N815 - as it stands in the files
    n_sources: Count
    n_missing_translations: Count
    left_out: list[Code]
    perturbations: Annotated[dict[Code, PerturbationScores], Field(min_length=1)]
    macro_unrelated_target: Share | None
    macro_overlap: Share | None
    matched: RowScores
    by_length: dict[LengthBin, RowScores]
    by_level: Annotated[dict[Plain, RowScores], Field(max_length=50)] | None = None
    regeneration: Regeneration | None = None
    outcomes: PackedOutcomes
    settings: Settings


class TestSplit(_Ours):
    """Our tasks have one split."""

    __test__ = False
    test: Annotated[list[SubsetScores], Field(min_length=1, max_length=2000)]


class ResultFile(_Mteb):
    """A whole result file."""

    task_name: TaskName
    dataset_revision: Annotated[str, StringConstraints(max_length=100, pattern=r"^[A-Za-z0-9._/-]+$")]
    mteb_version: Version | None
    scores: TestSplit

    @property
    def subsets(self) -> list[SubsetScores]:
        """One per language, in file order."""
        return self.scores.test


class ModelCard(_Mteb):
    """``model_meta.json`` as mteb writes it, as far as the leaderboard reads it."""

    name: ModelName
    revision: Revision
    languages: Annotated[list[MtebCode], Field(max_length=3000)] | None
    n_parameters: Annotated[int, Field(gt=0, le=10**14)] | None
    embed_dim: Dimension | Annotated[list[Dimension], Field(max_length=100)] | None
    license: Plain | None
    reference: Link | None

    @model_validator(mode="after")
    def _has_a_revision(self) -> "ModelCard":
        if self.revision == "no_revision_available":
            raise ValueError("the model has no revision, so nobody could score it again; give it one")
        return self

    @property
    def folder(self) -> str:
        """What mteb calls the model's folder."""
        return self.name.replace("/", "__")

    @property
    def dimension(self) -> int | None:
        """The largest number of dimensions, where there are several to choose from."""
        return max(self.embed_dim, default=None) if isinstance(self.embed_dim, list) else self.embed_dim


#: What a field that must match a pattern is to look like, for messages.
_FORMS = {
    "name": "a model name; use org/name, of letters, digits and . _ -",
    "revision": "a revision; use letters, digits and . _ + -",
    "reference": "an http(s) link",
    "languages": "a language as mteb writes it, such as deu-Latn",
    "language": "a language code such as deu_Latn",
    "hf_subset": "a subset key such as deu_Latn or de_DE",
    **dict.fromkeys(("task_name", "task"), "the name of an ALEE task, such as ALEE-MT61 or ALEE-MT61@1a2b3c4d"),
    "commit": "a full commit or content hash (40 or 64 hexadecimal digits)",
    "ids": "a digest of 16 hexadecimal digits",
    **dict.fromkeys(("valid", "passed"), "base64"),
    "versions": "a version",
}


def result_file(data: bytes, file: str) -> ResultFile:
    """The result file in `data`.

    Raises:
        SubmissionError: see `parse_object`; or with every field that is missing, unknown, of another type
            or out of range.
    """
    return _validated(ResultFile, parse_object(data, file), file)


def model_card(data: bytes, file: str) -> ModelCard:
    """The model card in `data`.

    Raises:
        SubmissionError: see `parse_object`; or with every field that is missing, of another type or out of
            range.
    """
    return _validated(ModelCard, parse_card(data, file), file)


def parse_card(data: bytes, file: str) -> dict[str, Any]:
    """Everything in a model card; see `parse_object` for what is refused."""
    return parse_object(data, file, may_be_infinite=("max_tokens",))


def subset_field(key: str, *names: str) -> str:
    """How messages call a field of one language.

    >>> subset_field("deu_Latn", "perturbations", "PN", "tacc")
    'scores.test[deu_Latn].perturbations.PN.tacc'
    """
    return ".".join((f"scores.test[{shown(key)}]", *names))


def _validated(model: type[Model], value: Mapping[str, Any], file: str) -> Model:
    try:
        return model.model_validate(value)
    except ValidationError as error:
        details = error.errors(include_url=False)[:MAX_PROBLEMS]
        problems = [Problem(file, _field(detail["loc"], value), _reason(detail)) for detail in details]
        raise SubmissionError(list(dict.fromkeys(problems))) from error


def _field(location: tuple[int | str, ...], value: Any) -> str:
    """``("scores", "test", 3, "main_score")`` as ``scores.test[deu_Latn].main_score``."""
    field, here = "", value
    for step in location:
        if isinstance(step, int):
            here = here[step] if isinstance(here, list) and step < len(here) else None
            label = here.get("hf_subset") if isinstance(here, dict) else None
            field += f"[{shown(label, 40) if isinstance(label, str) else step}]"
            continue
        if isinstance(here, dict) and step in here:
            here = here[step]
        elif step.startswith(("constrained-", "list[", "function-")) or step in ("int", "[key]"):
            continue  # pydantic's name for one side of a union, or for a key
        field += f".{shown(step)}" if field else shown(step)
    return field or "name"


def _reason(detail: Any) -> str:
    text = detail["msg"].removeprefix("Value error, ")
    given = detail["input"]
    if detail["type"] == "missing":
        return "is missing; the file must be what mteb wrote, unchanged"
    if detail["type"] == "extra_forbidden":
        return "is not a field of this format"
    if detail["type"] == "string_pattern_mismatch":
        name = next((step for step in reversed(detail["loc"]) if isinstance(step, str) and step in _FORMS), "")
        return f"{shown(repr(given))} is not {_FORMS.get(name, 'of the form that this field has')}"
    if isinstance(given, str | int | float | bool) or given is None:
        return f"{shown(repr(given))}: {text[:1].lower()}{text[1:]}"
    return text[:1].lower() + text[1:]
