"""Review sheets and forms, and the shares and agreements computed from them."""

import csv
import io
import json
import re
import shutil
import subprocess
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from sklearn.metrics import cohen_kappa_score

from alee_mteb.errors import DataError
from alee_mteb.perturbations import Perturbation
from builders import review
from builders.folder import Configuration, Pair
from builders.review_form import form

PN, RS, AR, HS = Perturbation


def configuration(**sizes: int) -> Configuration:
    """A configuration with so many foils per perturbation."""
    n = max([*sizes.values(), 1])
    foils = {
        Perturbation.from_code(code): tuple(f"{code} {i}" if i < size else None for i in range(n))
        for code, size in sizes.items()
    }
    return Configuration(
        Path("here"),
        "alee_x",
        "eng_Latn",
        tuple(map(str, range(n))),
        tuple(f"source {i}" for i in range(n)),
        foils,
        (),
        None,
        None,
    )


class TestDraw:
    @pytest.mark.parametrize(
        ("sizes", "n", "expected"),
        [
            ({"PN": 100, "RS": 100, "AR": 100, "HS": 100}, 200, [50, 50, 50, 50]),
            ({"PN": 100, "RS": 10, "AR": 100, "HS": 100}, 200, [64, 10, 63, 63]),
            ({"PN": 5, "RS": 0, "AR": 1, "HS": 2}, 200, [5, 0, 1, 2]),
            ({"PN": 9, "RS": 9, "AR": 9, "HS": 9}, 3, [1, 1, 1, 0]),
            ({"PN": 9, "HS": 9}, 7, [4, 3]),
        ],
    )
    def test_as_evenly_as_the_perturbations_allow(self, sizes, n, expected):
        drawn = Counter(pair.perturbation.code for pair in review.draw(configuration(**sizes), n, 0))
        assert [drawn[code] for code in sizes] == expected

    def test_the_seed_decides_which_and_in_what_order(self):
        built = configuration(PN=50, RS=50)
        assert review.draw(built, 20, 1) == review.draw(built, 20, 1)
        assert review.draw(built, 20, 1) != review.draw(built, 20, 2)
        assert len({(p.id, p.perturbation) for p in review.draw(built, 20, 1)}) == 20

    def test_perturbations_are_mixed(self):
        kinds = [pair.perturbation for pair in review.draw(configuration(PN=50, RS=50), 60, 0)]
        assert kinds != sorted(kinds, key=lambda kind: kind.code)

    def test_a_perturbation_is_drawn_regardless_of_the_others(self):
        alone = {p.id for p in review.draw(configuration(RS=50), 10, 4)}
        beside = {p.id for p in review.draw(configuration(PN=50, RS=50), 20, 4) if p.perturbation is RS}
        assert alone == beside

    def test_nothing_to_review(self):
        with pytest.raises(DataError, match="no foils to review"):
            review.draw(configuration(PN=0), 10, 0)


ODD = [
    Pair("1", PN, 'He said "no", twice.\nThen left.', "</script><script>alert(1)</script> & <b>"),
    Pair("a,b", HS, "שלום\u2028 🙂", "@DATA@ @TITLE@ ]]> <!--"),
]


class TestSheet:
    def test_any_text_survives_the_way_through_csv(self):
        rows = list(csv.DictReader(io.StringIO(review.sheet(ODD), newline="")))
        assert [(row["id"], row["perturbation"], row["source"], row["foil"]) for row in rows] == [
            (pair.id, pair.perturbation.value, pair.source, pair.foil) for pair in ODD
        ]
        assert list(rows[0]) == ["item", "id", "perturbation", "source", "foil", "valid", "grammatical", "comment"]

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            ("1,1,RoleSwap,a,b,maybe,yes,", "row 1, column 'valid': expected yes or no, got 'maybe'"),
            ("1,1,Swap,a,b,yes,yes,", "row 1: unknown perturbation 'Swap'"),
            ("1,1,RoleSwap,a,b,,,\n2,1,RoleSwap,a,b,,,", "row 2: 1 RoleSwap stands there twice"),
            ("1,1,RoleSwap,a,b,,,", "no answers yet"),
        ],
    )
    def test_a_sheet_that_cannot_be_summed_up(self, tmp_path, line, message):
        path = tmp_path / "sheet.csv"
        path.write_text(",".join(review.COLUMNS) + "\n" + line + "\n")
        with pytest.raises(DataError, match=re.escape(message)):
            review.summarise([path])

    @pytest.mark.parametrize("content", [b"", b"a,b\n1,2\n", b"\xff\xfe"])
    def test_a_file_that_is_no_sheet(self, tmp_path, content):
        path = tmp_path / "sheet.csv"
        path.write_bytes(content)
        with pytest.raises(DataError, match="expected the CSV that `alee review sample` wrote"):
            review.summarise([path])


def filled(path: Path, answers: list[tuple[str, str, str, str]]) -> Path:
    """A sheet with (id, perturbation, valid, grammatical)."""
    with path.open("w", newline="", encoding="utf-8") as handle:
        writer = csv.writer(handle)
        writer.writerow(review.COLUMNS)
        for number, (name, kind, valid, grammatical) in enumerate(answers, start=1):
            writer.writerow([number, name, kind, "source", "foil", valid, grammatical, ""])
    return path


class TestSummary:
    def test_shares_by_question_and_perturbation(self, tmp_path):
        sheet = filled(
            tmp_path / "a.csv",
            [
                ("1", "PolarityNegation", "yes", "Y"),
                ("2", "PolarityNegation", "yes", "no"),
                ("1", "RoleSwap", "0", "1"),
                ("2", "RoleSwap", "TRUE", ""),
            ],
        )
        summary = review.summarise([sheet]).sheets[0]
        good = {q: {g: (s.good, s.n) for g, s in shares.items()} for q, shares in summary.shares.items()}
        assert good == {
            "valid": {"all": (3, 4), "PolarityNegation": (2, 2), "RoleSwap": (1, 2)},
            "grammatical": {"all": (2, 3), "PolarityNegation": (1, 2), "RoleSwap": (1, 1)},
        }
        assert summary.unjudged == {"valid": 0, "grammatical": 1}
        text = review.as_text(review.summarise([sheet]))
        assert "not judged: 1 for grammatical" in text
        assert re.search(r"all +4 +75\.0% +30\.1%–95\.4% +66\.7%", text)

    @settings(deadline=None)
    @given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
    def test_intervals_are_wilsons(self, counts):
        good, n = counts
        share = review.wilson(good, n)
        expected = scipy_stats.binomtest(good, n).proportion_ci(0.95, method="wilson")
        assert (share.low, share.high) == pytest.approx((expected.low, expected.high), abs=1e-12)
        assert 0 <= share.low <= share.share <= share.high <= 1

    def test_the_papers_own_figure(self):
        # 98 % of 200 grammatical (ALEE-F200): the interval by the formula, to four digits.
        share = review.wilson(196, 200)
        assert (round(share.low, 4), round(share.high, 4)) == (0.9497, 0.9922)

    @settings(deadline=None)
    @given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60))
    def test_kappa_is_cohens(self, answers):
        found = review.cohen(answers)
        first, second = np.array(answers).T
        assert found.raw == pytest.approx((first == second).mean())
        if found.kappa is None:
            assert len(set(first) | set(second)) == 1
        else:
            assert found.kappa == pytest.approx(cohen_kappa_score(first, second))

    def test_two_annotators_on_the_pairs_both_have_judged(self, tmp_path):
        one = filled(tmp_path / "1.csv", [(str(i), "RoleSwap", "yes" if i < 5 else "no", "yes") for i in range(8)])
        two = filled(
            tmp_path / "2.csv", [(str(i), "RoleSwap", "yes" if i < 4 else "no", "yes" if i else "") for i in range(7)]
        )
        summary = review.summarise([one, two])
        # Valid, pairs 0-6: both yes 4, both no 2, differ 1; chance = (5·4 + 2·3) / 49.
        assert summary.agreement["valid"].n == 7
        assert summary.agreement["valid"].raw == pytest.approx(6 / 7)
        assert summary.agreement["valid"].kappa == pytest.approx((6 / 7 - 26 / 49) / (1 - 26 / 49))
        assert summary.agreement["grammatical"] == review.Agreement(6, 1.0, None)
        text = review.as_text(summary)
        assert "agreement on valid: 85.7% of 7 pairs, Cohen's kappa 0.696" in text
        assert "agreement on grammatical: 100.0% of 6 pairs, Cohen's kappa undefined" in text
        assert json.loads(review.as_json(summary))["agreement"]["valid"]["n"] == 7

    def test_sheets_of_different_samples(self, tmp_path):
        one = filled(tmp_path / "1.csv", [("1", "RoleSwap", "yes", "yes")])
        two = filled(tmp_path / "2.csv", [("2", "RoleSwap", "yes", "yes")])
        with pytest.raises(DataError, match="no judged pair in common"):
            review.summarise([one, two])
        with pytest.raises(DataError, match="the same sheet twice"):
            review.summarise([one, one])


class Page(HTMLParser):
    """What a browser would see: visible text, scripts, and anything that could reach the network."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.scripts, self.text, self.tags, self.links = [], [], [], []
        self._in: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.links += [value for name, value in attrs if name in ("src", "href", "action", "data", "srcset")]
        if tag == "script":
            self.scripts.append("")
        if tag not in ("meta", "input", "link"):
            self._in.append(tag)

    def handle_endtag(self, tag):
        while self._in and self._in.pop() != tag:
            pass

    def handle_data(self, data):
        if self._in and self._in[-1] == "script":
            self.scripts[-1] += data
        else:
            self.text.append(data)


class TestForm:
    def test_texts_are_escaped(self):
        page = Page(form(ODD, "alee <x>", "sheet.csv"))
        assert [tag for tag, _ in page.tags].count("script") == 2
        shown = "".join(page.text)
        for pair in ODD:
            assert pair.source in shown
            assert pair.foil in shown
        assert "alee <x>" in shown

    def test_it_needs_no_network_and_may_not_use_it(self):
        page = Page(form(ODD, "x", "sheet.csv"))
        assert page.links == []
        policy = next(
            attrs["content"] for tag, attrs in page.tags if attrs.get("http-equiv") == "Content-Security-Policy"
        )
        assert policy.startswith("default-src 'none'; ")
        assert "http" not in policy

    def test_every_pair_has_both_questions_and_a_comment(self):
        page = Page(form(ODD, "x", "sheet.csv"))
        asked = Counter(
            (a.get("name"), a.get("data-question"), a.get("value")) for tag, a in page.tags if tag == "input"
        )
        expected = {(f"{q}-{i}", q, v): 1 for i in (1, 2) for q in ("valid", "grammatical") for v in ("yes", "no")}
        assert asked == {**expected, (None, "comment", None): 2}

    @pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
    def test_what_it_saves_is_the_sheet_with_answers(self, tmp_path):
        page = Page(form(ODD, "x", "sheet.csv"))
        answers = [
            {"valid": "yes", "grammatical": "no", "comment": 'odd, "very"'},
            {"valid": "no", "grammatical": "yes", "comment": ""},
        ]
        script = f"{page.scripts[1]}\nprocess.stdout.write(toCsv({page.scripts[0]}, {json.dumps(answers)}));"
        (tmp_path / "form.js").write_text(script, encoding="utf-8")
        saved = subprocess.run(["node", str(tmp_path / "form.js")], capture_output=True, check=True).stdout
        (tmp_path / "saved.csv").write_bytes(saved)
        assert list(review.read_sheet(tmp_path / "saved.csv").values()) == [
            {"valid": True, "grammatical": False},
            {"valid": False, "grammatical": True},
        ]
        rows = list(csv.DictReader(io.StringIO(saved.decode(), newline="")))
        assert [(row["source"], row["foil"]) for row in rows] == [(pair.source, pair.foil) for pair in ODD]
        assert rows[0]["comment"] == 'odd, "very"'

    @pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
    def test_without_answers_it_saves_the_very_sheet(self, tmp_path):
        page = Page(form(ODD, "x", "sheet.csv"))
        (tmp_path / "form.js").write_text(
            f"{page.scripts[1]}\nprocess.stdout.write(toCsv({page.scripts[0]}, []));", encoding="utf-8"
        )
        saved = subprocess.run(["node", str(tmp_path / "form.js")], capture_output=True, check=True).stdout
        assert saved.decode() == review.sheet(ODD)
