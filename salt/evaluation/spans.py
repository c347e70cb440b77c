"""Span level: how close aligned spans are by layer, and what a frozen decoder makes of a span (paper §5.1, E.1).

Span files: the Parquet of `alee salt spans` and of its review (such as a CrossSpan set), or JSONL:

    {"source_language": "eng_Latn", "target_language": "spa_Latn", "source": "…", "target": "…",
     "spans": [[source_start, source_end, target_start, target_end], …]}
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from alee_mteb.errors import DataError, MissingExtraError
from salt.evaluation.geometry import mean_cosine
from salt.evaluation.lines import read_json_lines
from salt.evaluation.scores import Corpus, Ratio, Score, scored
from salt.evaluation.states import StateStore
from salt.pairs import AlignedPair, AlignedSpan, ParallelPair, Span
from salt.words import has_spaces

if TYPE_CHECKING:
    from salt.encoders.decoder import FrozenDecoder

#: Pairs whose states are held at once.
_BLOCK = 256
WORDS, SPANS = "words", "spans"
TRANSLATION_METRICS = ("chrf", "bleu")


@dataclass(frozen=True)
class SpanSet:
    """Pairs with aligned spans of one language pair."""

    name: str
    source_language: str
    target_language: str
    pairs: tuple[AlignedPair, ...]

    @property
    def language(self) -> str:
        """The code of the language pair."""
        return f"{self.source_language}-{self.target_language}"


def read_span_sets(path: Path) -> list[SpanSet]:
    """The pairs of a span file by language pair, those without spans left out.

    Raises:
        DataError: not a span file, a span outside its text, or no span at all.
    """
    if path.suffix == ".parquet":
        from salt.spans.table import read_spans

        pairs: Iterator[AlignedPair] = read_spans(path)
    else:
        pairs = _read_jsonl(path)
    by_language: dict[tuple[str, str], list[AlignedPair]] = {}
    for pair in pairs:
        if pair.spans:
            by_language.setdefault(pair.pair.languages, []).append(pair)
    if not by_language:
        raise DataError(f"{path}: no aligned span in it")
    return [SpanSet(path.stem, *languages, tuple(found)) for languages, found in sorted(by_language.items())]


def _read_jsonl(path: Path) -> Iterator[AlignedPair]:
    for number, row in read_json_lines(path):
        where = f"{path}, line {number}"
        try:
            texts = str(row["source"]), str(row["target"])
            pair = ParallelPair(str(row.get("id", number)), row["source_language"], row["target_language"], *texts)
            spans = []
            for start, end, target_start, target_end in row["spans"]:
                span = AlignedSpan(Span(start, end), Span(target_start, target_end))
                if span.source.end > len(texts[0]) or span.target.end > len(texts[1]):
                    raise DataError(f"span {[start, end, target_start, target_end]} is out of range")
                spans.append(span)
        except (KeyError, TypeError, ValueError) as error:
            raise DataError(f"{where}: not a pair with languages, texts and spans of four offsets ({error})") from None
        except DataError as error:
            raise DataError(f"{where}: {error}") from None
        yield AlignedPair(pair, tuple(spans))


def is_word(span: AlignedSpan, pair: ParallelPair) -> bool:
    """Whether both sides are single words: no white space inside; in scripts without it, one character."""
    sides = ((span.source, pair.source, pair.source_language), (span.target, pair.target, pair.target_language))
    return all(
        len(part.of(text).split()) == 1 if has_spaces(language) else part.end - part.start == 1
        for part, text, language in sides
    )


def evaluate_span_similarity(data: SpanSet, store: StateStore, layers: Sequence[int], seed: int = 0) -> list[Score]:
    """Mean cosine of aligned spans and of aligned single words by layer, beside random partners of the same kind."""
    layers = store.layers(layers)
    kinds = [is_word(span, pair.pair) for pair in data.pairs for span in pair.spans]
    sentences = np.array([number for number, pair in enumerate(data.pairs) for _ in pair.spans])
    sides = _sides(data, store, layers)
    scores = []
    for layer in layers:
        source, target = sides[layer]
        for name, wanted in ((SPANS, False), (WORDS, True)):
            rows = np.array([at for at, word in enumerate(kinds) if word is wanted], dtype=np.int64)
            if not len(rows):
                continue
            partners = other_sentence(sentences[rows], np.random.default_rng([seed, len(rows)]))
            for setting, chosen in ((name, np.arange(len(rows))), (f"random {name}", partners)):
                kept = chosen >= 0
                if not kept.any():
                    continue
                cosines = mean_cosine(source[rows[kept]], target[rows[chosen[kept]]])
                scores.append(
                    scored(
                        Ratio(cosines.astype(np.float64), np.ones(len(cosines))),
                        seed,
                        task="span-similarity",
                        data=data.name,
                        language=data.language,
                        metric="cosine",
                        better="none" if setting.startswith("random") else "higher",
                        layer=layer,
                        setting=setting,
                    )
                )
    return scores


def other_sentence(sentences: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """For each row a random row of another sentence, shape (n,); -1 where there is none."""
    chosen = np.full(len(sentences), -1)
    for at, sentence in enumerate(sentences):
        others = np.flatnonzero(sentences != sentence)
        if len(others):
            chosen[at] = others[generator.integers(len(others))]
    return chosen


def _sides(data: SpanSet, store: StateStore, layers: Sequence[int]) -> Mapping[int, tuple[np.ndarray, np.ndarray]]:
    """Pooled states of all spans, source and target, by layer, (n, d) each."""
    found: dict[int, tuple[list[np.ndarray], list[np.ndarray]]] = {layer: ([], []) for layer in layers}
    for start in range(0, len(data.pairs), _BLOCK):
        block = data.pairs[start : start + _BLOCK]
        sources = store.get([pair.pair.source for pair in block], data.source_language, layers)
        targets = store.get([pair.pair.target for pair in block], data.target_language, layers)
        for pair, source, target in zip(block, sources, targets, strict=True):
            for layer in layers:
                of_source, of_target = [s.source for s in pair.spans], [s.target for s in pair.spans]
                found[layer][0].append(source.pooled(of_source, layer, shared_tokens=True))
                found[layer][1].append(target.pooled(of_target, layer, shared_tokens=True))
    return {layer: (np.concatenate(one), np.concatenate(other)) for layer, (one, other) in found.items()}


def translate_spans(
    data: SpanSet, store: StateStore, decoder: "FrozenDecoder", *, batch: int = 64, beams: int = 1
) -> tuple[list[str], list[str]]:
    """What the decoder makes of each source span's mean state, and the target spans as written.

    Raises:
        ModelError: encoder and decoder are not of the same model.
        LanguageError: the decoder does not know the target language.
    """
    import torch

    (last,) = store.layers((-1,))
    source, _ = _sides(data, store, (last,))[last]
    made: list[str] = []
    for start in range(0, len(source), batch):
        states = torch.from_numpy(source[start : start + batch])
        made += decoder.generate(states, data.target_language, beams=beams)
    references = [span.target.of(pair.pair.target) for pair in data.pairs for span in pair.spans]
    return made, references


def translation_scores(data: SpanSet, made: Sequence[str], references: Sequence[str], seed: int = 0) -> list[Score]:
    """Corpus chrF and BLEU by sacrebleu, with its signatures.

    Raises:
        MissingExtraError: sacrebleu is not installed.
    """
    try:
        import sacrebleu  # noqa: F401 - only asked whether it is there
    except ImportError as error:
        raise MissingExtraError("sacrebleu", "salt", "span translation") from error
    scores = []
    # Characters stand for words where no space does.
    tokenizer = "13a" if has_spaces(data.target_language) else "char"
    for metric in TRANSLATION_METRICS:
        statistic, signature = Corpus.of(metric, made, references, tokenizer)
        scores.append(
            scored(
                statistic,
                seed,
                task="span-translation",
                data=data.name,
                language=data.language,
                metric=metric,
                better="higher",
                notes={"sacrebleu": signature},
            )
        )
    return scores
