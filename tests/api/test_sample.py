"""Samples of several systems: what must fit, what is kept."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest

import evenhand as eh
from evenhand import InputError, Sample

make = Sample.from_labels


@pytest.mark.parametrize(
    ("predictions", "message"),
    [
        ({}, "predictions must map at least one system's name to its labels"),
        ({"A": [1]}, "y_true and predictions of 'A' must have the same length, got 2 and 1"),
        ({"A": [1, "b"]}, "predictions of 'A' must be of one type, got int and str"),
        (
            {"A": [1, 2], "B": ["1", "2"]},
            "y_true and predictions of 'B' must have labels of one type",
        ),
        ([[1, 2]], "predictions must map "),
        ({1: [1, 2], "1": [2, 1]}, "'1'"),
    ],
)
def test_refused(predictions, message):
    with pytest.raises(InputError, match=re.escape(message)):
        make([1, 2], predictions)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cluster": [1]}, "cluster must have 2 entries, one per item, got 1"),
        ({"cluster": [1, None]}, "cluster must not be null, got a null at item 1"),
        ({"labels": [1]}, "y_true must hold only the given labels 1, got 2"),
        ({"labels": [1, 1]}, "labels must be distinct, got 1 more than once"),
    ],
)
def test_options_refused(options, message):
    with pytest.raises(InputError, match=re.escape(message)):
        make([1, 2], {"A": [1, 2]}, **options)


def test_a_null_truth():
    with pytest.raises(InputError, match=r"^y_true must not be null, got 1 null.* at item 1"):
        make([1, None], {"A": [1, 2]})
    sample = make([1, None], {"A": [1, 2]}, drop_null_truth=True)
    assert (sample.n, sample.dropped) == (1, 1)


def test_an_unknown_system():
    with pytest.raises(InputError, match=r"^system must be one of 'A', got 'B'$"):
        make([1], {"A": [1]}).table("B")


def test_items_that_look_alike_are_one_row():
    sample = make(list("aaab"), {"A": list("aaab"), "B": list("bbab")})
    rows = zip(sample.true, map(tuple, sample.pred), sample.weight, strict=True)
    assert sorted(rows) == [(0, (0, 0), 1), (0, (0, 1), 2), (1, (1, 1), 1)]
    assert sample.squares.tolist() == sample.weight.tolist()


def test_clusters_keep_rows_apart():
    sample = make(list("aaa"), {"A": list("aaa")}, cluster=["x", "x", "y"])
    assert sorted(sample.weight.tolist()) == [1, 2]
    assert len(set(sample.cluster.tolist())) == 2


def test_weights_keep_their_squares():
    sample = make(["a", "a"], {"A": ["a", "a"]}, weights=[1, 3])
    assert sorted(sample.weight.tolist()) == [1, 3]  # apart: a resampled item keeps its weight
    assert (sample.tables().total.tolist(), sample.tables().squares.ravel().tolist()) == (
        [4],
        [10, 0],
    )


def test_tables_are_those_of_each_system_alone():
    true, a, b = list("aabbc"), ["a", "b", "b", None, "c"], list("abcab")
    stack = make(true, {"A": a, "B": b}).tables()
    assert stack.keys == (("A", "B"),)
    assert stack["A"].missing == 1
    assert stack["A"].outside.tolist() == [0, 1, 0]
    assert stack["B"].cells.tolist() == [[1, 1, 0], [1, 0, 1], [0, 1, 0]]
    assert make(true, {"A": a, "B": b}).table("B").cells.tolist() == stack["B"].cells.tolist()


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_the_columns_of_a_frame_are_systems(frame):
    sample = make(np.array(["a", "b"]), frame({"A": ["a", "b"], "B": ["b", "b"]}))
    assert sample.systems == ("A", "B")


def test_copies_are_found_and_told():
    """d has the hits of a, but not its answers."""
    true = list("aabbcc")
    a, b, d = list("aabbab"), list("aabbac"), list("aabbba")
    sample = Sample.from_labels(true, {"a": a, "b": b, "c": a, "d": d, "e": b, "f": a})
    assert sample.copies() == (("a", "c", "f"), ("b", "e"))
    for found in (eh.rank(sample), eh.compare(sample, metrics=["accuracy"])):
        told = [note.systems for note in found.cautions if note.code == "copies"]
        assert told == [("a", "c", "f"), ("b", "e")]
    apart = eh.rank(true, {"a": a, "d": d})
    assert not [note for note in apart.cautions if note.code == "copies"]
    assert sample.tables().copies() == ()
    shares = np.eye(3)[["abc".index(x) for x in true]]
    soft = Sample.from_probabilities(true, {"x": shares, "y": shares}, labels="abc")
    assert soft.copies() == (("x", "y"),)
