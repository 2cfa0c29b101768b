"""The heart of the audit: no true table is ever called inconsistent."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP
from itertools import product

import numpy as np
import pytest

from benchmarks.audit import an_honest_table, printed, scores_of
from evenhand.auditing.audit import audit


def tables(k: int, n: int) -> Iterator[np.ndarray]:
    """Every table of k classes and n items."""

    def parts(left: int, cells: int) -> Iterator[tuple[int, ...]]:
        if cells == 1:
            yield (left,)
            return
        for first in range(left + 1):
            for rest in parts(left - first, cells - 1):
                yield first, *rest

    for cells in parts(n, k * k):
        yield np.array([[*cells[i * k : (i + 1) * k], 0] for i in range(k)])


def reported(
    cells: np.ndarray, decimals: int, percent: bool, half: str, rule: str, worth: int, macro: str
) -> dict[str, str]:
    """Everything a paper could print about one table."""
    scores = scores_of(cells, rule, worth)
    scores["macro_f1"] = scores["mean" if macro == "macro_f1" else macro]
    del scores["mean"]
    if macro != "f1_of_averages":
        scores["f1_of_averages"] = scores_of(cells, rule, worth)["f1_of_averages"]
    row = {c: printed(x, decimals, percent, half) for c, x in scores.items()}
    size = cells.sum(1)
    return {
        **row,
        **{f"support[{i}]": str(s) for i, s in enumerate(size)},
        "n": str(size.sum()),
        "correct": str(np.trace(cells[:, :-1])),
    }


def without(rows: list[dict[str, str]], *kinds: str) -> list[dict[str, str]]:
    """The rows without columns of these kinds."""
    return [{c: v for c, v in row.items() if not c.startswith(kinds)} for row in rows]


def assert_innocent(rows: list[dict[str, str]]) -> None:
    """No finding, whatever part of the columns is printed."""
    for part in (
        rows,
        without(rows, "support"),
        without(rows, "support", "n", "correct"),
        without(rows, "f1["),
        without(rows, "precision["),
        without(rows, "recall["),
        without(rows, "precision[", "recall[", "f1["),
        without(rows, "precision[", "recall[", "f1[", "support", "n", "correct"),
    ):
        for row in part:  # each alone: a column of many rows says more about its percentages
            found = audit([row])
            assert found.ok, (row, [f.message for s in found.systems for f in s.findings])


SMALL = [(2, n) for n in range(1, 5)] + [(3, n) for n in range(1, 3)]
EVEN = pytest.param(ROUND_HALF_EVEN, marks=pytest.mark.slow)


@pytest.mark.parametrize(("k", "n"), SMALL)
@pytest.mark.parametrize("half", [ROUND_HALF_UP, EVEN])
def test_every_small_table_is_innocent(k: int, n: int, half: str) -> None:
    conventions = product((0, 1), ("seen", "true", "listed"), ("macro_f1", "f1_of_averages"))
    chosen = list(conventions)
    for i, cells in enumerate(tables(k, n)):
        worth, rule, macro = chosen[i % len(chosen)]
        decimals, percent = 1 + i % 4, bool(i // 4 % 2)
        assert_innocent([reported(cells, decimals, percent, half, rule, worth, macro)])


@pytest.mark.slow
@pytest.mark.parametrize(("k", "n"), [(2, 5), (2, 7), (3, 3), (3, 4)])
@pytest.mark.parametrize("decimals", [1, 2, 3, 4])
@pytest.mark.parametrize("half", [ROUND_HALF_UP, ROUND_HALF_EVEN])
def test_every_table_in_every_convention_is_innocent(
    k: int, n: int, decimals: int, half: str
) -> None:
    conventions = list(
        product((False, True), (0, 1), ("seen", "true", "listed"), ("macro_f1", "f1_of_averages"))
    )
    for i, cells in enumerate(tables(k, n)):
        for percent, worth, rule, macro in conventions[i % 12 :: 12]:
            row = reported(cells, decimals, percent, half, rule, worth, macro)
            for part in (row, *without([row], "support"), *without([row], "precision[")):
                found = audit([part])
                assert found.ok, (part, found)


@pytest.mark.parametrize("seed", range(100))
def test_random_honest_tables_are_innocent(seed: int) -> None:
    table = an_honest_table(np.random.default_rng([7, seed]))
    found = audit(table.rows, **table.options)
    assert found.ok, (table.options, [f for s in found.systems for f in s.findings])


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_ten_thousand_honest_tables_are_innocent(part: int) -> None:
    from benchmarks.audit import false_alarms

    assert false_alarms(1000, seed=100 + part) == []


@pytest.mark.parametrize("seed", range(30))
def test_the_formula_of_an_honest_table_fits(seed: int) -> None:
    table = an_honest_table(
        np.random.default_rng([8, seed]), supports=True, columns="all", runs=1, systems=3
    )
    for system in audit(table.rows, **table.options).systems:
        assert table.formula in system.formula
