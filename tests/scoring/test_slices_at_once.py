"""Slices are scored together, and each as if it were alone."""

import numpy as np
import polars as pl
import pytest

import evenhand as eh
from evenhand.core.kernel import TableViews
from evenhand.scoring.macro_f1_gap import twins

RANDOM = np.random.default_rng(3)


def stack(slices, k=9, items=20, weights=False):
    n = slices * items
    true = RANDOM.integers(0, k, n)
    pred = np.where(RANDOM.random(n) < 0.7, true, RANDOM.integers(0, k, n)).tolist()
    pred[::17] = [None] * len(pred[::17])
    data = {"t": true, "p": pred, "s": np.arange(n) % slices, "w": RANDOM.integers(1, 9, n) / 4}
    frame = pl.DataFrame(data)
    asked = {"weights": "w"} if weights else {}
    return eh.Confusion.from_frame(frame, true="t", pred="p", by="s", **asked)


OPTIONS = [
    {},
    {"classes": "true"},
    {"classes": [0, 3]},
    {"undefined": 1},
    {"undefined": "nan"},
    {"interval": None},
    {"interval": "delta", "transform": "range"},
    {"interval": "bootstrap", "replicates": 30},
    {"metrics": ["macro_f1@uniform", "f1:label=2", "balanced_accuracy", "macro_recall:p=0"]},
]


@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_a_slice_scores_as_its_table_alone(options, weights):
    if weights and options.get("interval") == "bootstrap":
        pytest.skip("weighted tables cannot be resampled")
    data = stack(7, weights=weights)
    found = eh.score(data, **options)
    for key, table, part in zip(data.keys[0], data, found.slices, strict=True):
        alone = eh.score(table, **options)
        assert part.key == key
        assert (part.n, part.outside, part.missing) == (alone.n, alone.outside, alone.missing)
        assert part.twins == alone.twins
        assert part.warnings == alone.warnings
        assert part.classes.values == alone.classes.values or options.get("undefined") == "nan"
        for name, score in alone.metrics.items():
            same = part[name]
            np.testing.assert_array_equal(same.value, score.value)
            assert same.method == score.method
            assert (same.se is None, same.low is None) == (score.se is None, score.low is None)
            ends = [(x.se or 0, x.low or 0, x.high or 0) for x in (same, score)]
            assert ends[0] == pytest.approx(ends[1], rel=1e-9)
        signs = [(s.metric, s.signature) for s in alone.metrics.values()]
        assert [(s.metric, s.signature) for s in part.metrics.values()] == signs


def test_kernels_run_as_often_for_many_slices_as_for_few(monkeypatch):
    calls = []
    values = TableViews.values
    monkeypatch.setattr(TableViews, "values", lambda *a: calls.append(1) or values(*a))
    few = (eh.score(stack(3)), len(calls))
    calls.clear()
    many = (eh.score(stack(150)), len(calls))
    assert few[1] == many[1]
    assert (len(few[0].slices), len(many[0].slices)) == (3, 150)


def test_the_largest_pairs_are_the_first_of_all_pairs():
    for table in stack(5, k=12, items=80):
        every = twins(table).pairs
        assert len(every) > 16
        for most in (1, 3, 16, 17):
            assert twins(table, pairs=most).pairs == every[:most]
