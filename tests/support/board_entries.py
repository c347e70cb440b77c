"""Made-up leaderboard entries: real shapes and language lists, outcomes drawn from a seed."""

from collections.abc import Iterator, Sequence

import numpy as np

from alee_mteb import tacc
from alee_mteb.languages import Language, official_languages
from alee_mteb.outcomes import Outcomes
from alee_mteb.perturbations import CODES
from leaderboard.entries import Bin, Entry, ModelFacts, Score, SubsetEntry

#: Sources, and foils of the four kinds, of the published data sets.
SIZES = {
    "ALEE-F200": (558, (470, 320, 390, 412)),
    "ALEE-MT61": (656, (600, 350, 500, 525)),
    "ALEE-BQ275": (864, (640, 330, 450, 507)),
}
_FIRST = ("aurora", "basalt", "cobalt", "delta", "ember", "fjord", "garnet", "harbor", "iris", "juniper")
_SECOND = ("embed", "encoder", "mini", "xl", "multilingual", "base", "text", "v2", "retrieve", "span")


def model_facts(number: int) -> ModelFacts:
    """A name and facts; names are all different below 10,000."""
    name = f"{_FIRST[number % 10]}-{_SECOND[number // 10 % 10]}-{number:03d}"
    return ModelFacts(
        name=f"lab-{number % 37}/{name}",
        revision=f"{number:040x}",
        parameters=(number % 12 + 1) * 47_000_000,
        dimension=(384, 768, 1024)[number % 3],
        licence="apache-2.0",
        link=f"https://huggingface.co/lab-{number % 37}/{name}",
    )


def valid_triplets(task: str, rows: int | None = None) -> np.ndarray:
    """Which triplets there are, shape (P, R): the same for all models and languages."""
    total, foils = SIZES.get(task, (0, ()))
    generator = np.random.default_rng(7)
    if rows is not None:
        return np.ones((len(CODES), rows), dtype=np.bool_)
    valid = np.zeros((len(CODES), total), dtype=np.bool_)
    for kind, number in enumerate(foils):
        valid[kind, generator.permutation(total)[:number]] = True
    return valid


def synthetic_entry(
    number: int,
    task: str,
    languages: Sequence[Language] | None = None,
    rows: int | None = None,
    facts: ModelFacts | None = None,
    ability: float | None = None,
) -> Entry:
    """A verified entry: a model's ability, a language's resources and a source's difficulty decide what is passed."""
    languages = official_languages(task) if languages is None else languages
    valid = valid_triplets(task, rows)
    generator = np.random.default_rng([number, len(task)])
    world = np.random.default_rng(3)
    difficulty = world.normal(0, 0.9, valid.shape[1])
    kinds = np.array([0.5, -0.1, 0.0, -0.2])
    resources = world.normal(0, 0.8, len(languages))
    level = 1.5 - 1.3 * (number / 300) if ability is None else ability
    logits = level + kinds[None, :, None] + resources[:, None, None] - difficulty
    passed = valid & (generator.random(logits.shape) < 1 / (1 + np.exp(-logits)))
    subsets = []
    for language, outcome in zip(languages, passed, strict=True):
        shares = tacc.shares(outcome, valid)
        scores = {code: Score(float(shares[kind]), int(valid[kind].sum())) for kind, code in enumerate(CODES)}
        subsets.append(
            SubsetEntry(
                language.key, language.code, tacc.macro(shares), scores, Outcomes("0" * 16, valid.copy(), outcome)
            )
        )
    means = np.mean([[one.perturbations[code].tacc for code in CODES] for one in subsets], axis=0)
    bins = [Bin("<115", 0.9), Bin("115-314", 0.85), Bin(">=315", 0.8)]
    levels = (Bin("sentence", 0.8), Bin("paragraph", 0.7)) if task == "ALEE-BQ275" else ()
    return Entry(
        kind="verified",
        model=facts or model_facts(number),
        task=task,
        macro=float(means.mean()),
        perturbations={code: Score(float(means[kind])) for kind, code in enumerate(CODES)},
        n_languages=len(subsets),
        subsets=tuple(subsets),
        commit="a" * 40,
        signature=f"task:{task}|dataset:made-up|languages:{len(subsets)}",
        by_length=tuple(bins),
        by_level=levels,
        source=f"made-up/{number}.json",
    )


def synthetic_entries(models: int, tasks: Sequence[str]) -> Iterator[Entry]:
    """One entry per model and task."""
    for number in range(models):
        for task in tasks:
            yield synthetic_entry(number, task)
