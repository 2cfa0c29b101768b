"""Testing: assertions for the tests of a model."""

from evenhand.testing.assertions import assert_at_least as assert_at_least
from evenhand.testing.assertions import assert_not_worse as assert_not_worse

__all__ = ["assert_at_least", "assert_not_worse"]


def __dir__() -> list[str]:
    return __all__
