"""Comparing systems: the numbers, the doors, the forms of the result."""

import json

import numpy as np
import pytest
import scipy.stats

import evenhand as eh
from evenhand.errors import InputError
from evenhand.inference.multiplicity import holm
from evenhand.inference.permutation import mid_p, tango
from evenhand.warnings import FewClusters, NoClass, NoWidth


def data(n=400, seed=0, systems="AB"):
    rng = np.random.default_rng(seed)
    true = rng.integers(0, 3, n)
    right = (0.75, 0.65, 0.7, 0.5)
    guesses = {
        s: np.where(rng.random(n) < r, true, rng.integers(0, 3, n))
        for s, r in zip(systems, right, strict=False)
    }
    return true, guesses


def test_the_paired_error_of_accuracy_in_closed_form():
    true, s = data()
    d = (s["A"] == true).astype(float) - (s["B"] == true)
    found = eh.compare(true, s["A"], s["B"], metrics=["accuracy"])["accuracy"]
    assert found.difference == pytest.approx(d.mean())
    assert found.se == pytest.approx(d.std() / 20)
    assert found.effect == pytest.approx(100 * d.mean())
    first, second = int((d > 0).sum()), int((d < 0).sum())
    assert found.method == "tango" and (found.low, found.high) == tango(first, second, 400, 0.95)
    assert found.p["mcnemar"] == mid_p(first, second) == found.p_adjusted


def test_interval_and_test_of_few_differences_tell_one_story():
    """300 items, of which only the second is wrong on 5."""
    true = np.arange(300) % 3
    other = np.where(np.arange(300) < 5, (true + 1) % 3, true)
    pair = eh.compare(true, true, other, metrics=["accuracy"])["accuracy"]
    assert pair.p["randomisation"] == 0.0625 and pair.p_adjusted == 0.03125
    assert (pair.low, pair.high) == pytest.approx((0.0038, 0.0384), abs=1e-4)


@pytest.mark.parametrize(("a", "b", "n"), [(12, 2, 50), (5, 0, 300), (0, 1, 44), (30, 25, 60)])
def test_tangos_ends_are_just_rejected(a, b, n):
    """Against the likelihood maximised by search."""
    for end in tango(a, b, n, 0.95):
        shares = np.linspace(max(0, -end), (1 - end) / 2, 200_003)[1:-1]
        likelihood = a * np.log(shares + end) + b * np.log(shares)
        likelihood += (n - a - b) * np.log(1 - 2 * shares - end)
        q = shares[np.argmax(likelihood)]
        statistic = (a - b - n * end) / np.sqrt(n * (2 * q + end * (1 - end)))
        assert abs(statistic) == pytest.approx(1.959964, abs=1e-3)


def test_where_interval_and_test_disagree_it_is_said():
    rng = np.random.default_rng(4)
    true = rng.integers(0, 3, 200)
    systems = {s: np.where(rng.random(200) < 0.75 + 0.03 * i, true, (true + 1) % 3)
               for i, s in enumerate("abcd")}  # fmt: skip
    found = eh.compare(true, systems, metrics=["mcc"])
    contrary = [p for p in found.pairs if (p.low > 0 or p.high < 0) != (p.p_adjusted < 0.05)]
    assert bool(contrary) == ("interval and p disagree" in " ".join(found.verdict))
    assert contrary


@pytest.mark.parametrize("metric", ["macro_f1", "mcc", "macro_f1@uniform", "f1:label=1"])
def test_the_paired_error_by_the_jackknife(metric):
    true, s = data(150)
    found = eh.compare(true, s, metrics=[metric], classes="seen")[metric]
    values = []
    for i in range(150):
        keep = np.arange(150) != i
        a, b = (eh.Confusion.from_labels(true[keep], s[x][keep]) for x in "AB")
        values.append(
            eh.score(a, metrics=[metric], interval=None)[metric].value
            - eh.score(b, metrics=[metric], interval=None)[metric].value
        )
    assert found.se == pytest.approx(np.std(values) * np.sqrt(149), rel=0.02)


def test_the_tests_agree_where_there_is_much_data():
    true, s = data(4000, seed=3)
    s["B"] = np.where(np.arange(4000) % 50 == 0, s["A"], s["B"])
    metrics = ["macro_f1", "kappa"]
    found = eh.compare(true, s["A"], s["B"], metrics=metrics, replicates=1000, tests="all")
    for pair in found.pairs:
        assert pair.p["delta"] < 0.001 and pair.p["bootstrap"] <= 0.002
        assert pair.p["randomisation"] <= 0.002
        assert pair.low > 0


def test_rows_that_were_counted_are_the_same_sample():
    true, s = data()
    joint = np.zeros((3, 4, 4), int)
    np.add.at(joint, (true, s["A"], s["B"]), 1)
    first = eh.compare(true, s["A"], s["B"], metrics=["macro_f1", "accuracy"])
    t, a, b = np.nonzero(joint)
    counted = eh.Sample.from_labels(t, {"A": a, "B": b}, counts=joint[t, a, b])
    assert eh.compare(counted, metrics=["macro_f1", "accuracy"]).pairs == first.pairs
    assert counted.n == 400


def test_missing_predictions_are_errors():
    true = ["a", "b", "a", "b", "a", "b"]
    found = eh.compare(true, true, ["a", None, "a", "b", None, "b"], metrics=["accuracy"])
    assert found["accuracy"].values == (1.0, pytest.approx(4 / 6))
    assert found.signature.outside == "2.errors"


def test_weights_change_the_difference():
    true, s = data(60)
    w = np.where(s["A"] == true, 2.0, 0.5)
    plain = eh.compare(true, s, metrics=["accuracy"], tests="all")["accuracy"]
    weighted = eh.compare(true, s, metrics=["accuracy"], weights=w, tests="all")["accuracy"]
    assert weighted.difference > plain.difference
    assert "mcnemar" not in weighted.p and "mcnemar" in plain.p


def test_soft_systems():
    rng = np.random.default_rng(1)
    true = rng.integers(0, 3, 200)
    p = {s: rng.dirichlet(np.ones(3), 200) for s in "AB"}
    p["A"] = 0.5 * p["A"] + 0.5 * np.eye(3)[true]
    sample = eh.Sample.from_probabilities(true, p, labels=[0, 1, 2])
    metrics = ["expected_accuracy", "expected_macro_f1"]
    found = eh.compare(sample, metrics=metrics, replicates=200)
    d = (p["A"] - p["B"])[np.arange(200), true]
    assert found["expected_accuracy"].difference == pytest.approx(d.mean())
    assert found["expected_accuracy"].se == pytest.approx(d.std() / np.sqrt(200))
    assert found["expected_macro_f1"].p["randomisation"] == pytest.approx(1 / 201)


def test_mcnemar_only_for_the_share_right():
    true, s = data()
    metrics = ["accuracy", "micro_f1", "macro_f1", "recall:label=0"]
    found = eh.compare(true, s, metrics=metrics, tests=["randomisation", "mcnemar"])
    assert "mcnemar" in found["accuracy"].p and "mcnemar" in found["micro_f1"].p
    assert "mcnemar" not in found["macro_f1"].p
    assert "mcnemar" not in found["recall:label=0"].p


def test_the_same_system_twice():
    true, s = data(100)
    found = eh.compare(true, s["A"], s["A"], metrics=["accuracy", "macro_f1"])
    for pair in found.pairs:
        assert pair.difference == 0 and pair.low is None
        assert all(p == 1 for p in pair.p.values())
    assert any("no interval" in w for w in found.warnings)


def test_no_difference_is_larger_than_two_scores_can_be_apart():
    """By its error alone, macro precision could differ by 1.26."""
    y = np.repeat([0, 1, 2], [124, 138, 138])
    systems = {"right": y, "first": np.zeros_like(y)}
    found = eh.compare(y, systems, metrics=["macro_precision"])
    high = found["right", "first", "macro_precision"].high
    assert found["right", "first", "macro_precision"].value < high == 1
    step = eh.rank(y, systems, by_metric="macro_precision")["right"].next
    assert step.high == high


def test_few_clusters_are_said():
    true, s = data(60)
    found = eh.compare(true, s, metrics=["macro_f1"], cluster=np.arange(60) // 10)
    assert any("only 6 clusters" in w for w in found.warnings)
    assert FewClusters(6, 6) in found.cautions


def test_abstentions_and_differences_without_width_are_said():
    true = ["a", "b"] * 20
    silent = [None, *true[1:]]
    found = eh.compare(true, {"A": silent, "B": list(silent)}, metrics=["accuracy", "macro_f1"])
    assert NoClass(2.0, 2, False, (("A", 1.0), ("B", 1.0))) in found.cautions
    assert "missing or outside the classes, counted as errors: 'A' 1, 'B' 1" in " ".join(
        found.warnings
    )
    assert NoWidth(("accuracy", "macro_f1"), "difference") in found.cautions
    assert found["accuracy"].note == "no width"


def test_classes_are_those_of_the_truth():
    true = ["a", "b"] * 10
    stray = ["a", "b"] * 9 + ["c", "b"]
    found = eh.compare(true, true, stray, metrics=["macro_f1"])
    assert found.signature.classes == "true.2"
    assert found["macro_f1"].values[0] == 1


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((), {}, "compare takes true labels and at least two systems"),
        ((["a"], {"A": ["a"]}), {}, "at least two systems.*got a Sample of 1 system \\('A'\\)"),
        ((["a"], ["a"], ["a", "b"]), {}, "must have the same length"),
        ((["a", "b"], ["a", "b"], ["b", "b"]), {"tests": ["sign"]}, "among 'all', .*, got 'sign'"),
        ((["a", "b"], ["a", "b"], ["b", "b"]), {"tests": "mcnemar"}, "that every metric has"),
        ((["a", "b"], ["a", "b"], ["b", "b"]), {"tests": []}, "tests must be .* got none"),
        ((["a", "b"], ["a", "b"], ["b", "b"]), {"margin": 0.0}, "margin must be a number above 0"),
        ((np.ones((2, 2, 2), int),), {}, "at least two systems.*got an ndarray"),
    ],
)
def test_doors(arguments, options, message):
    with pytest.raises(InputError, match=message):
        eh.compare(*arguments, metrics=["accuracy"], **options)


def test_the_forms_of_a_comparison():
    true, s = data()
    found = eh.compare(true, s, metrics=["macro_f1", "bookmaker_gain"])
    content = found.to_dict()
    json.dumps(content, allow_nan=False)
    assert set(content["pairs"][0]) >= {
        "systems",
        "metric",
        "difference",
        "low",
        "high",
        "p",
        "p_adjusted",
        "effect",
        "family",
    }
    assert [p["family"] for p in content["pairs"]] == ["primary", "secondary"]
    assert content["metric"] == "macro_f1"
    assert content["pairs"][0]["systems"] == ["A", "B"]
    assert len(found.to_pandas()) == len(found.to_polars()) == 2
    assert "macro\\_f1" in found.to_markdown() and "\\toprule" in found.to_latex()
    assert "<table>" in found._repr_html_() and "Macro F1 (mean of F1)" in repr(found)
    assert repr(found).startswith("<Comparison: 400 items, 2 systems, 95 % intervals of the diff")
    pair = found["macro_f1"]
    assert float(pair) == pair.value == pair.difference and pair.method.name == "delta"
    assert content["verdict"] == list(found.verdict)
    assert found.signature.interval.startswith("paired-randomisation.95")
    assert found.signatures["macro_f1"].formula == "mean-of-f1"
    with pytest.raises(KeyError):
        found["kappa"]


def test_the_verdict_is_plain():
    true, s = data(1500, seed=5)
    clear = eh.compare(true, s, metrics=["accuracy"])
    first = (
        "Accuracy is the primary metric, tested at the 5 % level: A is significantly better than B"
    )
    assert clear.verdict[0].startswith(f"{first} (accuracy +") and len(clear.verdict) == 1
    assert " points, p < 0.0001)." in clear.verdict[0] or " points, p = 0.0" in clear.verdict[0]
    close = eh.compare(true[:40], {k: v[:40] for k, v in s.items()}, metrics=["macro_f1"])
    pair = close["macro_f1"]
    span = f"{100 * pair.low:+.1f} to {100 * pair.high:+.1f} points".replace("-", "−")
    assert f"no significant difference between A and B (macro F1 {span}, p = " in close.verdict[0]
    z = scipy.stats.norm.ppf([0.975, 0.8]).sum()
    items = float(f"{40 * (z * pair.se / 0.02) ** 2:.2g}")
    more = (
        f"; for example, {items:,.0f} items would show a difference of 2 points in 80 % of cases."
    )
    assert close.verdict[0].endswith(more)  # of a stated difference, not of the observed one
    assert "No significant difference does not mean equal" in close.verdict[-1]
    many = eh.compare(true[:40], {k: v[:40] for k, v in s.items()})
    assert many.verdict[1:3] == (
        "The p values of the 15 other metrics are adjusted separately from the primary metric.",
        "No significant difference between A and B on any of the 15 other metrics.",
    )
    clear = eh.compare(true, s)
    assert clear.verdict[2] == "A is significantly better than B on all 15 other metrics."
    assert not {"f1_gap", "bookmaker_gain"} & {p.metric for p in clear.pairs}


def test_slices_are_compared_by_themselves_and_corrected_together():
    true, systems = data(600, systems="ABC")
    by = np.where(np.arange(600) % 3, "en", "de")
    weights, cluster = 1.0 + np.arange(600) % 2, np.arange(600) // 5
    how = {"metrics": ["macro_f1", "accuracy"], "replicates": 500}  # enough for 6 pairs
    found = eh.compare(true, systems, by=by, weights=weights, cluster=cluster, **how)
    assert found.pairs == eh.compare(true, systems, weights=weights, cluster=cluster, **how).pairs
    assert [s.key for s in found.slices] == ["de", "en"]
    for part in found.slices:
        at = by == part.key
        alone = eh.compare(
            true[at],
            {name: s[at] for name, s in systems.items()},
            weights=weights[at],
            cluster=cluster[at],
            **how,
        )
        assert part.n == at.sum()
        for one, other in zip(part.pairs, alone.pairs, strict=True):
            apart = {"p_adjusted": None, "p_least": None}
            assert one.to_dict() | apart == other.to_dict() | apart
    one = eh.compare(true, systems, by=by, metrics=["macro_f1"], replicates=300)
    pairs = [p for s in one.slices for p in s.pairs]
    raw = [max(p.p.values()) for p in pairs]
    assert [p.p_adjusted for p in pairs] == pytest.approx(holm(raw))
    assert any("Slices are corrected together, over 2 slices" in line for line in one.verdict)


def test_the_second_family_does_not_change_the_first():
    true, s = data(300, systems="ABC")
    alone = eh.compare(true, s, metrics="macro_f1")
    both = eh.compare(true, s, metrics=["macro_f1", "accuracy", "mcc"])
    others = eh.compare(true, s, metrics=["accuracy", "mcc"])
    assert alone.metric == both.metric == "macro_f1" and others.metric == "accuracy"
    for pair in alone.pairs:
        assert both[(*pair.systems, "macro_f1")].p_adjusted == pytest.approx(pair.p_adjusted)
    assert [p.family for p in both.pairs] == ["primary", "secondary", "secondary"] * 3
    named = "Macro F1 (mean of F1) is the primary metric, tested at the 5 % level, with Holm's "
    assert both.verdict[0] == f"{named}correction for 3 pairs."
    assert "Holm over 3 pairs)" in both.verdict[1]


def test_the_p_that_decides_is_called_what_it_is():
    rng = np.random.default_rng(1)
    true = rng.choice(4, 300, p=[0.7, 0.2, 0.07, 0.03])
    systems = {s: np.where(rng.random(300) < p, true, 0) for s, p in (("A", 0.8), ("B", 0.7))}
    found = eh.compare(true, systems, metrics=["macro_f1"], replicates=20_000)
    p = found["macro_f1"]
    assert p.p["randomisation"] < p.p["delta"] == p.p_adjusted
    assert "p is the larger of two: of the randomisation test, and of the" in str(found)
    larger = "p by a paired randomisation test or difference/SE, the larger"
    assert larger in found.content().footnote
    plain = eh.compare(true, systems, metrics=["accuracy"])
    assert list(plain["accuracy"].p) == ["randomisation", "mcnemar"]
    assert "larger of two" not in str(plain) and "McNemar's mid-p" in str(plain)
    assert "interval by Tango's method, p by McNemar's test" in plain.content().footnote


def test_slices_have_equal_metrics_in_one_row_and_families_apart():
    rng = np.random.default_rng(3)
    true = rng.integers(0, 3, 90)
    systems = {s: np.where(rng.random(90) < p, true, 0) for s, p in (("A", 0.8), ("B", 0.6))}
    found = eh.compare(true, systems, by=np.arange(90) % 3, replicates=50)
    decides, others = (s for s in found.content().sheets if "in every slice" in s.name)
    names = dict.fromkeys(row[0] for row in others.grid.rows)
    equal = "accuracy = micro_f1 = micro_precision = micro_recall = weighted_recall"
    assert next(iter(names)) == "f1_of_averages" and equal in names
    assert not any("gain" in name for name in names)
    assert {row[0] for row in decides.grid.rows} == {"macro_f1"}
    assert [row[1:4] for row in decides.grid.rows[:3]] == [
        [str(s.key), 30, s["macro_f1"].value] for s in found.slices
    ]


def test_values_of_systems_with_long_names_stay_on_a_narrow_screen(monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    true, systems = data(60, seed=5)
    names = ("anthropic/claude-3-5-sonnet", "openai/gpt-4o")
    long = dict(zip(names, systems.values(), strict=True))
    shown = str(eh.compare(true, long))
    assert "not shown" not in shown
    assert "first  second" in shown and "claude-3-5-sonnet minus openai/gpt-4o" in shown


def test_the_exact_test_is_named_with_its_own_metric() -> None:
    true, systems = data(60, seed=5)
    assert "For accuracy, p is McNemar" in str(eh.compare(true, systems))
    assert "For micro F1, p is McNemar" in str(eh.compare(true, systems, metrics=["micro_f1"]))
