"""Sentences to graphs with amrlib's sentence-to-graph model (paper §3.1)."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from builders.amr.graphs import read_graph
from builders.amr.models import PARSER, load
from builders.batching import Progress, in_batches, say
from builders.stages import Parse


class AmrlibParser:
    """amrlib's parser (``model_parse_xfm_bart_large-v0_1_0``), loaded once.

    Graphs do not depend on the batch size, except where two continuations are equally probable to the sixth digit.
    """

    def __init__(
        self,
        model: str | Path | None = None,
        *,
        batch_size: int = 16,
        device: str | None = None,
        num_beams: int = 4,
        progress: Progress | None = None,
    ) -> None:
        """Load the model.

        Args:
            model: a folder in amrlib's layout or a Hub repository with one; by default the one `alee data` fetched.
            device: ``cpu``, ``cuda:1``, …; by default the first GPU, else the CPU.
            num_beams: 4 is amrlib's own setting and the one its published score was made with. If the best beam
                cannot be read as a graph, amrlib falls back on the next.

        Raises:
            AleeError: the model or amrlib is not there, or is not what it should be.
        """
        self._model = load(PARSER, model, device, num_beams=num_beams, batch_size=batch_size)
        self._batch_size = batch_size
        self._progress = progress
        self.name = self._model.name if num_beams == 4 else f"{self._model.name} beams={num_beams}"

    def parse(self, sentences: Sequence[str]) -> list[Parse]:
        """One `Parse` per sentence, in order. A sentence that was clipped has the remark beside its graph."""
        # Line breaks mean nothing inside a sentence, and amrlib has never seen any.
        cleaned = [" ".join(sentence.split()) for sentence in sentences]
        wanted = [sentence for sentence in cleaned if sentence]
        parses = iter(
            in_batches(
                wanted,
                self._parse_batch,
                length=len,
                batch_size=self._batch_size,
                failed=lambda sentence, error: Parse(None, f"parser failed: {say(error)}"),
                progress=self._progress,
                what="parsing",
            )
        )
        return [next(parses) if sentence else Parse(None, "an empty sentence") for sentence in cleaned]

    def _parse_batch(self, batch: list[str]) -> list[Parse]:
        texts: list[Any] = self._model.inference.parse_sents(batch, add_metadata=False)
        return [self._checked(sentence, text) for sentence, text in zip(batch, texts, strict=True)]

    def _checked(self, sentence: str, text: str | None) -> Parse:
        parse = read_graph(text)
        if parse.graph is None:
            return parse
        n_tokens = self._model.n_tokens(sentence)
        if n_tokens > self._model.max_input:
            return Parse(parse.graph, f"clipped: {n_tokens} tokens, the parser reads {self._model.max_input}")
        if self._graph_tokens(str(text)) >= self._model.max_output - _NEARLY:
            return Parse(parse.graph, f"clipped: the graph fills the {self._model.max_output} tokens the parser writes")
        return parse

    def _graph_tokens(self, text: str) -> int:
        """How long the model's own output was: amrlib closes what was cut off and keeps no sign of it."""
        from amrlib.models.parse_xfm.penman_serializer import PenmanSerializer

        return self._model.n_tokens(PenmanSerializer(text).get_graph_string(), special=False)


#: A cut graph comes back shorter by a few tokens (the unfinished end) and longer by the brackets that were closed.
_NEARLY = 8
