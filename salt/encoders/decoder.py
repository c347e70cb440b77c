"""The frozen decoder of an M2M100 (SONAR's, or NLLB's): a pooled state in, a text out.

    pooled span (n, d) ──▶ the only encoder state ──▶ </s> deu_Latn ▁die ▁Katze </s>
                                                       └ prefix ┘  └── scored ──┘

The prefix is ``</s>`` and the language token, as NLLB was trained; the scored tokens end with ``</s>``.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alee_mteb.encoders.folder import encoder_folder
from alee_mteb.encoders.tokens import TextTokenizer
from alee_mteb.errors import DataError, MissingExtraError, ModelError

if TYPE_CHECKING:
    from torch import Tensor

#: How many positions the prefix takes: ``</s>`` and the language token.
PREFIX_LENGTH = 2


def load_decoder(name_or_folder: str | Path, *, revision: str | None = None, device: str = "cpu") -> "FrozenDecoder":
    """The decoder of an M2M100 folder, frozen and in evaluation mode.

    Raises:
        MissingExtraError: torch or Transformers is not installed.
        ModelError: the folder holds an encoder alone or another network, or its weights are not all there.
    """
    try:
        import torch  # noqa: F401 - only asked whether it is there
        import transformers  # noqa: F401
    except ImportError as error:
        raise MissingExtraError(error.name or "transformers", "salt", "loading a decoder") from error
    from alee_mteb.encoders.network import load_full_m2m100

    folder = encoder_folder(name_or_folder, revision=revision)
    model = load_full_m2m100(folder, device)
    return FrozenDecoder(model, TextTokenizer.load(folder, needs_language=True), str(name_or_folder))


class FrozenDecoder:
    """Decoder and output layer; gradients flow through it to the states it is given, never into it.

    Attributes:
        name: hub name or folder.
        module: the decoder and the output layer, in evaluation mode for good.
        dimension: d, the size of the states it reads.
        max_tokens: longest output, prefix included.
    """

    def __init__(self, model: Any, tokenizer: TextTokenizer, name: str) -> None:
        self.name = name
        self.tokenizer = tokenizer
        self.model = model.requires_grad_(False).eval()
        self.module = self.model
        self.dimension = int(model.config.d_model)
        self.max_tokens = int(model.config.max_position_embeddings)
        self.end_id = int(tokenizer.backend.eos_token_id)

    def language_id(self, language: str) -> int:
        """The id of a language's token.

        Raises:
            LanguageError: it has none.
        """
        return self.tokenizer.language_id(language)

    def prefix(self, language: str) -> list[int]:
        """What every output begins with and no loss counts: ``</s>`` and the language token.

        Raises:
            LanguageError: the language has no token.
        """
        return [self.end_id, self.language_id(language)]

    def target_ids(self, texts: Sequence[str]) -> list[list[int]]:
        """The tokens that a loss counts: those of each text, and ``</s>``.

        Raises:
            DataError: a text is empty or longer than `max_tokens`.
        """
        if not texts:
            return []
        for row, text in enumerate(texts):
            if not text or text.isspace():
                raise DataError(f"text {row} of {len(texts)} is empty; there is nothing to decode")
        encoded = self.tokenizer.backend(list(texts), add_special_tokens=False, verbose=False)["input_ids"]
        for row, ids in enumerate(encoded):
            if len(ids) + PREFIX_LENGTH > self.max_tokens:
                raise DataError(
                    f"text {row} of {len(texts)} has {len(ids)} tokens; {self.name} takes {self.max_tokens}"
                )
        return [[*ids, self.end_id] for ids in encoded]

    def decode(
        self, memory: "Tensor", inputs: "Tensor", mask: "Tensor | None" = None, memory_mask: "Tensor | None" = None
    ) -> "Tensor":
        """Teacher-forced logits (n, t, v) for the token after each input; a `salt.losses.inputs.Decode`.

        Args:
            memory: encoder states, (n, s, d), or one pooled state each, (n, d).
            inputs: prefix and tokens so far, (n, t), padded on the right.
            mask: 1 for tokens, (n, t); as padding comes last, no token sees it with or without.
            memory_mask: 1 for states to be read, (n, s); all by default.

        Raises:
            ModelError: the states are not of the decoder's size.
        """
        output = self.model.model.decoder(
            input_ids=inputs,
            attention_mask=mask,
            encoder_hidden_states=self._as_states(memory),
            encoder_attention_mask=memory_mask,
            use_cache=False,
        )
        return self.model.lm_head(output.last_hidden_state)

    def generate(
        self,
        states: "Tensor",
        language: str,
        *,
        beams: int = 1,
        max_tokens: int = 128,
        states_mask: "Tensor | None" = None,
    ) -> list[str]:
        """The text of each state in a language: greedy with one beam, else beam search; no sampling.

        Raises:
            LanguageError: the language has no token.
        """
        import torch
        from transformers.modeling_outputs import BaseModelOutput

        states = self._as_states(states)
        prefix = torch.tensor([[self.end_id, self.language_id(language)]], device=states.device)
        mask = states.new_ones(states.shape[:2], dtype=torch.long) if states_mask is None else states_mask
        with torch.no_grad():
            output = self.model.generate(
                encoder_outputs=BaseModelOutput(last_hidden_state=states),
                attention_mask=mask,
                decoder_input_ids=prefix.expand(len(states), -1),
                num_beams=beams,
                do_sample=False,
                max_new_tokens=max(1, min(max_tokens, self.max_tokens - PREFIX_LENGTH)),
                max_length=None,
                forced_bos_token_id=None,
            )
        texts = self.tokenizer.backend.batch_decode(output[:, PREFIX_LENGTH:], skip_special_tokens=True)
        return [text.strip() for text in texts]

    def _as_states(self, states: "Tensor") -> "Tensor":
        if states.shape[-1] != self.dimension:
            raise ModelError(
                f"{self.name}: reads states of {self.dimension} dimensions, these have {states.shape[-1]}; "
                "encoder and decoder are not of the same model"
            )
        return states.unsqueeze(1) if states.ndim == 2 else states
