"""From a board to the files of a static site: deterministic bytes, nothing fetched, nothing from a submission as code.

The page holds its style, its script and its data (gzip, base64 in a data block). Only the outcomes of models that are
compared lie in files of their own, small scripts that the page asks for when two models are chosen.
"""

import base64
import csv
import gzip
import hashlib
import io
import json
from collections.abc import Iterator, Sequence
from importlib.resources import files
from string import Template
from typing import Any

import numpy as np

from leaderboard.board.assemble import Progress, assemble, dataset_keys, outcomes_name
from leaderboard.board.figures import COLUMNS
from leaderboard.entries import Entry

#: In the order in which they are joined into one script.
SCRIPTS = (
    "dom",
    "data",
    "stats",
    "router",
    "download",
    "table",
    "view_board",
    "view_languages",
    "view_model",
    "view_compare",
    "view_about",
    "main",
)
_LIVE = "\nnew EventSource('/changes').onmessage = () => location.reload();\n"


def site_files(entries: Sequence[Entry], live: bool = False, progress: Progress = iter) -> dict[str, bytes]:
    """Every file of the site by its path. With `live` the page also listens to the preview server for changes."""
    board = assemble(entries, progress)
    site = {
        "index.html": page(board, live),
        "board.json": compact(board) + b"\n",
        "models.csv": _csv(_model_rows(board)),
        "scores.csv": _csv(_score_rows(board)),
    }
    return site | {f"outcomes/{name}.js": text for name, text in _outcome_files(entries)}


def page(board: dict[str, Any], live: bool = False) -> bytes:
    """The page with everything in it, under a policy that lets nothing else run or load."""
    style, script = _asset("board.css"), _script(live)
    policy = [
        "default-src 'none'",
        f"script-src 'self' 'sha256-{_digest(script)}'",
        f"style-src 'sha256-{_digest(style)}'",
        "img-src data:",
        *(["connect-src 'self'"] if live else []),
        "base-uri 'none'",
        "form-action 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types alee",
    ]
    html = Template(_asset("index.html")).substitute(
        csp="; ".join(policy), style=style, script=script, data=pack(compact(board))
    )
    return html.encode()


def pack(content: bytes) -> str:
    """gzip, then base64; the same bytes give the same text."""
    return base64.b64encode(gzip.compress(content, compresslevel=9, mtime=0)).decode()


def compact(value: Any) -> bytes:
    """JSON without spaces, keys in their order."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


def _asset(name: str) -> str:
    return files("leaderboard.board").joinpath("assets", name).read_text(encoding="utf-8")


def _script(live: bool) -> str:
    text = "\n".join(_asset(f"js/{name}.js") for name in SCRIPTS) + (_LIVE if live else "")
    return f"(() => {{\n'use strict';\n{text}}})();\n"


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _outcome_files(entries: Sequence[Entry]) -> Iterator[tuple[str, bytes]]:
    """One script per model: ``aleeOutcomes("name", "gzip of {data set: {rows, ids, keys, valid, passed}}")``.

    Keys are indices into the data set's keys; valid and passed are bits, each (language, perturbation) padded to
    whole bytes, in base64.
    """
    keys = {
        task: dataset_keys(task, [one for one in entries if one.task == task]) for task in {e.task for e in entries}
    }
    models: dict[str, list[Entry]] = {}
    for entry in sorted(entries, key=lambda one: one.task):
        if entry.kind == "verified":
            models.setdefault(outcomes_name(entry), []).append(entry)
    for name, found in sorted(models.items()):
        content = compact({entry.task: _packed_outcomes(entry, keys[entry.task]) for entry in found})
        yield name, f'aleeOutcomes("{name}","{pack(content)}");\n'.encode()


def _packed_outcomes(entry: Entry, keys: list[str]) -> dict[str, Any]:
    found = [(subset.key, subset.outcomes) for subset in entry.subsets if subset.outcomes is not None]
    place = {key: at for at, key in enumerate(keys)}
    return {
        "rows": int(found[0][1].valid.shape[1]),
        "ids": found[0][1].ids_digest,
        "keys": [place[key] for key, _ in found],
        "valid": _bits(np.stack([outcomes.valid for _, outcomes in found])),
        "passed": _bits(np.stack([outcomes.passed for _, outcomes in found])),
    }


def _bits(table: np.ndarray[Any, np.dtype[np.bool_]]) -> str:
    return base64.b64encode(np.packbits(table, axis=-1).tobytes()).decode()


def _model_rows(board: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for entry in board["entries"]:
        for name, block in [*(entry["data"].items()), *([("all", entry["all"])] if entry["all"] else [])]:
            row = {"model": entry["name"], "revision": entry["revision"], "kind": entry["kind"], "data": name}
            for at, column in enumerate(COLUMNS):
                row[column] = block["score"][at]
                row[f"{column}_low"] = block["low"][at] if block["low"] else None
                row[f"{column}_high"] = block["high"][at] if block["high"] else None
            yield row | {
                "tie_group": block["group"][0] if block["group"] else None,
                "languages": block.get("languages"),
                "matched": block.get("matched"),
                "romansh": block.get("romansh"),
            }


def _score_rows(board: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for entry in board["entries"]:
        for dataset in board["datasets"]:
            block = entry["data"].get(dataset["name"])
            if block is None or (block["tacc"] is None and block["macro"] is None):
                continue
            for at, key in enumerate(dataset["keys"]):
                macro, shares = _key_scores(block, at)
                if macro is not None:
                    yield {
                        "model": entry["name"],
                        "revision": entry["revision"],
                        "kind": entry["kind"],
                        "data": dataset["name"],
                        "language": key,
                        "macro": macro,
                        "macro_low": _bound(block["minus"], at, macro, -1),
                        "macro_high": _bound(block["plus"], at, macro, 1),
                        **shares,
                    }


def _key_scores(block: dict[str, Any], at: int) -> tuple[float | None, dict[str, float | None]]:
    if block["tacc"] is None:
        value = block["macro"][at]
        return (None if value < 0 else value / 1000), dict.fromkeys(COLUMNS[1:])
    values = [column[at] for column in block["tacc"]]
    present = [value for value in values if value >= 0]
    macro = round(sum(present) / len(present) / 1000, 5) if present else None
    shares = (None if value < 0 else value / 1000 for value in values)
    return macro, dict(zip(COLUMNS[1:], shares, strict=True))


def _bound(distances: list[list[int]] | None, at: int, macro: float, sign: int) -> float | None:
    if distances is None or distances[0][at] < 0:
        return None
    return round(min(1.0, max(0.0, macro + sign * distances[0][at] / 1000)), 5)


def _csv(rows: Iterator[dict[str, Any]]) -> bytes:
    """Rows as CSV; a text that a spreadsheet would run as a formula gets an apostrophe in front."""
    out = io.StringIO()
    writer = None
    for row in rows:
        if writer is None:
            writer = csv.DictWriter(out, list(row), lineterminator="\n")
            writer.writeheader()
        writer.writerow({name: _inert(value) for name, value in row.items()})
    return out.getvalue().encode()


def _inert(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")) else value
