"""Intervals as users ask for them: methods, refusals, degenerate tables, stacks."""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import multinomial

import evenhand as eh
from evenhand.catalogue.binding import bind, evaluate
from evenhand.catalogue.lists import table_metrics
from evenhand.core.ratio import ratio
from evenhand.errors import InputError, MetricError
from evenhand.inference.rows import rows_of
from evenhand.inference.wilson import wilson

EXAMPLE = [[6, 1, 1], [1, 5, 2], [2, 3, 7]]
LARGE = np.array([[90, 4, 3], [8, 30, 1], [2, 12, 19]])
EVERY = [
    m.name
    for m in table_metrics().values()
    if "single" in m.tasks and not m.of_one_class and m.smooth
]
METHODS = ["auto", "delta", "bootstrap", "bca"]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("undefined", [0, 1, "nan"])
@pytest.mark.parametrize("classes", ["seen", "true", [0, 2]])
def test_every_metric_has_an_interval(method, undefined, classes):
    spelled = ["macro_fbeta:beta=2", "macro_recall:p=-2", "f1:label=1", "macro_f1@uniform"]
    found = eh.score(
        LARGE,
        metrics=[*EVERY, *spelled, "mcc@0=0.2,1=0.3,2=0.5"],
        interval=method,
        replicates=300,
        classes=classes,
        undefined=undefined,
    )
    for s in found.metrics.values():
        assert s.low <= s.value <= s.high
        assert s.se > 0
        assert s.method


@pytest.mark.parametrize("method", METHODS)
def test_methods_agree_on_many_items(method):
    found = eh.score(LARGE * 200, metrics=["macro_f1", "f1_of_averages", "kappa"], interval=method)
    delta = eh.score(LARGE * 200, metrics=["macro_f1", "f1_of_averages", "kappa"], interval="delta")
    for name, s in found.metrics.items():
        assert s.se == pytest.approx(delta[name].se, rel=0.1)
        assert s.low == pytest.approx(delta[name].low, abs=0.15 * delta[name].se)
        assert s.high == pytest.approx(delta[name].high, abs=0.15 * delta[name].se)


@pytest.mark.parametrize(
    ("metric", "hits", "trials"),
    [
        ("accuracy", 139, 169),
        ("micro_f1", 139, 169),
        ("recall:label=1", 30, 39),
        ("precision:label=1", 30, 46),
        ("micro_recall", 139, 169),
    ],
)
def test_wilson_where_it_applies(metric, hits, trials):
    found = eh.score(LARGE, metrics=[metric], interval="wilson")[metric]
    low, high = wilson(np.array(hits), np.array(trials), 0.95)
    assert (found.low, found.high) == pytest.approx((float(low), float(high)))
    z = 1.959963984540054
    p = hits / trials  # Wilson's ends solve (p − π)² = z² π (1 − π) / n
    for end in (found.low, found.high):
        assert (p - end) ** 2 == pytest.approx(z**2 * end * (1 - end) / trials)


@pytest.mark.parametrize(
    "metric", ["macro_f1", "kappa", "fbeta:beta=2,label=1", "accuracy@uniform"]
)
def test_wilson_is_refused_elsewhere(metric):
    with pytest.raises(InputError, match="wilson is for plain proportions"):
        eh.score(LARGE, metrics=[metric], interval="wilson")


def test_wilson_needs_every_class_and_nothing_outside_for_micro_f1():
    with pytest.raises(InputError, match="micro_f1 is none here"):
        eh.score(LARGE, metrics=["micro_f1"], classes=[0, 1], interval="wilson")
    table = eh.Confusion.from_matrix(LARGE, outside=[1, 0, 0])
    with pytest.raises(InputError, match="micro_f1 is none here"):
        eh.score(table, metrics=["micro_f1"], interval="wilson")
    weighted = eh.Confusion.from_labels([0, 1, 1], [0, 1, 0], weights=[0.5, 1, 2])
    with pytest.raises(InputError, match="plain proportions of unweighted items"):
        eh.score(weighted, metrics=["accuracy"], interval="wilson")


def test_transformations_stay_in_range():
    good = [[99, 1], [1, 20]]
    plain = eh.score(good, metrics=["macro_f1", "mcc"], interval="delta")
    assert plain["macro_f1"].high > 1
    kept = eh.score(good, metrics=["macro_f1"], interval="delta", transform="logit")["macro_f1"]
    assert 0 < kept.low < kept.value < kept.high < 1
    assert kept.method == "delta, logit"
    assert kept.signature.interval == "delta-logit.95"
    fisher = eh.score(good, metrics=["mcc"], interval="delta", transform="fisher")["mcc"]
    z = 1.959963984540054 * fisher.se / (1 - fisher.value**2)
    assert fisher.low == pytest.approx(np.tanh(np.arctanh(fisher.value) - z))
    assert fisher.high == pytest.approx(np.tanh(np.arctanh(fisher.value) + z))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"transform": "logit", "interval": "delta"}, "transform 'logit' does not fit mcc"),
        ({"transform": "odd", "interval": "delta"}, "transform must be one of"),
        ({"transform": "logit"}, "transform goes with interval='delta'"),
        ({"interval": "exact"}, "interval must be one of"),
        ({"level": 1.0}, "level must be between 0 and 1"),
        ({"replicates": 0}, "replicates must be a whole number from 1"),
        ({"interval": "bca", "stratify": True}, "bca has no stratified form"),
    ],
)
def test_options_are_checked(options, message):
    with pytest.raises(InputError, match=message):
        eh.score(EXAMPLE, metrics=["mcc"], **options)


def test_the_gap_of_two_classes_is_cut_at_its_range():
    table = [[12, 5], [2, 9]]
    found = eh.score(table, metrics=["f1_gap"])["f1_gap"]
    plain = eh.score(table, metrics=["f1_gap"], interval="delta")["f1_gap"]
    assert plain.low < 0 == found.low < found.value < found.high
    assert found.method == "jackknife, cut" and found.signature.interval == "jackknife-cut.95"


def test_the_gap_of_more_classes_has_no_interval_but_a_corrected_value():
    """n·Δ − (n − 1)·mean of Δ with an item left out, here item by item."""
    table = 9 * np.eye(6, dtype=int) + np.arange(36).reshape(6, 6) % 4
    found = eh.score(table.tolist(), metrics=["f1_gap"])
    assert found["f1_gap"].low is None
    assert any("biased upwards in small samples" in w for w in found.warnings)
    assert eh.score(EXAMPLE, metrics=["f1_gap"])["f1_gap"].low == 0  # of few classes it has one
    n, gaps = table.sum(), []
    for i, j in np.argwhere(table > 0):
        less = table.copy()
        less[i, j] -= 1
        gaps += [eh.twins(less.tolist()).gap] * table[i, j]
    both = eh.twins(table.tolist())
    expected = n * both.gap - (n - 1) * np.mean(gaps)
    error = np.sqrt((n - 1) / n * np.sum((gaps - np.mean(gaps)) ** 2))
    assert both.corrected.value == pytest.approx(max(expected, 0))
    assert both.corrected.se == pytest.approx(error)
    assert both.corrected.high == pytest.approx(max(expected, 0) + 1.959964 * error, rel=1e-6)


def test_unbounded_metrics_have_no_transformation():
    with pytest.raises(InputError, match="has no finite range"):
        eh.score(EXAMPLE, metrics=["bookmaker_gain"], interval="delta", transform="logit")


def test_signatures_name_the_interval():
    found = eh.score(EXAMPLE, metrics=["accuracy", "macro_f1"])
    assert found["accuracy"].signature.interval == "wilson.95"
    assert found["macro_f1"].signature.interval == "wilson-effective.95"
    assert (
        eh.score(EXAMPLE, metrics=["mcc"], interval="delta")["mcc"].signature.interval == "delta.95"
    )
    drawn = eh.score(
        EXAMPLE, metrics=["mcc"], interval="bootstrap", level=0.9, seed=4, replicates=500
    )
    assert drawn["mcc"].signature.interval == "bootstrap.90.500.seed4"
    assert eh.score(EXAMPLE, metrics=["mcc"], interval=None)["mcc"].signature.interval == "none"


def test_a_perfect_system_is_as_sure_as_its_items():
    """Of 13 items all right, every metric says much the same as Wilson's interval of accuracy."""
    found = eh.score([[6, 0], [0, 7]], metrics=["accuracy", "macro_f1", "weighted_f1", "mcc"])
    accuracy = found["accuracy"].low
    assert accuracy == pytest.approx(13 / (13 + 1.959964**2))
    assert all(s.high == 1 for s in found.values())
    assert found["macro_f1"].low == pytest.approx(accuracy, abs=0.05)
    assert found["weighted_f1"].low == pytest.approx(accuracy, abs=0.05)
    assert found["mcc"].low == pytest.approx(2 * accuracy - 1, abs=0.1)
    assert found["macro_f1"].method == "wilson, effective"
    assert found["mcc"].method == "wilson, effective"


@pytest.mark.parametrize("method", [m for m in METHODS if m not in ("auto", "jackknife")])
def test_a_perfect_system_is_not_certain(method):
    found = eh.score([[6, 0], [0, 7]], metrics=["accuracy", "macro_f1", "mcc"], interval=method)
    assert found["accuracy"].low == pytest.approx(13 / (13 + 1.959964**2))
    assert found["accuracy"].high == 1
    assert "wilson" in found["accuracy"].method
    assert found["macro_f1"].low is None and found["macro_f1"].se is None
    assert any("no interval for macro_f1, mcc" in w for w in found.warnings)


@pytest.mark.parametrize("method", ["auto", "delta"])
def test_an_infinite_slope_is_refused(method):
    table = [[5, 3], [4, 0]]
    found = eh.score(table, metrics=["geometric_macro_recall"], interval=method)
    assert found["geometric_macro_recall"].low is None
    assert any("geometric_macro_recall" in w and "0 or infinite" in w for w in found.warnings)


def test_a_ratio_of_nothing_is_said_to_be_held_fixed():
    table = [[5, 1, 0], [2, 4, 0], [1, 1, 0]]
    found = eh.score(table, metrics=["macro_precision", "macro_recall"], interval="delta")
    (note,) = [w for w in found.warnings if "0/0" in w]
    assert "macro_precision" in note and "macro_recall" not in note


def test_empty_classes_do_no_harm():
    table = eh.Confusion.from_labels(
        ["a", "b"] * 20, ["a", "b"] * 15 + ["b", "a"] * 5, labels="abc"
    )
    found = eh.score(table, metrics=["macro_f1"])
    assert found["macro_f1"].low < found["macro_f1"].value
    assert found.classes[2].intervals["recall"].low is None


@pytest.mark.parametrize("method", METHODS)
def test_a_stack_is_a_loop(method):
    cells = np.random.default_rng(0).poisson(8, (4, 3, 3)) + 1
    names = ["accuracy", "macro_f1", "mcc@uniform", "f1:label=2"]
    stack = eh.Confusion.from_matrix(cells)
    together = eh.score(stack, metrics=names, interval=method, replicates=200)
    for part, one in zip(together.slices, cells, strict=True):
        alone = eh.score(one, metrics=names, interval=method, replicates=200)
        for name in names:
            a, b = part[name], alone[name]
            assert (a.se, a.low, a.high) == pytest.approx((b.se, b.low, b.high))
        assert part.classes[1].intervals == pytest.approx(alone.classes[1].intervals)
    assert together["macro_f1"].low is not None


def test_an_empty_slice_is_an_error():
    stack = eh.Confusion.stack(
        {
            "x": eh.Confusion.from_matrix([[1, 0], [0, 1]]),
            "y": eh.Confusion.from_matrix([[0, 0], [0, 0]]),
        }
    )
    with pytest.raises(InputError, match=r"no items \(slice y\)"):
        eh.score(stack)


def test_ones_own_function():
    def worst_recall(c):
        return -c.largest(-ratio(c.correct, c.prevalence))

    def mine(c):
        return c.mean(ratio(c.correct, c.bias + c.prevalence - c.correct))

    found = eh.score(LARGE, metrics=[mine, worst_recall], interval="delta")
    table = eh.Confusion.from_matrix(LARGE)
    rows = rows_of(table)
    direct = rows.standard_error(rows.influences([bind(mine, table)])[0])
    assert found["mine"].se == pytest.approx(direct.item())
    recall = 19 / 33
    assert found["worst_recall"].se == pytest.approx(np.sqrt(recall * (1 - recall) / 33))
    drawn = eh.score(LARGE, metrics=[mine], interval="bootstrap")["mine"]
    assert drawn.se == pytest.approx(found["mine"].se, rel=0.15)


def test_ones_own_function_without_a_gradient():
    def median_recall(c):
        return np.median(c.correct / c.prevalence, axis=-1)

    with pytest.raises(MetricError, match="no gradient of median_recall"):
        eh.score(LARGE, metrics=[median_recall], interval="delta")
    plain = eh.score(LARGE, metrics=[median_recall])  # no interval, and the reason
    assert plain["median_recall"].low is None
    assert [w for w in plain.warnings if "median_recall" in w] == [
        "no interval for median_recall except by bootstrap: numpy.median cannot be "
        "differentiated here"
    ]
    drawn = eh.score(LARGE, metrics=[median_recall], interval="bootstrap")["median_recall"]
    assert drawn.low < drawn.value < drawn.high


def test_ones_own_function_may_use_numpy():
    def own_mean(c):
        return (c.correct / c.prevalence).mean(axis=-1)

    def distance(c):
        return c.mean(np.abs(c.correct - 2 * c.bias) / c.prevalence)

    both = eh.score(LARGE, metrics=[own_mean, distance], interval="delta")
    recall = eh.score(LARGE, metrics=["macro_recall"], interval="delta")["macro_recall"]
    assert both["own_mean"].se == pytest.approx(recall.se, rel=1e-12)
    drawn = eh.score(LARGE, metrics=[distance], interval="bootstrap")["distance"]
    assert both["distance"].se == pytest.approx(drawn.se, rel=0.15)


def test_weighted_tables_need_their_items_for_a_bootstrap():
    rng = np.random.default_rng(0)
    true, pred = rng.integers(0, 3, (2, 300))
    w = rng.choice([0.5, 1.0, 3.0], 300)
    with pytest.raises(InputError, match=r"use Sample\.from_labels"):
        eh.score(eh.Confusion.from_labels(true, pred, weights=w), interval="bootstrap")
    sample = eh.Sample.from_labels(true, {"A": pred}, weights=w)
    for method in ("bootstrap", "bca"):
        drawn = eh.score(sample, metrics=["macro_f1"], interval=method)["macro_f1"]
        assert drawn.se == pytest.approx(
            eh.score(sample, metrics=["macro_f1"])["macro_f1"].se, rel=0.1
        )


def test_samples_of_systems():
    sample = eh.Sample.from_labels(list("aabbabab"), {"A": list("aabbabbb"), "B": list("abbbabab")})
    for several in (sample, sample.tables()):
        with pytest.raises(InputError, match=r"of 2 systems \('A', 'B'\); rank and compare"):
            eh.score(several, metrics=["macro_f1"])
    alone = eh.score(sample.table("B"), metrics=["macro_f1"])
    assert eh.score(sample.tables()[1:], metrics=["macro_f1"]) == alone
    one = eh.score(eh.Sample.from_labels("aab", {"A": list("abb")}), metrics=["accuracy"])
    assert not one.slices and one["accuracy"].low is not None


def test_strata_and_clusters_exclude_each_other():
    sample = eh.Sample.from_labels("aabb", {"A": list("abab")}, cluster=[1, 1, 2, 2])
    with pytest.raises(InputError, match="stratify and cluster exclude each other"):
        eh.score(sample, interval="bootstrap", stratify=True)
    one = eh.Sample.from_labels("aabb", {"A": list("abab")}, cluster=[1, 1, 1, 1])
    with pytest.raises(InputError, match="at least 2 clusters"):
        eh.score(one, interval="delta")
    multi = eh.MultiLabel.from_indicators([{"a"}, {"b"}], [{"a"}, {"a"}])
    with pytest.raises(InputError, match="stratify needs one true class an item"):
        eh.score(multi, interval="bootstrap", stratify=True)


def test_json_has_class_intervals():
    found = eh.score(EXAMPLE, metrics=["macro_f1"]).to_dict()
    assert set(found["classes"][0]["intervals"]["f1"]) == {"se", "low", "high", "method"}
    assert "intervals" not in eh.score(EXAMPLE, interval=None).to_dict()["classes"][0]
    rows = eh.score(EXAMPLE, metrics=["macro_f1"]).to_pandas()
    assert rows.query("metric == 'f1'").low.notna().all()


@pytest.mark.parametrize("metric", ["macro_f1", "f1_of_averages", "kappa", "macro_f1@uniform"])
def test_coverage_is_near_nominal(metric):
    rng = np.random.default_rng(11)
    shares = np.array([[0.30, 0.05, 0.05], [0.05, 0.22, 0.03], [0.04, 0.06, 0.20]])
    drawn = rng.multinomial(500, shares.reshape(-1), 1000).reshape(-1, 3, 3)
    stack = eh.Confusion.from_matrix(drawn)
    truth = float(evaluate(metric, eh.Confusion.from_matrix(shares)))
    kernel = bind(metric, stack)
    rows = rows_of(stack)
    error = 1.959964 * rows.standard_error(rows.influences([kernel])[0])
    inside = np.abs(evaluate(metric, stack) - truth) <= error
    assert 0.93 <= inside.mean() <= 0.97


def test_a_slice_is_warned_of_its_own_zero_over_zero_only():
    full = eh.Confusion.from_matrix([[40, 10, 5], [10, 40, 5], [5, 5, 40]])
    never = eh.Confusion.from_matrix([[40, 10, 0], [10, 40, 0], [20, 30, 0]])
    stack = eh.Confusion.stack({"full": full, "never": never})
    found = eh.score(stack, metrics=["macro_precision"], interval="delta")
    said = [[w for w in part.warnings if "0/0" in w] for part in found.slices]
    assert [len(w) for w in said] == [0, 1]
    assert "counts as 0: delta intervals of macro_precision take it as fixed" in said[1][0]


@pytest.mark.parametrize("metric", ["kappa", "mcc"])
def test_few_items_are_no_surer_than_they_are(metric):
    """Coverage over all tables of 20 items with both classes, each with its probability."""
    n, chances = 20, np.array([[0.72, 0.08], [0.08, 0.12]])
    bars = np.array([(-1, *x, n + 3) for x in combinations(range(n + 3), 3)])
    cells = (np.diff(bars) - 1).reshape(-1, 2, 2)
    cells = cells[(cells.sum(axis=2) > 0).all(axis=1)]
    weight = multinomial(n, chances.reshape(-1)).pmf(cells.reshape(-1, 4))
    assert weight.sum() == pytest.approx(1 - 0.8**n - 0.2**n)
    truth = float(eh.score(1000 * chances, metrics=[metric], interval=None)[metric])

    def held(**how):
        slices = eh.score(cells, metrics=[metric], **how).slices
        ends = [(s[metric].low or 9, s[metric].high or 9) for s in slices]
        return weight[[low <= truth <= high for low, high in ends]].sum() / weight.sum()

    assert held() > 0.93
    assert held(interval="delta", transform="range") < 0.91


RATIOS = ("positive_likelihood_ratio", "negative_likelihood_ratio", "diagnostic_odds_ratio")


@pytest.mark.parametrize(
    ("metric", "variance"),
    [
        ("positive_likelihood_ratio", 1 / 18 - 1 / 20 + 1 / 3 - 1 / 20),
        ("negative_likelihood_ratio", 1 / 2 - 1 / 20 + 1 / 17 - 1 / 20),
        ("diagnostic_odds_ratio", 1 / 18 + 1 / 2 + 1 / 3 + 1 / 17),
    ],
)
def test_ratios_are_on_the_scale_of_logarithms(metric, variance):
    """Their variances in closed form (Simel, Samsa & Matchar 1991; Woolf 1955)."""
    name = f"{metric}:label=0"
    score = eh.score([[18, 2], [3, 17]], metrics=[name])[name]
    factor = np.exp(1.959964 * np.sqrt(variance))
    assert score.low == pytest.approx(score.value / factor, rel=1e-6)
    assert score.high == pytest.approx(score.value * factor, rel=1e-6)
    assert score.method == "delta, log" and score.signature.interval == "delta-log.95"
    shifted = eh.shift.extrapolate([[18, 2], [3, 17]], to="0=0.1,1=0.9", metrics=[name])[name]
    assert (shifted.low, shifted.high) == pytest.approx((score.low, score.high))


def test_ratios_of_zero_have_half_a_count():
    names = [f"{m}:label=0" for m in RATIOS]
    scores = eh.score([[20, 0], [3, 17]], metrics=names)
    plus, minus, odds = (scores[name] for name in names)
    assert plus.method == "delta, log" and minus.method == odds.method == "delta, log+half"
    assert minus.value == minus.low == 0 and odds.value == odds.high == np.inf
    halves = np.array([20.5, 0.5, 3.5, 17.5])
    ratio = halves[0] * halves[3] / halves[1] / halves[2]
    assert odds.low == pytest.approx(ratio / np.exp(1.959964 * np.sqrt((1 / halves).sum())))


def test_one_number_has_one_interval():
    table = [[90, 5, 0], [8, 60, 2], [6, 1, 3]]
    plain, mixed = (
        eh.score(table, metrics=[m])[m] for m in ("macro_recall", "macro_recall@uniform")
    )
    assert (plain.value, plain.low, plain.high) == (mixed.value, mixed.low, mixed.high)
