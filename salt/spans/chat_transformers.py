"""A chat model of Transformers, from a folder or the Hub."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from alee_mteb.errors import MissingExtraError, ModelError


class TransformersChat:
    """The likeliest answer, token by token, of a causal language model with a chat template.

    Args:
        model: folder or Hub name.
        device: such as ``cuda``; the best there is by default.
        batch_size: questions at once.
        max_tokens: longest answer.

    Raises:
        MissingExtraError: Transformers is not installed.
        ModelError: there is no such model, or it has no chat template.
    """

    def __init__(self, model: str, *, device: str | None = None, batch_size: int = 8, max_tokens: int = 1024) -> None:
        try:
            import torch
            from transformers import AutoModelForCausalLM, AutoTokenizer
        except ImportError as error:
            raise MissingExtraError("transformers", "salt", "running a chat model") from error
        try:
            self._tokenizer: Any = AutoTokenizer.from_pretrained(model, padding_side="left")
            network = AutoModelForCausalLM.from_pretrained(model, dtype="auto")
        except (OSError, ValueError, ImportError) as error:
            raise ModelError(f"chat model {model!r} cannot be loaded ({error})") from error
        if self._tokenizer.chat_template is None:
            raise ModelError(f"chat model {model!r} has no chat template; name an instruction-tuned model")
        if self._tokenizer.pad_token is None:
            self._tokenizer.pad_token = self._tokenizer.eos_token
        self._device = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
        self._network: Any = network.eval()
        self._network.to(self._device)
        self._batch_size = batch_size
        self.name = model
        self.settings: Mapping[str, Any] = {"max_tokens": max_tokens, "temperature": 0}
        self.last_problem: str | None = None  # it always answers

    def answers(self, prompts: Sequence[str]) -> Iterator[tuple[int, str | None]]:
        """See `salt.spans.chat.ChatModel`."""
        for start in range(0, len(prompts), self._batch_size):
            batch = prompts[start : start + self._batch_size]
            yield from enumerate(self._answer(batch), start)

    def _answer(self, prompts: Sequence[str]) -> list[str]:
        import torch

        chats = [[{"role": "user", "content": prompt}] for prompt in prompts]
        inputs = self._tokenizer.apply_chat_template(
            chats, add_generation_prompt=True, tokenize=True, return_dict=True, return_tensors="pt", padding=True
        ).to(self._device)
        with torch.inference_mode():
            outputs = self._network.generate(
                input_ids=inputs["input_ids"],
                attention_mask=inputs["attention_mask"],
                do_sample=False,
                max_new_tokens=self.settings["max_tokens"],
                pad_token_id=self._tokenizer.pad_token_id,
            )
        new = outputs[:, inputs["input_ids"].shape[1] :]
        return [str(text) for text in self._tokenizer.batch_decode(new, skip_special_tokens=True)]
