"""Tables that show something about two metrics: held against scikit-learn and fractions."""

from fractions import Fraction

import numpy as np
import pytest
from sklearn import metrics as theirs

import evenhand as eh
from evenhand.core.metrics.macro import bound, extremal
from evenhand.errors import InputError, MetricError

SKLEARN = {
    "accuracy": theirs.accuracy_score,
    "macro_f1": lambda t, p: theirs.f1_score(t, p, average="macro", zero_division=0),
    "macro_recall": lambda t, p: theirs.recall_score(t, p, average="macro"),
    "kappa": theirs.cohen_kappa_score,
    "mcc": theirs.matthews_corrcoef,
}
PAIRS = [("accuracy", "macro_f1"), ("macro_recall", "macro_f1"), ("kappa", "mcc")]


def scored(name, table):
    """The metric by scikit-learn, on the items that the table counts."""
    places = [(i, j) for (i, j), n in np.ndenumerate(np.array(table)) for _ in range(n)]
    return SKLEARN[name](*map(list, zip(*places, strict=True)))


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize(("one", "two"), PAIRS)
def test_two_metrics_disagree(one, two, k):
    found = eh.properties.find("disagree", one, two, k=k, n=50, seed=3)
    first, second = found.first, found.second
    assert [*map(sum, first)] == [*map(sum, second)]  # the same items
    assert min(map(sum, first)) > 0 and sum(map(sum, first)) == 50
    assert scored(one, first) > scored(one, second) + 0.005
    assert scored(two, first) < scored(two, second) - 0.005
    for name in (one, two):
        wanted = [scored(name, table) for table in (first, second)]
        assert found.values[name] == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("k", [2, 3])
def test_one_stays_and_the_other_falls(k):
    found = eh.properties.find("alike", "accuracy", "macro_f1", k=k, n=40)
    right = [sum(t[i][i] for i in range(k)) for t in (found.first, found.second)]
    assert right[0] == right[1]
    assert scored("macro_f1", found.first) > scored("macro_f1", found.second) + 0.2


def test_the_same_value_is_so_in_fractions():
    """Macro recall, a mean of fractions with other denominators, is equal and not only close."""
    found = eh.properties.find("alike", "macro_recall", "accuracy", k=3, n=40, seed=1)

    def recall(table):
        return sum(Fraction(int(row[i]), int(sum(row))) for i, row in enumerate(table))

    assert recall(found.first) == recall(found.second)


@pytest.mark.parametrize(("k", "n"), [(2, 100), (3, 1000), (4, 1000)])
def test_the_widest_gap(k, n):
    found = eh.properties.find("gap", "accuracy", "kappa", k=k, n=n)
    assert found.second is None
    (first,), (second,) = found.values["macro_f1"], found.values["f1_of_averages"]
    assert second - first == pytest.approx(eh.f1_gap(found.first))
    assert bound(k) - 0.06 < second - first < bound(k)
    z = max(map(max, found.first))
    assert found.first == tuple(map(tuple, extremal(k, z).tolist()))


def test_metrics_where_lower_is_better_and_those_of_cells():
    found = eh.properties.find("disagree", "mean_absolute_error", "accuracy", n=30)
    low, high = found.values["mean_absolute_error"]
    assert low < high and found.values["accuracy"][0] < found.values["accuracy"][1]
    error = np.abs(np.subtract.outer(range(3), range(3)))
    wanted = [(np.array(t) * error).sum() / 30 for t in (found.first, found.second)]
    assert [low, high] == pytest.approx(wanted)


def test_functions_of_ones_own():
    def worst_recall(c):
        return (c.correct / c.prevalence).min(axis=-1)

    found = eh.properties.find("disagree", worst_recall, eh.accuracy, k=2, n=20)
    wanted = [min(r[i] / sum(r) for i, r in enumerate(t)) for t in (found.first, found.second)]
    assert found.values["worst_recall"] == pytest.approx(wanted)
    assert wanted[0] > wanted[1]


def test_a_seed_always_finds_the_same():
    ask = ("disagree", "accuracy", "mcc")
    one, same, other = (eh.properties.find(*ask, seed=s) for s in (1, 1, 2))
    assert one == same != other


@pytest.mark.parametrize(
    ("ask", "options", "words"),
    [
        (("differ", "mcc", "kappa"), {}, "goal must be 'disagree', 'alike' or 'gap', got 'differ'"),
        (("disagree", "mcc", "MCC"), {}, "expected two different metrics, got 'mcc'"),
        (("alike", "accuracy", "micro_f1"), {}, "no tables were found that accuracy and micro_f1"),
        (("gap", "mcc", "kappa"), {"k": 1}, "k must be a whole number from 2 to 100, got 1"),
        (("gap", "mcc", "kappa"), {"k": 4, "n": 3}, "n must be a whole number from 4 to .*, got 3"),
        (("gap", "mcc", "kappa"), {"seed": -1}, "seed must be a whole number"),
    ],
)  # fmt: skip
def test_what_cannot_be_found_is_said(ask, options, words):
    with pytest.raises(InputError, match=words):
        eh.properties.find(*ask, **options)


def test_a_metric_that_there_is_not():
    with pytest.raises(MetricError, match="no metric is called 'macro_f'"):
        eh.properties.find("disagree", "macro_f", "mcc")
