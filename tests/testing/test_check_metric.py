"""The laws for a metric of one's own: every metric of ours holds them, and each can be broken."""

import numpy as np
import pytest

import evenhand as eh
from evenhand.catalogue.lists import table_metrics
from evenhand.core import registry
from evenhand.errors import MetricError
from evenhand.testing import check_metric

OURS = [name for name, m in table_metrics().items() if "single" in m.tasks]


@pytest.fixture(autouse=True)
def none_stays(monkeypatch):
    for name in ("_OWN", "_ALIASES", "_AVERAGES"):
        monkeypatch.setattr(registry, name, dict(getattr(registry, name)))


@pytest.mark.parametrize("name", OURS)
def test_ours_hold_every_law(name):
    check_metric(name, tables=30)


@pytest.mark.parametrize("spelling", ["macro_fbeta:beta=2", "macro_jaccard", "f1:label=0"])
def test_any_spelling_can_be_checked(spelling):
    check_metric(spelling, tables=60)


def share(c):
    """Share of right items."""
    return eh.ratio(c.sum(c.correct), c.total, c.undefined)


def test_all_are_those_that_the_data_have():
    @eh.metric(formula="mean over items of hits", high=9, needs="items")
    def hits_of_items(c):
        """Labels that an item has right."""
        return c.mean(1.0 * c.correct)

    sets = eh.MultiLabel.from_indicators([[1, 0], [1, 1]], [[1, 1], [1, 1]])
    assert eh.score(sets, metrics="own")["hits_of_items"].value == 1.5
    assert "hits_of_items" not in eh.score([[3, 1], [1, 2]], metrics="all", interval=None)


def undescribed(c):
    return share(c)


def of_each_class(c):
    """One value a class."""
    return eh.ratio(c.correct, c.bias, c.undefined)


def divided_by_nothing(c):
    """A mean of plain quotients."""
    return c.mean(c.correct / c.prevalence)


def too_high(c):
    """Twice the share."""
    return 2 * share(c)


def never_perfect(c):
    """Half the share."""
    return share(c) / 2


def of_the_first(c):
    """Precision of the class that happens to come first."""
    return eh.ratio(c.correct, c.bias, c.undefined)[..., 0]


def grows(c):
    """Hits, as a share of items and one more."""
    return c.sum(c.correct) / (c.total + 1)


def over_all_axes(c):
    """A sum that forgets the stack."""
    return np.sum(c.correct) / np.sum(c.total) + 0 * c.total


def without_a_rule(c):
    """A function of numpy that cannot be differentiated."""
    return np.nan_to_num(share(c))


BROKEN = {
    undescribed: "described",
    of_each_class: "a number",
    divided_by_nothing: "a number",
    too_high: "range",
    never_perfect: "perfect is best",
    of_the_first: "the order of classes",
    grows: "the size of the sample",
    over_all_axes: "a batch is a loop",
    without_a_rule: "gradient",
}


@pytest.mark.parametrize("function", BROKEN, ids=lambda f: f.__name__)
def test_each_law_can_be_broken(function):
    own = eh.metric(formula="as it says")(function)
    with pytest.raises(AssertionError) as caught:
        check_metric(own, tables=60)
    assert f"\n  {BROKEN[function]}" in str(caught.value)


def test_the_smallest_table_is_told():
    with pytest.raises(AssertionError, match=r"expected 0 to 1, got 2 on 0\.375 \(0/0 is nan\)"):
        check_metric(eh.metric(formula="2·share")(too_high))


def test_a_right_one_passes_and_a_plain_function_has_no_record():
    check_metric(eh.metric(formula="Σ correct / total")(share))
    with pytest.raises(MetricError, match=r"grown has no record: put @evenhand\.metric"):
        check_metric(lambda_named("grown"))


def lambda_named(name):
    function = lambda c: c.total  # noqa: E731
    function.__name__ = name
    return function
