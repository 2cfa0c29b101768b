"""Testing: assertions for the tests of a model, and the laws for a metric of your own."""

from evenhand.testing.assertions import assert_at_least as assert_at_least
from evenhand.testing.assertions import assert_not_worse as assert_not_worse
from evenhand.testing.laws import check_metric as check_metric

__all__ = ["assert_at_least", "assert_not_worse", "check_metric"]


def __dir__() -> list[str]:
    return __all__
