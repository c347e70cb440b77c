"""The tasks that `mteb.get_task` finds by name."""

from alee_mteb.languages import Language, language_of, official_languages
from alee_mteb.sample import packaged_revision, sample_languages
from alee_mteb.sources import OFFICIAL_REPOSITORY, OFFICIAL_REVISION
from alee_mteb.tasks.base import AleeTask
from alee_mteb.tasks.metadata import AleeMetadata, task_metadata
from alee_mteb.tasks.specs import SPECS, TaskSpec


def _published(spec: TaskSpec) -> AleeMetadata:
    return task_metadata(spec, spec.name, official_languages(spec.name), OFFICIAL_REPOSITORY, OFFICIAL_REVISION)


def _packaged(spec: TaskSpec) -> AleeMetadata:
    languages = [language for key in sample_languages() if (language := language_of(key))]
    revision = packaged_revision(spec.config)[:8]
    return task_metadata(spec, spec.name, [Language(x.key, x.code) for x in languages], "packaged", revision)


class AleeF200(AleeTask):
    """FLORES-200 devtest, 204 languages."""

    spec = SPECS["ALEE-F200"]
    metadata = _published(spec)


class AleeMT61(AleeTask):
    """WMT24++ and six Romansh varieties, 61 languages and English."""

    spec = SPECS["ALEE-MT61"]
    metadata = _published(spec)


class AleeBQ275(AleeTask):
    """BOUQuET test, 275 languages, sentences and paragraphs."""

    spec = SPECS["ALEE-BQ275"]
    metadata = _published(spec)


class AleeSample(AleeTask):
    """The hand-written sample in this package."""

    spec = SPECS["ALEE-Sample"]
    metadata = _packaged(spec)


class AleeSurfaceSample(AleeTask):
    """The same sources with the foils of the surface engine."""

    spec = SPECS["ALEE-S-Sample"]
    metadata = _packaged(spec)


TASKS: dict[str, type[AleeTask]] = {
    task.spec.name: task for task in (AleeF200, AleeMT61, AleeBQ275, AleeSample, AleeSurfaceSample)
}
