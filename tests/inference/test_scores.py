"""Standard errors of metrics of scores: DeLong's by its definition, and finite differences."""

import numpy as np
import pytest

import evenhand as eh
from evenhand.inference import delta

METRICS = (
    "roc_auc",
    "roc_auc:average=ovr_weighted",
    "roc_auc:average=ovo",
    "roc_auc:average=micro",
    "roc_auc:max_fpr=0.3",
    "average_precision",
    "average_precision:average=micro",
    "pr_auc_trapezoid",
    "brier",
    "brier_discrimination",
    "brier_uncertainty",
    "log_loss",
    "top_k_accuracy:k=1",
    "roc_auc:label=1",
)


def data(seed=0, n=60, k=3):
    rng = np.random.default_rng(seed)
    true = np.concatenate([np.arange(k), rng.integers(0, k, n - k)])
    p = rng.dirichlet(np.ones(k), (2, n))
    p[0, np.arange(n), true] += 0.6
    p[1, np.arange(n), true] += 0.4
    p = np.rint(10 * p) + 1
    return true, p / p.sum(axis=-1, keepdims=True), rng.integers(1, 4, n) / 2


def placements(true, score):
    """DeLong's components of an area, from all pairs of items; a tie is half."""
    positive, negative = score[true == 1], score[true == 0]
    higher = (positive[:, None] > negative) + (positive[:, None] == negative) / 2
    return higher.mean(), higher.mean(axis=1), higher.mean(axis=0)


def test_delong():
    """The variance of an area, and of a difference, by the definition in all pairs."""
    rng = np.random.default_rng(1)
    true = np.repeat([0, 1], [30, 20])
    a, b = (np.clip(0.3 * true + 0.6 * rng.random(50), 0, 1).round(1) for _ in range(2))
    (one, p1, n1), (two, p2, n2) = placements(true, a), placements(true, b)

    def variance(p, n):
        # the mean square in the place of the unbiased variance, as of every metric here
        return p.var() / len(p) + n.var() / len(n)

    score = eh.score(true, a, metrics="roc_auc", interval="delta")["roc_auc"]
    assert score.value == pytest.approx(one, abs=1e-12)
    assert score.se == pytest.approx(np.sqrt(variance(p1, n1)), rel=1e-9)
    pair = eh.compare(true, {"A": a, "B": b}, metrics="roc_auc")["roc_auc"]
    assert pair.difference == pytest.approx(one - two, abs=1e-12)
    assert pair.se == pytest.approx(np.sqrt(variance(p1 - p2, n1 - n2)), rel=1e-9)
    assert set(pair.p) == {"delta"}


@pytest.mark.parametrize("metric", METRICS)
def test_influences_are_derivatives(metric):
    """Each item's influence is the slope of the metric in its weight."""
    from evenhand.catalogue.binding import bind
    from evenhand.inference.rows import rows_of

    true, p, weight = data()
    soft = eh.Sample.from_probabilities(true, {"A": p[0], "B": p[1]}, weights=weight)
    rows, kernel = rows_of(soft), bind(metric, soft.tables())
    slopes = rows.influences([kernel])[0]
    step = 1e-5
    moved = rows.weight + step * np.concatenate([np.eye(len(true)), -np.eye(len(true))])
    (values,) = rows.values([kernel], moved)
    expected = (values[: len(true)] - values[len(true) :]).T / (2 * step)
    np.testing.assert_allclose(slopes, expected, atol=2e-6)


@pytest.mark.parametrize("metric", METRICS)
def test_clusters_of_copies_are_items(metric):
    """Every item twice, in a cluster of its own: the error is that of the items once."""
    true, p, _ = data(2)
    once = eh.score(true, p[0], metrics=metric, interval="delta")[metric]
    doubled = np.repeat(true, 2), np.repeat(p[0], 2, axis=0)
    cluster = np.repeat(np.arange(len(true)), 2)
    twice = eh.score(*doubled, metrics=metric, interval="delta", cluster=cluster)[metric]
    assert twice.value == pytest.approx(once.value, abs=1e-12)
    n = len(true)
    assert twice.se == pytest.approx(once.se * np.sqrt(n / (n - 1)), rel=1e-9)


def test_weights_are_repetitions():
    true, p, _ = data(3)
    weight = 1 + np.arange(len(true)) % 3
    repeated = np.repeat(true, weight), np.repeat(p[0], weight, axis=0)
    for metric in METRICS:
        one = eh.score(true, p[0], metrics=metric, weights=weight)[metric].value
        assert one == pytest.approx(eh.score(*repeated, metrics=metric)[metric].value, abs=1e-12)


def test_log_loss_is_on_the_logarithmic_scale():
    """value · exp(± t·se/value), never below 0, and at most twice as far up as on a plain scale."""
    true, p, _ = data(4)
    loss = eh.score(true, p[0], metrics="log_loss")["log_loss"]
    assert loss.method == "delta, log"
    assert loss.high / loss.value == pytest.approx(loss.value / loss.low, rel=1e-12)
    small = eh.score(true % 2, np.where(true % 2, 0.99, 0.01), metrics="log_loss")["log_loss"]
    assert 0 < small.low < small.value < small.high < small.value + 5 * small.se


def test_no_interval_of_what_is_not_smooth():
    true, p, _ = data(4)
    scores = eh.score(true, p[0], metrics=["ece", "brier_miscalibration"])
    assert scores["ece"].low is None and scores["brier_miscalibration"].low is None
    assert [c.code for c in scores.cautions].count("no_gradient") == 2


def test_bootstrap_and_delta_agree():
    true, p, _ = data(5, n=300)
    names = ["roc_auc", "average_precision", "brier", "log_loss"]
    by_delta = eh.score(true, p[0], metrics=names)
    drawn = eh.score(true, p[0], metrics=names, interval="bootstrap", replicates=600)
    for name in names:
        assert drawn[name].se == pytest.approx(by_delta[name].se, rel=0.15)


def test_few_items_of_a_class_are_not_certain():
    """Ten items that all score high: the interval is wider than by slopes alone, and warned of."""
    rng = np.random.default_rng(6)
    true = np.repeat([0, 1], [90, 10])
    p = np.where(true == 1, 0.7 + 0.2 * rng.random(100), 0.75 * rng.random(100)).round(3)
    scores = eh.score(true, p, metrics="roc_auc")
    plain = eh.score(true, p, metrics="roc_auc", interval="delta")
    assert scores["roc_auc"].method == "wilson, effective"
    assert scores["roc_auc"].se > plain["roc_auc"].se
    assert scores["roc_auc"].low < plain["roc_auc"].low
    (note,) = (c for c in scores.cautions if c.code == "few_true_items")
    assert (note.labels, note.few, note.metrics) == ((1,), 50, ("roc_auc",))


def widths(true, p):
    scores = eh.score(true, p, metrics=["roc_auc", "average_precision"])
    return np.array([s.high - s.low for s in scores.values()])


@pytest.mark.parametrize("apart", [3.3, 5.5])
def test_one_item_or_class_more_never_changes_the_rule(apart):
    """Also of areas next to 1, whose slopes alone say nothing, widths change as items do."""
    from scipy.special import expit, ndtri

    def of_items(n):
        q = ndtri((np.arange(n) + 0.5) / n)
        return widths(np.repeat([0, 1], n), expit(np.r_[q, apart + q] - apart / 2))

    def of_classes(k):
        noise = np.random.default_rng(1).normal(0, 0.7, (12 * 21, 21))[: 12 * k, :k]
        true = np.repeat(np.arange(k), 12)
        p = np.exp(noise + apart * np.eye(k)[true])
        return widths(true, p / p.sum(axis=1, keepdims=True))

    assert of_items(999) == pytest.approx(of_items(1001), rel=0.01)
    assert of_classes(20) == pytest.approx(of_classes(21), rel=0.25)


def test_pseudo_items_tell_nothing_beside_many_items():
    """Above the limit errors are those of the items; a perfect order has an interval still."""
    rng = np.random.default_rng(3)
    true = np.repeat([0, 1], delta.MANY_SCORED)
    wide = rng.normal(size=len(true)) + 4 * true
    score, bare = (
        eh.score(true, wide, metrics="roc_auc", **options)["roc_auc"]
        for options in ({}, {"interval": "delta"})
    )
    assert score.se == bare.se
    fewer = eh.score(true[1:], wide[1:], metrics="roc_auc")["roc_auc"]
    assert bare.se < fewer.se == pytest.approx(bare.se, rel=0.01)
    perfect = eh.score(true, wide + 20 * true, metrics="roc_auc")["roc_auc"]
    assert 0.9999 < perfect.low < perfect.value == perfect.high == 1


def test_a_perfect_area_has_an_interval():
    """None of 20 × 50 pairs is in the wrong order: by no more than 3.7 / 20 items may be."""
    true, p = np.repeat([0, 1], [50, 20]), np.linspace(0.01, 0.99, 70)
    area = eh.score(true, p, metrics="roc_auc")["roc_auc"]
    assert (area.value, area.high) == (1.0, 1.0) and 1 - 3.7 / 20 < area.low < 1


@pytest.mark.parametrize("share", [0.1, 0.5])
def test_intervals_cover(share):
    """Areas and losses of 200 items with 95 % intervals, 150 times: hardly ever below 93 %."""
    from scipy.special import expit, ndtri

    rng, shift, names = np.random.default_rng(8), ndtri(0.85) * 2**0.5, ["roc_auc", "brier"]

    def drawn(n):
        true = (rng.random(n) < share).astype(int)
        score = shift * (rng.normal(size=n) + shift * true) - shift**2 / 2
        return true, expit(score + np.log(share / (1 - share)))

    truth = {name: getattr(eh, name)(*drawn(200_000)) for name in names}
    samples = [eh.score(*drawn(200), metrics=names) for _ in range(150)]
    for name in names:
        held = np.mean([s[name].low <= truth[name] <= s[name].high for s in samples])
        assert held > 0.93 - 2 * np.sqrt(0.95 * 0.05 / 150)
