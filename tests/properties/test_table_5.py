"""Each cross of table 5 comes with a counter-example that a reader can check by hand."""

import math
import sys
from fractions import Fraction
from pathlib import Path

import pytest

import evenhand as eh
from evenhand.properties import check

sys.path.insert(0, str(Path(__file__).parent))
import exactly

CROSSES = {
    "monotonicity": ["kappa", "mcc"],
    "class_decomposability": ["f1_of_averages", "kappa", "mcc", "accuracy"],
    "prevalence_invariance": [
        "macro_precision",
        "macro_f1",
        "f1_of_averages",
        "kappa",
        "mcc",
        "accuracy",
    ],
    "chance_correction": ["accuracy"],
}
PAIRS = [(p, m) for p, names in CROSSES.items() for m in names]
_FOUND = {}


def profile(metric):
    if metric not in _FOUND:
        _FOUND[metric] = check(metric)
    return _FOUND[metric]


def total(m):
    return sum(map(sum, m))


def added(before, after):
    """Where the second table has more, and how much."""
    return {
        (i, j): after[i][j] - x
        for i, row in enumerate(before)
        for j, x in enumerate(row)
        if after[i][j] != x
    }


@pytest.mark.parametrize(("name", "metric"), PAIRS)
def test_the_scores_are_those_of_the_tables(name, metric):
    finding = profile(metric)[name]
    assert finding.holds is False and finding.status == "refuted"
    assert finding.example
    for shown in finding.example:
        if metric == "mcc":
            assert exactly.is_root(shown.exact or shown.score, shown.table)
        else:
            assert shown.exact == exactly.EXACT[metric](shown.table)
        assert total(shown.table) <= 12  # small enough for pencil and paper


@pytest.mark.parametrize("metric", CROSSES["monotonicity"])
def test_one_more_error_raises_the_score(metric):
    before, after = profile(metric).monotonicity.example
    ((place, by),) = added(before.table, after.table).items()
    score = exactly.kappa if metric == "kappa" else exactly.mcc_squared
    moved = score(after.table) - score(before.table)
    assert by == 1
    assert moved < 0 if place[0] == place[1] else moved > 0


def test_kappa_fails_at_two_classes_and_mcc_at_three():
    assert len(profile("kappa").monotonicity.example[0].table) == 2
    assert len(profile("mcc").monotonicity.example[0].table) == 3
    assert profile("mcc").monotonicity.detail["monotone_for"] == [2]


@pytest.mark.parametrize("metric", CROSSES["monotonicity"])
def test_no_smaller_table_without_an_empty_class_shows_it(metric):
    """By brute force, independently of the search."""
    from itertools import product

    score = exactly.kappa if metric == "kappa" else exactly.mcc_squared
    found = profile(metric).monotonicity.example[0].table
    k, size = len(found), total(found)
    for cells in product(range(size), repeat=k * k):
        if not k <= sum(cells) < size:
            continue
        m = [list(cells[i * k : i * k + k]) for i in range(k)]
        if not (all(map(sum, m)) and all(map(sum, zip(*m, strict=True)))):
            continue
        base = score(m)
        for i, j in product(range(k), repeat=2):
            m[i][j] += 1
            moved = score(m) - base
            m[i][j] -= 1
            assert moved >= 0 if i == j else moved <= 0


@pytest.mark.parametrize("metric", CROSSES["prevalence_invariance"])
def test_a_class_more_frequent_changes_the_score(metric):
    before, after = profile(metric).prevalence_invariance.example
    rows = [i for i, row in enumerate(before.table) if row != after.table[i]]
    assert len(rows) == 1
    factors = {
        Fraction(b, a)
        for a, b in zip(before.table[rows[0]], after.table[rows[0]], strict=True)
        if a
    }
    assert len(factors) == 1
    score = exactly.EXACT.get(metric, exactly.mcc_squared)
    assert score(before.table) != score(after.table)
    assert profile(metric).prevalence_invariance.detail["after_calibration"] is True


@pytest.mark.parametrize("metric", ["kappa", "mcc", "accuracy"])
def test_an_item_acts_differently_beside_an_item_of_other_classes(metric):
    """For a mean over classes its effect would have the same sign, whatever the exponent."""
    score = exactly.EXACT.get(metric, exactly.mcc_squared)
    f00, f10, f01, f11 = profile(metric).class_decomposability.example[:4]
    (x,) = added(f00.table, f10.table)
    (y,) = added(f00.table, f01.table)
    assert not set(x) & set(y)
    assert set(added(f00.table, f11.table)) == {x, y}
    values = [score(f.table) for f in (f00, f10, f01, f11)]
    assert all(values)

    def sign(v):
        return (v > 0) - (v < 0)

    assert sign(values[1] - values[0]) != sign(values[3] - values[2])


def test_the_f1_of_averages_asks_for_two_exponents():
    f = [
        exactly.f1_of_averages(s.table)
        for s in profile("f1_of_averages").class_decomposability.example
    ]
    assert len(f) == 8
    assert f[3] - f[1] - f[2] + f[0] == 0  # the first four: p = 1
    assert f[7] - f[5] - f[6] + f[4] != 0  # the others do not
    p = 0.944382
    powers = [float(x) ** p for x in f[4:]]
    assert math.isclose(powers[3] - powers[1] - powers[2] + powers[0], 0, abs_tol=1e-6)


def test_the_best_guess_at_accuracy_depends_on_the_class_mix():
    low, high = profile("accuracy").chance_correction.example
    for shown in (low, high):
        rows = [Fraction(row[-1], sum(row)) for row in shown.table]
        assert len(set(rows)) == 1  # every true class gets the same predictions: a guess
    assert exactly.accuracy(high.table) > exactly.accuracy(low.table)


def test_accuracy_is_blind_to_classes():
    finding = profile("accuracy").class_sensitivity
    assert finding.holds is False and finding.derivation
    before, one, other = finding.example
    assert added(before.table, one.table) != added(before.table, other.table)
    assert exactly.accuracy(one.table) == exactly.accuracy(other.table)


def test_calibrated_kappa_has_all_five_properties():
    """Calibration divides by each class's prevalence: where all are true it is linear in macR."""
    found = check("kappa@uniform", sizes=(2, 3))
    assert all(f.holds for f in found.values())
    assert found.chance_correction.detail["kind"] == "complete"
    m = [[3, 2, 1], [0, 5, 1], [1, 0, 2]]
    calibrated, recall = (
        eh.score(m, metrics=[n])[n].value for n in ("kappa@uniform", "macro_recall")
    )
    assert calibrated == pytest.approx((recall - 1 / 3) / (2 / 3))


@pytest.mark.parametrize("metric", ["macro_f1", "macro_precision", "f1_of_averages", "mcc"])
def test_examples_of_calibrated_metrics_have_every_class(metric):
    found = check(f"{metric}@uniform", sizes=(3,)).monotonicity
    assert found.holds is False
    assert all(sum(row) for shown in found.example for row in shown.table)


@pytest.mark.parametrize("metric", ["macro_precision", "f1_of_averages"])
def test_strict_is_said_of_random_classifiers_that_predict_each_class(metric):
    finding = profile(metric).chance_correction
    assert finding.detail["kind"] == "strict" and not finding.detail["everywhere"]
    assert finding.evidence == "every random classifier that predicts each class scores 1/k"
    assert profile("macro_recall").chance_correction.detail["everywhere"]
