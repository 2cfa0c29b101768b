"""Readings of macro recall and the F1 of averages: bets and draws made one by one, in fractions."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import recall_score

import evenhand as eh
from evenhand.errors import InputError

CELLS = [[6, 1, 1], [1, 5, 2], [2, 3, 7]]
TABLES = st.integers(2, 4).flatmap(
    lambda k: st.lists(
        st.lists(st.integers(0, 6), min_size=k, max_size=k).filter(any), min_size=k, max_size=k
    )
)


@given(TABLES)
def test_every_bet_is_paid_by_the_odds(cells):
    k, items = len(cells), sum(map(sum, cells))
    won = [Fraction(0)] * k
    for true, pred in product(range(k), repeat=2):
        for _ in range(cells[true][pred]):
            won[true] += Fraction(items, sum(cells[true])) if true == pred else 0
    found = eh.readings(cells)
    assert [b.won for b in found.bets] == pytest.approx(list(map(float, won)))
    assert [b.staked for b in found.bets] == list(map(sum, cells))
    assert sum(b.gain for b in found.bets) == pytest.approx(float(sum(won) - items))
    assert found.bookmaker_gain == pytest.approx(float(sum(won) - items))


@given(TABLES)
def test_the_chances_of_class_bags_by_enumeration(cells):
    bags = [[t == p for p, n in enumerate(row) for _ in range(n)] for t, row in enumerate(cells)]
    one = sum(Fraction(sum(bag), len(bag)) for bag in bags) / len(bags)
    every = np.prod([Fraction(sum(bag), len(bag)) for bag in bags])
    found = eh.readings(cells)
    assert found.class_bags == pytest.approx(float(one))
    assert found.calibrated_accuracy == pytest.approx(float(one))
    assert found.every_bag == pytest.approx(float(every))


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abcd")), min_size=1))
def test_annotators_are_read_both_ways(pairs):
    a, b = zip(*pairs, strict=True)
    labels = sorted({*a, *b})
    there, back = (
        recall_score(x, y, labels=labels, average="macro", zero_division=0)
        for x, y in ((a, b), (b, a))
    )
    found = eh.readings(list(a), list(b), classes="seen")
    assert found.first_as_reference == pytest.approx(there)
    assert found.second_as_reference == pytest.approx(back)
    assert found.agreement == pytest.approx(2 * there * back / (there + back) if there else 0)
    turned = eh.readings(list(b), list(a), classes="seen")
    assert turned.agreement == pytest.approx(found.agreement)
    assert turned.first_as_reference == pytest.approx(found.second_as_reference)


@given(TABLES, st.sampled_from(["task", "seen", [0, 1]]), st.sampled_from([0, 1]))
def test_the_numbers_are_those_of_the_metrics(cells, classes, undefined):
    how = {"classes": classes, "undefined": undefined}
    found = eh.readings(cells, **how)
    assert found.class_bags == found.first_as_reference == eh.macro_recall(cells, **how)
    assert found.second_as_reference == eh.macro_precision(cells, **how)
    assert found.agreement == eh.f1_of_averages(cells, **how)
    assert found.bookmaker_gain == eh.bookmaker_gain(cells)


def test_draws_come_near_the_chance_and_from_the_seed():
    one, again, other = (eh.readings(CELLS, draws=20_000, seed=s) for s in (0, 0, 1))
    assert one == again and one.right != other.right
    for found in (one, other):
        share, chance = found.right / found.draws, found.class_bags
        assert abs(share - chance) < 5 * np.sqrt(chance * (1 - chance) / found.draws)


def test_a_class_that_is_never_true_has_no_odds_and_is_told():
    found = eh.readings(["a", "b", "b"], ["a", "b", "z"])
    assert [b.label for b in found.bets] == ["a", "b"]
    assert "never occur in the truth ('z')" in found.warnings[0]
    assert eh.readings(["a", "a"], ["a", None]).warnings[0].startswith("1 prediction missing")


def test_a_class_without_a_value_is_in_no_bag():
    cells = [[3, 1, 0], [1, 4, 0], [0, 0, 0]]
    found = eh.readings(cells, classes=[0, 1, 2], undefined="nan", draws=5)
    assert found.every_bag == pytest.approx(0.75 * 0.8) and found.draws == 5
    nothing = eh.readings(cells, classes=[2], undefined="nan", draws=5)
    assert np.isnan(nothing.every_bag) and nothing.draws == 0


@pytest.mark.parametrize(
    ("data", "how", "words"),
    [
        (([{"a"}], [{"a"}]), {}, "readings takes .*, got multi-label data; classes need items of"),
        ((eh.Confusion.stack({"x": eh.Confusion.from_matrix(CELLS)}),), {}, "are of one table"),
        ((CELLS,), {"draws": -1}, "draws must be a whole number from 0 to 1,000,000, got -1"),
    ],
)
def test_what_has_no_readings(data, how, words):
    with pytest.raises(InputError, match=words):
        eh.readings(*data, **how)
