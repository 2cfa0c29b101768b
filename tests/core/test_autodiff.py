"""Every rule of differentiation against finite differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from evenhand.core.arrays import leave_one_out_sum
from evenhand.core.autodiff import FUNCTIONS, PARTIALS, Traced, backward
from evenhand.core.contingency import by_group

A = np.array([[0.3, 1.7, 0.9], [2.2, 0.4, 1.1]])
B = np.array([1.4, 0.6, 2.5])
GROUP = np.array([1, 0, 1])

RULES: dict[str, Any] = {
    f.__name__: (lambda x, f=f: f(x)) if f.nin == 1 else (lambda x, f=f: f(x, B) + f(B, x))
    for f in PARTIALS
} | {
    "where": lambda x: np.where(A > 1, x * x, x + B) * np.where(A > 1, B, x),
    "sum": lambda x: np.sum(x * x, axis=-1) * x.sum() + x.sum(axis=0, keepdims=True).sum(),
    "mean": lambda x: np.mean(x * x, axis=-1) + x.mean(),
    "max": lambda x: np.max(x, axis=-1) ** 2,
    "reshape": lambda x: np.reshape(x, (3, 2)) * A.reshape(3, 2),
    "concatenate": lambda x: np.concat([x, A, 2 * x[..., :1]], axis=-1) ** 2,
    "cumulative_sum": lambda x: np.cumulative_sum(x, axis=-1) ** 2,
    "cumsum": lambda x: np.cumsum(x, axis=-1) ** 2,
    "broadcast_to": lambda x: np.broadcast_to(x[:, None], (2, 4, 3)) * np.ones((2, 4, 3)) * x[0],
    "matrix_transpose": lambda x: np.matrix_transpose(x) ** 2 * np.arange(2),
    "zeros_like": lambda x: np.zeros_like(x) + x,
    "ones_like": lambda x: np.ones_like(x) * x,
    "shape": lambda x: x * np.shape(x)[0],
    "ndim": lambda x: x * np.ndim(x),
    "part": lambda x: x[..., 1:] ** 2 * x[:, 0][:, None],
    "chosen": lambda x: x[[0, 0, 1], [1, 1, 2]] ** 2,
    "taken": lambda x: x.reshape(-1)[GROUP] ** 2,
    "groups": lambda x: by_group(x[0], GROUP, 2) ** 2,
    "others": lambda x: leave_one_out_sum(x) ** 2,
}


def test_every_function_has_a_case():
    assert {f.__name__ for f in FUNCTIONS} <= RULES.keys()


@pytest.mark.parametrize("name", RULES)
def test_finite_differences(name: str) -> None:
    function, leaf = RULES[name], Traced(A)
    weight = np.random.default_rng(0).random(np.shape(function(A)))
    (slope,) = backward(function(leaf), [leaf], weight)
    np.testing.assert_allclose(function(leaf).value, function(A))
    for at in np.ndindex(A.shape):
        step = np.zeros(A.shape)
        step[at] = 1e-6
        up, down = (np.sum(weight * function(A + sign * step)) for sign in (1, -1))
        assert slope[at] == pytest.approx((up - down) / 2e-6, rel=1e-6, abs=1e-8)


def test_a_branch_not_taken_has_no_slope_though_its_own_is_infinite() -> None:
    leaf = Traced(np.array([0.0, 4.0]))
    zero = leaf == 0
    with np.errstate(divide="ignore", invalid="ignore"):
        out = np.where(zero, 3 * leaf, np.sqrt(leaf) + np.log(leaf) + leaf / leaf)
    np.testing.assert_allclose(backward(out, [leaf])[0], [3.0, 0.5])


def test_what_does_not_depend_on_a_leaf_has_no_slope() -> None:
    one, other = Traced(A), Traced(B)
    assert not backward(np.sqrt(one), [other])[0].any()
    assert not backward(A, [one])[0].any()
