"""Loading amrlib's models (DESIGN.md §4): which folders, which tokenizer, which generation settings.

model_parse_xfm_bart_large-v0_1_0/        model_generate_t5wtense-v0_1_0/
    amrlib_meta.json                          which inference class of amrlib
    config.json                               with task_specific_params: lengths, name of the tokenizer
    model.safetensors | pytorch_model.bin
    tokenizer.json …                          optional; else the tokenizer is taken from the Hub
"""

import json
import os
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from alee_mteb.errors import MissingExtraError, ModelError
from builders.model_folders import ModelFolder, choose_device, model_folder, models_folder, refuse_unloaded


@dataclass(frozen=True)
class Release:
    """One of amrlib's released models.

    Attributes:
        task: what it does, for messages.
        folder: its folder's name, which is also that of its archive.
        url: the archive.
        link: the name amrlib gives it inside its own data folder.
        modules: inference modules of amrlib that may be named in its meta data. Older ones unpickle their weights.
        settings: where its lengths stand in ``task_specific_params``.
        tokenizer: the Hub repository of its tokenizer.
    """

    task: str
    folder: str
    url: str
    link: str
    modules: tuple[str, ...]
    settings: tuple[str, ...]
    tokenizer: str


_RELEASES = "https://github.com/bjascob/amrlib-models/releases/download"
PARSER = Release(
    task="the AMR parser",
    folder="model_parse_xfm_bart_large-v0_1_0",
    url=f"{_RELEASES}/parse_xfm_bart_large-v0_1_0/model_parse_xfm_bart_large-v0_1_0.tar.gz",
    link="model_stog",
    modules=(".parse_xfm.inference", ".parse_t5.inference"),
    settings=("parse_amr", "translation_amr_to_text"),
    tokenizer="facebook/bart-large",
)
REALISER = Release(
    task="the AMR realiser",
    folder="model_generate_t5wtense-v0_1_0",
    url=f"{_RELEASES}/model_generate_t5wtense-v0_1_0/model_generate_t5wtense-v0_1_0.tar.gz",
    link="model_gtos",
    modules=(".generate_xfm.inference", ".generate_t5wtense.inference", ".generate_t5.inference"),
    settings=("translation_amr_to_text",),
    tokenizer="t5-base",
)
_TOKENIZER_FILES = ("tokenizer.json", "spiece.model", "vocab.json")
#: What amrlib imports but does not declare.
_UNDECLARED = ("unidecode", "word2number")
#: Ids that belong to a model; every other generation setting is ours.
_TOKEN_IDS = (
    "bos_token_id",
    "eos_token_id",
    "pad_token_id",
    "decoder_start_token_id",
    "forced_bos_token_id",
    "forced_eos_token_id",
)


@dataclass(frozen=True)
class LoadedModel:
    """A model in amrlib's hands.

    Attributes:
        name: for manifests.
        inference: amrlib's inference object (``parse_sents`` or ``generate``).
        max_input, max_output: in tokens, start and end tokens included.
    """

    name: str
    inference: Any
    tokenizer: Any
    max_input: int
    max_output: int

    def n_tokens(self, text: str, *, special: bool = True) -> int:
        """How many tokens a text is, before any clipping."""
        return len(self.tokenizer(text, add_special_tokens=special, verbose=False)["input_ids"])


def locate(release: Release, given: str | Path | None) -> ModelFolder:
    """The folder of a model: the one given (or a Hub name), else where `alee data` or amrlib keeps it.

    Raises:
        ModelError: it is nowhere, with what to download and where to put it.
    """
    hint = f"run `alee data`, or unpack {release.url} into {models_folder()}"
    if given is not None:
        return model_folder(given, release.task, hint=hint)
    found = next((path for path in places(release) if (path / "amrlib_meta.json").is_file()), None)
    if found is None:
        raise ModelError(f"{release.task} is not on this machine: {hint}, or give its folder")
    return model_folder(found, release.task)


def places(release: Release) -> list[Path]:
    """Where a released model is looked for, in that order."""
    import importlib.util

    found = [models_folder() / release.folder]
    spec = importlib.util.find_spec("amrlib")
    if spec is not None and spec.submodule_search_locations:
        data = Path(spec.submodule_search_locations[0]) / "data"
        found += [data / release.folder, data / release.link]
    return found


def load(release: Release, given: str | Path | None, device: str | None, **settings: Any) -> LoadedModel:
    """A model loaded once, with every weight checked, at full precision, with plain generation settings.

    Args:
        settings: passed on to amrlib's inference object (``num_beams``, …).

    Raises:
        MissingExtraError: amrlib or what it needs is not installed.
        ModelError: the model is not there, is of another kind, or is incomplete.
    """
    _need_amrlib(release)
    from amrlib.models.model_factory import dynamic_load

    place = locate(release, given)
    meta = _meta(release, place.path)
    device = choose_device(device)
    model = _model(release, place.path).to(device)
    config = _task_settings(release, model, place.path)
    tokenizer = _tokenizer(release, place.path, config)
    kwargs = {**meta.get("kwargs", {}), **settings, "device": device}
    inference_class = dynamic_load(module_name=meta["inference_module"], class_name=meta["inference_class"])
    inference = inference_class(model=model, tokenizer=tokenizer, config=config, **kwargs)
    return LoadedModel(
        name=f"amrlib {version('amrlib')} {place.name}",
        inference=inference,
        tokenizer=tokenizer,
        max_input=int(config["max_in_len"]),
        max_output=int(config["max_out_len"]),
    )


def _need_amrlib(release: Release) -> None:
    import importlib.util

    for module in ("torch", "transformers", "spacy", "amrlib", *_UNDECLARED):
        if importlib.util.find_spec(module) is None:
            raise MissingExtraError(module, "builders", release.task)


def _meta(release: Release, folder: Path) -> dict[str, Any]:
    path = folder / "amrlib_meta.json"
    try:
        meta = json.loads(path.read_text(encoding="utf-8"))
        module = meta["inference_module"]
        meta["inference_class"]
    except FileNotFoundError as error:
        raise ModelError(f"{release.task}: {folder}: no amrlib_meta.json, so this is no model of amrlib") from error
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelError(f"{path}: does not say which inference class to use ({error})") from error
    if module not in release.modules:
        raise ModelError(
            f"{release.task}: {folder}: its kind is {module!r}; use one of {', '.join(release.modules)}, "
            f"such as {release.folder}"
        )
    return dict(meta)


def _model(release: Release, folder: Path) -> Any:
    import torch
    from transformers import AutoModelForSeq2SeqLM, GenerationConfig

    try:
        model, problems = AutoModelForSeq2SeqLM.from_pretrained(
            folder, local_files_only=True, dtype=torch.float32, weights_only=True, output_loading_info=True
        )
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        raise ModelError(f"{release.task}: {folder}: cannot be loaded ({_first_line(error)})") from error
    refuse_unloaded(problems, folder, release.task)
    # Pretrained configurations bring settings for summaries along (no repeated n-grams, length penalties).
    ids = {name: getattr(model.generation_config, name, None) for name in _TOKEN_IDS}
    model.generation_config = GenerationConfig(**{name: value for name, value in ids.items() if value is not None})
    return model.eval()


def _task_settings(release: Release, model: Any, folder: Path) -> dict[str, Any]:
    params = getattr(model.config, "task_specific_params", None) or {}
    for name in release.settings:
        found = params.get(name)
        if isinstance(found, dict) and {"max_in_len", "max_out_len"} <= set(found):
            return found
    raise ModelError(
        f"{release.task}: {folder / 'config.json'}: task_specific_params has no {release.settings[0]!r} with "
        "max_in_len and max_out_len"
    )


def _tokenizer(release: Release, folder: Path, config: dict[str, Any]) -> Any:
    """The tokenizer in the model's folder, else the one its configuration names."""
    from transformers import AutoTokenizer

    local = any((folder / name).is_file() for name in _TOKENIZER_FILES)
    name = str(folder) if local else str(config.get("tok_name_or_path") or config.get("model_name_or_path") or "")
    name = name or release.tokenizer
    try:
        return AutoTokenizer.from_pretrained(name, model_max_length=int(config["max_in_len"]))
    except (OSError, ValueError, ImportError) as error:
        raise ModelError(
            f"{release.task}: its tokenizer {name} cannot be loaded; where there is a network run "
            f"`hf download {name} tokenizer.json tokenizer_config.json config.json --local-dir DIR` and copy "
            f"tokenizer.json and tokenizer_config.json of DIR into {os.fspath(folder)}"
            if not local
            else f"{release.task}: {folder}: its tokenizer files cannot be loaded ({_first_line(error)})"
        ) from error


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
