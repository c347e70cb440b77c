"""What `alee salt spans extract` is put together from: encoder, parser or chat model, bars."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alee_mteb.errors import DataError, ModelError

if TYPE_CHECKING:
    from salt.encoders.base import TokenEncoder
    from salt.spans.case import CaseSettings
    from salt.spans.chat import ChatModel
    from salt.spans.run import Extractor, Ran


@dataclass(frozen=True)
class CaseOptions:
    """The options of ``--method case``."""

    layer: int | None
    settings: "CaseSettings"
    constituents: str
    model: str | None


@dataclass(frozen=True)
class LlmOptions:
    """The options of ``--method llm``; the key of the endpoint is read from the environment, and stays out of here."""

    model: str | None
    endpoint: str | None
    key_variable: str
    cache: str | None
    concurrency: int
    timeout: float
    tries: int
    wait: float
    max_tokens: int


class Bar:
    """Pairs done, and answers within the part that is being worked on."""

    def __init__(self, pairs: Any, answers: Any) -> None:
        self._pairs, self._answers = pairs, answers

    def start(self, total: int) -> None:
        """Told once, before the first part."""
        self._pairs.reset(total=total)

    def advance(self, done: int) -> None:
        """Told after each part."""
        self._pairs.update(done)

    def answered(self) -> None:
        """Told after each answer of a chat model."""
        self._answers.update(1)


@contextmanager
def progress(*, with_answers: bool) -> Iterator[Bar]:
    """Bars on standard error, where that is a terminal."""
    from tqdm import tqdm

    with (
        tqdm(total=0, desc="pairs", unit=" pairs", disable=None) as pairs,
        tqdm(desc="answers", unit=" answers", disable=None if with_answers else True, leave=False) as answers,
    ):
        yield Bar(pairs, answers)


def make_extractor(
    method: str,
    encoder: "TokenEncoder",
    case: CaseOptions,
    llm: LlmOptions,
    *,
    budget: int,
    device: str,
    watch: Callable[[], object],
) -> "Extractor":
    """The extractor that the options ask for.

    Raises:
        DataError: an unknown method.
        ModelError: a model is not named, or cannot be used.
        MissingExtraError: a package is missing.
    """
    if method == "case":
        from salt.alignment import middle_layer
        from salt.spans.case_extractor import CaseExtractor
        from salt.spans.constituents import make_parser

        layer = middle_layer(encoder.n_layers) if case.layer is None else case.layer
        parser = make_parser(case.constituents, case.model)
        return CaseExtractor(encoder, parser, layer=layer, settings=case.settings, budget=budget)
    if method == "llm":
        from salt.spans.chat import CachedChat
        from salt.spans.llm import LlmExtractor

        chat = CachedChat(_chat(llm, device), Path(llm.cache) if llm.cache else _default_cache())
        return LlmExtractor(encoder, chat, budget=budget, watch=watch)
    raise DataError(f"unknown method {method!r}; expected case or llm")


def _chat(options: LlmOptions, device: str) -> "ChatModel":
    if options.model is None:
        raise ModelError("--method llm needs --llm MODEL: a folder or Hub name; with --endpoint, its name there")
    if options.endpoint is None:
        from salt.spans.chat_transformers import TransformersChat

        return TransformersChat(options.model, device=device, max_tokens=options.max_tokens)
    from salt.spans.endpoint import EndpointChat

    return EndpointChat(
        options.endpoint,
        options.model,
        os.environ.get(options.key_variable) or None,
        timeout=options.timeout,
        tries=options.tries,
        wait=options.wait,
        concurrency=options.concurrency,
        max_tokens=options.max_tokens,
    )


def _default_cache() -> Path:
    import platformdirs

    return Path(platformdirs.user_cache_dir("alee-mteb")) / "span-answers"


def run_extraction(
    path: Path, out: Path, extractor: "Extractor", languages: tuple[str | None, str | None], overwrite: bool, bar: Bar
) -> "Ran":
    """See `salt.spans.run.run`."""
    from salt.data.readers import read_pairs
    from salt.evaluation.states import weights_revision
    from salt.spans.run import run

    return run(
        lambda: read_pairs(path, source_language=languages[0], target_language=languages[1]),
        extractor,
        out,
        # A chat model's spans depend on the encoder's tokens alone, of which there is a fingerprint.
        revision=None if extractor.layer is None else weights_revision(extractor.encoder),
        overwrite=overwrite,
        start=bar.start,
        advance=bar.advance,
    )
