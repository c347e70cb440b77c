"""`alee salt pairs` as a user meets it."""

import json

import pytest
import torch
from support.span_batches import numbered

from alee_mteb.cli import main
from salt.data.readers import read_pairs
from salt.data.writing import write_pairs
from salt.pairs import ParallelPair


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run the command in an empty folder: exit code, output, errors."""
    monkeypatch.chdir(tmp_path)

    def command(*arguments):
        monkeypatch.setattr("sys.argv", ["alee", "salt", "pairs", *arguments])
        code = 0
        try:
            main()
        except SystemExit as stop:
            code = int(stop.code or 0)
        found = capsys.readouterr()
        return code, found.out, found.err

    return command


def write(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join("\t".join(map(str, row)) + "\n" for row in rows), encoding="utf-8")


def test_pairs_are_read_back_as_they_were_written_but_for_white_space_around_a_text(tmp_path):
    pairs = [
        ParallelPair("a", "eng_Latn", "zho_Hans", 'He said "no".\u2028', "他说“不”。", 0.1 + 0.2),
        ParallelPair("b", "deu_Latn", "eng_Latn", "x\\y", "z"),
    ]
    assert write_pairs(tmp_path / "x.jsonl", pairs) == 2
    found = list(read_pairs(tmp_path / "x.jsonl"))
    assert found == [ParallelPair(**{**vars(pairs[0]), "source": 'He said "no".'}), pairs[1]]


def test_the_papers_rules_on_a_folder_of_language_pairs(run, tmp_path):
    scores = [1.0] * 20 + [9.0]
    write(tmp_path / "nllb" / "ace_Latn-eng_Latn.tsv", [(f"s{n}", f"t{n}", s) for n, s in enumerate(scores)])
    write(tmp_path / "nllb" / "bug_Latn-min_Latn.tsv", [("a", "b", 1.0)])
    write(tmp_path / "nllb" / "eng_Latn-fra_Latn.tsv", [(f"s{n}", f"t{n}", 1.0) for n in range(50)])
    code, out, _ = run("nllb", "-o", "p.jsonl", "--test-languages", "--max-pairs", "30", "--deviations", "1", "--json")
    assert code == 0
    told = json.loads(out)
    assert told["pairs"] == {"ace_Latn-eng_Latn": 20, "eng_Latn-fra_Latn": 30}
    assert told["dropped"] == {"empty": 0, "language": 1, "cap": 20, "length": 0, "score": 1}
    assert (told["read"], told["kept"]) == (72, 50)
    assert len(list(read_pairs(tmp_path / "p.jsonl"))) == 50


def test_the_same_command_writes_the_same_bytes(run, tmp_path):
    write(tmp_path / "x.tsv", [(f"s{n}", f"t{n}") for n in range(100)])
    base = ("x.tsv", "--source-language", "en", "--target-language", "de", "--max-pairs", "10")
    for name, more in (("a", ()), ("b", ()), ("c", ("--seed", "1"))):
        assert run(*base, "-o", name, *more)[0] == 0
    texts = [(tmp_path / name).read_bytes() for name in "abc"]
    assert texts[0] == texts[1] != texts[2]


def test_rows_of_files_of_one_name_keep_apart(run, tmp_path):
    for folder in "ab":
        write(tmp_path / folder / "train.tsv", [("x", "y")])
    languages = ("--source-language", "en", "--target-language", "de")
    code, out, _ = run("a/train.tsv", "b/train.tsv", "-o", "p.jsonl", *languages)
    assert (code, out) == (0, "eng_Latn-deu_Latn  2\np.jsonl: 2 of 2 pairs; dropped: none\n")
    assert len({pair.id for pair in read_pairs(tmp_path / "p.jsonl")}) == 2


class WordEncoder:
    dimension, max_tokens = 4, 512

    def lengths(self, texts, language=None):
        return [len(text.split()) for text in texts]

    def tokenize(self, texts, language=None):
        return texts

    def states(self, texts, layers=(-1,)):
        return {-1: torch.tensor([[1.0, len(text), text.count("w"), 2.0] for text in texts])}

    def pool(self, states, texts):
        return states


def test_an_encoder_measures_and_blaser_scores(run, tmp_path, monkeypatch):
    monkeypatch.setattr("salt.encoders.load.load_encoder", lambda name, device: WordEncoder())
    torch.save({"model": {"mlp.1.weight": torch.ones(1, 16), "mlp.1.bias": torch.zeros(1)}}, tmp_path / "model.pt")
    write(tmp_path / "x.tsv", [("w w", "w w"), ("w", numbered("v", 6))])
    languages = ("--source-language", "en", "--target-language", "de")
    code, out, _ = run("x.tsv", "-o", "p", *languages, "-m", "any", "--max-tokens", "5", "--blaser", "model.pt")
    assert (code, out.splitlines()[-1]) == (0, "p: 1 of 2 pairs; dropped: length 1")
    (pair,) = read_pairs(tmp_path / "p", format="jsonl")
    # x = y = (1, 3, 2, 2) / √18; the sum of [x, y, x·y, |y − x|] is 2 · 8 / √18 + 1 + 0.
    assert pair.score == pytest.approx(16 / 18**0.5 + 1, abs=1e-5)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(("x.tsv",), "x.tsv: the file does not name its languages", id="languages"),
        pytest.param(("none.tsv",), "none.tsv: no such file", id="no file"),
        pytest.param(("y.tsv", "--blaser", "m.pt"), "--blaser needs --model", id="blaser without a model"),
        pytest.param(("y.tsv", "--deviations", "0"), "score filter: 0.0 standard deviations", id="deviations"),
        pytest.param(
            ("z.tsv", "--test-languages"), "no pair left of 1 read; dropped by rule: language 1", id="none left"
        ),
    ],
)
def test_bad_input_is_one_line(run, tmp_path, arguments, message):
    write(tmp_path / "x.tsv", [("a", "b")])
    write(tmp_path / "y.tsv", [("eng_Latn", "deu_Latn"), ("a", "b")])
    write(tmp_path / "z.tsv", [("ace_Latn", "bug_Latn"), ("a", "b")])
    code, out, err = run(*arguments, "-o", "p.jsonl")
    assert code == 1
    assert out == ""
    assert err.startswith(f"alee: {message}")
    assert err.count("\n") == 1
    assert not (tmp_path / "p.jsonl").exists()
