"""`alee explain`: one source with everything that was done to it."""

import pytest
from support.doubles import ListCorpus, engine, source, stages

from alee_mteb.errors import DataError
from builders.build import build
from builders.explain import explain
from builders.recipes import BuildConfig
from builders.stages import Status

TEXT = "The boy believes the girl.\nThe king visits the old queen."


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    def rule(a, b):
        return (
            Status.REJECTED_BIDIRECTIONAL
            if (a.startswith("The boy") and "\n" not in a) or "rs" in b
            else Status.SUCCESS
        )

    out = tmp_path_factory.mktemp("build")
    build(
        BuildConfig(corpus="unused", perturbations=["PN", "RS"], control=True),
        out,
        open_corpus=lambda _: ListCorpus(
            [source("seg-1", TEXT), source("seg-2", "Short.\x1b[2J"), source("seg-3", " ")]
        ),
        open_stages=lambda config, progress: engine(stages(rule, n_candidates=2)),
    )
    return out


def test_a_source_with_a_foil_and_a_rejection(folder):
    assert (
        explain(folder, "seg-1")
        == """\
alee_test  seg-1
  source: The boy believes the girl. ⏎ The king visits the old queen.
  languages: 1

PolarityNegation: success (valid foil)
  candidates: 4 found, 3 tried
  sentence 1: The king visits the old queen.
  graph:
    (v / king-01
       :ARG0 (a / the)
       :ARG1 (b / queen))
  edit at v: king-01 → pn-01
  edited graph:
  * (v / pn-01
       :ARG0 (a / the)
       :ARG1 (b / queen))
  new sentence: The king visits the old queen. pn 01 the queen
  foil: The boy believes the girl. ⏎ The king visits the old queen. pn 01 the queen
  NLI on the text: P(entailment) source → foil 0.2500, foil → source 0.5000

RoleSwap: rejected_bidirectional (source and new text entail each other)
  candidates: 4 found, 4 tried
  sentence 0: The boy believes the girl.
  graph:
    (v / boy-01
       :ARG0 (a / the)
       :ARG1 (b / girl))
  edit at v: boy-01 → rs-01
  edited graph:
  * (v / rs-01
       :ARG0 (a / the)
       :ARG1 (b / girl))
  new sentence: The boy believes the girl. rs 01 the girl
  new text: The boy believes the girl. rs 01 the girl ⏎ The king visits the old queen.
  NLI on the sentence: P(entailment) source → foil 0.2500, foil → source 0.5000

Regenerated: success (regenerated from the unedited graphs)
  text: The boy believes the girl. boy 01 the girl ⏎ The king visits the old queen. king 01 the queen"""
    )


def test_a_source_that_could_not_be_edited(folder):
    lines = explain(folder, "seg-2").splitlines()
    assert "  source: Short.�[2J" in lines
    assert "PolarityNegation: no_candidate (nothing in the text can be edited this way)" in lines
    assert "  remarks: no sentence is long enough to be edited" in lines


def test_an_empty_source_is_explained_too(folder):
    assert "  source: empty, so it is not in the triplet table" in explain(folder, "seg-3").splitlines()


def test_an_unknown_id_gets_close_ones(folder):
    with pytest.raises(DataError, match=r"no source 'seg1' in alee_test; there are e\.g\. seg-1"):
        explain(folder, "seg1")


def test_a_folder_without_provenance(tmp_path):
    (tmp_path / "alee_mt61.csv").write_text("id,en_EN,en_RoleSwap_negative\n1,A saw B.,B saw A.\n")
    with pytest.raises(DataError, match="no provenance table for alee_mt61"):
        explain(tmp_path, "1")


def test_several_configurations_need_a_choice(tmp_path):
    for name in ("one", "two"):
        (tmp_path / f"{name}.csv").write_text("id,eng_Latn,eng_RoleSwap_negative\n1,A saw B.,B saw A.\n")
    with pytest.raises(DataError, match="has the configurations one, two; choose"):
        explain(tmp_path, "1")
    with pytest.raises(DataError, match="no configuration 'three'; it has one, two"):
        explain(tmp_path, "1", "three")
