"""What a training run is asked for: a YAML file laid over a preset, checked to the last key.

    preset: default                # or `paper`; whatever follows is laid over it
    encoder: my-e5                 # folder or Hub name
    output: runs/mine
    seeds: [0, 1, 2]
    data:
      spans: spans.parquet         # from `alee salt spans`
    loss:
      beta: 0.2
    evaluation:
      alignment: {eng_Latn-spa_Latn: dev.tsv}

Paths are taken from where the command runs, as on any command line.
"""

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from alee_mteb.errors import AleeError
from salt.losses.inputs import Loss
from salt.losses.presets import PRESETS as LOSS_PRESETS
from salt.training.loss_settings import make_loss


class Section(BaseModel):
    """Settings that know their own names: anything else is refused."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class DataSettings(Section):
    """Where the pairs come from and how they are drawn (paper, §4 and Appendix C.5).

    Attributes:
        spans: Parquet tables of `alee salt spans`.
        license: of the text, for the model card.
        retokenize: take spans from another tokenizer, by their characters.
        temperature: language pairs are drawn by p ∝ (n / N)^(1/T).
        max_pairs: at most so many pairs of one language pair; ``None`` for all.
        score_filter: drop pairs whose score is further from the mean of their language pair than so many standard
            deviations; ``None`` for no filter. Pairs without a score are kept.
        max_tokens: longer pairs are left out, on either side.
        token_budget: padded tokens of a packed batch: pairs × its longest side.
        buffer: how many pairs are drawn, sorted by length and packed at a time.
    """

    spans: tuple[str, ...] = Field(min_length=1)
    license: str | None = None
    retokenize: bool = False
    temperature: float = Field(default=1.0, gt=0)
    max_pairs: int | None = Field(default=40_000, ge=1)
    score_filter: float | None = Field(default=None, gt=0)
    max_tokens: int = Field(default=512, ge=3)
    token_budget: int = Field(default=1_400, ge=8)
    buffer: int = Field(default=1_000, ge=1)

    @field_validator("spans", mode="before")
    @classmethod
    def _spans(cls, value: Any) -> Any:
        return _as_tuple([value] if isinstance(value, str) else value)


class OptimiserSettings(Section):
    """AdamW and its schedule.

    Attributes:
        learning_rate: at its peak.
        warmup: updates of linear warm-up; a cosine to zero follows.
        weight_decay, betas, epsilon: of AdamW.
        clip: largest norm of the gradient; ``None`` for no clipping.
        batches_per_step: packed batches per update, over all processes; one per process by default.
        train_embeddings: also train the word embeddings.
        dropout: keep the dropout of the network on.
    """

    learning_rate: float = Field(default=1e-4, gt=0)
    warmup: int = Field(default=1_000, ge=0)
    weight_decay: float = Field(default=0.01, ge=0)
    betas: tuple[float, float] = (0.9, 0.999)
    epsilon: float = Field(default=1e-8, gt=0)
    clip: float | None = Field(default=1.0, gt=0)
    batches_per_step: int | None = Field(default=None, ge=1)
    train_embeddings: bool = False
    dropout: bool = True

    @field_validator("betas", mode="before")
    @classmethod
    def _betas(cls, value: Any) -> Any:
        return _as_tuple(value)


class EvaluationSettings(Section):
    """What is measured now and then; never a test set, which would then choose the settings.

    Attributes:
        every: updates between evaluations; there is one before the first and one after the last.
        alignment: language pair (``eng_Latn-spa_Latn``) → TSV of source, target and gold word links ``i-j``.
        retrieval: a JSONL file with one text per language code in each line.
        retrieval_pairs: language pairs, both ways of each.
        limit: sentences per language pair.
        layer: whose states are aligned.
    """

    every: int = Field(default=500, ge=1)
    alignment: dict[str, str] = Field(default_factory=dict)
    retrieval: str | None = None
    retrieval_pairs: tuple[str, ...] = ()
    limit: int = Field(default=200, ge=1)
    layer: int = -1

    @field_validator("retrieval_pairs", mode="before")
    @classmethod
    def _pairs(cls, value: Any) -> Any:
        return _as_tuple(value)

    @model_validator(mode="after")
    def _complete(self) -> "EvaluationSettings":
        if (self.retrieval is None) != (not self.retrieval_pairs):
            raise ValueError("retrieval and retrieval_pairs go together: a file, and which languages of it")
        for pair in (*self.alignment, *self.retrieval_pairs):
            if len(pair.split("-")) != 2:
                raise ValueError(f"{pair!r} is no language pair; write it as eng_Latn-spa_Latn")
        return self


class CheckpointSettings(Section):
    """How often the state is saved, and how many of the states are kept."""

    every: int = Field(default=500, ge=1)
    keep: int = Field(default=2, ge=1)


class TrainConfig(Section):
    """A training run.

    Attributes:
        preset: what the other settings are laid over: ``paper`` is the literal reading of the paper, ``default`` what
            was measured to work on a real encoder (DESIGN.md §5).
        encoder: folder or Hub name; a frozen copy is the teacher.
        decoder: folder or Hub name of the frozen decoder; needed unless ``loss.alpha`` is 0.
        output: folder of the runs, one sub-folder per seed.
        seeds: one run each.
        steps: updates.
        precision: ``no`` for float32, or ``bf16``.
        loss: ``name`` and settings over those of the preset, see `salt.training.loss_settings`.
        log_every: updates between lines of the log.
        tensorboard: also write event files.
    """

    preset: Literal["default", "paper"] = "default"
    encoder: str = Field(min_length=1)
    decoder: str | None = None
    output: str = Field(min_length=1)
    seeds: tuple[int, ...] = Field(default=(0,), min_length=1)
    steps: int = Field(default=20_000, ge=1)
    precision: Literal["no", "bf16"] = "no"
    log_every: int = Field(default=10, ge=1)
    tensorboard: bool = True
    data: DataSettings
    loss: dict[str, Any] = Field(default_factory=dict)
    optimiser: OptimiserSettings = OptimiserSettings()
    evaluation: EvaluationSettings = EvaluationSettings()
    checkpoints: CheckpointSettings = CheckpointSettings()

    @field_validator("seeds", mode="before")
    @classmethod
    def _seeds(cls, value: Any) -> Any:
        return _as_tuple([value] if isinstance(value, int) else value)

    @model_validator(mode="after")
    def _consistent(self) -> "TrainConfig":
        if min(self.seeds) < 0:
            raise ValueError(f"seeds: {min(self.seeds)}: a seed is 0 or above")
        if len(set(self.seeds)) != len(self.seeds):
            raise ValueError("seeds: the same seed twice would be the same run twice")
        if self.optimiser.warmup >= self.steps:
            raise ValueError(f"optimiser.warmup: {self.optimiser.warmup} updates of {self.steps}; lower it")
        try:
            self.make_loss()
        except AleeError as error:
            raise ValueError(str(error)) from error
        return self

    def make_loss(self) -> Loss:
        """The objective."""
        return make_loss(self.loss, self.preset, has_decoder=self.decoder is not None)


def preset_settings(name: str) -> dict[str, Any]:
    """The settings of a preset, without those of the loss, which `make_loss` lays over the preset's own."""
    chosen = LOSS_PRESETS[name]
    return {
        "steps": chosen.steps,
        "data": {"token_budget": chosen.max_tokens, "score_filter": 1.0 if name == "paper" else None},
        "optimiser": {
            "learning_rate": chosen.learning_rate,
            "warmup": chosen.warmup_steps,
            "train_embeddings": not chosen.freeze_embeddings,
            "dropout": chosen.dropout,
        },
    }


def _as_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, Sequence) and not isinstance(value, str) else value
