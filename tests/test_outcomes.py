import numpy as np
import pytest

from alee_mteb.errors import ResultsError
from alee_mteb.outcomes import Outcomes, digest_ids


def test_packing_by_hand():
    # Ten rows, bits big-endian: 1000 0000 01xx xxxx is 0x80 0x40, in base64 "gEA=".
    valid = np.zeros((4, 10), dtype=bool)
    valid[:, [0, 9]] = True
    passed = np.zeros((4, 10), dtype=bool)
    passed[1, 0] = True
    packed = Outcomes("d", valid, passed).to_json()
    assert packed["rows"] == 10
    assert packed["valid"] == {"PN": "gEA=", "RS": "gEA=", "AR": "gEA=", "HS": "gEA="}
    assert packed["passed"] == {"PN": "AAA=", "RS": "gAA=", "AR": "AAA=", "HS": "AAA="}


def test_round_trip():
    rng = np.random.default_rng(0)
    valid = rng.random((4, 863)) < 0.6
    passed = valid & (rng.random((4, 863)) < 0.5)
    back = Outcomes.from_json(Outcomes("abc", valid, passed).to_json(), "here")
    assert back.ids_digest == "abc"
    assert (back.valid == valid).all()
    assert (back.passed == passed).all()


@pytest.mark.parametrize(
    "change",
    [
        {"rows": 11},
        {"rows": 10**9},
        {"rows": True},
        {"rows": -1},
        {"valid": {}},
        {"passed": {"PN": "gEA=", "RS": "gEA=", "AR": "gEA=", "HS": "!!"}},
        {"valid": {"PN": "AAA=", "RS": "AAA=", "AR": "AAA=", "HS": "AAA="}},
    ],
)
def test_false_outcomes_are_refused(change):
    bits = np.ones((4, 10), dtype=bool)
    value = {**Outcomes("d", bits, bits).to_json(), **change}
    if change == {"rows": 11}:
        value["rows"] = 17
    with pytest.raises(ResultsError, match=r"^file: deu: 'outcomes'"):
        Outcomes.from_json(value, "file: deu")


def test_digest_depends_on_order_and_boundaries():
    import hashlib

    assert digest_ids(["a", "b"]) == hashlib.sha256(b"a\nb\n").hexdigest()[:16]
    assert len({digest_ids(["a", "b"]), digest_ids(["b", "a"]), digest_ids(["ab"])}) == 3
