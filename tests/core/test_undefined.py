"""What 0/0 is worth: 0 by the papers' rule, 1, or nan, which leaves the class out."""

import math

import numpy as np
import pytest

import evenhand as eh
from evenhand.core.margins import Counts
from evenhand.core.metrics.macro import macro_recall

# a: true 3, hit 2; b: true 1, never predicted; c: never true, predicted once; d: neither
TABLE = eh.Confusion.from_matrix(
    [[2, 0, 1, 0], [1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]], labels="abcd"
)
SEEN, TRUE, LISTED = "seen", "true", ["a", "b", "c", "d"]
P, R, F = 2 / 3, 2 / 3, 2 / 3  # of class a

EXPECTED = [
    # metric, classes, undefined = 0, 1, nan
    ("macro_precision", SEEN, P / 3, (P + 1 + 0) / 3, P / 2),
    ("macro_precision", TRUE, P / 2, (P + 1) / 2, P),
    ("macro_precision", LISTED, P / 4, (P + 1 + 0 + 1) / 4, P / 2),
    ("macro_recall", SEEN, R / 3, (R + 0 + 1) / 3, R / 2),
    ("macro_recall", TRUE, R / 2, R / 2, R / 2),
    ("macro_recall", LISTED, R / 4, (R + 0 + 1 + 1) / 4, R / 2),
    ("macro_f1", SEEN, F / 3, F / 3, F / 3),
    ("macro_f1", LISTED, F / 4, (F + 1) / 4, F / 3),
    ("weighted_precision", SEEN, 3 * P / 4, (3 * P + 1) / 4, P),
    ("weighted_recall", SEEN, 3 * R / 4, 3 * R / 4, 3 * R / 4),
    ("micro_precision", ["b"], 0, 1, math.nan),
    ("micro_recall", ["c"], 0, 1, math.nan),
    ("micro_f1", ["d"], 0, 1, math.nan),
    ("macro_precision", ["b", "d"], 0, 1, math.nan),
    ("weighted_precision", ["c", "d"], 0, 1, math.nan),
    ("geometric_macro_recall", ["a", "c"], 0, R**0.5, R),
    ("harmonic_macro_recall", ["a", "c"], 0, 2 / (1 + 1 / R), R),
    ("balanced_accuracy", TRUE, R / 2, R / 2, R / 2),
    ("accuracy", ["d"], 0.5, 0.5, 0.5),
]


@pytest.mark.filterwarnings("ignore::evenhand.EvenhandWarning")
@pytest.mark.parametrize(("policy", "column"), [(0, 2), (1, 3), (math.nan, 4)])
@pytest.mark.parametrize("row", EXPECTED, ids=lambda row: f"{row[0]}-{''.join(row[1])}")
def test_policy(row, policy, column):
    found = getattr(eh, row[0])(TABLE, classes=row[1], undefined=policy)
    assert found == pytest.approx(row[column], abs=1e-15, nan_ok=True)


@pytest.mark.parametrize("undefined", [0, 1, math.nan])
def test_the_harmonic_mean_of_two_zeros_is_zero_under_every_policy(undefined):
    """Both classes are true and predicted, never hit: P = R = 0, no 0/0 about it."""
    for name in ("f1_of_averages", "fbeta_of_averages", "weighted_f1_of_averages"):
        assert getattr(eh, name)([[0, 1], [1, 0]], undefined=undefined) == 0


@pytest.mark.parametrize(
    ("cells", "names"),
    [([[5]], ("kappa", "mcc")), ([[3, 0], [2, 0]], ("mcc",)), ([[3, 2], [0, 0]], ("mcc",))],
)
def test_no_spread_to_agree_on(cells, names):
    for name in names:
        for undefined in (0, 1):
            assert getattr(eh, name)(cells, undefined=undefined, classes="true") == undefined
        assert math.isnan(getattr(eh, name)(cells, undefined="nan", classes="true"))


@pytest.mark.parametrize("cells", [[[0, 2], [0, 3]], [[2, 0], [3, 0]], [[2, 3], [0, 0]]])
def test_no_spread_of_a_class_to_agree_on(cells):
    for undefined in (0, 1):
        found = eh.class_mcc(cells, undefined=undefined, classes="all")
        assert found.tolist() == [undefined, undefined]
    found = eh.class_mcc(cells, undefined="nan", classes="all")
    assert all(map(math.isnan, found))


def test_per_class_values():
    assert eh.precision(TABLE, undefined=1).tolist() == pytest.approx([P, 1, 0, 1])
    assert eh.recall(TABLE, undefined="nan").tolist() == pytest.approx(
        [R, 0, math.nan, math.nan], nan_ok=True
    )
    assert eh.f1(TABLE, label="d", undefined=1) == 1
    assert math.isnan(eh.f1(TABLE, label="d", undefined="nan"))


@pytest.mark.parametrize("p", [math.inf, 3, 2, 0.5, 0, -0.5, -1, -3, -math.inf])
@pytest.mark.parametrize("undefined", [0, 1, math.nan])
def test_generalised_means_of_nothing(p, undefined):
    """No class at all to average (an empty table of a stack), or none with a recall."""
    nothing = Counts.from_cells(np.zeros((2, 2)), averaged=np.zeros(2, bool), undefined=undefined)
    found = macro_recall(nothing, p=p)
    assert found == pytest.approx(undefined, nan_ok=True)
    found = eh.macro_recall([[1, 1], [0, 0]], p=p, undefined=undefined, classes=[1])
    assert found == pytest.approx(undefined, nan_ok=True)


def test_margins_keep_their_own_policy():
    c = TABLE.counts(classes="seen", undefined=1.0)
    assert eh.macro_precision(c) == pytest.approx((P + 1) / 3)
    assert eh.macro_precision(c, undefined=0) == pytest.approx(P / 3)


@pytest.mark.parametrize("bad", [0.5, -1, math.inf, 2])
def test_no_other_policy(bad):
    with pytest.raises(eh.InputError, match="undefined must be 0, 1 or nan"):
        eh.macro_f1([[1, 0], [0, 1]], undefined=bad)
