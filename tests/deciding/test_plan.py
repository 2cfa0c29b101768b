"""Plan: numbers in closed form, against the intervals and tests themselves, and what is refused."""

import json
import math
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.stats
from click.testing import CliRunner

import evenhand as eh
from evenhand.cli import group
from evenhand.deciding.plan import _strata, mcnemar_power, stated_table
from evenhand.inference.permutation import mid_p

TABLE = eh.Confusion.from_matrix([[450, 50], [100, 400]], labels="ab")
Z = scipy.stats.norm.ppf(0.975)
POWER = scipy.stats.norm.ppf(0.8)


def wilson(p, n):
    """The width of Wilson's interval."""
    return 2 * Z * math.sqrt(p * (1 - p) / n + Z**2 / (4 * n * n)) / (1 + Z**2 / n)


@pytest.mark.parametrize("width", [0.2, 0.1, 0.02, 0.003])
def test_a_width_is_that_of_the_interval(width):
    """Wilson's interval of 0.85, whose own closed form says when it is narrow enough."""
    found = eh.plan(TABLE, metrics="accuracy", width=width).needed
    exact = next(n for n in range(int(found * 0.9), int(found * 1.1)) if wilson(0.85, n) <= width)
    assert found == pytest.approx(exact, rel=0.02, abs=1)  # cells are whole


def test_an_average_has_the_width_that_score_gives():
    table = [[300, 20, 10], [30, 150, 20], [4, 2, 14]]
    found = eh.plan(table, metrics="macro_f1", width=0.06).needed
    scaled = np.rint(np.array(table) * found / 550).astype(int)
    sure = eh.score(scaled, metrics="macro_f1")["macro_f1"]
    assert sure.high - sure.low == pytest.approx(0.06, rel=0.03)


def test_a_difference_in_closed_form():
    """Items that differ: 60 mended, 30 broken of 1,000."""
    true, n = np.zeros(1000, int), 1000
    old = np.r_[np.ones(60, int), np.zeros(940, int)]
    new = np.r_[np.zeros(60, int), np.ones(30, int), np.zeros(910, int)]
    variance = 90 / n - (30 / n) ** 2
    found = eh.plan(true, old, new, metrics="accuracy", difference=0.02)
    assert found.needed == pytest.approx(variance * ((Z + POWER) / 0.02) ** 2, rel=0.01)
    assert found.needed == eh.plan(true, {"A": old, "B": new}, metrics="accuracy",
                                   difference=0.02).needed  # fmt: skip
    wide = eh.plan(true, old, new, metrics="accuracy", width=0.02)
    assert wide.needed == math.ceil(variance * (2 * Z / 0.02) ** 2)
    # of squares that are 0.97² 60 times, 1.03² 30 times, else 0.03²: about 99 items tell of them
    squares = np.r_[np.full(60, 0.97**2), np.full(30, 1.03**2), np.full(910, 0.03**2)]
    m = n * (squares.mean() / squares.std()) ** 2
    garwood = scipy.stats.chi2.ppf([0.025, 0.975], [2 * m, 2 * m + 2]) / (2 * m)
    assert [found.low, found.high] == pytest.approx(found.needed * garwood, rel=0.01)


@pytest.mark.parametrize(("differ", "difference", "n"), [(0.02, 0.01, 900), (0.03, 0.02, 500)])
def test_the_power_of_the_test_that_is_used(differ, difference, n):
    """Near-perfect systems differ on a dozen items: mid-p by simulation."""
    rng = np.random.default_rng(0)
    pairs = rng.binomial(n, differ, 4000)
    wins = rng.binomial(pairs, (differ + difference) / (2 * differ))
    shown = [
        mid_p(int(w), int(d - w)) < 0.05 and 2 * w > d for w, d in zip(wins, pairs, strict=True)
    ]
    assert mcnemar_power(n, differ, difference, 0.95) == pytest.approx(np.mean(shown), abs=0.025)
    many = mcnemar_power(60_000, differ, difference / 10, 0.95)
    z = difference / 10 / math.sqrt((differ - (difference / 10) ** 2) / 60_000)
    assert many == pytest.approx(scipy.stats.norm.cdf(z - Z))


def test_a_perfect_pilot_is_taken_as_score_takes_it():
    found = eh.plan([[50, 0], [0, 50]], metrics=["accuracy", "macro_f1"], width=0.1)
    assert found["accuracy"].items == next(n for n in range(1, 99) if wilson(1, n) <= 0.1)
    sure = eh.score([[found["macro_f1"].items // 2, 0], [0, found["macro_f1"].items // 2]])
    assert sure["macro_f1"].high - sure["macro_f1"].low == pytest.approx(0.1, rel=0.05)
    assert found.low == found.needed < found.high
    assert "10.0 points wide on average (95 %)" in found.message
    uneven = eh.plan([[500, 0], [0, 100]], metrics="macro_f1", width=0.1)
    assert uneven.low <= uneven.needed <= uneven.high


def test_a_small_pilot_may_have_missed_the_errors_of_a_rare_class():
    """Of 2 million items a fifth of each class is wrong; of the pilot's rare class none is."""
    population = [[960, 120, 120], [72, 576, 72], [8, 8, 64]]
    needed = eh.plan(np.multiply(population, 1000), metrics="macro_f1", difference=0.03).needed
    pilot = [[144, 18, 18], [10, 86, 12], [0, 0, 12]]
    true, pred = (np.repeat(x.ravel(), np.ravel(pilot)) for x in np.indices((3, 3)))
    sample = eh.Sample.from_labels(true, {"a": pred})
    for found in (eh.plan(d, metrics="macro_f1", difference=0.03) for d in (pilot, sample)):
        assert found.low < found.needed < needed < found.high
    # a rare class of one item, which may be five times as frequent, has its ten items sooner
    one = eh.plan([[60, 5, 0], [4, 30, 0], [0, 0, 1]], metrics="macro_f1", difference=0.2)
    assert one.needed == 1000 and one.low == math.ceil(1000 / scipy.stats.chi2.ppf(0.975, 4) * 2)


def test_a_class_that_is_never_predicted_has_no_precision_to_plan_for():
    table = [[90, 5, 0], [8, 60, 0], [6, 4, 0]]
    with pytest.raises(eh.InputError, match="no number of items makes the interval of macro_prec"):
        eh.plan(table, metrics="macro_precision", width=0.1)
    found = eh.plan(table, metrics="macro_recall", width=0.1).needed
    sure = eh.score(np.rint(np.array(table) * found / 173).astype(int), metrics="macro_recall")
    sure = sure["macro_recall"]
    assert sure.high - sure.low == pytest.approx(0.1, rel=0.05)


def test_more_power_and_smaller_things_need_more():
    def items(**how):
        return eh.plan(TABLE, metrics="macro_f1", **how).needed

    assert items(difference=0.02, power=0.9) > items(difference=0.02, power=0.8)
    assert items(difference=0.01) == pytest.approx(4 * items(difference=0.02), rel=0.01)
    assert items(width=0.05, level=0.99) > items(width=0.05)
    assert items(margin=0.02) > items(margin=0.03)
    # one side at 5 % for the other two at 2.5 % each
    assert items(margin=0.02) < items(difference=0.02)


def test_one_system_stands_for_two_that_err_apart():
    """Accuracy of two independent systems: 2·p·(1 − p) within each class."""
    found = eh.plan(TABLE, metrics="accuracy", difference=0.02)
    within = (0.9 * 0.1 + 0.8 * 0.2) / 2
    assert found.needed == pytest.approx(2 * within * ((Z + POWER) / 0.02) ** 2, rel=0.01)
    alike = eh.plan(TABLE, metrics="accuracy", difference=0.02, correlation=0.75)
    assert alike.needed == pytest.approx(found.needed / 4, rel=0.01)
    assert "errors correlate by 0.75" in str(alike) and alike.to_dict()["correlation"] == 0.75


def test_clusters_have_their_design_effect():
    rng = np.random.default_rng(0)
    true = rng.integers(0, 2, 400)
    pred = np.where(rng.random(400) < 0.8, true, 1 - true)
    alone = eh.plan(true, pred, metrics="accuracy", width=0.02)
    twice = eh.plan(np.repeat(true, 2), np.repeat(pred, 2), metrics="accuracy", width=0.02,
                    cluster=np.arange(800) // 2)  # fmt: skip
    assert twice.design_effect == pytest.approx(2, rel=0.01)
    assert twice.needed == pytest.approx(2 * alone.needed, rel=0.02)
    assert twice.clusters == math.ceil(twice.needed / 2) and alone.clusters is None
    stated = eh.plan(true, pred, metrics="accuracy", width=0.02, design_effect=2.0)
    assert stated.needed == pytest.approx(2 * alone.needed, rel=0.01)


@pytest.mark.parametrize("purpose", ["difference", "margin"])
def test_clusters_of_one_system_have_it_too_where_another_is_to_be_held_against_it(purpose):
    rng = np.random.default_rng(0)
    true = rng.integers(0, 2, 400)
    pred = np.where(rng.random(400) < 0.8, true, 1 - true)
    alone = eh.plan(true, pred, metrics="accuracy", **{purpose: 0.02})
    twice = eh.plan(np.repeat(true, 2), np.repeat(pred, 2), metrics="accuracy",
                    cluster=np.arange(800) // 2, **{purpose: 0.02})  # fmt: skip
    assert twice.design_effect == pytest.approx(2, rel=0.01)
    assert twice.needed == pytest.approx(2 * alone.needed, rel=0.02)


def test_clusters_that_seem_to_help_are_not_counted_on():
    true = np.array([0, 1] * 200)
    pred = np.where(np.arange(400) % 4 == 0, 1 - true, true)  # one of each four is wrong
    alone = eh.plan(true, pred, metrics="accuracy", width=0.02)
    even = eh.plan(true, pred, metrics="accuracy", width=0.02, cluster=np.arange(400) // 4)
    assert even.design_effect == 1 and even.needed >= alone.needed


def test_few_clusters_have_students_quantile():
    rng = np.random.default_rng(1)
    true = rng.integers(0, 2, 600)
    pred = np.where(rng.random(600) < 0.8, true, 1 - true)
    found = eh.plan(true, pred, metrics="accuracy", width=0.2, cluster=np.arange(600) // 20)
    parts = np.bincount(np.arange(600) // 20, (pred == true) - (pred == true).mean()) / 600
    variance = 600 * (parts**2).sum() * 30 / 29
    for items, enough in ((found.needed, True), (found.needed - 1, False)):
        t = scipy.stats.t(max(1, items / 20 - 1)).ppf(0.975)
        assert (2 * t * math.sqrt(variance / items) <= 0.2) == enough


# -- the rarest class -------------------------------------------------------------------------


def test_the_rarest_class_decides_where_its_variance_does():
    """Macro recall: each class adds R(1 − R)/(4·share)."""
    found = eh.plan(recalls=0.8, mix={"spam": 0.05, "ham": 0.95}, metrics="macro_recall", width=0.1)
    need = found["macro_recall"]
    assert (need.rarest, need.decides, need.share) == ("spam", "spam", pytest.approx(0.05))
    assert need.variance == pytest.approx((1 / 0.05) / (1 / 0.05 + 1 / 0.95), rel=1e-6)
    assert found.needed == pytest.approx(
        0.16 / 4 * (1 / 0.05 + 1 / 0.95) * (2 * Z / 0.1) ** 2, rel=0.06
    )
    assert "The rarest class, spam, has 5.0 % of the items" in str(found)
    even = eh.plan(recalls=0.8, mix="a=0.5,b=0.5", metrics="macro_recall", width=0.1)
    assert even["macro_recall"].decides is None and "The rarest class" not in str(even)


def test_the_rarest_class_has_ten_items():
    found = eh.plan(recalls=0.9, mix="a=0.001,b=0.999", metrics=["macro_f1", "accuracy"], width=0.9)
    assert found["macro_f1"].items == 10_000 and found["macro_f1"].decides == "a"
    assert found["accuracy"].items < 20 and found["accuracy"].rarest is None
    assert found.needed == 10_000 and found.most.metric == "macro_f1"


def test_a_stated_table():
    table = stated_table({"a": 0.5, "b": 0.8, "c": 1.0}, "a=0.5,b=0.3,c=0.2")
    shares = np.array([[0.25, 0.15, 0.1], [0.06 * 5 / 7, 0.24, 0.06 * 2 / 7], [0, 0, 0.2]])
    assert table.cells / table.n == pytest.approx(shares, abs=1e-9)
    same = eh.plan(recalls="a=0.9,b=0.8", mix="a=0.5,b=0.5", metrics="mcc", width=0.05)
    big = eh.plan(eh.Confusion.from_matrix(TABLE.cells * 10**6), metrics="mcc", width=0.05)
    assert same.needed == big.needed and same.low == same.needed == same.high


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({}, "plan takes one of width, difference and margin, such as difference=0.02; got none"),
        ({"width": 0.1, "margin": 0.1}, "plan takes one of width, difference and margin"),
        ({"width": 0}, "width must be a number above 0, got 0"),
        ({"difference": math.nan}, "difference must be a number above 0, got nan"),
        ({"width": 0.1, "power": 1}, "power must be between 0 and 1, got 1"),
        ({"width": 0.1, "correlation": 1}, "correlation must be from 0 to below 1, got 1"),
        ({"width": 0.1, "design_effect": 0.5}, "design_effect must be 1 or more, got 0.5"),
        ({"width": 0.1, "recalls": 0.8}, "recalls and mix go together"),
        ({"width": 0.1, "recalls": 0.8, "mix": "a=0.5,b=0.5"}, "take the place of data"),
        ({"width": 1e-12}, "needs more than 1e"),
        ({"width": 0.1, "metrics": []}, "metrics must name at least one"),
    ],
)
def test_what_is_refused(how, words):
    with pytest.raises(eh.InputError, match=words):
        eh.plan(TABLE, **how)


@pytest.mark.parametrize(
    ("recalls", "mix", "words"),
    [
        (0.8, "a=1", "of at least 2 classes"),
        (0.8, "a=0.5,b=0.6", "that sum to 1, got 0.5, 0.6"),
        (0.8, "a=0,b=1", "shares above 0"),
        (1.2, "a=0.5,b=0.5", "recalls must be between 0 and 1"),
        ("a=0.8", "a=0.5,b=0.5", "must be of the same classes, got 'a' and 'a', 'b'"),
        (0.8, 7, "mix must be 'a=0.2,b=0.8' or a mapping"),
    ],
)
def test_what_cannot_be_stated(recalls, mix, words):
    with pytest.raises(eh.InputError, match=words):
        eh.plan(recalls=recalls, mix=mix, width=0.1)


def test_a_pilot_without_an_error_says_nothing():
    with pytest.raises(eh.InputError, match="do not say how macro_f1 varies"):
        eh.plan(list("abab"), list("abab"), width=0.1, cluster=[1, 2, 3, 4])
    with pytest.raises(eh.InputError, match="do not say how accuracy varies"):
        eh.plan(list("aabb"), list("abab"), list("abab"), metrics="accuracy", difference=0.1)
    with pytest.raises(eh.InputError, match="plan takes"):
        eh.plan(list("ab"), {"A": list("ab"), "B": list("ba"), "C": list("aa")}, width=0.1)
    with pytest.raises(eh.InputError, match="has a design effect of its own"):
        eh.plan(list("abab"), list("aaab"), width=0.1, cluster=[1, 1, 2, 2], design_effect=2)
    sets = eh.MultiLabel.from_indicators([[1, 0], [0, 1], [1, 1]], [[1, 0], [1, 1], [0, 1]])
    with pytest.raises(eh.InputError, match="what two systems would share: plan a width"):
        eh.plan(sets, difference=0.1)


def test_labels_to_come_go_where_the_labelled_items_vary():
    """Neyman: 50 items of each label, three times as spread in one; others say nothing."""
    sample = SimpleNamespace(
        items=np.array([10, 50, 10, 50]), true=np.array([0, 0, 1, 1]), k=2, n=120, labels=("a", "b")
    )
    judged = SimpleNamespace(sample=sample, labelled=np.array([1, 0, 1, 0], bool), labels=20)
    strata = _strata(judged, np.array([1.0, 100.0, 3.0, 0.0]), 20)
    assert [(s.judge, s.unlabelled, s.label_next) for s in strata] == [("a", 50, 5), ("b", 50, 15)]
    assert strata[1].probability == pytest.approx(20 / 120 + 100 / 120 * 15 / 50)


# -- the command ------------------------------------------------------------------------------


def run(*words):
    return CliRunner().invoke(group, ["plan", *words])


def test_the_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    true = rng.integers(0, 2, 300)
    systems = [np.where(rng.random(300) < p, true, 1 - true) for p in (0.8, 0.9)]
    for name, x in zip(("gold", "a", "b"), (true, *systems), strict=True):
        (tmp_path / f"{name}.txt").write_text("\n".join(np.array(["ham", "spam"])[x]) + "\n")
    one = json.loads(run("gold.txt", "a.txt", "--width", "0.05", "--format", "json").stdout)
    assert one["items"] == eh.plan(true, systems[0], width=0.05).needed
    assert one["low"] < one["items"] < one["high"] and f"{one['items']:,} items" in one["message"]
    two = json.loads(
        run("gold.txt", "a.txt", "b.txt", "--margin", "0.05", "--format", "json").stdout
    )
    assert two["items"] == eh.plan(true, *systems, margin=0.05).needed and two["power"] == 0.8
    text = run("--recalls", "0.8", "--mix", "spam=0.02,ham=0.98", "--width", "0.1").stdout
    assert "The rarest class, spam, has 2.0 %" in text
    matrix = run("--matrix", "45 5; 10 40", "--width", "0.1", "--metric", "accuracy")
    assert "197 items (129 to 289) for an interval of accuracy that is 10.0 points" in matrix.stdout
    for words, said in (
        (("gold.txt", "a.txt"), "one of width, difference and margin"),
        (("--width", "0.1"), "Expected GOLD PRED"),
        (("--mix", "a=0.5,b=0.5", "--width", "0.1"), "recalls and mix go together"),
        (("gold.txt", "a.txt", "--by", "x", "--width", "0.1"), "leave out --by"),
    ):
        found = run(*words)
        assert found.exit_code == 2 and said in found.stderr


def test_columns_of_the_rarest_class_are_left_out_where_none_has_one() -> None:
    table = [[45, 5], [10, 40]]
    assert "rarest class" not in str(eh.plan(table, metrics="accuracy", width=0.1))
    assert "rarest class" in str(eh.plan(table, metrics="macro_f1", width=0.1))
