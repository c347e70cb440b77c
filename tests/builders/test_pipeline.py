"""Searches in rounds: which candidate comes out, what the models are asked, and what is noted about failures.

The stand-ins make candidates ``pn-01``, ``pn-02``, … and foils "<sentence> pn 01 <agent> <patient>", so every expected
text below can be read off the rules in `support.doubles`.
"""

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.doubles import ListCorpus, lines, source, stages

from alee_mteb.errors import ModelError
from alee_mteb.perturbations import Perturbation
from builders.pipeline import Rules, run
from builders.stages import Parse, Realisation, Status, Verdict

PN, RS = Perturbation.POLARITY_NEGATION, Perturbation.ROLE_SWAP
ONE = Rules(perturbations=(PN,))
BOY = "The boy believes the girl."
BOY_FOIL = "The boy believes the girl. pn 01 the girl"


def rejecting(*parts: str, status: Status = Status.REJECTED_ENTAILMENT):
    """A rule that rejects foils with any of these parts."""
    return lambda source, foil: status if any(part in foil for part in parts) else Status.SUCCESS


def only(results):
    return results[0].outcomes[0]


class TestOneSentence:
    def test_the_first_valid_candidate_is_the_foil(self):
        outcome = only(run([source("1", BOY)], stages(), ONE))
        assert (outcome.status, outcome.foil, outcome.foil_sentence) == (Status.SUCCESS, BOY_FOIL, BOY_FOIL)
        assert (outcome.edit.node, outcome.edit.old, outcome.edit.new) == ("v", "boy-01", "pn-01")
        assert (outcome.verdict.forward, outcome.verdict.backward, outcome.level) == (0.25, 0.5, "sentence")
        assert (outcome.n_candidates, outcome.n_tried, outcome.sentence_index) == (3, 1, 0)

    def test_candidates_are_tried_in_order_until_one_is_valid(self):
        outcome = only(run([source("1", BOY)], stages(rejecting("pn 01", "pn 02")), ONE))
        assert (outcome.status, outcome.edit.new, outcome.n_tried) == (Status.SUCCESS, "pn-03", 3)

    def test_when_all_fail_the_first_of_the_furthest_is_kept(self):
        made = stages(rejecting("pn"))
        made.realiser.realise = lambda inputs: [
            Realisation(None, "nothing") if item.edit.new == "pn-01" else Realisation("It is " + item.edit.new)
            for item in inputs
        ]
        made.validator.rule = rejecting("pn", status=Status.REJECTED_BIDIRECTIONAL)
        outcome = only(run([source("1", BOY)], made, ONE))
        assert (outcome.status, outcome.edit.new) == (Status.REJECTED_BIDIRECTIONAL, "pn-02")
        assert (outcome.n_tried, outcome.foil, outcome.problem) == (3, "It is pn-02", "nothing")

    def test_a_foil_that_says_the_same_never_reaches_the_nli_model(self):
        made = stages(n_candidates=1)
        made.realiser.realise = lambda inputs: [Realisation("the BOY, believes the girl!") for _ in inputs]
        assert only(run([source("1", BOY)], made, ONE)).status is Status.NO_CHANGE
        assert made.validator.calls == []

    def test_spaces_around_the_text_stay(self):
        made = stages(split=lambda text: [(2, 2 + len(BOY))])
        assert only(run([source("1", f"  {BOY} \t")], made, ONE)).foil == f"  {BOY_FOIL} \t"


class TestRounds:
    def test_a_round_is_one_batch_of_all_open_searches(self):
        made = stages(rejecting("little boy pn 01", "little boy rs 01", "little boy rs 02"))
        texts = [
            source("1", "The boy helps another little boy"),
            source("2", "A girl sings to her old dog"),
            source("3", "The cat sees a mouse today"),
        ]
        run(texts, made, Rules(perturbations=(PN, RS)))
        assert [len(call) for call in made.parser.calls] == [3]
        assert [len(call) for call in made.realiser.calls] == [6, 2, 1]
        assert [len(call) for call in made.validator.calls] == [6, 2, 1]

    def test_no_text_is_parsed_or_validated_twice(self):
        made = stages()
        run([source("1", BOY), source("2", BOY)], made, Rules(perturbations=(PN, RS)))
        assert made.parser.calls == [[BOY]]
        assert [len(call) for call in made.validator.calls] == [2]

    @settings(deadline=None, max_examples=25)
    @given(st.randoms(use_true_random=False), st.integers(1, 7))
    def test_what_comes_out_of_a_text_does_not_depend_on_its_company(self, shuffler: random.Random, size: int):
        names = ["boy", "girl", "unparsable", "king"]
        texts = [
            source(f"{a}{b}", f"The {a} likes the {b} a lot.\nThat {b} hates this {a} a bit.")
            for a in names
            for b in names
        ]
        rule = rejecting("boy pn", "girl a lot. rs 01", "king a lot. pn", "girl a bit. rs 02")
        expected = {result.source.id: result for result in run(texts, stages(rule), Rules(control=True))}
        shuffler.shuffle(texts)
        for start in range(0, len(texts), size):
            for result in run(texts[start : start + size], stages(rule), Rules(control=True)):
                assert result == expected[result.source.id]


TWO = "The boy believes the girl.\nThe king visits the old queen."
SECOND_FOIL = "The king visits the old queen. pn 01 the queen"


class TestParagraphs:
    def test_the_first_sentence_is_edited_first_and_the_rest_stays(self):
        outcome = only(run([source("1", TWO)], stages(), ONE))
        assert outcome.foil == f"{BOY_FOIL}\nThe king visits the old queen."
        assert (outcome.foil_sentence, outcome.sentence_index, outcome.level) == (BOY_FOIL, 0, "text")

    def test_the_sentence_is_validated_then_the_text(self):
        made = stages()
        run([source("1", TWO)], made, ONE)
        assert made.validator.calls == [[(BOY, BOY_FOIL)], [(TWO, f"{BOY_FOIL}\nThe king visits the old queen.")]]

    def test_a_sentence_that_fails_is_reverted_before_the_next(self):
        made = stages(lambda a, b: Status.REJECTED_ENTAILMENT if a == BOY else Status.SUCCESS)
        outcome = only(run([source("1", TWO)], made, ONE))
        assert outcome.foil == f"The boy believes the girl.\n{SECOND_FOIL}"
        assert (outcome.sentence_index, outcome.n_tried, outcome.n_candidates) == (1, 4, 6)

    def test_a_text_that_fails_is_reverted_too(self):
        made = stages(
            lambda a, b: Status.REJECTED_BIDIRECTIONAL if a == TWO and "pn 0" in b.split("\n")[0] else Status.SUCCESS
        )
        outcome = only(run([source("1", TWO)], made, ONE))
        assert outcome.foil == f"The boy believes the girl.\n{SECOND_FOIL}"

    def test_when_all_fail_the_verdict_and_what_it_was_about_are_kept(self):
        made = stages(lambda a, b: Status.REJECTED_ENTAILMENT if "\n" in a else Status.SUCCESS)
        outcome = only(run([source("1", TWO)], made, ONE))
        assert (outcome.status, outcome.level, outcome.sentence_index, outcome.n_tried) == (
            Status.REJECTED_ENTAILMENT,
            "text",
            0,
            6,
        )

    def test_later_sentences_are_parsed_only_when_needed(self):
        made = stages()
        run([source("1", TWO)], made, ONE)
        assert made.parser.calls == [[BOY]]

    def test_an_unparsable_sentence_is_passed_over_and_noted(self):
        outcome = only(run([source("1", f"This one is unparsable.\n{BOY}")], stages(), ONE))
        assert (outcome.status, outcome.sentence_index) == (Status.SUCCESS, 1)
        assert outcome.problem == "sentence 0: the parser gave no graph"

    def test_the_released_way_asks_about_whole_texts_only(self):
        made = stages(
            lambda a, b: Status.REJECTED_ENTAILMENT if a == TWO and "pn 0" in b.split("\n")[0] else Status.SUCCESS,
            n_candidates=1,
        )
        outcome = only(run([source("1", TWO)], made, replace(ONE, check_sentences=False)))
        first = f"{BOY_FOIL}\nThe king visits the old queen."
        assert made.validator.calls == [[(TWO, first)], [(TWO, outcome.foil)]]
        assert (outcome.sentence_index, outcome.n_tried, outcome.level) == (1, 2, "text")


class TestControl:
    def test_every_sentence_is_regenerated_in_its_place(self):
        text = "The boy believes the girl.\n  Short.\nThe king visits the old queen."
        result = run([source("1", text)], stages(), replace(ONE, control=True))[0]
        assert result.control.foil == (
            "The boy believes the girl. boy 01 the girl\n  Short.\nThe king visits the old queen. king 01 the queen"
        )

    def test_one_failed_sentence_fails_the_text(self):
        result = run([source("1", f"{BOY}\nThis one is unparsable.")], stages(), replace(ONE, control=True))[0]
        assert (result.control.status, result.control.sentence_index) == (Status.PARSE_FAILED, 1)
        assert result.control.foil is None

    def test_without_being_asked_there_is_none(self):
        assert run([source("1", BOY)], stages(), ONE)[0].control is None


class TestBadInput:
    @pytest.mark.parametrize(
        ("text", "status"),
        [
            ("", Status.NO_CANDIDATE),
            (" \t\n ", Status.NO_CANDIDATE),
            ("Too short.", Status.NO_CANDIDATE),
            ("🙂" * 40, Status.PARSE_FAILED),
            ("שלום עולם, מה שלומך היום ומה נשמע", Status.PARSE_FAILED),
            ("<p class='x'>The boy &amp; the girl</p>", Status.SUCCESS),
            ("Der Junge glaubt dem Mädchen nicht.", Status.SUCCESS),
            ("word " * 5000, Status.SUCCESS),
        ],
    )
    def test_every_text_gets_a_status(self, text, status):
        results = run([source("good", BOY), source("odd", text)], stages(), Rules(control=True))
        assert [len(result.outcomes) for result in results] == [4, 4]
        assert {outcome.status for outcome in results[0].outcomes} == {Status.SUCCESS}
        assert {outcome.status for outcome in results[1].outcomes} == {status}
        if status is not Status.SUCCESS:
            assert all(outcome.problem for outcome in results[1].outcomes)

    @pytest.mark.parametrize(
        ("stage", "method", "expected"),
        [
            ("parser", "parse", (Status.PARSE_FAILED, "parser failed: RuntimeError: bad item")),
            ("realiser", "realise", (Status.GENERATION_FAILED, "realiser failed: RuntimeError: bad item")),
            ("validator", "validate", (Status.GENERATION_FAILED, "validator failed: RuntimeError: bad item")),
            ("editor", "propose", (Status.NO_CANDIDATE, "editing failed: RuntimeError: bad item")),
        ],
    )
    def test_a_stage_that_raises_on_one_item_spoils_only_that_item(self, monkeypatch, stage, method, expected):
        made = stages()
        real = getattr(getattr(made, stage), method)

        def breaking(items, *rest):
            if "badger" in str(getattr(items, "triples", items)):
                raise RuntimeError("bad\nitem")
            return real(items, *rest)

        monkeypatch.setattr(getattr(made, stage), method, breaking, raising=False)
        good, bad = run([source("1", BOY), source("2", "The badger believes the girl.")], made, ONE)
        assert good.outcomes[0].status is Status.SUCCESS
        assert (bad.outcomes[0].status, bad.outcomes[0].problem) == expected

    def test_a_stage_with_too_few_answers_is_a_failure_of_those_items(self):
        made = stages()
        made.realiser.realise = lambda inputs: []
        assert only(run([source("1", BOY)], made, ONE)).status is Status.GENERATION_FAILED

    @pytest.mark.parametrize("answer", ["", "  \n", None])
    def test_a_realiser_without_words(self, answer):
        made = stages()
        made.realiser.realise = lambda inputs: [Realisation(answer) for _ in inputs]
        outcome = only(run([source("1", BOY)], made, ONE))
        assert (outcome.status, outcome.problem, outcome.n_tried) == (Status.GENERATION_FAILED, "no text", 3)

    def test_a_model_that_refuses_to_work_stops_the_build(self):
        made = stages()

        def refuse(pairs):
            raise ModelError("the labels are entails, contradicts")

        made.validator.validate = refuse
        with pytest.raises(ModelError, match="labels are"):
            run([source("1", BOY)], made, ONE)

    def test_ctrl_c_is_not_swallowed(self):
        made = stages()

        def interrupt(pairs):
            raise KeyboardInterrupt

        made.realiser.realise = interrupt
        with pytest.raises(KeyboardInterrupt):
            run([source("1", BOY)], made, ONE)

    def test_a_remark_beside_a_graph_is_kept(self):
        made = stages()
        parse = made.parser._parse
        made.parser.parse = lambda sentences: [Parse(parse(s).graph, "clipped") for s in sentences]
        assert only(run([source("1", BOY)], made, ONE)).problem == "clipped"

    def test_a_validator_may_say_no_change_itself(self):
        made = stages(n_candidates=1)
        made.validator.validate = lambda pairs: [Verdict(Status.NO_CHANGE) for _ in pairs]
        assert only(run([source("1", BOY)], made, ONE)).status is Status.NO_CHANGE


def test_no_sources_no_results():
    assert run([], stages(), Rules(control=True)) == []
    assert list(ListCorpus([]).rows()) == []
    assert lines("") == []
