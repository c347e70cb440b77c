"""AER of an encoder folder by another road: Transformers alone, loops and sets, no code of the project.

Word states come from `BertModel` and the tokenizer's own word offsets, Argmax and Itermax from SimAlign's description
by loops over cells, AER from the three-set formula. For encoders of BERT's kind that put a prompt before the text.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

Link = tuple[int, int]


def word_states(folder: Path, sentences: Sequence[str], layers: Sequence[int], prompt: str) -> list[list[np.ndarray]]:
    """Per sentence, per layer, the word means (n, d)."""
    import torch
    from transformers import AutoTokenizer, BertModel

    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = BertModel.from_pretrained(folder, add_pooling_layer=False).eval()
    found = []
    for sentence in sentences:
        batch = tokenizer(prompt + sentence, return_tensors="pt", return_offsets_mapping=True)
        offsets = batch.pop("offset_mapping")[0].tolist()
        with torch.no_grad():
            hidden = model(**batch, output_hidden_states=True).hidden_states
        groups: list[list[int]] = []
        at = len(prompt)
        for word in sentence.split(" "):
            inside = [
                i for i, (start, end) in enumerate(offsets) if end > start and start < at + len(word) and end > at
            ]
            groups.append(inside)
            at += len(word) + 1
        found.append(
            [np.stack([hidden[layer][0][inside].mean(dim=0).numpy() for inside in groups]) for layer in layers]
        )
    return found


def cosine(one: np.ndarray, other: np.ndarray) -> float:
    return float(one @ other / (np.linalg.norm(one) * np.linalg.norm(other)))


def argmax_links(table: list[list[float]]) -> set[Link]:
    n, m = len(table), len(table[0])
    links = set()
    for i in range(n):
        j = max(range(m), key=lambda column: table[i][column])
        if table[i][j] > 0 and max(range(n), key=lambda row: table[row][j]) == i:
            links.add((i, j))
    return links


def itermax_links(table: list[list[float]], alpha: float = 0.9) -> set[Link]:
    links = argmax_links(table)
    rows, columns = {i for i, _ in links}, {j for _, j in links}
    again = []
    for i, row in enumerate(table):
        again.append([])
        for j, value in enumerate(row):
            taken = (i in rows) + (j in columns)
            again[-1].append(value * (1.0, alpha, 0.0)[taken])
    return links | argmax_links(again)


def aer(found: Iterable[set[Link]], sure: Iterable[set[Link]], possible: Iterable[set[Link]]) -> float:
    hits = size = 0
    for a, s, p in zip(found, sure, possible, strict=True):
        hits += len(a & s) + len(a & (s | p))
        size += len(a) + len(s)
    return 1 - hits / size


def read_links(line: str, first: int) -> tuple[set[Link], set[Link]]:
    sure, possible = set(), set()
    for field in line.split():
        kind = "p" if "p" in field else "-"
        i, j = field.split(kind)
        link = int(i) - first, int(j) - first
        possible.add(link)
        if kind == "-":
            sure.add(link)
    return sure, possible


def all_aers(
    folder: Path, rows: Sequence[tuple[str, str, str]], first: int, layers: Sequence[int], prompt: str
) -> dict[tuple[int, str], float]:
    """(layer, method) → AER of rows of source, target, gold links counted from `first`."""
    sources = word_states(folder, [" ".join(row[0].split()) for row in rows], layers, prompt)
    targets = word_states(folder, [" ".join(row[1].split()) for row in rows], layers, prompt)
    gold = [read_links(row[2], first) for row in rows]
    scores = {}
    for at, layer in enumerate(layers):
        tables = [
            [[(cosine(x, y) + 1) / 2 for y in target[at]] for x in source[at]]
            for source, target in zip(sources, targets, strict=True)
        ]
        for name, method in (("argmax", argmax_links), ("itermax", itermax_links)):
            scores[layer, name] = aer(map(method, tables), [s for s, _ in gold], [p for _, p in gold])
    return scores
