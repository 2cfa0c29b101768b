"""The two macro F1s: gap, lemma, bound, and the cases where the first paper's theorem errs."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import evenhand as eh
from evenhand.catalogue.binding import evaluate
from evenhand.core.margins import Counts
from evenhand.core.metrics import macro as core
from evenhand.core.metrics.macro import bound, extremal, pair_terms
from tests import oracle


def test_the_papers_own_program():
    """./mf1 2 100 10000 0 100 (rows = predicted)."""
    found = eh.twins(eh.Confusion.from_matrix([[100, 10000], [0, 100]], rows="pred"))
    assert found.f1_of_averages == 0.504950495049505
    assert found.macro_f1 == 1.96078431372549e-2
    assert found.gap == 0.48534265191225007
    assert found.gap_by_lemma == pytest.approx(2500 / 5151, abs=1e-15)
    assert found.bound == 0.5


def test_pairs_are_named_largest_first():
    """Worked by hand: P = 1, 1/4, 1/2; R = 1/2, 1, 1/2; S = 15/4; only a-b skews strongly."""
    table = eh.Confusion.from_matrix([[2, 2, 0], [0, 2, 0], [0, 4, 4]], labels="abc")
    p = [Fraction(1), Fraction(1, 4), Fraction(1)]
    r = [Fraction(1, 2), Fraction(1), Fraction(1, 2)]
    s = sum(p) + sum(r)

    def term(x, y):
        return (p[x] * r[y] - p[y] * r[x]) ** 2 / ((p[x] + r[x]) * (p[y] + r[y])) / (3 * s)

    gap = 2 * (term(0, 1) + term(0, 2) + term(1, 2))
    assert term(0, 2) == 0  # classes a and c are skewed alike: they make no gap
    found = eh.twins(table)
    assert found.gap == pytest.approx(float(gap), abs=1e-15)
    assert [pair[:2] for pair in found.pairs] == [("a", "b"), ("b", "c")]
    assert [pair[2] for pair in found.pairs] == pytest.approx([0.5, 0.5])
    assert eh.twins(table, pairs=1).pairs == found.pairs[:1]
    assert eh.twins(table, pairs=0).gap_by_lemma is None


def test_the_largest_pair_is_the_one_with_the_largest_term():
    cells = [[9, 0, 0, 0], [90, 9, 0, 0], [0, 0, 50, 1], [0, 0, 3, 40]]
    pairs = eh.twins(cells).pairs
    assert set(pairs[0][:2]) == {0, 1}
    assert [share for *_, share in pairs] == sorted((share for *_, share in pairs), reverse=True)
    assert sum(share for *_, share in pairs) == pytest.approx(1)
    assert len(pairs) == 6


def test_pair_terms_are_symmetric_and_sum_to_the_gap():
    cells = np.array([[6, 1, 1], [1, 5, 2], [2, 3, 7]])
    terms = pair_terms(Counts.from_cells(cells))
    assert terms == pytest.approx(terms.T, abs=0)
    assert np.diagonal(terms) == pytest.approx(0, abs=0)
    assert terms.sum() == pytest.approx(686 / 213741, abs=1e-16)


def test_pair_terms_of_a_stack():
    stack = np.arange(36).reshape(2, 2, 3, 3)
    terms = pair_terms(Counts.from_cells(stack))
    assert terms.shape == (2, 2, 3, 3)
    for i, j in product(range(2), repeat=2):
        gap = oracle.value("f1_gap", stack[i, j].tolist())
        assert terms[i, j].sum() == pytest.approx(gap, abs=1e-15)


@pytest.mark.parametrize(
    ("k", "exact"), [(1, "0"), (2, "1/2"), (3, "4/9"), (4, "1/2"), (5, "12/25"), (7, "24/49")]
)
def test_bound(k, exact):
    assert bound(k) == pytest.approx(float(Fraction(exact)), abs=1e-16)


@pytest.mark.parametrize("k", range(2, 8))
def test_extremal_tables_approach_the_bound(k):
    gaps = [eh.f1_gap(extremal(k, z)) for z in (0, 1, 10, 10**3, 10**6, 10**9)]
    assert gaps == sorted(gaps)
    assert gaps[0] == pytest.approx(0, abs=1e-16)
    assert gaps[-1] < bound(k)
    assert gaps[-1] == pytest.approx(bound(k), abs=1e-8)


@pytest.mark.parametrize("k", [2, 4, 6])
@pytest.mark.parametrize("z", [1, 7, 10**4])
def test_extremal_tables_of_even_size_by_formula(k, z):
    """P and R of each class are 1 and e = 1/(1+z): means (1+e)/2, F1 2e/(1+e)."""
    e = Fraction(1, 1 + z)
    gap = (1 + e) / 2 - 2 * e / (1 + e)
    assert eh.f1_gap(extremal(k, z)) == pytest.approx(float(gap), abs=1e-15)


def test_extremal_needs_two_classes():
    with pytest.raises(ValueError, match="at least 2 classes"):
        extremal(1, 10)


class TestTheoremTwo:
    """Gap > 0 exactly when two classes with hits differ in prevalence/bias."""

    def test_unequal_precision_and_recall_without_a_gap(self):
        table = eh.Confusion.from_matrix([[1, 0], [1, 0]], rows="pred", labels="ab")
        assert eh.precision(table, label="a") == 1
        assert eh.recall(table, label="a") == 0.5
        assert eh.f1_gap(table) == 0
        assert eh.twins(table).pairs == ()

    def test_a_gap_without_skew_both_ways(self):
        table = eh.Confusion.from_matrix([[0, 0, 0], [0, 1, 0], [1, 0, 1]])
        assert evaluate("f1_gap", table, classes="seen") == pytest.approx(1 / 63, abs=1e-15)
        assert np.all(eh.precision(table) >= eh.recall(table))

    def test_every_small_table(self):
        """All 3 × 3 tables with cells 0–2 and a hit; 7596 of them break the printed form."""
        cells = np.array(list(product(range(3), repeat=9))).reshape(-1, 3, 3)
        c = Counts.from_cells(cells)
        hit = c.correct.sum(axis=-1) > 0
        cells, c = cells[hit], Counts.from_cells(cells[hit])
        assert len(cells) == 18954
        gap = np.asarray(eh.f1_gap(c)) > 1e-12
        skew = np.where(c.correct > 0, c.prevalence / np.maximum(c.bias, 1), np.nan)
        differ = np.nanmax(skew, axis=-1) > np.nanmin(skew, axis=-1)
        assert np.array_equal(gap, differ)
        p, r = np.asarray(eh.precision(c)), np.asarray(eh.recall(c))
        unequal, both_ways = (p != r).any(-1), (p < r).any(-1) & (p > r).any(-1)
        assert np.count_nonzero((gap != unequal) | (gap != both_ways)) == 7596


def test_twins_over_listed_classes():
    """The lemma's sum, the gap and the bound follow the classes averaged."""
    cells = [[9, 1, 0], [30, 20, 5], [0, 1, 40]]
    found = eh.twins(cells, classes=[0, 1])
    exact = oracle.value("f1_gap", cells, averaged=[0, 1])
    assert found.gap == pytest.approx(exact, abs=1e-15)
    assert found.gap_by_lemma == pytest.approx(exact, abs=1e-15)
    assert found.bound == 0.5
    assert [pair[:2] for pair in found.pairs] == [(0, 1)]


def test_twins_without_the_lemma():
    """The lemma is for 0/0 = 0; other policies get the gap and no pairs."""
    found = eh.twins([[1, 0], [1, 0]], undefined=1)
    assert found.gap == pytest.approx(oracle.value("f1_gap", [[1, 0], [1, 0]], undefined=1))
    assert found.gap_by_lemma is None
    assert found.pairs == ()


def test_pairs_of_very_many_classes_are_left_out():
    true = [i // 3 for i in range(6003)]
    table = eh.Confusion.from_labels(true, [0 if i % 7 == 0 else v for i, v in enumerate(true)])
    assert table.k == 2001
    found = eh.twins(table, pairs=5)
    assert found.gap > 0 and found.gap_by_lemma is None and found.pairs == ()
    assert len(eh.twins(table.select(range(2000)), pairs=5).pairs) == 5


def test_twins_refuse_a_stack_of_stacks():
    with pytest.raises(eh.InputError, match="got a stack of 2 tables"):
        eh.twins(np.ones((2, 2, 3, 3)))


@pytest.mark.parametrize("most", [None, 0, 1, 3, 40])
@pytest.mark.parametrize("block", [1, 50, 1 << 18])
def test_the_largest_pairs_are_those_of_the_whole_array(monkeypatch, most, block):
    monkeypatch.setattr(core, "BLOCK", block)
    rng = np.random.default_rng(3)
    cells = rng.integers(0, 4, (12, 12)) * rng.integers(0, 2, (12, 12))  # with ties
    terms = np.triu(2 * pair_terms(Counts.from_cells(cells)), 1)
    order = np.argsort(-terms, axis=None, kind="stable")
    order = order[terms.reshape(-1)[order] > 1e-15 * terms.max()][:most]
    total, first, second, found = core.largest_pairs(Counts.from_cells(cells), most)
    assert total == pytest.approx(terms.sum(), rel=1e-12)
    assert (first * 12 + second).tolist() == order.tolist()
    assert found.tolist() == terms.reshape(-1)[order].tolist()


def test_a_few_pairs_of_many_classes_take_no_more_memory_than_some_rows():
    """Sorting all pairs of 2,000 classes took 0.2 GB."""
    import tracemalloc

    rng = np.random.default_rng(0)
    k = 2000
    hits, misses, alarms = rng.integers(1, 50, (3, k))
    c = Counts(hits, hits + alarms, hits + misses, (hits + misses).sum())
    tracemalloc.start()
    _, _, _, found = core.largest_pairs(c, 3)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(found) == 3 and peak < 4e6
