"""What distinguishes the tasks from one another, as data."""

from dataclasses import dataclass

#: The authors' setting for models that take an instruction (DESIGN.md §3).
INSTRUCTION = "Represent every detail of this text to avoid matching to hard negatives."


@dataclass(frozen=True)
class TaskSpec:
    """One task: its name, where its table lies and what mteb's metadata says of it.

    Attributes:
        name: the task name.
        config: the configuration in the data repository.
        packaged: whether the table is part of this package.
        official: whether the name may only hold data built with AMR (never by the surface engine).
    """

    name: str
    config: str
    description: str
    domains: tuple[str, ...]
    license: str
    date: tuple[str, str]
    sample_creation: str
    annotations_creators: str
    dialect: tuple[str, ...] = ()
    packaged: bool = False
    official: bool = True


_WHAT = (
    "Cross-lingual minimal pairs: an encoder passes a triplet when a translation is closer to its English source than "
    "to an English foil that differs in one meaning (polarity negation, role swap, antonym or hypernym). "
)

SPECS: dict[str, TaskSpec] = {
    spec.name: spec
    for spec in (
        TaskSpec(
            name="ALEE-F200",
            config="alee_f200",
            description=_WHAT + "Sources and translations: FLORES-200 devtest, 204 languages.",
            domains=("Encyclopaedic", "News", "Non-fiction", "Written"),
            license="cc-by-sa-4.0",
            date=("2017-01-01", "2022-07-11"),
            sample_creation="human-translated",
            annotations_creators="automatic",
        ),
        TaskSpec(
            name="ALEE-MT61",
            config="alee_mt61",
            description=_WHAT
            + "Sources and translations: WMT24++ (55 languages) and its extension to six Romansh varieties.",
            domains=("News", "Social", "Spoken", "Fiction", "Written"),
            license="apache-2.0",
            date=("2024-01-01", "2025-12-31"),
            sample_creation="human-translated",
            annotations_creators="automatic",
            dialect=("roh-rumgr", "roh-sursilv", "roh-sutsilv", "roh-surmiran", "roh-puter", "roh-vallader"),
        ),
        TaskSpec(
            name="ALEE-BQ275",
            config="alee_bq275",
            description=_WHAT + "Sources and translations: BOUQuET test, sentences and paragraphs, 275 languages.",
            domains=("Written", "Spoken", "Social", "Fiction", "Non-fiction"),
            license="cc-by-sa-4.0",
            date=("2024-01-01", "2026-12-31"),
            sample_creation="human-translated",
            annotations_creators="automatic",
        ),
        TaskSpec(
            name="ALEE-Sample",
            config="alee_sample",
            description=_WHAT
            + "A small set written by hand for this project, for smoke tests and examples; not reviewed by native "
            "speakers of its languages.",
            domains=("News", "Non-fiction", "Written"),
            license="cc-by-4.0",
            date=("2026-11-01", "2026-11-30"),
            sample_creation="created",
            annotations_creators="expert-annotated",
            packaged=True,
            official=False,
        ),
        TaskSpec(
            name="ALEE-S-Sample",
            config="alee_s_sample",
            description=_WHAT
            + "The sources and translations of ALEE-Sample with foils made by the surface engine, which changes single "
            "words of the source; for smoke tests and comparison.",
            domains=("News", "Non-fiction", "Written"),
            license="cc-by-4.0",
            date=("2026-11-01", "2026-11-30"),
            sample_creation="created",
            annotations_creators="automatic",
            packaged=True,
            official=False,
        ),
    )
}
