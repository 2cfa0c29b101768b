"""A plugin for pytest: assertions on models as fixtures, and a table of them at the end.

It loads by itself where evenhand is installed; a test asks for a fixture by its name::

    def test_the_new_model(not_worse, at_least):
        not_worse(y_true, old, new, margin=0.01, metrics="macro_f1")
        at_least(y_true, new, metrics="macro_f1", value=0.8)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

CHECKS = "evenhand_checks"
"""What a test leaves in its report: name, value and words, which also travel between processes."""


@pytest.fixture
def not_worse(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Fail unless the new system is not worse than the old by more than the margin."""
    from evenhand.testing import not_worse as check

    return _recorded(check, request.node)


@pytest.fixture
def at_least(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Fail unless a score is shown to be at least a value."""
    from evenhand.testing import at_least as check

    return _recorded(check, request.node)


def _recorded(check: Callable[..., Any], test: pytest.Item) -> Callable[..., None]:
    def asserted(*data: Any, **options: Any) -> None:
        __tracebackhide__ = True
        verdict = check(*data, **options)
        # not record_property, which warns wherever results are also written as JUnit's XML
        test.user_properties.append((CHECKS, [verdict.passed, verdict.message.partition("\n")[0]]))
        if not verdict.passed:  # an assert would be rewritten, words and all
            raise AssertionError(verdict.message)

    return asserted


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """The table: one line a check, those that failed first."""
    kinds = ("failed", "error", "passed", "xfailed", "xpassed")
    reports = [
        r for kind in kinds for r in terminalreporter.stats.get(kind, ()) if hasattr(r, "when")
    ]
    rows = [
        (report.nodeid, *value)
        for report in reports
        # the report of a test that has all its checks: of the call, or of why there was none
        if report.when == "call" or (report.when == "setup" and report.failed)
        for name, value in report.user_properties
        if name == CHECKS
    ]
    if not rows:
        return
    rows.sort(key=lambda row: row[1])
    width = max(len(test) for test, *_ in rows)
    terminalreporter.section("evenhand")
    for test, passed, message in rows:
        outcome = "passed" if passed else "FAILED"
        colour = {"green" if passed else "red": True}
        terminalreporter.write(f"{outcome}  ", **colour)
        terminalreporter.line(f"{test:<{width}}  {message.removeprefix('failed: ')}")
