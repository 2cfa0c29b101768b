"""Columns of lists in a frame of any library are label sets, as lists of sets are."""

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


def test_lists_beside_labels_are_refused():
    with pytest.raises(eh.InputError, match="must be text, integers, booleans or floats"):
        eh.score(pl.DataFrame(FRAME), true="gold", pred="place")
