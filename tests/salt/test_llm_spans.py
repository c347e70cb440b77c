"""Spans from a chat model: question, strict reading, places in the sentences, endpoint, cache, a Transformers model."""

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from support.chat_server import Reply, chat_server
from support.span_doubles import ConceptEncoder

from alee_mteb.errors import DataError, ModelError
from salt.pairs import ParallelPair
from salt.spans.chat import CachedChat
from salt.spans.endpoint import EndpointChat
from salt.spans.llm import LlmExtractor
from salt.spans.prompt import explain, locate, parse, prompt

PAIR = ParallelPair(
    "1",
    "eng_Latn",
    "spa_Latn",
    "Samples from people with the disease should be handled with care .",
    "Las muestras de personas con la enfermedad deben manejarse con cuidado .",
)
ANSWER = """\
[Samples] - [Las muestras]
[from people] - [de personas]
[with the disease] - [con la enfermedad]
[should be handled] - [deben manejarse]
[with care] - [con cuidado]
"""


def test_the_question_has_the_format_of_the_paper() -> None:
    text = prompt(PAIR)
    assert (
        text.index("Example 1:\nSentence 1 [eng]: ")
        < text.index("Sentence 2 [spa]: ")
        < text.index("\n[The children] - ")
    )
    assert text.endswith(f"Sentence 1 [eng]: {PAIR.source}\nSentence 2 [spa]: {PAIR.target}\nAligned spans:")


def test_a_line_break_in_a_sentence_cannot_pass_for_a_further_line() -> None:
    pair = ParallelPair("1", "eng_Latn", "deu_Latn", "one\ntwo", "eins\u2028zwei")
    assert prompt(pair).endswith("Sentence 1 [eng]: one two\nSentence 2 [deu]: eins zwei\nAligned spans:")
    [span], _ = locate(pair, parse("[one two] - [eins zwei]"), spaced=(True, True))
    assert span.source.of(pair.source) == "one\ntwo"


PARSED = [
    pytest.param("[a] - [b]", [("a", "b")], 0, id="one"),
    pytest.param("[a b] - [c]\n\n[d] - [e f]\n", [("a b", "c"), ("d", "e f")], 0, id="two and an empty line"),
    pytest.param("  [a] - [b]  \r\n", [("a", "b")], 0, id="space around"),
    pytest.param("[[a]] - [b]", [("[a]", "b")], 0, id="brackets within"),
    pytest.param("Here are the aligned spans:\n[a] - [b]", [("a", "b")], 1, id="a line of prose"),
    pytest.param("I am sorry, but I cannot help with that.", [], 1, id="prose alone"),
    pytest.param("1. [a] - [b]", [], 1, id="numbered"),
    pytest.param("[a] – [b]\n[a] -> [b]\n[a]-[b]\na - b\n[a] - [b", [], 5, id="other signs"),
    pytest.param("[a] - [b] - [c]", [], 1, id="three"),
    pytest.param("[a] - [b][c] - [d]", [], 1, id="two on a line"),
    pytest.param("[] - [b]\n[ ] - [b]", [], 2, id="empty"),
    pytest.param("", [], 0, id="nothing"),
]


@pytest.mark.parametrize(("text", "lines", "malformed"), PARSED)
def test_answers_are_read_strictly(text: str, lines: list[tuple[str, str]], malformed: int) -> None:
    answer = parse(text)
    assert (list(answer.lines), answer.malformed) == (lines, malformed)


LOCATED = [
    pytest.param("the cat and the dog", "x y z", "[cat] - [y]", [("cat", 4, "y", 2)], {}, id="exact"),
    pytest.param("the cat", "x y", "[Cat] - [y]", [], {"not in source": 1}, id="other case"),
    pytest.param("the cat", "x y", "[cat] - [w]", [], {"not in target": 1}, id="made up"),
    pytest.param("the cat", "x y", "[dog] - [w]", [], {"not in source": 1}, id="both made up: counted once"),
    pytest.param("a cat", "x yy", "[a] - [y]", [], {"not in target": 1}, id="within a word"),
    pytest.param("cat, dog", "x y", "[cat] - [x]", [("cat", 0, "x", 0)], {}, id="punctuation ends a word"),
    pytest.param("the cat the dog", "x y z", "[the] - [x]", [], {"ambiguous": 1}, id="twice there, once listed"),
    pytest.param(
        "the cat the dog",
        "x y z",
        "[the] - [x]\n[the] - [z]",
        [("the", 0, "x", 0), ("the", 8, "z", 4)],
        {},
        id="in order",
    ),
    pytest.param(
        "the cat the dog", "x y z", "[the] - [w]\n[the] - [z]", [("the", 8, "z", 4)], {"not in target": 1}, id="second"
    ),
    pytest.param("the cat", "x y", "[cat] - [y]\n[the cat] - [x]", [("cat", 4, "y", 2)], {"overlap": 1}, id="overlap"),
    pytest.param("a b", "x y", "[a] - [x y]\n[b] - [y]", [("a", 0, "x y", 0)], {"overlap": 1}, id="target overlap"),
    pytest.param("a b", "x y", "prose\n[a] - [x]", [("a", 0, "x", 0)], {"malformed": 1}, id="malformed"),
]


@pytest.mark.parametrize(("source", "target", "text", "expected", "dropped"), LOCATED)
def test_spans_are_exact_parts_of_their_sentences(
    source: str, target: str, text: str, expected: list[tuple[str, int, str, int]], dropped: dict[str, int]
) -> None:
    pair = ParallelPair("1", "eng_Latn", "deu_Latn", source, target)
    spans, lost = locate(pair, parse(text), spaced=(True, True))
    assert [
        (each.source.of(source), each.source.start, each.target.of(target), each.target.start) for each in spans
    ] == expected
    assert lost == dropped


def test_words_may_be_cut_where_there_are_no_spaces() -> None:
    pair = ParallelPair("1", "eng_Latn", "zho_Hans", "the cat", "那只猫坐")
    [span], lost = locate(pair, parse("[cat] - [猫]"), spaced=(True, False))
    assert (span.target.start, span.target.end, lost) == (2, 3, {})


def test_reasons_in_words() -> None:
    assert explain({"overlap": 2, "malformed": 1, "pair too long": 4}) == [
        "1 lines that are not [a] - [b]",
        "2 spans that overlap an earlier one",
    ]


class Script:
    """A chat model that knows its answers by the sentence asked about."""

    name = "script"
    settings: Mapping[str, Any] = {"temperature": 0}
    last_problem: str | None = "silent"

    def __init__(self, answers: Mapping[str, str | None]) -> None:
        self._answers = answers
        self.asked = 0

    def answers(self, prompts: Sequence[str]) -> Iterator[tuple[int, str | None]]:
        for number, text in reversed(list(enumerate(prompts))):  # in any order
            self.asked += 1
            yield number, next(a for sentence, a in self._answers.items() if f"]: {sentence}\n" in text)


def pair(number: int, source: str, target: str = "ein Hund") -> ParallelPair:
    return ParallelPair(str(number), "eng_Latn", "deu_Latn", source, target)


def test_from_pairs_to_spans_with_tokens() -> None:
    extractor = LlmExtractor(ConceptEncoder({}), Script({PAIR.source: ANSWER}))
    extracted = extractor.extract([PAIR])
    [found] = extracted.pairs
    strings = [f"[{e.span.source.of(PAIR.source)}] - [{e.span.target.of(PAIR.target)}]" for e in found.spans]
    assert strings == ANSWER.splitlines()
    # <s> Sam ple s fro m peo ple …   <s> Las mue str as de …
    assert [(e.source_tokens, e.target_tokens) for e in found.spans[:2]] == [((1, 4), (1, 5)), ((4, 8), (5, 9))]
    assert extracted.dropped == {}


def test_a_token_between_two_spans_goes_to_the_larger_part() -> None:
    # 那些猫 and 坐下 are one token each, as is 了着: of 那些 | 猫坐下 the model cuts through both.
    encoder = ConceptEncoder({}, segments=["那些猫", "坐下了"])
    zho = ParallelPair("1", "eng_Latn", "zho_Hans", "those cats sat", "那些猫坐下了")
    extractor = LlmExtractor(encoder, Script({"those cats sat": "[those] - [那些]\n[cats sat] - [猫坐下了]"}))
    [first, second] = extractor.extract([zho]).pairs[0].spans
    assert (first.target_tokens, first.span.target.of(zho.target)) == ((1, 2), "那些")
    assert (second.target_tokens, second.span.target.of(zho.target)) == ((2, 3), "坐下了")


def test_everything_dropped_is_counted() -> None:
    script = Script({"a dog": "Sure!\n[a cat] - [ein Hund]", "the dog": "[the dog] - [ein Hund]", "my dog": None})
    long = pair(4, "so many words that they do not fit")
    extracted = LlmExtractor(ConceptEncoder({}, max_tokens=8), script).extract(
        [pair(1, "a dog"), pair(2, "the dog"), pair(3, "my dog"), long]
    )
    assert [(found.pair.id, len(found.spans)) for found in extracted.pairs] == [("1", 0), ("2", 1)]
    assert extracted.dropped == {"malformed": 1, "not in source": 1, "no answer": 1, "pair too long": 1}
    assert script.asked == 3  # nothing is asked about a pair that cannot be used


def test_a_model_that_never_answers_is_an_error() -> None:
    with pytest.raises(ModelError, match=r"'script': not one of 2 questions was answered \(silent\)"):
        LlmExtractor(ConceptEncoder({}), Script({"a dog": None})).extract([pair(1, "a dog"), pair(2, "a dog")])


# ---- the cache


def test_a_question_is_asked_once(tmp_path: Path) -> None:
    script = Script({"a dog": "[dog] - [Hund]", "my dog": "ü \ud800 prose"})
    pairs = [pair(1, "a dog"), pair(2, "my dog")]
    runs = [
        LlmExtractor(ConceptEncoder({}), CachedChat(script, tmp_path / "cache")).extract(pairs).pairs for _ in range(2)
    ]
    assert runs[0] == runs[1]
    assert script.asked == 2
    files = sorted((tmp_path / "cache").rglob("*.json"))
    assert len(files) == 2
    assert {json.loads(path.read_text())["answer"] for path in files} == {"[dog] - [Hund]", "ü \ud800 prose"}


def test_questions_without_an_answer_are_asked_again(tmp_path: Path) -> None:
    first = CachedChat(Script({"a dog": None}), tmp_path)
    assert list(first.answers([prompt(pair(1, "a dog"))])) == [(0, None)]
    second = CachedChat(Script({"a dog": "yes"}), tmp_path)
    assert list(second.answers([prompt(pair(1, "a dog"))])) == [(0, "yes")]


def test_another_model_or_setting_has_answers_of_its_own(tmp_path: Path) -> None:
    def ask(name: str, temperature: float, answer: str) -> str | None:
        script = Script({"a dog": answer})
        script.name, script.settings = name, {"temperature": temperature}
        return next(iter(CachedChat(script, tmp_path).answers([prompt(pair(1, "a dog"))])))[1]

    assert [ask("a", 0, "1"), ask("b", 0, "2"), ask("a", 1, "3"), ask("a", 0, "4")] == ["1", "2", "3", "1"]


def test_a_broken_file_of_the_cache_is_named(tmp_path: Path) -> None:
    chat = CachedChat(Script({"a dog": "yes"}), tmp_path)
    question = prompt(pair(1, "a dog"))
    list(chat.answers([question]))
    [path] = tmp_path.rglob("*.json")
    path.write_text("{")
    with pytest.raises(DataError, match=f"{path.name}: broken file in the cache of answers"):
        list(chat.answers([question]))


# ---- the endpoint

KEY = "sk-very-secret"


def ask(url: str, prompts: Sequence[str], **settings: Any) -> dict[int, str | None]:
    chat = EndpointChat(url, "chatty", **({"timeout": 5.0, "tries": 3, "wait": 0.0, "concurrency": 2} | settings))
    return dict(chat.answers(prompts))


def test_what_is_sent_and_what_comes_back() -> None:
    with chat_server(lambda text, asked: Reply(text.upper())) as server:
        assert ask(server.url, ["a", "b", "c"], key=KEY, max_tokens=7) == {0: "A", 1: "B", 2: "C"}
    assert server.requests[0] | {"messages": 0} == {"model": "chatty", "messages": 0, "max_tokens": 7, "temperature": 0}
    assert sorted(server.prompts) == ["a", "b", "c"]
    assert set(server.paths) == {"/v1/chat/completions"}
    assert {headers["Authorization"] for headers in server.headers} == {f"Bearer {KEY}"}


def test_without_a_key_none_is_sent() -> None:
    with chat_server(lambda text, asked: Reply("x")) as server:
        ask(f"{server.url}/chat/completions", ["a"])
    assert "Authorization" not in server.headers[0]
    assert server.paths == ["/v1/chat/completions"]


def test_as_many_questions_at_once_as_allowed() -> None:
    # Each reply waits for two others, so that this ends only if three are under way at once.
    together = threading.Barrier(3)

    def script(text: str, asked: int) -> Reply:
        together.wait(timeout=20)
        return Reply("x")

    with chat_server(script) as server:
        ask(server.url, list("abcdef"), concurrency=3)
    assert server.most_at_once == 3


@pytest.mark.parametrize("status", [429, 500, 503], ids=str)
def test_a_passing_failure_is_tried_again(status: int) -> None:
    with chat_server(lambda text, asked: Reply("yes") if asked == 2 else Reply("busy", status)) as server:
        assert ask(server.url, ["a"]) == {0: "yes"}
    assert len(server.requests) == 3


def test_the_server_says_how_long_to_wait() -> None:
    from tenacity import RetryCallState, Retrying

    chat = EndpointChat("http://127.0.0.1:9/v1", "m", wait=3.0)
    state = RetryCallState(Retrying(), None, (), {})
    from salt.spans import endpoint

    state.set_exception((endpoint._PassingError, endpoint._PassingError("status 429", 7.0), None))
    assert chat._waiting()(state) == 7.0
    state.set_exception((endpoint._PassingError, endpoint._PassingError("status 429", 1e9), None))
    assert chat._waiting()(state) == 120.0
    state.set_exception((endpoint._PassingError, endpoint._PassingError("status 500"), None))
    assert 3.0 <= chat._waiting()(state) <= 6.0
    state.attempt_number = 3
    assert 12.0 <= chat._waiting()(state) <= 15.0


def test_a_question_that_times_out_has_no_answer_and_the_others_have_theirs() -> None:
    with chat_server(lambda text, asked: Reply(hang=text == "b") if text == "b" else Reply("x")) as server:
        assert ask(server.url, ["a", "b", "c"], timeout=0.2, tries=2) == {0: "x", 1: None, 2: "x"}
    assert server.prompts.count("b") == 2


def test_an_endpoint_that_always_times_out_is_given_up() -> None:
    with (
        chat_server(lambda text, asked: Reply(hang=True)) as server,
        pytest.raises(
            ModelError, match=r"endpoint 127\.0\.0\.1:\d+, model 'chatty': 3 questions in a row failed after 1 tries"
        ),
    ):
        ask(server.url, list("abcdefgh"), timeout=0.1, tries=1, failures_in_a_row=3)
    assert len(server.requests) < 8


def test_nobody_listens() -> None:
    with chat_server(lambda text, asked: Reply("x")) as server:
        url = server.url
    with pytest.raises(ModelError, match="questions in a row failed") as caught:
        ask(url, list("abcdefgh"), tries=1)
    assert "\n" not in str(caught.value)


UNUSABLE = [
    pytest.param(Reply(f"bad key {KEY}", 401), "status 401; it wants a key, or another one", id="401"),
    pytest.param(Reply(f"no model for {KEY}", 404), r"status 404: no model for \*\*\*", id="404"),
    pytest.param(Reply("<html>hello</html>", raw=True), "not that of an OpenAI-compatible", id="HTML"),
    pytest.param(Reply("{}", raw=True), "not that of an OpenAI-compatible", id="other JSON"),
    pytest.param(Reply("", 302, {"Location": "http://example.org"}), "status 302", id="redirect"),
]


@pytest.mark.parametrize(("reply", "message"), UNUSABLE)
def test_an_unusable_endpoint_is_one_line_without_the_key(reply: Reply, message: str) -> None:
    with chat_server(lambda text, asked: reply) as server, pytest.raises(ModelError, match=message) as caught:
        ask(server.url, ["a", "b"], key=KEY)
    assert KEY not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_key_is_neither_in_settings_nor_in_the_cache(tmp_path: Path) -> None:
    with chat_server(lambda text, asked: Reply("x")) as server:
        chat = CachedChat(EndpointChat(server.url, "chatty", KEY), tmp_path)
        list(chat.answers(["a"]))
    assert KEY not in str(dict(chat.settings))
    assert all(KEY not in path.read_text() for path in tmp_path.rglob("*.json"))


@pytest.mark.parametrize(
    "url",
    ["localhost:8000", "file:///etc/passwd", "", "http://user:pass@host/v1"],
    ids=["no scheme", "file", "none", "password"],
)
def test_bad_addresses(url: str) -> None:
    with pytest.raises(ModelError, match="endpoint") as caught:
        EndpointChat(url, "m")
    assert "pass@" not in str(caught.value)


# ---- a Transformers model

TEMPLATE = "{% for m in messages %}<u>{{ m['content'] }}{% endfor %}{% if add_generation_prompt %}<a>{% endif %}"


@pytest.fixture(scope="module")
def tiny_chat(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A one-layer Llama that has learnt two answers, byte by byte, whatever the rest of the question."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    folder = tmp_path_factory.mktemp("chat")
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    special = ["<pad>", "<u>", "<a>", "</s>"]
    raw = Tokenizer(models.BPE(vocab={token: i for i, token in enumerate([*special, *alphabet])}, merges=[]))
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = decoders.ByteLevel()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=raw, pad_token="<pad>", eos_token="</s>", extra_special_tokens=["<u>", "<a>"]
    )
    tokenizer.chat_template = TEMPLATE
    tokenizer.save_pretrained(folder)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        config = LlamaConfig(
            vocab_size=len(tokenizer), hidden_size=64, intermediate_size=128, num_hidden_layers=2,
            num_attention_heads=4, max_position_embeddings=2048, pad_token_id=0, eos_token_id=3, bos_token_id=None,
        )  # fmt: skip
        model = LlamaForCausalLM(config)
        texts = [f"<u>{question}<a>{answer}</s>" for question, answer in CHATS.items()]
        encoded = [tokenizer(text, add_special_tokens=False)["input_ids"] for text in texts]
        optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
        loss = torch.tensor(1.0)
        while loss.item() > 0.02:
            loss = sum(_answer_loss(model, ids) for ids in encoded)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
    model.save_pretrained(folder)
    return folder


CHATS = {"q": "[a] - [b]\n[c] - [d]", "longer q": "Who knows."}


def _answer_loss(model: Any, ids: list[int]) -> Any:
    import torch

    batch = torch.tensor([ids])
    labels = batch.clone()
    labels[0, : ids.index(2) + 1] = -100
    return model(input_ids=batch, labels=labels).loss


def test_a_transformers_model_answers(tiny_chat: Path) -> None:
    from salt.spans.chat_transformers import TransformersChat

    questions = list(CHATS)
    for batch_size in (1, 2):
        chat = TransformersChat(str(tiny_chat), device="cpu", batch_size=batch_size, max_tokens=64)
        assert list(chat.answers(questions)) == list(enumerate(CHATS.values()))
    assert chat.settings == {"max_tokens": 64, "temperature": 0}


def test_answers_have_a_longest_length(tiny_chat: Path) -> None:
    from salt.spans.chat_transformers import TransformersChat

    [(_, answer)] = TransformersChat(str(tiny_chat), device="cpu", max_tokens=5).answers(["q"])
    assert answer == "[a] -"


def test_models_that_cannot_chat(tmp_path: Path, tiny_chat: Path) -> None:
    import shutil

    from salt.spans.chat_transformers import TransformersChat

    with pytest.raises(ModelError, match="cannot be loaded"):
        TransformersChat(str(tmp_path / "nowhere"))
    shutil.copytree(tiny_chat, tmp_path / "plain")
    for path in (tmp_path / "plain").glob("chat_template*"):
        path.unlink()
    with pytest.raises(ModelError, match="has no chat template"):
        TransformersChat(str(tmp_path / "plain"))
