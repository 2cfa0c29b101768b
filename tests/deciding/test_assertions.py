"""Assertions for tests of models: what fails, and what it says."""

import numpy as np
import pytest

import evenhand as eh
from evenhand.testing import assert_at_least, assert_not_worse


def items(n=500, right=0.9, seed=0):
    rng = np.random.default_rng(seed)
    true = rng.integers(0, 2, n)
    return true, np.where(rng.random(n) < right, true, 1 - true)


def test_not_worse_fails_with_the_verdict():
    true, old = items()
    assert_not_worse(true, old, old, margin=0.01)
    assert_not_worse(true, old, true, margin=0.01, test="superior", metrics="accuracy")
    with pytest.raises(AssertionError) as caught:
        assert_not_worse(true, true, old, margin=0.01, metrics=["accuracy", "macro_f1"])
    message = eh.gate(true, true, old, margin=0.01, metrics=["accuracy", "macro_f1"]).message
    assert str(caught.value).startswith(message)
    assert "new minus old\nmetric" in str(caught.value)  # every check


@pytest.mark.parametrize("metric", ["accuracy", "macro_f1", "mcc", "f1:label=1"])
def test_at_least_is_the_lower_end_of_one_side(metric):
    true, pred = items()
    low = eh.score(true, pred, metrics=metric, level=0.9)[metric].low  # 5 % on each side
    assert_at_least(true, pred, metrics=metric, value=low)
    with pytest.raises(AssertionError, match=f"not shown that {metric} is at least"):
        assert_at_least(true, pred, metrics=metric, value=low + 1e-9)


def test_at_least_in_every_slice():
    true, pred = items()
    by = np.arange(500) % 2
    lows = [
        eh.score(true[by == k], pred[by == k], metrics="accuracy", level=0.9)["accuracy"].low
        for k in (0, 1)
    ]
    assert_at_least(true, pred, metrics="accuracy", value=min(lows) - 1e-9, by=by)
    with pytest.raises(AssertionError, match=f"in slice {int(np.argmin(lows))} is"):
        assert_at_least(true, pred, metrics="accuracy", value=min(lows) + 1e-9, by=by)


def test_what_has_no_interval_is_not_shown():
    soft = eh.Confusion.from_matrix([[1.5, 0.5], [0.25, 2.0]])
    with pytest.raises(AssertionError, match="without an interval"):
        assert_at_least(soft, metrics="accuracy", value=0.1)


def test_a_level_without_a_side_is_refused():
    with pytest.raises(eh.InputError, match=r"level must be between 0\.5 and 1, got 0\.5"):
        assert_at_least(*items(), value=0.1, level=0.5)


def test_several_metrics_must_all_be_at_least_that():
    true, pred = items()
    both = eh.score(true, pred, metrics=["accuracy", "mcc"], level=0.9)
    assert both["mcc"].low < both["accuracy"].low
    assert_at_least(true, pred, metrics=["accuracy", "mcc"], value=both["mcc"].low)
    with pytest.raises(AssertionError, match="not shown that mcc is at least"):
        assert_at_least(true, pred, metrics=["accuracy", "mcc"], value=both["accuracy"].low)
    with pytest.raises(eh.InputError, match="metrics must name at least one metric"):
        assert_at_least(true, pred, metrics=[], value=0.1)
