"""The studies behind the pages still run: one data set of each kind of job."""

import pytest

from studies import (
    coverage,
    drift,
    folds,
    gate,
    groups,
    hard,
    plan,
    ranking,
    ratios,
    saerens,
    special,
    tests,
)


@pytest.fixture(autouse=True)
def _one_data_set(monkeypatch):
    for module in (coverage, gate, plan, tests):
        monkeypatch.setattr(module, "PART", 1)
    monkeypatch.setattr(tests, "DRAWS", 9)
    for module in (coverage, drift, ranking):
        monkeypatch.setattr(module, "REPLICATES", 20)


JOBS = {
    "coverage": lambda: coverage.covered((coverage.Cell(3, "balanced", 200), 0)),
    "hard": lambda: hard.covered((hard.DESIGNS[0], 0, 2, False)),
    "gate": lambda: gate.tried((gate.Cell(gate.DESIGNS[0], "accuracy", worse=True), 0)),
    "plan": lambda: plan.tried(((0, "accuracy", "difference"), 0)),
    "plan of a width": lambda: plan.tried(((1, "macro_f1", "width"), 0)),
    "tests": lambda: tests.rejected(
        (tests.Cell(tests.DESIGNS[2], "macro_f1", 200, strong=False), 0)
    ),
    "metrics of a pair": lambda: tests.any_rejected((tests.Mirrored(3, 200), 0)),
    "chances": lambda: ranking.one(ranking.Design("even", 3), [0, 0], None),
    "letters": lambda: ranking.apart(ranking.CELLS[0], ranking.CELLS[0].systems(), [0, 0]),
    "pairs": lambda: list(special.pairs(1, 0)),
    "uneven clusters": lambda: list(special.uneven(1, 0)),
    "drift": lambda: drift.study(drift.DESIGNS[0], 1),
    "saerens": lambda: saerens.study(3, 2.0, True, 1),
    "folds": lambda: folds.table(1),
    "groups": lambda: groups.study(next(iter(groups.DESIGNS)), 1, "macro_f1"),
    "accused groups": lambda: groups.accused(next(iter(groups.ACCUSED)), 1, "macro_f1"),
    "ratios": lambda: ratios.intervals(10),
}


@pytest.mark.parametrize("job", JOBS)
def test_a_study_runs(job):
    assert JOBS[job]() is not None
