"""Columns of lists in a frame of any library are label sets, as lists of sets are."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import evenhand as eh

GOLD = [["a"], ["b", "c"], [], ["a"]]
SYSTEM = [["a", "b"], ["b"], ["c"], ["a"]]
PLACE = ["x", "y", "x", "y"]
FRAME = {"gold": GOLD, "system": SYSTEM, "place": PLACE, "w": [1.0, 2.0, 1.0, 0.5]}


@pytest.mark.parametrize("make", [pl.DataFrame, pl.LazyFrame, pd.DataFrame])
def test_frames(make):
    frame = make(FRAME)
    found = eh.score(frame, true="gold", pred="system", by="place", weights="w", cluster="place")
    expected = eh.score(GOLD, SYSTEM, by=PLACE, weights=FRAME["w"], cluster=PLACE)
    assert found == expected
    assert [s.key for s in found.slices] == ["x", "y"]
    assert eh.macro_f1(frame, true="gold", pred="system") == eh.macro_f1(GOLD, SYSTEM)


@pytest.mark.parametrize("make", [pl.Series, pd.Series])
def test_columns(make):
    assert eh.score(make(GOLD), make(SYSTEM)) == eh.score(GOLD, SYSTEM)


def test_arrays_in_a_frame_of_pandas():
    frame = pl.DataFrame(FRAME).to_pandas()
    assert {type(row) for row in frame["gold"]} == {np.ndarray}
    assert eh.score(frame, true="gold", pred="system") == eh.score(GOLD, SYSTEM)
    assert eh.score(frame["gold"], frame["system"]) == eh.score(GOLD, SYSTEM)
    twice = pd.Series([np.array(["a", "a"]), np.array(["b"])])
    with pytest.raises(eh.InputError, match="y_true must be a list of label sets, got a label"):
        eh.score(twice, twice)


def test_arrays_of_indicators_are_no_label_sets():
    rows = [[True, False], [True, True]]
    expected = eh.score(rows, rows[::-1])
    for kind in (bool, int, float):
        true = [np.array(row, kind) for row in rows]
        assert eh.score(true, true[::-1]) == expected


def test_lists_beside_labels_are_refused():
    with pytest.raises(eh.InputError, match="must be text, integers, booleans or floats"):
        eh.score(pl.DataFrame(FRAME), true="gold", pred="place")
