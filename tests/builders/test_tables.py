"""The tables of a build: columns, rows, and that the loader of the tasks reads them."""

import json
from dataclasses import replace

import penman
import pyarrow.parquet as pq
import pytest
from support.doubles import source, stages

from alee_mteb.errors import DataError
from alee_mteb.perturbations import Perturbation
from alee_mteb.tables import TableReader
from alee_mteb.triplets import load_triplets
from builders import tables
from builders.pipeline import Rules, run
from builders.stages import SourceText, Status

PN, RS = Perturbation.POLARITY_NEGATION, Perturbation.ROLE_SWAP
BOY = "The boy believes the girl."


def results(texts, **rules):
    made = stages(lambda a, b: Status.REJECTED_ENTAILMENT if "rs" in b else Status.SUCCESS, n_candidates=1)
    return run(texts, made, Rules(perturbations=(PN, RS), **rules))


def schema(**changes):
    settings = {"english": "eng_Latn", "perturbations": (PN, RS), "control": False, "languages": ("deu_Latn",)}
    return tables.wide_schema(**{**settings, "metadata": ("domain",), **changes})


class TestWideTable:
    def test_columns_come_in_the_order_of_the_design(self):
        assert schema(control=True).names == [
            "id",
            "eng_Latn",
            "eng_PolarityNegation_negative",
            "eng_RoleSwap_negative",
            "eng_Regenerated",
            "deu_Latn",
            "domain",
        ]

    def test_the_other_english_key_gives_the_other_spelling(self):
        names = schema(english="en_EN", control=True, languages=("de_DE", "en_EN"), metadata=()).names
        assert names == [
            "id",
            "en_EN",
            "en_PolarityNegation_negative",
            "en_RoleSwap_negative",
            "en_Regenerated",
            "de_DE",
        ]

    def test_only_valid_foils_are_in_it(self):
        table = tables.wide_table(
            results([source("1", BOY, domain="news"), source("2", "Too short.")]), schema(), "eng_Latn"
        )
        assert table.to_pylist() == [
            {
                "id": "1",
                "eng_Latn": BOY,
                "eng_PolarityNegation_negative": f"{BOY} pn 01 the girl",
                "eng_RoleSwap_negative": None,
                "deu_Latn": "Deutsch 1",
                "domain": "news",
            },
            {
                "id": "2",
                "eng_Latn": "Too short.",
                "eng_PolarityNegation_negative": None,
                "eng_RoleSwap_negative": None,
                "deu_Latn": "Deutsch 2",
                "domain": None,
            },
        ]

    def test_a_blank_source_is_in_the_provenance_table_only(self):
        found = results([source("1", BOY), source("2", " \n")])
        assert tables.wide_table(found, schema(), "eng_Latn").column("id").to_pylist() == ["1"]
        assert tables.provenance_table(found).column("id").to_pylist() == ["1", "1", "2", "2"]

    def test_a_table_without_rows_has_its_columns(self):
        assert tables.wide_table([], schema(), "eng_Latn").schema == schema()

    @pytest.mark.parametrize("column", ["id", "eng_Latn", "deu_Latn", "eng_RoleSwap_negative"])
    def test_a_metadata_column_must_not_take_the_place_of_another(self, column):
        with pytest.raises(DataError, match=f"column '{column}', which the triplet table needs"):
            schema(metadata=("domain", column))

    def test_a_second_id_column_would_mislead_the_tasks(self):
        with pytest.raises(DataError, match="'uniq_id' beside its id"):
            schema(metadata=("uniq_id",))

    def test_the_loader_of_the_tasks_reads_it(self, tmp_path):
        texts = [
            source("10", BOY, domain="news"),
            source("9", "The king visits the queen."),
            source("11", "Too short."),
        ]
        found = results(texts, control=True)
        described = schema(control=True)
        path = tmp_path / "test.parquet"
        n_rows = tables.write_table(
            path, [tables.wide_table(found, described, "eng_Latn")], described, {"engine": "amr"}
        )
        loaded = load_triplets(TableReader([path]), "ALEE-F200", "here")
        assert n_rows == 3
        assert loaded.ids == ("9", "10")
        assert loaded.foils[PN] == ("The king visits the queen. pn 01 the queen", f"{BOY} pn 01 the girl")
        assert loaded.foils[RS] == loaded.foils[Perturbation.HYPERNYM_SUBSTITUTION] == (None, None)
        assert loaded.regenerated == ("The king visits the queen. king 01 the queen", f"{BOY} boy 01 the girl")
        assert loaded.targets("deu_Latn").texts == ("Deutsch 9", "Deutsch 10")
        assert loaded.n_dropped == {"bad_source": 0, "no_foil": 1}


class TestProvenance:
    def test_a_row_says_what_was_done_and_why(self):
        row = tables.provenance_table(results([source("1", BOY)])).to_pylist()[1]
        after = row.pop("amr_after")
        before = row.pop("amr_before")
        assert row == {
            "id": "1",
            "perturbation": "RoleSwap",
            "status": "rejected_entailment",
            "sentence_index": 0,
            "sentence": BOY,
            "node": "v",
            "old": "boy-01",
            "new": "rs-01",
            "foil_sentence": f"{BOY} rs 01 the girl",
            "foil": f"{BOY} rs 01 the girl",
            "nli_level": "sentence",
            "nli_forward": 0.25,
            "nli_backward": 0.5,
            "n_candidates": 1,
            "n_tried": 1,
            "problem": None,
        }
        assert penman.decode(before).triples == penman.decode("(v / boy-01 :ARG0 (a / the) :ARG1 (b / girl))").triples
        assert penman.decode(after).triples == penman.decode("(v / rs-01 :ARG0 (a / the) :ARG1 (b / girl))").triples

    def test_what_did_not_happen_is_null(self):
        row = tables.provenance_table(results([source("1", "unparsable " * 5)])).to_pylist()[0]
        filled = {name: value for name, value in row.items() if value is not None}
        assert filled == {
            "id": "1",
            "perturbation": "PolarityNegation",
            "status": "parse_failed",
            "sentence_index": 0,
            "sentence": "unparsable " * 5,
            "n_candidates": 0,
            "n_tried": 0,
            "problem": "the parser gave no graph",
        }

    def test_the_control_text_has_a_row_of_its_own(self):
        rows = tables.provenance_table(results([source("1", BOY)], control=True)).to_pylist()
        assert [row["perturbation"] for row in rows] == ["PolarityNegation", "RoleSwap", "Regenerated"]
        assert (rows[2]["status"], rows[2]["foil"]) == ("success", f"{BOY} boy 01 the girl")

    def test_comment_lines_of_a_parser_are_left_out(self):
        graph = penman.decode("# ::snt The boy.\n# ::tok The boy .\n(b / boy)")
        assert tables.encode(graph) == "(b / boy)"

    def test_every_status_is_counted(self):
        found = results([source("1", BOY), source("2", "Too short."), source("3", BOY)])
        counts = tables.count_statuses([tables.provenance_table(found[:2]), tables.provenance_table(found[2:])])
        assert counts["PolarityNegation"] == {**dict.fromkeys(Status, 0), "success": 2, "no_candidate": 1}
        assert counts["RoleSwap"] == {**dict.fromkeys(Status, 0), "rejected_entailment": 2, "no_candidate": 1}


class TestWriting:
    def test_a_failed_write_leaves_the_old_file(self, tmp_path):
        path = tmp_path / "t.parquet"
        part = tables.provenance_table(results([source("1", BOY)]))
        tables.write_table(path, [part], tables.PROVENANCE_SCHEMA, {})
        before = path.read_bytes()

        def breaking():
            yield part
            raise OSError(28, "No space left on device")

        with pytest.raises(OSError, match="No space left"):
            tables.write_table(path, breaking(), tables.PROVENANCE_SCHEMA, {})
        assert path.read_bytes() == before
        assert [entry.name for entry in tmp_path.iterdir()] == ["t.parquet"]

    def test_a_table_alone_says_how_it_was_built(self, tmp_path):
        path = tmp_path / "t.parquet"
        tables.write_table(path, [], tables.PROVENANCE_SCHEMA, {"engine": "amr", "seed": 3})
        assert json.loads(pq.read_schema(path).metadata[b"alee"]) == {"engine": "amr", "seed": 3}


def test_texts_of_any_script_survive(tmp_path):
    text = "The boy said: “שלום \N{RIGHT-TO-LEFT MARK} 🙂\u0301” <b>&amp;</b> friend"
    texts = [replace(source("1", text), translations={"deu_Latn": "a\tb\nc\"d'"})]
    path = tmp_path / "t.parquet"
    described = schema()
    tables.write_table(path, [tables.wide_table(results(texts), described, "eng_Latn")], described, {})
    row = pq.read_table(path).to_pylist()[0]
    assert (row["eng_Latn"], row["deu_Latn"]) == (text, "a\tb\nc\"d'")
    assert isinstance(texts[0], SourceText)
