"""Multi-label data: margins and metrics against loops over items and labels."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

import evenhand as eh
from evenhand.catalogue.binding import evaluate
from evenhand.catalogue.lists import table_metrics
from evenhand.catalogue.spelling import Spec
from tests import oracle
from tests.laws.strategies import POLICIES, spellings


@st.composite
def indicators(draw, max_n=8, max_k=4):
    shape = draw(st.tuples(st.integers(1, max_n), st.integers(1, max_k)))
    true, pred = (draw(hnp.arrays(np.int64, shape, elements=st.integers(0, 1))) for _ in "tp")
    weights = draw(
        st.one_of(
            st.none(),
            st.lists(st.integers(1, 8).map(lambda x: x / 4), min_size=shape[0], max_size=shape[0]),
        )
    )
    return true, pred, weights


def by_item(name, true, pred, weights, undefined):
    """Item averages, straight from their definitions."""
    worth = None if math.isnan(undefined) else Fraction(undefined)
    found = []
    for t, p in zip(true.tolist(), pred.tolist(), strict=True):
        t, p = ({i for i, x in enumerate(row) if x} for row in (t, p))
        hits = len(t & p)
        top, bottom = {
            "subset_accuracy": (t == p, 1),
            "hamming_loss": (len(t ^ p), true.shape[1]),
            "samples_precision": (hits, len(p)),
            "samples_recall": (hits, len(t)),
            "samples_f1": (2 * hits, len(p) + len(t)),
            "samples_jaccard": (hits, len(p | t)),
        }[name]
        found.append(Fraction(top, bottom) if bottom else worth)
    w = [Fraction(x) for x in (weights or [1] * len(true))]
    known = [(x, v) for x, v in zip(found, w, strict=True) if x is not None]
    if not known:
        return math.nan
    return float(sum(x * v for x, v in known) / sum(v for _, v in known))


@given(data=indicators(), undefined=st.sampled_from(POLICIES))
def test_item_averages(data, undefined):
    multi = eh.MultiLabel.from_indicators(*data[:2], weights=data[2])
    names = [m.name for m in table_metrics().values() if m.needs == "items"]
    assert len(names) == 6
    for name in names:
        expected = by_item(name, *data, undefined)
        found = float(evaluate(name, multi, undefined=undefined))
        assert found == pytest.approx(expected, abs=1e-12, nan_ok=True), name


def margins(true, pred, weights):
    w = np.ones(len(true)) if weights is None else np.array(weights)
    return ((w[:, None] * side).sum(axis=0) for side in (true * pred, pred, true))


@given(data=indicators())
def test_margins(data):
    multi = eh.MultiLabel.from_indicators(*data[:2], weights=data[2])
    correct, bias, prevalence = margins(*data)
    assert np.allclose(multi.correct, correct)
    assert np.allclose(multi.bias, bias)
    assert np.allclose(multi.prevalence, prevalence)
    assert multi.n == len(data[0])
    assert multi.total == pytest.approx(sum(data[2]) if data[2] else len(data[0]))


@given(
    data=indicators(),
    undefined=st.sampled_from(POLICIES),
    rule=st.sampled_from(["task", "true", "seen"]),
)
def test_label_averages(data, undefined, rule):
    """A label's margins are those of a class: tp, tp + fp, tp + fn."""
    multi = eh.MultiLabel.from_indicators(*data[:2], weights=data[2])
    correct, bias, prevalence = margins(*data)
    true = prevalence > 0
    there = {"task": bias >= 0, "true": true, "seen": true | (bias > 0)}[rule]
    exact = oracle.Exact([[0]], averaged=np.flatnonzero(there).tolist(), undefined=undefined)
    exact.thrown_together = range(len(bias))
    exact.tp = [Fraction(x) for x in correct]
    exact.fp = [Fraction(b - c) for b, c in zip(bias, correct, strict=True)]
    exact.fn = [Fraction(p - c) for p, c in zip(prevalence, correct, strict=True)]
    for text in spellings("multi", one_class=False):
        spec = Spec.parse(text)
        if spec.metric.needs == "items":
            continue
        value = oracle.METRICS[spec.metric.name](exact, **spec.options)
        found = float(evaluate(text, multi, classes=rule, undefined=undefined))
        expected = math.nan if value is None else float(value)
        assert found == pytest.approx(expected, abs=1e-12, nan_ok=True), text


@given(data=indicators())
def test_every_form_of_input_is_the_same(data):
    true, pred, weights = data
    names = [f"l{i}" for i in range(true.shape[1])]

    def sets(m):
        return [{names[j] for j in np.flatnonzero(row)} for row in m]

    forms = [
        (true, pred),
        (true.astype(bool), pred.astype(float)),
        (true.tolist(), pred.tolist()),
        (sparse.csr_matrix(true), sparse.coo_array(pred)),
        (sparse.csc_array(true), pred),
        (sets(true), sets(pred)),
    ]
    made = [eh.MultiLabel.from_indicators(*f, labels=names, weights=weights) for f in forms]
    for other in made[1:]:
        assert np.array_equal(other.true.toarray(), made[0].true.toarray())
        assert np.array_equal(other.pred.toarray(), made[0].pred.toarray())
        assert other.labels == made[0].labels


@given(data=indicators())
def test_one_label_each_is_a_single_label_task(data):
    """Items with exactly one true and one predicted label: averages are the table's."""
    true, pred = data[0].argmax(axis=1), data[1].argmax(axis=1)
    k = data[0].shape[1]
    multi = eh.MultiLabel.from_indicators(np.eye(k)[true], np.eye(k)[pred], weights=data[2])
    table = eh.Confusion.from_labels(true, pred, labels=range(k), weights=data[2])
    for text in spellings("multi", one_class=False):
        if Spec.parse(text).metric.needs == "counts":
            found = [float(evaluate(text, data, classes="true")) for data in (multi, table)]
            assert math.isclose(*found, abs_tol=1e-12), text
    assert evaluate("subset_accuracy", multi) == pytest.approx(evaluate("accuracy", table))


def test_whole_table_metrics_are_refused():
    multi = eh.MultiLabel.from_indicators([{"a"}, {"b"}], [{"a"}, {"a", "b"}])
    for name in ("accuracy", "kappa", "mcc", "bookmaker_gain"):
        with pytest.raises(eh.MetricError, match="not defined for multi-label data"):
            getattr(eh, name)(multi)
    with pytest.raises(eh.MetricError, match="no class mix to calibrate"):
        eh.score(multi, metrics=["macro_f1@uniform"])
    with pytest.raises(eh.MetricError, match="for multi-label data"):
        eh.hamming_loss([[1, 0], [0, 1]])
