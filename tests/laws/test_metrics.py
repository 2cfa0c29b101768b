"""Laws that every metric of the registry obeys. Each example tries them all."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import evenhand as eh
from evenhand.catalogue.binding import evaluate
from evenhand.catalogue.lists import table_metrics, with_distance
from evenhand.catalogue.spelling import Spec
from tests import oracle
from tests.laws.strategies import (
    COUNTS,
    POLICIES,
    SINGLE,
    averages,
    cells,
    fitting,
    full_cells,
    sparse,
    tables,
    wide,
)

METRICS = table_metrics()
TINY = 1e-12
RULES = st.sampled_from(["seen", "true"])
UNDEFINED = st.sampled_from(POLICIES)


def same(a, b, close=TINY):
    return np.allclose(a, b, rtol=close, atol=close, equal_nan=True)


def breaking(law, texts=SINGLE):
    """The metrics that break a law."""

    def holds(text):
        try:
            return law(text)
        except Exception as e:
            e.add_note(f"metric: {text}")
            raise

    return [text for text in texts if not holds(text)]


@given(table=tables() | wide(), undefined=UNDEFINED, classes=RULES)
@settings(max_examples=50)
def test_range(table, undefined, classes):
    """No rounding takes a value out of it: a rate is never above 1."""

    def holds(text):
        record = Spec.parse(text).metric
        value = float(evaluate(text, table, classes=classes, undefined=undefined))
        if math.isnan(value):
            return math.isnan(undefined)
        return record.low <= value <= record.high

    names = [*SINGLE, *(m.name for m in averages())]
    mixed = [f"{t}@uniform" for t in names if Spec.parse(t).metric.size != "matters"]
    assert breaking(holds, [*fitting(names, table), *mixed]) == []


@pytest.mark.parametrize(
    "name, cells, end",
    [
        ("off_by_one_accuracy", [[0.6, 0.3], [0.5, 0.1]], 1),
        ("lambda_a", [[0.3, 0.4, 0.2], [0.8, 0.2, 0.4], [0.9, 0.9, 0.4]], 0),
        ("scott_pi", [[0.0, 0.7], [0.5, 0.0]], -1),
        ("weighted_kappa", [[0.0, 0.7], [0.7, 0.0]], -1),
    ],
)
def test_tenths_reach_the_end_of_the_range_and_not_beyond(name, cells, end):
    value = float(evaluate(name, eh.Confusion.from_matrix(cells)))
    assert value == pytest.approx(end, abs=1e-15)
    assert METRICS[name].low <= value <= METRICS[name].high


@given(diagonal=st.lists(st.integers(1, 50), min_size=2, max_size=6), undefined=UNDEFINED)
def test_perfect_is_best(diagonal, undefined):
    table = eh.Confusion.from_matrix(np.diag(diagonal))

    def holds(text):
        record = Spec.parse(text).metric
        if record.better == "neither" or math.isinf(record.best):
            return True
        return same(evaluate(text, table, undefined=undefined), record.best)

    assert breaking(holds) == []


def test_what_is_no_average_does_not_ask_which_classes_are_averaged():
    table = eh.Confusion.from_matrix([[6, 1, 1], [1, 5, 2], [2, 3, 7]], labels="abc")

    def holds(text):
        record = Spec.parse(text).metric
        if record.of_one_class:
            return not record.averages
        each = [evaluate(text, table, classes=list(c)) for c in ("ab", "bc", "ac")]
        return same(min(each), max(each)) != record.averages

    assert breaking(holds, fitting(SINGLE, table)) == []


@given(table=tables(min_k=2), undefined=UNDEFINED, seed=st.randoms(use_true_random=False))
def test_the_order_of_classes_is_nothing(table, undefined, seed):
    order = list(range(table.k))
    seed.shuffle(order)
    moved = eh.Confusion.from_matrix(
        table.cells[np.ix_(order, order)], labels=order, outside=table.outside[order]
    )

    def holds(text):
        return same(*(evaluate(text, t, undefined=undefined) for t in (table, moved)))

    texts = [t for t in fitting(SINGLE, table) if not Spec.parse(t).metric.ordered]
    assert breaking(holds, texts) == []


@given(table=tables(min_k=2), undefined=UNDEFINED)
def test_where_order_matters_its_direction_does_not(table, undefined):
    turned = eh.Confusion.from_matrix(table.cells[::-1, ::-1], outside=table.outside[::-1])

    def holds(text):
        return same(*(evaluate(text, t, undefined=undefined) for t in (table, turned)))

    texts = [t for t in fitting(COUNTS, table) if Spec.parse(t).metric.ordered]
    assert len(texts) > 4
    assert breaking(holds, texts) == []


@st.composite
def apart(draw, k):
    """Distances of k classes, any numbers that need not be the same both ways, or a tree."""
    if draw(st.booleans()):
        far = draw(hnp.arrays(np.float64, (k, k), elements=st.integers(0, 9), fill=st.nothing()))
        np.fill_diagonal(far, 0)
        return eh.Distance.from_matrix(far, labels=range(k))
    above = st.sampled_from([-1, -2])  # no classes; or one with a smaller number
    return eh.Distance.from_tree(
        {i: draw(above | st.integers(0, i - 1) if i else above) for i in range(k)}
    )


@given(data=st.data(), table=tables(min_k=2), undefined=UNDEFINED)
def test_classes_that_move_with_their_distances_stay_as_they_are(data, table, undefined):
    """Whatever the order in which classes and distances are given, together or each its own."""
    distance = data.draw(apart(table.k))
    order, other = (data.draw(st.permutations(range(table.k))) for _ in range(2))
    moved = eh.Confusion.from_matrix(
        table.cells[np.ix_(order, order)], labels=order, outside=table.outside[order]
    )
    turned = distance
    if distance.kind == "matrix":
        turned = eh.Distance.from_matrix(distance.far[np.ix_(other, other)], labels=other)
    taking = [m for m in table_metrics().values() if "distance" in m.parameters]
    specs = [Spec(m) for m in taking if distance.kind == "tree" or m.distances != ("tree",)]
    assert len(specs) > (8 if distance.kind == "tree" else 4)

    def holds(spec):
        given = (table, distance), (moved, turned)
        return same(*(evaluate(with_distance(spec, d), t, undefined=undefined) for t, d in given))

    assert breaking(holds, specs) == []


def test_records_say_what_depends_on_the_classes_averaged():
    table = eh.Confusion.from_matrix([[6, 1, 1, 0], [1, 5, 2, 1], [2, 3, 7, 2], [1, 0, 2, 4]])
    made = [m.name for m in averages()]

    def holds(text):
        every, *some = (evaluate(text, table, classes=c) for c in ("task", [0, 2], [1, 3]))
        return any(value != every for value in some) == Spec.parse(text).metric.averages

    assert breaking(holds, [*COUNTS, *made]) == []


@given(table=tables(), undefined=UNDEFINED, factor=st.sampled_from([3, 1000, 0.25, 1e-15]))
def test_the_size_of_the_sample_is_nothing(table, undefined, factor):
    grown = eh.Confusion.from_matrix(table.cells * factor, outside=table.outside * factor)

    def holds(text):
        per_item = factor if Spec.parse(text).metric.size == "factor" else 1
        before, after = (evaluate(text, t, undefined=undefined) for t in (table, grown))
        return same(after, per_item * before)

    texts = [t for t in SINGLE if Spec.parse(t).metric.size != "matters"]
    assert breaking(holds, texts) == []


@given(stack=cells(max_k=4, shape=(2, 3)), undefined=UNDEFINED, classes=RULES)
def test_a_batch_is_a_loop(stack, undefined, classes):
    options = {"undefined": undefined, "classes": classes}
    table = eh.Confusion.from_matrix(stack)
    single = {at: eh.Confusion.from_matrix(stack[at]) for at in np.ndindex(2, 3)}

    def holds(text):
        found = evaluate(text, table, **options)
        return found.shape == (2, 3) and all(
            same(found[at], evaluate(text, one, **options), 1e-14) for at, one in single.items()
        )

    assert breaking(holds) == []


@given(table=tables(), undefined=UNDEFINED, classes=RULES)
def test_sparse_is_dense(table, undefined, classes):
    options = {"undefined": undefined, "classes": classes}
    pair = table, sparse(table)

    def holds(text):
        return same(*(evaluate(text, t, **options) for t in pair), 1e-13)

    mixed = [f"{t}@uniform" for t in SINGLE if Spec.parse(t).metric.size != "matters"]
    assert breaking(holds, [*fitting(SINGLE, table), *mixed]) == []


@given(table=full_cells(), factors=st.lists(st.floats(0.01, 100), min_size=5, max_size=5))
def test_calibrated_metrics_do_not_feel_prevalence(table, factors):
    scaled = eh.Confusion.from_matrix(table * np.array(factors)[: len(table), None])
    before = eh.Confusion.from_matrix(table)

    def holds(text):
        return same(*(evaluate(f"{text}@uniform", t) for t in (before, scaled)), 1e-10)

    assert breaking(holds, [t for t in SINGLE if Spec.parse(t).metric.size != "matters"]) == []


@given(
    m=cells(max_k=4), undefined=UNDEFINED, rule=st.sampled_from(["task", "true", "seen", "listed"])
)
def test_exact_fractions(m, undefined, rule):
    """The documents' formulas in fractions, under every policy and rule."""
    table = eh.Confusion.from_matrix(m)
    classes = list(range(0, len(m), 2)) if rule == "listed" else rule
    averaged = np.flatnonzero(table.averaged(classes)).tolist()

    def holds(text):
        spec = Spec.parse(text)
        everything = spec.metric.name.startswith("micro") and rule != "listed"
        options = {"undefined": undefined, **spec.options}
        options["averaged"] = range(len(m)) if everything else averaged
        exact = oracle.value(spec.metric.name, m.tolist(), **options)
        return same(evaluate(text, table, classes=classes, undefined=undefined), exact)

    assert breaking(holds, COUNTS) == []


@given(table=tables(outside=True))
def test_exact_fractions_with_answers_outside(table):
    options = {"outside": table.outside.tolist()}

    def holds(text):
        spec = Spec.parse(text)
        exact = oracle.value(spec.metric.name, table.cells.tolist(), **options, **spec.options)
        return same(evaluate(text, table), exact, 1e-11)

    assert breaking(holds, fitting(COUNTS, table)) == []


@given(table=tables(max_k=4), undefined=UNDEFINED)
@settings(max_examples=15)
def test_averages_of_any_metric_of_one_class(table, undefined):
    options = {"outside": table.outside.tolist(), "undefined": undefined}

    def holds(text):
        spec = Spec.parse(text)
        exact = oracle.value(spec.metric.name, table.cells.tolist(), **options, **spec.options)
        return same(evaluate(text, table, undefined=undefined), exact, 1e-10)

    names = [m.name for m in averages()]
    assert len(names) > 75
    powers = ["macro_jaccard:p=-2", "macro_specificity:p=0", "weighted_fbeta:beta=2"]
    assert breaking(holds, [*names, *powers]) == []


@given(m=full_cells(max_k=4))
@settings(max_examples=20)
def test_exact_fractions_after_calibration(m):
    """Each true row divided by k times its sum, in fractions."""
    rows = [oracle.shares(row, len(m)) for row in m.tolist()]
    table = eh.Confusion.from_matrix(m)

    def holds(text):
        spec = Spec.parse(text)
        exact = oracle.value(spec.metric.name, rows, **spec.options)
        return same(evaluate(f"{text}@uniform", table), exact, 1e-11)

    assert breaking(holds, [t for t in COUNTS if Spec.parse(t).metric.size != "matters"]) == []


def test_the_oracle_knows_every_metric_of_margins():
    """A new metric comes with its formula in fractions."""
    names = {Spec.parse(text).metric.name for text in COUNTS}
    assert names == set(oracle.METRICS)
    assert set(oracle.CLASSES) == {m.name for m in table_metrics().values() if m.of_one_class}


def test_a_metric_that_breaks_a_law_is_found():
    assert breaking(lambda text: text != "kappa") == ["kappa"]
    with pytest.raises(AssertionError):
        assert breaking(lambda text: False) == []
