"""Sample: several systems on the same items, against one table each."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import evenhand as eh
from evenhand.catalogue.binding import evaluate
from evenhand.catalogue.signature import digest
from evenhand.catalogue.spelling import Spec
from tests.laws.strategies import COUNTS

LABELS = list("abc")


@st.composite
def runs(draw, nulls=True):
    """Truth, three systems' predictions, weights (or none), clusters (or none)."""
    n = draw(st.integers(1, 25))

    def column(values):
        return draw(st.lists(st.sampled_from(values), min_size=n, max_size=n))

    true = column(LABELS)
    guesses = {name: column([*LABELS, *([None] if nulls else [])]) for name in ("A", "B", "C")}
    weights = draw(st.one_of(st.none(), st.just([]))) is not None and [
        draw(st.floats(0.125, 4, width=16)) for _ in range(n)
    ]
    clusters = draw(st.booleans()) and column([1, 2, 3])
    return true, guesses, weights or None, clusters or None


@given(run=runs())
def test_tables_are_the_systems_own(run):
    true, guesses, weights, clusters = run
    sample = eh.Sample.from_labels(true, guesses, weights=weights, cluster=clusters, labels=LABELS)
    stack = sample.tables()
    assert stack.keys == (("A", "B", "C"),)
    for name, guess in guesses.items():
        own = eh.Confusion.from_labels(true, guess, labels=LABELS, weights=weights)
        for table in (stack[name], sample.table(name)):
            assert table.labels == own.labels
            assert np.allclose(table.cells, own.cells)
            assert np.allclose(table.outside, own.outside)
            assert np.allclose(table.squares, own.squares)
            assert int(table.n) == int(own.n)
            assert int(table.missing) == int(own.missing)
            assert int(table.dropped) == int(own.dropped) == 0
        if weights is None:
            assert digest(stack[name]) == digest(own)
            assert stack[name].cells.dtype.kind == "i"


@given(run=runs())
def test_rows_are_distinct_and_hold_everything(run):
    true, guesses, weights, clusters = run
    sample = eh.Sample.from_labels(true, guesses, weights=weights, cluster=clusters, labels=LABELS)
    place = {**{v: i for i, v in enumerate(LABELS)}, None: -1}
    expected = Counter(
        (
            clusters and clusters[i],
            (place[true[i]], *(place[guess[i]] for guess in guesses.values())),
            weights[i] if weights else 1,
        )
        for i in range(len(true))
    )
    codes = sample.cluster.tolist() if clusters else [None] * len(sample.true)
    each = (sample.squares / sample.weight).tolist()  # what one item of the row weighs
    truth, guess = sample.true.tolist(), sample.pred.tolist()
    rows = [(t, *p) for t, p in zip(truth, guess, strict=True)]
    times = (sample.weight / each).tolist()
    found = Counter(dict(zip(zip(codes, rows, each, strict=True), times, strict=True)))
    assert len(found) == len(rows)

    def held(counter):
        """What each cluster holds, however the clusters are numbered."""
        inside = {}
        for (cluster, *row), n in counter.items():
            inside.setdefault(cluster, []).append((*row, n))
        return sorted(map(sorted, inside.values()))

    assert held(found) == held(expected)
    assert sample.n == len(true)


@given(run=runs(nulls=False))
def test_metrics_of_the_stack(run):
    true, guesses, weights, _ = run
    stack = eh.Sample.from_labels(true, guesses, weights=weights, labels=LABELS).tables()
    own = [
        eh.Confusion.from_labels(true, guess, labels=LABELS, weights=weights)
        for guess in guesses.values()
    ]
    for text in COUNTS:
        if weights is not None and Spec.parse(text).metric.size == "matters":
            continue  # weights do not tell how many items there are
        expected = [float(evaluate(text, table)) for table in own]
        assert np.allclose(evaluate(text, stack), expected, rtol=0, atol=1e-12), text


def test_dropped_rows_are_counted_once():
    true = ["a", None, "b", "b"]
    guesses = {"A": list("abbb"), "B": ["a", "a", None, "b"]}
    sample = eh.Sample.from_labels(true, guesses, drop_null_truth=True)
    stack = sample.tables()
    assert sample.dropped == int(sample.table("A").dropped) == int(stack["A"].dropped) == 1
    assert stack.missing.tolist() == [0, 1]
    assert stack.n.tolist() == [3, 3]
    assert eh.score(stack["B"]).dropped == 1


def test_unknown_system():
    sample = eh.Sample.from_labels(list("ab"), {"A": list("ab")})
    with pytest.raises(eh.InputError, match="system must be one of 'A', got 'B'"):
        sample.table("B")
