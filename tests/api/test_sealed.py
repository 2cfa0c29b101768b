"""What a frozen object hands out cannot be written to, and what it was given stays the giver's."""

import copy
import dataclasses
import pickle
from collections.abc import Mapping

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

import evenhand as eh

TRUE, PRED, OTHER = list("aabbccab"), ["a", "b", "b", "b", "c", None, "a", "b"], list("abbbcaab")
WEIGHTS = np.array([1.0, 2.0, 0.5, 1.0, 3.0, 1.0, 1.0, 2.0])
SHARES = np.array([[0.75, 0.25], [0.5, 0.5], [0.125, 0.875]])
FRAME = pl.DataFrame({"gold": TRUE, "system": PRED, "other": OTHER, "lang": [1, 2] * 4})
DENSE = eh.Confusion.from_labels(TRUE, PRED)
SAMPLE = eh.Sample.from_labels(TRUE, {"A": PRED, "B": OTHER})
MULTI = eh.MultiLabel.from_indicators([{"a"}, {"a", "b"}], [{"a"}, {"b"}])


def many_classes():
    true = np.arange(4000) % 2000
    return eh.Confusion.from_labels(true, (true * 7) % 2000)


MADE = {
    "labels": lambda: DENSE,
    "integers": lambda: eh.Confusion.from_labels(np.arange(9) % 3, np.arange(9) % 2),
    "weighted": lambda: eh.Confusion.from_labels(TRUE, PRED, weights=WEIGHTS),
    "sparse": many_classes,
    "sparse stack": lambda: eh.Confusion.stack([many_classes(), many_classes()]),
    "matrix": lambda: eh.Confusion.from_matrix(np.arange(9).reshape(3, 3), outside=[1, 2, 3]),
    "stack of matrices": lambda: eh.Confusion.from_matrix((np.arange(18) + 0.5).reshape(2, 3, 3)),
    "huge": lambda: eh.Confusion.from_matrix([[2**62, 1], [2, 2**62]]),
    "soft": lambda: eh.Confusion.from_probabilities(list("aba"), SHARES, labels="ab"),
    "frame": lambda: eh.Confusion.from_frame(FRAME, true="gold", pred="system"),
    "slices": lambda: eh.Confusion.from_frame(
        FRAME, true="gold", pred=["system", "other"], by="lang"
    ),
    "one of a stack": lambda: eh.Confusion.stack({"x": DENSE, "y": DENSE})["y"],
    "part of a stack": lambda: eh.Confusion.stack([DENSE, DENSE, DENSE])[1:],
    "sum": lambda: DENSE + DENSE.relabel({"a": "z"}),
    "selected": lambda: DENSE.select(["a", "b"]),
    "transposed": lambda: eh.Confusion.from_labels(TRUE, OTHER).transpose(),
    "calibrated": DENSE.calibrate,
    "pickled": lambda: pickle.loads(pickle.dumps(DENSE)),
    "copied": lambda: copy.deepcopy(many_classes()),
    "accumulated": lambda: _accumulated().table,
    "simulated": lambda: eh.simulate.tables(
        [0.5, 0.5], np.eye(2), items=10, draws=3, rng=np.random.default_rng(0)
    ),
    "margins": DENSE.counts,
    "margins of cells": lambda: eh.Counts.from_cells(np.eye(3)),
    "sample": lambda: SAMPLE,
    "weighted sample": lambda: eh.Sample.from_labels(
        TRUE, {"A": PRED}, weights=WEIGHTS, cluster=list("xxyyzzuu")
    ),
    "soft sample": lambda: eh.Sample.from_probabilities(
        list("aba"), {"A": SHARES}, labels="ab", weights=[1, 2, 3], cluster=[1, 1, 2]
    ),
    "pickled sample": lambda: pickle.loads(pickle.dumps(SAMPLE)),
    "multi-label": lambda: MULTI,
    "weighted multi-label": lambda: eh.MultiLabel.from_indicators(
        np.eye(3), np.ones((3, 3)), weights=[1, 2, 3]
    ),
    "pickled multi-label": lambda: pickle.loads(pickle.dumps(MULTI)),
    "its margins": MULTI.counts,
    "its items": MULTI.items,
    "scores": lambda: eh.score(DENSE, interval="bootstrap", replicates=20),
    "twins": lambda: eh.twins(DENSE),
    "comparison": lambda: eh.compare(TRUE, {"A": PRED, "B": OTHER}, replicates=20),
    "leaderboard": lambda: eh.rank(TRUE, {"A": PRED, "B": OTHER}, replicates=20),
    "audit": lambda: eh.audit(pl.DataFrame({"name": ["x"], "macro_f1": ["0.5"], "n": ["9"]})),
    "extrapolation": lambda: eh.shift.extrapolate(DENSE, to="uniform"),
    "sweep": lambda: eh.shift.sweep(eh.Confusion.from_labels(TRUE, OTHER), label="a"),
    "estimate": lambda: eh.shift.estimate_prevalence(
        eh.Confusion.from_labels(TRUE, OTHER), predicted=list("aabbc"), replicates=20
    ),
    "properties": lambda: eh.properties.check("kappa"),
}


def _accumulated():
    counter = eh.Accumulator()
    counter.update(TRUE, PRED)
    counter.update(TRUE, OTHER)
    return counter


def arrays(found, path="", seen=None):
    """Every array that can be reached from an object, with the way to it."""
    seen = set() if seen is None else seen
    if id(found) in seen or found is None or isinstance(found, str | int | float | np.generic):
        return
    seen.add(id(found))
    keep.append(found)
    if isinstance(found, np.ndarray):
        yield path, found
        yield from arrays(found.base, f"{path}.base", seen)
    elif sparse.issparse(found):
        for name in ("data", "indices", "indptr"):
            yield from arrays(getattr(found, name), f"{path}.{name}", seen)
    elif isinstance(found, Mapping):
        for key, value in found.items():
            yield from arrays(value, f"{path}[{key!r}]", seen)
    elif isinstance(found, list | tuple | set | frozenset):
        for i, value in enumerate(found):
            yield from arrays(value, f"{path}[{i}]", seen)
    elif type(found).__module__.startswith("evenhand"):
        named = set(getattr(found, "__dict__", {}))
        named |= {
            n for n in dir(type(found)) if isinstance(getattr(type(found), n, None), property)
        }
        if dataclasses.is_dataclass(found):
            named |= {f.name for f in dataclasses.fields(found)}
        for name in sorted(named - {"all_classes"}):  # margins that have such margins again
            yield from arrays(getattr(found, name), f"{path}.{name}", seen)


keep: list[object] = []
"""What was walked, so that no address is used twice."""


@pytest.mark.parametrize("name", MADE)
def test_no_array_can_be_written(name):
    made = MADE[name]()
    if isinstance(made, eh.Confusion) and not made.shape:
        made = (made, made.nonzero(), made.counts())
    assert [path for path, array in arrays(made) if array.flags.writeable] == []
    keep.clear()


def test_the_reported_fault():
    table = eh.Confusion.from_matrix([[6, 1], [1, 5]])
    before = eh.macro_f1(table)
    with pytest.raises(ValueError, match="read-only"):
        table.prevalence[...] = 100
    assert eh.macro_f1(table) == before


def test_indicators_cannot_be_written():
    multi = eh.MultiLabel.from_indicators([{"a"}, {"a", "b"}], [{"a"}, {"b"}])
    with pytest.raises(ValueError, match="read-only"):
        multi.true[0, 0] = False


def csr(values):
    return sparse.csr_array(np.asarray(values))


def repeated(values):
    """Indicators with an entry written as two halves and an explicit zero."""
    return sparse.csr_array(([0.5, 0.5, 0.0, 1.0], [0, 0, 1, 1], [0, 3, 4]), shape=(2, 2))


CELLS, ITEMS, BITS = [[6, 1], [1, 5]], [0, 1, 1], [[1, 0], [1, 1]]
GIVEN = {
    "matrix": (CELLS, np.array, eh.Confusion.from_matrix),
    "float matrix": (CELLS, lambda x: np.array(x) + 0.5, eh.Confusion.from_matrix),
    "stack": ([CELLS, CELLS], np.array, eh.Confusion.from_matrix),
    "turned": (CELLS, np.array, lambda x: eh.Confusion.from_matrix(x, rows="pred")),
    "frame": (CELLS, pd.DataFrame, eh.Confusion.from_matrix),
    "outside": ([1, 2], np.array, lambda x: eh.Confusion.from_matrix(CELLS, outside=x)),
    "truth": (ITEMS, np.array, lambda x: eh.Confusion.from_labels(x, [0, 0, 1])),
    "predictions": (ITEMS, np.array, lambda x: eh.Confusion.from_labels([0, 0, 1], x)),
    "bytes": (ITEMS, lambda x: np.array(x, np.uint8), lambda x: eh.Confusion.from_labels(x, x)),
    "floats": (ITEMS, lambda x: np.array(x, float), lambda x: eh.Confusion.from_labels(x, x)),
    "weights": (
        ITEMS,
        lambda x: np.array(x, float),
        lambda x: eh.Confusion.from_labels(list("aab"), list("abb"), weights=x),
    ),
    "probabilities": (
        [[0.25, 0.75], [1, 0]],
        np.array,
        lambda x: eh.Confusion.from_probabilities(list("ab"), x, labels="ab"),
    ),
    "soft sample": (
        [[0.25, 0.75], [1, 0]],
        np.array,
        lambda x: eh.Sample.from_probabilities(list("ab"), {"A": x}, labels="ab"),
    ),
    "soft weights": (
        [1, 2],
        lambda x: np.array(x, float),
        lambda x: eh.Sample.from_probabilities(
            list("ab"), {"A": np.eye(2)}, labels="ab", weights=x
        ),
    ),
    "sample": (ITEMS, np.array, lambda x: eh.Sample.from_labels(x, {"A": x})),
    "sample weights": (
        ITEMS,
        lambda x: np.array(x, float),
        lambda x: eh.Sample.from_labels([0, 1, 2], {"A": [0, 1, 2]}, weights=x),
    ),
    "counts": (
        [3, 1, 2],
        np.array,
        lambda x: eh.Sample.from_labels([0, 1, 2], {"A": [0, 1, 2]}, counts=x),
    ),
    "clusters": (
        ITEMS,
        np.array,
        lambda x: eh.Sample.from_labels([0, 1, 2], {"A": [0, 1, 2]}, cluster=x),
    ),
    "indicators": (BITS, np.array, lambda x: eh.MultiLabel.from_indicators(x, x)),
    "boolean indicators": (
        BITS,
        lambda x: np.array(x, bool),
        lambda x: eh.MultiLabel.from_indicators(x, x),
    ),
    "sparse indicators": (BITS, csr, lambda x: eh.MultiLabel.from_indicators(x, x)),
    "sparse booleans": (
        BITS,
        lambda x: csr(np.array(x, bool)),
        lambda x: eh.MultiLabel.from_indicators(x, x),
    ),
    "sparse halves": (BITS, repeated, lambda x: eh.MultiLabel.from_indicators(x, x)),
    "a table of its own": (BITS, csr, lambda x: eh.MultiLabel((0, 1), x, x)),
    "label weights": (
        [1, 2],
        lambda x: np.array(x, float),
        lambda x: eh.MultiLabel.from_indicators(BITS, BITS, weights=x),
    ),
    "margins": (CELLS, np.array, eh.Counts.from_cells),
}


def held(made):
    """The numbers of everything that an object holds."""
    list(arrays(made))  # what it keeps once asked is there from now on
    found = {path: array.tolist() for path, array in arrays(made)}
    keep.clear()
    return found


def parts(given):
    """The arrays of what a caller gives."""
    if sparse.issparse(given):
        return [given.data, given.indices, given.indptr]
    return [given.to_numpy() if isinstance(given, pd.DataFrame) else given]


@pytest.mark.parametrize("name", GIVEN)
def test_a_caller_s_array_stays_the_caller_s(name):
    values, made, door = GIVEN[name]
    given = made(values)
    before = [part.copy() for part in parts(given)]
    table = door(given)
    known = held(table)
    assert all(np.array_equal(a, b) for a, b in zip(before, parts(given), strict=True))
    if isinstance(given, pd.DataFrame):
        given.iloc[:, :] = 0
    else:
        for part in parts(given):
            part[...] = 0
    assert held(table) == known
