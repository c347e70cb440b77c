"""How an encoder makes one vector of a text: pooling, prompts, length and unit norm, as its folder states them.

A folder that sentence-transformers wrote says it in its own files; these are read and written here without that
package. Other folders are known by the name of the model they hold (`KNOWN`), or by its kind.

    config.json                          the kind of network
    modules.json, 1_Pooling/, 2_Dense/   what happens to the token states
    sentence_bert_config.json            the longest text
    config_sentence_transformers.json    prompts
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from alee_mteb.errors import ModelError

MEAN, CLS, POOLER = "mean", "cls", "pooler"
#: What `Recipe.pooling` can be. ``pooler`` is BERT's own: the first state through a dense layer and tanh.
POOLINGS = (MEAN, CLS, POOLER)
SONAR = "sonar"
_NO_PROMPTS: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True)
class Recipe:
    """How token states become an embedding.

    Attributes:
        pooling: ``mean`` over all tokens, special ones and the prompt's included; ``cls``, the first; or ``pooler``.
        normalize: whether embeddings are scaled to unit length at the end.
        prompts: what is put before a text, by the name of its use (``query``, ``document``, ``passage``, …).
        default_prompt: the prompt's name where no use is given.
        max_tokens: longest text in tokens, special ones included; ``None`` for what the network can take.
        dense: folder of a dense layer that the pooled state goes through (LaBSE has one).
    """

    pooling: str = MEAN
    normalize: bool = False
    prompts: Mapping[str, str] = field(default_factory=lambda: _NO_PROMPTS)
    default_prompt: str | None = None
    max_tokens: int | None = None
    dense: str | None = None

    def prompt(self, use: str | None = None) -> str:
        """The prefix for a use; for a use without one, or none given, the default prompt; else nothing."""
        if use is not None and use in self.prompts:
            return self.prompts[use]
        if use == "document" and "passage" in self.prompts:
            return self.prompts["passage"]
        return self.prompts.get(self.default_prompt, "") if self.default_prompt is not None else ""


_E5_PROMPTS = {"query": "query: ", "document": "passage: "}
#: Models whose own folders leave something unsaid, by the last part of their names in lower case.
KNOWN: Mapping[str, Recipe] = MappingProxyType(
    {
        "mexma": Recipe(pooling=CLS),
        "labse": Recipe(pooling=POOLER, normalize=True, max_tokens=256),
        **{
            f"multilingual-e5-{size}": Recipe(normalize=True, prompts=_E5_PROMPTS, default_prompt="query")
            for size in ("small", "base", "large")
        },
    }
)


def read_recipe(folder: Path, name: str | None = None) -> Recipe:
    """The recipe of an encoder folder.

    Args:
        name: Hub name or folder name, for what the files leave unsaid; by default the folder's.

    Raises:
        ModelError: a file is not what it should be, or asks for something that is not supported here.
    """
    known = KNOWN.get((name or folder.resolve().name).rstrip("/").rsplit("/", 1)[-1].lower(), Recipe())
    modules = read_json(folder / "modules.json", list)
    if modules is None:
        return known
    kinds = [(str(module.get("type", "")).rsplit(".", 1)[-1], str(module.get("path", ""))) for module in modules]
    recipe = replace(known, normalize=False, dense=None)
    for kind, path in kinds:
        match kind:
            case "Transformer":
                settings = read_json(folder / path / "sentence_bert_config.json", dict) or {}
                if settings.get("max_seq_length"):
                    recipe = replace(recipe, max_tokens=int(settings["max_seq_length"]))
                if path:
                    raise ModelError(f"{folder / 'modules.json'}: the network is in {path}; only one beside it is read")
            case "Pooling":
                recipe = replace(recipe, pooling=_pooling(folder / path / "config.json"))
            case "Dense":
                if recipe.dense is not None:
                    raise ModelError(f"{folder / 'modules.json'}: more than one Dense module; one is supported")
                recipe = replace(recipe, dense=path)
            case "Normalize":
                recipe = replace(recipe, normalize=True)
            case "Dropout":
                pass
            case _:
                raise ModelError(f"{folder / 'modules.json'}: module {kind!r} is not supported")
    return _with_prompts(recipe, folder)


def _pooling(path: Path) -> str:
    config = read_json(path, dict)
    if config is None:
        raise ModelError(f"{path}: no such file, but modules.json names it")
    prefix = "pooling_mode_"
    modes: Any = config.get("pooling_mode")
    if modes is None:  # before sentence-transformers 5.4
        names = {"mean_tokens": MEAN, "cls_token": CLS}
        flags = [key.removeprefix(prefix) for key, on in config.items() if key.startswith(prefix) and on is True]
        modes = [names.get(flag, flag) for flag in flags]
    modes = list(modes) if isinstance(modes, list) else [modes]
    if len(modes) != 1 or modes[0] not in (MEAN, CLS):
        raise ModelError(f"{path}: pooling {', '.join(map(str, modes)) or 'unsaid'}; mean and cls are supported")
    if config.get("include_prompt") is False and modes[0] == MEAN:
        raise ModelError(f"{path}: a mean without the prompt's tokens (include_prompt) is not supported")
    return str(modes[0])


def _with_prompts(recipe: Recipe, folder: Path) -> Recipe:
    config = read_json(folder / "config_sentence_transformers.json", dict) or {}
    prompts = config.get("prompts") or {}
    if not isinstance(prompts, dict) or not all(isinstance(text, str) for text in prompts.values()):
        raise ModelError(f"{folder / 'config_sentence_transformers.json'}: prompts are names and texts")
    if not any(prompts.values()):  # sentence-transformers writes empty ones where none were set
        return recipe
    return replace(recipe, prompts=prompts, default_prompt=config.get("default_prompt_name"))


def write_recipe(folder: Path, recipe: Recipe, *, dimension: int) -> None:
    """Write the recipe into an encoder folder as sentence-transformers lays it out (any version from 3 on).

    The weights of a dense layer are the caller's to write.
    """
    st = "sentence_transformers.models"
    modules = [("Transformer", ""), ("Pooling", "1_Pooling")]
    modules += [("Dense", recipe.dense)] if recipe.dense else []
    modules += [("Normalize", f"{len(modules)}_Normalize")] if recipe.normalize else []
    listed = [
        {"idx": index, "name": str(index), "path": path, "type": f"{st}.{kind}"}
        for index, (kind, path) in enumerate(modules)
    ]
    flags = {
        "pooling_mode_cls_token": recipe.pooling in (CLS, POOLER),
        "pooling_mode_mean_tokens": recipe.pooling == MEAN,
        "pooling_mode_max_tokens": False,
        "pooling_mode_mean_sqrt_len_tokens": False,
    }
    pooling = {"word_embedding_dimension": dimension, **flags}
    _write_json(folder / "modules.json", listed)
    _write_json(folder / "1_Pooling" / "config.json", pooling)
    _write_json(folder / "sentence_bert_config.json", {"max_seq_length": recipe.max_tokens, "do_lower_case": False})
    prompts = {
        "prompts": dict(recipe.prompts),
        "default_prompt_name": recipe.default_prompt,
        "similarity_fn_name": "cosine",
    }
    _write_json(folder / "config_sentence_transformers.json", prompts)


def read_json(path: Path, kind: type) -> Any:
    """The content of a JSON file; ``None`` if there is no such file.

    Raises:
        ModelError: it cannot be read, is not JSON, or not a `kind` (dict or list).
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, RecursionError) as error:  # the last for brackets without end
        raise ModelError(f"{path}: cannot be read as JSON ({error})") from error
    if not isinstance(content, kind) or (
        isinstance(content, list) and not all(isinstance(item, dict) for item in content)
    ):
        raise ModelError(f"{path}: not the JSON that a model folder has there")
    return content


def _write_json(path: Path, content: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
