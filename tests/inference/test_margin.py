"""Margins and test sizes: in closed form, and what is refused."""

import math

import numpy as np
import pytest
import scipy.optimize
import scipy.special
import scipy.stats

import evenhand as eh
from evenhand.inference.noninferiority import above, end, needed, noninferiority


def data(n=2000, gain=0.0, seed=0):
    rng = np.random.default_rng(seed)
    true = rng.integers(0, 3, n)
    a = np.where(rng.random(n) < 0.8, true, rng.integers(0, 3, n))
    b = np.where(rng.random(n) < gain, true, a)
    return true, {"A": a, "B": np.where(rng.random(n) < 0.02, 0, b)}


@pytest.mark.parametrize("df", [np.inf, 7.0])
def test_two_one_sided_tests_in_closed_form(df):
    t = scipy.stats.t if np.isfinite(df) else None
    law = t(df) if t else scipy.stats.norm()
    found = noninferiority(-0.004, 0.005, 0.01, 0.9, df)
    assert found.low == pytest.approx(-0.004 - law.ppf(0.9) * 0.005)
    assert found.high == pytest.approx(-0.004 + law.ppf(0.9) * 0.005)
    assert found.p_low == pytest.approx(law.sf((0.01 - 0.004) / 0.005))
    assert found.p_high == pytest.approx(law.sf((0.01 + 0.004) / 0.005))
    assert (found.p_low < 0.1) == found.above and (found.p_high < 0.1) == found.below


def test_equivalent_not_worse_and_nothing():
    true, systems = data()
    wide = eh.compare(true, systems, metrics=["accuracy"], margin=0.05)
    assert wide["accuracy"].margin.equivalent
    assert wide["accuracy"].margin.not_worse == ("A", "B")
    assert wide.verdict[1] == "Within a margin of 5.0 points, A and B are equivalent on accuracy."
    narrow = eh.compare(true, systems, metrics=["accuracy"], margin=0.001)
    assert "nothing is demonstrated" in narrow.verdict[1] or "not worse" in narrow.verdict[1]
    assert not narrow["accuracy"].margin.equivalent
    true, systems = data(gain=0.3)
    better = eh.compare(true, systems, metrics=["accuracy", "f1_gap"], margin=0.01)
    assert better["accuracy"].margin.not_worse == ("B",)
    assert better["f1_gap"].margin.not_worse == ()  # it has no better side
    assert better.verdict[1] == (
        "Within a margin of 1.0 point, B is not worse than A on accuracy; "
        "A and B are equivalent on F1 gap."
    )
    facts = better.to_dict()
    assert facts["margin"] == 0.01
    assert facts["pairs"][0]["margin"]["not_worse"] == ["B"]
    assert "not worse" in str(better) and "margin_low" in better.to_csv()


def test_clusters_have_students_quantile():
    true, systems = data(240)
    cluster = np.arange(240) // 30
    how = {"metrics": ["accuracy"], "cluster": cluster, "margin": 0.02}
    found = eh.compare(true, systems, **how)["accuracy"]
    assert found.high - found.value == pytest.approx(scipy.stats.t(7).ppf(0.975) * found.se)
    changed = np.bincount(cluster, (systems["A"] == true) * 1.0 - (systems["B"] == true))
    each = np.abs(changed - 30 * found.value) / 240 * math.sqrt(8 / 7)
    size = (each**3).sum() / (each**2).sum()
    inside = scipy.stats.t(7).ppf(0.95)
    for edge, sign in ((found.margin.low, 1), (found.margin.high, -1)):
        spread = math.sqrt(likeliest(found.value, found.se, edge, size))
        assert sign * (found.value - edge) == pytest.approx(inside * spread, rel=1e-6)


def likeliest(difference, se, null, size):
    """The variance of Poisson losses and gains whose means differ by −null, by brute force."""
    seen, more, wanted = (se / size) ** 2, -difference / size, -null / size
    losses, gains = (seen + more) / 2, max(0.0, (seen - more) / 2)
    losses = seen - gains if more > seen else losses

    def against(mean):  # of the gains
        return (
            -scipy.special.xlogy(losses, mean + wanted)
            - scipy.special.xlogy(gains, mean)
            + 2 * mean
        )

    least = max(0.0, -wanted) + 1e-12
    found = scipy.optimize.minimize_scalar(
        against, bounds=(least, seen + abs(wanted) + 1), method="bounded", options={"xatol": 1e-12}
    )
    return max(seen, 2 * found.x + wanted) * size**2


@pytest.mark.parametrize("null", [-0.05, -0.02, 0.0, 0.015, 0.04])
@pytest.mark.parametrize("difference", [-0.02, 0.0, 0.01])
def test_the_error_is_that_of_the_likeliest_losses_and_gains(difference, null):
    se, size = 0.02, 0.005
    spread = math.sqrt(likeliest(difference, se, null, size))
    p = scipy.stats.norm.sf((difference - null) / spread)
    assert above(difference, se, null, size=size) == pytest.approx(p, rel=1e-4)


@pytest.mark.parametrize("df", [np.inf, 5.0])
@pytest.mark.parametrize("difference", [-0.03, 0.0, 0.02])
def test_the_end_is_where_the_test_turns(difference, df):
    how = {"df": df, "size": 0.004}
    low = end(difference, 0.01, 0.9, **how)
    assert above(difference, 0.01, low, **how) == pytest.approx(0.1, abs=1e-9)
    assert low <= end(difference, 0.01, 0.9, df) + 1e-12  # never surer than what is seen


def test_accuracy_of_few_losses_by_hand():
    """Nothing gained, one of 100 lost: at a margin of 3 three losses are expected, ±√3."""
    true, old = [0] * 100, [0] * 100
    new = [1, *old[1:]]
    found = eh.compare(true, {"new": new, "old": old}, metrics="accuracy", margin=0.03)
    p = scipy.stats.norm.sf((3 - 1) / math.sqrt(3))
    assert found["accuracy"].margin.p_low == pytest.approx(p, abs=0.003)  # an item's mean is off
    assert found["accuracy"].margin.not_worse == ("old",)


def test_items_needed_for_a_stated_difference():
    true, systems = data(300)
    for margin, words in ((None, "2 points"), (0.01, "1 point")):
        found = eh.compare(true, systems, metrics=["accuracy"], margin=margin)
        z = scipy.stats.norm.ppf([0.975, 0.8]).sum()
        items = needed(margin or 0.02, found["accuracy"].se, 300, power=0.8, level=0.95)
        assert items == np.ceil(300 * (z * found["accuracy"].se / (margin or 0.02)) ** 2)
        shown = f"{float(f'{items:.2g}'):,.0f} items would show a difference of {words} in 80 %"
        assert shown in found.verdict[0]
        assert ("for example" in found.verdict[0]) == (margin is None)
    gain = eh.compare(true, systems, metrics=["bookmaker_gain"])
    assert "would show" not in gain.verdict[0]  # which is not in points
