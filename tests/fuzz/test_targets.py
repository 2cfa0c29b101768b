"""A few hundred cases of every target of ``make fuzz``, always the same ones."""

from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture.providers import HypothesisProvider

from evenhand.cli import every_command
from fuzz.outcome import FAILURES
from fuzz.run import outcomes_of, run
from fuzz.targets import SHARES, TARGETS
from fuzz.values import STARTS

SEEDS = {
    "tables": 16,
    "signatures": 10,
    "saved": 20,
    "text": 40,
    "commands": 40,
    "drop_in": 40,
    "calls": 12,
}


def cases(target, folder, seeds):
    return [o for i in range(seeds) for o in outcomes_of(target, f"0.{i}", folder)]


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_no_case_fails(target, tmp_path):
    found = cases(target, tmp_path, SEEDS[target])
    assert len(found) >= 150
    assert [o for o in found if o.kind in FAILURES] == []
    assert sum(o.kind == "right" for o in found) >= len(found) / 10


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_a_seed_always_makes_the_same_cases(target, tmp_path):
    kinds = [[o.kind for o in outcomes_of(target, "0.1", tmp_path)] for _ in range(2)]
    assert kinds[0] == kinds[1]


def test_examples_depend_on_no_earlier_run_and_no_module():
    profile = settings.get_profile("same")
    assert profile.derandomize and profile.database is None
    assert len(HypothesisProvider(None)._local_constants) == 0


def test_every_target_has_a_share():
    assert SHARES.keys() == TARGETS.keys()
    assert sum(SHARES.values()) == pytest.approx(1)


def test_two_processes_run_the_cases_of_one_seed():
    tally = run("signatures", 100, 0)
    assert tally.cases >= 100
    assert tally.failures == 0


def test_commands_leave_the_working_directory(tmp_path):
    before = Path.cwd()
    cases("commands", tmp_path, 1)
    assert Path.cwd() == before


def test_every_command_but_the_server_is_tried():
    assert {*STARTS, "serve"} == set(dict(every_command()))
