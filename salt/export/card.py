"""The model card: what the encoder is, how it was trained, how it scores, and under which terms it can be used."""

import json
from collections.abc import Mapping
from typing import Any

import yaml

from alee_mteb.encoders.recipe import SONAR
from salt.export.licenses import forbids_commerce


def model_card(facts: Mapping[str, Any]) -> str:
    """The README.md of an export, from what `salt.export.folder` knows about it."""
    name, sonar = facts["name"], facts["family"] == SONAR
    head: dict[str, Any] = {
        "license": facts["license"],
        "library_name": "transformers" if sonar else "sentence-transformers",
        "pipeline_tag": "sentence-similarity",
        "tags": ["salt", "word-alignment", "multilingual"],
    }
    if facts["base"].count("/") == 1 and not facts["base"].startswith((".", "/")):
        head["base_model"] = facts["base"]
    parts = [
        f"---\n{yaml.safe_dump(head, sort_keys=False)}---",
        f"# {name}",
        _lead(facts),
        "## Use\n\n" + (_SONAR_USE if sonar else _USE).format(name=name),
        "## Figures\n\n" + _figures(facts["figures"]),
        "## Training\n\n" + _training(facts),
        "## Licence\n\n" + _terms(facts),
    ]
    return "\n\n".join(parts) + "\n"


_USE = """```python
from sentence_transformers import SentenceTransformer

model = SentenceTransformer("{name}")
vectors = model.encode(["A cat sat on the mat.", "Eine Katze saß auf der Matte."])
```

With mteb: `alee models add FOLDER --name {name}`, then `mteb run -m {name} -t ALEE-F200`."""

_SONAR_USE = """```python
from salt.encoders.load import load_encoder

encoder = load_encoder("{name}")
tokens = encoder.tokenize(["Eine Katze saß auf der Matte."], "deu_Latn")
vectors = encoder.pool(encoder.states(tokens)[-1], tokens)
```

Texts begin with the token of their language. With mteb: `alee models add FOLDER --name {name}`, then
`mteb run -m {name} -t ALEE-F200`; the language follows from the subset."""


def _lead(facts: Mapping[str, Any]) -> str:
    base = str(facts["base"]).rstrip("/").rsplit("/", 1)[-1] if "base_model" not in facts else facts["base"]
    return (
        f"A multilingual text encoder whose token and span states align across languages: `{base}`, trained further "
        f"with the objective `{facts['loss']['name']}` of SALT for {facts['step']:,} updates (seed {facts['seed']})."
        "\n\n"
        f"Revision, a hash of the weights: `{facts['revision']}`."
    )


def _figures(figures: Mapping[str, float]) -> str:
    """Before and after, of what the run measured; development data, not tests."""
    measured = {
        name: value
        for name, value in figures.items()
        if name.split("/")[0] in ("aer", "retrieval_error") and f"before/{name}" in figures
    }
    if not measured:
        return "Nothing was measured during training; see `alee salt evaluate`."
    lines = [
        "Measured during training, on development data (lower is better):",
        "",
        "| | before | after |",
        "|---|---|---|",
    ]
    for name, value in measured.items():
        kind, _, pair = name.partition("/")
        label = {"aer": "alignment error rate", "retrieval_error": "retrieval error"}[kind]
        lines.append(f"| {label}{', ' + pair if pair else ', mean'} | {figures[f'before/{name}']:.3f} | {value:.3f} |")
    return "\n".join(lines)


def _training(facts: Mapping[str, Any]) -> str:
    data = "; ".join(
        f"`{entry['name']}` ({entry['hash']})"
        + (f", spans by {entry['method']}" if "method" in entry else "")
        + (f" from layer {entry['layer']}" if entry.get("layer") is not None else "")
        for entry in facts["data"]
    )
    settings = {"preset": facts["preset"], "loss": facts["loss"], **facts["settings"]}
    return (
        f"Data: {data}.\n\nSettings (alee-mteb {facts['version']}, base weights {facts['base_revision']}):\n\n"
        f"```json\n{json.dumps(settings, indent=1, ensure_ascii=False)}\n```"
    )


def _terms(facts: Mapping[str, Any]) -> str:
    base, data = facts["base_license"], facts["data_license"]
    lines = [f"This model: `{facts['license']}`."]
    lines.append(f"The weights it began from: {f'`{base}`' if base else 'not stated; ask those who made them'}.")
    lines.append(f"The text it was trained on: {f'`{data}`' if data else 'not stated'}.")
    if forbids_commerce(base) and not forbids_commerce(facts["license"]):
        lines.append("The weights it began from may be used for non-commercial purposes only, and so may these.")
    if forbids_commerce(data):
        lines.append("The text may be used for non-commercial purposes only.")
    return " ".join(lines)
