"""The small figures a run is watched by: AER on gold word links, and retrieval error by plain cosine.

Gold links are those of development files; test files would choose the settings. Words are whitespace units, as in the
files. The full evaluation is `alee salt evaluate`.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from alee_mteb.errors import DataError
from salt.alignment import itermax, similarity
from salt.encoders.base import TokenEncoder, Tokens
from salt.pairs import Span
from salt.training.config import EvaluationSettings

Floats = NDArray[np.floating]
_BATCH_TOKENS = 4096


@dataclass(frozen=True)
class GoldPair:
    """Two texts and the links between their whitespace words."""

    source: str
    target: str
    links: frozenset[tuple[int, int]]


@dataclass(frozen=True)
class Watch:
    """What is measured.

    Attributes:
        alignment: language pair → gold pairs.
        retrieval: language pair → parallel texts, one list per side.
        layer: whose states are aligned.
    """

    alignment: Mapping[tuple[str, str], Sequence[GoldPair]]
    retrieval: Mapping[tuple[str, str], tuple[Sequence[str], Sequence[str]]]
    layer: int = -1

    def __bool__(self) -> bool:
        return bool(self.alignment or self.retrieval)


def read_watch(settings: EvaluationSettings) -> Watch:
    """The data behind the evaluation settings.

    Raises:
        DataError: a file is missing, or a line of it is not what it should be.
    """
    alignment = {_languages(pair): read_gold(Path(path), settings.limit) for pair, path in settings.alignment.items()}
    retrieval = {}
    if settings.retrieval is not None:
        pairs = [_languages(pair) for pair in settings.retrieval_pairs]
        retrieval = read_parallel(Path(settings.retrieval), pairs, settings.limit)
    return Watch(alignment, retrieval, settings.layer)


def read_gold(path: Path, limit: int | None = None) -> list[GoldPair]:
    """Lines of source ⇥ target ⇥ links ``i-j``, counted from 0 over whitespace words.

    Raises:
        DataError: the file is missing or has no link, or a line has other fields or a link outside its sentences.
    """
    pairs: list[GoldPair] = []
    for number, line in _lines(path):
        if limit is not None and len(pairs) >= limit:
            break
        fields = line.split("\t")
        if len(fields) != 3:
            raise DataError(
                f"{path}, line {number}: expected source, target and links with tabs, got {len(fields)} fields"
            )
        source, target, links = fields
        try:
            gold = frozenset((int(i), int(j)) for i, j in (link.split("-") for link in links.split()))
        except ValueError as error:
            raise DataError(f"{path}, line {number}: links are written 0-0 1-2, got {links[:40]!r}") from error
        if any(i >= len(source.split()) or j >= len(target.split()) for i, j in gold):
            raise DataError(f"{path}, line {number}: a link points behind the last word")
        pairs.append(GoldPair(source, target, gold))
    if not any(pair.links for pair in pairs):
        raise DataError(f"{path}: no word link in it; expected lines of source, target and links with tabs")
    return pairs


def read_parallel(
    path: Path, pairs: Sequence[tuple[str, str]], limit: int | None = None
) -> dict[tuple[str, str], tuple[list[str], list[str]]]:
    """Texts of the language pairs from a JSONL file with one text per language code in each line.

    Raises:
        DataError: the file is missing or empty, or a line has no text in one of the languages.
    """
    sides: dict[tuple[str, str], tuple[list[str], list[str]]] = {pair: ([], []) for pair in pairs}
    for count, (number, line) in enumerate(_lines(path)):
        if limit is not None and count >= limit:
            break
        try:
            row = json.loads(line)
            for pair in pairs:
                for side, code in zip(sides[pair], pair, strict=True):
                    side.append(str(row[code]))
        except (ValueError, KeyError, TypeError) as error:
            raise DataError(f"{path}, line {number}: not a JSON object with a text per language ({error})") from error
    if not all(left for left, _ in sides.values()):
        raise DataError(f"{path}: empty; expected JSON objects with a text per language")
    return sides


def measure(encoder: TokenEncoder, watch: Watch) -> dict[str, float]:
    """All figures: ``aer`` and ``retrieval_error`` (means), and each by language pair; the module stays as it was."""
    training = encoder.module.training
    encoder.module.eval()
    figures: dict[str, float] = {}
    with torch.inference_mode():
        rates = {pair: alignment_error(encoder, pair, gold, watch.layer) for pair, gold in watch.alignment.items()}
        errors = _retrieval_errors(encoder, watch)
    encoder.module.train(training)
    for name, values in (("aer", rates), ("retrieval_error", errors)):
        if values:
            figures[name] = float(np.mean(list(values.values())))
            figures |= {f"{name}/{'-'.join(pair)}": value for pair, value in values.items()}
    return figures


def alignment_error(encoder: TokenEncoder, languages: tuple[str, str], pairs: Sequence[GoldPair], layer: int) -> float:
    """Alignment error rate of Itermax over a set of pairs: 1 − 2 |A ∩ S| / (|A| + |S|), all gold links being sure."""
    sources = _word_states(encoder, [pair.source for pair in pairs], languages[0], layer)
    targets = _word_states(encoder, [pair.target for pair in pairs], languages[1], layer)
    hits = proposed = gold = 0
    for pair, source, target in zip(pairs, sources, targets, strict=True):
        links = {(int(i), int(j)) for i, j in np.argwhere(itermax(similarity(source, target)))}
        hits += len(links & pair.links)
        proposed += len(links)
        gold += len(pair.links)
    return 1.0 - 2.0 * hits / (proposed + gold)


def sentence_vectors(encoder: TokenEncoder, texts: Sequence[str], language: str) -> Floats:
    """Unit sentence embeddings, (n, d)."""
    rows: dict[int, Floats] = {}
    for indices, tokens in _batches(encoder, texts, language):
        vectors = encoder.pool(encoder.states(tokens)[-1], tokens).float()
        rows |= dict(zip(indices, torch.nn.functional.normalize(vectors, dim=-1).cpu().numpy(), strict=True))
    return np.stack([rows[index] for index in range(len(texts))])


def _retrieval_errors(encoder: TokenEncoder, watch: Watch) -> dict[tuple[str, str], float]:
    """Share of texts whose nearest neighbour on the other side is not their translation, each way of each pair."""
    known: dict[tuple[str, ...], Floats] = {}

    def vectors(language: str, texts: Sequence[str]) -> Floats:
        key = (language, *texts)
        if key not in known:
            known[key] = sentence_vectors(encoder, texts, language)
        return known[key]

    errors = {}
    for (left, right), (sources, targets) in watch.retrieval.items():
        cosines = vectors(left, sources) @ vectors(right, targets).T
        right_ones = np.arange(len(sources))
        errors[left, right] = float(np.mean(cosines.argmax(axis=1) != right_ones))
        errors[right, left] = float(np.mean(cosines.argmax(axis=0) != right_ones))
    return errors


def _word_states(encoder: TokenEncoder, texts: Sequence[str], language: str, layer: int) -> list[Floats]:
    """Per text the mean state of the tokens of each whitespace word, (words, d)."""
    found: dict[int, Floats] = {}
    for indices, tokens in _batches(encoder, texts, language):
        states = encoder.states(tokens, (layer,))[layer].float()
        for row, index in enumerate(indices):
            words = [Span(match.start(), match.end()) for match in re.finditer(r"\S+", texts[index])]
            found[index] = _pooled(states[row], [tokens.covered(row, word) for word in words]).cpu().numpy()
    return [found[index] for index in range(len(texts))]


def _pooled(states: Tensor, groups: Sequence[Sequence[int]]) -> Tensor:
    """Mean of the rows in each group, (groups, d); zero where a group is empty, which is never linked."""
    weights = torch.zeros(len(groups), len(states), device=states.device)
    for row, group in enumerate(groups):
        if group:
            weights[row, group] = 1.0 / len(group)
    return weights @ states


def _batches(encoder: TokenEncoder, texts: Sequence[str], language: str) -> Iterator[tuple[list[int], Tokens]]:
    """Texts of like length together."""
    lengths = encoder.lengths(texts, language)
    device = next(encoder.module.parameters()).device
    batch: list[int] = []
    for index in sorted(range(len(texts)), key=lambda index: (lengths[index], index)):
        if batch and (len(batch) + 1) * lengths[index] > _BATCH_TOKENS:
            yield batch, encoder.tokenize([texts[i] for i in batch], language).to(device)
            batch = []
        batch.append(index)
    if batch:
        yield batch, encoder.tokenize([texts[i] for i in batch], language).to(device)


def _languages(pair: str) -> tuple[str, str]:
    left, right = pair.split("-")
    return left, right


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        with path.open(encoding="utf-8") as handle:
            for number, line in enumerate(handle, 1):
                if line.strip():
                    yield number, line.rstrip("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path}: cannot be read ({error}); name a file of the evaluation settings") from error
