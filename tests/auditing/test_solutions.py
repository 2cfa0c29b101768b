"""The margins that an audit reconstructs are those of the true tables, no more and no fewer."""

from __future__ import annotations

from collections import defaultdict
from decimal import ROUND_HALF_UP
from fractions import Fraction

import numpy as np
import pytest

import evenhand as eh
from benchmarks.audit import printed, scores_of
from evenhand.auditing.bounds import fit_totals, solutions
from evenhand.auditing.facts import Assumptions, ClassFacts, TableFacts, narrow_class
from evenhand.auditing.numbers import read_number
from evenhand.auditing.ranges import ATTAINED, AttainableTables, Range

from .test_law import tables


@pytest.mark.parametrize(("k", "n", "decimals"), [(2, 9, 1), (2, 9, 2), (3, 5, 1), (3, 5, 2)])
def test_all_solutions_and_only_true_ones(k: int, n: int, decimals: int) -> None:
    rows: dict[tuple[str, ...], set[tuple[tuple[int, int, int], ...]]] = defaultdict(set)
    sizes = None
    for cells in tables(k, n):
        size = tuple(int(s) for s in cells.sum(1))
        bias = cells[:, :k].sum(0)
        if min(size) == 0 or min(bias) == 0:
            continue
        if sizes is None:
            sizes = tuple(sorted(size))
        if size != (sizes or size):
            continue
        margins = tuple((int(cells[i, i]), int(bias[i]), size[i]) for i in range(k))
        rows[_row(cells, k, decimals)].add(margins)
    assert sizes is not None
    for row, margins in rows.items():
        found = _solved(row, sizes, n)
        # Ends that only the other way of rounding halves reaches may add tables, never lose one.
        assert margins <= set(found)
        for table in set(found) - margins:
            assert _touches(table, row, decimals)


def _row(cells: np.ndarray, k: int, decimals: int) -> tuple[str, ...]:
    scores = scores_of(cells, "listed", 0)
    return tuple(
        printed(scores[f"{part}[{i}]"], decimals, False, ROUND_HALF_UP)
        for i in range(k)
        for part in ("precision", "recall")
    )


def _solved(row: tuple[str, ...], sizes: tuple[int, ...], n: int) -> list:
    ranges = [read_number(t).range(1) for t in row]  # type: ignore[union-attr]
    classes = tuple(
        ClassFacts(str(i), ranges[2 * i], ranges[2 * i + 1], None, s) for i, s in enumerate(sizes)
    )
    facts = TableFacts(classes, {}, n, None, Assumptions())
    spans = [narrow_class(facts, i, n)[1] for i in range(len(sizes))]
    assert all(s is not None for s in spans)
    fit = fit_totals([s for s in spans if s is not None], n, Range(0, n), False)
    assert fit is not None
    found = solutions(fit, n, Range(0, n), abstentions=False, limit=10_000)
    assert found is not None
    return found


def _touches(table: tuple, row: tuple[str, ...], decimals: int) -> bool:
    """Whether a ratio of the table is just a half, or is 0/0: both readings of it are allowed."""
    for (c, b, s), p, r in zip(table, row[::2], row[1::2], strict=True):
        for top, bottom, text in ((c, b, p), (c, s, r)):
            if not bottom:
                return True
            if abs(Fraction(top, bottom) - Fraction(text)) == Fraction(1, 2 * 10**decimals):
                return True
    return False


@pytest.mark.parametrize("seed", range(20))
def test_values_on_a_solution_are_those_of_its_table(seed: int) -> None:
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, 6))
    cells = np.column_stack([rng.integers(0, 4, (k, k)), np.zeros(k, dtype=int)])
    cells[0, 0] += 1
    size, bias = cells.sum(1), cells[:, :k].sum(0)
    margins = tuple((int(cells[i, i]), int(bias[i]), int(size[i])) for i in range(k))
    values = AttainableTables.from_margins([margins], int(size.sum()))
    for rule in ("listed", "seen", "true"):
        for worth in (0, 1):
            scores = scores_of(cells, rule, worth)
            scores["macro_f1"] = scores["mean"]
            scores["balanced_accuracy"] = scores["macro_recall"]
            for name in ATTAINED:
                off = abs(values[name] - float(scores[name]))
                assert np.nanmin(off) < 1e-15, (name, rule, worth)


def test_a_larger_limit_settles_a_row_with_scores_of_the_classes() -> None:
    table = 2 * np.array([[48, 6, 6], [7, 35, 8], [5, 9, 26]])
    hits, true, predicted = np.diag(table), table.sum(1), table.sum(0)
    row = {"macro_f1": f"{(2 * hits / (true + predicted)).mean():.3f}"}
    for i, label in enumerate("xyz"):
        row[f"recall[{label}]"] = f"{hits[i] / true[i]:.2f}"
        row[f"precision[{label}]"] = f"{hits[i] / predicted[i]:.1f}"
    support = dict(zip("xyz", true.tolist(), strict=True))
    (warning,) = eh.audit([row], support=support).warnings
    assert "a larger limit (option limit) searches more" in warning
    assert eh.audit([row], support=support, limit=1000).warnings == ()
