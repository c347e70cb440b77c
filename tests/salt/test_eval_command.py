"""`alee salt evaluate` and `alee salt compare` from end to end on tiny encoders, and every way to call them wrongly."""

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import datasets
import mteb
import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from support import tiny_salt
from support.word_encoder import WordEncoder

from alee_mteb.cli import main
from alee_mteb.errors import DataError
from salt.encoders import load as loading
from salt.evaluation.linear import PROBE, quick
from salt.evaluation.mteb_tasks import english_task, evaluate_mteb
from salt.evaluation.probes import Probing
from salt.evaluation.run import Watcher, evaluate
from salt.evaluation.sources import read_sources, split_spec
from salt.evaluation.states import StateStore
from salt.evaluation.work import Options, units_of

Alee = Callable[..., tuple[int, str, str]]

PAIRS = [
    ("The cat sat", "Die Katze saß", "0-0 1-1 2-2"),
    ("Good morning doctor", "Guten Morgen Frau Doktor", "0-0 1-1 2-2 2-3"),
    ("She believes that", "Sie glaubt dass", "0-0 1-1 2-2"),
]


@pytest.fixture(scope="module")
def folders() -> dict[str, Path]:
    return tiny_salt.tiny_encoders(tiny_salt.default_root())


@pytest.fixture
def alee(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Alee:
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str | Path) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["alee", "salt", *map(str, arguments)])
        with pytest.raises(SystemExit) as stop:
            main()
        captured = capsys.readouterr()
        return int(stop.value.code or 0), captured.out, captured.err

    return run


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """XL-WA, UDPOS, a multi-parallel text with alterations, and spans, in small."""
    root = tmp_path / "data"
    for folder in ("xl-wa/de", "udpos/en", "udpos/de", "mini/devtest"):
        (root / folder).mkdir(parents=True)
    (root / "xl-wa/de/test.tsv").write_text("".join("\t".join(row) + "\n" for row in PAIRS), encoding="utf-8")
    for language, side in (("en", 0), ("de", 1)):
        rows = "\n\n".join("\n".join(f"{word}\t{word[0].isupper()}" for word in row[side].split()) for row in PAIRS)
        for split in ("train", "test"):
            (root / f"udpos/{language}/{split}.tsv").write_text(rows + "\n", encoding="utf-8")
    for language, side in (("eng_Latn", 0), ("deu_Latn", 1)):
        lines = "".join(row[side] + "\n" for row in PAIRS)
        (root / f"mini/devtest/{language}.devtest").write_text(lines, encoding="utf-8")
    (root / "altered.tsv").write_text("The cat sat\tThe dog sat\tentity\n", encoding="utf-8")
    span = {
        "source_language": "eng_Latn", "target_language": "deu_Latn", "source": PAIRS[0][0], "target": PAIRS[0][1],
        "spans": [[0, 7, 0, 9], [8, 11, 10, 13]],
    }  # fmt: skip
    other = {**span, "source": PAIRS[1][0], "target": PAIRS[1][1], "spans": [[0, 4, 0, 5], [5, 19, 6, 24]]}
    (root / "spans.jsonl").write_text(json.dumps(span) + "\n" + json.dumps(other) + "\n", encoding="utf-8")
    return root


def arguments(model: Path, data: Path, out: str) -> list[str | Path]:
    return [
        "evaluate", "-m", model, "--data", data / "xl-wa", f"udpos={data / 'udpos'}", data / "mini",
        data / "altered.tsv", data / "spans.jsonl", "--layers", "all", "--probe-sentences", "2", "--query", "cat",
        "--pca-sentence", "0", "--max-epochs", "50",
        "--seen", "de", "-o", out,
    ]  # fmt: skip


def contents(folder: Path) -> dict[str, bytes]:
    wanted = (path for path in folder.rglob("*") if path.is_file() and "states" not in path.parts)
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(wanted)}


def test_a_run_and_its_reports(alee: Alee, folders: dict[str, Path], data: Path, tmp_path: Path) -> None:
    code, shown, errors = alee(*arguments(folders["e5"], data, "out"))
    assert code == 0, errors
    written = json.loads((tmp_path / "out/results.json").read_text(encoding="utf-8"))
    tasks = {score["task"] for score in written["scores"]}
    assert tasks == {
        "alignment", "word-retrieval", "udpos", "xsim", "xsim++", "span-similarity", "language-id", "isotropy",
        "hubness",
    }  # fmt: skip
    assert {score["layer"] for score in written["scores"] if score["task"] == "alignment"} == {0, 1, 2, 3}
    assert written["signature"] in shown
    assert "SALT (paper)" in shown
    assert "AER by layer" in shown
    assert "Neighbours of 'cat'" in shown
    for name in ("report.md", "report.tex", "plots/aer-by-layer-itermax.png", "plots/pca-0.png"):
        assert (tmp_path / "out" / name).is_file()
    report = (tmp_path / "out/report.md").read_text(encoding="utf-8")
    assert "| alignment | xl-wa | aer ↓ | itermax | 3 | 1 |" in report
    # Six distinct sentences, the altered one and none twice.
    assert "7 sentences encoded now" in shown

    before = contents(tmp_path / "out")
    _, again, _ = alee(*arguments(folders["e5"], data, "out"))
    assert "0 sentences encoded now" in again
    assert contents(tmp_path / "out") == before
    alee(*arguments(folders["e5"], data, "new"), "--no-plots")
    for name, content in contents(tmp_path / "new").items():
        assert name == "report.md" or content == before[name]


def test_two_encoders_are_compared(alee: Alee, folders: dict[str, Path], data: Path, tmp_path: Path) -> None:
    other = Path(shutil.copytree(folders["e5"], tmp_path / "other"))
    state = load_file(other / "model.safetensors")
    generator = torch.Generator().manual_seed(0)
    for name, tensor in state.items():
        if name.endswith("query.weight"):
            state[name] = torch.randn(tensor.shape, generator=generator)
    save_file(state, other / "model.safetensors", {"format": "pt"})
    for model, out in ((folders["e5"], "a"), (other, "b")):
        code, _, errors = alee("evaluate", "-m", model, "--data", data / "xl-wa", "--no-plots", "-o", out)
        assert code == 0, errors
    code, shown, _ = alee("compare", "a", "b", "--json")
    rows = json.loads(shown)["rows"]
    assert code == 0
    assert {row["metric"] for row in rows} == {"aer", "precision", "recall", "recall@5"}
    assert all(row["low"] <= row["difference"] <= row["high"] for row in rows)
    code, shown, _ = alee("compare", "a", "b", "--all", "--task", "alignment", "-f", "markdown")
    assert shown.startswith("| task | data | language |")
    code, _, errors = alee("compare", "a", "nowhere")
    assert code == 1
    assert errors.strip() == "alee: nowhere: no results.json in it; give a folder that `alee salt evaluate -o` wrote"


def test_span_translation_needs_a_decoder_and_reports_chrf(
    alee: Alee, folders: dict[str, Path], data: Path, tmp_path: Path
) -> None:
    code, _, errors = alee(
        "evaluate", "-m", folders["sonar"], "--data", data / "spans.jsonl", "--tasks", "span-translation"
    )
    assert code == 1
    assert errors.strip() == "alee: task span-translation: needs --data spans=FILE and --decoder MODEL"
    code, _, errors = alee(
        "evaluate", "-m", folders["sonar"], "--data", data / "spans.jsonl", "--tasks", "span-translation", "--decoder",
        folders["nllb"], "-o", "out",
    )  # fmt: skip
    assert code == 0, errors
    written = json.loads((tmp_path / "out/results.json").read_text(encoding="utf-8"))
    assert [score["metric"] for score in written["scores"]] == ["chrf", "bleu"]
    (extras,) = written["extras"].values()
    assert len(extras["translations"]) == 4


def test_every_sentence_is_encoded_once_for_all_tasks_and_a_stopped_run_goes_on(data: Path, tmp_path: Path) -> None:
    sources = read_sources(
        [str(data / "xl-wa"), f"udpos={data / 'udpos'}", str(data / "mini"), str(data / "spans.jsonl")]
    )
    options = Options(layers=(0, 1), probe_sentences=2, probing=Probing(recipe=quick(PROBE, 50)))
    tasks = ["alignment", "word-retrieval", "udpos", "xsim", "span-similarity", "geometry"]
    encoder = WordEncoder()
    begun: list[str] = []

    class StoppedError(Exception):
        pass

    def stop(id: str) -> None:
        begun.append(id)
        if id.startswith("xsim"):
            raise StoppedError

    units = units_of(sources, tasks, options)
    with pytest.raises(StoppedError):
        evaluate(StateStore(encoder, tmp_path / "states"), units, options, tmp_path, Watcher(begin=stop))
    begun, skipped = [], list[str]()
    again = WordEncoder()
    watcher = Watcher(begin=begun.append, skip=skipped.append)
    run = evaluate(StateStore(again, tmp_path / "states"), units, options, tmp_path, watcher)
    assert skipped == [
        "alignment/xl-wa/eng_Latn-deu_Latn",
        "word-retrieval/all",
        "udpos/english",
        "udpos/all",
        "udpos/single",
    ]
    assert begun == ["xsim/mini", "span-similarity/spans/eng_Latn-deu_Latn", "geometry/mini"]
    asked = encoder.asked + again.asked
    assert len(asked) == len(set(asked)) == 6
    assert {score.task for score in run.scores} >= {"alignment", "xsim", "hubness"}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["--data", "nowhere"], "--data nowhere: no such file or folder"),
        (["--data", "xlwa=data/xl-wa"], "--data xlwa=data/xl-wa: unknown kind 'xlwa'; choose one of xl-wa, simalign"),
        (["--data", "data"], "--data data: its kind cannot be told; write KIND=data"),
        (["--data", "data/xl-wa", "--tasks", "aer"], "unknown task 'aer': choose some of alignment"),
        (["--data", "data/xl-wa", "--tasks", "xsim"], "task xsim: needs --data of kind flores"),
        (["--data", "data/xl-wa", "--layers", "some"], "--layers some: give last, all, or numbers with commas"),
        (["--data", "data/xl-wa", "--layers", "7"], "has layers 0 to 3, not 7"),
        (["--data", "data/xl-wa", "--settings", "french"], "--settings french: choose one of english, all, single"),
        (["--data", "data/xl-wa", "--precision", "int8"], "precision 'int8': choose one of float16, float32"),
        (["--data", "data/xl-wa", "--seen", "qq"], "unknown language 'qq'"),
        (["--data", "data/xl-wa", "--languages", "qq"], "unknown language 'qq'"),
        (["--data", "data/xl-wa", "data/xl-wa"], "two data sources give alignment/xl-wa/eng_Latn-deu_Latn"),
        (["--data", "data/mini", "--query", "zebra", "--tasks", "neighbours"], "word 'zebra' does not occur"),
        (
            ["--data", "data/mini", "--pca-sentence", "9", "--tasks", "pca"],
            "--pca-sentence 9: mini has sentences 0 to 2",
        ),
        (["--data", "data/mini", "--tasks", "geometry"], "the language probe trains on the first 500 sentences"),
        (["--data", "xl-wa=hub:org/name"], "xl-wa is read from local files only"),
        (["--data", "data/empty"], "empty file"),
        (["--data", "data/long"], "has 103 tokens, the longest that"),
    ],
    ids=lambda value: " ".join(value[-2:]) if isinstance(value, list) else "",
)
def test_a_wrong_call_is_one_line(
    alee: Alee, folders: dict[str, Path], data: Path, given: list[str], message: str
) -> None:
    for name, text in (("empty", ""), ("long", "a" + " a" * 99 + "\ta\t0-0\n")):
        (data / name / "de").mkdir(parents=True)
        (data / name / "de/test.tsv").write_text(text, encoding="utf-8")
    code, _, errors = alee("evaluate", "-m", folders["e5"], *given)
    lines = [line for line in errors.replace("\r", "\n").splitlines() if line.strip() and "sentences" not in line[:40]]
    assert code == 1
    assert len(lines) == 1, errors
    assert lines[0].startswith("alee: ")
    assert message in lines[0]


def test_a_model_that_is_not_there_is_one_line(alee: Alee, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    code, _, errors = alee("evaluate", "-m", "nobody/nothing", "--data", data / "xl-wa")
    assert code == 1
    assert len(errors.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("spec", "kind"),
    [("xl-wa", "xl-wa"), ("mini", "flores"), ("altered.tsv", "xsim++"), ("spans.jsonl", "spans")],
)
def test_kinds_are_told_by_what_is_in_a_folder(data: Path, spec: str, kind: str) -> None:
    assert split_spec(str(data / spec))[0] == kind


def rows_of_the_hub(name: str, config: str | None, *, split: str, revision: str | None) -> datasets.Dataset:
    """A Hub data set of two configurations, as `datasets.load_dataset` gives one."""
    if name != "org/tags":
        raise FileNotFoundError(f"{name} is not there")
    words = {"udpos.English": ["Good", "day"], "udpos.German": ["Guten", "Tag"]}[str(config)]
    features = datasets.Features(
        {
            "tokens": datasets.List(datasets.Value("string")),
            "pos_tags": datasets.List(datasets.ClassLabel(names=["ADJ", "NOUN"])),
        }
    )
    return datasets.Dataset.from_dict({"tokens": [words] * 4, "pos_tags": [[0, 1]] * 4}, features=features)


def test_hub_names_are_read_with_label_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(datasets, "load_dataset", rows_of_the_hub)
    found = read_sources(["udpos=hub:org/tags:udpos.English,udpos.German"]).labelled["udpos"]
    assert [one.language for one in found] == ["eng_Latn", "deu_Latn"]
    text = found[1].splits["test"][0]
    assert [(span.of(text.text), label) for span, label in text.segments] == [("Guten", "ADJ"), ("Tag", "NOUN")]
    with pytest.raises(
        DataError, match=r"org/other \(en, train\) cannot be loaded from the Hub: org/other is not there"
    ):
        read_sources(["pan-x=hub:org/other:en"])


def small_sts(name: str) -> Any:
    task = english_task(name)
    rows = {
        "sentence1": ["the cat", "the cat", "a dog", "old rain"],
        "sentence2": ["the cat", "the dog", "new rain", "big town"],
        "score": [5.0, 3.0, 1.0, 0.0],
    }
    task.dataset = {"en-en": datasets.DatasetDict({"test": datasets.Dataset.from_dict(rows)})}
    task.data_loaded = True
    return task


def test_mteb_scores_with_states_of_the_store(tmp_path: Path) -> None:
    encoder = WordEncoder(dimension=256)
    store = StateStore(encoder, tmp_path)
    store.get(["the cat"], "eng_Latn", ())
    (score,) = evaluate_mteb(store, ("STS17",), small_sts)

    def cosine(one: str, other: str) -> float:
        a, b = (store.get([text], "eng_Latn", ())[0].vector for text in (one, other))
        return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))

    from scipy.stats import spearmanr

    cosines = [
        cosine("the cat", "the cat"),
        cosine("the cat", "the dog"),
        cosine("a dog", "new rain"),
        cosine("old rain", "big town"),
    ]
    assert score.value == pytest.approx(spearmanr(cosines, [5, 3, 1, 0]).statistic)
    assert score.notes["main_score"] == "cosine_spearman"
    assert score.notes["mteb"] == mteb.__version__
    assert len(encoder.asked) == len(set(encoder.asked)) == 6


def test_mteb_data_that_cannot_be_had_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: Any, **__: Any) -> None:
        raise ConnectionError("no route to the Hub")

    task = english_task("XNLI")
    monkeypatch.setattr(task, "load_data", missing)
    with pytest.raises(DataError, match="mteb task XNLI: no route to the Hub"):
        evaluate_mteb(StateStore(WordEncoder(), tmp_path), ("XNLI",), lambda _: task)
    with pytest.raises(DataError, match="mteb task 'STS22': choose some of XNLI"):
        english_task("STS22")


def test_an_encoder_whose_tokenizer_has_no_offsets_is_one_line(
    alee: Alee, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoder = WordEncoder()
    encoder.with_offsets = False
    monkeypatch.setattr(loading, "load_encoder", lambda *_, **__: encoder)
    code, _, errors = alee("evaluate", "-m", "words", "--data", data / "xl-wa")
    assert code == 1
    assert "the tokenizer of tests/words gives no character offsets" in errors
