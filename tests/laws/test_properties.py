"""What the registry says of a metric's properties, by search over all small tables."""

from itertools import product

import numpy as np
import pytest

import evenhand as eh
from evenhand.catalogue.lists import table_metrics
from evenhand.core.contingency import Contingency
from evenhand.core.margins import Counts

SMALL = {
    2: np.array(list(product(range(4), repeat=4))).reshape(-1, 2, 2),
    3: np.array(list(product(range(3), repeat=9))).reshape(-1, 3, 3),
}
CLAIMED = [m for m in table_metrics().values() if m.properties is not None and not m.of_one_class]
TINY = 1e-12
FORMULAS = {
    "1/k": lambda k: 1 / k,
    "0": lambda k: 0.0,
    "2/k − 1": lambda k: 2 / k - 1,
    "⌊k²/4⌋/k": lambda k: k * k // 4 / k,
}


def values(record, cells):
    """Every class is averaged throughout: k never varies inside one analysis."""
    view = Counts if record.needs == "counts" else Contingency
    found = np.asarray(record.function(view.from_cells(cells)))
    return np.where(np.isinf(found), np.sign(found) * 1e6, found)  # ∞ − ∞ is no number


def signed(record, cells):
    """Values of which the higher are better."""
    return -values(record, cells) if record.better == "lower" else values(record, cells)


def violations(record, k):
    """Tables where one more hit makes the score worse, or one more error better."""
    cells = SMALL[k][1:]  # without the empty table
    before = signed(record, cells)
    found = []
    for i, j in product(range(k), repeat=2):
        more = cells.copy()
        more[:, i, j] += 1
        gained = signed(record, more) - before
        bad = gained < -TINY if i == j else gained > TINY
        found += [(cells[t].tolist(), (i, j)) for t in np.flatnonzero(bad)[:1]]
    return found


@pytest.mark.parametrize("record", CLAIMED, ids=lambda r: r.name)
def test_monotonicity(record):
    if record.better == "neither":  # there is nothing to reward
        assert not record.properties.monotonicity
        return
    found = violations(record, 2) + violations(record, 3)
    assert (found == []) == record.properties.monotonicity, found


def test_the_documents_counter_examples():
    """Kappa fails at two classes, mcc only from three on."""
    metrics = table_metrics()
    assert violations(metrics["kappa"], 2)
    assert eh.kappa([[0, 1], [1, 0]]) == -1
    assert eh.kappa([[0, 2], [1, 0]]) == pytest.approx(-0.8)
    assert not violations(metrics["mcc"], 2)
    assert eh.mcc([[10, 1, 0], [43, 1, 0], [0, 0, 1]]) == pytest.approx(0, abs=1e-15)
    assert eh.mcc([[10, 1, 0], [43, 1, 10], [0, 0, 1]]) == pytest.approx(0.0657, abs=1e-4)


@pytest.mark.parametrize("record", CLAIMED, ids=lambda r: r.name)
def test_prevalence_invariance(record):
    """True rows of every class twice, five times, … as frequent."""
    cells = SMALL[3][(SMALL[3].sum(axis=-1) > 0).all(axis=-1)]
    before = values(record, cells)
    moved = False
    for factors in ([2, 1, 1], [1, 5, 3], [7, 1, 2]):
        after = values(record, cells * np.array(factors)[:, None])
        moved |= bool(np.any(abs(after - before) > TINY))
    assert moved != record.properties.prevalence_invariance


@pytest.mark.parametrize("record", CLAIMED, ids=lambda r: r.name)
def test_class_sensitivity(record):
    """Whether one more hit, or one more error, can weigh differently in different classes."""
    cells = SMALL[3][1:]
    gains = {}
    for i, j in product(range(3), repeat=2):
        more = cells.copy()
        more[:, i, j] += 1
        gains[i, j] = values(record, more)
    hits = np.stack([gains[i, i] for i in range(3)])
    errors = np.stack([gains[i, j] for i, j in gains if i != j])
    sensitive = any(np.any(np.ptp(x, axis=0) > TINY) for x in (hits, errors))
    assert sensitive == record.properties.class_sensitivity


@pytest.mark.parametrize("record", CLAIMED, ids=lambda r: r.name)
def test_chance_correction(record):
    """Random classifiers: truth p and predictions z independent. Their best, over z, is c(k)."""
    claim = record.properties.chance_correction
    if record.better == "neither" or (record.size == "matters" and claim is None):
        assert claim is None  # there is no best, or it depends on the number of items
        return
    draw = np.random.default_rng(0)
    apart = False
    for k in (2, 3, 4):
        best, scores, proper = [], [], []
        for _ in range(12):
            p = draw.dirichlet(np.full(k, 0.7)) * 0.98 + 0.02 / k
            z = np.concatenate([draw.dirichlet(np.full(k, 0.5), 300), np.eye(k), p[None]])
            found = signed(record, 50 * p[:, None] * z[:, None, :])
            scores.append(found)
            proper.append(found[z.min(axis=1) > 0])
            best.append(found.max())
        if claim is None:
            apart |= np.ptp(best) > 0.01
            continue
        c = FORMULAS[claim.partition(",")[0]](k)
        if record.better == "lower":
            c = -c
        # a generalised mean with p < 1 reaches 1/k only where all recalls are equal
        assert max(best) <= c + 1e-9
        if "strict" in claim or "complete" in claim:  # of those that predict every class
            assert np.allclose(np.concatenate(proper), c, atol=1e-9)
        else:
            apart |= np.ptp(np.concatenate(scores)) > 0.01  # of two classes, all may score alike
    if claim is None or "," not in claim:
        assert apart


OF_ONE = [m for m in table_metrics().values() if m.of_one_class and "single" in m.tasks]


@pytest.mark.parametrize("record", OF_ONE, ids=lambda m: m.name)
def test_prevalence_invariance_of_two_classes(record):
    """Scaling a true row of two classes moves a metric, unless its record says that it does not."""
    if record.properties is None:
        pytest.skip("not derived yet")
    cells = SMALL[2][(SMALL[2].sum(axis=-1) > 0).all(axis=-1)]
    before = values(record, cells)
    moved = [np.abs(values(record, cells * f) - before).max() for f in ([[3], [1]], [[1], [3]])]
    invariant = record.properties.prevalence_invariance or bool(record.properties.of_two)
    assert bool(max(moved) < 1e-9) is invariant
