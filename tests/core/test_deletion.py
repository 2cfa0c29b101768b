"""Values with an item left out, against tables that are counted anew."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest

from evenhand.core.averages import leave_one_out
from evenhand.core.margins import Counts
from evenhand.core.registry import all_metrics

ALIKE = {m.name: m.function for m in all_metrics() if m.equal_weights}
POWERS = (-math.inf, -2, 0.5, 3, math.inf)
CASES = ALIKE | {f"macro_recall:p={p}": partial(ALIKE["macro_recall"], p=p) for p in POWERS}


@pytest.mark.parametrize("undefined", [0.0, 1.0, math.nan])
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("k", [1, 2, 3, 6])
def test_a_value_with_an_item_less_is_that_of_the_table_without_it(name, k, undefined):
    """Also where a class vanishes, has no prediction, or is not averaged."""
    rng, function = np.random.default_rng(k), CASES[name]
    cells = rng.poisson(0.8, (40, k, k + 1)) + 5 * np.eye(k, k + 1, dtype=int) * rng.integers(0, 2)
    cells[:, 0, 0] += 2
    averaged = (cells.sum(-1) > 0) & (rng.random((40, k)) < 0.8)
    averaged[:, 0] = True
    table, true, pred = np.nonzero(cells)

    def counts(x, mask):
        return Counts.from_cells(x[..., :k], x[..., k], averaged=mask, undefined=undefined)

    found = leave_one_out(function, counts(cells, averaged), table, true, pred)
    less = cells[table]
    less[np.arange(len(table)), true, pred] -= 1
    expected = function(counts(less, averaged[table]))
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
