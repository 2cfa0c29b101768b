"""The tests of a metric of one's own: its number by hand, and the laws."""

import pytest
from patience import alert_error, patience

import evenhand as eh
from evenhand.testing import check_metric

TABLE = [[6, 1, 1], [1, 5, 2], [2, 3, 7]]


@pytest.mark.parametrize("metric", [patience, alert_error, "macro_patience:slack=2"])
def test_the_laws(metric):
    check_metric(metric)


def test_by_hand():
    """6 of 8 with 3 alarms, 5 of 8 with 4, 7 of 12 with 3; 10 of 28 are wrong."""
    by_hand = (6 / (8 + 1.5) + 5 / (8 + 2) + 7 / (12 + 1.5)) / 3
    scores = eh.score(TABLE, metrics=["macro_patience", alert_error])
    assert scores["macro_patience"].value == pytest.approx(by_hand)
    assert scores["alert_error"].value == pytest.approx(10 / 28)
