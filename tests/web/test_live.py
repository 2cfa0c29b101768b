"""What the browser computes on every frame is what Python says, to 1e-12."""

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import evenhand as eh
from evenhand.simulate import graded_errors, graded_mix

LIVE = Path(eh.__file__).parent / "web" / "page" / "live.js"
RUN = """
import { readFileSync } from "node:fs";
const text = readFileSync(process.argv[1], "utf8");
const m = await import("data:text/javascript," + encodeURIComponent(text));
const cases = JSON.parse(readFileSync(0, "utf8"));
const say = ({ matrix, mix }) => m.live(mix ? m.mixed(matrix, mix) : matrix);
console.log(JSON.stringify(cases.map((c) => (c.make ? m.expected(...c.make) : say(c)))));
"""


def computed(cases):
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node")
    command = [node, "--input-type=module", "-e", RUN, str(LIVE)]
    done = subprocess.run(command, input=json.dumps(cases), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def tables():
    """Of 2 to 12 classes: dense, sparse, skewed, with classes never true or never predicted."""
    random = np.random.default_rng(45)
    for i in range(120):
        k = int(random.integers(2, 13))
        cells = random.poisson(random.gamma(0.5, 10 ** random.integers(0, 4), (k, k)))
        if i % 3 == 0:
            cells[random.integers(k)] = 0
        if i % 5 == 0:
            cells[:, random.integers(k)] = 0
        if cells.any():
            yield cells
    yield from (np.array(m) for m in ([[5, 0], [0, 0]], [[0, 3], [4, 0]], [[7, 0], [7, 0]]))


def test_every_number_is_pythons():
    given = list(tables())
    for cells, live in zip(given, computed([{"matrix": m.tolist()} for m in given]), strict=True):
        scores = eh.score(cells, interval=None)
        assert live["metrics"].keys() <= scores.metrics.keys()
        assert len(live["metrics"]) == 9
        for name, value in live["metrics"].items():
            assert value == pytest.approx(scores[name].value, abs=1e-12), (name, cells.tolist())
        for c, mine in zip(scores.classes, live["classes"], strict=True):
            for part in ("precision", "recall", "f1", "bias", "prevalence"):
                assert mine[part] == pytest.approx(getattr(c, part), abs=1e-12)
        twins = eh.twins(cells, pairs=None)
        assert live["gap"] == pytest.approx(twins.gap, abs=1e-12)
        assert live["bound"] == pytest.approx(twins.bound, abs=1e-12)
        assert np.sum(live["pairs"]) == pytest.approx(twins.gap, abs=1e-12)
        for a, b, share in twins.pairs:
            assert 2 * live["pairs"][a][b] == pytest.approx(share * twins.gap, abs=1e-12)


def test_at_another_class_mix():
    random = np.random.default_rng(3)
    given = [m for m in tables() if m.sum(axis=1).all()]
    mixes = [random.dirichlet(np.ones(len(m))).clip(1e-4) for m in given]
    mixes = [(p / p.sum()).tolist() for p in mixes]
    cases = [{"matrix": m.tolist(), "mix": p} for m, p in zip(given, mixes, strict=True)]
    assert len(given) > 40
    for cells, mix, live in zip(given, mixes, computed(cases), strict=True):
        to = dict(zip(range(len(mix)), mix, strict=True))
        moved = eh.shift.extrapolate(eh.Confusion.from_matrix(cells), to=to, interval=None)
        for name, value in live["metrics"].items():
            assert value == pytest.approx(moved[name].value, abs=1e-12), (name, cells.tolist(), mix)


def test_an_empty_table_has_nothing():
    assert computed([{"matrix": [[0, 0], [0, 0]]}]) == [None]


def test_the_explorers_tables_are_those_of_the_figures():
    cases = [(4, 0.6, 0.5, 0.0), (4, 0.25, 0.0, 1.0), (13, 0.9, 1.0, 0.3)]
    for (k, a, classes, errors), cells in zip(
        cases, computed([{"make": c} for c in cases]), strict=True
    ):
        wanted = graded_mix(k, classes)[:, None] * graded_errors(k, a, errors)
        np.testing.assert_allclose(cells, wanted, atol=1e-15)
