"""Errata: what each document has wrong, with its correction."""

import re

import numpy as np
import pytest
from click.testing import CliRunner

import evenhand as eh
from evenhand.cli import group
from evenhand.papers import recompute
from evenhand.papers.claims import all_claims
from tests.papers.verdicts import VERDICTS

WRONG = {name for name, v in VERDICTS.items() if v in ("misprint", "fails as printed", "rendering")}


def run(*words):
    return CliRunner().invoke(group, ["papers", *words], env={"COLUMNS": "500"})


def test_corrections_are_of_claims_that_are_wrong():
    corrected = {c.id for c in all_claims() if c.correct}
    assert len(corrected) == 20 and corrected <= WRONG <= {c.id for c in all_claims()}


@pytest.mark.parametrize("style", ["markdown", "latex", "table"])
def test_errata_of_a_document(style):
    done = run("000-appendix", "--errata", "--format", style)
    assert done.exit_code == 0, done.output
    text = re.sub(r"\\allowbreak|[\\${}]", "", done.stdout)
    own, rendering = text.split("Damage of the text")
    for name in ("000-appendix-c-gamma", "000-appendix-c-derivative", "000-appendix-e-names"):
        assert name in own
    assert "000-appendix-c-even" in rendering and "000-appendix-c-even" not in own
    assert "000-appendix-a" not in text  # it holds


def test_a_terminal_shows_every_correction_whole():
    done = CliRunner().invoke(group, ["papers", "003", "--errata"], env={"COLUMNS": "80"})
    assert "not shown" not in done.stdout and "…" not in done.stdout
    assert "(cs − p·b)/(s² − p·b)" in done.stdout


@pytest.mark.parametrize(
    ("style", "index"), [("latex", "m$_{ij}$"), ("markdown", "m<sub>ij</sub>"), ("table", "m_ij")]
)
def test_indices_are_lowered_where_that_can_be_written(style, index):
    assert f"{index} " in run("003-eq-3", "--errata", "--format", style).stdout


def test_what_holds_is_no_erratum():
    assert not recompute(["001-weighted-f1"]).errata.judged


def test_the_corrected_derivatives_are_those_of_differences():
    """Equations 33, 39 and 41 of Opitz (2022), corrected, against central differences."""
    m, step = np.array([[9.0, 2, 3], [1, 7, 2], [4, 1, 8]]), 1e-5  # rows = predicted
    s, c, b, p = m.sum(), np.trace(m), m.sum(axis=1), m.sum(axis=0)

    def slope(metric, i, j):
        change = np.zeros((3, 3))
        change[i, j] = step
        return (metric((m + change).T) - metric((m - change).T)) / (2 * step)

    both = b[0] + p[0]
    right = 2 * (both - 2 * m[0, 0]) / (3 * both**2)
    assert slope(eh.macro_f1, 0, 0) == pytest.approx(right, abs=1e-8)
    z, u, v = b[2] + p[0], 2 * b[0], 2 * p[2]  # an item of class 2 taken for class 0
    top, below = c * s - p @ b, s * s - p @ b
    right = ((c - z) * below - (2 * s - z) * top) / below**2
    assert slope(eh.kappa, 0, 2) == pytest.approx(right, abs=1e-8)
    truth, guess = s * s - p @ p, s * s - b @ b
    root = np.sqrt(truth * guess)
    right = 2 * root**2 * (c - z) - top * (2 * s - v) * guess - top * (2 * s - u) * truth
    assert slope(eh.mcc, 0, 2) == pytest.approx(right / (2 * root**3), abs=1e-8)
