"""The gradient routine against hand-derived formulas and finite differences."""

import tracemalloc
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from evenhand.core.derivatives import elementwise, gradient, item_influence
from evenhand.core.kernel import ItemArrays
from evenhand.core.margins import Counts
from evenhand.core.metrics.macro import macro_f1, macro_recall
from evenhand.core.registry import all_metrics, find

EXAMPLE = np.array([[6, 1, 1], [1, 5, 2], [2, 3, 7]])
KERNELS = [
    pytest.param(m.function, id=m.name)
    for m in all_metrics()
    if m.needs == "counts" and not m.of_one_class and m.smooth
]
KERNELS += [
    pytest.param(partial(macro_recall, p=p), id=f"p={p}")
    for p in (-np.inf, -3, -0.5, 0.4, 2, 6, np.inf)
]


def differences(function, cells, outside, averaged, undefined=0.0):
    """Central differences in every cell, the outside column last."""
    k, step = cells.shape[-1], 1e-5
    whole = np.concatenate([cells, outside[..., None]], axis=-1).astype(float)
    found = np.zeros_like(whole)
    for t in range(k):
        for p in range(k + 1):
            ends = []
            for sign in (1, -1):
                moved = whole.copy()
                moved[..., t, p] += sign * step
                c = Counts.from_cells(moved[..., :-1], moved[..., -1])
                ends.append(
                    function(Counts(**{**vars(c), "averaged": averaged, "undefined": undefined}))
                )
            found[..., t, p] = (ends[0] - ends[1]) / (2 * step)
    return found


def test_macro_f1_as_derived_by_hand():
    n = EXAMPLE.sum()
    c = Counts.from_cells(EXAMPLE)
    found = gradient(macro_f1, c).dense()[:, :-1] * n
    s = (c.bias + c.prevalence) / n
    f = 2 * c.correct / (c.bias + c.prevalence)
    expected = -(f / s + (f / s)[:, None]) / 3
    np.fill_diagonal(expected, 2 * (1 - f) / (3 * s))
    np.testing.assert_allclose(found, expected, rtol=1e-13)


@pytest.mark.parametrize("function", KERNELS)
@given(
    cells=arrays(np.int64, (2, 4, 4), elements=st.integers(1, 40), unique=True),
    outside=arrays(np.int64, (2, 4), elements=st.integers(0, 9)),
    undefined=st.sampled_from([0.0, 1.0, np.nan]),
)
@settings(max_examples=8, deadline=None)
def test_finite_differences(function, cells, outside, undefined):
    averaged = np.array([[True, True, True, False], [True] * 4])
    recall = np.diagonal(cells, axis1=1, axis2=2) / (cells.sum(-1) + outside)
    gaps = np.diff(np.sort(recall, axis=-1), axis=-1)
    sizes = np.diff(np.sort(cells.sum(-1) + outside, axis=-1), axis=-1)
    if gaps.min() < 1e-3 or sizes.min() == 0:
        return  # the largest and the smallest have a kink where two classes tie
    c = Counts.from_cells(cells, outside, averaged=averaged, undefined=undefined)
    found = gradient(function, c).dense()
    expected = differences(function, cells, outside, averaged, undefined)
    record = find(getattr(function, "__name__", "macro_recall"))
    if not record.default:  # the first answer outside may make a category, and that a jump
        for x in (found, expected):
            x[..., -1] *= outside.sum(axis=-1, keepdims=True) > 0
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6 * (1 + abs(expected).max()))


@pytest.mark.parametrize("function", KERNELS)
def test_a_stack_is_a_loop(function):
    cells = np.random.default_rng(0).poisson(9, (5, 4, 4)) + 1
    together = gradient(function, Counts.from_cells(cells)).dense()
    for one, table in zip(together, cells, strict=True):
        alone = gradient(function, Counts.from_cells(table)).dense()
        np.testing.assert_allclose(one, alone, rtol=1e-10, atol=1e-15)


@pytest.mark.parametrize("scale", [1e-200, 1e-9, 1e9, 1e15])
@pytest.mark.parametrize("name", ["macro_f1", "mcc", "kappa", "accuracy"])
def test_counts_of_any_size(name, scale):
    function = find(name).function
    plain = gradient(function, Counts.from_cells(EXAMPLE)).dense()
    scaled = gradient(function, Counts.from_cells(EXAMPLE * scale)).dense() * scale
    np.testing.assert_allclose(scaled, plain, rtol=1e-9, atol=1e-12)


def test_values_of_each_class():
    c = Counts.from_cells(EXAMPLE)
    correct, false_positives, false_negatives = elementwise(find("f1").function, c)
    z = c.bias + c.prevalence
    np.testing.assert_allclose(correct, 2 / z - 4 * c.correct / z**2)
    np.testing.assert_allclose(false_positives, -2 * c.correct / z**2)
    np.testing.assert_allclose(false_negatives, -2 * c.correct / z**2)


def test_a_function_may_reduce_classes_as_numpy_does():
    for own in (
        lambda c: (c.correct / c.prevalence).mean(axis=-1),
        lambda c: np.sum(c.correct / c.prevalence, axis=-1) / 3,
    ):
        slopes = gradient(own, Counts.from_cells(EXAMPLE)).dense()
        expected = gradient(macro_recall, Counts.from_cells(EXAMPLE)).dense()
        np.testing.assert_allclose(slopes, expected, rtol=1e-13, atol=1e-16)


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (lambda c: np.percentile(c.correct, 10), "numpy.percentile cannot be differentiated"),
        (lambda c: np.floor(c.mean(c.correct)), "numpy.floor cannot be differentiated"),
        (lambda c: c.mean(np.asarray(c.correct)), "a conversion to a plain array cannot be"),
    ],
)
def test_what_cannot_be_differentiated_is_refused(function, reason):
    with pytest.raises(TypeError, match=reason):
        gradient(function, Counts.from_cells(EXAMPLE))


def test_a_value_a_class_is_refused():
    with pytest.raises(ValueError, match="must give one number a table"):
        gradient(lambda c: c.correct / c.prevalence, Counts.from_cells(EXAMPLE))


@pytest.mark.parametrize("name", [m.name for m in all_metrics() if m.needs == "items"])
@pytest.mark.parametrize("undefined", [0.0, 1.0, np.nan])
def test_items(name, undefined):
    rng = np.random.default_rng(1)
    true, pred = rng.integers(0, 4, (2, 12))
    hit = np.minimum(true, pred) // 2
    weight = rng.uniform(0.5, 2, 12)
    function = find(name).function

    def value(w):
        return float(function(ItemArrays(hit, pred, true, w, 5, undefined)))

    (found,) = item_influence(function, ItemArrays(hit, pred, true, weight, 5, undefined))
    for i in range(12):
        up, down = weight.copy(), weight.copy()
        up[i] += 1e-6
        down[i] -= 1e-6
        assert found[i] == pytest.approx((value(up) - value(down)) / 2e-6, abs=1e-7)


def test_many_classes_take_no_memory_for_their_square():
    rng = np.random.default_rng(0)
    k = 5000
    margins = rng.integers(5, 50, (3, k)).astype(float)
    c = Counts(margins[0], margins[0] + margins[1], margins[0] + margins[2], margins.sum())
    for name in ("macro_f1", "mcc"):
        tracemalloc.start()
        gradient(find(name).function, c)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 20e6 < k * k
