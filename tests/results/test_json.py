"""JSON that any reader understands."""

import datetime
import enum
import json
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.results.result import dumps, encodable

NAN, INF = float("nan"), float("inf")


class Level(enum.IntEnum):
    HIGH = 3


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (NAN, None),
        (INF, "inf"),
        (-INF, "-inf"),
        (np.float64(NAN), None),
        (np.array([1.0, NAN, INF]), [1.0, None, "inf"]),
        (np.int64(3), 3),
        ((1, (2, None)), [1, [2, None]]),
        ({1: NAN}, {"1": None}),
        (True, True),
        (2**70, 2**70),
        (datetime.date(2020, 1, 2), "2020-01-02"),
    ],
)
def test_plain_types(value, plain):
    assert encodable(value) == plain
    assert json.loads(dumps(value)) == plain


def test_never_nan():
    assert "NaN" not in dumps({"a": [NAN], "b": {"c": NAN}})
    assert encodable({"a": NAN}) == {"a": None}


def test_text_stays_readable():
    assert dumps("日本 🎉 ß") == '"日本 🎉 ß"'


def test_full_precision():
    assert json.loads(dumps([0.1 + 0.2, 5e-324, 1 / 3])) == [0.1 + 0.2, 5e-324, 1 / 3]


PARTS = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from(
        [Level.HIGH, np.float64(0.1), np.float64("nan"), np.int64(3), np.bool_(True)]
    ),
    lambda x: st.lists(x) | st.lists(x).map(tuple) | st.dictionaries(st.text(), x),
)


@given(PARTS)
def test_it_says_what_the_standard_library_would(value):
    plain = json.dumps(encodable(value), ensure_ascii=False, indent=2, allow_nan=False)
    assert json.loads(dumps(value)) == json.loads(plain)
    unsafe = "[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
    assert not re.search(unsafe, dumps(value))


def test_it_is_set_in_by_two():
    value = {"a": [1, {"b": None}], "c": {}, "d": 10**30}
    assert dumps(value) == json.dumps(value, indent=2)
    assert dumps({"a": [0.5]}) == json.dumps({"a": [0.5]}, indent=2)
