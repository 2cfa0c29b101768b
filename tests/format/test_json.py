"""JSON that any reader understands."""

import datetime
import json

import numpy as np
import pytest

from evenhand.format.json import dumps, encodable, record

NAN, INF = float("nan"), float("inf")


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
    assert record({"a": NAN}) == {"a": None}


def test_text_stays_readable():
    assert dumps("日本 🎉 ß") == '"日本 🎉 ß"'


def test_full_precision():
    assert json.loads(dumps([0.1 + 0.2, 5e-324, 1 / 3])) == [0.1 + 0.2, 5e-324, 1 / 3]
