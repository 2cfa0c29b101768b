"""What comes in is taken as it is meant, or refused in one line: masks, sets, types, names."""

import enum
import json
import re
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest

import evenhand as eh
from evenhand import Confusion, InputError, MultiLabel, Sample

CELLS, AB = [[6, 1], [1, 5]], list("ab")
FRAME = pl.DataFrame({"g": list("aab"), "p": list("abb"), "w": [1, 2, 3]})
BITS = np.array([[1, 0], [0, 1]])
HALVES = np.full((2, 2), 0.5)


def hidden(values):
    """An array of which one number is masked."""
    mask = np.zeros(np.shape(values), bool)
    mask.flat[1] = True
    return np.ma.array(values, mask=mask)


def refused(message, call, *given, **options):
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        call(*given, **options)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("what", "call"),
    [
        ("matrix", lambda: Confusion.from_matrix(hidden(CELLS))),
        ("matrix", lambda: Confusion.from_matrix([hidden(CELLS)[0], [1, 5]])),
        ("matrix", lambda: Confusion.from_matrix([[hidden(CELLS)[0], [1, 5]]] * 2)),
        ("matrix", lambda: eh.macro_f1(hidden(CELLS))),
        ("matrix", lambda: eh.score(hidden(CELLS))),
        ("matrix", lambda: eh.twins(hidden(CELLS))),
        ("outside", lambda: Confusion.from_matrix(CELLS, outside=hidden([1, 2]))),
        ("probabilities", lambda: Confusion.from_probabilities(AB, hidden(HALVES), labels=AB)),
        (
            "probabilities of 'A'",
            lambda: Sample.from_probabilities(AB, {"A": hidden(HALVES)}, labels=AB),
        ),
        ("y_true", lambda: MultiLabel.from_indicators(hidden(BITS), BITS)),
        ("y_pred", lambda: MultiLabel.from_indicators(BITS, hidden(BITS))),
        ("counts", lambda: Sample.from_labels(AB, {"A": AB}, counts=hidden([1, 2]))),
        (
            "probabilities",
            lambda: eh.shift.estimate_prevalence(
                Confusion.from_matrix(CELLS), predicted=hidden(HALVES)
            ),
        ),
    ],
)
def test_a_mask_hides_no_number(what, call):
    refused(f"{what} must hold a number everywhere, got some that a mask hides", call)


def test_other_masks():
    one_an_item = "weights must hold a number everywhere"
    refused(one_an_item, Confusion.from_labels, AB, AB, weights=hidden([1, 2]))
    refused("factors must be 2 finite numbers", Confusion.from_matrix(CELLS).scale, hidden([1, 2]))
    found = Confusion.from_labels(AB, hidden(AB))
    assert (found.outside.tolist(), int(found.missing)) == ([0, 1], 1)
    assert Confusion.from_matrix(np.ma.array(CELLS)).cells.tolist() == CELLS


@pytest.mark.parametrize(
    ("asked", "column"),
    [({"weights": ""}, "''"), ({"by": ""}, "''"), ({"by": ["w", ""]}, "''"), ({"pred": ""}, "''")],
)
def test_no_name_is_no_column(asked, column):
    message = f"the frame has columns 'g', 'p', 'w', expected {column} too"
    refused(message, Confusion.from_frame, FRAME, **{"true": "g", "pred": "p", **asked})


def test_a_column_without_a_name_counts_like_any_other():
    frame = FRAME.rename({"w": ""})
    assert Confusion.from_frame(frame, true="g", pred="p", weights="").total == 6
    assert Confusion.from_frame(frame, true="g", pred="p", by="").keys == ((1, 2, 3),)


TABLE = Confusion.from_matrix(CELLS, labels=AB)
MIXED = {"A": AB, "B": AB}


@pytest.mark.parametrize("kind", [set, frozenset, dict.fromkeys])
@pytest.mark.parametrize(
    ("what", "call"),
    [
        ("labels", lambda x: Confusion.from_labels(AB, AB, labels=x)),
        ("labels", lambda x: Confusion.from_matrix(CELLS, labels=x)),
        ("labels", lambda x: Confusion.from_frame(FRAME, true="g", pred="p", labels=x)),
        ("labels", lambda x: Confusion.from_probabilities(AB, HALVES, labels=x)),
        ("labels", lambda x: MultiLabel.from_indicators(BITS, BITS, labels=x)),
        ("labels", lambda x: MultiLabel.from_indicators([{"a"}], [{"b"}], labels=x)),
        ("labels", lambda x: Sample.from_labels(AB, MIXED, labels=x)),
        ("labels", lambda x: eh.Accumulator(labels=x)),
        ("classes", lambda x: TABLE.select(x)),
        ("by", lambda x: Confusion.from_frame(FRAME, true="g", pred="p", by=x)),
        ("pred", lambda x: Confusion.from_frame(FRAME, true="g", pred=x)),
    ],
)
def test_what_has_no_order_names_nothing_in_order(what, call, kind):
    given = kind(["a", "b"])
    refused(f"{what} must be in order, got a {type(given).__name__}: give a list", call, given)


def test_keys_of_a_stack_are_in_order():
    refused("keys must be in order, got a set", Confusion.stack, [TABLE, TABLE], {"x", "y"})
    assert Confusion.stack({"x": TABLE, "y": TABLE}).keys == (("x", "y"),)


def test_what_has_an_order_is_taken():
    for given in (dict.fromkeys(AB).keys(), (v for v in AB), np.array(AB), pl.Series(AB), "ab"):
        assert Confusion.from_matrix(CELLS, labels=given).labels == ("a", "b")
    assert TABLE.select(v for v in "ba").labels == ("b", "a")
    assert eh.macro_f1(TABLE, classes={"a"}) == eh.f1(TABLE, label="a")


def test_longer_floats_without_more_digits():
    given = np.array([1, 2.5, np.nan], np.longdouble)
    table = Confusion.from_labels([1.0, 2.5, 1.0], given)
    assert (table.labels, table.missing) == ((1.0, 2.5), 1)
    assert [type(v) for v in table.labels] == [float, float]


class Number(enum.IntEnum):
    ONE = 1
    TWO = 2


class Word(enum.StrEnum):
    A = "a"
    B = "b"


def test_an_enum_is_what_it_stands_for():
    for given in ([Number.ONE, Number.TWO], np.array([*Number], object), pd.Series([*Number])):
        table = Confusion.from_labels(given, [1, 1])
        assert [(type(v), v) for v in table.labels] == [(int, 1), (int, 2)]
    named = Confusion.from_matrix(CELLS, labels=Number)
    assert [(type(v), v) for v in named.labels] == [(int, 1), (int, 2)]
    assert named.select([Number.TWO]).labels == (2,)
    assert eh.macro_f1(named, classes=[Number.ONE]) == eh.macro_f1(named, classes=[1])
    assert named.relabel({Number.ONE: 5}).labels == (5, 2)
    assert Confusion.from_labels([*Word], AB).labels == ("a", "b")
    frame = pd.DataFrame({"g": pd.Series([*Number, None], dtype=object), "p": [1, 2, 2]})
    counted = Confusion.from_frame(frame, true="g", pred="p", drop_null_truth=True)
    assert [(type(v), v) for v in counted.labels] == [(int, 1), (int, 2)]


BIG = 2**53
NULLED = {
    "integers": ([1, 2, None], (1, 2)),
    "large ones": ([BIG, BIG + 1, None], (BIG, BIG + 1)),
    "huge ones": ([2**70, 1, None], (1, 2**70)),
    "pandas' null": ([1, 2, pd.NA], (1, 2)),
    "not a number": ([1, 2, float("nan")], (1, 2)),
    "numpy's": ([np.int8(1), np.int64(2), None], (1, 2)),
    "booleans": ([True, False, None], (False, True)),
    "floats": ([1.5, 2.0, None], (1.5, 2.0)),
    "texts": (["a", "b", None], ("a", "b")),
}


@pytest.mark.parametrize("name", NULLED)
def test_objects_beside_nulls_in_a_frame_as_in_a_column(name):
    values, labels = NULLED[name]
    column = pd.Series(values, dtype=object)
    full = pd.Series([values[0], values[1], values[1]], dtype=object)
    frame = pd.DataFrame({"g": full, "p": column, "q": column})
    table = Confusion.from_labels(full, column)
    assert [(type(v), v) for v in table.labels] == [(type(v), v) for v in labels]
    counted = [
        Confusion.from_frame(frame, true="g", pred="p"),
        Confusion.from_frame(frame, true="g", pred=["p", "q"])[1],
        Confusion.from_frame(frame, true="p", pred="g", drop_null_truth=True).transpose()
        + Confusion.from_labels(full[2:], column[2:], labels=labels),
    ]
    for found in counted:
        assert [(type(v), v) for v in found.labels] == [(type(v), v) for v in labels]
        assert found.cells.tolist() == table.cells.tolist()
        assert found.outside.tolist() == table.outside.tolist()
    keys = Confusion.from_frame(frame, true="g", pred="g", by="p").keys[0]
    assert [(type(v), v) for v in keys] == [(type(v), v) for v in (*labels, None)]


@pytest.mark.parametrize(
    "call",
    [
        lambda: eh.score(CELLS, classes=1),
        lambda: eh.macro_f1(CELLS, classes=1),
        lambda: eh.twins(CELLS, classes=1),
        lambda: eh.rank(AB, MIXED, classes=1),
        lambda: eh.compare(AB, MIXED, classes=1),
        lambda: eh.macro_f1(MultiLabel.from_indicators([{"a"}], [{"a"}]), classes=1),
        lambda: eh.shift.extrapolate(CELLS, to="uniform", classes=1),
        lambda: eh.shift.estimate_prevalence(TABLE, predicted=AB, classes=1),
        lambda: eh.shift.sweep(TABLE, label="a", classes=1),
    ],
)
def test_one_number_is_no_list_of_classes(call):
    refused("classes must be a list of labels, got 1", call)


def test_numbers_of_classes():
    for given in (1, ["x"], [7], []):
        message = "sizes must be a list of numbers from 2 to 6"
        refused(message, partial(eh.properties.check, "mcc", sizes=given))
        refused(message, partial(eh.properties.table, metrics=["mcc"], sizes=given))


OBJECTS = pl.Series([1, "a"], dtype=pl.Object)


def test_objects_of_polars():
    refused("y_true must be of one type, got int and str", Confusion.from_labels, OBJECTS, AB)
    texts = pl.Series(AB, dtype=pl.Object)
    assert Confusion.from_labels(texts, AB).cells.tolist() == [[1, 0], [0, 1]]
    frame = pl.DataFrame({"x": OBJECTS, "g": AB})
    for asked in (
        {"true": "x", "pred": "g"},
        {"true": "g", "pred": "x"},
        {"true": "g", "pred": ["g", "x"]},
        {"true": "g", "pred": "g", "by": "x"},
    ):
        message = "column 'x' must be text, integers, booleans or floats, got Object"
        refused(message, Confusion.from_frame, frame, **asked)


@pytest.mark.parametrize("text", ["x", "NaN", "sNaN", "Infinity", "1e999999999999999999999999"])
def test_a_saved_key_that_is_no_decimal(tmp_path, text):
    path = tmp_path / "t.json"
    TABLE.save(path)
    record = json.loads(path.read_text()) | {"keys": [[{"decimal": text}]]}
    path.write_text(json.dumps(record))
    message = f"{path} is a damaged saved table: expected a decimal number, got '{text}'"
    refused(message, Confusion.load, path)


@pytest.mark.torch
def test_tensors_with_a_gradient():
    import torch

    cells = torch.tensor(CELLS, dtype=torch.float64, requires_grad=True)
    for given in (cells, cells.bfloat16(), list(cells), cells.unsqueeze(0)):
        assert Confusion.from_matrix(given).cells.reshape(2, 2).tolist() == CELLS
    assert Confusion.from_matrix(CELLS, outside=cells[0]).outside.tolist() == [6, 1]
    halves = torch.full((2, 2), 0.5, requires_grad=True)
    assert Confusion.from_probabilities(AB, halves, labels=AB).total == 2
    bits = torch.tensor(BITS, dtype=torch.float32, requires_grad=True)
    assert MultiLabel.from_indicators(bits, bits).correct.tolist() == [1, 1]
    assert eh.macro_f1(cells).requires_grad


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: eh.f1(np.array("a"), ["a"]), "y_true"),
        (lambda: eh.f1(["a"], np.array(1.0)), "y_pred"),
        (lambda: eh.score(AB, AB, metrics=np.array("nothing")), "named by text, got ndarray"),
        (
            lambda: eh.thresholds([1, 0], [0.2, 0.8], label=1, at=np.array(0.5)),
            "numbers from 0 to 1",
        ),
        (lambda: eh.compare(AB, AB, AB, baseline=np.array([True, False])), "baseline must"),
        (lambda: eh.gate(AB, AB, AB, margin=0.1, slice_margins=np.array([0.1, 0.2])), "map slices"),
        (lambda: eh.gate(AB, AB, AB, margin=0.1, slice_margins=pl.Series([])), "map slices"),
    ],
)
def test_arrays_where_they_do_not_belong_are_refused_in_one_line(call, said):
    with pytest.raises(eh.EvenhandError, match=said) as caught:
        call()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("times", [1, 20])
def test_a_plan_is_not_made_from_a_difference_that_never_varies(times):
    true, wrong = [1, 2, 3] * times, [3, 1, 2] * times
    refused("do not say how macro_f1 varies", eh.plan, true, wrong, true, width=0.1)
