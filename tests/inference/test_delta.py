"""Standard errors against closed forms and published formulas."""

import numpy as np
import pytest

import evenhand as eh
from evenhand.catalogue.binding import bind, evaluate
from evenhand.catalogue.lists import default_metrics
from evenhand.errors import InputError
from evenhand.inference.intervals import IntervalSettings, estimates
from evenhand.inference.rows import rows_of

TABLES = [
    np.array([[6, 1, 1], [1, 5, 2], [2, 3, 7]]),
    np.array([[45, 5], [10, 40]]),
    np.array([[90, 4, 3, 2], [8, 30, 1, 5], [2, 2, 9, 1], [7, 1, 4, 12]]),
]


def table_error(table, kernel, stratify=False):
    rows = rows_of(table)
    psi = rows.centred(rows.influences([kernel])[0], by_class=stratify)
    return rows.root_sum_squares(rows.unit_influences(psi)).reshape(table.shape)


def error(table, metric, **options):
    made = table if isinstance(table, eh.Confusion) else eh.Confusion.from_matrix(table)
    return float(table_error(made, bind(metric, made), **options))


def fleiss_cohen_everitt(m):
    """Large-sample variance of unweighted kappa, Fleiss, Cohen & Everitt (1969), eq. 13."""
    n = m.sum()
    p = m / n
    row, column = p.sum(1), p.sum(0)
    po, pe = np.trace(p), row @ column
    k = len(p)
    first = sum(p[i, i] * ((1 - pe) - (row[i] + column[i]) * (1 - po)) ** 2 for i in range(k))
    second = (1 - po) ** 2 * sum(
        p[i, j] * (column[i] + row[j]) ** 2 for i in range(k) for j in range(k) if i != j
    )
    third = (po * pe - 2 * pe + po) ** 2
    return (first + second - third) / (n * (1 - pe) ** 4)


def takahashi_macro(m):
    """Variance of the mean of F1, Takahashi et al. (2022), section 3.2."""
    n = m.sum()
    p = m / n
    r = len(p)
    both = p.sum(1) + p.sum(0)
    f, wrong = 2 * np.diag(p) / both, both - 2 * np.diag(p)
    own = (f * wrong / both**2 * (wrong / both + f / 2)).sum()
    cross = sum(
        p[i, j] * f[i] * f[j] / (both[i] * both[j]) for i in range(r) for j in range(r) if i != j
    )
    return 2 / (n * r**2) * (own + cross)


def takahashi_averages(m):
    """Variance of the F1 of averages, Takahashi et al. (2022), section 3.3: via P̄ and R̄."""
    n = m.sum()
    p = m / n
    r = len(p)
    row, column, hit = p.sum(1), p.sum(0), np.diag(p)
    recall, precision = hit / row, hit / column
    mean_r, mean_p = recall.mean(), precision.mean()
    var_p = sum(hit[i] * (column[i] - hit[i]) / column[i] ** 3 for i in range(r)) / r**2
    var_r = sum(hit[i] * (row[i] - hit[i]) / row[i] ** 3 for i in range(r)) / r**2
    own = sum(
        (row[i] - hit[i]) * hit[i] * (column[i] - hit[i]) / (row[i] ** 2 * column[i] ** 2)
        for i in range(r)
    )
    cross = sum(
        p[i, j] * hit[i] * hit[j] / (row[i] ** 2 * column[j] ** 2)
        for i in range(r)
        for j in range(r)
        if i != j
    )
    covariance = (own + cross) / r**2
    scale = 4 / (mean_p + mean_r) ** 4 / n
    return scale * (mean_r**4 * var_p + 2 * mean_p**2 * mean_r**2 * covariance + mean_p**4 * var_r)


@pytest.mark.parametrize("m", TABLES)
def test_accuracy_in_closed_form(m):
    p, n = np.trace(m) / m.sum(), m.sum()
    assert error(m, "accuracy") == pytest.approx(np.sqrt(p * (1 - p) / n), rel=1e-12)


@pytest.mark.parametrize("m", TABLES)
def test_kappa_as_published(m):
    assert error(m, "kappa") ** 2 == pytest.approx(fleiss_cohen_everitt(m), rel=1e-10)


@pytest.mark.parametrize("m", TABLES)
def test_both_macro_f1_as_published(m):
    assert error(m, "macro_f1") ** 2 == pytest.approx(takahashi_macro(m), rel=1e-10)
    assert error(m, "f1_of_averages") ** 2 == pytest.approx(takahashi_averages(m), rel=1e-10)


@pytest.mark.parametrize("m", TABLES)
def test_stratified_macro_recall_is_a_mean_of_binomials(m):
    prevalence, recall = m.sum(1), np.diag(m) / m.sum(1)
    expected = np.sqrt((recall * (1 - recall) / prevalence).sum()) / len(m)
    assert error(m, "macro_recall", stratify=True) == pytest.approx(expected, rel=1e-12)
    # recalls have no mass between classes to give, so that stratifying changes nothing
    assert error(m, "macro_recall") == pytest.approx(expected, rel=1e-12)
    assert error(m, "accuracy", stratify=True) < error(m, "accuracy")


def test_calibrated_accuracy_is_macro_recall():
    assert error(TABLES[2], "accuracy@uniform") == pytest.approx(
        error(TABLES[2], "macro_recall"), rel=1e-12
    )


@pytest.mark.parametrize(
    "metric", ["macro_f1@uniform", "mcc@0=0.1,1=0.2,2=0.3,3=0.4", "kappa@uniform", "bookmaker_gain"]
)
def test_calibrated_influence_by_finite_differences(metric):
    table = eh.Confusion.from_matrix(TABLES[2])
    rows, kernel = rows_of(table), bind(metric, table)
    found = rows.influences([kernel])[0, 0]
    for i in range(len(rows.weight)):
        step = np.zeros_like(rows.weight)
        step[i] = 1e-5
        up, down = rows.values([kernel], np.stack([rows.weight + step, rows.weight - step]))[0]
        assert found[i] == pytest.approx(float(up[0] - down[0]) / 2e-5, rel=1e-4, abs=1e-9)
    assert error(table, metric) == pytest.approx(float(rows.standard_error(found)), rel=1e-10)


def test_weights_keep_their_squares():
    rng = np.random.default_rng(0)
    true, pred = rng.integers(0, 3, (2, 200))
    w = rng.uniform(0.5, 3, 200)
    table = eh.Confusion.from_labels(true, pred, weights=w)
    right = true == pred
    p = (w * right).sum() / w.sum()
    expected = np.sqrt((w**2 * (right - p) ** 2).sum()) / w.sum()
    assert error(table, "accuracy") == pytest.approx(expected, rel=1e-12)
    sample = eh.Sample.from_labels(true, {"A": pred}, weights=w)
    rows = rows_of(sample)
    for metric in ("macro_f1", "mcc", "macro_f1@uniform"):
        psi = rows.influences([bind(metric, sample.tables())])[0]
        assert float(rows.standard_error(psi)[0]) == pytest.approx(error(table, metric), rel=1e-9)


def test_clusters_are_summed_first():
    rng = np.random.default_rng(1)
    true, pred = rng.integers(0, 3, (2, 90))
    group = np.repeat(np.arange(30), 3)
    sample = eh.Sample.from_labels(true, {"A": pred}, cluster=group)
    right = (true == pred).astype(float)
    sums = (right - right.mean()).reshape(30, 3).sum(1)
    expected = np.sqrt((sums**2).sum() * 30 / 29) / 90
    found = estimates(sample, [bind("accuracy", sample.tables())], IntervalSettings("delta"))[0]
    assert found.se[0] == pytest.approx(expected, rel=1e-12)
    alone = eh.Sample.from_labels(true, {"A": pred}, cluster=np.arange(90))
    found = estimates(alone, [bind("macro_f1", alone.tables())], IntervalSettings("delta"))[0]
    plain = error(eh.Confusion.from_labels(true, pred), "macro_f1")
    assert found.se[0] == pytest.approx(plain * np.sqrt(90 / 89), rel=1e-10)


def test_copies_of_an_item_in_clusters_are_one_item():
    rng = np.random.default_rng(2)
    true, pred = rng.integers(0, 3, (2, 60))
    once = eh.Sample.from_labels(true, {"A": pred}, cluster=np.arange(60))
    twice = eh.Sample.from_labels(
        np.tile(true, 2), {"A": np.tile(pred, 2)}, cluster=np.tile(np.arange(60), 2)
    )
    a, b = (
        estimates(s, [bind("mcc", s.tables())], IntervalSettings("delta"))[0].se[0]
        for s in (once, twice)
    )
    assert a == pytest.approx(b, rel=1e-10)


@pytest.mark.parametrize("metric", ["macro_f1", "micro_f1", "samples_f1", "hamming_loss"])
def test_multilabel_by_leaving_items_out(metric):
    rng = np.random.default_rng(3)
    true, pred = rng.integers(0, 2, (2, 300, 4))
    multi = eh.MultiLabel.from_indicators(true, pred)
    rows, kernel = rows_of(multi), bind(metric, multi)
    found = float(rows.standard_error(rows.influences([kernel])[0])[0])
    jackknife = [
        float(evaluate(metric, m))
        for i in range(300)
        for m in [eh.MultiLabel.from_indicators(np.delete(true, i, 0), np.delete(pred, i, 0))]
    ]
    assert found == pytest.approx(np.std(jackknife) * np.sqrt(299), rel=0.02)


def test_soft_items():
    rng = np.random.default_rng(4)
    true = rng.integers(0, 3, 400)
    p = rng.dirichlet(np.ones(3), 400)
    sample = eh.Sample.from_probabilities(true, {"A": p}, labels=[0, 1, 2])
    found = estimates(sample, [bind("accuracy", sample.tables())], IntervalSettings("delta"))[0]
    assert found.se[0] == pytest.approx(p[np.arange(400), true].std() / 20, rel=1e-10)


def test_a_soft_table_cannot_know():
    table = eh.Confusion.from_probabilities(["a", "b"], [[0.7, 0.3], [0.4, 0.6]], labels="ab")
    with pytest.raises(InputError, match="cannot know how its items vary"):
        eh.score(table, interval="delta")
    with pytest.raises(InputError, match="cannot be resampled"):
        eh.score(table, interval="bootstrap")
    found = eh.score(table, metrics=["macro_f1"])
    assert found["expected_macro_f1"].low is None
    assert any("a table of fractions has no variance" in w for w in found.warnings)
    assert found["expected_macro_f1"].signature.interval == "none"


@pytest.mark.parametrize("metric", ["precision", "recall", "f1"])
def test_a_class_as_in_the_class_table(metric):
    table = eh.Confusion.from_matrix(TABLES[2], labels="abcd", outside=[1, 0, 2, 0])
    found = eh.score(table, metrics=[f"{metric}:label=c"], interval="delta")
    one, listed = found[f"{metric}:label=c"], found.classes[2].intervals[metric]
    assert (listed.se, listed.low, listed.high) == pytest.approx((one.se, one.low, one.high))


def test_class_table_of_clusters_and_items():
    rng = np.random.default_rng(5)
    true, pred = rng.integers(0, 3, (2, 120))
    sample = eh.Sample.from_labels(true, {"A": pred}, cluster=rng.integers(0, 30, 120))
    found = eh.score(sample, metrics=[f"f1:label={i}" for i in range(3)], interval="delta")
    for i in range(3):
        assert found.classes[i].intervals["f1"].se == pytest.approx(found[f"f1:label={i}"].se)
    multi = eh.MultiLabel.from_indicators(*rng.integers(0, 2, (2, 80, 3)))
    found = eh.score(multi, metrics=[f"f1:label={i}" for i in range(3)], interval="delta")
    for i in range(3):
        assert found.classes[i].intervals["f1"].se == pytest.approx(found[f"f1:label={i}"].se)


def test_sparse_is_dense():
    rng = np.random.default_rng(6)
    true = rng.integers(0, 1500, 4000)
    pred = np.where(rng.random(4000) < 0.7, true, rng.integers(0, 1500, 4000))
    sparse = eh.Confusion.from_labels(true, pred)
    small = eh.Confusion.from_labels(true % 30, pred % 30)
    assert type(sparse.data).__name__ == "SparseCells"
    assert error(sparse, "accuracy") == pytest.approx(
        np.sqrt(np.mean(true == pred) * np.mean(true != pred) / 4000), rel=1e-9
    )
    assert error(small, "macro_f1") > 0


MISSED = [[40, 10, 0], [5, 45, 0], [3, 2, 0]]


@pytest.mark.parametrize("scale", [1, 10**9])
@pytest.mark.parametrize("spec", [*default_metrics(), "macro_recall:p=0.5", "macro_recall:p=0.9"])
def test_an_infinite_slope_has_no_error(spec, scale):
    """A root of a recall of 0 has one; an average or a ratio has not, nor a root elsewhere."""
    missed, seen = (
        eh.Confusion.from_matrix(scale * np.array(m)) for m in (MISSED, [[4, 1], [2, 3]])
    )
    steep = str(spec) in ("geometric_macro_recall", "macro_recall:p=0.5", "macro_recall:p=0.9")
    assert np.isnan(table_error(missed, bind(spec, missed))) == steep
    assert np.isfinite(table_error(seen, bind(spec, seen)))


def test_an_infinite_slope_is_unknown_in_its_own_table_alone():
    hit = eh.Confusion.from_matrix([[40, 10, 0], [5, 45, 0], [1, 2, 2]], labels=range(3))
    missed = eh.Confusion.from_matrix(MISSED, labels=range(3))
    both = eh.Confusion.stack([missed, hit])
    for metric in ("geometric_macro_recall", "geometric_macro_recall@uniform"):
        found = table_error(both, bind(metric, both))
        assert np.isnan(found[0])
        assert found[1] == pytest.approx(float(table_error(hit, bind(metric, hit))))
